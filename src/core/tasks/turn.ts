import type { Message, SendMessageRequest, StreamResponse, Struct, Task } from '../model/a2a.ts';
import type { Agent, AgentContext, UpstreamTask } from '../model/agent.ts';
import {
  agentMessage,
  completeEvent,
  completeMessage,
  statusEvent,
  type TaskIds,
  timestamp,
} from '../model/agent-events.ts';
import { describeAgentFailure, requireEvents } from '../model/agent-failure.ts';
import type { CallContext } from '../model/call.ts';
import { A2AError, type ErrorKind, isUndelivered } from '../model/errors.ts';
import { fold } from '../model/fold.ts';
import type { CallKey } from '../model/ids.ts';
import { withSignal } from '../model/lazy-signal.ts';
import { isLegal, stateOf } from '../model/lifecycle.ts';
import type { Logger } from '../ports/logger.ts';
import { traceFields } from '../telemetry/call-fields.ts';
import type { TaskTraces } from '../telemetry/task-traces.ts';
import { traceOf } from '../telemetry/trace-context.ts';
import { writeCallAnswer } from './idempotency-key.ts';
import type { LiveTask, Run } from './live-task.ts';

export interface TurnDeps {
  readonly agent: Agent;
  readonly ids: TaskIds;
  /** Of a turn that opens a task. */
  readonly opening?: Pick<AgentContext, 'newContext' | 'awaited'>;
  /** The task's key, also while there is no task yet. */
  readonly key: string;
  readonly logger: Logger;
  /** Told which trace the turn is in. */
  readonly traces?: TaskTraces | undefined;
  /** The idempotency key of the call that begins the turn. */
  readonly call?: CallKey | undefined;
  /** Makes the task's place in memory; called at most once, when the turn turns out to be about a new task. */
  readonly create: () => LiveTask;
}

/** What of a call an agent's run keeps; the call itself may be over long before. */
export type TurnOrigin = Pick<CallContext, 'principal' | 'tenant' | 'requestId' | 'extensions' | 'hops'> &
  Partial<Pick<CallContext, 'traceparent' | 'tracestate' | 'credentials'>> & {
    readonly tasksOnly?: boolean;
    readonly taskMetadata?: Struct;
    readonly activate: (extension: string) => void;
    readonly drop: (path: string) => void;
  };

/** What outlives the call. A caller that named a task of its own gets one, whether its dialect knows others or not. */
export const originOf = (context: CallContext, named = false): TurnOrigin => ({
  principal: context.principal,
  tenant: context.tenant,
  requestId: context.requestId,
  extensions: context.extensions,
  hops: context.hops,
  tasksOnly: named || context.semantics.tasksOnly === true,
  ...(context.semantics.taskMetadata && { taskMetadata: context.semantics.taskMetadata }),
  ...traceOf(context),
  ...(context.credentials && { credentials: context.credentials }),
  activate: (extension) => context.notes.extensions.add(extension),
  drop: (path) => context.notes.losses.add(path),
});

/** Failures that say nothing about what the agent did: the task will tell. */
const unfinished: ReadonlySet<ErrorKind> = new Set([
  ...(['canceled', 'deadlineExceeded', 'unavailable'] as const),
  ...(['upstreamUnreachable', 'upstreamTimeout'] as const),
]);

/** Milliseconds that the row of a new task is waited for before its call is given up. */
const openingPatience = 3_000;

/**
 * One run of an agent: for a new message, or to take up what a dead process left behind. It becomes either one direct
 * Message or events of a task, and outlives the call that began it.
 */
export class Turn implements Run {
  /** The task, once there is one. */
  live: LiveTask | undefined;
  /** Position before the first event of this turn. */
  after = 0;
  readonly #deps: TurnDeps;
  readonly #origin: TurnOrigin;
  #controller: AbortController | undefined;
  #aborted: A2AError | undefined;
  /** What the task is called at another agent, while there is no task yet. */
  #there: UpstreamTask | undefined;
  /** Whether the agent may say again what it said before. */
  #again = false;

  constructor(deps: TurnDeps, origin: TurnOrigin) {
    this.#deps = deps;
    this.#origin = origin;
    deps.traces?.note(deps.key, origin);
  }

  /**
   * Runs the agent for a message that opens a conversation. Resolves with the direct Message, or undefined as soon as
   * there is a task. When nothing comes within `patience` milliseconds, a task is made for the caller to follow. With 0
   * it is made as soon as the agent has to wait for something.
   */
  async open(request: SendMessageRequest, patience: number): Promise<Message | undefined> {
    const events = this.#execute(request, undefined);
    const first = await this.#first(events, request.message, patience);
    if (first && 'message' in first && first.message && !this.#origin.tasksOnly) {
      void events.return?.(undefined).catch(() => undefined);
      return completeMessage(first.message, { contextId: this.#deps.ids.contextId });
    }
    return undefined;
  }

  /**
   * The same, with the task durable before the agent hears of the message: under the call's idempotency key, and
   * wherever the store may be lost without this process. When the agent answers with a direct Message, or fails before
   * it says anything, the task is taken back, unless somebody has found it meanwhile.
   */
  async openDurably(request: SendMessageRequest, patience: number): Promise<Message | undefined> {
    const { message } = request;
    const live = this.#createTask(message);
    await live.opened(openingPatience);
    if (this.#aborted) return undefined;
    const events = this.#execute(request, undefined);
    const pending = events.next();
    let failed: unknown;
    try {
      const first = await withPatience(pending, patience);
      if (first?.done) throw new A2AError('invalidAgentResponse', 'The agent ended without an answer.');
      const said = this.#origin.tasksOnly || this.#aborted ? undefined : first?.value.message;
      if (said) {
        const answer = completeMessage(said, { contextId: this.#deps.ids.contextId });
        const stored = this.#deps.call && writeCallAnswer({ value: { message: answer } });
        if (await live.retract(this.#deps.call, stored)) {
          void events.return?.(undefined).catch(() => undefined);
          return answer;
        }
      }
    } catch (thrown) {
      const error = this.#failureOf(thrown);
      const free = isUndelivered(error);
      const stored = free || !this.#deps.call ? undefined : writeCallAnswer({ error });
      // It is unknown what the agent did before its answer was lost: then the task fails and says so.
      const isKnown = free || !unfinished.has(error.kind);
      if (!this.#aborted && isKnown && (await live.retract(this.#deps.call, stored))) throw error;
      failed = thrown;
    }
    void this.#drive(live, events, failed ? Promise.reject(failed) : this.#late(pending, message));
    return undefined;
  }

  /**
   * Runs the agent for a message that continues a task.
   *
   * @param first whether the message is to be durable before the agent hears of it
   */
  proceed(live: LiveTask, request: SendMessageRequest, task: Task, first: boolean): void {
    const before = structuredClone(task);
    const { taskMetadata: metadata } = this.#origin;
    if (metadata) {
      const told = { statusUpdate: { ...this.#deps.ids, status: before.status, metadata } };
      live.emit(told);
      fold(before, told);
    }
    this.after = live.emit({ message: request.message }, this.#deps.call) - 1;
    this.#attach(live);
    const run = (): void => {
      if (!this.#aborted) void this.#drive(live, this.#execute(request, before));
    };
    if (first) live.written().then(run, () => live.removeRun(this));
    else run();
  }

  /**
   * Runs the agent once more for a message that a dead process was working on; the events of that run stay.
   *
   * @param before the task as it stood when the message arrived; undefined: the message opened it
   */
  restart(live: LiveTask, request: SendMessageRequest, before: Task | undefined): void {
    this.#attach(live);
    this.after = live.log.head;
    this.#again = true;
    void this.#drive(live, this.#execute(request, before));
  }

  /** Takes up a task that a dead process left behind. */
  resume(live: LiveTask, task: Task, events: (context: AgentContext) => AsyncIterable<StreamResponse>): void {
    this.#attach(live);
    this.after = live.log.head;
    const iterable = this.#guarded(() => events(this.#context(structuredClone(task))));
    void this.#drive(live, iterable);
  }

  /** The agent's context for a cancellation. */
  static contextFor(
    { ids, key }: Pick<TurnDeps, 'ids' | 'key'>,
    origin: TurnOrigin,
    task: Task,
    signal: AbortSignal,
  ): AgentContext {
    const { tasksOnly: _, taskMetadata: __, ...rest } = origin;
    // A run tells what the task is called; who cancels it finds it under that name.
    return { ...rest, ...ids, key, task, signal, bind: () => undefined, unheard: async () => undefined };
  }

  #context(task: Task | undefined): AgentContext {
    const { tasksOnly: _, taskMetadata: __, ...origin } = this.#origin;
    const { ids, key, opening } = this.#deps;
    const bind = (there: UpstreamTask): void => this.#bind(there);
    const unheard = (): Promise<void> => this.#unheard();
    const facts = { ...origin, ...ids, key, bind, unheard, ...opening, ...(task && { task }) };
    return withSignal<AgentContext>(facts, () => this.#signal());
  }

  async #unheard(): Promise<void> {
    if (this.#deps.call) await this.live?.releaseKey(this.#deps.call);
  }

  #bind(there: UpstreamTask): void {
    if (!this.live) this.#there = there;
    else if (!this.#aborted) this.live.bind(there);
  }

  /** Ends the run: the agent's signal aborts, and what it still yields counts no more. */
  abort(reason: A2AError): void {
    this.#aborted = reason;
    this.#controller?.abort(reason);
  }

  /** The signal is made when the agent asks for it: one that answers at once needs none. */
  #signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  #execute(request: SendMessageRequest, task: Task | undefined): AsyncIterator<StreamResponse> {
    return this.#guarded(() => this.#deps.agent.execute(request, this.#context(task)));
  }

  /** An agent that throws before its first yield is treated like one that throws later. */
  #guarded(begin: () => AsyncIterable<StreamResponse>): AsyncIterator<StreamResponse> {
    try {
      return requireEvents(begin())[Symbol.asyncIterator]();
    } catch (thrown) {
      return { next: () => Promise.reject(thrown) };
    }
  }

  /** The first event; undefined when a task was made instead of waiting longer, or out of it. */
  async #first(
    events: AsyncIterator<StreamResponse>,
    message: Message,
    patience: number,
  ): Promise<StreamResponse | undefined> {
    const pending = events.next();
    const first = await withPatience(pending, patience).catch((thrown: unknown) => {
      throw this.#failureOf(thrown);
    });
    if (!first) {
      const live = this.#createTask(message);
      void this.#drive(live, events, this.#late(pending, message));
      return undefined;
    }
    if (first.done) throw new A2AError('invalidAgentResponse', 'The agent ended without an answer.');
    if (first.value?.message && !this.#origin.tasksOnly) return first.value;
    const state = first.value?.statusUpdate?.status?.state;
    const opensItself = first.value?.task !== undefined || state === 'TASK_STATE_SUBMITTED';
    const live = this.#createTask(message, opensItself ? first.value : undefined);
    void this.#drive(live, events, opensItself ? undefined : pending);
    return undefined;
  }

  /** The first event of every log is the task: as the agent gave it, or submitted. */
  #createTask(message: Message, given?: StreamResponse): LiveTask {
    const { ids } = this.#deps;
    const live = this.#deps.create();
    this.#attach(live);
    const event = given ? this.#complete(given) : undefined;
    const status = event?.task?.status ??
      event?.statusUpdate?.status ?? { state: 'TASK_STATE_SUBMITTED' as const, timestamp: timestamp() };
    const { taskMetadata: metadata } = this.#origin;
    const named = { id: ids.taskId, contextId: ids.contextId, ...(metadata && { metadata }) };
    const task = { ...named, ...event?.task, status };
    live.emit({ task: withOpening(task, message) }, this.#deps.call);
    if (this.#there) live.bind(this.#there);
    return live;
  }

  /**
   * What the agent says first when the task was made before it did: a task keeps the message that opened it, and that it
   * is submitted is no news.
   */
  async #late(
    pending: Promise<IteratorResult<StreamResponse>>,
    message: Message,
  ): Promise<IteratorResult<StreamResponse> | undefined> {
    const first = await pending;
    const { task, statusUpdate } = first.value ?? {};
    if (first.done || (!task && !statusUpdate)) return first;
    if (task) return isBare(task, message) ? undefined : { done: false, value: { task: withOpening(task, message) } };
    const { state, message: said } = statusUpdate?.status ?? {};
    return state === 'TASK_STATE_SUBMITTED' && !said && !statusUpdate?.metadata ? undefined : first;
  }

  #attach(live: LiveTask): void {
    this.live = live;
    live.addRun(this);
  }

  async #drive(
    live: LiveTask,
    events: AsyncIterator<StreamResponse>,
    pending?: Promise<IteratorResult<StreamResponse> | undefined>,
  ): Promise<void> {
    try {
      let next = (await pending) ?? (await events.next());
      while (!next.done && this.#accept(live, next.value)) {
        const held = live.drained();
        if (held) await held;
        next = await events.next();
      }
      if (!next.done) void events.return?.(undefined).catch(() => undefined);
      if (!this.#aborted && !live.log.isTerminal && !live.log.hasRested(this.after)) {
        live.emit(statusEvent('TASK_STATE_COMPLETED', this.#deps.ids));
      }
    } catch (thrown) {
      this.#fail(live, thrown);
    } finally {
      live.removeRun(this);
    }
  }

  /** An agent's event. Its task has what the message brought for it, unless the agent says otherwise. */
  #complete(yielded: StreamResponse): StreamResponse {
    const event = completeEvent(yielded, this.#deps.ids);
    const { taskMetadata: metadata } = this.#origin;
    if (!event.task || !metadata) return event;
    return { task: { ...event.task, metadata: { ...metadata, ...event.task.metadata } } };
  }

  /** Whether the run goes on. Events after the end are dropped: terminal states are final. So is what comes too late. */
  #accept(live: LiveTask, yielded: StreamResponse): boolean {
    if (this.#aborted || live.log.isTerminal) return false;
    let event = this.#complete(yielded);
    if (event.message) {
      // A Message ends a conversation that has become a task: v1 streams carry no Message after the Task.
      const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp: timestamp(), message: event.message };
      event = { statusUpdate: { ...this.#deps.ids, status } };
    }
    const state = stateOf(event);
    if (this.#again && state === 'TASK_STATE_SUBMITTED') return true;
    if (state !== undefined) {
      if (!isLegal(live.log.state, state)) {
        throw new A2AError('invalidAgentResponse', `The agent went from ${live.log.state} to ${state}.`);
      }
    }
    live.emit(event);
    return !live.log.isTerminal;
  }

  /** What callers are told of what an agent threw. */
  #failureOf(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    const told = describeAgentFailure(thrown, this.#origin.principal.local === true);
    return new A2AError('internal', told, { cause: thrown });
  }

  #fail(live: LiveTask, thrown: unknown): void {
    // Aborted because the task is over or the gateway stops: whoever aborted says what the task becomes.
    if (this.#aborted || live.log.isTerminal) return;
    const { ids, logger } = this.#deps;
    const told = this.#failureOf(thrown).message;
    const { requestId: request, principal } = this.#origin;
    const whose = { task: ids.taskId, request, principal: principal.id, ...traceFields(this.#origin) };
    logger.error({ ...whose, err: thrown }, 'the agent failed');
    const status = { state: 'TASK_STATE_FAILED' as const, timestamp: timestamp(), message: agentMessage(told, ids) };
    live.emit({ statusUpdate: { ...ids, status } });
  }
}

/** The task with the message that opened it at the head of its history. */
function withOpening(task: Task, message: Message): Task {
  const brought = task.history ?? [];
  const there = brought.some(({ messageId }) => messageId === message.messageId);
  return { ...task, history: there ? brought : [message, ...brought] };
}

/** Whether a task says no more than that it is submitted, with the message that opened it. */
const isBare = ({ status, history = [], artifacts = [], metadata }: Task, opening: Message): boolean =>
  status.state === 'TASK_STATE_SUBMITTED' &&
  status.message === undefined &&
  history.every(({ messageId }) => messageId === opening.messageId) &&
  artifacts.length === 0 &&
  metadata === undefined;

/** Undefined when it takes longer than `patience` milliseconds. */
function withPatience<T>(pending: Promise<T>, patience: number): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const timer = setTimeout(() => resolve(undefined), patience);
  const inTime = (settle: () => void): void => {
    clearTimeout(timer);
    settle();
  };
  pending.then(
    (value) => inTime(() => resolve(value)),
    (thrown: unknown) => inTime(() => reject(thrown)),
  );
  return promise;
}
