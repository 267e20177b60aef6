import { A2AError } from '../core/model/errors.ts';
import type { OpenStreams } from './stream-expiry.ts';

/** Milliseconds after which a replica reads again which sessions have ended. */
const pollInterval = 1_000;
/** Milliseconds without a request of a session after which a replica looks whether any stream needs the reading. */
const quiet = 60_000;

/** The sessions that have ended early, at all replicas. */
export interface EndedSessions {
  /** Ids of those that would not have ended by themselves. */
  list(): Promise<readonly string[]>;
  /** Durable when it resolves. @param end when it would have ended: milliseconds since the epoch */
  add(id: string, end: number): Promise<void>;
}

export const sessionOver = (): A2AError => new A2AError('unauthenticated', 'The session has ended: sign in again');

/** Reads which sessions have ended early, as long as sessions are used, and ends their streams. */
export class EndedSessionWatch {
  readonly #ended: EndedSessions;
  readonly #ongoing: OpenStreams;
  /** Sessions that ended here and are not in the list yet. */
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

  /** Ends a session: here at once, at other replicas within about a second. */
  async add(id: string, end: number): Promise<void> {
    this.#endedHere.add(id);
    this.#review();
    await this.#ended.add(id, end);
  }

  /** For a request of a session: resolves when the list is recent enough. */
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

  /** Reads the list. While the store does not answer, the last list counts: sign-outs take effect later. */
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
