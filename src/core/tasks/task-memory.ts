import type { MemoryBudget } from '../limits/memory-budget.ts';

/** Bytes of a folded task that is never forgotten. */
const small = 65_536;

/** A task whose folded state can be read again. */
interface Forgettable {
  forget(): void;
}

/**
 * The memory of all tasks together. Where they take more than they may, the folded states of large ones are forgotten,
 * those first that have not changed for longest. Their events are still written; nothing is lost, and nothing waits.
 */
export class TaskMemory {
  readonly #budget: Pick<MemoryBudget, 'countTasks' | 'tasksAreCrowded'> | undefined;
  /** Tasks with a large folded state, in the order of their last changes. */
  readonly #large = new Set<Forgettable>();

  constructor(budget?: Pick<MemoryBudget, 'countTasks' | 'tasksAreCrowded'>) {
    this.#budget = budget;
  }

  /** Whether tasks take all the memory that they may. */
  get isCrowded(): boolean {
    return this.#budget?.tasksAreCrowded === true;
  }

  /** The task's folded state has so many bytes, more or fewer than before, as what must stay in memory has. */
  count(task: Forgettable, folded: number, moreFolded: number, moreHeld: number): void {
    this.#budget?.countTasks(moreFolded, moreHeld);
    if (moreFolded !== 0) this.#large.delete(task);
    if (moreFolded !== 0 && folded > small) this.#large.add(task);
    while (this.isCrowded) {
      const [oldest] = this.#large;
      if (!oldest) return;
      this.#large.delete(oldest);
      oldest.forget();
    }
  }
}
