import * as z from 'zod';
import type { AuthSettings } from '../../auth/settings.ts';
import type { GuardConfig } from '../../gen/settings.ts';
import { isWebUrl } from '../addresses.ts';
import type { ReportProblem } from '../context.ts';
import { missingPackages } from '../packages.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, section, text, textThat, timeout, wholeNumber } from '../schema-parts.ts';
import { authorization } from './outbound-auth.ts';
import { checkPeople, listedName, peopleOrNames, requireOwnNames } from './people.ts';

const expectedModule = 'the path of a JavaScript or TypeScript module, such as ./guard.ts';
/** Largest window, in characters. */
const widest = 65_536;

const guard = section('a guard', () => ({
  name: listedName().describe(
    'The name of the guard in requests to its judge, in the audit log, in metrics, and in messages to callers.',
  ),
  where: text('a condition in CEL')
    .optional()
    .describe('The calls to which the guard applies, as a condition in CEL. Default: all.'),
  on: z
    .array(oneOf('request', 'answer'), anything('a list of request and answer'))
    .min(1, anything('request, answer, or both'))
    .prefault(['request', 'answer'])
    .describe('Whether the guard judges messages of callers, answers of agents, or both. Default: both.'),
  url: textThat('an http or https URL without user and fragment', isWebUrl)
    .register(schemaFacts, { secret: 'query' })
    .optional()
    .describe('The URL of the judge, to which each request is sent by POST. Either `url` or `module` is required.'),
  authentication: authorization().describe('Sent to the judge as `Authorization`. Default: none.'),
  module: text(expectedModule)
    .optional()
    .describe('The path of a module whose default export is the judge function. Either `module` or `url` is required.'),
  timeout: timeout.prefault('5s').describe('Time within which the judge must answer.'),
  onError: oneOf('block', 'pass')
    .prefault('block')
    .describe('Handling of content for which the judge returns no valid verdict in time.'),
  approvers: peopleOrNames
    .optional()
    .describe(
      'The people who are asked about a message if the judge answers `ask`. Default: such messages are blocked.',
    ),
  window: wholeNumber
    .prefault(0)
    .describe('Number of characters before a chunk of an artifact that are sent to the judge with the chunk.'),
  shadow: flag.prefault(false).describe('Whether the guard only counts and logs the changes that it would have made.'),
})).register(schemaFacts, { input: 'GuardSettings', output: 'GuardConfig' });

/** `guards`: judges of the messages of callers and the answers of agents. */
export const guards = z
  .array(guard, anything('a list of guards'))
  .prefault([])
  .describe('Judges of the messages of callers and the answers of agents, in their order.');

/**
 * Reports problems in guards. Their conditions are checked when they are compiled.
 *
 * @param auth if absent, approvers are not checked
 */
export function checkGuardForms(given: readonly GuardConfig[], report: ReportProblem, auth?: AuthSettings): void {
  const missing = given.some(({ where }) => where !== undefined) ? missingPackages('cel') : undefined;
  if (missing !== undefined) report([], missing);
  requireOwnNames('guard', given, report);
  for (const [index, { on, url, module, authentication, window, approvers }] of given.entries()) {
    const path = [`${index}`];
    if ((url === undefined) === (module === undefined)) report(path, 'expected either url or module, not both');
    if (authentication && url === undefined)
      report([...path, 'authentication'], 'only with url: a module receives none');
    if (window > widest) report([...path, 'window'], `expected at most ${widest} characters`);
    if (approvers && !on.includes('request'))
      report([...path, 'approvers'], 'only with on: request: people are asked only about messages');
    if (approvers && auth) checkPeople(approvers, [...path, 'approvers'], auth, report);
  }
}
