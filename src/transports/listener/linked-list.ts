/** A member of the list holds its own links. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A list in insertion order, for members that come and go with every request.
 *
 * It is used instead of a Set because a Set that grows and shrinks leaves outdated hash tables behind, which refer to each
 * other and to their entries. Once the garbage collector has promoted one of them, all later entries stay in memory until
 * the next full collection, which costs more than the requests. Deleted members of this list refer to nothing.
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

  /** Returns whether the member was in the list. */
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

  /** Members may be deleted during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    let member = this.#first;
    while (member) {
      const { next: after } = member;
      yield member;
      member = after;
    }
  }
}
