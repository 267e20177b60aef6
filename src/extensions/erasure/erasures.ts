import { setTimeout as delay, setImmediate as yieldToLoop } from 'node:timers/promises';
import { withTimeout } from '../../core/model/timing.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Peers } from '../../core/ports/peers.ts';
import { type Erasure, type OpenErasure, resultOf } from './model.ts';
import { type ErasureTargets, Steps } from './steps.ts';
import type { ErasureStore } from './store.ts';

/** Milliseconds within which this replica learns of an erasure that another one has begun. */
const within = 2_000;
/** Lease of the replica that carries out all erasures. */
const lease = { name: 'erasures', ms: 30_000 } as const;
/** Milliseconds of pauses: while all erasures wait, after a failure, and while another replica has the lease. */
const pause = { waiting: 250, failed: 2_000, held: 5_000 } as const;
/**
 * Numbers of rows that one part of a step reads, and that it deletes. They are small, so that other statements do not wait long.
 */
const defaultBatch = { read: 500, deleted: 100 } as const;

export interface ErasuresDeps {
  readonly store: ErasureStore;
  readonly peers: Pick<Peers, 'lease'>;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly targets: ErasureTargets;
  readonly batch?: { readonly read: number; readonly deleted: number };
}

/**
 * Carries out erasures of callers in parts. The transaction of each part stores the progress, so that any replica can continue an
 * interrupted erasure.
 */
export class Erasures {
  readonly #deps: ErasuresDeps;
  readonly #steps: Steps;
  #running: Promise<void> | undefined;
  #isQueued = false;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: ErasuresDeps) {
    this.#deps = deps;
    const { store, targets, batch = defaultBatch } = deps;
    this.#steps = new Steps({ host: store.host, targets, batch });
  }

  /** Begins to carry out interrupted erasures, and those that other replicas begin. */
  start(): void {
    this.#unlisten = this.#deps.store.listen(within, () => this.#wake());
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#unlisten?.();
    clearTimeout(this.#timer);
  }

  /** Resolves when no part is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Begins an erasure, or continues it, and waits at most `ms` milliseconds for its end. */
  async begin(wanted: Pick<OpenErasure, 'id' | 'principal' | 'begunBy'>, ms: number): Promise<void> {
    await this.#deps.store.begin(wanted);
    this.#wake();
    await withTimeout(this.#running ?? Promise.resolve(), ms);
  }

  find(id: string): Promise<Erasure | undefined> {
    return this.#deps.store.find(id);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#isQueued = this.#running !== undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isQueued) this.#wake();
    });
  }

  /** Carries out parts until all erasures are over, or another replica has the lease. */
  async #run(): Promise<void> {
    const { store, peers, logger } = this.#deps;
    try {
      for (let open = await store.unfinished(); open.length > 0; open = await store.unfinished()) {
        if (this.#isClosed) return;
        if (!(await peers.lease(lease.name, lease.ms))) return this.#wakeAfter(pause.held);
        let waits = true;
        for (const erasure of open) {
          if (!(await this.advance(erasure))) waits = false;
          if (this.#isClosed) return;
        }
        await (waits ? delay(pause.waiting, undefined, { ref: false }) : yieldToLoop());
      }
    } catch (err) {
      logger.warn({ err }, 'an erasure could not continue; trying again');
      this.#wakeAfter(pause.failed);
    }
  }

  #wakeAfter(ms: number): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#wake(), ms).unref();
  }

  /** Carries out the next part of an erasure. Resolves with whether the erasure waits before its next part. */
  async advance(erasure: OpenErasure): Promise<boolean> {
    const { store, audit, logger } = this.#deps;
    const { id, begunBy: principal, progress } = erasure;
    const part = await this.#steps[progress.step](erasure);
    const advanced = await store.advance(erasure, part);
    if (!advanced?.isOver) return advanced?.waits ?? false;
    const reason = resultOf(advanced.progress);
    audit({ event: 'admin.action', principal, operation: 'EraseCaller', subject: id, reason });
    logger.info({ erasure: id, operator: principal, result: reason }, 'a caller was erased');
    return false;
  }
}
