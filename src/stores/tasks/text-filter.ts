import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TextFilter } from '../../core/ports/admin-store.ts';
import type { Traits } from '../database.ts';
import { escapeText } from '../text.ts';

/** The columns that a text may begin or end. */
const names = ['key', 'id', 'context_id', 'principal', 'agent'] as const;
/** The columns that may contain it. */
const lines = ['preview', 'reason'] as const;

/** A whole id has at least so many characters: generated ones have 36. */
const shortestId = 16;

/** Whether a row has the text, in upper or lower case. */
export function hasText({ like }: Traits, { text, namesOnly }: TextFilter): RawBuilder<SqlBool> {
  const patterns = spellings(text).map((spelling) => escapeText(spelling).replace(/[\\%_]/g, '\\$&'));
  const matches = (column: string, pattern: string) => sql`${sql.ref(column)} ${like} ${pattern} escape '\\'`;
  const conditions = patterns.flatMap((pattern) => [
    ...(namesOnly ? [] : lines.map((column) => matches(column, `%${pattern}%`))),
    ...names.flatMap((column) => [matches(column, `${pattern}%`), matches(column, `%${pattern}`)]),
  ]);
  // The columns of lines are null in rows of versions before: then the others decide.
  return sql<SqlBool>`coalesce(${sql.join(conditions, sql` or `)}, false)`;
}

/** Where a text may be the whole id of a task, or of a context: what indexes find by it. */
export function namedBy({ text }: TextFilter): RawBuilder<SqlBool> | undefined {
  if (text.length < shortestId) return undefined;
  const id = escapeText(text);
  return sql<SqlBool>`(key = ${id} or (id = ${id} and id <> key) or context_id = ${id})`;
}

/** Whether a text may be a part of an id that the gateway made. It is looked for in ids, although words may begin with it. */
export const isPartOfId = ({ text }: TextFilter): boolean =>
  text.length >= 6 && /^[\da-f-]+$/i.test(text) && /\d/.test(text) && /[a-f-]/i.test(text);

/** The databases know the case of ASCII alone: the others are compared in lower case, in upper case, and as names are written. */
function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  const first = String.fromCodePoint(lower.codePointAt(0) ?? 0x20);
  const all = [text, lower, upper, `${first.toUpperCase()}${lower.slice(first.length)}`];
  return [...new Set(all.map(lowerAscii))];
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
