import { fields } from '../gen/admin-v1/fields.ts';
import type { Field } from '../gen/api.ts';

/** Default URL of a gateway. */
export const defaultGateway = 'http://localhost:8080';

/** Returns the values of an enum by their words on the command line: `draining` for AGENT_MODE_DRAINING. */
export function wordsOf(type: string): Record<string, string> {
  const names = Object.keys(fields.enums[type] ?? {});
  const [unspecified = ''] = names;
  const prefix = unspecified.replace(/UNSPECIFIED$/, '');
  const words = names.slice(1).map((name) => [name.slice(prefix.length).toLowerCase(), name] as const);
  return Object.fromEntries(words);
}

/**
 * Whether a field is a required one that names the subject of an operation. Such fields are arguments of its command,
 * in the order of the fields, and not options.
 */
export const isArgument = ({ jsonName, required }: Field): boolean => required === true && subjects.has(jsonName);

const subjects: ReadonlySet<string> = new Set(['name', 'key', 'url', 'revision', 'principal']);

export const fieldsOf = (request: string): readonly Field[] => fields.messages[request]?.fields ?? [];
