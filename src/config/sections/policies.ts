import * as z from 'zod';
import type { PolicyConfig } from '../../gen/settings.ts';
import type { ReportProblem } from '../context.ts';
import { missingPackages } from '../packages.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, section, text, textThat } from '../schema-parts.ts';

const expectedName = 'a name of letters, digits, dots, dashes and underscores, 64 at most';
const expectedCondition = 'a condition in CEL, or true or false';

const condition = () => z.union([z.boolean(), text(expectedCondition)], anything(expectedCondition)).optional();

const policy = section('a policy', () => ({
  name: textThat(expectedName, (value) => /^[\w.-]{1,64}$/.test(value)).describe(
    'Its name in the audit log, in metrics and in the list of calls.',
  ),
  where: text('a condition in CEL').optional().describe('Which calls it is about, in CEL. Default: all.'),
  deny: condition().describe('Calls for which this holds are refused. Either this or `allow`.'),
  allow: condition().describe(
    'Of the policies with `allow` that are about a call, one at least must hold. Either this or `deny`.',
  ),
  reason: text('a text').optional().describe('What refused callers read. Default: that a policy refuses the call.'),
  log: oneOf('refused', 'all', 'none').prefault('refused').describe('Which of its decisions are in the audit log.'),
  shadow: flag.prefault(false).describe('Whether it only counts and logs what it would have refused.'),
})).register(schemaFacts, { input: 'PolicySettings', output: 'PolicyConfig' });

/** `policies`: conditions in CEL that decide about calls. */
export const policies = z
  .array(policy, anything('a list of policies'))
  .prefault([])
  .describe('Conditions in CEL that decide which calls are refused.');

/** Reports what is wrong with policies besides their conditions, which are checked where they are compiled. */
export function checkPolicyForms(given: readonly PolicyConfig[], report: ReportProblem): void {
  const missing = given.length > 0 ? missingPackages('cel') : undefined;
  if (missing !== undefined) report(['policies'], missing);
  const names = new Set<string>();
  for (const [index, { name, deny, allow }] of given.entries()) {
    const path = ['policies', `${index}`];
    if ((deny === undefined) === (allow === undefined)) report(path, 'expected either deny or allow, not both');
    if (names.has(name)) report([...path, 'name'], 'there is another policy with this name');
    names.add(name);
  }
  const deciding = given.filter(({ allow, shadow }) => allow !== undefined && !shadow);
  const [first] = deciding;
  if (first && deciding.every(({ allow }) => String(allow) === 'true'))
    report(
      ['policies', `${given.indexOf(first)}`, 'allow'],
      'no policy can refuse by this: where each allow is true, add one with a condition, or { allow: false } for all other calls',
    );
}
