import type { CardFinding } from '../../gen/admin-v1/types.ts';
import { factsOf } from './facts.ts';
import { inOrder } from './group-findings.ts';
import type { Found } from './rule.ts';
import { cardRules } from './rules.ts';

/** Findings of one rule about one card, and the length of the field's path in one. */
const limits = { perRule: 10, path: 200 } as const;

const titles = { v1: 'A2A 1.0.1 section', v0: 'A2A 0.3.0 section' } as const;

/** What is wrong or doubtful about a card, the worst first. Never throws, whatever the card holds. @param dialect of the card */
export function findingsOf(dialect: string, document: unknown, bytes: number): CardFinding[] {
  const facts = factsOf(document, bytes);
  if (!facts) return [];
  const findings = cardRules.flatMap((rule) => {
    const section = rule.sections[facts.family];
    if (section === undefined) return [];
    return bounded([...rule.check(facts)]).map(({ field, message }) => ({
      ...{ severity: rule.severity, dialect, field: shortened(field), message },
      section: `${titles[facts.family]} ${section}`,
    }));
  });
  return inOrder(findings);
}

function bounded(found: readonly Found[]): readonly Found[] {
  const more = found.length - limits.perRule;
  if (more <= 0) return found;
  const shown = found.slice(0, limits.perRule);
  return [...shown, { field: '', message: `${more} more fields have the same problem as ${shown.at(-1)?.field}` }];
}

const shortened = (field: string): string => (field.length > limits.path ? `${field.slice(0, limits.path)}…` : field);

/** What a card in an older dialect leaves out of the card in A2A 1.0. @param paths of fields */
export const droppedFindings = (dialect: string, paths: Iterable<string>): CardFinding[] =>
  bounded(
    [...paths].map((path) => ({
      field: path,
      message: 'clients of this dialect do not see it: their cards have no place',
    })),
  ).map(({ field, message }) => ({ severity: 'note', dialect, field: shortened(field), message }));
