import { describe, expect, it } from 'vitest';
import { choices } from '../../src/client/choose.ts';
import { dialectsFor } from '../../src/client/dialects.ts';
import { type RecognizedCard, recognizeCard } from '../../src/client/recognize-card.ts';
import { type AgentCard, api } from '../../src/core/model/a2a.ts';
import { type JsonObject, sameJson } from '../../src/core/model/json.ts';
import { findingsOf } from '../../src/dialects/card-rules/findings.ts';
import { formatPath } from '../../src/wire/protojson.ts';
import { violationsOf } from '../../src/wire/validate.ts';
import { type Mutant, mutantsOf, type Steps, wholeCards } from '../support/card-mutants.ts';

const at = new URL('https://a2a.example.com/.well-known/agent-card.json');
const read = (document: unknown): RecognizedCard => recognizeCard(document, dialectsFor(undefined), at);

/** Whether the dialect takes the piece as it is: there is nothing to name. */
function isLegal({ document }: Mutant, { dialect }: RecognizedCard): boolean {
  try {
    dialect.card.decode(document, { losses: new Set() });
    return true;
  } catch {
    return false;
  }
}

/** Whether a path is named, or what is around it or in it. */
const names = (path: string, steps: Steps): boolean => {
  const own = formatPath(steps);
  return path === own || own.startsWith(`${path}.`) || own.startsWith(`${path}[`) || path.startsWith(own);
};

/** The members of a card in v1 that a piece of the document can be in. */
const membersFrom: Readonly<Record<string, readonly (keyof AgentCard)[]>> = {
  url: ['supportedInterfaces'],
  preferredTransport: ['supportedInterfaces'],
  additionalInterfaces: ['supportedInterfaces'],
  protocolVersion: ['supportedInterfaces', 'capabilities'],
  security: ['securityRequirements', 'securitySchemes'],
  securityRequirements: ['securityRequirements', 'securitySchemes'],
  securitySchemes: ['securityRequirements', 'securitySchemes', 'capabilities'],
  authentication: ['securityRequirements', 'securitySchemes', 'capabilities'],
  authSchemes: ['securityRequirements', 'securitySchemes', 'capabilities'],
  supportsAuthenticatedExtendedCard: ['capabilities'],
  agentVersion: ['version'],
  capabilities: ['capabilities', 'defaultInputModes'],
  // Members that only their own dialect has are kept in the capabilities.
  skills: ['skills', 'capabilities', 'securitySchemes'],
  provider: ['provider', 'capabilities'],
};

const bindingMembers: ReadonlySet<unknown> = new Set(['preferredTransport', 'transport', 'protocolBinding']);

function untouched(card: AgentCard, [first]: Steps): object {
  const gone = new Set<string>(membersFrom[String(first)] ?? [String(first), 'capabilities']);
  const { capabilities: _, signatures: __, ...rest } = card;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !gone.has(name)));
}

const requiredBy = ({ securityRequirements = [] }: AgentCard): string[] =>
  securityRequirements.flatMap(({ schemes = {} }) => Object.keys(schemes));

const whatOf = ({ steps, how }: Mutant): string => `${formatPath(steps)} ${how}`;

/** Faults in the reading of a mutant. */
function failuresOf(mutant: Mutant, whole: RecognizedCard): string[] {
  const found = read(mutant.document);
  const { card, problems, dialect, alternatives } = found;
  const failures: string[] = [];
  const check = (holds: boolean, what: string): void => {
    if (!holds) failures.push(`${whatOf(mutant)}: ${what}`);
  };
  const [violation] = violationsOf(api, `${api.package}.AgentCard`, card);
  check(violation === undefined, `${violation?.field} ${violation?.description}`);
  check(!JSON.stringify(card).includes('polluted'), 'keeps __proto__');
  // An unknown binding has to be found out by questions.
  const isUnknown =
    (mutant.how === 'is a text' && bindingMembers.has(mutant.steps.at(-1))) ||
    (mutant.how === 'is an empty list' && mutant.steps.at(-1) === 'supportedInterfaces');
  check(isUnknown || choices(found).length > 0, 'cannot be called');
  // An empty list in place of an object is what PHP writes, and a card without its version is one of another generation.
  const isOther = isUnknown || mutant.steps[0] === 'protocolVersion' || problems.length === 0;
  const candidates = [found, ...alternatives].map((one) => one.dialect.name);
  check(isOther || candidates.includes(whole.dialect.name), `is taken for ${dialect.name}`);
  if (dialect.name !== whole.dialect.name) return failures;
  for (const [name, member] of Object.entries(untouched(whole.card, mutant.steps))) {
    check(sameJson(card[name as keyof AgentCard], member), `changes ${name}`);
  }
  if (isLegal(mutant, found)) return failures;
  const findings = findingsOf(dialect.name, mutant.document, 0).map(({ field = '' }) => field);
  const named = [...problems.map(({ path }) => path), ...findings];
  check(
    named.some((path) => names(path, mutant.steps)),
    `is not among ${named}`,
  );
  return failures;
}

/** The runner prints it; `TEST_SEED=N npx vitest run test/client` takes the same mutants again. */
const seed = Number(process.env.TEST_SEED ?? 1);

/** A sixth of the mutants, by the seed. */
const someOf = (document: JsonObject): Mutant[] => [...mutantsOf(document)].filter((_, at) => (at + seed) % 6 === 0);

describe.each(Object.entries(wholeCards))('a card of %s', (label, document: JsonObject) => {
  const whole = read(document);

  it(`a card of ${label} is read as a whole`, () => {
    expect(whole.problems).toEqual([]);
  });

  it(`a card of ${label} can be called, and keeps the rest, whatever is wrong with one piece, which is named`, () => {
    const failures = someOf(document).flatMap((mutant) => failuresOf(mutant, whole));
    expect(failures).toEqual([]);
  });

  it(`a card of ${label} never loses that callers must authenticate`, () => {
    if (!requiredBy(whole.card).length) return;
    const failures = someOf(document).flatMap((mutant): string[] => {
      const isSecurity = /^(?:secur|auth)/.test(String(mutant.steps[0]));
      const isGone = ['is missing', 'is null', 'is an empty list', 'is an empty object'].includes(mutant.how);
      if (!isSecurity || isGone) return [];
      const { card } = read(mutant.document);
      const required = requiredBy(card);
      const undeclared = required.filter((name) => !Object.hasOwn(card.securitySchemes ?? {}, name));
      return required.length > 0 && undeclared.length === 0 ? [] : [`${whatOf(mutant)}: ${required}, ${undeclared}`];
    });
    expect(failures).toEqual([]);
  });
});
