import { LinkedList, Listed } from '../core/collections/linked-list.ts';
import { type Call, type CallContext, type Invoke, isStream, ownerOf, type Reply } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { longestTimer } from '../core/model/timing.ts';
import type { Operation } from '../gen/operations.ts';

/** A stream that ends when its caller loses access. */
export interface OpenStream extends Pick<CallContext, 'principal' | 'agent'> {
  /** Undefined for a stream that belongs to no call. */
  readonly operation: string | undefined;
  /** The tenant of a call, where its caller may name some only. */
  readonly tenant?: string | undefined;
  /** Ends it with an error for its reader. */
  end(error: A2AError): void;
}

/** The open streams of callers, to be reviewed when access changes. */
export class OpenStreams {
  readonly #all = new LinkedList<Listed<OpenStream>>();

  /** Returns a function that removes it. */
  add(stream: OpenStream): () => void {
    const listed = new Listed(stream);
    this.#all.add(listed);
    return () => this.#all.delete(listed);
  }

  /** Ends the streams for which `judge` returns an error. Returns their number. */
  review(judge: (stream: OpenStream) => A2AError | undefined): number {
    let ended = 0;
    for (const { value: stream } of [...this.#all]) {
      const error = judge(stream);
      if (!error) continue;
      ended += 1;
      stream.end(error);
    }
    return ended;
  }

  get size(): number {
    return this.#all.size;
  }
}

/**
 * Middleware: a stream ends, with `unauthenticated`, when its caller's credential expires. Otherwise a caller could go on
 * reading for as long as the connection lasts. With a new credential it can resume after the last event.
 *
 * @param operations those that are known not to stream are passed on as they are. Default: any may stream
 */
export function endStreamsOnExpiry(
  ongoing: OpenStreams = new OpenStreams(),
  operations: readonly Pick<Operation, 'name' | 'streaming'>[] = [],
): (next: Invoke) => Invoke {
  const unary = new Set(operations.flatMap(({ name, streaming }) => (streaming ? [] : [name])));
  const mayLoseAccess = ({ context: { principal } }: Call): boolean =>
    principal.until !== undefined || principal.credential !== undefined || principal.anonymous;
  const expiring = <T>(source: AsyncIterable<T>, call: Call): ExpiringEvents<T> => {
    const { context, operation } = call;
    const { principal, agent } = context;
    const tenant = principal.tenants && ownerOf(call).tenant;
    const stream = { principal, agent, operation, tenant };
    return new ExpiringEvents(source, principal.until, (end) => ongoing.add({ ...stream, end }));
  };
  const watched = (reply: Reply, call: Call): Reply =>
    isStream(reply) && mayLoseAccess(call) ? { ...reply, events: expiring(reply.events, call) } : reply;
  /** Until there is an answer, the messages of a client that streams end instead. */
  const withRequests = async (next: Invoke, call: Call, source: NonNullable<Call['requests']>): Promise<Reply> => {
    if (!mayLoseAccess(call)) return next(call);
    const requests = expiring(source, call);
    const reply = await next({ ...call, requests }).finally(() => requests.unwatch());
    return watched(reply, call);
  };
  return (next) => (call) => {
    if (call.requests) return withRequests(next, call, call.requests);
    return unary.has(call.operation) ? next(call) : next(call).then((reply) => watched(reply, call));
  };
}

/** Events until a moment, or until they are ended, also for a reader that waits for the next one. */
class ExpiringEvents<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<T>;
  readonly #unregister: () => void;
  #timer: NodeJS.Timeout | undefined;
  #ended: A2AError | undefined;
  /** Ends the reader's wait. */
  #reject: ((error: A2AError) => void) | undefined;

  constructor(
    events: AsyncIterable<T>,
    until: number | undefined,
    register: (end: (error: A2AError) => void) => () => void,
  ) {
    this.#source = events[Symbol.asyncIterator]();
    this.#unregister = register((error) => this.#end(error));
    if (until !== undefined) this.#expireAt(until);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#source.next().then(
        (step) => {
          if (step.done) this.unwatch();
          resolve(step);
        },
        (thrown: unknown) => {
          this.unwatch();
          reject(thrown);
        },
      );
    });
  }

  async return(): Promise<IteratorResult<T>> {
    this.unwatch();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  /** They no longer end by themselves. */
  unwatch(): void {
    clearTimeout(this.#timer);
    this.#unregister();
  }

  #expireAt(until: number): void {
    const expire = (): void => {
      // A timer cannot last longer.
      if (Date.now() < until) this.#expireAt(until);
      else this.#end(new A2AError('unauthenticated', "The caller's credential has expired"));
    };
    const left = Math.max(until - Date.now(), 0);
    this.#timer = setTimeout(expire, Math.min(left, longestTimer)).unref();
  }

  #end(error: A2AError): void {
    this.unwatch();
    this.#ended = error;
    this.#reject?.(error);
    this.#source.return?.()?.then(undefined, () => {});
  }
}
