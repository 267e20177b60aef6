import { TransientMap } from '../collections/transient-map.ts';
import type { CallContext } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { steadyNow } from '../model/timing.ts';
import type { Audit } from '../ports/audit.ts';

/** Seconds until a refused caller may retry: the end of a stream cannot be predicted. */
const retryAfter = 5;
/** Milliseconds between two audit entries about the same caller. */
const auditInterval = 60_000;

export class CallerStreams {
  readonly #limit: StreamLimit;
  readonly #key: string;
  open = 0;
  /** Time when the last audit entry was written, by `steadyNow`. */
  auditedAt = 0;

  constructor(limit: StreamLimit, key: string) {
    this.#limit = limit;
    this.#key = key;
  }

  /** Reports that a stream has ended. To be called once for each. */
  release(): void {
    this.open -= 1;
    if (this.open === 0) this.#limit.callers.delete(this.#key);
  }
}

/** Limits, read whenever a stream starts, so that they may change. */
export interface StreamLimitOptions {
  /** Streams of one principal at the same time, over all bindings. Absent: any number. */
  readonly streams: number | undefined;
  /** Streams of one task at the same time. Absent: any number. */
  readonly streamsPerTask: number | undefined;
  readonly audit?: Audit;
}

/** Bounds the open streams per task, and per principal or, for anonymous callers, per network. */
export class StreamLimit {
  readonly #options: StreamLimitOptions;
  /** The callers with open streams, by their keys. */
  readonly callers = new TransientMap<CallerStreams>();

  constructor(options: StreamLimitOptions) {
    this.#options = options;
  }

  /** Counts one more stream, to be released at its end. Throws `tooManyRequests` when the caller is at its limit. */
  take({ principal, agent, requestId }: CallContext): CallerStreams {
    const key = principal.limitedAs ?? principal.id;
    const known = this.callers.get(key);
    const streams = known ?? new CallerStreams(this, key);
    const { streams: max = Number.POSITIVE_INFINITY } = this.#options;
    if (streams.open >= max) {
      const now = steadyNow();
      if (now - streams.auditedAt >= auditInterval) {
        streams.auditedAt = now;
        const facts = { principal: principal.id, agent, request: requestId };
        this.#options.audit?.({ event: 'limit.exceeded', reason: 'Too many open streams', ...facts });
      }
      throw tooManyStreams('caller', max);
    }
    if (!known) this.callers.set(key, streams);
    streams.open += 1;
    return streams;
  }

  /** Throws `tooManyRequests` when a task has as many open streams as it may have. */
  checkTask(open: number): void {
    const { streamsPerTask: max = Number.POSITIVE_INFINITY } = this.#options;
    if (open >= max) throw tooManyStreams('task', max);
  }
}

const tooManyStreams = (holder: 'caller' | 'task', max: number): A2AError =>
  new A2AError('tooManyRequests', `The ${holder} has ${max} open streams, the maximum; close one and retry`, {
    retryAfter,
  });
