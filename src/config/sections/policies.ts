import * as z from 'zod';
import type { AuthSettings } from '../../auth/settings.ts';
import type { PolicyConfig } from '../../gen/settings.ts';
import type { ReportProblem } from '../context.ts';
import { missingPackages } from '../packages.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, section, text } from '../schema-parts.ts';
import { checkPeople, listedName, people, requireOwnNames } from './people.ts';

const expectedCondition = 'a condition in CEL, or true or false';

const condition = () => z.union([z.boolean(), text(expectedCondition)], anything(expectedCondition)).optional();

const policy = section('a policy', () => ({
  name: listedName().describe('The name of the policy in the audit log, in metrics and in the list of calls.'),
  where: text('a condition in CEL')
    .optional()
    .describe('The calls to which the policy applies, as a condition in CEL. Default: all.'),
  deny: condition().describe('Condition for refusing a call. Exactly one of `deny`, `allow` and `ask` is required.'),
  allow: condition().describe(
    'Condition for allowing a call. If policies with `allow` apply to a call, at least one of their conditions must hold.',
  ),
  ask: people
    .optional()
    .describe('The people who must agree before an agent receives a message to which the policy applies.'),
  reason: text('a text')
    .optional()
    .describe(
      'Reason that refused callers and the people who are asked receive. Default: a text saying that a policy refuses the call.',
    ),
  log: oneOf('refused', 'all', 'none')
    .prefault('refused')
    .describe('Decisions of the policy that are written to the audit log.'),
  shadow: flag
    .prefault(false)
    .describe('Whether the policy only counts and logs the calls that it would have refused or asked about.'),
})).register(schemaFacts, { input: 'PolicySettings', output: 'PolicyConfig' });

/** `policies`: conditions in CEL that decide about calls. */
export const policies = z
  .array(policy, anything('a list of policies'))
  .prefault([])
  .describe('Conditions in CEL that decide which calls are refused, and for which calls people are asked.');

/** Reports problems in policies. Their conditions are checked when they are compiled. */
export function checkPolicyForms(given: readonly PolicyConfig[], report: ReportProblem, auth: AuthSettings): void {
  const missing = given.length > 0 ? missingPackages('cel') : undefined;
  if (missing !== undefined) report([], missing);
  requireOwnNames('policy', given, report);
  for (const [index, { deny, allow, ask }] of given.entries()) {
    const effects = [deny, allow, ask].filter((effect) => effect !== undefined);
    if (effects.length !== 1) report([`${index}`], 'expected one of deny, allow and ask');
    if (ask) checkPeople(ask, [`${index}`, 'ask'], auth, report);
  }
  const deciding = given.filter(({ allow, shadow }) => allow !== undefined && !shadow);
  const [first] = deciding;
  if (first && deciding.every(({ allow }) => String(allow) === 'true'))
    report(
      [`${given.indexOf(first)}`, 'allow'],
      'these policies cannot refuse a call, because each allow is true: add a policy with a condition, or { allow: false } for all other calls',
    );
}
