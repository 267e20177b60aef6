import { steadyNow } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { cardReaders, type RegisteredCards } from './cards.ts';
import type { RegistrationChanges } from './changes.ts';
import type { KnownRows } from './known-rows.ts';
import type { Leases } from './leases.ts';
import type { RegistrationStore, RowState } from './store.ts';

/** Milliseconds between two attempts to read missing cards, and between two looks at a lease whose end could not be read. */
const interval = { cards: 10_000, leases: 500 } as const;
/** The lease of the replica that removes ended registrations and reads missing cards, in milliseconds. */
const readers = { name: 'registration', ms: 2.5 * interval.cards } as const;
/** Milliseconds after the end of a lease until the registration is removed. */
const keptAfterLease = 86_400_000;

/** The dependencies of the upkeep. */
export interface UpkeepDeps {
  readonly store: RegistrationStore;
  readonly logger: Logger;
  /** Takes a lease that one replica has at a time. */
  readonly lease: (name: string, ms: number) => Promise<boolean>;
}

/** The parts of a registry that its upkeep uses. */
interface Parts {
  readonly rows: KnownRows;
  readonly leases: Leases;
  readonly changes: RegistrationChanges;
  readonly cards: RegisteredCards;
}

/**
 * Looks at registrations as time passes: notices the end of leases, removes registrations whose leases ended long ago, and
 * reads the cards that could not be read. Does nothing while nothing is registered.
 */
export class Upkeep {
  readonly #deps: UpkeepDeps;
  readonly #parts: Parts;
  readonly #closing: AbortSignal;
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;
  #cardsReadAt = 0;

  /** @param closing aborted when the gateway stops */
  constructor(deps: UpkeepDeps, parts: Parts, closing: AbortSignal) {
    this.#deps = deps;
    this.#parts = parts;
    this.#closing = closing;
    closing.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  start(): void {
    this.#isStarted = true;
    this.schedule();
  }

  /** Sets the timer for the next lease that ends, and for cards that could not be read. */
  schedule(): void {
    clearTimeout(this.#timer);
    const { rows, leases } = this.#parts;
    if (this.#closing.aborted || !this.#isStarted || rows.size === 0) return;
    const now = this.#deps.store.now();
    const left = leases.goingOn.reduce(
      (least, { expiresAt }) => Math.min(least, expiresAt - now),
      Number.POSITIVE_INFINITY,
    );
    const next = Math.min(this.#cardsReadAt + interval.cards - steadyNow(), left > 0 ? left + 1 : interval.leases);
    this.#timer = setTimeout(
      () => {
        this.#look()
          .catch((err: unknown) => this.#deps.logger.debug({ err }, 'registrations could not be read'))
          .finally(() => this.schedule());
      },
      Math.max(0, next),
    ).unref();
  }

  async #look(): Promise<void> {
    const { store, lease } = this.#deps;
    const { rows, leases } = this.#parts;
    const now = store.now();
    // It may have been renewed at another replica, which changes no version.
    if (leases.goingOn.some(({ expiresAt }) => expiresAt <= now)) store.reread();
    if (steadyNow() - this.#cardsReadAt < interval.cards) return;
    this.#cardsReadAt = steadyNow();
    const needsWork = rows.current.some((row) => row.problem !== undefined || isForgotten(row, now));
    if (needsWork && (await lease(readers.name, readers.ms))) await this.#maintain();
  }

  /** Removes what ended long ago, and reads the cards that could not be read. */
  async #maintain(): Promise<void> {
    const { rows, changes, cards } = this.#parts;
    const now = this.#deps.store.now();
    const ended = rows.current.filter((row) => isForgotten(row, now));
    for (const row of ended) await changes.remove(row, undefined);
    if (ended.length > 0) await rows.read();
    const unread = rows.current.filter(({ problem }) => problem !== undefined);
    const read = async (): Promise<void> => {
      for (let row = unread.pop(); row && !this.#closing.aborted; row = unread.pop()) {
        const { name, offer, problem } = row;
        const card = await cards.read(offer).catch((thrown: Error) => thrown.message);
        if (card !== problem) await cards.keep(name, offer, card);
      }
    };
    await Promise.all(Array.from({ length: cardReaders }, read));
  }
}

/** Whether the lease of a registration has ended so long ago that the registration is removed. */
const isForgotten = ({ expiresAt }: RowState, now: number): boolean => expiresAt + keptAfterLease < now;
