import type { Message, SendMessageRequest, SendMessageResponse, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { AgentContext, UpstreamTask } from '../../core/model/agent.ts';
import { agentMessage } from '../../core/model/agent-events.ts';
import { isStream, type Reply } from '../../core/model/call.ts';
import { A2AError, isUndelivered, markUndelivered } from '../../core/model/errors.ts';
import { fold } from '../../core/model/fold.ts';
import { newId } from '../../core/model/ids.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { neverArrived, neverTried } from '../../net/network-errors.ts';
import { TaskCalls, type TurnTimes } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';
import { type IdMapping, requestToUpstream } from './ids.ts';
import { backoff, InterruptibleWait, TaskFollower } from './stream.ts';
import { UpstreamTaskState } from './task-state.ts';

type Events<Result = void> = AsyncGenerator<StreamResponse, Result>;

/** Aborts what a turn has left open at its end. One object for all turns, because every turn needs it. */
const turnOver = new A2AError('canceled', 'The turn is over.');

/** One turn of an upstream task: sends a message, or resumes a task, and follows the task until it rests. */
export class UpstreamTurn {
  readonly #connection: UpstreamConnection;
  readonly #ids: IdMapping;
  readonly #context: AgentContext;
  readonly #times: TurnTimes;
  readonly #calls: TaskCalls;
  readonly #stop = new AbortController();
  readonly #abort = (): void => this.#stop.abort(this.#context.signal.reason);
  readonly #wait: InterruptibleWait;
  readonly #bound = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** Resolves when the turn is over. */
  readonly ended: Promise<void> = this.#ended.promise;
  #state: UpstreamTaskState;
  #successor: UpstreamTurn | undefined;

  constructor(connection: UpstreamConnection, ids: IdMapping, context: AgentContext, times: TurnTimes) {
    this.#connection = connection;
    this.#ids = ids;
    this.#context = context;
    this.#times = times;
    this.#listen();
    this.#wait = new InterruptibleWait(this.#stop.signal);
    this.#calls = new TaskCalls(connection, context, times, this.#stop.signal);
    this.#state = this.#newState();
  }

  /** The task's ids at the agent, once they are known or chosen. */
  get upstreamTask(): UpstreamTask | undefined {
    return this.#state.upstreamTask;
  }

  /** The same once the core knows them and stores them before any later event. */
  get boundTask(): UpstreamTask | undefined {
    return this.#state.boundTask;
  }

  /** Resolves when the task's ids at the agent are known, or when the turn has ended without them. */
  get idKnown(): Promise<void> {
    return Promise.race([this.#bound.promise, this.ended]);
  }

  /**
   * Stops this turn because another turn of the same task takes over. It yields nothing more, and ends with its
   * successor. Returns the task with all events so far, which may be ahead of what is durable.
   */
  handOverTo(successor: UpstreamTurn): Task {
    this.#successor = successor;
    this.#stop.abort(new A2AError('canceled', 'Another turn follows the task.'));
    return this.#state.known;
  }

  /** Gets the task at once instead of after the current pause. */
  pollNow(): void {
    this.#wait.interrupt();
  }

  /**
   * Sends a message and follows the task.
   *
   * @param former the turn that follows the same task now
   */
  send(request: SendMessageRequest, former: UpstreamTurn | undefined): Events {
    return this.#run(() => this.#send(request, former));
  }

  /** Follows a task that a replica which died was following. */
  resume(task: Task): Events {
    return this.#run(() => this.#resume(task));
  }

  /** Listens for the end of the context's signal. Does what AbortSignal.any does, at an eighth of its price. */
  #listen(): void {
    const { signal } = this.#context;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  #unlisten(): void {
    this.#context.signal.removeEventListener('abort', this.#abort);
  }

  /** What all turns have in common: watching a task that may continue, cleaning up, and ending with the successor. */
  async *#run(work: () => Events): Events {
    try {
      yield* work();
      if (!this.#state.done) yield* this.#follower().watchAtRest();
    } catch (thrown) {
      if (!this.#successor) throw thrown;
    } finally {
      this.#unlisten();
      this.#stop.abort(turnOver);
      this.#ended.resolve();
    }
    await this.#successor?.ended;
  }

  async *#resume(task: Task): Events {
    const upstreamTask = await this.#ids.task(this.#context.key);
    if (!upstreamTask) {
      const message =
        'The gateway stopped before the upstream agent had answered; whether the agent works on this task is unknown.';
      throw new A2AError('upstreamUnreachable', message);
    }
    this.#state = this.#newState(structuredClone(task));
    this.#state.bindTo(upstreamTask);
    const follower = this.#follower();
    // The last message may have been lost: a task that has not begun with it by now rests as before.
    if (isResting(task.status.state)) follower.settleNow();
    yield* follower.resubscribe(undefined);
  }

  async *#send(request: SendMessageRequest, former: UpstreamTurn | undefined): Events {
    const { message } = request;
    let upstreamRequest: SendMessageRequest;
    try {
      if (this.#context.task) this.#state = await this.#takeOver(this.#context.task, message, former);
      else this.#state = this.#newState(undefined, message);
      await this.#connection.open();
      const upstreamTask = this.#state.upstreamTask ?? (await this.#idsForNewTask());
      upstreamRequest = requestToUpstream(request, upstreamTask, await this.#ids.toTheirs(message.referenceTaskIds));
      if (upstreamTask.id !== '') this.#state.upstreamTask ??= upstreamTask;
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
    let reply: Reply | undefined;
    try {
      reply = yield* this.#sendAndPoll(upstreamRequest);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (neverArrived(error) || neverTried(error)) markUndelivered(error);
      if (this.#context.task) yield* this.#recoverTask(error);
      else yield* this.#recoverNewTask(error);
      return;
    }
    if (!reply) return;
    if (isStream(reply)) yield* this.#follower().followStream(reply.events);
    else yield* this.#followAnswer(reply.value as SendMessageResponse);
  }

  /** The ids for a new task: its context, if the agent knows it, and a task id for agents that expect the caller's. */
  async #idsForNewTask(): Promise<UpstreamTask> {
    const contextId = this.#context.newContext ? undefined : await this.#ids.context(this.#context.contextId);
    if (this.#connection.choice?.dialect.callersName) return { id: newId(), contextId: contextId ?? newId() };
    return { id: '', contextId: contextId ?? '' };
  }

  /** The state of an existing task, from the turn that follows it now or from the store. */
  async #takeOver(task: Task, message: Message, former: UpstreamTurn | undefined): Promise<UpstreamTaskState> {
    await former?.idKnown;
    const upstreamTask = former?.boundTask ?? (await this.#ids.task(this.#context.key));
    if (!upstreamTask) throw new A2AError('invalidAgentResponse', 'The upstream agent does not know this task');
    const known = former?.handOverTo(this) ?? task;
    const state = this.#newState(fold(structuredClone(known), { message }));
    state.bindTo(upstreamTask);
    return state;
  }

  /**
   * Sends the message. While an agent without streams works on its answer, a task whose id is known is polled. Returns
   * the answer, or undefined when polling found the task at rest before.
   */
  async *#sendAndPoll(request: SendMessageRequest): Events<Reply | undefined> {
    const state = this.#state;
    const { upstreamTask } = state;
    const sending = this.#calls.send(request, upstreamTask !== undefined);
    if (!upstreamTask || this.#connection.streams) return sending;
    let answered = false;
    const onAnswer = (): void => {
      answered = true;
    };
    const done = sending.then(onAnswer, onAnswer);
    for (const pauses = backoff(); ; ) {
      await Promise.race([done, this.#wait.for(pauses.next())]);
      this.#wait.interrupt();
      if (answered) return sending;
      const { eventCount } = state;
      // Some agents do not know the task before it is done.
      const task = await this.#calls.getOnce(upstreamTask.id).catch(() => undefined);
      if (answered) return sending;
      if (task) yield* state.applyTask(task, 'pieces');
      if (state.settled) return undefined;
      if (state.eventCount !== eventCount) pauses.reset();
    }
  }

  /** Follows the task after an answer that is no stream. */
  async *#followAnswer({ message, task }: SendMessageResponse): Events {
    const state = this.#state;
    // Nothing is open now, and most often the answer is the end.
    this.#unlisten();
    if (message) yield await state.applyMessage(message);
    else if (task) yield* state.applyTask(task, this.#context.awaited ? 'whole' : 'pieces');
    else throw new A2AError('invalidAgentResponse', 'The upstream agent answered with neither a task nor a message');
    if (!state.done) this.#listen();
    if (state.settled) return;
    const follower = this.#follower();
    // An agent that answers when the task rests has reported its final state, even if nothing has changed.
    if (this.#context.task && this.#connection.answersAtRest) follower.settleNow();
    if (follower.isUnchanged()) yield state.stayAtRest();
    else yield* follower.poll();
  }

  /** After a failure to open a task: if the gateway chose the task's id, the agent can be asked for the task. */
  async *#recoverNewTask(error: A2AError): Events {
    const state = this.#state;
    const isLost = !state.upstreamTask || error.kind === 'canceled' || (state.eventCount === 0 && neverArrived(error));
    if (isLost) throw error;
    try {
      yield* this.#follower().resubscribe(error);
    } catch (thrown) {
      throw state.eventCount === 0 ? error : thrown;
    }
  }

  /**
   * After a failure to continue a task: the message was refused, or may not have arrived. The agent is asked for the
   * task, which fails only if that fails too.
   */
  async *#recoverTask(error: A2AError): Events {
    const state = this.#state;
    if (error.kind === 'canceled' || error.kind === 'taskNotFound') throw error;
    const task = await this.#calls.getWithRetry(state.upstreamTask?.id ?? '', error).catch(() => {
      throw error;
    });
    yield* state.applyTask(task, 'whole');
    if (state.settled) return;
    const { taskId, contextId } = this.#context;
    const { message } = this.#connection.errorForCaller(error, this.#context, state.upstreamTask);
    const text = `The upstream agent did not accept the message: ${message}`;
    if (isUndelivered(error)) await this.#context.unheard();
    yield state.stayAtRest(agentMessage(text, { taskId, contextId }));
    if (!state.settled) yield* this.#follower().resubscribe(undefined);
  }

  #follower(): TaskFollower {
    return new TaskFollower(this.#state, this.#calls, this.#wait, this.#times);
  }

  #newState(known?: Task, opening?: Message): UpstreamTaskState {
    return new UpstreamTaskState(this.#context, this.#ids, this.#bound.resolve, known, opening);
  }
}
