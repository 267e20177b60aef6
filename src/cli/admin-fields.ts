import { fields } from '../gen/admin-v1/fields.ts';
import type { Field } from '../gen/api.ts';

/** Default URL of a gateway. */
export const defaultGateway = 'http://localhost:8080';

/** The words for the values of an enum: AGENT_MODE_DRAINING is `draining`. */
export function wordsOf(type: string): Record<string, string> {
  const names = Object.keys(fields.enums[type] ?? {});
  const [unspecified = ''] = names;
  const prefix = unspecified.replace(/UNSPECIFIED$/, '');
  const words = names.slice(1).map((name) => [name.slice(prefix.length).toLowerCase(), name] as const);
  return Object.fromEntries(words);
}

/** Required fields that say what an operation is about: arguments of its command, in this order, and not options. */
export const isArgument = ({ jsonName, required }: Field): boolean => required === true && subjects.has(jsonName);

const subjects: ReadonlySet<string> = new Set(['name', 'key', 'url', 'revision', 'principal']);

export const fieldsOf = (request: string): readonly Field[] => fields.messages[request]?.fields ?? [];
