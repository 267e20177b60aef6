import { api } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import type { Field } from '../../gen/api.ts';
import type { OperationName } from '../../gen/services.ts';
import { operationsByName } from './tables.ts';

/** How deep a sample goes: deeper than any field whose loss matters to whoever chooses a way to call an agent. */
const deepest = 4;

/**
 * Paths of an operation's request for which a method has no place: found by encoding one that says everything.
 */
export function unsaidBy(method: Method, operation: OperationName): readonly string[] {
  const lost = new Set<string>();
  const [request] = samplesOf(operationsByName.get(operation)?.request ?? '', 0);
  try {
    method.request.encode({ request: request as never }, { losses: lost, unreported: lost });
  } catch (thrown) {
    // What the dialect refuses outright is no loss, and nothing of it is known.
    if (thrown instanceof A2AError) return [];
    throw thrown;
  }
  return [...lost].sort();
}

/**
 * Messages with a value for every field: as many as its oneofs have members, each with another of them. Tenants are
 * between the caller and the gateway.
 */
function samplesOf(type: string, depth: number): Record<string, unknown>[] {
  const { fields, oneofs } = api.fields.messages[type] ?? { fields: [], oneofs: [] };
  const count = Math.max(1, ...oneofs.map(({ members }) => members.length));
  return Array.from({ length: count }, (_, at) => {
    const others = new Set(oneofs.flatMap(({ members }) => members.toSpliced(Math.min(at, members.length - 1), 1)));
    const sample: Record<string, unknown> = {};
    for (const field of fields) {
      if (field.jsonName === 'tenant' || others.has(field.jsonName)) continue;
      const values = valuesFor(field, depth);
      if (values.length > 0) sample[field.jsonName] = field.repeated ? values : values[0];
    }
    return sample;
  });
}

function valuesFor({ kind, type, jsonName }: Field, depth: number): readonly unknown[] {
  if (kind === 'message') return depth < deepest ? samplesOf(type, depth + 1) : [];
  if (kind === 'enum') return Object.keys(api.fields.enums[type] ?? {}).slice(1, 2);
  const value = kind === 'scalar' ? scalars[type]?.(jsonName) : samples[kind];
  return value === undefined ? [] : [value];
}

const samples: Readonly<Record<Exclude<Field['kind'], 'message' | 'enum' | 'scalar'>, unknown>> = {
  bytes: 'AA==',
  timestamp: '2026-01-01T00:00:00.000Z',
  struct: { key: 'value' },
  value: 'value',
  map: {},
};

const scalars: Readonly<Record<string, (jsonName: string) => unknown>> = {
  string: (name) => (name === 'url' ? 'https://example.com/hook' : 'sample'),
  bool: () => true,
  int32: () => 1,
  int64: () => 1,
};
