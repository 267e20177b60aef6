import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../core/ports/logger.ts';
import type { LogState, SqliteThread } from './thread.ts';

/** Pages of the write-ahead log. */
export interface CheckpointLimits {
  /** Pages that are written before a checkpoint. At SQLite's default of 1,000, checkpoints are a third of the cost. */
  readonly every: number;
  /**
   * Pages after which the log is restarted. The default is 62.5 MiB, or twice as much for a file with the larger pages of an
   * earlier version. A larger log takes more of the disk, and of the first start after a crash; a smaller one pauses writing more
   * often.
   */
  readonly restartAt: number;
  /** Pages after which the event loop makes checkpoints itself, because the thread is too slow or another process is reading. */
  readonly loopHelpsAt: number;
}

const defaultLimits: CheckpointLimits = { every: 8_000, restartAt: 16_000, loopHelpsAt: 32_000 };
/** Transactions between two checks of the length of the log, which take 6 µs each. */
const lookEvery = 8;
/**
 * Milliseconds for which writing may be paused while the log is copied. An ordinary disk needs less than ten. Restarting the log
 * takes one more flush.
 */
const longestPause = 100;

/**
 * Checkpoints of a SQLite file on its thread, because a checkpoint would stop the event loop for 20 milliseconds and more. If the
 * thread fails, the event loop makes all checkpoints.
 *
 * Passive checkpoints never reach the end of a log that is written meanwhile, so that it would grow without bound. Therefore
 * writing is paused, without blocking the event loop, while the thread copies the last pages of a long log and restarts it: the
 * first write of a log waits until its header is on the disk.
 */
export class Checkpoints {
  /** Resolves when writing may continue. Undefined: it need not wait. */
  pause: Promise<unknown> | undefined;
  readonly #thread: SqliteThread;
  readonly #connection: DatabaseSync;
  readonly #logger: Logger | undefined;
  readonly #limits: CheckpointLimits;
  readonly #look: StatementSync;
  #isOff: boolean;
  #isRunning = false;
  #transactions = 0;

  /** @param connection the connection that writes */
  constructor(
    thread: SqliteThread,
    connection: DatabaseSync,
    logger?: Logger,
    limits: CheckpointLimits = defaultLimits,
  ) {
    this.#thread = thread;
    thread.onFailure = (error) => this.#fail(error);
    this.#connection = connection;
    this.#logger = logger;
    this.#limits = limits;
    this.#look = connection.prepare('pragma wal_checkpoint(noop)');
    const [major = 0, minor = 0] = (process.versions.sqlite ?? '').split('.').map(Number);
    // SQLite before 3.51 makes a checkpoint when the length of its log is queried.
    this.#isOff = major < 3 || (major === 3 && minor < 51);
    this.#setAutomatic(this.#isOff ? limits.every : limits.loopHelpsAt);
  }

  /** Must be called after each transaction. */
  written(): void {
    this.#transactions += 1;
    if (this.#transactions % lookEvery !== 0 || this.#isRunning || this.#isOff) return;
    const { log, checkpointed } = this.#look.get() as unknown as LogState;
    if (log - checkpointed < this.#limits.every) return;
    this.#isRunning = true;
    this.#checkpoint()
      .catch((err: unknown) => this.#fail(err))
      .finally(() => {
        this.pause = undefined;
        this.#isRunning = false;
      });
  }

  /** Stops making checkpoints. */
  close(): void {
    this.#isOff = true;
  }

  async #checkpoint(): Promise<void> {
    const { log } = await this.#thread.checkpoint();
    if (log < this.#limits.restartAt) return;
    // Copies the pages that were written meanwhile, so that the pause is short.
    await this.#thread.checkpoint();
    if (this.#isOff) return;
    const last = this.#thread.checkpoint();
    const isCopied = Promise.race([last.then(() => true), delay(longestPause, false, { ref: false })]);
    this.pause = isCopied
      .then((isInTime) => (isInTime ? this.#thread.checkpoint('restart') : undefined))
      .catch(() => undefined)
      .then(() => {
        this.pause = undefined;
      });
    await last;
    await this.pause;
  }

  #fail(err: unknown): void {
    this.pause = undefined;
    if (this.#isOff) return;
    this.#isOff = true;
    this.#logger?.warn({ err }, 'the thread of SQLite failed; checkpoints run on the event loop');
    this.#setAutomatic(this.#limits.every);
  }

  /** Sets the number of pages after which SQLite makes a checkpoint as part of a commit. */
  #setAutomatic(pages: number): void {
    if (this.#connection.isOpen) this.#connection.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}
