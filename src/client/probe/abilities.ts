import { type AgentCapabilities, type AgentCard, api } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import type { Field } from '../../gen/api.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Binding } from '../bindings.ts';
import type { OperationReport } from './report.ts';
import { methodOf, operationsByName, type WireMethod } from './tables.ts';

/** What an operation depends on besides the dialect. */
interface SupportRule {
  /** What an agent's card must promise (A2A 1.0.1 section 3.3.4). */
  readonly capability?: keyof AgentCapabilities;
  /** How the gateway does it in the agent's place, and what it needs for that. */
  readonly lift?: { readonly by: string; readonly needs: readonly OperationName[] };
}

const fromStore: SupportRule['lift'] = { by: 'from the tasks that the gateway keeps', needs: ['SendMessage'] };
const webhooks: SupportRule = {
  capability: 'pushNotifications',
  lift: { by: 'the gateway calls the webhooks itself', needs: ['SendMessage'] },
};

/** An operation without a rule is the agent's own affair. */
const rules: Readonly<Partial<Record<OperationName, SupportRule>>> = {
  SendStreamingMessage: {
    capability: 'streaming',
    lift: { by: 'SendMessage, then GetTask again and again', needs: ['SendMessage', 'GetTask'] },
  },
  GetTask: { lift: fromStore },
  ListTasks: { lift: fromStore },
  SubscribeToTask: {
    capability: 'streaming',
    lift: { by: 'from the events that the gateway keeps', needs: ['SendMessage'] },
  },
  CreateTaskPushNotificationConfig: webhooks,
  GetTaskPushNotificationConfig: webhooks,
  ListTaskPushNotificationConfigs: webhooks,
  DeleteTaskPushNotificationConfig: webhooks,
  GetExtendedAgentCard: { capability: 'extendedAgentCard' },
};

/** Paths of requests that the gateway sees to, whatever the agent could do: it keeps the task, waits, and calls webhooks. */
const handledByGateway: readonly string[] = [
  'historyLength',
  'pageSize',
  'pageToken',
  'configuration.historyLength',
  'configuration.returnImmediately',
  'configuration.taskPushNotificationConfig',
];

/** What cards call their promises. */
const promises: Readonly<Partial<Record<keyof AgentCapabilities, string>>> = {
  streaming: 'streaming',
  pushNotifications: 'push notifications',
  extendedAgentCard: 'an extended card',
};

/**
 * What becomes of every operation of A2A 1.0 when an agent is called in this way: from the dialect's tables and the
 * card's promises.
 *
 * @param card the agent's, in v1; without one nothing is promised, and streams are tried
 * @param refused operations that the agent was seen to refuse, with its words
 */
export function operationReports(
  { binding, dialect }: { readonly binding: Binding; readonly dialect: Dialect },
  card: Pick<AgentCard, 'capabilities'> | undefined,
  refused: ReadonlyMap<OperationName, string> = new Map(),
): readonly OperationReport[] {
  const can = (operation: OperationName): boolean => objection(operation) === undefined;
  const objection = (operation: OperationName): string | undefined => {
    const { capability } = rules[operation] ?? {};
    if (methodOf(binding.wireFormat, dialect, operation) === undefined) {
      return `${dialect.name} has no such operation over ${binding.title}`;
    }
    const words = refused.get(operation);
    if (words !== undefined) return `the agent refuses it: ${words}`;
    if (capability === undefined || card?.capabilities[capability] === true) return undefined;
    // An agent without a card is tried.
    if (card === undefined && capability === 'streaming') return undefined;
    return card === undefined
      ? `there is no card that promises ${promises[capability] ?? capability}`
      : `its card does not promise ${promises[capability] ?? capability}`;
  };
  return [...operationsByName.keys()].map((operation): OperationReport => {
    const against = objection(operation);
    const { lift } = rules[operation] ?? {};
    if (against === undefined) {
      const { names, method } = methodOf(binding.wireFormat, dialect, operation) as WireMethod;
      const paths = lostPaths(method, operation);
      const isOurs = (path: string): boolean =>
        handledByGateway.some((one) => path === one || path.startsWith(`${one}.`));
      const supplied = paths.filter(isOurs);
      const unsaid = paths.filter((path) => !isOurs(path));
      return { operation, how: 'native', why: names.join(', then '), supplied, lost: unsaid };
    }
    const isLifted = lift?.needs.every(can) === true;
    return isLifted
      ? { operation, how: 'lifted', why: `${lift.by} (${against})`, supplied: [], lost: [] }
      : { operation, how: 'impossible', why: against, supplied: [], lost: [] };
  });
}

/** How deep a sample goes: deeper than any field whose loss matters to whoever chooses a way to call an agent. */
const deepest = 4;

/**
 * Paths of an operation's request for which a method has no place: found by encoding one that says everything.
 */
export function lostPaths(method: Method, operation: OperationName): readonly string[] {
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
