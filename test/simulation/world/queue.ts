/** An event of the simulation. */
export interface Scheduled {
  /** Virtual milliseconds. */
  readonly at: number;
  /** Order among events of the same time. */
  readonly order: number;
  readonly fire: () => void;
  canceled: boolean;
}

const isBefore = (one: Scheduled, other: Scheduled): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** Events by their time, the earliest first: a binary heap. */
export class EventQueue {
  readonly #heap: Scheduled[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(at: number, fire: () => void): Scheduled {
    this.#order += 1;
    const added: Scheduled = { at, order: this.#order, fire, canceled: false };
    this.#heap.push(added);
    this.#rise(this.#heap.length - 1);
    return added;
  }

  /** The earliest event that was not canceled. */
  peek(): Scheduled | undefined {
    while (this.#heap[0]?.canceled) this.#pop();
    return this.#heap[0];
  }

  /** Takes the event that `peek` shows. */
  take(): Scheduled | undefined {
    return this.peek() && this.#pop();
  }

  #pop(): Scheduled | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const leftEvent = this.#heap[left];
      if (!leftEvent) return;
      const rightEvent = this.#heap[right];
      const child = rightEvent && isBefore(rightEvent, leftEvent) ? right : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  /** Swaps two events unless the second comes first. */
  #swapIfBefore(later: number, earlier: number): boolean {
    const [one, other] = [this.#heap[later], this.#heap[earlier]];
    if (!one || !other || !isBefore(one, other)) return false;
    this.#heap[earlier] = one;
    this.#heap[later] = other;
    return true;
  }
}
