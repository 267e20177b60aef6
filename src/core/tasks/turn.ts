import type { Message, SendMessageRequest, StreamResponse, Struct, Task, TaskState, TaskStatus } from '../model/a2a.ts';
import type { Agent, AgentContext, UpstreamTask } from '../model/agent.ts';
import {
  completeEvent,
  completeMessage,
  describeAgentFailure,
  requireEvents,
  statusEvent,
  type TaskIds,
  timestamp,
} from '../model/agent-events.ts';
import type { CallContext, LoggedEvent } from '../model/call.ts';
import { A2AError, type ErrorKind, isRefusal, isUndelivered } from '../model/errors.ts';
import { fold } from '../model/fold.ts';
import type { CallKey, TaskOwner } from '../model/ids.ts';
import {
  isInterrupted,
  isLegal,
  isResting,
  isTerminal,
  mayContinueWithoutClient,
  stateOf,
} from '../model/lifecycle.ts';
import { type ParentFacts, parentKey, parentOf, rootOf } from '../model/lineage.ts';
import { difference } from '../model/task-diff.ts';
import { withTimeout } from '../model/timing.ts';
import { turnKey, type WaitingMessage } from '../model/turns.ts';
import type { Run, RunOutcome } from '../ports/run-hook.ts';
import { traceFields } from '../telemetry/call-fields.ts';
import type { TaskTraces } from '../telemetry/trace-context.ts';
import { writeCallAnswer } from './idempotency-key.ts';
import type { LiveTask } from './live-task.ts';
import { cancelAtAgent, type RunProgress, type RunServices, runContext, type TurnOrigin } from './run-context.ts';
import { type RunHooks, withMetadata } from './run-hooks.ts';
import { isTaskTooLarge, taskTooLarge } from './task-log.ts';
import type { AgentRun, WaitingRun } from './turn-queue.ts';
import { type TurnRequest, turnRequestOf } from './turn-request.ts';

export interface TurnDeps {
  readonly agent: Agent;
  readonly ids: TaskIds;
  /** Of a turn that opens a task. */
  readonly opening?: RunProgress['opening'];
  /** The task's key, also while there is no task yet. */
  readonly key: string;
  readonly owner: TaskOwner;
  readonly services: RunServices;
  /** Of the configuration as it is when the run begins. */
  readonly hooks?: RunHooks | undefined;
  /** Records which trace the turn belongs to. */
  readonly traces?: TaskTraces | undefined;
  /** The idempotency key of the call that begins the turn. */
  readonly call?: CallKey | undefined;
  /** Whether the answer can only be a task. */
  readonly tasksOnly?: boolean | undefined;
  /** Metadata that the message brings for its task. */
  readonly taskMetadata?: Struct | undefined;
  /** Who opened the task, of a turn that continues one. */
  readonly parent?: ParentFacts | undefined;
}

/** Errors after which it is unknown what the agent did. */
const inconclusive: ReadonlySet<ErrorKind> = new Set([
  ...(['canceled', 'deadlineExceeded', 'unavailable'] as const),
  ...(['upstreamUnreachable', 'upstreamTimeout'] as const),
]);

/** How a turn creates its task. Each is called at most once. */
export interface TaskOpening {
  /** Creates a task that an agent works on. */
  create(): LiveTask;
  /** Stores a task that is over with its first event. Absent where the task must be live: it has a webhook. */
  readonly createEnded?: ((event: StreamResponse, upstream: UpstreamTask | undefined) => Promise<LoggedEvent>) | false;
  /** The caller is refused, and its task is written all the same: until the promise settles. */
  goesOn(until: Promise<unknown>): void;
}

/** What came of a message: a direct answer, a task that its first event ended, or a task that is live. */
export type OpenedTurn = { readonly message: Message } | { readonly ended: LoggedEvent } | { readonly live: LiveTask };

/** The JSON of a message is at most so many times as long as the request body that it came in. */
const longestOfBody = 6;
/** Bytes that an opening event has besides its message. */
const openingSize = 4_096;

/**
 * Milliseconds in which the row of a new task must be durable; else its call fails. The store may need a new connection, and a
 * second attempt where the first one is not answered.
 */
const openingTimeout = 10_000;
/** Milliseconds for which the row of a new task is written after its keyed call has failed. */
const lateOpeningTimeout = 60_000;

/** How a message reaches a task that exists. */
export interface Continuing {
  /** Whether the agent gets the message after that has become durable. */
  readonly isDurable: boolean;
  /** Whether the message waits until the turns before it are over. */
  readonly waits: boolean;
  /** Whether it answers what the task asks: then it comes before all that wait. */
  readonly isAnswer: boolean;
}

/** Milliseconds in which a run ends that has asked, and whose question was answered. */
const lingering = 1_000;
/** Why such a run is aborted. */
const wasAnswered = new A2AError('canceled', 'The question was answered, and the answer begins a turn of its own.');

/** One run of an agent. It becomes a direct Message, or events of a task, and outlives the call that began it. */
export class Turn implements WaitingRun, Run {
  /** The task, once there is one. */
  live: LiveTask | undefined;
  /** Position before the first event of this turn. */
  after = 0;
  readonly #deps: TurnDeps;
  readonly #origin: TurnOrigin;
  #controller: AbortController | undefined;
  #aborted: A2AError | undefined;
  /** The task's ids at its upstream agent, while there is no task yet. */
  #upstream: UpstreamTask | undefined;
  /** Whether the agent was restarted, and may repeat events. */
  #isRestart = false;
  /** Status of the last Task that the agent reported within its task, where the task rests by it. */
  #restsAs: TaskStatus | undefined;
  /** Position of the turn's message, where it was logged before this run. */
  #position: number | undefined;
  /** The message, of a turn that continues a task. */
  #request: SendMessageRequest | undefined;
  /** Messages that the agent has taken besides it, and the turns that they would have begun. */
  #taken: readonly (WaitingMessage & { readonly message: Message })[] = [];
  readonly #joined: WaitingRun[] = [];
  /** Resolved when a message waits that the agent may take, and when none can come any more. */
  #arrival: PromiseWithResolvers<void> | undefined;
  #isOver = false;
  /** Bytes of the task that the agent was given. */
  #given = 0;
  /** Bytes of the message, while it waits. */
  #waitingBytes: number | undefined;
  /** Who opened the task, as its metadata say: an agent's own task event must not replace it. */
  #parent: ParentFacts | undefined;
  /** Metadata that the message, and the hooks, bring for its task. */
  #taskMetadata: Struct | undefined;
  /** Whether the hooks know of the run. */
  #hasBegun = false;
  /** How the run ended, where its task does not say it. */
  #outcome: RunOutcome | undefined;
  #begunAt: number | undefined;
  /** Reports to the agent that its run is over. */
  #onOver: (() => void) | undefined;

  constructor(deps: TurnDeps, origin: TurnOrigin) {
    this.#deps = deps;
    this.#origin = origin;
    this.#taskMetadata = deps.taskMetadata;
    this.#parent = deps.parent ?? (deps.taskMetadata && parentOf(deps.taskMetadata));
    deps.traces?.note(deps.key, origin);
  }

  get bytes(): number {
    if (this.#waitingBytes !== undefined) return this.#waitingBytes;
    return this.#deps.agent.holdsTask ? (this.live?.log.size ?? 0) : this.#given;
  }

  get root(): string {
    return rootOf(this.#parent, this.#deps.key);
  }

  get key(): string {
    return this.#deps.key;
  }

  get taskId(): string {
    return this.#deps.ids.taskId;
  }

  get agent(): string {
    return this.#deps.owner.agent;
  }

  get owner(): TaskOwner {
    return this.#deps.owner;
  }

  get parent(): ParentFacts | undefined {
    return this.#parent;
  }

  get opens(): boolean {
    return this.#deps.opening !== undefined;
  }

  get createdAt(): number {
    this.#begunAt ??= this.live?.record.createdAt ?? this.#now();
    return this.#begunAt;
  }

  size(): number {
    return this.live?.log.size ?? 0;
  }

  get seq(): number {
    return this.#position ?? this.after + 1;
  }

  get message(): Message {
    if (!this.#request) throw new TypeError('the turn opens a task');
    return this.#request.message;
  }

  get id(): string {
    return this.message.messageId;
  }

  async stored(): Promise<void> {
    await this.live?.written();
  }

  /**
   * Lets the hooks begin the run, before anything of it is stored. Rejects where one refuses it. Resolves with whether its task is
   * to be stored first. Afterwards the turn is opened or continued, or discarded.
   */
  async begin(call: CallContext | undefined): Promise<boolean> {
    let isFirst = false;
    await this.#deps.hooks?.begin(this, call, ({ metadata, storedFirst }) => {
      isFirst ||= storedFirst === true;
      this.#taskMetadata = withMetadata(this.#taskMetadata, metadata);
      this.#parent = parentOf(metadata) ?? this.#parent;
    });
    this.#hasBegun = true;
    return isFirst;
  }

  /** Ends a run that never got as far as its agent. */
  discard(): void {
    this.#over();
  }

  /**
   * Runs the agent for a message that names no task of the store. Resolves with the agent's direct Message; with a task
   * that the agent's first event ends, once that is stored; else with the task as soon as there is one: when the agent's
   * first event is of a task, or after `timeout` milliseconds, so that the caller can follow it; 0: as soon as the agent
   * waits for anything.
   *
   * @param stored when the task, with the call's idempotency key, is written: `first`, so that it is durable before the agent gets
   *   the message; `beside`, unless the agent answers at once; `after` the first event. Where the agent then answers with a
   *   direct Message, or fails at once, a task that was written is retracted unless it has been seen
   */
  async open(
    request: SendMessageRequest,
    tasks: TaskOpening,
    timeout: number,
    stored: 'first' | 'beside' | 'after',
  ): Promise<OpenedTurn> {
    const { message } = request;
    const { call } = this.#deps;
    this.#requireRoom(message);
    const create = (): LiveTask => this.#createTask(tasks, this.#openingEvent(message), request);
    const durable = stored === 'first' ? create() : undefined;
    const begin = (): Promise<OpenedTurn> => this.#begin(request, tasks, timeout, stored, create, durable);
    if (!durable) return begin();
    try {
      await durable.opened(openingTimeout);
    } catch (thrown) {
      if (call && !durable.failure) tasks.goesOn(this.#beginLate(durable, call, begin));
      else {
        durable.abandon({});
        this.#over();
      }
      throw thrown;
    }
    if (!this.#aborted) return begin();
    this.#over();
    return { live: durable };
  }

  /**
   * Runs the agent although the caller was refused, once the row is durable: the caller may repeat the call here or elsewhere,
   * and finds the row. Gives the row up after a minute.
   */
  async #beginLate(live: LiveTask, call: CallKey, begin: () => Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => live.abandon({ call }), lateOpeningTimeout);
    try {
      await live.written();
    } catch {
      live.removeRun(this);
      return this.#over();
    } finally {
      clearTimeout(timer);
    }
    if (this.#aborted) this.#over();
    else await begin().catch(() => undefined);
  }

  /** Runs the agent for a message that names no task of the store. `durable`: its task, where that is stored first. */
  async #begin(
    request: SendMessageRequest,
    tasks: TaskOpening,
    timeout: number,
    stored: 'first' | 'beside' | 'after',
    create: () => LiveTask,
    opened: LiveTask | undefined,
  ): Promise<OpenedTurn> {
    const { message } = request;
    const { ids, call, tasksOnly } = this.#deps;
    let durable = opened;
    const events = this.#execute(request, undefined);
    const pending = events.next();
    try {
      let first = stored === 'beside' ? await atOnce(pending) : undefined;
      // Not answered yet: other replicas must know of the message when this one dies.
      if (stored === 'beside' && !first) {
        const live = create();
        pending.catch(() => undefined);
        await this.#openedBeside(live);
        durable = live;
      }
      first ??= await withTimeout(pending, timeout);
      if (first?.done)
        throw new A2AError(
          'invalidAgentResponse',
          'The agent ended without an answer: it has to yield or return at least one event or text.',
        );
      if (first?.value?.message && !tasksOnly && !this.#aborted) {
        const said = this.#deps.hooks?.event ? await this.#messageOf(first.value) : first.value.message;
        const answer = said && completeMessage(said, { contextId: ids.contextId });
        const stored = call && writeCallAnswer({ value: { message: answer } });
        if (answer && (!durable || (await durable.retract(call, stored)))) {
          this.#outcome = 'answered';
          this.#endRun(events);
          return { message: answer };
        }
      }
      if (durable || !first?.value) {
        const live = durable ?? create();
        void this.#drive(live, events, afterOpening(pending));
        return { live };
      }
      const opensItself = opensTask(first.value);
      const event = opensItself && this.#deps.hooks?.event ? await this.#openingOf(first.value) : first.value;
      const opening = this.#openingEvent(message, opensItself ? event : undefined);
      // Where it cannot be stored now, a live task writes the event, and tries again.
      const ended =
        isTerminal(opening.task.status.state) &&
        tasks.createEnded &&
        (await tasks.createEnded(opening, this.#upstream).catch(() => undefined));
      if (ended) {
        this.#outcome = 'ended';
        this.#endRun(events);
        return { ended };
      }
      let live: LiveTask;
      let following: typeof pending | undefined = opensItself ? undefined : pending;
      try {
        live = this.#createTask(tasks, opening);
      } catch (thrown) {
        if (!isTaskTooLarge(thrown)) throw thrown;
        // The agent's part of the opening event is too large: the task opens without it, and fails.
        live = this.#createTask(tasks, this.#openingEvent(message));
        following = Promise.reject(thrown);
      }
      void this.#drive(live, events, following);
      if (stored === 'beside') await this.#openedBeside(live);
      return { live };
    } catch (thrown) {
      const error = this.#failureOf(thrown);
      if (!durable) {
        this.#endRun(events);
        throw error;
      }
      const wasUndelivered = isUndelivered(error);
      const answer = wasUndelivered || !call ? undefined : writeCallAnswer({ error });
      const isConclusive = wasUndelivered || !inconclusive.has(error.kind);
      if (!this.#aborted && isConclusive && (await durable.retract(call, answer))) {
        this.#endRun(events);
        throw error;
      }
      void this.#drive(durable, events, Promise.reject(thrown));
      return { live: durable };
    }
  }

  async #openedBeside(live: LiveTask): Promise<void> {
    try {
      await live.opened(openingTimeout);
    } catch (thrown) {
      live.abandon();
      throw thrown;
    }
  }

  /** Appends a message that continues a task, and runs the agent for it, at once or when the turns before it are over. */
  continue(live: LiveTask, request: SendMessageRequest, task: Task, { isDurable, waits, isAnswer }: Continuing): void {
    const { ids, call } = this.#deps;
    let added: StreamResponse | undefined;
    if (this.#taskMetadata) {
      const { [parentKey]: _, ...metadata } = this.#taskMetadata;
      added = { statusUpdate: { ...ids, status: task.status, metadata } };
      live.emit(added);
    }
    this.#request = request;
    this.after = live.emit({ message: request.message }, call, this.#turnRequest(request)) - 1;
    this.#position = this.after + 1;
    if (waits) {
      this.live = live;
      this.#waitingBytes = sizeOf(request.message);
      live.wait(this, isAnswer);
      return;
    }
    const before = structuredClone(task);
    if (added) fold(before, structuredClone(added));
    this.#given = live.log.bytes;
    this.#attach(live);
    const run = (): void => {
      if (this.#aborted) this.#over();
      else void this.#drive(live, this.#execute(request, before));
    };
    if (isDurable) live.written().then(run, () => this.#lose(live));
    else run();
  }

  /** The agent has taken these messages besides its own, before its run was continued here. */
  tookBefore(messages: readonly (WaitingMessage & { readonly message: Message })[]): void {
    this.#taken = messages;
  }

  /** A turn whose message is in the log, and waits. */
  restoreWaiting(live: LiveTask, { seq, message }: { readonly seq: number; readonly message: Message }): this {
    const { tenant } = live.record;
    this.live = live;
    this.#position = seq;
    this.after = seq - 1;
    this.#request = { message, ...(tenant && { tenant }) };
    this.#waitingBytes = sizeOf(message);
    return this;
  }

  follow(former: AgentRun): void {
    const { live } = this;
    if (!live) return;
    this.#waitingBytes = undefined;
    live.replaceRun(former, this);
    void this.#workOn(live);
  }

  /** Says durably that the message is in hand, and gives it to the agent with the task as the turns before have left it. */
  async #workOn(live: LiveTask): Promise<void> {
    let task: Task;
    try {
      this.#mark(live, { state: 'TASK_STATE_WORKING', timestamp: timestamp(this.#now()) });
      this.after = live.log.head;
      task = await live.latest();
    } catch {
      this.#lose(live);
      return;
    }
    this.#given = live.log.bytes;
    if (this.#aborted || !this.#request) this.#over();
    else await this.#drive(live, this.#execute(this.#request, withoutMessages(task, [this, ...waitingFor(live)])));
  }

  /** The log says which messages are in hand, and which wait. */
  #mark(live: LiveTask, status: TaskStatus): void {
    const taken = this.#taken.map(({ seq }) => seq);
    const waiting = waitingFor(live).map(({ seq, id }) => ({ seq, id }));
    const marker = { seq: this.seq, ...(taken.length > 0 && { taken }), waiting };
    live.end({ statusUpdate: { ...this.#deps.ids, status, metadata: { [turnKey]: marker } } });
  }

  #lose(live: LiveTask): void {
    live.removeRun(this);
    this.#over();
  }

  arrived(): void {
    this.#arrival?.resolve();
    this.#arrival = undefined;
  }

  answered(): void {
    const { live } = this;
    if (!live || mayContinueWithoutClient(live.log.state)) return;
    const end = (): void => {
      const next = this.#aborted ? undefined : this.#nextAfterRest(live);
      if (!next) return;
      this.abort(wasAnswered);
      next.follow(this);
    };
    setTimeout(end, lingering).unref();
  }

  /** The answer to what the turn has asked, where it waits until the turn is over. */
  #nextAfterRest(live: LiveTask): WaitingRun | undefined {
    const isWorking = live.runs.includes(this) && live.log.hasRested(this.after);
    return isWorking ? live.queue?.take(live.log.statePosition) : undefined;
  }

  /** Messages that the agent takes into this turn. */
  async *#incoming(): AsyncGenerator<Message, void> {
    for (const { message } of this.#taken) yield message;
    while (!this.#isOver && !this.#aborted) {
      const { live } = this;
      const next = live?.runs.includes(this) ? live.queue?.take() : undefined;
      if (!live || !next) {
        this.#arrival ??= Promise.withResolvers();
        await this.#arrival.promise;
        continue;
      }
      this.#joined.push(next);
      this.#taken = [...this.#taken, next];
      try {
        const { state } = live.log;
        const status = isInterrupted(state) ? (await live.latest()).status : { state: 'TASK_STATE_WORKING' as const };
        this.#mark(live, { timestamp: timestamp(this.#now()), ...status });
        await live.written();
      } catch {
        return;
      }
      if (!this.#aborted) yield next.message;
    }
  }

  /** Runs the agent again for a dead process's message, with the task `before` it. Events of that run stay. */
  restart(
    live: LiveTask,
    request: SendMessageRequest,
    position: number,
    before: Task | undefined,
    waiting: readonly WaitingMessage[],
  ): void {
    this.#isRestart = true;
    this.#request = request;
    this.#position = position;
    this.#given = live.log.bytes;
    const task = before && withoutMessages(before, [this, ...waiting]);
    this.#takeOver(live, () => this.#execute(request, task));
  }

  /** Lets the agent resume a task that a dead process was working on. `position`: of the client's last message. */
  resume(
    live: LiveTask,
    task: Task,
    position: number,
    events: (context: AgentContext) => AsyncIterable<StreamResponse>,
  ): void {
    this.#position = position;
    this.#given = live.log.bytes;
    this.#takeOver(live, () => this.#iterate(() => events(this.#context(structuredClone(task)))));
  }

  #takeOver(live: LiveTask, begin: () => AsyncIterator<StreamResponse>): void {
    // The gateway has begun to stop: another replica takes the task over.
    if (live.failure) {
      this.#over();
      return;
    }
    this.#attach(live);
    this.after = live.log.head;
    void this.#drive(live, begin());
  }

  /** @param asked id of the message that the agent is to answer */
  #context(task: Task | undefined, asked?: string): AgentContext {
    const { opening, call, hooks, services } = this.#deps;
    const path = hooks?.path;
    return runContext(services, this.#origin, this.#deps, {
      ended: () => this.#aborted,
      signal: () => this.#signal(),
      asked,
      turn: this.#position ?? this.after + 1,
      task,
      parent: this.#parent,
      opening,
      path: path && (() => path(this)),
      messages: { [Symbol.asyncIterator]: () => this.#incoming() },
      refused: () => this.live?.openQueue().refuse(asked ?? ''),
      bind: (upstream) => {
        if (!this.live) this.#upstream = upstream;
        else if (!this.#aborted) this.live.writer.bind(upstream);
      },
      unheard: async () => {
        if (call) await this.live?.writer.releaseKey(call);
      },
    });
  }

  /** Ends the run: the agent's signal aborts, and its further events are ignored. */
  abort(reason: A2AError): void {
    this.#aborted = reason;
    this.#controller?.abort(reason);
    if (this.#arrival) this.arrived();
  }

  /** Fails the task for a reason of the gateway's own, and asks the agent to cancel it. */
  fail(reason: A2AError): void {
    if (!this.live || this.#aborted || this.live.log.isTerminal) return;
    this.#fail(this.live, reason);
    this.#cancelAtAgent();
  }

  /** Created when the agent reads it: most agents that answer at once do not. */
  #signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  #execute(request: SendMessageRequest, task: Task | undefined): AsyncIterator<StreamResponse> {
    return this.#iterate(() => this.#deps.agent.execute(request, this.#context(task, request.message.messageId)));
  }

  /** An agent that throws before it yields is treated like one that throws later. */
  #iterate(begin: () => AsyncIterable<StreamResponse>): AsyncIterator<StreamResponse> {
    const { agent, key } = this.#deps;
    this.#onOver = agent.beginRun?.(key);
    try {
      return requireEvents(begin())[Symbol.asyncIterator]();
    } catch (thrown) {
      return { next: () => Promise.reject(thrown) };
    }
  }

  /** The first event of the task's log: the agent's first task, or a submitted task, with the message that opened it. */
  #openingEvent(message: Message, first?: StreamResponse) {
    const { ids } = this.#deps;
    const taskMetadata = this.#taskMetadata;
    const event = first && this.#complete(first);
    const state = (event?.task ?? event?.statusUpdate)?.status.state;
    const { task, statusUpdate } = (event && state && isInterrupted(state) ? this.#asking(event) : event) ?? {};
    const status = (task ?? statusUpdate)?.status ?? {
      state: 'TASK_STATE_SUBMITTED' as const,
      timestamp: timestamp(this.#now()),
    };
    const metadata = statusUpdate?.metadata ? { ...taskMetadata, ...statusUpdate.metadata } : taskMetadata;
    const opened = { id: ids.taskId, contextId: ids.contextId, ...(metadata && { metadata }), ...task, status };
    return { task: withMessage(opened, message) };
  }

  /** Throws `payloadTooLarge` where a task cannot even hold the message that opens it. Most limits are far from that. */
  #requireRoom(message: Message): void {
    const { task: limit, body = Number.POSITIVE_INFINITY } = this.#deps.services.limits;
    if (limit === undefined || limit >= body * longestOfBody + openingSize) return;
    const bytes = Buffer.byteLength(JSON.stringify(this.#openingEvent(message)));
    if (bytes > limit) throw taskTooLarge('message', bytes, 0, limit);
  }

  /** @param request that the agent has not answered */
  #createTask(tasks: TaskOpening, event: StreamResponse, request?: SendMessageRequest): LiveTask {
    const live = tasks.create();
    this.#attach(live);
    try {
      live.emit(event, this.#deps.call, request && this.#turnRequest(request));
    } catch (thrown) {
      this.live = undefined;
      live.removeRun(this);
      throw thrown;
    }
    if (this.#upstream) live.writer.bind(this.#upstream);
    return live;
  }

  /** What another replica needs, besides the message, to resume the turn while the agent has not answered. */
  #turnRequest(request: SendMessageRequest): TurnRequest | undefined {
    return this.#deps.agent.resume && turnRequestOf(request, this.#origin);
  }

  #attach(live: LiveTask): void {
    this.live = live;
    live.addRun(this);
  }

  /** Appends the agent's events to the task, until the agent or the task ends. `pending`: its first event. */
  async #drive(
    live: LiveTask,
    events: AsyncIterator<StreamResponse>,
    pending?: Promise<IteratorResult<StreamResponse> | undefined>,
  ): Promise<void> {
    try {
      let next = (await pending) ?? (await events.next());
      while (!next.done) {
        const { value } = next;
        const replaced = this.#deps.hooks?.event?.(this, value);
        let goesOn: boolean;
        if (replaced) goesOn = await this.#acceptEach(live, await replaced);
        else goesOn = value?.task ? await this.#acceptTask(live, value) : this.#accept(live, value);
        if (!goesOn) break;
        const drained = live.writer.drained();
        if (drained) await drained;
        next = await events.next();
      }
      if (!next.done) this.#endRun(events);
      if (!this.#aborted && !live.log.isTerminal) this.#close(live);
    } catch (thrown) {
      if (!(await this.#refuse(live, thrown))) this.#fail(live, thrown);
      this.#endRun(events);
      if (isTaskTooLarge(thrown)) this.#cancelAtAgent();
    } finally {
      live.removeRun(this);
      this.#over();
    }
  }

  /**
   * The agent has ended, and its task goes on. Where the task rests, an answer that waits is next, and other messages stay.
   * Otherwise the task rests as the agent's last Task said, or the next message is handed on, or the task is completed.
   */
  #close(live: LiveTask): void {
    const { ids } = this.#deps;
    if (live.log.hasRested(this.after)) {
      this.#nextAfterRest(live)?.follow(this);
      return;
    }
    // Further calls of the same run go on.
    if (this.#hasFurtherCalls(live)) return;
    if (this.#restsAs) {
      this.#append(live, { statusUpdate: { ...ids, status: this.#restsAs } });
      return;
    }
    const next = live.queue?.take();
    if (next) next.follow(this);
    else live.end(statusEvent('TASK_STATE_COMPLETED', ids, undefined, this.#now()));
  }

  /** Whether the run goes on where this call of it ends: of an agent that gets each message at once. */
  #hasFurtherCalls(live: LiveTask): boolean {
    return live.runs.length > 1;
  }

  /** Ends a run whose further events are not wanted. */
  #endRun(events: AsyncIterator<StreamResponse>): void {
    void events.return?.(undefined).catch(() => undefined);
    this.#over();
  }

  #over(): void {
    this.#isOver = true;
    if (this.#arrival) this.arrived();
    if (this.#joined.length > 0) for (const joined of this.#joined.splice(0)) joined.discard();
    if (this.#hasBegun) this.#deps.hooks?.end(this, this.#outcome ?? this.#outcomeOfTask());
    this.#hasBegun = false;
    this.#onOver?.();
    this.#onOver = undefined;
  }

  #outcomeOfTask(): RunOutcome {
    if (!this.live) return 'refused';
    const { log } = this.live;
    if (log.isTerminal) return 'ended';
    return log.hasRested(this.after) ? 'rests' : 'handedOver';
  }

  /** Milliseconds since the epoch by the store's clock, which all replicas share. */
  #now(): number {
    return this.#deps.services.store.now();
  }

  /** An agent's event with what it left out. A task has the metadata that the message brought for it. */
  #complete(yielded: StreamResponse): StreamResponse {
    const { ids } = this.#deps;
    const metadata = this.#taskMetadata;
    const event = completeEvent(yielded, ids, this.#now());
    const parent = this.#parent;
    if (!event.task || !(metadata ?? parent)) return event;
    const all = { ...metadata, ...event.task.metadata, ...(parent && { [parentKey]: { ...parent } }) };
    return { task: { ...event.task, metadata: all } };
  }

  /** An event that asks, with what hooks say of its question. */
  #asking(event: StreamResponse): StreamResponse {
    return this.#deps.hooks?.asked?.(this, event) ?? event;
  }

  /** The direct Message that an agent yields first, or that hooks put in its place. Undefined: they leave none. */
  async #messageOf(event: StreamResponse): Promise<Message | undefined> {
    const replaced = await this.#deps.hooks?.event?.(this, event);
    if (!replaced) return event.message;
    for (const { message } of replaced) if (message) return message;
    return undefined;
  }

  /** The event of an agent that opens a task, or what hooks put in its place. */
  async #openingOf(event: StreamResponse): Promise<StreamResponse> {
    const replaced = await this.#deps.hooks?.event?.(this, event);
    for (const one of replaced ?? []) if (opensTask(one)) return one;
    return event;
  }

  async #acceptEach(live: LiveTask, events: Iterable<StreamResponse>): Promise<boolean> {
    for (const event of events) {
      const goesOn = event.task ? await this.#acceptTask(live, event) : this.#accept(live, event);
      if (!goesOn) return false;
    }
    return true;
  }

  /** Appends an agent's event, unless the task or the run is over. Returns whether the run continues. */
  #accept(live: LiveTask, yielded: StreamResponse): boolean {
    if (this.#aborted || live.log.isTerminal) return false;
    let event = this.#complete(yielded);
    if (event.message) {
      // v1 streams carry no Message after the Task: a Message completes the task instead.
      // While others wait, or further calls of the run go on, it is a word on the way.
      const isLast = waitingFor(live).length === 0 && !this.#hasFurtherCalls(live);
      const status = {
        state: isLast ? ('TASK_STATE_COMPLETED' as const) : ('TASK_STATE_WORKING' as const),
        timestamp: timestamp(this.#now()),
        message: event.message,
      };
      event = { statusUpdate: { ...this.#deps.ids, status } };
    }
    const state = stateOf(event);
    if (!this.#isNext(live, state)) return true;
    if (state !== undefined) this.#restsAs = undefined;
    this.#append(live, event);
    return !live.log.isTerminal;
  }

  /**
   * Appends what is new in a Task that the agent reports within its task, as updates: a stream has one Task, with which it
   * begins. Returns whether the run continues.
   */
  async #acceptTask(live: LiveTask, yielded: StreamResponse): Promise<boolean> {
    if (this.#aborted || live.log.isTerminal) return false;
    const { task } = this.#complete(yielded);
    if (!task || !this.#isNext(live, task.status.state)) return true;
    const known = await live.latest();
    if (this.#aborted || live.log.isTerminal) return false;
    this.#restsAs = isResting(task.status.state) ? task.status : undefined;
    for (const event of difference(known, task)) this.#append(live, event);
    return !live.log.isTerminal;
  }

  /** Whether an event with a state is for the task: one that was restarted is not submitted again. Throws for an illegal state. */
  #isNext(live: LiveTask, state: TaskState | undefined): boolean {
    if (this.#isRestart && state === 'TASK_STATE_SUBMITTED') return false;
    if (state !== undefined && !isLegal(live.log.state, state)) {
      throw new A2AError('invalidAgentResponse', `The agent went from ${live.log.state} to ${state}.`);
    }
    return true;
  }

  #append(live: LiveTask, event: StreamResponse): void {
    const state = stateOf(event);
    live.emit(state !== undefined && isInterrupted(state) ? this.#asking(event) : event);
  }

  /** What callers learn of an error that an agent threw. */
  #failureOf(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    const message = describeAgentFailure(thrown, this.#origin.principal.local === true);
    return new A2AError('internal', message, { cause: thrown });
  }

  /** Gives the agent's refusal to the caller who waits for the task, in its place. Returns whether there is none any more. */
  async #refuse(live: LiveTask, thrown: unknown): Promise<boolean> {
    const { opening, call } = this.#deps;
    if (this.#aborted || !opening?.awaited || !(thrown instanceof A2AError) || !isRefusal(thrown)) return false;
    const isRefused = await live.refuse(thrown, call, call && writeCallAnswer({ error: thrown }));
    if (isRefused) this.#outcome = 'refused';
    return isRefused;
  }

  #fail(live: LiveTask, thrown: unknown): void {
    // An aborted run does not decide what becomes of the task.
    if (this.#aborted || live.log.isTerminal) return;
    if (this.#hasFurtherCalls(live) && isUndelivered(this.#failureOf(thrown))) {
      // The agent goes on with what it got before.
      live.openQueue().refuse(this.id);
      return;
    }
    const { ids, services } = this.#deps;
    const { requestId: request, principal } = this.#origin;
    const fields = { task: ids.taskId, request, principal: principal.id, ...traceFields(this.#origin) };
    services.logger.error({ ...fields, err: thrown }, 'the agent failed');
    live.end(statusEvent('TASK_STATE_FAILED', ids, this.#failureOf(thrown).message, this.#now()));
  }

  /** The agent may be working on a task that is over here. */
  #cancelAtAgent(): void {
    const { agent, services } = this.#deps;
    cancelAtAgent(services, agent, this.#origin, this.#deps);
  }
}

const waitingFor = ({ queue }: LiveTask): readonly WaitingRun[] => queue?.waiting ?? [];

/** A task without messages that its agent has not got, or gets now. */
function withoutMessages(task: Task, messages: readonly WaitingMessage[]): Task {
  const ids = new Set(messages.map(({ id }) => id));
  const { history = [] } = task;
  return structuredClone({ ...task, history: history.filter(({ messageId }) => !ids.has(messageId)) });
}

const sizeOf = (message: Message): number => Buffer.byteLength(JSON.stringify(message));

/** The value where it is there before the event loop turns: before anything that was queued now is written. */
async function atOnce<T>(pending: Promise<T>): Promise<T | undefined> {
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  return Promise.race([pending, turn]);
}

/** An agent's first event, after an opening event of the gateway's. Undefined where it says nothing new. */
async function afterOpening(pending: Promise<IteratorResult<StreamResponse>>) {
  const first = await pending;
  return first.done || !first.value || !isOnlySubmitted(first.value) ? first : undefined;
}

/** Whether an agent's first event opens the task itself, so that no opening event of the gateway's comes before it. */
const opensTask = ({ task, statusUpdate }: StreamResponse): boolean =>
  task !== undefined || statusUpdate?.status?.state === 'TASK_STATE_SUBMITTED';

function isOnlySubmitted({ statusUpdate }: StreamResponse): boolean {
  const { state, message } = statusUpdate?.status ?? {};
  return state === 'TASK_STATE_SUBMITTED' && !message && !statusUpdate?.metadata;
}

/** The task with the message that opened it at the head of its history. */
function withMessage(task: Task, message: Message): Task {
  const history = task.history ?? [];
  const isIncluded = history.some(({ messageId }) => messageId === message.messageId);
  return { ...task, history: isIncluded ? history : [message, ...history] };
}
