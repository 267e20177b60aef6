import * as z from 'zod';
import { splitIssues } from '../../config/issues.ts';
import { anything, oneOf, section, text } from '../../config/schema-parts.ts';
import { policies } from '../../config/sections/policies.ts';
import { plainFacts } from './facts.ts';
import { compilePolicies, decide, type Policy, type PolicyProblem } from './policies.ts';

const string = z.string(anything('a text'));
const strings = z.array(string, anything('a list of texts'));
const mapping = z.record(z.string(), z.unknown(), anything('a mapping'));
const instant = z
  .custom<string>(
    (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    anything('a time, such as 2026-01-05T09:00:00Z'),
  )
  .transform((value) => Date.parse(value));

const caller = section('a caller', () => ({
  id: string.optional(),
  anonymous: z.boolean(anything('true or false')).optional(),
  scopes: strings.optional(),
  attributes: mapping.optional(),
}));

const task = section('a task', () => ({
  id: string.optional(),
  contextId: string.optional(),
  state: string.optional(),
}));

const call = section('a call', () => ({
  caller: caller.optional(),
  task: task.optional(),
  ...Object.fromEntries(
    (['tenant', 'agent', 'skill', 'operation', 'dialect', 'binding'] as const).map((name) => [name, string.optional()]),
  ),
  size: z.number(anything('a number of bytes')).int().min(0).optional(),
  mediaTypes: strings.optional(),
  metadata: mapping.optional(),
  messageMetadata: mapping.optional(),
  requestMetadata: mapping.optional(),
  extensions: strings.optional(),
  now: instant.optional(),
  path: strings.optional(),
}));

const caseOf = section('a case', () => ({
  name: text('a text'),
  call: call.prefault({}),
  expect: oneOf('deny', 'allow'),
  policy: text('the name of a policy').optional(),
}));

const file = section('cases', () => ({
  config: text('the path of a configuration').prefault('gateway.yaml'),
  cases: z.array(caseOf, anything('a list of cases')).min(1, anything('at least one case')),
}));

type PolicyCase = z.output<typeof caseOf>;
type PolicyCases = z.output<typeof file>;

/** A value, or everything that is wrong with what should be one. */
type Read<T> = { readonly value: T; readonly problems?: undefined } | { readonly problems: readonly PolicyProblem[] };

function readAs<T extends z.ZodType>(schema: T, given: unknown, base: readonly string[] = []): Read<z.output<T>> {
  const read = schema.safeParse(given);
  if (read.success) return { value: read.data };
  const problems = splitIssues(read.error).map(({ path, message }) => ({
    path: [...base, ...path.map(String)],
    message,
  }));
  return { problems };
}

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
  const decision = decide(deciding, plainFacts(given as Parameters<typeof plainFacts>[0]));
  const outcome = decision?.isRefused ? 'deny' : 'allow';
  const by = decision?.policy.name;
  if (outcome === expect && (policy === undefined || by === policy)) return undefined;
  const failure = decision?.failure ? `, which cannot be evaluated: ${decision.failure.message}` : '';
  const wanted = policy === undefined ? expect : `${expect} by ${policy}`;
  return `expected ${wanted}, and it was ${outcome}${by === undefined ? ', by no policy' : ` by ${by}`}${failure}`;
}
