import { isDeepStrictEqual } from 'node:util';
import { A2AError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ChangesDeps, RegistrationChanges } from './changes.ts';
import type { KnownRows } from './known-rows.ts';
import type { RegistrationQuota } from './quota.ts';
import { keepable, withCard } from './revisions.ts';
import type { Offer, Registration } from './store.ts';

/** Number of cards that are read at the same time. */
export const cardReaders = 8;
/** Milliseconds for reading one card. */
const cardTimeout = 5_000;
/** Milliseconds for which a card is served that was approved by itself: one that changes with each reading is not followed. */
const settled = 60_000;

/** The dependencies of cards. */
export interface CardsDeps extends ChangesDeps {
  readonly logger: Logger;
  /** The card at the offer's URL. Rejects with A2AError. */
  readonly readCard: (offer: Offer, signal: AbortSignal) => Promise<unknown>;
}

/** Reads the cards of registered agents, and stores those that have changed. */
export class RegisteredCards {
  readonly #deps: CardsDeps;
  readonly #rows: KnownRows;
  readonly #quota: RegistrationQuota;
  readonly #changes: RegistrationChanges;
  readonly #closing: AbortSignal;

  /** @param closing aborted when the gateway stops */
  constructor(
    deps: CardsDeps,
    rows: KnownRows,
    quota: RegistrationQuota,
    changes: RegistrationChanges,
    closing: AbortSignal,
  ) {
    this.#deps = deps;
    this.#rows = rows;
    this.#quota = quota;
    this.#changes = changes;
    this.#closing = closing;
  }

  /** The card of an offer; a text: why there is none. Rejects with `invalidParams` if the guard refuses the URL. */
  async read(offer: Offer): Promise<JsonObject | string> {
    const signal = AbortSignal.any([AbortSignal.timeout(cardTimeout), this.#closing]);
    try {
      return keepable(await this.#deps.readCard(offer, signal));
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind === 'invalidParams') throw error;
      return error.message;
    }
  }

  /**
   * A registration with a card that was read for its offer. With `changes`, the first cards of an owner wait once too many
   * names of removed agents are kept: names that were dropped are not known any more.
   *
   * @param read a text: why there is no card
   */
  added(registration: Registration, read: JsonObject | string, owner: string): Registration {
    const rule = this.#deps.approve();
    const waits = rule === 'changes' && !this.#quota.hasRoomForName(owner);
    return withCard(registration, read, waits ? 'always' : rule, this.#deps.store.now());
  }

  /** Stores the card of a running agent that differs from the one that is served. Never rejects. */
  async note(name: string, offer: Offer, card: JsonObject): Promise<void> {
    const { decidedAt = 0 } = this.#rows.get(name)?.approved ?? {};
    if (this.#deps.approve() === 'never' && this.#deps.store.now() - decidedAt < settled) return;
    try {
      await this.keep(name, offer, keepable(card));
    } catch (err) {
      this.#deps.logger.warn({ agent: name, err }, 'the new card of a registered agent could not be stored');
    }
  }

  /** Stores a card that was read for an offer, or why there is none, unless the offer was replaced meanwhile. */
  async keep(name: string, offer: Offer, read: JsonObject | string): Promise<void> {
    const { logger } = this.#deps;
    let waits = false;
    const isKept = await this.#changes.replace(name, (row) => {
      if (!row || row.removedAt > 0 || !isDeepStrictEqual(row.registration.offer, offer)) return undefined;
      const { problem: _, ...known } = row.registration;
      const registration = this.added(known, read, row.owner);
      if (isDeepStrictEqual(registration, row.registration)) return undefined;
      waits = registration.revisions[0]?.state === 'waiting';
      return { ...row, registration };
    });
    if (isKept && waits) logger.warn({ agent: name }, 'the card of a registered agent waits for approval');
  }
}
