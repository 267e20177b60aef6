import type { KnowledgeSpace } from '../../core/knowledge.ts';

/** Milliseconds between two looks for changes that other gateways made. */
const every = 1_000;

interface Watched {
  readonly space: KnowledgeSpace;
  readonly listeners: Set<() => void>;
  /** Position that the listeners were told of. */
  seen: number;
}

/** Tells those who watch a space of its changes: of this gateway's own at once, of others' within a second. */
export class SparqlWatchers {
  readonly #last: (space: KnowledgeSpace) => Promise<number>;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param last the position of a space's last change */
  constructor(last: (space: KnowledgeSpace) => Promise<number>) {
    this.#last = last;
  }

  watch(space: KnowledgeSpace, listener: () => void): () => void {
    const { tenant } = space;
    const watched = this.#watched.get(tenant) ?? { space, listeners: new Set(), seen: 0 };
    this.#watched.set(tenant, watched);
    const tell = (): void => listener();
    watched.listeners.add(tell);
    this.#schedule();
    return () => {
      watched.listeners.delete(tell);
      if (watched.listeners.size === 0 && this.#watched.get(tenant) === watched) this.#watched.delete(tenant);
    };
  }

  changed({ tenant }: KnowledgeSpace, position: number): void {
    const watched = this.#watched.get(tenant);
    if (!watched) return;
    watched.seen = Math.max(watched.seen, position);
    for (const listener of [...watched.listeners]) listener();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #schedule(): void {
    if (this.#timer || this.#watched.size === 0) return;
    this.#timer = setTimeout(() => {
      // An endpoint that is away is asked again.
      this.#look()
        .catch(() => undefined)
        .finally(() => {
          this.#timer = undefined;
          this.#schedule();
        });
    }, every);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    for (const watched of [...this.#watched.values()]) {
      const last = await this.#last(watched.space);
      if (last > watched.seen) this.changed(watched.space, last);
    }
  }
}
