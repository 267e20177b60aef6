import { A2AError } from '../../core/errors.ts';
import type { Method } from '../../dialects/dialect.ts';
import { api } from '../../gen/a2a-v1/index.ts';
import type { OperationName } from '../../gen/a2a-v1/operations.ts';
import type { Field } from '../../gen/api.ts';
import { operationsByName } from './tables.ts';

/** How deep a sample goes: deeper than any field whose loss matters to whoever chooses a way to call an agent. */
const deepest = 4;

/**
 * Paths of an operation's request for which a method has no place: found by encoding one that says everything.
 */
export function unsaidBy(method: Method, operation: OperationName): readonly string[] {
  const lost = new Set<string>();
  const request = sampleOf(operationsByName.get(operation)?.request ?? '', 0);
  try {
    method.request.encode({ request: request as never }, { losses: lost, minor: lost });
  } catch (thrown) {
    // What the dialect refuses outright is no loss, and nothing of it is known.
    if (thrown instanceof A2AError) return [];
    throw thrown;
  }
  return [...lost].sort();
}

/** A message with a value for every field, one for each oneof. Tenants are between the caller and the gateway. */
function sampleOf(type: string, depth: number): Record<string, unknown> {
  const { fields, oneofs } = api.fields.messages[type] ?? { fields: [], oneofs: [] };
  const others = new Set(oneofs.flatMap(({ members }) => members.slice(1)));
  const sample: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.jsonName === 'tenant' || others.has(field.jsonName)) continue;
    const value = valueFor(field, depth);
    if (value !== undefined) sample[field.jsonName] = field.repeated ? [value] : value;
  }
  return sample;
}

function valueFor({ kind, type, jsonName }: Field, depth: number): unknown {
  if (kind === 'message') return depth < deepest ? sampleOf(type, depth + 1) : undefined;
  if (kind === 'enum') return Object.keys(api.fields.enums[type] ?? {})[1];
  return kind === 'scalar' ? scalars[type]?.(jsonName) : samples[kind];
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
