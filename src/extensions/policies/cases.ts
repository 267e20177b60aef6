import type * as z from 'zod';
import { oneOf, section, text } from '../../config/schema-parts.ts';
import { policies } from '../../config/sections/policies.ts';
import { mismatchOf, type Read, readAs } from '../case-file.ts';
import { callOfCase } from '../conditions/call-schema.ts';
import { plainFacts } from '../conditions/facts.ts';
import { asking, compilePolicies, decide, type Policy } from './policies.ts';

export const caseOf = section('a case', () => ({
  name: text('a text'),
  call: callOfCase.prefault({}),
  expect: oneOf('deny', 'allow', 'ask'),
  policy: text('the name of a policy').optional(),
}));

type PolicyCase = z.output<typeof caseOf>;

/** The policies in the section of a configuration. */
export function readPolicies(content: unknown): Read<Policy[]> {
  const section = readAs(policies, content, ['policies']);
  if (section.problems) return section;
  const { policies: value, problems } = compilePolicies(section.value);
  return problems.length > 0 ? { problems } : { value };
}

/**
 * Returns the fault of a case: the decision that differs from the expected one. Undefined: there is none. If the case names a
 * policy in shadow, that policy decides.
 */
export function failureOf({ call: given, expect, policy }: PolicyCase, all: readonly Policy[]): string | undefined {
  if (policy !== undefined && !all.some(({ name }) => name === policy)) return `there is no policy ${policy}`;
  const deciding = all.filter(({ name, shadow }) => !shadow || name === policy);
  const facts = plainFacts(given as Parameters<typeof plainFacts>[0]);
  const ruling = decide(deciding, facts);
  const asked = ruling?.isRefused ? [] : asking(deciding, facts);
  const outcome = ruling?.isRefused ? 'deny' : asked.length > 0 ? 'ask' : 'allow';
  const decisions = asked.length > 0 || !ruling ? asked : [ruling];
  const by = decisions.map((one) => one.policy.name);
  const { failure } = decisions.find((one) => one.failure) ?? {};
  const mismatch = mismatchOf({ expect, by: policy }, outcome, by, 'policy');
  return mismatch && failure ? `${mismatch}, which cannot be evaluated: ${failure.message}` : mismatch;
}
