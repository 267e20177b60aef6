import * as z from 'zod';
import { noCaller, principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import type { PeopleConfig } from '../../gen/settings.ts';
import type { ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, duration, flag, oneOf, section, text, textThat, wholeNumber } from '../schema-parts.ts';

const callers = z
  .array(text('the name of a caller'), anything('a list of callers'))
  .min(1, anything('at least one caller'));

/** The schema of people who are asked. */
export const people = section('people to ask', () => ({
  of: callers.describe('The callers who may agree: their names in the configuration, or the ids of their principals.'),
  until: duration('a duration above zero, such as 1h or 7d', (ms) => ms > 0)
    .prefault('1h')
    .describe('Time for which the call waits for a decision.'),
  otherwise: oneOf('deny', 'allow')
    .prefault('deny')
    .describe('The decision about the call if nothing is decided in that time.'),
  quorum: wholeNumber.prefault(1).describe('Number of people who must agree.'),
  self: flag.prefault(false).describe('Whether a caller who is one of these people may agree to their own call.'),
  delegate: text('the name of a caller')
    .optional()
    .describe('The caller who may agree instead of any of them. Default: none.'),
}))
  .describe('People who are asked before an agent receives a message.')
  .register(schemaFacts, { input: 'PeopleSettings', output: 'PeopleConfig' });

/** The schema of people, as a mapping or a list of their names. */
export const peopleOrNames = z.codec(
  z.union([callers, people], anything('a list of callers, or a mapping with of')),
  z.custom<PeopleConfig>().register(schemaFacts, { type: 'PeopleConfig' }),
  {
    decode: (value) => (Array.isArray(value) ? z.decode(people, { of: value }) : value),
    encode: (value) => ({ ...value, of: [...value.of] }),
  },
);

/** Reports names that match no possible caller, and a quorum that cannot be reached. */
export function checkPeople(
  { of, delegate, quorum }: PeopleConfig,
  path: readonly string[],
  auth: AuthSettings,
  report: ReportProblem,
): void {
  const idsOf = (name: string, key: readonly string[]): string[] => {
    const ids = principalIdsNamed(auth, name);
    if (ids.length === 0) report([...path, ...key], noCaller(name));
    return ids;
  };
  const named = of.flatMap((name, index) => idsOf(name, ['of', `${index}`]));
  const ids = new Set([...named, ...(delegate === undefined ? [] : idsOf(delegate, ['delegate']))]);
  // A name with a final asterisk stands for an unknown number of callers.
  const most = [...ids].some((id) => id.endsWith('*')) ? Number.POSITIVE_INFINITY : ids.size;
  if (quorum < 1) report([...path, 'quorum'], 'expected a number above zero');
  else if (ids.size > 0 && quorum > most)
    report([...path, 'quorum'], `expected at most ${most}: no more people may agree`);
}

const expectedName = 'a name of letters, digits, dots, dashes and underscores, 64 at most';

/** Creates the schema of the name of a policy or guard. */
export const listedName = () => textThat(expectedName, (value) => /^[\w.-]{1,64}$/.test(value));

/** Reports names that occur more than once in a list. */
export function requireOwnNames(
  what: string,
  given: readonly { readonly name: string }[],
  report: ReportProblem,
): void {
  const names = new Set<string>();
  for (const [index, { name }] of given.entries()) {
    if (names.has(name)) report([`${index}`, 'name'], `there is another ${what} with this name`);
    names.add(name);
  }
}
