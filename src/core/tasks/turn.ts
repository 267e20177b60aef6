import type { Message, SendMessageRequest, StreamResponse, Struct, Task, TaskState, TaskStatus } from '../model/a2a.ts';
import type { AgentContext, UpstreamTask } from '../model/agent.ts';
import { completeEvent, describeAgentFailure, requireEvents, statusEvent, timestamp } from '../model/agent-events.ts';
import { askingStatus, type HeldCall, opened } from '../model/ask.ts';
import { A2AError, isRefusal, isUndelivered } from '../model/errors.ts';
import { isInterrupted, isLegal, isResting, stateOf } from '../model/lifecycle.ts';
import { type ParentFacts, parentKey, parentOf, rootOf } from '../model/lineage.ts';
import { difference } from '../model/task-diff.ts';
import type { RunOutcome } from '../ports/run-hook.ts';
import { traceFields } from '../telemetry/call-fields.ts';
import { type ReleasedCall, withoutReleases } from './held-call.ts';
import { HookedRun, type TurnDeps, type TurnState } from './hooked-run.ts';
import { writeCallAnswer } from './idempotency-key.ts';
import type { LiveTask } from './live-tasks.ts';
import { cancelAtAgent, runContext, type TurnOrigin } from './run-context.ts';
import { isTaskTooLarge } from './task-log.ts';
import { type LoggedMessage, nextAfterRest, releaseLingering, TurnMessages } from './turn-messages.ts';
import type { AgentRun } from './turn-queue.ts';
import { type TurnRequest, turnRequestOf } from './turn-request.ts';

/** Whether the agent has received several messages at once. The run then goes on when one of its calls ends. */
export const hasFurtherCalls = ({ runs }: LiveTask): boolean => runs.length > 1;

/**
 * One run of an agent for one message, which results in a direct Message or in events of a task, and outlives the call that began
 * it. `open-turn.ts` begins the turns that open a task, `continued-turn.ts` all others.
 */
export class Turn implements AgentRun, TurnState {
  /** The task; undefined until there is one. */
  live: LiveTask | undefined;
  /** Position before the first event of this turn. */
  after = 0;
  /** Position of the turn's message, if it was logged before this run. */
  position: number | undefined;
  /** Reason why the run may not append anything any more. */
  aborted: A2AError | undefined;
  isOver = false;
  /** The task's ids at its upstream agent, while there is no task yet. */
  upstream: UpstreamTask | undefined;
  /** Bytes of the task that the agent was given. */
  given = 0;
  parent: ParentFacts | undefined;
  taskMetadata: Struct | undefined;
  outcome: RunOutcome | undefined;
  /** Id of the turn's message. */
  messageId = '';
  /** Asks of the turn's message. The message waits for people, and the agent is not called. */
  held: HeldCall | undefined;
  /** The call that the turn's message releases. The agent gets it instead of the message. */
  released: ReleasedCall | undefined;
  readonly deps: TurnDeps;
  readonly events = new TurnEvents(this);
  readonly #origin: TurnOrigin;
  #controller: AbortController | undefined;
  #messages: TurnMessages | undefined;
  #run: HookedRun | undefined;
  /** Reports to the agent that its run is over. */
  #onOver: (() => void) | undefined;

  constructor(deps: TurnDeps, origin: TurnOrigin) {
    this.deps = deps;
    this.#origin = origin;
    const { parent, taskMetadata } = deps;
    this.taskMetadata = taskMetadata;
    this.parent = parent ?? (taskMetadata && parentOf(taskMetadata));
    deps.traces?.note(deps.key, origin);
  }

  get bytes(): number {
    return this.deps.agent.holdsTask ? (this.live?.log.size ?? 0) : this.given;
  }

  get root(): string {
    return rootOf(this.parent, this.deps.key);
  }

  /** The run for the hooks. Created when hooks need it. */
  get run(): HookedRun {
    this.#run ??= new HookedRun(this);
    return this.#run;
  }

  get seq(): number {
    return this.position ?? this.after + 1;
  }

  /** The further messages of the turn. Created when the agent or the log needs them. */
  get messages(): TurnMessages {
    this.#messages ??= new TurnMessages(this, this.deps.ids);
    return this.#messages;
  }

  /** Sets the messages that the agent had taken before its run was continued here. */
  tookBefore(messages: readonly LoggedMessage[]): void {
    this.#messages = new TurnMessages(this, this.deps.ids, messages);
  }

  arrived(): void {
    this.#messages?.arrived();
  }

  answered(): void {
    if (this.live) releaseLingering(this, this.live);
  }

  /** The facts that another replica needs, besides the message, to resume the turn while the agent has not answered. */
  requestFor(request: SendMessageRequest): TurnRequest | undefined {
    if (!this.deps.agent.resume || this.held) return undefined;
    return turnRequestOf(this.released?.request ?? request, this.released?.held ?? this.#origin);
  }

  /**
   * Runs the agent for a message, or with its `resume`. If the message must wait until people agree, asks them and does not call
   * the agent. An agent that throws before it yields is treated like one that throws later.
   *
   * @param task the task before the message; undefined: the message opens it
   */
  execute(
    request: SendMessageRequest | undefined,
    task: Task | undefined,
    resume?: (context: AgentContext) => AsyncIterable<StreamResponse>,
  ): AsyncIterator<StreamResponse> {
    const { agent, key, hooks } = this.deps;
    const { released } = this;
    if (this.held) return this.#ask(this.held);
    this.#onOver = agent.beginRun?.(key);
    try {
      const given = request && (released?.request ?? request);
      const before = given && released ? released.task : task;
      const context = this.#context(before && withoutReleases(before), given?.message.messageId);
      const events = given ? agent.execute(given, context) : resume?.(context);
      const yielded = requireEvents(events)[Symbol.asyncIterator]();
      return hooks?.stream?.(this.run, yielded) ?? yielded;
    } catch (thrown) {
      return { next: () => Promise.reject(thrown) };
    }
  }

  /** Yields the one event after which the task waits until people agree to its message. */
  async *#ask(held: HeldCall): AsyncGenerator<StreamResponse, void> {
    const { ids, services } = this.deps;
    const now = services.store.now();
    const status = askingStatus(opened(held, this.seq, now), ids, now);
    yield this.live
      ? { statusUpdate: { ...ids, status } }
      : { task: { id: ids.taskId, contextId: ids.contextId, status } };
  }

  /** @param asked id of the message that the agent must answer */
  #context(task: Task | undefined, asked?: string): AgentContext {
    const { call, hooks, services } = this.deps;
    const { held } = this.released ?? {};
    const opening = held?.newContext ? { newContext: true, awaited: false } : this.deps.opening;
    const path = hooks?.path;
    return runContext(services, held ? originOfReleased(this.#origin, held) : this.#origin, this.deps, {
      ended: () => this.aborted,
      signal: () => this.#signal(),
      asked,
      // Agents identify the message by its position, which is the same at each attempt.
      turn: this.released?.seq ?? this.seq,
      task,
      parent: this.parent,
      opening,
      path: path && (() => path(this.run)),
      messages: {
        [Symbol.asyncIterator]: () =>
          this.messages.take(
            () => this.live,
            () => services.store.now(),
          ),
      },
      refused: () => this.live?.openQueue().refuse(this.messageId),
      bind: (upstream) => {
        if (!this.live) this.upstream = upstream;
        else if (!this.aborted) this.live.journal.writer.bind(upstream);
      },
      undelivered: async () => {
        if (call) await this.live?.journal.writer.releaseKey(call);
      },
    });
  }

  /** The signal of the run. Created when the agent reads it, because most agents that answer at once do not. */
  #signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.aborted);
    }
    return this.#controller.signal;
  }

  /** Ends the run: the agent's signal aborts, and its further events are ignored. */
  abort(reason: A2AError): void {
    this.aborted = reason;
    this.#controller?.abort(reason);
    this.#messages?.arrived();
  }

  attach(live: LiveTask): void {
    this.live = live;
    live.addRun(this);
  }

  /** Appends the agent's events to the task, until the agent or the task ends. `pending` is its first event. */
  async drive(
    live: LiveTask,
    events: AsyncIterator<StreamResponse>,
    pending?: Promise<IteratorResult<StreamResponse> | undefined>,
  ): Promise<void> {
    try {
      let next = (await pending) ?? (await events.next());
      while (!next.done) {
        const { value } = next;
        const replaced = this.deps.hooks?.event?.(this.run, value);
        let goesOn: boolean;
        if (replaced) goesOn = await this.events.acceptEach(live, await replaced);
        else goesOn = value?.task ? await this.events.acceptTask(live, value) : this.events.accept(live, value);
        if (!goesOn) break;
        const drained = live.journal.writer.drained();
        if (drained) await drained;
        next = await events.next();
      }
      if (!next.done) this.endRun(events);
      if (!this.aborted && !live.log.isTerminal) this.#close(live);
    } catch (thrown) {
      if (!(await this.#refuse(live, thrown))) this.#fail(live, thrown);
      this.endRun(events);
      if (isTaskTooLarge(thrown)) this.#cancelAtAgent();
    } finally {
      live.removeRun(this);
      if (!this.isOver) this.over();
    }
  }

  /**
   * Handles the end of the agent's events while the task is not over. If the task rests, an answer that waits is next, and other
   * messages stay. Otherwise the task comes to rest as the agent's last Task reported, or the next message is handed to the
   * agent, or the task is completed.
   */
  #close(live: LiveTask): void {
    if (live.log.hasRested(this.after)) {
      nextAfterRest(this, live)?.follow(this);
      return;
    }
    // Further calls of the same run go on.
    if (hasFurtherCalls(live) || this.events.rest(live)) return;
    const next = live.queue?.take();
    if (next) next.follow(this);
    else live.end(statusEvent('TASK_STATE_COMPLETED', this.deps.ids, undefined, this.deps.services.store.now()));
  }

  /** Ends a run whose further events are not wanted. */
  endRun(events: AsyncIterator<StreamResponse>): void {
    void events.return?.(undefined).catch(() => undefined);
    this.over();
  }

  /** Ends the run, even if its agent was never called. */
  over(): void {
    this.isOver = true;
    this.#messages?.end();
    this.#run?.end();
    this.#onOver?.();
    this.#onOver = undefined;
  }

  /** The error for callers after an agent has thrown. */
  failureOf(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    const message = describeAgentFailure(thrown, this.#origin.principal.local === true);
    return new A2AError('internal', message, { cause: thrown });
  }

  /**
   * Gives the agent's refusal to the caller who waits for the task, instead of the task. Resolves with whether the task was
   * removed.
   */
  async #refuse(live: LiveTask, thrown: unknown): Promise<boolean> {
    const { opening, call } = this.deps;
    if (this.aborted || !opening?.awaited || !(thrown instanceof A2AError) || !isRefusal(thrown)) return false;
    const { journal } = live;
    // A row that is being written could arrive after its removal. The task's ids at the agent are written together with its
    // events.
    await journal.written(false).catch(() => undefined);
    if (journal.writer.isBinding) await journal.writer.writing;
    const isSeen = live.isShown || journal.listeners.readerCount > 0;
    const answer = call && writeCallAnswer({ error: thrown });
    const isRefused = !isSeen && (await journal.removeOpening(thrown, call, answer));
    if (isRefused) this.outcome = 'refused';
    return isRefused;
  }

  /**
   * Fails the task because of an error of the gateway itself, and asks the agent to cancel it. Returns whether there is a task.
   */
  fail(reason: A2AError): boolean {
    const { live } = this;
    if (!live) return false;
    if (this.aborted || live.log.isTerminal) return true;
    this.deps.services.logger.warn({ ...this.#logFields, reason: reason.message }, 'the gateway has failed the task');
    this.#end(live, reason);
    this.#cancelAtAgent();
    return true;
  }

  #fail(live: LiveTask, thrown: unknown): void {
    // An aborted run does not change the task.
    if (this.aborted || live.log.isTerminal) return;
    if (hasFurtherCalls(live) && isUndelivered(this.failureOf(thrown))) {
      // The agent goes on with the messages that it got before.
      live.openQueue().refuse(this.messageId);
      return;
    }
    this.deps.services.logger.error({ ...this.#logFields, err: thrown }, 'the agent failed');
    this.#end(live, thrown);
  }

  #end(live: LiveTask, thrown: unknown): void {
    const { ids, services } = this.deps;
    live.end(statusEvent('TASK_STATE_FAILED', ids, this.failureOf(thrown).message, services.store.now()));
  }

  get #logFields() {
    const { requestId: request, principal } = this.#origin;
    return { task: this.deps.ids.taskId, request, principal: principal.id, ...traceFields(this.#origin) };
  }

  /** Asks the agent to cancel a task that is over here, because it may still be working on it. */
  #cancelAtAgent(): void {
    const { agent, services } = this.deps;
    cancelAtAgent(services, agent, this.#origin, this.deps);
  }
}

/** Origin of a call that has waited, as far as the log contains it. */
const originOfReleased = (origin: TurnOrigin, { extensions, hops, skill }: HeldCall): TurnOrigin => ({
  ...origin,
  extensions,
  hops,
  ...(skill !== undefined && { skill }),
});

/** Turns the events that an agent yields into events of the task's log. */
export class TurnEvents {
  /** Whether the agent was restarted, and may repeat events. */
  isRestart = false;
  readonly #turn: TurnState;
  /** Status of the last Task that the agent reported within its task, if the task rests with it. */
  #restsAs: TaskStatus | undefined;

  constructor(turn: TurnState) {
    this.#turn = turn;
  }

  /** The first event of the task's log: the agent's first task, or a submitted task, with the message that opened it. */
  opening(message: Message, first?: StreamResponse) {
    const { taskMetadata, deps } = this.#turn;
    const { ids, services } = deps;
    const event = first && this.#complete(first);
    const state = (event?.task ?? event?.statusUpdate)?.status.state;
    const { task, statusUpdate } = (event && state && isInterrupted(state) ? this.#asking(event) : event) ?? {};
    const status = (task ?? statusUpdate)?.status ?? {
      state: 'TASK_STATE_SUBMITTED' as const,
      timestamp: timestamp(services.store.now()),
    };
    const metadata = statusUpdate?.metadata ? { ...taskMetadata, ...statusUpdate.metadata } : taskMetadata;
    const opened = { id: ids.taskId, contextId: ids.contextId, ...(metadata && { metadata }), ...task, status };
    return { task: withMessage(opened, message) };
  }

  /** The direct Message that an agent yields first, or that hooks replace it by. Undefined if the hooks remove it. */
  async messageOf(event: StreamResponse): Promise<Message | undefined> {
    const {
      run,
      deps: { hooks },
    } = this.#turn;
    const replaced = await hooks?.event?.(run, event);
    if (!replaced) return event.message;
    for (const { message } of replaced) if (message) return message;
    return undefined;
  }

  /** The agent's event that opens a task, or the one by which hooks replace it. */
  async openingOf(event: StreamResponse): Promise<StreamResponse> {
    const {
      run,
      deps: { hooks },
    } = this.#turn;
    const replaced = await hooks?.event?.(run, event);
    for (const one of replaced ?? []) if (opensTask(one)) return one;
    return event;
  }

  async acceptEach(live: LiveTask, events: Iterable<StreamResponse>): Promise<boolean> {
    for (const event of events) {
      const goesOn = event.task ? await this.acceptTask(live, event) : this.accept(live, event);
      if (!goesOn) return false;
    }
    return true;
  }

  /** Appends an agent's event, unless the task or the run is over. Returns whether the run continues. */
  accept(live: LiveTask, yielded: StreamResponse): boolean {
    if (this.#turn.aborted || live.log.isTerminal) return false;
    let event = this.#complete(yielded);
    if (event.message) event = this.#statusOf(live, event.message);
    const state = stateOf(event);
    if (!this.#isNext(live, state)) return true;
    if (state !== undefined) this.#restsAs = undefined;
    live.emit(state !== undefined && isInterrupted(state) ? this.#asking(event) : event);
    return !live.log.isTerminal;
  }

  /**
   * Appends, as updates, the news in a Task that the agent reports within its task: a stream has one Task, with which it begins.
   * Returns whether the run continues.
   */
  async acceptTask(live: LiveTask, yielded: StreamResponse): Promise<boolean> {
    if (this.#turn.aborted || live.log.isTerminal) return false;
    const { task } = this.#complete(yielded);
    if (!task || !this.#isNext(live, task.status.state)) return true;
    const known = await live.journal.latest();
    if (this.#turn.aborted || live.log.isTerminal) return false;
    this.#restsAs = isResting(task.status.state) ? task.status : undefined;
    for (const event of difference(known, task)) this.#append(live, event);
    return !live.log.isTerminal;
  }

  /** Brings the task to rest as the agent's last Task reported. False if it reported no rest. */
  rest(live: LiveTask): boolean {
    if (!this.#restsAs) return false;
    this.#append(live, { statusUpdate: { ...this.#turn.deps.ids, status: this.#restsAs } });
    return true;
  }

  /**
   * v1 streams carry no Message after the Task: a Message completes the task instead. While other messages wait, or further calls
   * of the run go on, it becomes a status update.
   */
  #statusOf(live: LiveTask, message: Message): StreamResponse {
    const { ids, services } = this.#turn.deps;
    const isLast = !live.queue?.waiting.length && !hasFurtherCalls(live);
    const state = isLast ? ('TASK_STATE_COMPLETED' as const) : ('TASK_STATE_WORKING' as const);
    return { statusUpdate: { ...ids, status: { state, timestamp: timestamp(services.store.now()), message } } };
  }

  /** An agent's event, completed with the members that it lacks. A task gets the metadata that the message carried for it. */
  #complete(yielded: StreamResponse): StreamResponse {
    const { taskMetadata, parent, deps } = this.#turn;
    const event = completeEvent(yielded, deps.ids, deps.services.store.now());
    if (!event.task || !(taskMetadata ?? parent)) return event;
    const metadata = { ...taskMetadata, ...event.task.metadata, ...(parent && { [parentKey]: { ...parent } }) };
    return { task: { ...event.task, metadata } };
  }

  /** An event that asks a question, as the hooks have changed it. */
  #asking(event: StreamResponse): StreamResponse {
    const { hooks } = this.#turn.deps;
    return hooks?.asked ? hooks.asked(this.#turn.run, event) : event;
  }

  /**
   * Whether an event with this state is appended. A task that was restarted is not submitted again. Throws for an illegal state.
   */
  #isNext(live: LiveTask, state: TaskState | undefined): boolean {
    if (this.isRestart && state === 'TASK_STATE_SUBMITTED') return false;
    if (state !== undefined && !isLegal(live.log.state, state)) {
      throw new A2AError('invalidAgentResponse', `The agent went from ${live.log.state} to ${state}.`);
    }
    return true;
  }

  #append(live: LiveTask, event: StreamResponse): void {
    const state = stateOf(event);
    live.emit(state !== undefined && isInterrupted(state) ? this.#asking(event) : event);
  }
}

/** Whether an agent's first event opens the task itself, so that the gateway needs no opening event of its own. */
export const opensTask = ({ task, statusUpdate }: StreamResponse): boolean =>
  task !== undefined || statusUpdate?.status?.state === 'TASK_STATE_SUBMITTED';

/** The task with the message that opened it at the head of its history. */
function withMessage(task: Task, message: Message): Task {
  const history = task.history ?? [];
  const isIncluded = history.some(({ messageId }) => messageId === message.messageId);
  return { ...task, history: isIncluded ? history : [message, ...history] };
}
