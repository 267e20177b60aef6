import type { Logger } from '../../core/ports/logger.ts';
import type { RefCount } from './ref-count.ts';

/** Milliseconds after which what a reload replaced is closed, whatever still goes on there. */
const longest = 3_600_000;

/** Something that a reload has replaced. */
export interface Replaced {
  /** What it is, for the log. */
  readonly name: string;
  readonly refs: RefCount;
  close(): Promise<void>;
}

/** What reloads have replaced and somebody still uses: closed when nothing goes on there any more. */
export class Draining {
  readonly #waiting = new Set<() => Promise<void>>();
  readonly #logger: Logger;
  readonly #longest: number;

  /** @param most milliseconds that one is kept for what goes on there */
  constructor(logger: Logger, most: number = longest) {
    this.#logger = logger;
    this.#longest = most;
  }

  add({ name: what, refs: uses, close }: Replaced): void {
    let closing: Promise<void> | undefined;
    const closeOnce = (): Promise<void> => {
      closing ??= close().catch((err: unknown) =>
        this.#logger.error({ err, what }, 'what a reload replaced could not be closed'),
      );
      clearTimeout(late);
      this.#waiting.delete(closeOnce);
      return closing;
    };
    const late = setTimeout(() => {
      const { size } = uses;
      this.#logger.warn(
        { what, running: size },
        'what a reload replaced is closed, though something still goes on there',
      );
      void closeOnce();
    }, this.#longest).unref();
    this.#waiting.add(closeOnce);
    void uses.idle().then(closeOnce);
  }

  /** How many are still used. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Closes all of them now. */
  async close(): Promise<void> {
    await Promise.all([...this.#waiting].map((closeOnce) => closeOnce()));
  }
}
