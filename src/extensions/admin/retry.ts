import type { Message, Struct, Task } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import { type CallContext, keepingAll, type Requester } from '../../core/model/call.ts';
import { A2AError, isUndelivered } from '../../core/model/errors.ts';
import { taskKey } from '../../core/model/ids.ts';
import { defined } from '../../core/model/json.ts';
import { isTerminal, stateWord } from '../../core/model/lifecycle.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import { isOutage } from '../../core/model/stored-form.ts';
import { shortened } from '../../core/model/text.ts';
import type { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Store } from '../../core/ports/store.ts';
import type { RetryOutcome } from '../../gen/admin-v1/types.ts';
import { isNetworkFailure } from '../../net/network-errors.ts';
import type { AdminHandlers } from '../handlers.ts';
import { fault } from '../requests.ts';

/** Largest numbers of tasks: in one request, and retried at once. */
const most = { keys: 100, atOnce: 4 } as const;
/** Number of events in one reading, while the messages of a task are looked for. */
const pageSize = 100;

/** Member of a task's metadata with the id of the task that it retries. */
const retryOfKey = 'a2a-gateway/retryOf';

/**
 * The idempotency key of the retry of a task: of two operators who retry it, the second finds the task of the first. Callers have no
 * such keys, since headers have no line feeds.
 */
const keyOfRetry = ({ key }: Pick<TaskOverview, 'key'>): string => `a2a-gateway/retry\n${key}`;

export interface RetryDeps {
  readonly store: Pick<Store, 'events' | 'findCall' | 'overviewOf'>;
  readonly asOwner: Pick<ReturnType<typeof onBehalfOfOwners>, 'agentOf' | 'open'>;
  /** Returns the error if the owner of a task may not open such a task now. */
  readonly refusalFor: (task: TaskOverview) => A2AError | undefined;
  readonly audit: Audit;
}

/** Messages of a task's caller: the message that opened the task, and the number of later ones. */
interface SentMessages {
  readonly first: Message;
  readonly further: number;
}

/**
 * Outages of the store and of agents that a request has met. The request retries no other task that needs them, since each would
 * wait for the outage again. An outage is over when the store is read, or the agent answers a call.
 */
class Outages {
  #ofStore: A2AError | undefined;
  readonly #ofAgents = new Map<string, A2AError>();

  /** Throws if the store was unavailable for an earlier task of the request. */
  requireStore(): void {
    if (this.#ofStore) throw notTried('could not be read', this.#ofStore);
  }

  /** Throws if the agent was unreachable for an earlier task of the request, and has not answered since. */
  requireAgent(name: string, agent: HealthOfAgent): void {
    const failure = this.#ofAgents.get(name);
    if (failure && !isWell(agent)) throw notTried(`of the agent ${name} could not be sent`, failure);
  }

  /** Awaits a reading of the store, and remembers an outage. */
  async read<T>(reading: Promise<T>): Promise<T> {
    try {
      const value = await reading;
      this.#ofStore = undefined;
      return value;
    } catch (thrown) {
      if (isOutage(thrown)) this.#ofStore ??= A2AError.from(thrown);
      throw thrown;
    }
  }

  /** Awaits a message to an agent, and remembers if the agent is unreachable. */
  async send<T>(name: string, agent: HealthOfAgent, sending: Promise<T>): Promise<T> {
    try {
      return await sending;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (provesUnreachable(agent, error)) this.#ofAgents.set(name, error);
      throw thrown;
    }
  }
}

type HealthOfAgent = Pick<Agent, 'health'>;

/** Whether an agent has answered the latest call, as far as this replica knows. */
const isWell = (agent: HealthOfAgent): boolean => (agent.health?.().state ?? 'ok') === 'ok';

/**
 * Whether a failure proves that the agent is unreachable for all messages. An answer such as 502, or none in time, may be due to one
 * message. If one copy of an agent is unreachable, only messages of its conversations fail, and the agent is well.
 */
const provesUnreachable = (agent: HealthOfAgent, error: A2AError): boolean =>
  isUndelivered(error) && isNetworkFailure(error) && !isWell(agent);

const notTried = (what: string, { kind, message }: A2AError): A2AError =>
  new A2AError(kind, `Not tried, since another task ${what}: ${message}`);

/** The operation that retries tasks that have not succeeded. */
export function retryHandlers(deps: RetryDeps): AdminHandlers<'RetryTasks'> {
  return {
    async RetryTasks({ keys = [], dryRun = false }, context) {
      if (keys.length === 0 || keys.length > most.keys) throw fault('keys', `must be 1 to ${most.keys} keys of tasks`);
      const outcomes: RetryOutcome[] = [];
      const outages = new Outages();
      const left = [...new Set(keys)].entries();
      const work = async (): Promise<void> => {
        for (const [at, key] of left) outcomes[at] = await retry({ ...deps, outages }, key, dryRun, context);
      };
      await Promise.all(Array.from({ length: most.atOnce }, work));
      return { value: { outcomes } };
    },
  };
}

/** Retries one task. Never rejects: if the task is refused, the outcome has the reason. */
async function retry(
  deps: RetryDeps & { readonly outages: Outages },
  key: string,
  dryRun: boolean,
  context: CallContext,
): Promise<RetryOutcome> {
  const { outages } = deps;
  let task: TaskOverview | undefined;
  try {
    outages.requireStore();
    task = await outages.read(deps.store.overviewOf(key));
    if (!task) throw A2AError.taskNotFound(key);
    requireUnsuccessful(task);
    const agent = deps.asOwner.agentOf(task);
    const { restart = false } = agent;
    const earlier = await outages.read(retriedAs(deps, task));
    const refusal = dryRun && earlier === undefined && deps.refusalFor(task);
    if (refusal) throw refusal;
    const { first, further } = await messagesOf(deps, task, context);
    const known = { key, agent: task.agent, restart, furtherMessages: further };
    if (earlier !== undefined || dryRun) return { ...known, newKey: earlier ?? '', repeated: earlier !== undefined };
    outages.requireAgent(task.agent, agent);
    const opening = deps.asOwner.open(task, messageOf(task, first), onceOf(task), context);
    const id = await outages.send(task.agent, agent, opening);
    note(deps, task, context);
    return { ...known, newKey: id === undefined ? '' : taskKey(task, id, false) };
  } catch (thrown) {
    const { kind, message, violations } = A2AError.from(thrown);
    if (!dryRun) note(deps, task ?? { key }, context, `Failed: ${kind}`);
    const unnamed = violations.filter(({ description }) => !message.includes(description));
    const why = unnamed.map(({ field, description }) => `${field} ${description}`).join('; ');
    return {
      key,
      ...(task && { agent: task.agent }),
      refusal: shortened(why === '' ? message : `${message}: ${why}`, 500),
    };
  }
}

/** Key of the task that retries a task. Undefined: it was not retried within the last day. */
export const retriedAs = async ({ store }: Pick<RetryDeps, 'store'>, task: TaskOverview): Promise<string | undefined> =>
  (await store.findCall(task, keyOfRetry(task)))?.turn?.key;

/** Key of the task that a task retries. Undefined: it is not a retry. */
export function retryOf({ metadata }: Pick<Task, 'metadata'>): string | undefined {
  const id = metadata?.[retryOfKey];
  return typeof id === 'string' ? id : undefined;
}

/** Whether a task has ended without success. */
export const isRetryable = ({ state }: Pick<TaskOverview, 'state'>): boolean =>
  isTerminal(state) && state !== 'TASK_STATE_COMPLETED';

/** Throws `unsupportedOperation` if the task has not ended, if it has completed, or if an agent opened it for another task. */
function requireUnsuccessful({ state, parent }: TaskOverview): void {
  const refuse = (reason: string): never => {
    throw new A2AError('unsupportedOperation', reason);
  };
  if (!isTerminal(state)) refuse(`The task has not ended: its state is ${stateWord(state)}`);
  if (!isRetryable({ state })) refuse('The task has completed');
  if (parent !== '') refuse(`An agent opened the task for another one: retry that one (${parent})`);
}

async function messagesOf({ store }: RetryDeps, { key }: TaskOverview, context: Requester): Promise<SentMessages> {
  let first: Message | undefined;
  let further = 0;
  const requester = keepingAll(context);
  for (let after = 0; ; ) {
    const events = await store.events(key, after, pageSize, requester);
    for (const { event } of events) {
      for (const message of [...(event.task?.history ?? []), ...(event.message ? [event.message] : [])]) {
        if (message.role !== 'ROLE_USER') continue;
        if (first) further += 1;
        else first = message;
      }
    }
    const last = events.at(-1);
    if (!last || (events.length < pageSize && !events.isCut)) break;
    after = last.seq;
  }
  if (!first) throw new A2AError('unsupportedOperation', 'The message that opened the task is not in its log');
  return { first, further };
}

/** Returns the message of the retry. It has a new id, since an agent may take a message with a known id for a repetition. */
function messageOf({ id }: TaskOverview, { extensions, metadata, parts, referenceTaskIds }: Message) {
  const own = metadata && (withoutOwnKeys(metadata) as Struct);
  return { messageId: `retry-of-${id}`, parts, ...defined({ extensions, metadata: own, referenceTaskIds }) };
}

const onceOf = (task: TaskOverview) => ({ key: keyOfRetry(task), metadata: { [retryOfKey]: task.key } });

function note(
  { audit }: RetryDeps,
  { key, agent, principal: owner }: Pick<TaskOverview, 'key'> & Partial<TaskOverview>,
  { principal, requestId: request }: CallContext,
  reason?: string,
): void {
  audit({
    event: 'admin.action',
    principal: principal.id,
    operation: 'RetryTasks',
    subject: key.slice(0, 256),
    request,
    ...(agent !== undefined && { agent }),
    ...(owner !== undefined && { owner }),
    ...(reason !== undefined && { reason }),
  });
}
