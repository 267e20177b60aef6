/** A member of the list holds its own links. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** A member for a value that has no links of its own. */
export class Listed<T> implements Linked<Listed<T>> {
  previous: Listed<T> | undefined;
  next: Listed<T> | undefined;
  readonly value: T;

  constructor(value: T) {
    this.value = value;
  }
}

/**
 * A list in insertion order, for members that come and go with every request.
 *
 * It is used instead of a Set because a Set whose members change grows new hash tables, and each old table refers to
 * the next one. Once the garbage collector has promoted an old table, all later tables and their entries stay in memory
 * until the next full collection, and every young collection copies them, which costs more than the requests. Deleted
 * members of this list refer to nothing. `TransientMap` is the equivalent for members with keys.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(member: T): void {
    member.previous = this.#last;
    if (this.#last) this.#last.next = member;
    else this.#first = member;
    this.#last = member;
    this.#size += 1;
  }

  /** Deletes a member. Returns whether it was in the list. */
  delete(member: T): boolean {
    const { previous: before, next: after } = member;
    if (before) before.next = after;
    else if (this.#first === member) this.#first = after;
    else return false;
    if (after) after.previous = before;
    else this.#last = before;
    member.previous = undefined;
    member.next = undefined;
    this.#size -= 1;
    return true;
  }

  /** Yields the members. They may be deleted during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    let member = this.#first;
    while (member) {
      const { next: after } = member;
      yield member;
      member = after;
    }
  }
}
