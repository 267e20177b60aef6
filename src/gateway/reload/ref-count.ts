/** Counts what is under way, so that what is used can be closed when nothing is. */
export class RefCount {
  #count = 0;
  readonly #idle = new Set<() => void>();

  /** How many there are. */
  get size(): number {
    return this.#count;
  }

  /** One more. To be ended once. */
  retain(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  /** Counts until what was begun is settled. */
  hold<T>(begun: Promise<T>): Promise<T> {
    this.retain();
    begun.then(
      () => this.end(),
      () => this.end(),
    );
    return begun;
  }

  /** The same iteration, counted until it is over. Its steps take no longer than before. */
  iterate<T>(source: AsyncIterator<T>): AsyncIterator<T> {
    this.retain();
    let over = false;
    const release = (): void => {
      if (over) return;
      over = true;
      this.end();
    };
    const looked = (step: Promise<IteratorResult<T>>): Promise<IteratorResult<T>> => {
      step.then((taken) => {
        if (taken.done) release();
      }, release);
      return step;
    };
    return {
      next: () => looked(source.next()),
      return(value) {
        release();
        return source.return?.(value) ?? Promise.resolve({ done: true, value });
      },
    };
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }
}
