import type { CallContext } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { Audit } from '../ports/audit.ts';

/** Seconds after which a refused caller may find a place: streams end when they like. */
const retryAfter = 5;
/** Milliseconds between two lines of the audit about the same caller. */
const quiet = 60_000;

/** The streams of one caller that are open. */
export class CallerStreams {
  readonly #limit: StreamLimit;
  readonly key: string;
  open = 0;
  /** When the audit was last told: milliseconds since the epoch. */
  told = 0;

  constructor(limit: StreamLimit, key: string) {
    this.#limit = limit;
    this.key = key;
  }

  /** One of them has ended. To be called once for each. */
  release(): void {
    this.open -= 1;
    if (this.open === 0) this.#limit.forget(this);
  }
}

/** Read whenever a stream begins, so that they may change. */
export interface StreamLimitOptions {
  /** Streams of one principal at the same time, over all bindings. Absent: any number. */
  readonly streams: number | undefined;
  /** Streams of one task at the same time. Absent: any number. */
  readonly streamsPerTask: number | undefined;
  readonly audit?: Audit;
}

/**
 * Counts open streams per principal (of anonymous callers per network, where admission says so), and bounds those of
 * one task. A stream holds on to its caller's count, and nothing else.
 */
export class StreamLimit {
  readonly #options: StreamLimitOptions;
  readonly #shares = new Map<string, CallerStreams>();

  constructor(options: StreamLimitOptions) {
    this.#options = options;
  }

  get #max(): number {
    return this.#options.streams ?? Number.POSITIVE_INFINITY;
  }

  get #perTask(): number {
    return this.#options.streamsPerTask ?? Number.POSITIVE_INFINITY;
  }

  /**
   * A place for one more stream, to be released at its end.
   *
   * @throws A2AError `tooManyRequests` when the caller has as many as it may
   */
  take({ principal, agent, requestId }: CallContext): CallerStreams {
    const key = principal.limitedAs ?? principal.id;
    const known = this.#shares.get(key);
    const share = known ?? new CallerStreams(this, key);
    if (share.open >= this.#max) {
      const now = Date.now();
      if (now - share.told >= quiet) {
        share.told = now;
        const facts = { principal: principal.id, agent, request: requestId };
        this.#options.audit?.({ event: 'limit.exceeded', reason: 'Too many streams at the same time', ...facts });
      }
      throw new A2AError('tooManyRequests', `More than ${this.#max} streams at the same time`, { retryAfter });
    }
    if (!known) this.#shares.set(key, share);
    share.open += 1;
    return share;
  }

  /**
   * @param open streams that a task has already
   * @throws A2AError `tooManyRequests`
   */
  checkTask(open: number): void {
    if (open < this.#perTask) return;
    throw new A2AError('tooManyRequests', `The task has ${this.#perTask} streams already`, { retryAfter });
  }

  /** Called by a share that nothing is left of. */
  forget(share: CallerStreams): void {
    this.#shares.delete(share.key);
  }

  /** How many callers have streams. */
  get size(): number {
    return this.#shares.size;
  }
}
