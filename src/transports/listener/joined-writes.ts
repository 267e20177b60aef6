import { AsyncLocalStorage } from 'node:async_hooks';

/** Something that can be written later in the same turn of the event loop. */
export interface Deferred {
  /** Writes it. Must not throw. */
  flush(): void;
}

/** Milliseconds that the first answer of a turn waits for the others. */
const longest = 1;

/**
 * Writes the answers of one turn of the event loop one after another, at its end. A write wakes the client. Where that is
 * a process on the same machine, such as a reverse proxy, waking it for each answer costs about as much as a whole call;
 * a client that has several answers to read is awake. Node writes HTTP/2 in this way already.
 */
export class JoinedWrites {
  #waiting: Deferred[] = [];
  #since = 0;
  #scheduled = false;

  add(answer: Deferred): void {
    this.#waiting.push(answer);
    if (this.#waiting.length === 1) this.#since = performance.now();
    else if (performance.now() - this.#since > longest) {
      this.#flush();
      return;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#endTurn);
  }

  // Bound, since the answers of a turn must not be written in the context of its first call.
  readonly #flush = AsyncLocalStorage.bind((): void => {
    const answers = this.#waiting;
    this.#waiting = [];
    for (const answer of answers) answer.flush();
  });

  readonly #endTurn = (): void => {
    this.#scheduled = false;
    this.#flush();
  };
}
