import type { KnowledgeSpace } from '../model/knowledge.ts';

interface Watched {
  readonly space: KnowledgeSpace;
  readonly listeners: Set<() => void>;
  /** Position of the last change that listeners were notified of. */
  seen: number;
}

export interface WatchersOptions {
  /** Milliseconds between two polls for changes by other replicas. */
  readonly every: number;
  readonly keyOf: (space: KnowledgeSpace) => string;
  /** Returns the last positions of some spaces, in their order; 0 for a space without changes. */
  readonly lasts: (spaces: readonly KnowledgeSpace[]) => Promise<readonly number[]>;
}

/**
 * Notifies watchers of a space of its changes: at once of changes by this process, and at the next poll of all others.
 */
export class Watchers {
  readonly #options: WatchersOptions;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  watch(space: KnowledgeSpace, listener: () => void): () => void {
    const key = this.#options.keyOf(space);
    const watched = this.#watched.get(key) ?? { space, listeners: new Set(), seen: 0 };
    this.#watched.set(key, watched);
    // A listener that is registered twice is called twice.
    const ownListener = (): void => listener();
    watched.listeners.add(ownListener);
    this.#schedule();
    return () => {
      watched.listeners.delete(ownListener);
      if (watched.listeners.size === 0 && this.#watched.get(key) === watched) this.#watched.delete(key);
    };
  }

  /** Records that this process has changed the space up to a position. */
  changed(space: KnowledgeSpace, position: number): void {
    const watched = this.#watched.get(this.#options.keyOf(space));
    if (watched) notify(watched, position);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #schedule(): void {
    if (this.#timer || this.#watched.size === 0) return;
    this.#timer = setTimeout(() => {
      // If the database is unavailable, the next poll tries again.
      this.#poll()
        .catch(() => undefined)
        .finally(() => {
          this.#timer = undefined;
          this.#schedule();
        });
    }, this.#options.every);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    const all = [...this.#watched.values()];
    const lasts = await this.#options.lasts(all.map(({ space }) => space));
    for (const [at, watched] of all.entries()) {
      const last = lasts[at] ?? 0;
      if (last > watched.seen) notify(watched, last);
    }
  }
}

function notify(watched: Watched, position: number): void {
  watched.seen = Math.max(watched.seen, position);
  for (const listener of [...watched.listeners]) listener();
}
