import { A2AError } from '../../core/model/errors.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { hasUsableInterface } from '../choose.ts';
import { cardLocations, type FoundCard, fetchCard, type ReadCardOptions } from '../read-card.ts';
import type { CardReport } from './report.ts';

export interface SurveyOptions extends Pick<ReadCardOptions, 'http' | 'headers' | 'signal'> {
  /** Milliseconds of each question. */
  readonly timeout: number;
  /** When `performance.now()` must not have passed. */
  readonly end: number;
  readonly onProgress: ((what: string) => void) | undefined;
}

/**
 * Asks every place at which a card may be, until nobody answers.
 *
 * @throws A2AError `canceled`
 */
export async function surveyCards(
  target: URL,
  dialects: readonly Dialect[],
  { http, headers, signal, timeout, end, onProgress }: SurveyOptions,
): Promise<{ readonly reports: readonly CardReport[]; readonly best?: FoundCard }> {
  const reports: CardReport[] = [];
  const found: FoundCard[] = [];
  for (const place of cardLocations(target, dialects)) {
    const { href: url } = place.url;
    onProgress?.(`looking for a card at ${url}`);
    try {
      const until = Math.min(end, performance.now() + timeout);
      const answer = await fetchCard(place, { http, dialects, headers, signal, timeout }, until);
      if (answer.found === undefined) {
        reports.push({ url, says: answer.says });
        continue;
      }
      found.push(answer.found);
      const { dialect } = answer.found;
      reports.push({ url, says: `a card of ${dialect.name}`, dialect: dialect.name });
    } catch (thrown) {
      const { kind, message } = A2AError.from(thrown);
      if (kind === 'canceled') throw thrown;
      reports.push({ url, says: message });
      break;
    }
  }
  const best = found.find((one) => hasUsableInterface(one, dialects)) ?? found[0];
  return { reports, ...(best && { best }) };
}
