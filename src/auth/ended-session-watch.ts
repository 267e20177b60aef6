import { A2AError } from '../core/model/errors.ts';
import type { OpenStreams } from './stream-expiry.ts';

/** Milliseconds between two reads of the list of ended sessions. */
const pollInterval = 1_000;
/**
 * Milliseconds without a request of a session after which a replica stops reading the list, unless a session has an
 * open stream.
 */
const quiet = 60_000;

/** The sessions that were ended before they expired, at all replicas. */
export interface EndedSessions {
  /** Returns the ids of ended sessions that would not have expired by now. */
  list(): Promise<readonly string[]>;
  /**
   * Adds a session; durable when it resolves. `end` is the time when the session would expire, in milliseconds since
   * the epoch.
   */
  add(id: string, end: number): Promise<void>;
}

export const sessionOver = (): A2AError => new A2AError('unauthenticated', 'The session has ended: sign in again');

/** Reads the list of sessions that were ended early, as long as sessions are used, and ends their streams. */
export class EndedSessionWatch {
  readonly #ended: EndedSessions;
  readonly #ongoing: OpenStreams;
  /** Sessions that were ended at this replica and are not in the list yet. */
  readonly #endedHere = new Set<string>();
  #listed: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ended: EndedSessions, ongoing: OpenStreams) {
    this.#ended = ended;
    this.#ongoing = ongoing;
  }

  has(id: string): boolean {
    return this.#listed.has(id) || this.#endedHere.has(id);
  }

  /** Ends a session: at once at this replica, within about a second at other replicas. */
  async add(id: string, end: number): Promise<void> {
    this.#endedHere.add(id);
    this.#review();
    await this.#ended.add(id, end);
  }

  /** Called for each request of a session. Resolves when the list is recent enough. */
  async refresh(): Promise<void> {
    this.#usedAt = performance.now();
    this.#timer ??= setInterval(() => this.#tick(), pollInterval).unref();
    if (this.#usedAt - this.#readAt > pollInterval) await this.#read();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #review(): number {
    return this.#ongoing.review(({ principal: { session } }) =>
      session !== undefined && this.has(session) ? sessionOver() : undefined,
    );
  }

  /** Reads the list. While the store is unavailable, the last list is used, so that sign-outs take effect later. */
  #read(): Promise<void> {
    this.#reading ??= this.#ended
      .list()
      .then((ids) => {
        const isNew = ids.some((id) => !this.#listed.has(id));
        this.#listed = new Set(ids);
        for (const id of ids) this.#endedHere.delete(id);
        if (isNew) this.#review();
      })
      .catch(() => undefined)
      .finally(() => {
        this.#readAt = performance.now();
        this.#reading = undefined;
      });
    return this.#reading;
  }

  #hasStream(): boolean {
    let found = false;
    this.#ongoing.review(({ principal }) => {
      found ||= principal.session !== undefined;
      return undefined;
    });
    return found;
  }

  #tick(): void {
    if (performance.now() - this.#usedAt > quiet && !this.#hasStream()) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else void this.#read();
  }
}
