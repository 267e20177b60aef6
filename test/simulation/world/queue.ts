/** An event of the simulation. The queue alone changes it. */
export interface Scheduled {
  /** Virtual milliseconds. */
  at: number;
  /** Order among events of the same time. */
  order: number;
  readonly fire: () => void;
  state: 'waiting' | 'canceled' | 'taken';
  /** New position of a postponed entry. The queue notices it at the former time. */
  later: { readonly at: number; readonly order: number } | undefined;
}

/** Canceled events that the queue keeps at least before it leaves them out. */
const fewCanceled = 256;

const isBefore = (one: Scheduled, other: Scheduled): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** Events by their time, the earliest first: a binary heap. */
export class EventQueue {
  #heap: Scheduled[] = [];
  #order = 0;
  #canceled = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(at: number, fire: () => void): Scheduled {
    this.#order += 1;
    const added: Scheduled = { at, order: this.#order, fire, state: 'waiting', later: undefined };
    this.#heap.push(added);
    this.#rise(this.#heap.length - 1);
    return added;
  }

  /** Puts off an event as if it were canceled and added again. False: it has happened, or would come earlier. */
  putOff(scheduled: Scheduled, at: number): boolean {
    if (scheduled.state !== 'waiting' || at < scheduled.at) return false;
    this.#order += 1;
    scheduled.later = { at, order: this.#order };
    return true;
  }

  cancel(scheduled: Scheduled): void {
    if (scheduled.state !== 'waiting') return;
    scheduled.state = 'canceled';
    this.#canceled += 1;
    if (this.#canceled > fewCanceled && this.#canceled > this.#heap.length / 2) this.#leaveOutCanceled();
  }

  /** The earliest event that was not canceled. */
  peek(): Scheduled | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first?.state === 'canceled') {
        this.#pop();
        this.#canceled -= 1;
      } else if (first?.later) {
        Object.assign(first, first.later);
        first.later = undefined;
        this.#sink();
      } else return first;
    }
  }

  /** Takes the event that `peek` shows. */
  take(): Scheduled | undefined {
    const first = this.peek();
    if (!first) return undefined;
    first.state = 'taken';
    return this.#pop();
  }

  #leaveOutCanceled(): void {
    const left = this.#heap.filter(({ state }) => state === 'waiting');
    this.#canceled = 0;
    // A list in order is a heap.
    this.#heap = left.sort((one, other) => one.at - other.at || one.order - other.order);
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
