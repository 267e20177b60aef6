/** Counts active work, so that its owner can be closed when none is left. */
export class RefCount {
  #count = 0;
  readonly #idle = new Set<() => void>();

  get size(): number {
    return this.#count;
  }

  /** Counts one piece of work. Call `release` once at its end. */
  retain(): void {
    this.#count += 1;
  }

  release(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  /** Counts the work until it settles. */
  hold<T>(work: Promise<T>): Promise<T> {
    this.retain();
    const release = (): void => this.release();
    work.then(release, release);
    return work;
  }

  /** Wraps an iteration so that it counts until it is over. Its steps take no longer than before. */
  iterate<T>(source: AsyncIterator<T>): AsyncIterator<T> {
    this.retain();
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      this.release();
    };
    return {
      next() {
        const step = source.next();
        step.then(({ done }) => {
          if (done) end();
        }, end);
        return step;
      },
      return(value) {
        end();
        return source.return?.(value) ?? Promise.resolve({ done: true, value });
      },
    };
  }

  /** Resolves when no work is running. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }
}

/** An object that a reload has replaced, and that is closed once no work is active in it. */
export interface Replaced {
  /** Name for the log. */
  readonly name: string;
  readonly refs: RefCount;
  close(): Promise<void>;
}
