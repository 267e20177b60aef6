import type { Dialect } from '../dialects/kernel/dialect.ts';
import { type KeyPlace, type PublicKeys, readPublicKeys } from '../net/public-keys.ts';
import { shownSignatures, UntrustedCard, verifyCard } from './verify-card.ts';

/** Judges the cards of an agent by their signatures. */
export interface CardTrust {
  /** Whether a card without signatures is refused. */
  readonly required: boolean;
  /**
   * What of a card is vouched for: nothing else of it may be used. Rejects with UntrustedCard, or with A2AError
   * `unavailable` where the keys cannot be had.
   *
   * @param where the card is from, for the error: `the agent card at https://…`
   */
  judge(document: unknown, where: string, signal: AbortSignal): Promise<unknown>;
}

export interface CardTrustOptions {
  readonly keys: KeyPlace;
  /** Whether a card without signatures is refused. One that has signatures must have a good one in any case. */
  readonly required: boolean;
  /** The generations whose cards are read. */
  readonly dialects: readonly Dialect[];
  /** Called when a card is refused, unless it was refused for the same reason before. */
  readonly onRefused?: (reason: string) => void;
}

/** Milliseconds for which keys are not read again: a card may be looked for in several places. */
const rest = 10_000;

/** Judges by keys that are read anew whenever a card is, so that keys can come and go. */
export function createCardTrust({ keys: place, required, dialects, onRefused }: CardTrustOptions): CardTrust {
  let reading: Promise<PublicKeys> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let refused: string | undefined;

  const keys = (signal: AbortSignal): Promise<PublicKeys> => {
    if (reading && Date.now() - readAt < rest) return reading;
    readAt = Date.now();
    reading = readPublicKeys(place, signal);
    return reading;
  };

  return {
    required,
    async judge(document, where, signal) {
      const isSigned = shownSignatures(document).length > 0;
      if (!isSigned && !required) return document;
      try {
        const trusted = isSigned ? await keys(signal) : { keys: [] };
        const { document: vouched } = await verifyCard(document, trusted, dialects, where);
        refused = undefined;
        return vouched;
      } catch (thrown) {
        if (thrown instanceof UntrustedCard && thrown.message !== refused) {
          refused = thrown.message;
          onRefused?.(refused);
        }
        throw thrown;
      }
    },
  };
}
