import * as z from 'zod';
import { dialectNames } from '../../dialects/registry.ts';
import type { SunsetConfig } from '../../gen/settings.ts';
import type { ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, oneOf, section, textThat } from '../schema-parts.ts';

const expectedDay = 'a day such as 2027-03-01, which begins in UTC, or a time such as 2027-03-01T12:00:00Z';
const dayOrTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Whether a text is a valid time. `Date.parse` alone accepts a 31st in every month. */
const isTime = (text: string): boolean =>
  dayOrTime.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));

const time = () => textThat(expectedDay, isTime);

const isLink = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const ending = section('the end of a generation', () => ({
  since: time()
    .optional()
    .describe(
      'Time from which the generation is deprecated. Default: the day on which the configuration becomes active.',
    ),
  on: time().describe('Day or time at which the generation ends.'),
  mode: oneOf('warn', 'rehearse', 'refuse')
    .prefault('warn')
    .describe(
      'Treatment of callers of the generation. `warn`: they are warned. `rehearse`: calls that would be refused are also counted. `refuse`: calls are refused from that day on.',
    ),
  link: textThat('an http or https URL', isLink)
    .optional()
    .describe('URL of a page about the end of the generation, which responses and refusals contain. Default: none.'),
})).register(schemaFacts, { input: 'SunsetSettings', output: 'SunsetConfig' });

/** `sunset`: announced ends of generations of A2A, by dialect. */
export const sunset = z
  .record(z.string(), ending, anything('generations by their names'))
  .prefault({})
  .describe('Announced ends of generations of A2A, by dialect.');

/** Reports names that are not dialects, and ends that are earlier than their deprecation. */
export function checkSunset(given: Readonly<Record<string, SunsetConfig>>, report: ReportProblem): void {
  for (const [name, { since, on }] of Object.entries(given)) {
    if (!dialectNames.some((known) => known === name))
      report(['sunset', name], `unknown generation; expected one of ${dialectNames.join(', ')}`);
    if (since !== undefined && Date.parse(since) > Date.parse(on))
      report(['sunset', name, 'since'], 'must not be later than on: a generation ends after it is deprecated');
  }
}
