import type { Message } from '../../../core/model/a2a.ts';
import type { Reply } from '../../../core/model/call.ts';
import { A2AError, type ErrorKind, isUndelivered, markUndelivered } from '../../../core/model/errors.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { isNetworkFailure } from '../../../net/network-errors.ts';
import { provesNothingRan } from '../../../net/nothing-ran.ts';
import type { IdMapping } from '../ids.ts';
import {
  errorMessage,
  type FailedTurn,
  failAfterHandOver,
  failureEvent,
  notAccepted,
  unknownArrival,
} from './failed-message.ts';
import { findTask } from './find-task.ts';
import type { SentMessage, TaskCalls, TurnTimes } from './task-calls.ts';
import { TaskFollower } from './task-follower.ts';
import type { Events } from './task-state.ts';
import type { InterruptibleWait } from './waits.ts';

/** A message with the time of its sending, in milliseconds since the epoch, by two clocks. */
export interface DatedMessage extends SentMessage {
  /** Time by this machine's clock. */
  readonly at: number;
  /** Time by the clock of all replicas. */
  readonly since: number;
}

/** The parts of a turn that its recovery uses. */
export interface RecoveryParts extends FailedTurn {
  readonly ids: IdMapping;
  readonly times: TurnTimes;
  readonly calls: TaskCalls;
  readonly wait: InterruptibleWait;
  readonly sent: DatedMessage;
  /** Returns the events of an answer. */
  readonly eventsOf: (reply: Reply) => Events;
}

/**
 * Goes on with a turn whose message, or the answer to it, has failed: finds out whether the agent has the message, sends it again
 * if that is safe, and follows the task that the agent works on.
 */
export class MessageRecovery {
  readonly #parts: RecoveryParts;
  /** Number of searches for the task of the message. */
  #searches = 0;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Recovers from a failure of the stream that the message opened, if the stream has delivered nothing new. */
  async *recoverStream(cause: A2AError): Events {
    const { calls, eventsOf, sent } = this.#parts;
    let reply: Reply | undefined;
    try {
      reply = await calls.sendUnstreamed(sent, cause);
    } catch (thrown) {
      yield* this.recover(thrown);
      return;
    }
    if (reply) yield* eventsOf(reply);
    else yield* this.recover(cause);
  }

  /** Recovers from a failure to send the message. */
  recover(thrown: unknown): Events {
    const { context, handOver } = this.#parts;
    const error = A2AError.from(thrown);
    if (provesNothingRan(error)) markUndelivered(error);
    handOver.failed();
    if (handOver.successor) return failAfterHandOver(error, this.#parts);
    return context.task ? this.#recoverTask(error) : this.#recoverNewTask(error);
  }

  /** Recovers from a failure to open a task, which the agent may have opened nevertheless. */
  async *#recoverNewTask(error: A2AError): Events {
    const { upstreamTask, eventCount } = this.#parts.state;
    if (error.kind === 'canceled' || (eventCount === 0 && isUndelivered(error))) throw error;
    if (!upstreamTask && !isNetworkFailure(error)) throw error;
    yield* this.askForTask(error);
  }

  /**
   * Asks the agent for the task of a message whose answer was lost: by the message's key, by the id that the gateway chose for
   * the task, or in the agent's lists. Throws `cause` if none of these finds the task.
   */
  async *askForTask(cause: A2AError): Events {
    const { connection, context, eventsOf, ids, sent, state, times, wait } = this.#parts;
    if (state.upstreamTask) {
      try {
        yield* this.#follower().resubscribe(cause);
        return;
      } catch (thrown) {
        throw state.eventCount === 0 ? cause : thrown;
      }
    }
    this.#searches += 1;
    if (this.#searches > maxSearches) throw cause;
    const reply = await this.sendAgain(cause);
    if (reply) {
      yield* eventsOf(reply);
      return;
    }
    const { message } = sent.request;
    const task = await findTask({
      connection,
      context,
      times,
      wait,
      message,
      contextId: message.contextId ?? '',
      since: sent.since,
      known: (listed) => ids.toOurs(listed),
    }).catch(() => undefined);
    if (!task) throw cause;
    yield* state.applyTask(task, 'whole');
    if (!state.settled) yield* this.#follower().resubscribe(undefined);
  }

  /** Sends the message again if the agent honours its key; undefined if it does not, or if it refuses the key. */
  async sendAgain(cause: A2AError): Promise<Reply | undefined> {
    const { calls, connection, sent } = this.#parts;
    if (!connection.honoursKeys || Date.now() - sent.at > keyAge) return undefined;
    const { contextId, ...message } = sent.request.message;
    // The replica that sent the message may not have known the agent's id of the conversation.
    const mayLackContext = contextId !== undefined && message.taskId === undefined;
    const earlier = mayLackContext ? [{ ...sent, request: { ...sent.request, message } }] : [];
    for (const request of [sent, ...earlier]) {
      try {
        return await calls.send(request, true);
      } catch (thrown) {
        const isConflict = A2AError.from(thrown).kind === 'idempotencyConflict';
        if (!isConflict) throw isNetworkFailure(thrown) ? cause : thrown;
      }
    }
    return undefined;
  }

  /** Reports that the last `count` messages may not have arrived, because a process died while it was sending them. */
  async *doubtLast(count: number): Events {
    if (count === 0) return;
    const { state } = this.#parts;
    const text = count === 1 ? unknownArrival : `Whether the upstream agent got the last ${count} messages is unknown`;
    const stopped = new A2AError('upstreamUnreachable', 'The gateway stopped before it had answered');
    const doubt = this.#about(text, stopped);
    // The question of a task that waits for its client stays.
    if (isResting(state.known.status.state)) state.doubt = doubt;
    else yield state.stayAtRest(doubt);
  }

  /**
   * Recovers from a failure to continue a task: the message was refused, or may not have arrived, or may have run. The agent is
   * asked for the task; the task fails only if that call fails, too.
   */
  async *#recoverTask(error: A2AError): Events {
    const { calls, context, state } = this.#parts;
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
    const task = await calls.getWithRetry(state.upstreamTask?.id ?? '', error).catch(() => {
      throw error;
    });
    if (state.isFurther) yield state.record(failureEvent(error, state.known, this.#parts));
    yield* state.applyTask(task, 'whole');
    if (state.settled) return;
    if (isUndelivered(error)) await context.undelivered();
    if (!state.isFurther) yield state.stayAtRest(this.#about(notAccepted, error));
    if (!state.settled) yield* follower.resubscribe(undefined);
  }

  /** Follows a task after an error about a message to it. Throws that error if the agent reports nothing new. */
  async *#followAfter(error: A2AError, follower: TaskFollower): Events {
    const { state } = this.#parts;
    const { eventCount } = state;
    try {
      yield* follower.resubscribe(error);
    } catch (thrown) {
      throw state.eventCount === eventCount ? error : thrown;
    }
  }

  /** Milliseconds in which a task may show that its agent works on a message although the call of it failed. */
  #settleTimeAfter(error: A2AError): number {
    const { settle } = this.#parts.times;
    if (isUndelivered(error) || refusals.has(error.kind)) return 0;
    // An agent whose card offers streams may refuse one after it has begun to work.
    if (isNetworkFailure(error) || error.kind === 'unsupportedOperation') return settle;
    return Math.min(settle, answeredSettleTime);
  }

  #about(meaning: string, error: A2AError): Message {
    return errorMessage(error, this.#parts, meaning);
  }

  #follower(): TaskFollower {
    const { calls, state, times, wait } = this.#parts;
    return new TaskFollower(state, calls, wait, times);
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
/** Milliseconds in which an agent that has answered with an error may report work on the message. */
const answeredSettleTime = 1_000;
/** Milliseconds for which a key is relied on. Agents keep keys for a day. */
const keyAge = 20 * 60 * 60 * 1_000;
/** Largest number of searches for the task of one message. */
const maxSearches = 3;
