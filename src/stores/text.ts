import type { TaskOwner } from '../core/model/ids.ts';
import { UnreadableRow } from '../core/model/stored-form.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the escape is about
const special = /[\u0000\u0001]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character
const escaped = /\u0001([01])/g;

/** Escapes text, because PostgreSQL rejects U+0000: U+0000 becomes U+0001 '0', and U+0001 becomes U+0001 '1'. */
export const escapeText = (text: string): string =>
  text.search(special) < 0 ? text : text.replace(special, (char) => (char === '\u0000' ? '\u00010' : '\u00011'));

/** The inverse of `escapeText`. Throws UnreadableRow for a value that is not a text, which SQLite allows in every column. */
export function unescapeText(text: string): string {
  if (typeof text !== 'string') throw new UnreadableRow('one of its columns is no text');
  return text.includes('\u0001') ? text.replace(escaped, (_, digit) => (digit === '0' ? '\u0000' : '\u0001')) : text;
}

/** An owner in its stored form. */
export const escapeOwner = ({ agent, tenant, principal }: TaskOwner): TaskOwner => ({
  agent: escapeText(agent),
  tenant: escapeText(tenant),
  principal: escapeText(principal),
});

/** The inverse of `escapeOwner`, for any row with an owner. */
export const unescapeOwner = ({ agent, tenant, principal }: TaskOwner): TaskOwner => ({
  agent: unescapeText(agent),
  tenant: unescapeText(tenant),
  principal: unescapeText(principal),
});
