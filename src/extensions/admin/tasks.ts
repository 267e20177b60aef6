import type { TaskPushNotificationConfig, TaskState } from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import {
  type CallContext,
  keepingAll,
  type LoggedEvent,
  type Requester,
  type StreamReply,
} from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { defined } from '../../core/model/json.ts';
import { isKnownState, lifecycle } from '../../core/model/lifecycle.ts';
import { parentOf, pathTo } from '../../core/model/lineage.ts';
import { streamOver } from '../../core/model/streams.ts';
import { keepsItsTasks } from '../../core/operations/on-behalf.ts';
import type { TaskFilter } from '../../core/ports/admin-store.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Store } from '../../core/ports/store.ts';
import { type TaskTraces, traceIdOf } from '../../core/telemetry/trace-context.ts';
import type { FindTasksRequest, FindTasksResponse, TaskDetails, TaskLogEvent } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers, TaskFacts } from '../handlers.ts';
import { fault, pageSizeOf, textsOf, timeOf } from '../requests.ts';
import { summaryOf } from '../subjects.ts';
import { isRetryable, retriedAs, retryOf } from './retry.ts';

export interface TaskHandlersDeps {
  readonly store: Store;
  readonly agents: Pick<AgentDirectory, 'get'>;
  readonly follow: (task: { key: string; after: number }, context: CallContext) => Promise<StreamReply>;
  /** Read for each call, since the configuration may change. */
  readonly limits: {
    /** Bytes of JSON after which a page ends. A larger task is not shown. */
    readonly page: number;
  };
  readonly traces: Pick<TaskTraces, 'of'>;
  /** Returns the costs that agents have reported for these tasks. Absent: costs are not counted. */
  readonly factsOf?: (keys: readonly string[]) => Promise<ReadonlyMap<string, TaskFacts>>;
  /** Whether lists omit the texts of messages and agents. Asked for each call. */
  readonly hidesWords: () => boolean;
  /** Finds the tasks with this root at this gateway and at others. */
  readonly findEverywhere: (root: string) => Promise<FindTasksResponse>;
}

const taskPage = { fallback: 50, max: 500 } as const;
const eventPage = { fallback: 100, max: 1_000 } as const;
/** Most parents in a search for the tasks that they opened. */
const maxParents = 500;
/** Most characters of a text that is searched. */
const maxText = 200;
/** Most push configurations that are shown of a task. */
const shownConfigs = 100;

/** The operations that read tasks of all callers. */
export function taskHandlers(
  deps: TaskHandlersDeps,
): AdminHandlers<'FindTasks' | 'InspectTask' | 'ListTaskEvents' | 'FollowTask'> {
  const { store, agents, hidesWords } = deps;
  return {
    async FindTasks(request) {
      if (request.gateways) return { value: await deps.findEverywhere(rootAlone(request)) };
      const size = pageSizeOf(request.pageSize, taskPage);
      const { agent, pageToken = '' } = request;
      const hidden = hidesWords();
      const { tasks, nextPageToken } = await store.searchTasks(filterOf(request, hidden), size, pageToken);
      const isEmpty = tasks.length === 0 && nextPageToken === '' && pageToken === '';
      if (isEmpty && agent && agents.get(agent)?.invoke) throw keepsItsTasks(agent);
      const facts = request.root ? await deps.factsOf?.(tasks.map(({ key }) => key)) : undefined;
      return { value: { tasks: tasks.map((task) => summaryOf(task, hidden, facts?.get(task.key))), nextPageToken } };
    },

    async InspectTask({ key }, context) {
      return { value: await detailsOf(deps, key, context) };
    },

    async ListTaskEvents({ key, after = 0, pageSize }, context) {
      const events = await readEvents(deps, key, after, pageSizeOf(pageSize, eventPage), context);
      const lastPosition = (await store.positions([key])).get(key);
      if (lastPosition === undefined) throw A2AError.taskNotFound(key);
      const json = `{"events":[${events.map(textOfEvent).join(',')}],"lastPosition":${lastPosition}}`;
      return { value: { events: events.map(logEventOf), lastPosition }, json };
    },

    async FollowTask({ key, after = 0 }, context) {
      const { replay } = context;
      const from = typeof replay === 'object' ? replay.after : after;
      const reply = await deps.follow({ key, after: from }, context);
      return { ...reply, events: logEvents(reply.events) };
    },
  };
}

/** Reads a page of a task's log: at most `size` events, and at most the bytes of a page. */
async function readEvents(
  { store, limits }: Pick<TaskHandlersDeps, 'store' | 'limits'>,
  key: string,
  after: number,
  size: number,
  context: CallContext,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let bytes = 0;
  const requester = keepingAll(context);
  for (let from = after; events.length < size && bytes < limits.page; ) {
    const read = await store.events(key, from, size - events.length, requester);
    for (const event of read) {
      if (events.length > 0 && bytes + event.json.length > limits.page) break;
      events.push(event);
      bytes += event.json.length;
    }
    const last = read.at(-1);
    if (!last || !read.isCut || events.at(-1) !== last) break;
    from = last.seq;
  }
  return events;
}

/** Returns the root of the tree that is looked for at other gateways, too. Throws `invalidParams`. */
function rootAlone({ gateways: _, root = '', ...others }: FindTasksRequest): string {
  if (root === '') throw fault('root', 'is needed with gateways');
  const [other] = Object.entries(others).find(([, value]) => (Array.isArray(value) ? value.length > 0 : value)) ?? [];
  if (other !== undefined) throw fault(other, 'cannot be used with gateways: they are asked for whole trees');
  return root;
}

/** The filter of a request. Throws `invalidParams`. @param namesOnly whether its text is not looked for in what messages and agents say */
export function filterOf(request: Omit<FindTasksRequest, 'pageSize' | 'pageToken'>, namesOnly: boolean): TaskFilter {
  const changedSince = timeOf('changedAfter', request.changedAfter);
  const changedBefore = timeOf('changedBefore', request.changedBefore);
  const { agent, tenant, principal, contextId, id, dialect, binding, root, parents = [] } = request;
  const text = request.text?.trim() ?? '';
  if (text.length > maxText) throw fault('text', `must have at most ${maxText} characters`);
  if (namesOnly && request.reason) throw fault('reason', 'must be empty: reasons are hidden by console.content');
  if (parents.length > maxParents) throw fault('parents', `must have at most ${maxParents} keys`);
  return {
    ...textsOf({ agent, tenant, principal, contextId, id, dialect, binding, root }),
    ...(parents.length > 0 && { parents: [...new Set(parents)].sort() }),
    ...statesOf(request.states),
    ...(text !== '' && { text: { text, namesOnly } }),
    ...defined({ changedSince, changedBefore, reason: namesOnly ? undefined : request.reason }),
  };
}

/** Returns a filter by states. An empty list counts as absent. Throws `invalidParams`. */
export function statesOf(states: readonly string[] = []): Pick<TaskFilter, 'states'> {
  if (states.length === 0) return {};
  const unknown = states.find((state) => !isKnownState(state as TaskState));
  if (unknown === undefined) return { states: [...new Set(states as TaskState[])].sort() };
  const known = Object.keys(lifecycle).filter((state) => isKnownState(state as TaskState));
  throw fault('states', `must be names of states, such as ${known.join(', ')}`);
}

/** Reads a task with its content. Throws `taskNotFound`. */
export async function detailsOf(
  deps: Pick<TaskHandlersDeps, 'store' | 'limits' | 'traces' | 'hidesWords' | 'factsOf'>,
  key: string,
  requester: Requester,
): Promise<TaskDetails> {
  const { store, limits, traces, hidesWords, factsOf } = deps;
  const overview = await store.overviewOf(key);
  if (!overview) throw A2AError.taskNotFound(key);
  const bytes = (await store.loadRecord(key))?.bytes ?? 0;
  const [stored, upstream, { configs }, facts] = await Promise.all([
    bytes > limits.page ? undefined : store.load(key, requester),
    store.upstreamOf(key),
    store.listPushConfigs(key, { size: shownConfigs, token: '', bytes: limits.page }),
    factsOf?.([key]),
  ]);
  const path = pathTo(parentOf(stored?.task.metadata));
  const retryLinks = {
    retryOf: stored && retryOf(stored.task),
    retriedAs: isRetryable(overview) ? await retriedAs(deps, overview) : undefined,
  };
  const { traceparent = overview.trace } = traces.of(key);
  // The task may have changed since its row was read: what is shown of the row belongs to the task.
  const { state, statusAt, updatedAt, seq } = stored ?? overview;
  const reason = state === overview.state ? overview.reason : '';
  return {
    summary: summaryOf({ ...overview, state, statusAt, updatedAt, seq, reason }, hidesWords(), facts?.get(key)),
    ...(stored && { task: { ...stored.task } }),
    bytes,
    ...(upstream && { upstreamTaskId: upstream.id, upstreamContextId: upstream.contextId }),
    pushConfigs: configs.map(withoutSecrets),
    ...(traceparent !== undefined && { traceId: traceIdOf(traceparent) }),
    ...(path.length > 0 && { path: path.map((step) => ({ ...step })) }),
    ...defined(retryLinks),
  };
}

/** Returns a push configuration without its token and credentials, and without the path of its URL, which may be a secret. */
function withoutSecrets({ token, authentication, url, ...config }: TaskPushNotificationConfig) {
  const parsed = URL.parse(url);
  const { scheme } = authentication ?? {};
  return {
    ...config,
    url: parsed ? `${parsed.origin}${parsed.pathname + parsed.search === '/' ? '' : '/***'}` : '***',
    ...(scheme !== undefined && { authentication: { scheme } }),
  };
}

const logEventOf = ({ seq, at, event }: LoggedEvent): TaskLogEvent => ({
  position: seq,
  time: timestamp(at),
  event: event as TaskLogEvent['event'],
});

/** Returns an event as JSON text, with the stored text of the event. */
const textOfEvent = ({ seq, at, json }: LoggedEvent): string =>
  `{"position":${seq},"time":"${timestamp(at)}","event":${json}}`;

/** Yields the events of a log in the form of the admin service. */
function logEvents(events: AsyncIterable<LoggedEvent>): AsyncIterableIterator<LoggedEvent<TaskLogEvent>> {
  const source = events[Symbol.asyncIterator]();
  return streamOver(source, async () => {
    const step = await source.next();
    if (step.done) return step;
    const { seq, at, generation } = step.value;
    const value = { seq, at, generation, event: logEventOf(step.value), json: textOfEvent(step.value) };
    return { done: false, value };
  });
}
