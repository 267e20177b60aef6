import type { Message, Task } from '../model/a2a.ts';
import type {
  Agent,
  AgentContext,
  AgentFetch,
  AgentLog,
  AgentState,
  CalledAgent,
  Outgoing,
  RunContext,
  StateSpace,
} from '../model/agent.ts';
import type { TaskIds } from '../model/agent-events.ts';
import { type CallContext, noteLoss } from '../model/call.ts';
import type { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import { type ParentFacts, parentOf } from '../model/lineage.ts';
import { lazySignal } from '../model/timing.ts';
import type { AgentStates } from '../ports/agent-state.ts';
import type { Logger } from '../ports/logger.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { traceFields } from '../telemetry/call-fields.ts';
import { type TraceContext, traceOf } from '../telemetry/trace-context.ts';
import { currentTrace } from '../telemetry/tracing.ts';
import { RunStateSpace, type StateDeps } from './agent-state.ts';
import type { RunHooks } from './run-hooks.ts';

/** The part of its call that a turn keeps: the call may be over long before the turn is. */
export type TurnOrigin = Omit<
  AgentContext,
  | 'key'
  | 'bind'
  | 'undelivered'
  | 'messages'
  | 'history'
  | 'state'
  | 'fetch'
  | 'agent'
  | 'log'
  | 'signal'
  | 'task'
  | keyof TaskIds
> &
  Pick<RunContext, 'outgoing'>;

/** @param tenant the owner's tenant, which some calls name only in their request */
export function originOf(context: CallContext, { tenant }: Pick<TaskOwner, 'tenant'> = context): TurnOrigin {
  const { principal, requestId, extensions, hops, credentials, notes } = context;
  const origin: TurnOrigin = {
    principal,
    tenant,
    requestId,
    extensions,
    hops,
    activate: (extension: string) => void notes.extensions.add(extension),
    drop: (path, dialect) => noteLoss(notes, path, dialect),
  };
  const { observer } = context;
  const { skill } = notes;
  if (context.traceparent === undefined && !credentials && !observer && skill === undefined) return origin;
  return {
    ...origin,
    ...traceOf(context),
    ...(credentials && { credentials }),
    ...(observer && { outgoing: { observer } }),
    ...(skill !== undefined && { skill }),
  };
}

/** The services that the gateway offers to agents. */
export interface RunServices {
  readonly store: Pick<TaskStore, 'list' | 'now'> & AgentStates;
  readonly logger: Logger;
  readonly limits: {
    /** Bytes of the state that an agent stores for one task, or for one context. */
    readonly state: number;
    readonly body?: number;
    /** Bytes that the events of a task may have. */
    readonly task?: number;
  };
  /** Creates the `fetch` of a run. Absent: agents have none. */
  readonly fetch?: ((run: { readonly signal: AbortSignal; readonly trace: TraceContext }) => AgentFetch) | undefined;
  /** Creates the function with which a run calls other agents. Absent: it calls none. */
  readonly callAgents?: ((run: CallingRun) => (name: string) => CalledAgent) | undefined;
  /** The hooks of the active configuration. Absent, or undefined: no hooks. */
  readonly hooks?: { readonly active: RunHooks | undefined };
}

/** A run that calls other agents. */
export interface CallingRun extends RunTask {
  readonly origin: TurnOrigin;
  /** Position of the turn's message. Absent: a cancellation. */
  readonly turn?: number | undefined;
  /** The parent of the run's task. Absent: a caller opened it. */
  readonly parent: ParentFacts | undefined;
  readonly signal: () => AbortSignal;
}

/** The task that an agent works on, or the one that its first event would open. */
export interface RunTask {
  readonly key: string;
  readonly ids: TaskIds;
  readonly owner: TaskOwner;
}

/** The state of a run. */
export interface RunProgress {
  /** Returns the reason why the run may no longer write; undefined while it may. */
  readonly ended: () => A2AError | undefined;
  readonly signal: () => AbortSignal;
  /** Id of the message that the agent must answer. */
  readonly asked?: string | undefined;
  /** Position of the turn's message. Absent: a cancellation. */
  readonly turn?: number;
  /** The task when the message arrived. */
  readonly task?: Task | undefined;
  /** The parent of the task. Absent: a caller opened it. */
  readonly parent?: ParentFacts | undefined;
  /** Facts about a task that the turn opens. Absent: the turn continues a task. */
  readonly opening?: Pick<AgentContext, 'newContext' | 'awaited'> | undefined;
  /** Messages that arrive during the turn. Absent: none can arrive. */
  readonly messages?: AsyncIterable<Message> | undefined;
  readonly refused?: RunContext['refused'];
  /** Finds the path for calls to other gateways. Absent: there is no path. */
  readonly path?: Outgoing['path'] | undefined;
  readonly bind: AgentContext['bind'];
  readonly undelivered: AgentContext['undelivered'];
}

/** The context that an agent gets with a message or a cancellation. */
export function runContext(
  services: RunServices,
  origin: TurnOrigin,
  { key, ids, owner }: RunTask,
  { ended, signal, asked, turn, task, parent, opening, messages, refused, path, bind, undelivered }: RunProgress,
): RunContext {
  const { store, logger, limits } = services;
  const { traceparent, tracestate, credentials } = origin;
  const context = lazySignal<RunContext>(signal);
  context.principal = origin.principal;
  context.tenant = origin.tenant;
  context.requestId = origin.requestId;
  context.extensions = origin.extensions;
  context.hops = origin.hops;
  context.activate = origin.activate;
  context.drop = origin.drop;
  context.taskId = ids.taskId;
  context.contextId = ids.contextId;
  context.key = key;
  context.bind = bind;
  context.undelivered = undelivered;
  context.messages = messages ?? noMessages;
  if (refused) context.refused = refused;
  context.log = new RunLog(logger, origin, ids.taskId);
  context.state = new RunState({ store, owner, limits, ended }, key, ids.contextId);
  context.history = (limit) => latestMessages({ store, owner }, ids.contextId, limit, asked);
  context.fetch = async (input, init) => {
    if (!services.fetch) throw new TypeError('This gateway has no HTTP client for agents.');
    return services.fetch({ signal: signal(), trace: traceOf(origin) })(input, init);
  };
  let agents: ((name: string) => CalledAgent) | undefined;
  context.agent = (name) => {
    if (!services.callAgents) throw new TypeError('Agents of this gateway call no others.');
    agents ??= services.callAgents({ key, ids, owner, origin, turn, parent, signal });
    return agents(name);
  };
  if (turn !== undefined) context.turn = turn;
  if (task) context.task = task;
  if (opening?.newContext !== undefined) context.newContext = opening.newContext;
  if (opening?.awaited !== undefined) context.awaited = opening.awaited;
  if (traceparent !== undefined) context.traceparent = traceparent;
  if (tracestate !== undefined) context.tracestate = tracestate;
  if (credentials) context.credentials = credentials;
  if (origin.skill !== undefined) context.skill = origin.skill;
  if (path) context.outgoing = { ...origin.outgoing, path };
  else if (origin.outgoing) context.outgoing = origin.outgoing;
  return context;
}

const noMessages: AsyncIterable<Message> = (async function* (): AsyncGenerator<Message> {})();

/** The agent's context for a cancellation. */
export function cancellationContext(
  services: RunServices,
  origin: TurnOrigin,
  run: RunTask,
  { task, signal }: { readonly task: Task; readonly signal: AbortSignal },
): AgentContext {
  // The run binds the task's upstream ids. A cancellation only looks them up by the task's key.
  const unbound = { bind: () => undefined, undelivered: async () => undefined };
  return runContext(services, origin, run, {
    ended: () => undefined,
    signal: () => signal,
    task,
    parent: parentOf(task.metadata),
    ...unbound,
  });
}

/** Milliseconds that an agent may take to cancel a task that the gateway itself has failed. */
const cancelTimeout = 10_000;

/** Asks an agent to cancel its part of a task that is over here. The result does not affect the task. */
export function cancelAtAgent(services: RunServices, agent: Agent, origin: TurnOrigin, run: RunTask): void {
  const signal = AbortSignal.timeout(cancelTimeout);
  const { taskId: id, contextId } = run.ids;
  // Without its artifacts and history, which may be large.
  const task: Task = { id, contextId, status: { state: 'TASK_STATE_WORKING' } };
  const cancel = async (): Promise<unknown> =>
    agent.cancel?.(task, cancellationContext(services, origin, run, { task, signal }));
  cancel().catch((err: unknown) => {
    services.logger.debug({ task: id, err }, 'an agent did not cancel a task that has failed');
  });
}

/** Writes the log lines of an agent with the same fields as the gateway's own lines about the run. */
class RunLog implements AgentLog {
  readonly #logger: Logger;
  readonly #origin: TurnOrigin;
  readonly #task: string;

  constructor(logger: Logger, origin: TurnOrigin, task: string) {
    this.#logger = logger;
    this.#origin = origin;
    this.#task = task;
  }

  debug(message: string, fields?: object): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: object): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: object): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: object): void {
    this.#write('error', message, fields);
  }

  #write(level: keyof AgentLog, message: string, fields?: object): void {
    const { requestId: request, principal } = this.#origin;
    const own = { task: this.#task, request, principal: principal.id, ...traceFields(currentTrace(this.#origin)) };
    this.#logger[level]({ ...fields, ...own }, message);
  }
}

/** The state that one run of an agent reads and writes. */
class RunState implements AgentState {
  readonly #deps: StateDeps;
  readonly #taskKey: string;
  readonly #contextId: string;
  #task: StateSpace | undefined;
  #context: StateSpace | undefined;

  constructor(deps: StateDeps, taskKey: string, contextId: string) {
    this.#deps = deps;
    this.#taskKey = taskKey;
    this.#contextId = contextId;
  }

  get task(): StateSpace {
    this.#task ??= new RunStateSpace(this.#deps, 'task', this.#taskKey);
    return this.#task;
  }

  get context(): StateSpace {
    this.#context ??= new RunStateSpace(this.#deps, 'context', this.#contextId);
    return this.#context;
  }
}

/**
 * Number of tasks that are read at once, their bytes together, and the bytes of one task. Larger tasks are left out, because they
 * would take too much memory for an agent's history.
 */
const page = { size: 50, bytes: 4 << 20, task: 64 << 20 } as const;

/** Number of messages: the default, and the maximum. */
const limits = { usual: 50, most: 1_000 } as const;

/**
 * The latest messages of the owner's tasks in a context, oldest first. A direct message has no task and is not stored.
 *
 * @param wanted number of messages, at most 1,000. Default 50
 * @param except id of a message that is left out
 */
async function latestMessages(
  { store, owner }: { readonly store: Pick<TaskStore, 'list'>; readonly owner: TaskOwner },
  contextId: string,
  wanted: number = limits.usual,
  except?: string,
): Promise<Message[]> {
  const limit = Math.min(Math.max(0, Math.floor(wanted)), limits.most);
  const found: { readonly messages: readonly Message[]; readonly createdAt: number; readonly id: string }[] = [];
  let count = 0;
  for (let pageToken = ''; ; ) {
    const request = { contextId, pageToken, pageSize: page.size, pageBytes: page.bytes, taskBytes: page.task };
    const { texts, taskFacts, nextPageToken } = await store.list(owner, request);
    for (const [at, text] of texts.entries()) {
      const task = JSON.parse(text) as Task;
      const messages = messagesOf(task).filter(({ messageId }) => messageId !== except);
      count += messages.length;
      found.push({ messages, createdAt: taskFacts[at]?.createdAt ?? 0, id: task.id });
    }
    pageToken = nextPageToken;
    if (count >= limit || pageToken === '') break;
  }
  // Generated ids give the order of tasks that were created in the same millisecond.
  const inOrder = found
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .flatMap(({ messages }) => messages);
  return limit === 0 ? [] : inOrder.slice(-limit);
}

const messagesOf = ({ history = [], status: { message } }: Task): readonly Message[] =>
  message ? [...history, message] : history;
