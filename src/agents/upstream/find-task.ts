import type { Message, Task } from '../../core/model/a2a.ts';
import type { AgentContext } from '../../core/model/agent.ts';
import { sameJson } from '../../core/model/json.ts';
import { steadyNow } from '../../core/model/timing.ts';
import { isNetworkFailure } from '../../net/network-errors.ts';
import { retry } from '../../net/retry.ts';
import { type TurnTimes, upstreamValue } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import { backoff, type InterruptibleWait } from './stream.ts';

/** Characters from which on a message's id is taken for one that no other caller uses. */
const leastUniqueId = 20;
/** Milliseconds by which the agent's clock may be behind. */
const clockTolerance = 600_000;
/** Pages of a list that are read. */
const maxPages = 20;

/** A message whose answer was lost, and how its agent is asked. */
export interface TaskSearch {
  readonly connection: UpstreamConnection;
  readonly context: AgentContext;
  readonly times: TurnTimes;
  readonly wait: InterruptibleWait;
  readonly message: Message;
  /** The agent's id of the conversation; '' where it is not known. */
  readonly contextId: string;
  /** Time when the message was sent: milliseconds since the epoch. */
  readonly since: number;
  /** Returns those of the agent's tasks that belong to other messages. */
  readonly known: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/**
 * The one task in the agent's lists that the message has opened, as far as that can be known; undefined where there is none,
 * or more than one. Looks again for a moment, since the agent may list a task late.
 */
export async function findTask(search: TaskSearch): Promise<Task | undefined> {
  const { message, contextId, times, wait } = search;
  // In a conversation that is new to the agent, other callers may have sent messages under the same simple id.
  if (contextId === '' && message.messageId.length < leastUniqueId) return undefined;
  const until = steadyNow() + times.settle;
  for (const pauses = backoff(); ; ) {
    const opened = (await listTasks(search)).filter((task) => isOpenedBy(task, message));
    const known = await search.known(opened.map(({ id }) => id));
    const [task, ...others] = opened.filter(({ id }) => !known.has(id));
    if (others.length > 0) return undefined;
    const pause = pauses.next();
    if (task || steadyNow() + pause > until) return task;
    await wait.for(pause);
  }
}

/** The agent's tasks with their latest messages: those that have changed since, where the agent can tell. */
async function listTasks({ connection, context, times, wait, contextId, since }: TaskSearch): Promise<Task[]> {
  const { signal } = wait;
  const policy = { repeatable: isNetworkFailure, attempts: Math.min(times.attempts, 5), cap: times.pause, signal };
  const statusTimestampAfter = new Date(since - clockTolerance).toISOString();
  const found: Task[] = [];
  let pageToken = '';
  for (let page = 0; page < maxPages; page += 1) {
    const filter = { ...(contextId && { contextId }), ...(pageToken && { pageToken }), statusTimestampAfter };
    const request = { ...filter, pageSize: 100, historyLength: 100 };
    const bounds = { signal, timeout: times.call };
    const listed = await retry(() => upstreamValue(connection, context, 'ListTasks', request, bounds), policy);
    found.push(...listed.tasks);
    pageToken = listed.nextPageToken;
    if (pageToken === '') break;
  }
  return found;
}

const isOpenedBy = ({ history = [] }: Task, { messageId, parts }: Message): boolean =>
  history.some((one) => one.role === 'ROLE_USER' && one.messageId === messageId && sameJson(one.parts, parts));
