import * as z from 'zod';
import { dialectNames } from '../../dialects/registry.ts';
import type { SunsetConfig } from '../../gen/settings.ts';
import type { ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, oneOf, section, textThat } from '../schema-parts.ts';

const expectedDay = 'a day such as 2027-03-01, which begins in UTC, or a time such as 2027-03-01T12:00:00Z';
const dayOrTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Whether a text names a time. `Date.parse` takes the 31st of each month. */
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
  on: time().describe('When the generation ends.'),
  mode: oneOf('warn', 'rehearse', 'refuse')
    .prefault('warn')
    .describe(
      'Whether its callers are only warned, or the calls that would be refused are counted too, or they are refused from that day on.',
    ),
  link: textThat('an http or https URL', isLink)
    .optional()
    .describe('A page about it, which answers and refusals name. Default: none.'),
})).register(schemaFacts, { input: 'SunsetSettings', output: 'SunsetConfig' });

/** `sunset`: the announced ends of generations of A2A, by their names. */
export const sunset = z
  .record(z.string(), ending, anything('generations by their names'))
  .prefault({})
  .describe('When generations of A2A end, by the names of their dialects.');

/** Reports names that no dialect has, and ends before their announcement. */
export function checkSunset(given: Readonly<Record<string, SunsetConfig>>, report: ReportProblem): void {
  for (const [name, { since, on }] of Object.entries(given)) {
    if (!dialectNames.some((known) => known === name))
      report(['sunset', name], `unknown generation; expected one of ${dialectNames.join(', ')}`);
    if (since !== undefined && Date.parse(since) > Date.parse(on))
      report(['sunset', name, 'since'], 'must not be later than on: a generation ends after it is deprecated');
  }
}
