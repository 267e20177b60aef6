import { pathToFileURL } from 'node:url';
import { A2AError } from '../../core/model/errors.ts';
import type { AlignmentRule } from './rule.ts';

/**
 * Loads the rules that a user's file exports by default: a rule, a list of rules, or a function that is one. JavaScript,
 * or TypeScript with erasable syntax. Rejects with an A2AError that says what is wrong with the file.
 *
 * @param path absolute
 */
export async function moduleRules(path: string): Promise<AlignmentRule[]> {
  const loaded: { default?: unknown } = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new A2AError('internal', `The rules ${path} cannot be loaded: ${why}`, { cause });
  });
  const given = Array.isArray(loaded.default) ? loaded.default : [loaded.default];
  const rules = given.map(ruleFrom);
  if (rules.every((rule) => rule !== undefined) && rules.length > 0) return rules;
  throw new A2AError(
    'internal',
    `The rules ${path} must export by default a rule, { name, verify }, or a list of them.`,
  );
}

function ruleFrom(given: unknown): AlignmentRule | undefined {
  if (typeof given === 'function') return { name: given.name || 'rules', verify: given as AlignmentRule['verify'] };
  return isRule(given) ? given : undefined;
}

const isRule = (given: unknown): given is AlignmentRule =>
  typeof given === 'object' &&
  given !== null &&
  'name' in given &&
  typeof given.name === 'string' &&
  'verify' in given &&
  typeof given.verify === 'function';
