import type { AgentDescription } from '../../core/model/agent.ts';

/** A client that wants to know when its tools have changed. */
export interface CardWatcher {
  /** The cards that its tools are made of, at the moment. */
  readonly cards: () => readonly AgentDescription[];
  readonly onChange: () => void;
}

/** Milliseconds between two looks. */
const pace = 2_000;

/** Looks now and then whether cards have changed, as long as anybody wants to know. */
export class CardWatch {
  readonly #watchers = new Map<CardWatcher, readonly AgentDescription[]>();
  #timer: NodeJS.Timeout | undefined;

  /** @returns what ends it */
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

  /** Looks now. */
  check(): void {
    for (const [watcher, former] of this.#watchers) {
      const now = watcher.cards();
      if (now.length === former.length && now.every((card, index) => card === former[index])) continue;
      this.#watchers.set(watcher, now);
      watcher.onChange();
    }
  }
}
