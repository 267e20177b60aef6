import type { KnowledgeSpace } from '../../core/knowledge.ts';
import type { ChangeLog } from './log.ts';
import type { Spaces } from './spaces.ts';

/** Milliseconds between two looks for changes that other processes made. */
const every = 500;

interface Watched {
  readonly space: KnowledgeSpace;
  readonly listeners: Set<() => void>;
  /** Position of the last change that the listeners were told of; undefined until the first look. */
  seen: number | undefined;
}

/** Tells those who watch a space of its changes: of this process's own at once, of others' within half a second. */
export class Watchers {
  readonly #log: ChangeLog;
  readonly #spaces: Spaces;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: ChangeLog, spaces: Spaces) {
    this.#log = log;
    this.#spaces = spaces;
  }

  watch(space: KnowledgeSpace, listener: () => void): () => void {
    const key = keyOf(space);
    const watched = this.#watched.get(key) ?? { space, listeners: new Set(), seen: undefined };
    this.#watched.set(key, watched);
    // One who listens twice is told twice.
    const tell = (): void => listener();
    watched.listeners.add(tell);
    this.#schedule();
    return () => {
      watched.listeners.delete(tell);
      if (watched.listeners.size === 0 && this.#watched.get(key) === watched) this.#watched.delete(key);
    };
  }

  /** This process has changed the space, up to a position. */
  changed(space: KnowledgeSpace, position: number): void {
    const watched = this.#watched.get(keyOf(space));
    if (watched) tell(watched, position);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #schedule(): void {
    if (this.#timer || this.#watched.size === 0) return;
    this.#timer = setTimeout(() => {
      // A database that is away is asked again.
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
    const byNumber = new Map<number, Watched>();
    for (const watched of this.#watched.values()) {
      const number = await this.#spaces.find(watched.space);
      if (number !== undefined) byNumber.set(number, watched);
    }
    if (byNumber.size === 0) return;
    const lasts = await this.#log.lasts([...byNumber.keys()]);
    for (const [number, watched] of byNumber) {
      const last = lasts.get(number) ?? 0;
      if (last > (watched.seen ?? 0)) tell(watched, last);
    }
  }
}

const keyOf = ({ agent, tenant }: KnowledgeSpace): string => `${agent}\n${tenant}`;

function tell(watched: Watched, position: number): void {
  watched.seen = Math.max(watched.seen ?? 0, position);
  for (const listener of [...watched.listeners]) listener();
}
