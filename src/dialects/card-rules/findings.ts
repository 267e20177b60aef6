import type { CardProblem } from '../../core/model/agent.ts';
import { isObject } from '../../core/model/json.ts';
import type { CardFinding } from '../../gen/admin-v1/types.ts';
import { factsOf } from './facts.ts';
import { inOrder } from './group-findings.ts';
import type { Found } from './rule.ts';
import { cardRules } from './rules.ts';

/** Largest number of findings per rule and card, and longest field path in one. */
const limits = { perRule: 10, path: 200 } as const;

const titles = { v1: 'A2A 1.0.1 section', v0: 'A2A 0.3.0 section' } as const;

/**
 * Returns errors, warnings and notes about a card, the worst first. Never throws, whatever the card's content.
 *
 * @param dialect name of the card's dialect
 * @param problems pieces of the card that the gateway does not use as written. Default: none, or not known
 */
export function findingsOf(
  dialect: string,
  document: unknown,
  bytes: number,
  problems: readonly CardProblem[] = [],
): CardFinding[] {
  const found = ruled(dialect, document, bytes);
  const sections = new Map(found.map(({ field, section }) => [field, section]));
  const used = bounded(problems.map(({ path, reason }) => ({ field: path, message: reason }))).map(
    ({ field, message }): CardFinding => {
      const section = sections.get(shortened(field));
      return { severity: 'error', dialect, field: shortened(field), message, ...(section && { section }) };
    },
  );
  const fields = new Set(used.map(({ field }) => field));
  // For a field that is not used, one reason is enough.
  return inOrder([...used, ...found.filter(({ field, severity }) => severity !== 'error' || !fields.has(field))]);
}

/** Returns the findings of the rules. */
function ruled(dialect: string, document: unknown, bytes: number): CardFinding[] {
  const facts = isObject(document) ? factsOf(document, bytes) : undefined;
  if (!facts) return [];
  return cardRules.flatMap((rule) => {
    const section = rule.sections[facts.family];
    if (section === undefined) return [];
    return bounded([...rule.check(facts)]).map(({ field, message }) => ({
      severity: rule.severity,
      dialect,
      field: shortened(field),
      message,
      section: `${titles[facts.family]} ${section}`,
    }));
  });
}

function bounded(found: readonly Found[]): readonly Found[] {
  const more = found.length - limits.perRule;
  if (more <= 0) return found;
  const shown = found.slice(0, limits.perRule);
  return [...shown, { field: '', message: `${more} more fields have the same problem as ${shown.at(-1)?.field}` }];
}

const shortened = (field: string): string => (field.length > limits.path ? `${field.slice(0, limits.path)}…` : field);

/**
 * Returns findings for fields that a card in an older dialect leaves out of the card in A2A 1.0. @param paths of fields
 */
export const droppedFindings = (dialect: string, paths: Iterable<string>): CardFinding[] =>
  bounded(
    [...paths].map((path) => ({
      field: path,
      message: 'clients of this dialect do not see it: their cards have no place',
    })),
  ).map(({ field, message }) => ({ severity: 'note', dialect, field: shortened(field), message }));
