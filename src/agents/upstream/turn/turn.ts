import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, SendMessageRequest, StreamResponse, Task, TaskStatus } from '../../../core/model/a2a.ts';
import type { UnansweredMessage, UpstreamTask } from '../../../core/model/agent.ts';
import { A2AError, markUndelivered } from '../../../core/model/errors.ts';
import { fold } from '../../../core/model/fold.ts';
import { isResting, isTerminal } from '../../../core/model/lifecycle.ts';
import { brokenStream } from '../../../core/model/streams.ts';
import { type ExchangeParts, MessageExchange, type Step } from './exchange.ts';
import { failAfterHandOver } from './failed-message.ts';
import { HandOver } from './hand-over.ts';
import type { Events } from './task-state.ts';

/** Reason with which the requests of a turn are aborted at its end. */
const turnOver = new A2AError('canceled', 'The turn is over.');

/** Milliseconds in which an agent must name the task of a message, if the task is over here and must be canceled at the agent. */
export const namingTimeout = 5_000;

/** The dependencies of one turn. */
export interface TurnParts extends ExchangeParts {
  /** Called when the turn is over. */
  readonly onEnd: (turn: UpstreamTurn) => void;
}

/**
 * The work of a turn: a message for the agent, with the turn that follows the same task at the moment, or a task to be resumed.
 */
type Work =
  | { readonly request: SendMessageRequest; readonly former: UpstreamTurn | undefined }
  | { readonly task: Task; readonly unanswered: UnansweredMessage | undefined };

/**
 * One turn of an upstream task. The run of the task iterates it once, for its events under the gateway's ids. The turn's
 * exchange sends the message, or resumes the task, and follows the task until it rests. The turn begins and ends the exchange,
 * and hands the task over when a later turn of the run takes it.
 *
 * Most turns are over with the answer to their message, which is one event. The parts that follow a task are created
 * only when the answer leaves something to follow.
 */
export class UpstreamTurn implements AsyncIterableIterator<StreamResponse, void> {
  readonly #parts: TurnParts;
  readonly #stop = new AbortController();
  readonly #abort = (): void => {
    const { reason } = this.#parts.context.signal;
    const exchange = this.#exchange;
    // The agent may be working on a task that it has not named yet. Until it names the task, it cannot be asked to cancel it.
    if (!exchange.state.upstreamTask && exchange.hasSent)
      void Promise.race([this.idKnown, sleep(namingTimeout, undefined, { ref: false })]).then(() =>
        this.#stop.abort(reason),
      );
    else this.#stop.abort(reason);
  };
  /** The state of this turn among the turns of its run. */
  readonly handOver = new HandOver();
  readonly #bound = new Moment();
  readonly #over = new Moment();
  readonly #exchange: MessageExchange;
  /** Work that has not begun yet. */
  #work: Work | undefined;
  /** The events after the first step. Undefined if there are none. */
  #following: Events | undefined;

  constructor(parts: TurnParts, work: Work) {
    this.#parts = parts;
    this.#work = work;
    const turn = { handOver: this.handOver, bound: this.#bound, signal: this.#stop.signal };
    this.#exchange = new MessageExchange(parts, turn, 'request' in work ? work.request.message : undefined);
  }

  /** The task's ids at the agent, once they are known or chosen. */
  get upstreamTask(): UpstreamTask | undefined {
    return this.#exchange.state.upstreamTask;
  }

  /** The task's ids at the agent once the core knows them and stores them before any later event. */
  get boundTask(): UpstreamTask | undefined {
    return this.#exchange.state.boundTask;
  }

  /** Resolves when the task's ids at the agent are known, or when the turn has ended without them. */
  get idKnown(): Promise<void> {
    return Promise.race([this.#bound.reached, this.ended]);
  }

  /** Resolves when the turn is over. */
  get ended(): Promise<void> {
    return this.#over.reached;
  }

  /** The task with all events so far, of which the latest may not be durable yet. */
  get task(): Task {
    return this.#exchange.state.known;
  }

  /** Whether the agent has reported the end of the task. */
  get taskIsOver(): boolean {
    return isTerminal(this.#exchange.state.known.status.state);
  }

  /**
   * Stops this turn because another turn of the same task takes over. It yields no more events of the agent, and ends with its
   * successor. A message that was sent arrives first. Returns the task with all events so far, of which the latest may not be
   * durable yet.
   */
  handOverTo(successor: UpstreamTurn): Task {
    this.handOver.successor = successor;
    if (this.handOver.isDelivered) this.#stop.abort(new A2AError('canceled', 'Another turn follows the task.'));
    else this.pollNow();
    return this.#exchange.state.known;
  }

  /** Gets the task at once instead of after the current pause. */
  pollNow(): void {
    this.#exchange.pollNow();
  }

  /**
   * Notes that the agent is asked to cancel the task. The message of its answer becomes part of the status with which the task
   * ends.
   */
  expectCancellation(answer: Promise<TaskStatus>): void {
    this.#exchange.state.cancellation = answer.catch(() => undefined);
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

  /** Takes the first step: sends the message, and returns the answer if it is the only event. */
  async #begin(work: Work): Promise<IteratorResult<StreamResponse, void>> {
    this.#listen();
    if ('request' in work) this.handOver.sends();
    try {
      const { event, rest }: Step =
        'request' in work
          ? await this.#send(work.request, work.former)
          : { rest: this.#exchange.resume(work.task, work.unanswered) };
      const { successor, hasEarlier } = this.handOver;
      if (event && successor) this.#following = this.#follow(only(event));
      else if (rest || successor || !this.#exchange.state.done) this.#following = this.#follow(rest);
      if (event && !successor) {
        if (hasEarlier) await this.handOver.untilDelivered(event);
        return { done: false, value: event };
      }
    } catch (thrown) {
      const error = A2AError.from(thrown);
      this.handOver.failed();
      this.#following = this.#follow(this.handOver.successor ? this.#failed(error) : brokenStream(error));
    }
    return this.next();
  }

  /** Listens for the end of the context's signal. Has the effect of AbortSignal.any at an eighth of its cost. */
  #listen(): void {
    const { signal } = this.#parts.context;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** The events after the first step. Watches a task that may continue, and ends with the successor. */
  async *#follow(rest: AsyncIterable<StreamResponse> | undefined): Events {
    try {
      if (rest) yield* this.#eventsUntilHandOver(rest);
      if (!this.handOver.successor && !this.#exchange.state.done) yield* this.#exchange.follower().watchAtRest();
    } catch (thrown) {
      const { connection, context } = this.#parts;
      if (!this.handOver.successor) throw connection.errorForCaller(thrown, context, this.upstreamTask);
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
        if (event === this.#exchange.state.word) yield* this.#lastWord(event);
        return;
      }
    }
  }

  /** The Message that answers the turn's own message, after the hand-over. A question of the agent is asked again after it. */
  async *#lastWord(word: StreamResponse): Events {
    yield word;
    const { taskId, contextId } = this.#parts.context;
    const { status } = this.handOver.last?.task ?? this.task;
    if (isResting(status.state) && !isTerminal(status.state)) yield { statusUpdate: { taskId, contextId, status } };
  }

  /** Ends the turn, and releases everything that it holds. */
  #end(): void {
    this.#parts.context.signal.removeEventListener('abort', this.#abort);
    this.#following = undefined;
    this.#over.reach();
    this.#parts.onEnd(this);
  }

  /** Sends the message. If the task already exists, takes it over first. */
  #send(request: SendMessageRequest, former: UpstreamTurn | undefined): Promise<Step> {
    const exchange = this.#exchange;
    if (!this.#parts.context.task && !former) return exchange.send(request);
    return this.#takeOver(request.message, former).then(() => exchange.send(request));
  }

  /** Takes over an existing task from the turn that follows it, or from the store. */
  async #takeOver(message: Message, former: UpstreamTurn | undefined): Promise<void> {
    const { connection, context } = this.#parts;
    try {
      // The end of the task is being written to the log, and names the message.
      if (former?.taskIsOver) throw new A2AError('unsupportedOperation', 'The agent has ended the task');
      // Connects before the former call of the run hands the task over: that call goes on if the agent is unreachable.
      if (former) await connection.open();
      if (context.task) await this.#continueTask(context.task, message, former);
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
  }

  async #continueTask(task: Task, message: Message, former: UpstreamTurn | undefined): Promise<void> {
    const { context, ids } = this.#parts;
    await former?.idKnown;
    const upstreamTask = former?.boundTask ?? (await ids.task(context.key));
    if (!upstreamTask) throw new A2AError('invalidAgentResponse', 'The upstream agent does not know this task');
    const isFurther = former !== undefined && !isResting(former.task.status.state);
    if (former) this.handOver.follow(former);
    const known = former?.handOverTo(this) ?? task;
    this.#exchange.continueTask(fold(structuredClone(known), { message }), upstreamTask, isFurther);
  }

  /** The events of a turn that has handed its task over, after it failed to send its message. */
  #failed(error: A2AError): Events {
    const { connection, context } = this.#parts;
    return failAfterHandOver(error, { connection, context, state: this.#exchange.state, handOver: this.handOver });
  }
}

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
