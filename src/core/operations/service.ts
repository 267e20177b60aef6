import { syncLogs } from '../cluster/log-sync.ts';
import { handleForwarded } from '../cluster/replica-requests.ts';
import { createTakeover } from '../cluster/takeover.ts';
import type { ListTasksResponse, OperationName } from '../model/a2a.ts';
import { type Call, type CallContext, type Invoke, ownerOf, type Reply, type StreamReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import { LiveTasks } from '../tasks/live-tasks.ts';
import { cancelTask } from './cancel.ts';
import { endIdleTasks, endTasks, forgetTasks, type IdleTasks, type JudgeLive } from './end-tasks.ts';
import { getTask } from './get-task.ts';
import type { Handler, Handlers, ServiceDeps } from './handler.ts';
import { createLastDialects } from './last-dialects.ts';
import { isPassedOn, passOn, withSlot } from './pass-on.ts';
import { pushConfigHandlers } from './push-configs.ts';
import { requireCapability, requireRange } from './rules.ts';
import { sendHandlers } from './send.ts';
import { settleWaiting, type WaitingTask } from './settle-waiting.ts';
import { type FollowedTask, followTask, subscribe } from './subscribe.ts';

export interface Service {
  readonly invoke: Invoke;
  /** Names of the operations that store an idempotency key with what they write. */
  readonly keyed: ReadonlySet<string>;
  /** The dialect in which this owner last used (A2A 1.0: created) a task; undefined if there is no such task. */
  dialectOf(owner: TaskOwner, taskId: string): Promise<string | undefined>;
  /** Streams the log of a task of any owner. */
  follow(task: FollowedTask, context: CallContext): Promise<StreamReply>;
  /** Takes over the tasks of dead replicas. Resolves with their number. */
  takeOver(): Promise<number>;
  /** Gives a task that waits another status. Resolves with false if an answer has arrived. */
  settleWaiting(task: WaitingTask): Promise<boolean>;
  /** Ends the tasks of this replica for which a judge has a reason. Returns their number. */
  endTasks(judge: JudgeLive): number;
  /** Ends tasks that no replica works on. Resolves with their number. */
  endIdleTasks(wanted: IdleTasks): Promise<number>;
  /** Forgets tasks in memory whose rows are deleted: their listeners end. Returns their number. */
  forgetTasks(isDeleted: Parameters<typeof forgetTasks>[1]): number;
  /** Number of tasks in memory. */
  readonly live: number;
  liveTasksOf(agent: string): number;
  /** Waits until running tasks have ended or the signal aborts. Tasks that are still running can be resumed later. */
  close(signal: AbortSignal): Promise<void>;
}

/** The core: every operation of A2A v1 over agents and a store, for calls of any binding and dialect. */
export function createService(deps: ServiceDeps): Service {
  const tasks = new LiveTasks(deps.store, deps.logger, deps.limits, deps.budget, deps.hidesWords);
  const stopLogSync = syncLogs(deps, tasks);
  const dialects = createLastDialects(deps.store, deps.logger);
  const takeOver = createTakeover(deps, tasks);
  const carryOut = async (call: Call, isForwarded: boolean): Promise<Reply> => {
    // Operations of other services have no handler here, nor do rpcs of later versions.
    const { operation, request, requests, context } = call as Call<OperationName>;
    const agent = deps.agents.get(context.agent);
    if (!agent) throw new A2AError('agentNotFound', `No such agent: ${context.agent}`);
    // Calls from other replicas, and calls on behalf of owners, have not passed the pipeline of this replica.
    const refusal = deps.judge?.active?.call(call, agent);
    if (refusal) throw refusal;
    const { invoke } = agent;
    const handler = handlers[operation] as Handler<OperationName> | undefined;
    if (!handler) throw new A2AError('methodNotFound', `No such operation: ${operation}`);
    if (context.semantics.authenticated && context.principal.anonymous) throw new A2AError('unauthenticated');
    if (invoke && isPassedOn(call)) return passOn(call, agent, invoke, deps);
    const owner = ownerOf(call);
    const input = { operation, request, context, agent, owner, deps, tasks, dialects, isForwarded, takeOver };
    if (!requests) return handler(input);
    return withSlot(call, () => handler({ ...input, requests }), deps);
  };
  const carryOutHere: Invoke = (call) => carryOut(call, true);
  const answerForwarded = handleForwarded(
    (call) => (deps.forwarded?.active?.(carryOutHere) ?? carryOutHere)(call),
    deps,
  );
  deps.store.peers.onForwarded(answerForwarded);
  return {
    invoke: (call) => carryOut(call, false),
    keyed: new Set(Object.keys(sendHandlers)),
    async dialectOf(owner, taskId) {
      if (deps.agents.get(owner.agent)?.invoke) return undefined;
      const live = tasks.peek(owner, taskId);
      // Another replica may have used the task since.
      const stored = live && !tasks.shared ? undefined : await deps.store.lastUse(owner, taskId);
      if (live && stored) live.dialect = stored.dialect;
      const used = stored ?? live;
      return used && dialects.of(used);
    },
    follow: (task, context) => followTask(task, context, deps, tasks),
    takeOver,
    settleWaiting: (task) => settleWaiting(deps, tasks, task),
    endTasks: (judge) => endTasks(deps, tasks, judge),
    endIdleTasks: (wanted) => endIdleTasks(deps, tasks, wanted),
    forgetTasks: (isDeleted) => forgetTasks(tasks, isDeleted),
    get live() {
      return tasks.inMemory.size;
    },
    liveTasksOf(agent) {
      let count = 0;
      for (const { record } of tasks.inMemory.values()) if (record.agent === agent) count += 1;
      return count;
    },
    close: async (signal) => {
      await tasks.idle(signal);
      stopLogSync();
      tasks.close();
      await dialects.idle();
    },
  };
}

/** Default and bound of a page (A2A 1.0.1 section 3.1.4). */
const page = { size: 50, max: 100 };

const listTasks: Handler<'ListTasks'> = async ({ request, context, owner, deps }) => {
  requireRange('pageSize', request.pageSize, 1, page.max);
  requireRange('historyLength', request.historyLength, 0);
  const pageSize = request.pageSize ?? page.size;
  const query = { ...request, pageSize, pageBytes: deps.limits.page };
  const { texts, taskFacts, ...rest } = await deps.store.list(owner, query, context);
  const json = `{"tasks":[${texts.join(',')}],${JSON.stringify({ ...rest, pageSize }).slice(1)}`;
  return {
    get value() {
      return JSON.parse(json) as ListTasksResponse;
    },
    json,
    taskFacts,
  };
};

const getExtendedAgentCard: Handler<'GetExtendedAgentCard'> = async ({ agent, context, deps }) => {
  requireCapability(agent, 'extendedAgentCard');
  if (!agent.extendedCard) throw new A2AError('extendedAgentCardNotConfigured');
  return { value: deps.extendedCard(context.agent, context) };
};

const handlers: Handlers = {
  ...sendHandlers,
  GetTask: getTask,
  ListTasks: listTasks,
  CancelTask: cancelTask,
  SubscribeToTask: subscribe,
  ...pushConfigHandlers,
  GetExtendedAgentCard: getExtendedAgentCard,
};
