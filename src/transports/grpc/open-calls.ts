/** A member of the list: what links it is kept in it. */
export interface Linked<T> {
  before: T | undefined;
  after: T | undefined;
}

/**
 * Calls under way, in the order in which they began.
 *
 * Not a Set: a Set that grows and shrinks leaves outgrown tables behind, which refer to each other and to whatever was
 * in them. Once a full collection has moved one of them, every call in its successors stays in memory until the next
 * full collection, and that costs more than the calls. Members that leave this list refer to nobody.
 */
export class OpenCalls<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;

  add(call: T): void {
    call.before = this.#last;
    if (this.#last) this.#last.after = call;
    else this.#first = call;
    this.#last = call;
  }

  /** Does nothing for a call that is not in the list. */
  delete(call: T): void {
    const { before, after } = call;
    if (before) before.after = after;
    else if (this.#first === call) this.#first = after;
    else return;
    if (after) after.before = before;
    else this.#last = before;
    call.before = undefined;
    call.after = undefined;
  }

  /** Calls may leave while they are iterated. */
  *[Symbol.iterator](): Generator<T> {
    let call = this.#first;
    while (call) {
      const { after } = call;
      yield call;
      call = after;
    }
  }
}
