import { type AgentCapabilities, type AgentCard, api } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import type { Field } from '../../gen/api.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Binding } from '../bindings.ts';
import { dialectsFor } from '../dialects.ts';
import type { OperationReport } from './report.ts';
import { methodOf, operationsByName, type WireMethod } from './tables.ts';

/** Conditions of an operation, in addition to its support by the dialect. */
interface SupportRule {
  /** The capability that the agent's card must list (A2A 1.0.1 section 3.3.4). */
  readonly capability?: keyof AgentCapabilities;
  /** The gateway's replacement for the operation, and the operations of the agent that it needs. */
  readonly lift?: { readonly by: string; readonly needs: readonly OperationName[] };
}

const fromStore: SupportRule['lift'] = { by: 'from the tasks that the gateway keeps', needs: ['SendMessage'] };
const webhooks: SupportRule = {
  capability: 'pushNotifications',
  lift: { by: 'the gateway calls the webhooks itself', needs: ['SendMessage'] },
};

/** Rules by operation. Operations without a rule depend only on the agent. */
const rules: Readonly<Partial<Record<OperationName, SupportRule>>> = {
  SendStreamingMessage: {
    capability: 'streaming',
    lift: { by: 'SendMessage, then polling with GetTask', needs: ['SendMessage', 'GetTask'] },
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

/** Request fields that the gateway handles itself, because it stores the task, waits, and calls webhooks. */
const handledByGateway: readonly string[] = [
  'historyLength',
  'pageSize',
  'pageToken',
  'configuration.historyLength',
  'configuration.returnImmediately',
  'configuration.taskPushNotificationConfig',
];

const capabilityNames: Readonly<Partial<Record<keyof AgentCapabilities, string>>> = {
  streaming: 'streaming',
  pushNotifications: 'push notifications',
  extendedAgentCard: 'an extended card',
};

/**
 * Returns the gateway's support for each operation of A2A 1.0 over an interface of the agent, derived from the
 * dialect's tables and the card's capabilities.
 *
 * @param card the agent's card in v1; without a card, streams are tried and other capabilities count as missing
 * @param refused the operations that the agent refused, with its error messages
 */
export function operationReports(
  { binding, dialect }: { readonly binding: Binding; readonly dialect: Dialect },
  card: Pick<AgentCard, 'capabilities'> | undefined,
  refused: ReadonlyMap<OperationName, string> = new Map(),
): readonly OperationReport[] {
  const objection = (operation: OperationName): string | undefined => {
    const { capability } = rules[operation] ?? {};
    if (methodOf(binding.wireFormat, dialect, operation) === undefined) {
      return `${dialect.name} has no such operation over ${binding.title}`;
    }
    const words = refused.get(operation);
    if (words !== undefined) return `the agent refuses it: ${words}`;
    if (capability === undefined || card?.capabilities[capability] === true) return undefined;
    const name = capabilityNames[capability] ?? capability;
    if (card) return `its card does not promise ${name}`;
    return capability === 'streaming' ? undefined : `there is no card that promises ${name}`;
  };
  return [...operationsByName.keys()].map((operation): OperationReport => {
    const against = objection(operation);
    if (against === undefined) {
      const { names, method } = methodOf(binding.wireFormat, dialect, operation) as WireMethod;
      const isOurs = (path: string): boolean => handledByGateway.some((one) => `${path}.`.startsWith(`${one}.`));
      const paths = lostPaths(method, operation).filter((path) => !unpublished(operation).includes(path));
      const supplied = paths.filter(isOurs);
      const lost = paths.filter((path) => !isOurs(path));
      return { operation, how: 'native', why: names.join(', then '), supplied, lost };
    }
    const { lift } = rules[operation] ?? {};
    return lift?.needs.every((needed) => objection(needed) === undefined)
      ? { operation, how: 'lifted', why: `${lift.by} (${against})`, supplied: [], lost: [] }
      : { operation, how: 'impossible', why: against, supplied: [], lost: [] };
  });
}

/** Paths of an operation's request that no published version has. Only callers of a preview would miss them. */
function unpublished(operation: OperationName): readonly string[] {
  const [newest] = dialectsFor(undefined);
  const method = newest && methodOf('jsonrpc', newest, operation)?.method;
  return method ? lostPaths(method, operation) : [];
}

/** Nesting depth of a sample. It exceeds the depth of any field whose loss matters for the choice of a way. */
const maxDepth = 4;

/** Paths of an operation's request that a method cannot express, found by encoding a request with all fields. */
function lostPaths(method: Method, operation: OperationName): readonly string[] {
  const lost = new Set<string>();
  const [request] = samplesOf(operationsByName.get(operation)?.request ?? '', 0);
  try {
    method.request.encode({ request: request as never }, { losses: lost, unreported: lost });
  } catch (thrown) {
    // A refused request is not a loss.
    if (thrown instanceof A2AError) return [];
    throw thrown;
  }
  return [...lost].sort();
}

/**
 * Creates samples of a message with a value for every field except tenants: as many samples as the largest oneof has
 * members, each with a different member.
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
  if (kind === 'message') return depth < maxDepth ? samplesOf(type, depth + 1) : [];
  if (kind === 'enum') return Object.keys(api.fields.enums[type] ?? {}).slice(1, 2);
  if (jsonName === 'url') return ['https://example.com/hook'];
  const value = samples[kind === 'scalar' ? type : kind];
  return value === undefined ? [] : [value];
}

const samples: Readonly<Record<string, unknown>> = {
  bytes: 'AA==',
  timestamp: '2026-01-01T00:00:00.000Z',
  struct: { key: 'value' },
  value: 'value',
  map: {},
  string: 'sample',
  bool: true,
  int32: 1,
  int64: 1,
};
