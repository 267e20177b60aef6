import { A2AError } from '../core/model/errors.ts';
import type { ChangePattern } from './change-pattern.ts';

const names = ['subject', 'predicate', 'object', 'type', 'graph'] as const satisfies readonly (keyof ChangePattern)[];

const isName = (name: string): name is (typeof names)[number] => (names as readonly string[]).includes(name);

const refuse = (what: string): A2AError => new A2AError('knowledgeSubscription', `The filter ${what}`);

/**
 * Reads a plain filter: a JSON object with the arguments of `statementChanged`, such as `{"subject": "urn:a"}`.
 * Undefined for a text that is no JSON object. Throws `knowledgeSubscription` for anything else in the object.
 */
export function plainFilter(text: string): ChangePattern | undefined {
  const filter = objectIn(text);
  if (!filter) return undefined;
  const pattern: { -readonly [N in keyof ChangePattern]: string } = {};
  for (const [name, value] of Object.entries(filter)) {
    if (!isName(name)) throw refuse(`may have ${names.join(', ')}, but not ${name.slice(0, 64)}`);
    if (value !== null && typeof value !== 'string') throw refuse(`must have a string as its ${name}`);
    if (value !== null) pattern[name] = value;
  }
  return pattern;
}

function objectIn(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
