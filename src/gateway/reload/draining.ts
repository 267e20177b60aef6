import type { Replaced } from '../../core/middleware/ref-count.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** Milliseconds after which a replaced part is closed even if work still runs in it. */
const longest = 3_600_000;

/** The replaced parts in which work still runs. Each is closed when its work has ended. */
export class Draining {
  readonly #closers = new Set<() => Promise<void>>();
  readonly #logger: Logger;
  readonly #longest: number;

  /** @param most largest number of milliseconds that a part may drain */
  constructor(logger: Logger, most: number = longest) {
    this.#logger = logger;
    this.#longest = most;
  }

  add({ name, refs, close }: Replaced): void {
    let closing: Promise<void> | undefined;
    const closeOnce = (): Promise<void> => {
      closing ??= close().catch((err: unknown) =>
        this.#logger.error({ err, what: name }, 'closing a part that a reload replaced failed'),
      );
      clearTimeout(timer);
      this.#closers.delete(closeOnce);
      return closing;
    };
    const timer = setTimeout(() => {
      const line = { what: name, running: refs.size };
      this.#logger.warn(line, 'closing a part that a reload has replaced, although work is still running in it');
      void closeOnce();
    }, this.#longest).unref();
    this.#closers.add(closeOnce);
    void refs.idle().then(closeOnce);
  }

  /** Returns the number of parts that are draining. */
  get size(): number {
    return this.#closers.size;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closers].map((closeOnce) => closeOnce()));
  }
}
