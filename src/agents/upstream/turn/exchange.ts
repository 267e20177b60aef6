import type {
  Message,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
} from '../../../core/model/a2a.ts';
import type { RunContext, UnansweredMessage, UpstreamTask } from '../../../core/model/agent.ts';
import { isStream, type Reply } from '../../../core/model/call.ts';
import { A2AError, markUndelivered } from '../../../core/model/errors.ts';
import { newId } from '../../../core/model/ids.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import type { UpstreamConnection } from '../connection/connection.ts';
import { type IdMapping, requestToUpstream } from '../ids.ts';
import { errorMessage } from './failed-message.ts';
import type { HandOver } from './hand-over.ts';
import { type DatedMessage, MessageRecovery } from './recovery.ts';
import { TaskCalls, type TurnTimes } from './task-calls.ts';
import { TaskFollower } from './task-follower.ts';
import { type Events, UpstreamTaskState } from './task-state.ts';
import { backoff, InterruptibleWait } from './waits.ts';

/** One step of an exchange: an event, and the events that may follow. */
export interface Step {
  readonly event?: StreamResponse | undefined;
  readonly rest?: Events;
}

/** The dependencies that a turn and its exchange share. */
export interface ExchangeParts {
  readonly connection: UpstreamConnection;
  readonly ids: IdMapping;
  readonly context: RunContext;
  readonly times: TurnTimes;
}

/** The members of a turn that its exchange uses. */
interface ExchangeTurn {
  readonly handOver: HandOver;
  /** Reached when the task's ids at the agent are known. */
  readonly bound: { reach(): void };
  /** Aborted at the end of the turn. */
  readonly signal: AbortSignal;
}

/**
 * The exchange of one turn with the agent: sends the message, reads the answer, and follows the task until it rests. To continue
 * after the death of a process, it resumes the task instead, with the message that the process may not have sent.
 */
export class MessageExchange {
  /** The task, with all events so far. Another object once the exchange continues an existing task. */
  state: UpstreamTaskState;
  readonly #parts: ExchangeParts;
  readonly #turn: ExchangeTurn;
  readonly #calls: TaskCalls;
  #sent: DatedMessage | undefined;
  #lazyWait: InterruptibleWait | undefined;
  #lazyRecovery: MessageRecovery | undefined;

  /** @param opening the message, if it may open a task */
  constructor(parts: ExchangeParts, turn: ExchangeTurn, opening: Message | undefined) {
    const { connection, context, ids, times } = parts;
    this.#parts = parts;
    this.#turn = turn;
    this.#calls = new TaskCalls(connection, context, times, turn.signal);
    this.state = new UpstreamTaskState(context, ids, turn.bound, undefined, opening);
  }

  /** Whether the message is ready to be sent, or was sent. */
  get hasSent(): boolean {
    return this.#sent !== undefined;
  }

  /** Gets the task at once instead of after the current pause. */
  pollNow(): void {
    this.#lazyWait?.interrupt();
  }

  /** A new follower of the task. */
  follower(): TaskFollower {
    return new TaskFollower(this.state, this.#calls, this.#wait, this.#parts.times);
  }

  /**
   * Continues an existing task from now on.
   *
   * @param task its object is modified
   * @param upstreamTask its ids at the agent; undefined: they are not known yet
   * @param isFurther whether the message came while the agent worked on an earlier one
   */
  continueTask(task: Task, upstreamTask: UpstreamTask | undefined, isFurther = false): void {
    const { context, ids } = this.#parts;
    this.state = new UpstreamTaskState(context, ids, this.#turn.bound, task);
    this.state.isFurther = isFurther;
    if (upstreamTask) this.state.bindTo(upstreamTask);
  }

  /** Resumes a task that a dead process followed, and the message that it may not have sent. */
  async *resume(task: Task, unanswered: UnansweredMessage | undefined): Events {
    const { context, ids } = this.#parts;
    const upstreamTask = await ids.task(context.key);
    this.continueTask(structuredClone(task), upstreamTask);
    // A message that continues a task cannot be sent if the agent has not named the task: it would open another one.
    if (!upstreamTask && (!unanswered || context.turn !== 1)) throw interrupted();
    if (unanswered) {
      await this.#calls.opened();
      await this.#prepare(unanswered.request, Date.now() - unanswered.age, unanswered.at);
      if (!upstreamTask) {
        yield* this.#recovery.askForTask(interrupted());
        return;
      }
      const reply = await this.#recovery.sendAgain(interrupted());
      // An agent that has named the task has received the message that opened it.
      const own = reply || context.turn === 1 ? 0 : 1;
      yield* this.#recovery.doubtLast(own + (unanswered.earlier ?? 0));
      if (reply) {
        yield* this.#eventsOf(reply);
        return;
      }
    }
    const follower = this.follower();
    // The last message may have been lost. If the task has not begun with it by now, it rests as before.
    if (isResting(task.status.state)) follower.settleNow();
    yield* follower.resubscribe(undefined);
  }

  /** Sends the message. If it was not sent, rejects with an error that is marked as undelivered. */
  async send(request: SendMessageRequest): Promise<Step> {
    const { connection } = this.#parts;
    let sent: DatedMessage;
    try {
      await connection.open();
      sent = await this.#prepare(request, Date.now());
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
    const { upstreamTask } = this.state;
    const sending = this.#calls.send(sent);
    if (upstreamTask && !connection.streams) return { rest: this.#pollUntilAnswered(upstreamTask, sending) };
    let reply: Reply;
    try {
      reply = await sending;
    } catch (thrown) {
      return { rest: this.#recovery.recover(thrown) };
    }
    return this.#stepOf(reply);
  }

  /** The message with the agent's ids and its key. Each call for one message returns an equal result. */
  async #prepare(request: SendMessageRequest, at: number, since = at): Promise<DatedMessage> {
    const { context, ids } = this.#parts;
    const { state } = this;
    const { message } = request;
    const { key: task, turn = 0 } = context;
    const key = await ids.messageKey(task, turn, message);
    const { boundTask } = state;
    const upstreamTask = state.upstreamTask ?? (await this.#idsForNewTask(key));
    const theirs = await ids.toTheirs(message.referenceTaskIds);
    if (message.referenceTaskIds?.some((id) => !theirs.has(id))) context.drop('message.referenceTaskIds');
    if (upstreamTask.id !== '') state.upstreamTask ??= upstreamTask;
    const wait = state.upstreamTask !== undefined;
    const newTaskId = boundTask ? undefined : upstreamTask.id || undefined;
    this.#sent = { request: requestToUpstream(request, upstreamTask, theirs), wait, key, newTaskId, at, since };
    return this.#sent;
  }

  /**
   * The ids for a new task: its context, if the agent knows it, and a task id for agents that expect the caller's. The task id is
   * the message's key, so that the task is found after a takeover.
   */
  async #idsForNewTask(key: string): Promise<UpstreamTask> {
    const { connection, context, ids } = this.#parts;
    const contextId = context.newContext ? undefined : await ids.context(context.contextId);
    if (connection.choice?.dialect.callersName) return { id: key, contextId: contextId ?? newId() };
    return { id: '', contextId: contextId ?? '' };
  }

  async *#eventsOf(reply: Reply): Events {
    const { event, rest } = await this.#stepOf(reply);
    if (event) yield event;
    if (rest) yield* rest;
  }

  /** The first event of an answer, and the events that follow. */
  async #stepOf(reply: Reply): Promise<Step> {
    const { connection, context } = this.#parts;
    const { state } = this;
    this.#turn.handOver.answered(isStream(reply));
    if (isStream(reply)) {
      const recover = (cause: A2AError): Events => this.#recovery.recoverStream(cause);
      const explain = (cause: A2AError): Message => errorMessage(cause, { connection, context, state });
      return { rest: this.follower().followStream(reply.events, recover, explain) };
    }
    const { message, task } = reply.value as SendMessageResponse;
    if (message) {
      const event = await state.applyMessage(message);
      return state.isFurther ? { event, rest: this.follower().resubscribe(undefined) } : { event };
    }
    if (!task) {
      throw new A2AError('invalidAgentResponse', 'The upstream agent answered with neither a task nor a message');
    }
    const [event, ...others] = await state.newEvents(task, context.awaited ? 'whole' : 'pieces');
    if (event) state.take(event);
    if (event && others.length === 0 && state.settled) return { event };
    return { event, rest: this.#followAnswer(others) };
  }

  /** Polls a task whose id is known while an agent without streams works on its answer. */
  async *#pollUntilAnswered({ id }: UpstreamTask, sending: Promise<Reply>): Events {
    const { state } = this;
    const { handOver } = this.#turn;
    let answered = false;
    const onAnswer = (): void => {
      answered = true;
    };
    const done = sending.then(onAnswer, onAnswer);
    for (const pauses = backoff(); ; ) {
      await this.#wait.for(pauses.next(), done);
      if (answered || handOver.successor) break;
      const { eventCount } = state;
      // Some agents do not know the task before it is done.
      const task = await this.#calls.getOnce(id).catch(() => undefined);
      if (answered || handOver.successor) break;
      if (task) yield* state.applyTask(task, 'pieces');
      if (state.settled) return;
      if (state.eventCount !== eventCount) pauses.reset();
    }
    let reply: Reply;
    try {
      reply = await sending;
    } catch (thrown) {
      yield* this.#recovery.recover(thrown);
      return;
    }
    yield* this.#eventsOf(reply);
  }

  /** Follows the task after an answer that is not a stream. `others` are the events of the answer after the first. */
  async *#followAnswer(others: readonly StreamResponse[]): Events {
    const { connection, context } = this.#parts;
    const { state } = this;
    for (const event of others) yield state.take(event);
    if (state.settled) return;
    const follower = this.follower();
    // An agent that answers when the task rests has reported its final state, even if nothing has changed.
    if (context.task && connection.answersAtRest) follower.settleNow();
    if (follower.isUnchanged()) yield state.stayAtRest();
    else yield* follower.poll();
  }

  /** The recovery of the message, which must have been prepared. */
  get #recovery(): MessageRecovery {
    const sent = this.#sent;
    if (!sent) throw new Error('No message was prepared');
    this.#lazyRecovery ??= new MessageRecovery({
      ...this.#parts,
      sent,
      state: this.state,
      handOver: this.#turn.handOver,
      calls: this.#calls,
      wait: this.#wait,
      eventsOf: (reply) => this.#eventsOf(reply),
    });
    return this.#lazyRecovery;
  }

  get #wait(): InterruptibleWait {
    this.#lazyWait ??= new InterruptibleWait(this.#turn.signal);
    return this.#lazyWait;
  }
}

const interrupted = (): A2AError =>
  new A2AError(
    'upstreamUnreachable',
    'The gateway stopped before the upstream agent had answered; whether the agent works on this task is unknown.',
  );
