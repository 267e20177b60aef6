import type { Message, Task } from '../../../core/model/a2a.ts';
import type { AgentContext } from '../../../core/model/agent.ts';
import { sameJson } from '../../../core/model/json.ts';
import { steadyNow } from '../../../core/model/timing.ts';
import { isNetworkFailure } from '../../../net/network-errors.ts';
import { retry } from '../../../net/retry.ts';
import { upstreamValue } from '../calls.ts';
import type { UpstreamConnection } from '../connection/connection.ts';
import type { TurnTimes } from './task-calls.ts';
import { backoff, type InterruptibleWait } from './waits.ts';

/** Length from which the id of a message is assumed to be unique among all callers. */
const leastUniqueId = 20;
/** Milliseconds by which the agent's clock may be slow. */
const clockTolerance = 600_000;
/** Largest number of pages of a list that are read. */
const maxPages = 20;

/** A search for the task of a message whose answer was lost. */
export interface TaskSearch {
  readonly connection: UpstreamConnection;
  readonly context: AgentContext;
  readonly times: TurnTimes;
  readonly wait: InterruptibleWait;
  readonly message: Message;
  /** The agent's id of the conversation; '' if it is not known. */
  readonly contextId: string;
  /** Time when the message was sent: milliseconds since the epoch. */
  readonly since: number;
  /** Returns those of the agent's tasks that the gateway knows: they belong to other messages. */
  readonly known: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/**
 * Finds the task in the agent's lists that the message has opened, as far as it can be identified; undefined if there is none, or
 * more than one. Repeats the search for a moment, because the agent may list a task late.
 */
export async function findTask(search: TaskSearch): Promise<Task | undefined> {
  const { message, contextId, times, wait } = search;
  // If the conversation is new to the agent, other callers may have sent messages with an equal simple id.
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

/** The agent's tasks with their latest messages. Agents that support the filter list only tasks that have changed since. */
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
