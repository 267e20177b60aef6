import * as z from 'zod';
import { anything, oneOf, section, text } from '../../config/schema-parts.ts';
import { policies } from '../../config/sections/policies.ts';
import { type Read, readAs } from '../case-file.ts';
import { callOfCase } from '../conditions/call-schema.ts';
import { plainFacts } from '../conditions/facts.ts';
import { asking, compilePolicies, decide, type Policy } from './policies.ts';

const caseOf = section('a case', () => ({
  name: text('a text'),
  call: callOfCase.prefault({}),
  expect: oneOf('deny', 'allow', 'ask'),
  policy: text('the name of a policy').optional(),
}));

const file = section('cases', () => ({
  config: text('the path of a configuration').prefault('gateway.yaml'),
  cases: z.array(caseOf, anything('a list of cases')).min(1, anything('at least one case')),
}));

type PolicyCase = z.output<typeof caseOf>;
type PolicyCases = z.output<typeof file>;

/** The cases in the content of a file. */
export const readCases = (content: unknown): Read<PolicyCases> => readAs(file, content ?? {});

/** The policies in the content of a configuration, the rest of which is not looked at. */
export function readPolicies(content: unknown): Read<Policy[]> {
  const section = readAs(policies, (content as { policies?: unknown } | null)?.policies, ['policies']);
  if (section.problems) return section;
  const { policies: value, problems } = compilePolicies(section.value);
  return problems.length > 0 ? { problems } : { value };
}

/**
 * Describes the fault of a case: the decision made instead. Undefined: none. A policy in shadow that the case names
 * decides.
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
  if (outcome === expect && (policy === undefined || by.includes(policy))) return undefined;
  const { failure } = decisions.find((one) => one.failure) ?? {};
  const because = failure ? `, which cannot be evaluated: ${failure.message}` : '';
  const wanted = policy === undefined ? expect : `${expect} by ${policy}`;
  return `expected ${wanted}, and it was ${outcome}${by.length === 0 ? ', by no policy' : ` by ${by.join(', ')}`}${because}`;
}
