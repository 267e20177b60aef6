import type { MemoryBudget } from '../limits/memory-budget.ts';
import { A2AError } from '../model/errors.ts';

/** Largest number of bytes of a task that is never forgotten or failed. */
const small = 65_536;

export interface TaskBytes {
  /** Bytes of the folded state, which can be read again. */
  folded: number;
  /** Bytes of unwritten events, and of the data that its agent's run holds. */
  held: number;
}

interface CountedTask {
  /** Bytes at the last count. Set only by `TaskMemory`. */
  readonly bytesInMemory: TaskBytes;
  readonly runs: readonly { fail(reason: A2AError): void }[];
  /** Frees the folded state. */
  forget(): void;
}

/** The part of the budget that counts tasks in memory. */
export type TaskBudget = Pick<
  MemoryBudget,
  'largestAnswer' | 'largestTask' | 'countTasks' | 'tasksAreCrowded' | 'tasksHoldTooMuch' | 'fitsTask' | 'requireFit'
>;

/**
 * The memory of all tasks together. Above the limit, the folded states of large tasks are forgotten, the least recently changed
 * first. Their events are still written; nothing is lost, and nothing waits. If their runs hold too much for the heap, the task
 * that holds most fails.
 */
export class TaskMemory {
  readonly #budget: TaskBudget | undefined;
  /** Tasks with a large folded state, in the order of their last changes. */
  readonly #large = new Set<CountedTask>();
  /** Tasks whose runs hold many bytes. */
  readonly #holding = new Set<CountedTask>();

  constructor(budget?: TaskBudget) {
    this.#budget = budget;
  }

  /** Whether tasks have reached their memory limit. */
  get isCrowded(): boolean {
    return this.#budget?.tasksAreCrowded === true;
  }

  /** Counts a task again, with its present number of bytes. */
  count(task: CountedTask, folded: number, held: number): void {
    const counted = task.bytesInMemory;
    const moreFolded = folded - counted.folded;
    const moreHeld = held - counted.held;
    if (moreFolded === 0 && moreHeld === 0) return;
    counted.folded = folded;
    counted.held = held;
    this.#budget?.countTasks(moreFolded, moreHeld);
    if (moreFolded !== 0) this.#large.delete(task);
    if (moreFolded !== 0 && folded > small) this.#large.add(task);
    if (held > small) this.#holding.add(task);
    else if (this.#holding.size > 0) this.#holding.delete(task);
    while (this.isCrowded) {
      const [oldest] = this.#large;
      if (!oldest) break;
      this.#large.delete(oldest);
      oldest.forget();
    }
    if (this.#budget?.tasksHoldTooMuch) this.#failLargest(this.#budget);
  }

  #failLargest({ largestAnswer, largestTask }: TaskBudget): void {
    const limit = this.#holding.size > 1 ? largestAnswer : largestTask;
    let largest: CountedTask | undefined;
    for (const task of this.#holding) if (task.bytesInMemory.held > (largest?.bytesInMemory.held ?? 0)) largest = task;
    if (!largest || (this.#holding.size === 1 && largest.bytesInMemory.held <= limit)) return;
    this.#holding.delete(largest);
    const reason = heldTooMuch(largest.bytesInMemory.held, limit);
    for (const run of largest.runs) run.fail(reason);
  }
}

const heldTooMuch = (bytes: number, limit: number): A2AError =>
  new A2AError(
    'payloadTooLarge',
    `The gateway has no memory for the task, the largest under way, which holds ${bytes} bytes: all together may hold ` +
      `${Math.floor(limit)} (limits.buffered, a sixteenth of the heap, or 256 MiB; one alone: an eighth of the heap)`,
    { metadata: { limit: 'limits.buffered', limitBytes: `${Math.floor(limit)}`, taskBytes: `${bytes}` } },
  );
