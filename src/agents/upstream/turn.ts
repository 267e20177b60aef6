import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Message,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskStatus,
} from '../../core/model/a2a.ts';
import type { RunContext, UnansweredMessage, UpstreamTask } from '../../core/model/agent.ts';
import { agentMessage } from '../../core/model/agent-events.ts';
import { isStream, type Reply } from '../../core/model/call.ts';
import { A2AError, type ErrorKind, isUndelivered, markUndelivered } from '../../core/model/errors.ts';
import { fold } from '../../core/model/fold.ts';
import { newId } from '../../core/model/ids.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import { brokenStream } from '../../core/model/streams.ts';
import { isNetworkFailure } from '../../net/network-errors.ts';
import { provesNothingRan } from '../../net/nothing-ran.ts';
import { type SentMessage, TaskCalls, type TurnTimes } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import { findTask } from './find-task.ts';
import { HandOver } from './hand-over.ts';
import { type IdMapping, requestToUpstream } from './ids.ts';
import { backoff, InterruptibleWait, TaskFollower } from './stream.ts';
import { UpstreamTaskState } from './task-state.ts';

type Events<Result = void> = AsyncGenerator<StreamResponse, Result>;

/** Aborts what a turn has left open at its end. */
const turnOver = new A2AError('canceled', 'The turn is over.');

/** Milliseconds in which an agent must name the task of a message, where that is over here and has to be canceled there. */
export const namingTimeout = 5_000;

/** One step of a turn: an event, and the events that may follow. */
interface Step {
  readonly event?: StreamResponse | undefined;
  readonly rest?: Events;
}

/** The dependencies of one turn. */
export interface TurnParts {
  readonly connection: UpstreamConnection;
  readonly ids: IdMapping;
  readonly context: RunContext;
  readonly times: TurnTimes;
  /** Called when the turn is over. */
  readonly onEnd: (turn: UpstreamTurn) => void;
}

/** The work of a turn: a message to be sent, with the turn that follows the same task now, or a task to be resumed. */
type Work =
  | { readonly request: SendMessageRequest; readonly former: UpstreamTurn | undefined }
  | { readonly task: Task; readonly unanswered: UnansweredMessage | undefined };

/**
 * One turn of an upstream task: sends a message, or resumes a task, and follows the task until it rests. It is iterated
 * once, for its events under the gateway's ids.
 *
 * Most turns are over with the answer to their message, which is one event. The parts that follow a task are created
 * only when the answer leaves something to follow.
 */
export class UpstreamTurn implements AsyncIterableIterator<StreamResponse, void> {
  readonly #connection: UpstreamConnection;
  readonly #ids: IdMapping;
  readonly #context: RunContext;
  readonly #times: TurnTimes;
  readonly #calls: TaskCalls;
  readonly #onEnd: (turn: UpstreamTurn) => void;
  readonly #stop = new AbortController();
  readonly #abort = (): void => {
    const stop = (): void => this.#stop.abort(this.#context.signal.reason);
    // The agent may be working on a task that it has not named: until it does, it cannot be asked to cancel that.
    if (this.#sent && !this.upstreamTask)
      void Promise.race([this.idKnown, sleep(namingTimeout, undefined, { ref: false })]).then(stop);
    else stop();
  };
  /** Its state among the turns of its run. */
  readonly handOver = new HandOver();
  readonly #bound = new Moment();
  readonly #over = new Moment();
  #lazyWait: InterruptibleWait | undefined;
  /** Work that has not begun yet. */
  #work: Work | undefined;
  /** The events after the first step, if there can be any. */
  #following: Events | undefined;
  #state: UpstreamTaskState;
  /** The message as it was sent, and when, by this machine's clock and the replicas' clock: milliseconds since the epoch. */
  #sent: (SentMessage & { readonly at: number; readonly since: number }) | undefined;
  /** Number of searches for the task of a message whose answer was lost. */
  #searches = 0;

  constructor({ connection, ids, context, times, onEnd }: TurnParts, work: Work) {
    this.#connection = connection;
    this.#ids = ids;
    this.#context = context;
    this.#times = times;
    this.#onEnd = onEnd;
    this.#work = work;
    this.#calls = new TaskCalls(connection, context, times, this.#stop.signal);
    this.#state = this.#newState(undefined, 'request' in work ? work.request.message : undefined);
  }

  /** The task's ids at the agent, once they are known or chosen. */
  get upstreamTask(): UpstreamTask | undefined {
    return this.#state.upstreamTask;
  }

  /** The task's ids at the agent once the core knows them and stores them before any later event. */
  get boundTask(): UpstreamTask | undefined {
    return this.#state.boundTask;
  }

  /** Resolves when the task's ids at the agent are known, or when the turn has ended without them. */
  get idKnown(): Promise<void> {
    return Promise.race([this.#bound.reached, this.ended]);
  }

  /** Resolves when the turn is over. */
  get ended(): Promise<void> {
    return this.#over.reached;
  }

  /** The task with all events so far, which may be ahead of what is durable. */
  get task(): Task {
    return this.#state.known;
  }

  /** Whether the agent has reported the end of the task. */
  get taskIsOver(): boolean {
    return isTerminal(this.#state.known.status.state);
  }

  /**
   * Stops this turn because another turn of the same task takes over. It yields no events of the agent any more, and ends with its
   * successor; a message that is on the way arrives first. Returns the task with all events so far, which may be ahead of what is
   * durable.
   */
  handOverTo(successor: UpstreamTurn): Task {
    this.handOver.successor = successor;
    if (this.handOver.isDelivered) this.#stop.abort(new A2AError('canceled', 'Another turn follows the task.'));
    else this.pollNow();
    return this.#state.known;
  }

  /** Gets the task at once instead of after the current pause. */
  pollNow(): void {
    this.#lazyWait?.interrupt();
  }

  /** The agent is asked to cancel the task: the message of its answer belongs to the status with which the task ends. */
  expectCancellation(answer: Promise<TaskStatus>): void {
    this.#state.cancellation = answer.catch(() => undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event. Rejects with an A2AError for the gateway's caller. */
  next(): Promise<IteratorResult<StreamResponse, void>> {
    const work = this.#work;
    if (work) {
      this.#work = undefined;
      return this.#begin(work);
    }
    if (this.#following) return this.#following.next();
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the turn early. Called between two events. */
  async return(): Promise<IteratorResult<StreamResponse, void>> {
    this.#work = undefined;
    await this.#following?.return();
    this.#end();
    return { done: true, value: undefined };
  }

  /** The first step: sends the message, and yields the answer if that is all. */
  async #begin(work: Work): Promise<IteratorResult<StreamResponse, void>> {
    this.#listen();
    if ('request' in work) this.handOver.sends();
    try {
      const { event, rest }: Step =
        'request' in work
          ? await this.#send(work.request, work.former)
          : { rest: this.#resume(work.task, work.unanswered) };
      const { successor, hasEarlier } = this.handOver;
      if (event && successor) this.#following = this.#follow(only(event));
      else if (rest || successor || !this.#state.done) this.#following = this.#follow(rest);
      if (event && !successor) {
        if (hasEarlier) await this.handOver.untilDelivered(event);
        return { done: false, value: event };
      }
    } catch (thrown) {
      const error = A2AError.from(thrown);
      this.handOver.failed();
      this.#following = this.#follow(this.handOver.successor ? this.#afterHandOver(error) : brokenStream(error));
    }
    return this.next();
  }

  /** Listens for the end of the context's signal. Does what AbortSignal.any does, at an eighth of its price. */
  #listen(): void {
    const { signal } = this.#context;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** The common part of all turns that go on: watches a task that may continue, and ends with the successor. */
  async *#follow(rest: AsyncIterable<StreamResponse> | undefined): Events {
    try {
      if (rest) yield* this.#eventsUntilHandOver(rest);
      if (!this.handOver.successor && !this.#state.done) yield* this.#follower().watchAtRest();
    } catch (thrown) {
      if (!this.handOver.successor)
        throw this.#connection.errorForCaller(thrown, this.#context, this.#state.upstreamTask);
    } finally {
      this.#stop.abort(turnOver);
      this.#end();
    }
    await this.handOver.successor?.ended;
  }

  /** The events of the agent. After the hand-over, the answer is read on until it shows that the message has arrived. */
  async *#eventsUntilHandOver(rest: AsyncIterable<StreamResponse>): Events {
    const { handOver } = this;
    for await (const event of rest) {
      handOver.read();
      if (!handOver.successor || handOver.hasFailed) {
        if (handOver.hasEarlier) await handOver.untilDelivered(event);
        yield event;
      } else if (handOver.isDelivered) {
        if (event === this.#state.word) yield* this.#lastWord(event);
        return;
      }
    }
  }

  /** The Message that answers the turn's own message, after the hand-over. A question of the agent is asked again after it. */
  async *#lastWord(word: StreamResponse): Events {
    yield word;
    const { taskId, contextId } = this.#context;
    const { status } = this.#lastTask;
    if (isResting(status.state) && !isTerminal(status.state)) yield { statusUpdate: { taskId, contextId, status } };
  }

  /** The task as the turn knows it that follows it now. */
  get #lastTask(): Task {
    return (this.handOver.last ?? this).task;
  }

  /** Ends the turn. Nothing of it is open any more. */
  #end(): void {
    this.#context.signal.removeEventListener('abort', this.#abort);
    this.#following = undefined;
    this.#over.reach();
    this.#onEnd(this);
  }

  async *#resume(task: Task, unanswered: UnansweredMessage | undefined): Events {
    const upstreamTask = await this.#ids.task(this.#context.key);
    this.#state = this.#newState(structuredClone(task));
    if (upstreamTask) this.#state.bindTo(upstreamTask);
    // A later message continues a task, which the agent has not named: it would open another one.
    else if (!unanswered || this.#context.turn !== 1) throw interrupted();
    if (unanswered) {
      await this.#calls.opened();
      await this.#prepare(unanswered.request, Date.now() - unanswered.age, unanswered.at);
      if (!upstreamTask) {
        yield* this.#askForTask(interrupted());
        return;
      }
      const reply = await this.#sendAgain(interrupted());
      // An agent that has named the task has received the message that opened it.
      const own = reply || this.#context.turn === 1 ? 0 : 1;
      yield* this.#doubt(own + (unanswered.earlier ?? 0));
      if (reply) {
        yield* this.#eventsOf(reply);
        return;
      }
    }
    const follower = this.#follower();
    // The last message may have been lost: a task that has not begun with it by now rests as before.
    if (isResting(task.status.state)) follower.settleNow();
    yield* follower.resubscribe(undefined);
  }

  /** Says that the last messages may not have arrived, which a dead process was sending. */
  async *#doubt(count: number): Events {
    if (count === 0) return;
    const state = this.#state;
    const text = count === 1 ? unknownArrival : `Whether the upstream agent got the last ${count} messages is unknown`;
    const doubt = this.#about(text, new A2AError('upstreamUnreachable', 'The gateway stopped before it had answered'));
    // The question of a task that waits for its client stays.
    if (isResting(state.known.status.state)) state.doubt = doubt;
    else yield state.stayAtRest(doubt);
  }

  async #send(request: SendMessageRequest, former: UpstreamTurn | undefined): Promise<Step> {
    const { message } = request;
    let sent: SentMessage;
    try {
      // The end is on its way to the log, and names the message.
      if (former?.taskIsOver) throw new A2AError('unsupportedOperation', 'The agent has ended the task');
      // Before the former call of the run hands the task over: it goes on if the agent is unreachable.
      if (former) await this.#connection.open();
      if (this.#context.task) this.#state = await this.#takeOver(this.#context.task, message, former);
      await this.#connection.open();
      sent = await this.#prepare(request, Date.now());
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
    const { upstreamTask } = this.#state;
    const sending = this.#calls.send(sent);
    if (upstreamTask && !this.#connection.streams) return { rest: this.#pollUntilAnswered(upstreamTask, sending) };
    let reply: Reply;
    try {
      reply = await sending;
    } catch (thrown) {
      return { rest: this.#recover(thrown) };
    }
    return this.#stepOf(reply);
  }

  /** The message under the agent's ids and with its key, the same at each call for the same message. */
  async #prepare(request: SendMessageRequest, at: number, since = at): Promise<SentMessage> {
    const { message } = request;
    const { key: task, turn = 0 } = this.#context;
    const key = await this.#ids.messageKey(task, turn, message);
    const { boundTask } = this.#state;
    const upstreamTask = this.#state.upstreamTask ?? (await this.#idsForNewTask(key));
    const theirs = await this.#ids.toTheirs(message.referenceTaskIds);
    if (message.referenceTaskIds?.some((id) => !theirs.has(id))) this.#context.drop('message.referenceTaskIds');
    if (upstreamTask.id !== '') this.#state.upstreamTask ??= upstreamTask;
    const wait = this.#state.upstreamTask !== undefined;
    const newTaskId = boundTask ? undefined : upstreamTask.id || undefined;
    this.#sent = { request: requestToUpstream(request, upstreamTask, theirs), wait, key, newTaskId, at, since };
    return this.#sent;
  }

  async *#eventsOf(reply: Reply): Events {
    const { event, rest } = await this.#stepOf(reply);
    if (event) yield event;
    if (rest) yield* rest;
  }

  /** The first event of an answer, and how the turn goes on after it. */
  async #stepOf(reply: Reply): Promise<Step> {
    this.handOver.answered(isStream(reply));
    if (isStream(reply)) {
      const recover = (cause: A2AError): Events => this.#recoverStream(cause);
      const explain = (cause: A2AError): Message => {
        const { taskId, contextId } = this.#context;
        const { message } = this.#connection.errorForCaller(cause, this.#context, this.#state.upstreamTask);
        return agentMessage(message, { taskId, contextId });
      };
      return { rest: this.#follower().followStream(reply.events, recover, explain) };
    }
    const state = this.#state;
    const { message, task } = reply.value as SendMessageResponse;
    if (message) {
      const event = await state.applyMessage(message);
      return state.isFurther ? { event, rest: this.#follower().resubscribe(undefined) } : { event };
    }
    if (!task) {
      throw new A2AError('invalidAgentResponse', 'The upstream agent answered with neither a task nor a message');
    }
    const [event, ...others] = await state.newEvents(task, this.#context.awaited ? 'whole' : 'pieces');
    if (event) state.take(event);
    if (event && others.length === 0 && state.settled) return { event };
    return { event, rest: this.#followAnswer(others) };
  }

  /**
   * The ids for a new task: its context, if the agent knows it, and a task id for agents that expect the caller's. That is
   * made of the message's key, so that the task is found after a takeover.
   */
  async #idsForNewTask(key: string): Promise<UpstreamTask> {
    const contextId = this.#context.newContext ? undefined : await this.#ids.context(this.#context.contextId);
    if (this.#connection.choice?.dialect.callersName) return { id: key, contextId: contextId ?? newId() };
    return { id: '', contextId: contextId ?? '' };
  }

  /** The state of an existing task, from the turn that follows it now or from the store. */
  async #takeOver(task: Task, message: Message, former: UpstreamTurn | undefined): Promise<UpstreamTaskState> {
    await former?.idKnown;
    const upstreamTask = former?.boundTask ?? (await this.#ids.task(this.#context.key));
    if (!upstreamTask) throw new A2AError('invalidAgentResponse', 'The upstream agent does not know this task');
    const isFurther = former !== undefined && !isResting(former.task.status.state);
    if (former) this.handOver.follow(former);
    const known = former?.handOverTo(this) ?? task;
    const state = this.#newState(fold(structuredClone(known), { message }));
    state.bindTo(upstreamTask);
    state.isFurther = isFurther;
    return state;
  }

  /** While an agent without streams works on its answer, a task whose id is known is polled. */
  async *#pollUntilAnswered({ id }: UpstreamTask, sending: Promise<Reply>): Events {
    const state = this.#state;
    let answered = false;
    const onAnswer = (): void => {
      answered = true;
    };
    const done = sending.then(onAnswer, onAnswer);
    for (const pauses = backoff(); ; ) {
      await this.#wait.for(pauses.next(), done);
      if (answered || this.handOver.successor) break;
      const { eventCount } = state;
      // Some agents do not know the task before it is done.
      const task = await this.#calls.getOnce(id).catch(() => undefined);
      if (answered || this.handOver.successor) break;
      if (task) yield* state.applyTask(task, 'pieces');
      if (state.settled) return;
      if (state.eventCount !== eventCount) pauses.reset();
    }
    let reply: Reply;
    try {
      reply = await sending;
    } catch (thrown) {
      yield* this.#recover(thrown);
      return;
    }
    yield* this.#eventsOf(reply);
  }

  /** Follows the task after an answer that is not a stream. `others`: its events besides the first. */
  async *#followAnswer(others: readonly StreamResponse[]): Events {
    const state = this.#state;
    for (const event of others) yield state.take(event);
    if (state.settled) return;
    const follower = this.#follower();
    // An agent that answers when the task rests has reported its final state, even if nothing has changed.
    if (this.#context.task && this.#connection.answersAtRest) follower.settleNow();
    if (follower.isUnchanged()) yield state.stayAtRest();
    else yield* follower.poll();
  }

  /** After a failure of the stream that the message opened, without news. */
  async *#recoverStream(cause: A2AError): Events {
    let reply: Reply | undefined;
    try {
      reply = this.#sent && (await this.#calls.sendUnstreamed(this.#sent, cause));
    } catch (thrown) {
      yield* this.#recover(thrown);
      return;
    }
    if (reply) yield* this.#eventsOf(reply);
    else yield* this.#recover(cause);
  }

  /** After a failure to send the message. */
  #recover(thrown: unknown): Events {
    const error = A2AError.from(thrown);
    if (provesNothingRan(error)) markUndelivered(error);
    this.handOver.failed();
    if (this.handOver.successor) return this.#afterHandOver(error);
    return this.#context.task ? this.#recoverTask(error) : this.#recoverNewTask(error);
  }

  /** After a failure to open a task, of which the agent may know. */
  async *#recoverNewTask(error: A2AError): Events {
    const { upstreamTask, eventCount } = this.#state;
    if (error.kind === 'canceled' || (eventCount === 0 && isUndelivered(error))) throw error;
    if (!upstreamTask && !isNetworkFailure(error)) throw error;
    yield* this.#askForTask(error);
  }

  /**
   * Asks the agent for the task of a message whose answer was lost: by the message's key, by the id that the gateway chose
   * for the task, or in the agent's lists. Throws `cause` where the agent knows none of them.
   */
  async *#askForTask(cause: A2AError): Events {
    const state = this.#state;
    if (state.upstreamTask) {
      try {
        yield* this.#follower().resubscribe(cause);
        return;
      } catch (thrown) {
        throw state.eventCount === 0 ? cause : thrown;
      }
    }
    this.#searches += 1;
    if (!this.#sent || this.#searches > maxSearches) throw cause;
    const reply = await this.#sendAgain(cause);
    if (reply) {
      yield* this.#eventsOf(reply);
      return;
    }
    const { request, since } = this.#sent;
    const { message } = request;
    const task = await findTask({
      connection: this.#connection,
      context: this.#context,
      times: this.#times,
      wait: this.#wait,
      message,
      contextId: message.contextId ?? '',
      since,
      known: (ids) => this.#ids.toOurs(ids),
    }).catch(() => undefined);
    if (!task) throw cause;
    yield* state.applyTask(task, 'whole');
    if (!state.settled) yield* this.#follower().resubscribe(undefined);
  }

  /** Sends the message again where the agent honours its key; undefined where it does not, or refuses the key. */
  async #sendAgain(cause: A2AError): Promise<Reply | undefined> {
    const sent = this.#sent;
    if (!sent || !this.#connection.honoursKeys || Date.now() - sent.at > keyAge) return undefined;
    const { contextId, ...message } = sent.request.message;
    // The replica that sent the message may not have known the agent's id of the conversation.
    const mayLackContext = contextId !== undefined && message.taskId === undefined;
    const earlier = mayLackContext ? [{ ...sent, request: { ...sent.request, message } }] : [];
    for (const request of [sent, ...earlier]) {
      try {
        return await this.#calls.send(request, true);
      } catch (thrown) {
        const isConflict = A2AError.from(thrown).kind === 'idempotencyConflict';
        if (!isConflict) throw isNetworkFailure(thrown) ? cause : thrown;
      }
    }
    return undefined;
  }

  /**
   * After a failure to continue a task: the message was refused, or may not have arrived, or may have run. The agent is asked
   * for the task, which fails only if that fails too.
   */
  async *#recoverTask(error: A2AError): Events {
    const state = this.#state;
    if (error.kind === 'canceled' || error.kind === 'taskNotFound') throw error;
    const settleTime = isResting(state.known.status.state) ? this.#settleTimeAfter(error) : 0;
    const follower = this.#follower();
    if (settleTime > 0) {
      const isAnswered = !isNetworkFailure(error);
      state.doubt = this.#about(
        isAnswered ? 'The upstream agent may have acted on the message' : unknownArrival,
        error,
      );
      follower.settleWithin(settleTime);
      yield* this.#followAfter(error, follower);
      return;
    }
    const task = await this.#calls.getWithRetry(state.upstreamTask?.id ?? '', error).catch(() => {
      throw error;
    });
    if (state.isFurther) yield state.record(this.#nameLost(error, state.known));
    yield* state.applyTask(task, 'whole');
    if (state.settled) return;
    if (isUndelivered(error)) await this.#context.undelivered();
    if (!state.isFurther) yield state.stayAtRest(this.#about(notAccepted, error));
    if (!state.settled) yield* follower.resubscribe(undefined);
  }

  /** After a failure of a message whose task the next turn follows. */
  async *#afterHandOver(error: A2AError): Events {
    if (error.kind === 'canceled') return;
    this.handOver.hasFailed = true;
    const task = this.#lastTask;
    const event = this.#nameLost(error, task);
    // The question of a task that waits for its client stays.
    if (!isResting(task.status.state)) yield event;
  }

  /** Names a message as refused by the agent, or says that its arrival is unknown. The event of it leaves the state as it is. */
  #nameLost(error: A2AError, { status }: Pick<Task, 'status'>): StreamResponse {
    const isRefused = isUndelivered(error) || !isNetworkFailure(error);
    if (isRefused) this.#context.refused?.();
    const { taskId, contextId } = this.#context;
    const message = this.#about(isRefused ? notAccepted : unknownArrival, error);
    return { statusUpdate: { taskId, contextId, status: { state: status.state, message } } };
  }

  /** The agent's message about an error, after a text that says what it means. */
  #about(text: string, error: A2AError): Message {
    const { taskId, contextId } = this.#context;
    const { message } = this.#connection.errorForCaller(error, this.#context, this.#state.upstreamTask);
    return agentMessage(`${text}: ${message}`, { taskId, contextId });
  }

  /** Follows a task after an error about a message to it. Throws that error where the agent reports nothing. */
  async *#followAfter(error: A2AError, follower: TaskFollower): Events {
    const { eventCount } = this.#state;
    try {
      yield* follower.resubscribe(error);
    } catch (thrown) {
      throw this.#state.eventCount === eventCount ? error : thrown;
    }
  }

  /** Milliseconds in which a task may show that its agent works on a message although the call of it failed. */
  #settleTimeAfter(error: A2AError): number {
    const { settle } = this.#times;
    if (isUndelivered(error) || refusals.has(error.kind)) return 0;
    // An agent whose card offers streams may refuse one after it has begun to work.
    if (isNetworkFailure(error) || error.kind === 'unsupportedOperation') return settle;
    return Math.min(settle, answeredSettleTime);
  }

  #follower(): TaskFollower {
    return new TaskFollower(this.#state, this.#calls, this.#wait, this.#times);
  }

  get #wait(): InterruptibleWait {
    this.#lazyWait ??= new InterruptibleWait(this.#stop.signal);
    return this.#lazyWait;
  }

  #newState(known?: Task, opening?: Message): UpstreamTaskState {
    return new UpstreamTaskState(this.#context, this.#ids, this.#bound, known, opening);
  }
}

/** Errors about the message itself: the agent has not begun to work on it. */
const refusals: ReadonlySet<ErrorKind> = new Set([
  'parse',
  'invalidRequest',
  'invalidParams',
  'payloadTooLarge',
  'contentTypeNotSupported',
  'extensionSupportRequired',
  'versionNotSupported',
  'taskGenerationMismatch',
  'idempotencyConflict',
  'unauthenticated',
  'permissionDenied',
]);
const notAccepted = 'The upstream agent did not accept the message';
const unknownArrival = 'Whether the upstream agent got the message is unknown';
/** Milliseconds in which an agent that has answered with an error may report work on the message. */
const answeredSettleTime = 1_000;

/** Milliseconds after which a key is not relied on, which agents keep for a day. */
const keyAge = 20 * 60 * 60 * 1_000;
/** Largest number of searches for the task of a message, if each answer is lost. */
const maxSearches = 3;

const interrupted = (): A2AError =>
  new A2AError(
    'upstreamUnreachable',
    'The gateway stopped before the upstream agent had answered; whether the agent works on this task is unknown.',
  );

async function* only(event: StreamResponse): Events {
  yield event;
}

/** Something that happens once. A promise for it is created only when something waits for it. */
class Moment {
  #isReached = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  get reached(): Promise<void> {
    if (this.#isReached) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  reach(): void {
    this.#isReached = true;
    this.#waiting?.resolve();
  }
}
