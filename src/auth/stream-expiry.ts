import { LinkedList, Listed } from '../core/collections/linked-list.ts';
import { EndableStream } from '../core/middleware/endable-stream.ts';
import {
  type Call,
  type CallContext,
  type EndableEvents,
  type Invoke,
  isEndable,
  isStream,
  ownerOf,
  type Reply,
} from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { longestTimer } from '../core/model/timing.ts';

/** A stream that ends when its caller loses access. */
export interface OpenStream extends Pick<CallContext, 'principal' | 'agent'> {
  /** The operation of the call. Undefined for a stream that belongs to no call. */
  readonly operation: string | undefined;
  /** The tenant of the call, if its caller may name only some tenants. */
  readonly tenant?: string | undefined;
  end(error: A2AError): void;
}

/** Minimum milliseconds between two searches for streams whose credentials have expired. */
const searchInterval = 1_000;

/** The open streams of callers. They end when credentials expire, and are reviewed when access changes. */
export class OpenStreams {
  readonly #all = new LinkedList<Listed<OpenStream>>();
  /** One timer for all streams: a timer for each would take 700 bytes per stream. */
  #timer: NodeJS.Timeout | undefined;
  /** Time when the timer fires, in milliseconds since the epoch. */
  #due = Number.POSITIVE_INFINITY;

  /** Adds a stream. Returns a function that removes it. */
  add(stream: OpenStream): () => void {
    const listed = new Listed(stream);
    this.#all.add(listed);
    this.#endAt(stream.principal.until);
    return () => {
      this.#all.delete(listed);
      if (this.#all.size === 0) this.#stopTimer();
    };
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

  #endAt(until: number = Number.POSITIVE_INFINITY): void {
    if (until >= this.#due) return;
    this.#stopTimer();
    this.#due = until;
    this.#timer = setTimeout(this.#endExpired, Math.min(Math.max(until - Date.now(), 0), longestTimer)).unref();
  }

  readonly #endExpired = (): void => {
    const now = Date.now();
    this.#stopTimer();
    const expired = new A2AError('unauthenticated', "The caller's credential has expired");
    this.review(({ principal: { until = now + 1 } }) => (until <= now ? expired : undefined));
    let next = Number.POSITIVE_INFINITY;
    for (const { value: stream } of this.#all) next = Math.min(next, stream.principal.until ?? next);
    this.#endAt(Math.max(next, now + searchInterval));
  };

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
  }
}

/**
 * Middleware: ends a stream with `unauthenticated` when its caller's credential expires. Otherwise a caller could read
 * for as long as the connection lasts. With a new credential, the caller can resume after the last event.
 */
export function endStreamsOnExpiry(ongoing: OpenStreams = new OpenStreams()): (next: Invoke) => Invoke {
  const mayLoseAccess = ({ context: { principal } }: Call): boolean =>
    principal.until !== undefined || principal.credential !== undefined || principal.anonymous;
  /** Calls `end` when the caller loses access. Returns a function that stops watching. */
  const watch = (call: Call, end: OpenStream['end']): (() => void) => {
    const { context, operation } = call;
    const { principal, agent } = context;
    return ongoing.add({ principal, agent, operation, tenant: principal.tenants && ownerOf(call).tenant, end });
  };
  const watched = (reply: Reply, call: Call): Reply => {
    if (!isStream(reply) || !mayLoseAccess(call)) return reply;
    const { events } = reply;
    if (!isEndable(events)) return { ...reply, events: new EndableStream(events, (end) => watch(call, end)) };
    events.onOver = watch(call, ending(events));
    return reply;
  };
  /** Until there is a reply, ends the request messages of a client that streams instead. */
  const withRequests = async (next: Invoke, call: Call, source: NonNullable<Call['requests']>): Promise<Reply> => {
    if (!mayLoseAccess(call)) return next(call);
    const requests = new EndableStream(source, (end) => watch(call, end));
    const reply = await next({ ...call, requests }).finally(() => requests.unwatch());
    return watched(reply, call);
  };
  return (next) => (call) => {
    if (call.requests) return withRequests(next, call, call.requests);
    return next(call).then((reply) => watched(reply, call));
  };
}

/** A separate function, so that the closure does not keep the call in memory as long as the stream. */
const ending =
  (events: EndableEvents): OpenStream['end'] =>
  (error) =>
    events.end(error);
