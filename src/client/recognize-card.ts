import { A2AError } from '../core/model/errors.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { callable, type ReadCard } from './choose.ts';

/** What a document turned out to be. */
export interface RecognizedCard extends ReadCard {
  /**
   * Other generations that the document can be read as, and that find something to call in it: cards of different
   * generations have much in common, some documents are written for several, and some dialects have no cards of their own.
   */
  readonly alternatives: readonly ReadCard[];
}

/**
 * Reads a document as the best generation that can read it and finds something to call in it; failing that, as the first
 * that can read it at all.
 *
 * @param dialects the preferred one first
 * @param place where the document comes from, for the error
 * @throws A2AError `invalidAgentResponse` when none can read it, with the reason of the one that is most likely meant
 */
export function recognizeCard(document: unknown, dialects: readonly Dialect[], place: string): RecognizedCard {
  const readings: ReadCard[] = [];
  const failures: A2AError[] = [];
  for (const dialect of dialects) {
    try {
      readings.push({ card: dialect.card.decode(document, { losses: new Set() }), dialect });
    } catch (thrown) {
      failures.push(A2AError.from(thrown));
    }
  }
  const usable = readings.filter(({ card, dialect }) => callable({ card, dialect }, dialects));
  const [best, ...others] = usable.length > 0 ? usable : readings;
  if (best !== undefined) return { ...best, alternatives: usable.length > 0 ? others : [] };
  const why = failures[0] === undefined ? 'no generation is asked for' : reasonOf(nearest(failures) ?? failures[0]);
  throw new A2AError('invalidAgentResponse', `the agent card at ${place} is not valid: ${why}`);
}

/** The failure with the fewest complaints: of a card with one mistake, that is the generation that it was written for. */
function nearest(failures: readonly A2AError[]): A2AError | undefined {
  const told = failures.filter(({ violations }) => violations.length > 0);
  return told.reduce<A2AError | undefined>(
    (best, one) => (best === undefined || one.violations.length < best.violations.length ? one : best),
    undefined,
  );
}

function reasonOf({ message, violations }: A2AError): string {
  const fields = violations.map(({ field, description }) => `${field} ${description}`);
  return fields.length === 0 ? message : fields.slice(0, 3).join('; ');
}
