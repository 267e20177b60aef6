import { createHash } from 'node:crypto';
import type { Term } from '../../core/model/knowledge-terms.ts';
import { escapeText, unescapeText } from '../text.ts';

/** UTF-16 units of a text that its key holds whole: an index of PostgreSQL takes some 2,700 bytes. */
const maxKey = 400;

/** No escaped text begins like this. */
const longMark = '\u00012';

/** A term's columns. */
export interface TermColumns {
  readonly key: string;
  readonly datatype: string;
  readonly body: string | null;
}

/** The key of a text: the text itself, or a digest of it where it is long. */
export function keyOf(text: string): string {
  const escaped = escapeText(text);
  return escaped.length <= maxKey ? escaped : longMark + createHash('sha256').update(escaped).digest('base64url');
}

/** Whether a key stands for a text that is in the body. */
export const isLong = (key: string): boolean => key.startsWith(longMark);

/** A term as its columns have it. */
export function columnsOf({ text, datatype }: Term): TermColumns {
  const key = keyOf(text);
  return { key, datatype: escapeText(datatype), body: isLong(key) ? escapeText(text) : null };
}

/** What tells a term from all others of its space. Escaped texts have no U+0000. */
export const identityOf = ({ key, datatype }: Pick<TermColumns, 'key' | 'datatype'>): string => `${datatype}\0${key}`;

/** The term of these columns. */
export const termFrom = ({ key, datatype, body }: TermColumns): Term => ({
  text: unescapeText(body ?? key),
  datatype: unescapeText(datatype),
});
