import type { SendMessageRequest, Task } from '../../../core/model/a2a.ts';
import type { RunContext } from '../../../core/model/agent.ts';
import { isStream, type LoggedEvent, type Reply } from '../../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../../core/model/errors.ts';
import { steadyNow } from '../../../core/model/timing.ts';
import type { OperationName, RequestOf } from '../../../gen/services.ts';
import { isNetworkFailure, neverArrived, neverTried } from '../../../net/network-errors.ts';
import { proofOf } from '../../../net/nothing-ran.ts';
import { retry } from '../../../net/retry.ts';
import { type CallBounds, callUpstream, isUnsupported, upstreamValue } from '../calls.ts';
import type { UpstreamConnection } from '../connection/connection.ts';
import { unreadableEnd, unreadableState } from '../unread.ts';
import { saysNothing } from './task-state.ts';

/** Time limits of a turn in milliseconds, and its number of attempts. */
export interface TurnTimes {
  /** Longest time without a sign of life of the agent. Beyond it the task fails. */
  readonly silence: number;
  /** Time limit of one short call. */
  readonly call: number;
  /** Attempts to get a task, including the first. `silence` may end them earlier. */
  readonly attempts: number;
  /** The longest pause between two of these attempts. */
  readonly pause: number;
  /** Silence of a stream that has reported nothing but the task, after which the task is polled once. */
  readonly quiet: number;
  /** Silence of a stream that has reported more, after which the task is polled once. */
  readonly pulse: number;
  /**
   * Time for attempts to reach the agent again after a broken stream or an early end. An agent that does not restart within it
   * has crashed.
   */
  readonly restart: number;
  /** Time after which a task that rests as before the message counts as settled. */
  readonly settle: number;
}

/** Temporary failures besides those of the network. An open circuit breaker is one of them. */
const overloadKinds: ReadonlySet<ErrorKind> = new Set(['unavailable', 'tooManyRequests']);

/** Failures that rarely pass. */
const brokenAnswerKinds: ReadonlySet<ErrorKind> = new Set(['internal', 'agentError', 'invalidAgentResponse']);
const maxBrokenAnswers = 3;

/** Errors about the request itself, which say nothing about the work on it. */
const requestErrors: ReadonlySet<ErrorKind> = new Set([
  ...(['parse', 'invalidRequest', 'invalidParams', 'payloadTooLarge'] as const),
  ...(['contentTypeNotSupported', 'extensionSupportRequired', 'versionNotSupported'] as const),
  ...(['unsupportedOperation', 'pushNotificationNotSupported'] as const),
  ...(['unauthenticated', 'permissionDenied'] as const),
]);

/** A message for the agent, which may be sent several times. */
export interface SentMessage {
  readonly request: SendMessageRequest;
  /** Whether an answer that is not a stream may arrive only when the task rests. */
  readonly wait: boolean;
  /** The message's idempotency key at the agent. */
  readonly key: string;
  /** Id that the gateway has chosen for the task that the message opens. */
  readonly newTaskId?: string | undefined;
}

/** The reason to doubt an agent whose stream ended early but did not break. */
const endedEarly = new A2AError('invalidAgentResponse', 'its stream ended before the task did');

/** Causes of silence errors, by these errors. */
const reasons = new WeakMap<A2AError, A2AError>();

/** The calls of one turn about one task. Also records when the agent last gave a sign of life. */
export class TaskCalls {
  readonly #connection: UpstreamConnection;
  readonly #context: RunContext;
  readonly #times: TurnTimes;
  readonly #signal: AbortSignal;
  #livedAt = steadyNow();
  /** Set after a broken stream: the reason why an unchanged answer is not a sign of life. */
  #doubt: A2AError | undefined;
  /** The state in the last answer as JSON, if it cannot be read. */
  #unreadable: string | undefined;
  /** The last answer of an agent in doubt, as JSON text, because the task object is modified later. */
  #lastAnswer: string | undefined;

  constructor(connection: UpstreamConnection, context: RunContext, times: TurnTimes, signal: AbortSignal) {
    this.#connection = connection;
    this.#context = context;
    this.#times = times;
    this.#signal = signal;
  }

  /**
   * Sends a message under its key. It is sent again if it cannot have arrived and, to an agent that honours keys, even if it may
   * have arrived, until the agent answers or has been silent for too long. Resolves with a stream if the agent streams.
   *
   * @param mayHaveArrived whether it was sent before
   */
  async send({ request, wait, key, newTaskId }: SentMessage, mayHaveArrived = false): Promise<Reply> {
    const { onRetry, honoursKeys } = this.#connection;
    let isInDoubt = mayHaveArrived;
    let refusals = 0;
    const repeatable = (error: unknown): boolean => {
      const { kind } = A2AError.from(error);
      const mayPass = isNetworkFailure(error) || overloadKinds.has(kind);
      const isRefused = neverArrived(error) || neverTried(error) || kind === 'tooManyRequests';
      if (honoursKeys && mayPass && !isRefused) isInDoubt = true;
      if (isInDoubt) return mayPass;
      refusals += 1;
      return neverArrived(error) && refusals < 3;
    };
    const attempt = async (): Promise<Reply> => {
      await this.#connection.open();
      // The turn may outlive its task for a moment, and must then send nothing more.
      this.#context.signal.throwIfAborted();
      const { streams, gateway } = this.#connection;
      const path = gateway && (await this.#context.outgoing?.path?.());
      const sent = { idempotencyKey: key, newTaskId, ...(path !== undefined && { path }) };
      if (streams) {
        try {
          return await this.#stream('SendStreamingMessage', request, sent);
        } catch (thrown) {
          if (!this.#isAbsent(thrown)) throw thrown;
        }
      }
      const { way } = this.#connection;
      const configuration = { ...request.configuration, ...(!wait && { returnImmediately: true }) };
      const reply = await this.#call('SendMessage', { ...request, configuration }, sent);
      // Otherwise the agent refused the message itself, or another interface is used that has no streams.
      if (streams && way === this.#connection.way) this.#connection.markNotStreaming();
      return reply;
    };
    const { attempts, pause: cap } = this.#times;
    const policy = { repeatable, attempts: Math.max(attempts, 3), cap, signal: this.#signal, within: this.timeLeft };
    return retry(attempt, { ...policy, onRetry }).catch((thrown: unknown) => {
      const { kind, message } = A2AError.from(thrown);
      // Even if the last attempt did not arrive, an earlier one may have.
      throw isInDoubt ? new A2AError(kind, message, { cause: thrown }) : thrown;
    });
  }

  /** Resolves when the agent can be called. Rejects if the agent was unreachable for too long. */
  async opened(): Promise<void> {
    const { attempts, pause: cap } = this.#times;
    const policy = { repeatable: isNetworkFailure, attempts, base: 250, cap, within: this.timeLeft };
    await retry(async () => this.#connection.open(), { ...policy, signal: this.#signal });
  }

  /** Whether the failure of a stream proves that the agent has no streams of messages, so that the message has not run. */
  #isAbsent(thrown: unknown): boolean {
    if (proofOf(thrown) === 'absent') return true;
    const error = A2AError.from(thrown);
    if (error.kind === 'unsupportedOperation') this.#connection.noteRefusedStream(error);
    return false;
  }

  /**
   * Sends a message without a stream, if the error of the stream that it opened proves that it has not run. Resolves with
   * undefined if the error proves nothing.
   */
  async sendUnstreamed(sent: SentMessage, why: A2AError): Promise<Reply | undefined> {
    if (!this.#connection.streams || !this.#isAbsent(why)) return undefined;
    this.#connection.markNotStreaming();
    return this.send(sent);
  }

  /**
   * Whether an error in the stream of a message refuses the message, after the agent has only reported a new task: the agent no
   * longer knows that task, or has done nothing with it.
   */
  async isRefused(id: string, { kind }: A2AError): Promise<boolean> {
    // An agent that gets the message by a call of its own has accepted the message, and refuses only the stream.
    if (!requestErrors.has(kind) || !this.#connection.answersAtRest) return false;
    try {
      const task = await this.getOnce(id);
      // The work may go on if only the stream is refused.
      const mayGoOn = kind === 'unsupportedOperation' && task.status.state === 'TASK_STATE_SUBMITTED';
      return saysNothing(task) && !mayGoOn;
    } catch (thrown) {
      return A2AError.from(thrown).kind === 'taskNotFound' || isUnsupported(thrown);
    }
  }

  /** Whether the stream of a message is opened by a second call, after the agent has taken the message. */
  get subscribesLate(): boolean {
    return this.#connection.opensLate('SendStreamingMessage');
  }

  /** Records a sign of life, or that none is expected at the moment. */
  markAlive(): void {
    this.#livedAt = steadyNow();
  }

  /**
   * Notes that a stream broke, or ended before its task did. The agent may have crashed, and its store may give the same answer
   * forever: from now on only a changed answer is a sign of life.
   */
  doubt(why = endedEarly): void {
    if (!this.#doubt) this.#lastAnswer = undefined;
    this.#doubt = why;
  }

  /** Notes that the agent has reported the task. A state that cannot be read is not a sign of life. */
  recordAnswer(task: Task): void {
    this.#unreadable = unreadableState(task);
    if (this.#unreadable !== undefined) return;
    const answer = this.#doubt && JSON.stringify(task);
    if (answer === undefined || answer !== this.#lastAnswer) this.markAlive();
    this.#lastAnswer = answer;
  }

  /** Notes that the agent reports progress over a stream, so that it is at work. */
  trust(): void {
    this.#doubt = undefined;
    this.markAlive();
  }

  /** Milliseconds until the agent has been silent for too long. */
  get timeLeft(): number {
    return Math.max(0, this.#livedAt + this.#times.silence - steadyNow());
  }

  /** The error of a task whose agent has been silent for too long, or has reported no state that can be read. */
  silenceError(why = this.#doubt): A2AError {
    if (this.#unreadable !== undefined) return unreadableEnd(this.#unreadable);
    // A silence error is not quoted in another one: its cause is.
    const reason = why && (reasons.get(why) ?? why);
    const { kind = 'upstreamTimeout', message } = reason ?? {};
    const quoted = message ? `: ${message}` : '';
    const text = `The upstream agent gave no sign of life for ${this.#times.silence} ms${quoted}`;
    const error = new A2AError(kind, text, { cause: reason });
    if (reason) reasons.set(error, reason);
    return error;
  }

  /**
   * Gets the task once. Any answer is a sign of life, because some agents work for hours in silence, unless the agent is in
   * doubt.
   */
  async getOnce(id: string): Promise<Task> {
    const bounds = { signal: this.#signal, timeout: this.#times.call };
    const task = await upstreamValue(this.#connection, this.#context, 'GetTask', { id }, bounds);
    this.recordAnswer(task);
    return task;
  }

  /**
   * Gets the task, with retries while failures may pass and the agent has not been silent for too long. An agent whose connection
   * broke, or whose stream ended early, has less time to be reached again.
   *
   * @param cause the error that led to this call. It is thrown if the agent does not have the operation
   */
  async getWithRetry(id: string, cause?: A2AError): Promise<Task> {
    const { attempts, pause: cap } = this.#times;
    const { onRetry } = this.#connection;
    let brokenAnswers = 0;
    let failure: A2AError | undefined;
    const repeatable = (error: unknown): boolean => {
      if (!(error instanceof A2AError)) return false;
      if (isNetworkFailure(error)) failure = error;
      if (isNetworkFailure(error) || overloadKinds.has(error.kind)) return true;
      brokenAnswers += 1;
      return brokenAnswerKinds.has(error.kind) && brokenAnswers < maxBrokenAnswers;
    };
    const within =
      this.#doubt || isNetworkFailure(cause) ? Math.min(this.timeLeft, this.#times.restart) : this.timeLeft;
    const policy = { repeatable, attempts, base: 250, cap, signal: this.#signal, within, onRetry };
    try {
      return await retry(() => this.getOnce(id), policy);
    } catch (thrown) {
      const last = A2AError.from(thrown);
      // An open circuit breaker does not tell the cause.
      const error = neverTried(last) && failure ? failure : last;
      if (isNetworkFailure(error)) throw this.timeLeft > cap ? error : this.silenceError(error);
      if (error.kind === 'taskNotFound') {
        const before = cause?.kind === 'agentError' ? `${cause.message}. ` : '';
        const message = `${before}The upstream agent no longer knows this task`;
        throw new A2AError('invalidAgentResponse', message, { cause: error });
      }
      throw cause && isUnsupported(error) ? cause : error;
    }
  }

  /** Gets a task that comes to rest, with few retries, because the known end of the task waits for the answer. */
  async getAtEnd(id: string): Promise<Task> {
    const { call: within, pause: cap } = this.#times;
    const policy = { repeatable: isNetworkFailure, attempts: 3, cap, within, signal: this.#signal };
    return retry(() => this.getOnce(id), { ...policy, onRetry: this.#connection.onRetry });
  }

  /** The task's events from now on; undefined if the agent does not stream them, and the task must be polled. */
  async subscribe(id: string): Promise<AsyncIterable<LoggedEvent> | undefined> {
    if (!this.#connection.streams) {
      this.#excuseEarlyEnd();
      return undefined;
    }
    try {
      // Limited in time: some agents keep a subscription open, without events, to a task that has no worker.
      const reply = await this.#stream('SubscribeToTask', { id }, undefined, this.timeLeft);
      return isStream(reply) ? reply.events : undefined;
    } catch (thrown) {
      if (this.#signal.aborted) throw thrown;
      if (isUnsupported(thrown)) this.#excuseEarlyEnd();
      return undefined;
    }
  }

  /** An agent without subscriptions may end streams early without having crashed. */
  #excuseEarlyEnd(): void {
    if (this.#doubt === endedEarly) this.trust();
  }

  #call<K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    sent?: Pick<CallBounds, 'idempotencyKey' | 'newTaskId' | 'path'>,
    signal = this.#signal,
  ): Promise<Reply> {
    const bounds = { signal, timeout: this.#times.silence, ...sent };
    return callUpstream(this.#connection, this.#context, operation, request, bounds);
  }

  /** Opens a stream. The turn's signal ends the opening only: the reader closes the stream, a moment after the turn. */
  async #stream<K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    sent?: Pick<CallBounds, 'idempotencyKey' | 'newTaskId' | 'path'>,
    within?: number,
  ): Promise<Reply> {
    const opening = new AbortController();
    const abort = (): void => opening.abort(this.#signal.reason);
    this.#signal.addEventListener('abort', abort, { once: true });
    if (this.#signal.aborted) abort();
    const timeout = (): void => opening.abort(new A2AError('upstreamTimeout'));
    const timer = within === undefined ? undefined : setTimeout(timeout, within);
    try {
      return await this.#call(operation, request, sent, opening.signal);
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', abort);
    }
  }
}
