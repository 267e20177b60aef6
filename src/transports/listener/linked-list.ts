/** A member of the list: what links it is kept in it. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * What is under way, in the order in which it began: for members that come and go with every request.
 *
 * Not a Set: a Set that grows and shrinks leaves outgrown tables behind, which refer to each other and to whatever was
 * in them. Once a collection has moved one of them, every member of its successors stays in memory until the next full
 * collection, and that costs more than the requests. Members that leave this list refer to nobody.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;

  add(member: T): void {
    member.previous = this.#last;
    if (this.#last) this.#last.next = member;
    else this.#first = member;
    this.#last = member;
  }

  /** Whether it was in the list. */
  delete(member: T): boolean {
    const { previous: before, next: after } = member;
    if (before) before.next = after;
    else if (this.#first === member) this.#first = after;
    else return false;
    if (after) after.previous = before;
    else this.#last = before;
    member.previous = undefined;
    member.next = undefined;
    return true;
  }

  /** Members may leave while they are iterated. */
  *[Symbol.iterator](): Generator<T> {
    let member = this.#first;
    while (member) {
      const { next: after } = member;
      yield member;
      member = after;
    }
  }
}
