import type { SendMessageRequest, Task } from '../../core/model/a2a.ts';
import type { AgentContext } from '../../core/model/agent.ts';
import {
  type Call,
  type CallContext,
  canonicalDialect,
  defaultSemantics,
  isStream,
  type LoggedEvent,
  type Reply,
} from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import { isNetworkFailure, neverArrived } from '../../net/network-errors.ts';
import { retry } from '../../net/retry.ts';
import type { UpstreamConnection } from './connection.ts';

/** How a call to an upstream is bounded. */
export interface CallBounds {
  readonly signal: AbortSignal;
  /** Milliseconds that the answer, or the beginning of a stream, may take. */
  readonly timeout: number;
  /** For a subscription: the position after which events are wanted. */
  readonly after?: number;
}

/** Of whose call an upstream is called. */
export type CallOrigin = Pick<
  AgentContext,
  'requestId' | 'extensions' | 'traceparent' | 'tracestate' | 'hops' | 'credentials'
> &
  Partial<Pick<AgentContext, 'activate' | 'drop'>>;

/**
 * Calls an upstream for one call of ours: with its trace, its extensions and one hop more, and nothing of who the caller
 * is. Rejects as the transports do, except that a time that has run out is the upstream's: `upstreamTimeout`.
 */
export class UpstreamCalls {
  readonly #link: UpstreamConnection;
  readonly #context: CallOrigin;

  constructor(link: UpstreamConnection, context: CallOrigin) {
    this.#link = link;
    this.#context = context;
  }

  async invoke<K extends OperationName>(operation: K, request: RequestOf<K>, bounds: CallBounds): Promise<Reply> {
    const context = this.#contextFor(bounds);
    try {
      return await this.#link.invoke({ operation, request, context } as Call);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind !== 'deadlineExceeded') throw error;
      const said = `The upstream agent did not answer within ${bounds.timeout} ms`;
      throw new A2AError('upstreamTimeout', said, { cause: error });
    } finally {
      for (const extension of context.notes.extensions) this.#context.activate?.(extension);
      for (const path of context.notes.losses) this.#context.drop?.(path);
    }
  }

  /** The same for an operation that answers with one value. */
  async value<K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    bounds: CallBounds,
  ): Promise<ResponseOf<K>> {
    const reply = await this.invoke(operation, request, bounds);
    if (!isStream(reply)) return reply.value as ResponseOf<K>;
    await reply.events[Symbol.asyncIterator]().return?.();
    throw new A2AError(
      'invalidAgentResponse',
      'The upstream agent answered with a stream where one value was expected',
    );
  }

  #contextFor({ signal, timeout, after }: CallBounds): CallContext {
    const { requestId, extensions, hops, credentials } = this.#context;
    return {
      requestId,
      agent: '',
      tenant: '',
      principal: { id: '', anonymous: true },
      dialect: canonicalDialect,
      semantics: defaultSemantics,
      extensions,
      signal,
      deadline: Date.now() + timeout,
      ...traceOf(this.#context),
      ...(credentials && { credentials }),
      ...(after !== undefined && { replay: { after } }),
      hops: hops + 1,
      notes: { extensions: new Set(), losses: new Set() },
    };
  }
}

/** How long things may take, and how often they are tried. Milliseconds. */
export interface TurnTimes {
  /** Without a sign of life. */
  readonly silence: number;
  /** Of one short call. */
  readonly call: number;
  /** Attempts to ask for a task, the first included, where `silence` does not end them before. */
  readonly attempts: number;
  /** The longest wait between two of them. */
  readonly pause: number;
  /** After which a stream that has said nothing but the task is looked behind. */
  readonly quiet: number;
  /** The same for one that has said more. */
  readonly pulse: number;
  /** After which a task that rests as it did before its client's message is taken to do so. */
  readonly settle: number;
}

/** Errors with which an agent says that it does not do something at all, having done nothing. */
const cannot: ReadonlySet<ErrorKind> = new Set(['unsupportedOperation', 'methodNotFound', 'routeNotFound']);

/** Failures that may pass: those of the network, and an agent that has too much to do. */
const passing: ReadonlySet<ErrorKind> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'unavailable',
  'tooManyRequests',
]);

/** What may be a passing weakness, too, and is borne so often. */
const nonsense: ReadonlySet<ErrorKind> = new Set(['internal', 'agentError', 'invalidAgentResponse']);
const sense = 3;

/** Why an agent is in doubt whose stream has not broken. */
const endedEarly = new A2AError('invalidAgentResponse', 'its stream ended before the task did');

/** The calls of one turn about one task. */
export class TaskCalls {
  readonly #link: UpstreamConnection;
  readonly #calls: UpstreamCalls;
  readonly #bounds: TurnTimes;
  readonly #signal: AbortSignal;
  #livedAt = Date.now();
  /** Why an answer that says nothing new is no sign of life; undefined where it is one. */
  #doubt: A2AError | undefined;
  /** The answer before, of an agent in doubt, as text: the task itself is changed by what follows. */
  #before: string | undefined;

  constructor(link: UpstreamConnection, context: AgentContext, bounds: TurnTimes, signal: AbortSignal) {
    this.#link = link;
    this.#calls = new UpstreamCalls(link, context);
    this.#bounds = bounds;
    this.#signal = signal;
  }

  /**
   * Sends a message: once, unless it cannot have arrived. Resolves with a stream where the agent has them.
   *
   * @param wait whether an answer that is no stream is to come only when the task rests
   */
  async send(request: SendMessageRequest, wait: boolean): Promise<Reply> {
    const bounds = { signal: this.#signal, timeout: this.#bounds.silence };
    const once = async (): Promise<Reply> => {
      await this.#link.open();
      if (this.#link.streams) {
        try {
          return await this.#stream('SendStreamingMessage', request);
        } catch (thrown) {
          if (!this.refusesStreams(thrown)) throw thrown;
        }
      }
      const configuration = { ...request.configuration, ...(!wait && { returnImmediately: true }) };
      return this.#calls.invoke('SendMessage', { ...request, configuration }, bounds);
    };
    const { onRetry } = this.#link;
    return retry(once, { repeatable: neverArrived, attempts: 3, signal: this.#signal, onRetry });
  }

  /** Whether an error says that the agent does not stream at all; then nobody tries again. */
  refusesStreams(thrown: unknown): boolean {
    if (!cannot.has(A2AError.from(thrown).kind)) return false;
    this.#link.markNotStreaming();
    return true;
  }

  /** The agent has given a sign of life, or owes none. */
  markAlive(): void {
    this.#livedAt = Date.now();
  }

  /**
   * A stream has broken, or ended, before its task did. The agent may have crashed: then its store says the same for
   * ever, and only an answer that is another than the one before is a sign of life.
   */
  doubt(why = endedEarly): void {
    if (!this.#doubt) this.#before = undefined;
    this.#doubt = why;
  }

  /** The agent has said how the task is. */
  recordAnswer(task: Task): void {
    const said = this.#doubt && JSON.stringify(task);
    if (said === undefined || said !== this.#before) this.markAlive();
    this.#before = said;
  }

  /** The agent tells of the task over a stream, and not only how it is: it is at work. */
  trust(): void {
    this.#doubt = undefined;
    this.markAlive();
  }

  /** Milliseconds until the agent has been silent for too long. */
  get patience(): number {
    return Math.max(0, this.#livedAt + this.#bounds.silence - Date.now());
  }

  /** What a task fails with whose agent has been silent for too long. */
  silenceError(why = this.#doubt): A2AError {
    const { kind = 'upstreamTimeout', message } = why ?? {};
    const { silence } = this.#bounds;
    const said = message
      ? `The upstream agent gave no sign of life for ${silence} ms: ${message}`
      : `The upstream agent gave no sign of life for ${silence} ms`;
    return new A2AError(kind, said, { cause: why });
  }

  /**
   * The task as the agent has it, asked for once. Any answer is a sign of life, since some work for hours without a word,
   * but that of an agent in doubt.
   */
  async getOnce(id: string): Promise<Task> {
    const { call, silence } = this.#bounds;
    const task = await this.#calls.value('GetTask', { id }, { signal: this.#signal, timeout: Math.min(call, silence) });
    this.recordAnswer(task);
    return task;
  }

  /**
   * The same, asked for again while failures may pass and the agent's silence may be borne. Rejects with `cause`, why it
   * is asked for, where the agent cannot tell at all.
   */
  async getWithRetry(id: string, cause?: A2AError): Promise<Task> {
    const { attempts, pause: cap } = this.#bounds;
    let odd = 0;
    const repeatable = (error: unknown): boolean => {
      if (!(error instanceof A2AError)) return false;
      if (passing.has(error.kind)) return true;
      odd += 1;
      return nonsense.has(error.kind) && odd < sense;
    };
    try {
      const { onRetry } = this.#link;
      const policy = { repeatable, attempts, base: 250, cap, signal: this.#signal, within: this.patience, onRetry };
      return await retry(() => this.getOnce(id), policy);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (isNetworkFailure(error)) throw this.patience > cap ? error : this.silenceError(error);
      if (error.kind === 'taskNotFound') {
        throw new A2AError('invalidAgentResponse', 'The upstream agent no longer knows this task', { cause: error });
      }
      throw cause && cannot.has(error.kind) ? cause : error;
    }
  }

  /** The task's events from now on; undefined when they cannot be had: asking for the task tells more. */
  async subscribe(id: string): Promise<AsyncIterable<LoggedEvent> | undefined> {
    if (!this.#link.streams) {
      this.#endsEarly();
      return undefined;
    }
    try {
      // Headers alone are no beginning: some agents keep a subscription open to a task that nobody works on.
      const reply = await this.#stream('SubscribeToTask', { id }, this.patience);
      return isStream(reply) ? reply.events : undefined;
    } catch (thrown) {
      if (this.#signal.aborted) throw thrown;
      if (cannot.has(A2AError.from(thrown).kind)) this.#endsEarly();
      return undefined;
    }
  }

  /** An agent without subscriptions is one that must be asked: that it ends a stream early means nothing. */
  #endsEarly(): void {
    if (this.#doubt === endedEarly) this.trust();
  }

  /** A stream that has begun is ended by its reader, who takes a moment longer than the turn. */
  async #stream<K extends 'SendStreamingMessage' | 'SubscribeToTask'>(
    operation: K,
    request: RequestOf<K>,
    within?: number,
  ): Promise<Reply> {
    const beginning = new AbortController();
    const abort = (): void => beginning.abort(this.#signal.reason);
    this.#signal.addEventListener('abort', abort, { once: true });
    if (this.#signal.aborted) abort();
    const late =
      within === undefined ? undefined : setTimeout(() => beginning.abort(new A2AError('upstreamTimeout')), within);
    try {
      return await this.#calls.invoke(operation, request, { signal: beginning.signal, timeout: this.#bounds.silence });
    } finally {
      clearTimeout(late);
      this.#signal.removeEventListener('abort', abort);
    }
  }
}
