import type { AgentDescription } from '../../core/model/agent.ts';

/** A client to notify when its tools have changed. */
export interface CardWatcher {
  /** The current cards behind its tools. */
  readonly cards: () => readonly AgentDescription[];
  readonly onChange: () => void;
}

/** Milliseconds between two checks. */
const pace = 2_000;

/** Checks periodically whether cards have changed, while there are watchers. */
export class CardWatch {
  readonly #watchers = new Map<CardWatcher, readonly AgentDescription[]>();
  #timer: NodeJS.Timeout | undefined;

  /** @returns removes the watcher */
  add(watcher: CardWatcher): () => void {
    this.#watchers.set(watcher, watcher.cards());
    this.#timer ??= setInterval(() => this.check(), pace).unref();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  check(): void {
    for (const [watcher, former] of this.#watchers) {
      const now = watcher.cards();
      if (now.length === former.length && now.every((card, index) => card === former[index])) continue;
      this.#watchers.set(watcher, now);
      watcher.onChange();
    }
  }
}
