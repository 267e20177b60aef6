import type { AgentCapabilities, AgentCard } from '../../core/model/a2a.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Binding } from '../bindings.ts';
import type { Ability } from './report.ts';
import { methodOf, operationsByName, type WireMethod } from './tables.ts';
import { unsaidBy } from './unsaid.ts';

/** What an operation depends on besides the dialect. */
interface Rule {
  /** What an agent's card must promise (A2A 1.0.1 section 3.3.4). */
  readonly capability?: keyof AgentCapabilities;
  /** How the gateway does it in the agent's place, and what it needs for that. */
  readonly lift?: { readonly by: string; readonly needs: readonly OperationName[] };
}

const kept: Rule['lift'] = { by: 'from the tasks that the gateway keeps', needs: ['SendMessage'] };
const webhooks: Rule = {
  capability: 'pushNotifications',
  lift: { by: 'the gateway calls the webhooks itself', needs: ['SendMessage'] },
};

/** An operation without a rule is the agent's own affair. */
const rules: Readonly<Partial<Record<OperationName, Rule>>> = {
  SendStreamingMessage: {
    capability: 'streaming',
    lift: { by: 'SendMessage, then GetTask again and again', needs: ['SendMessage', 'GetTask'] },
  },
  GetTask: { lift: kept },
  ListTasks: { lift: kept },
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
const ours: readonly string[] = [
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
export function abilitiesOf(
  { binding, dialect }: { readonly binding: Binding; readonly dialect: Dialect },
  card: Pick<AgentCard, 'capabilities'> | undefined,
  refused: ReadonlyMap<OperationName, string> = new Map(),
): readonly Ability[] {
  const can = (operation: OperationName): boolean => objection(operation) === undefined;
  const objection = (operation: OperationName): string | undefined => {
    const { capability } = rules[operation] ?? {};
    if (methodOf(binding.face, dialect, operation) === undefined) {
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
  return [...operationsByName.keys()].map((operation): Ability => {
    const against = objection(operation);
    const { lift } = rules[operation] ?? {};
    if (against === undefined) {
      const { names, method } = methodOf(binding.face, dialect, operation) as WireMethod;
      const paths = unsaidBy(method, operation);
      const isOurs = (path: string): boolean => ours.some((one) => path === one || path.startsWith(`${one}.`));
      const supplied = paths.filter(isOurs);
      const unsaid = paths.filter((path) => !isOurs(path));
      return { operation, how: 'native', why: names.join(', then '), supplied, unsaid };
    }
    const isLifted = lift?.needs.every(can) === true;
    return isLifted
      ? { operation, how: 'lifted', why: `${lift.by} (${against})`, supplied: [], unsaid: [] }
      : { operation, how: 'impossible', why: against, supplied: [], unsaid: [] };
  });
}
