import { createHash } from 'node:crypto';
import { type Term, typePredicates } from '../../core/model/knowledge-terms.ts';
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

/** What separates the numbers of literals from those of resources: both rise in the order in which they are made. */
const literals = 2 ** 40;

/** A term's row. */
export interface TermRow extends TermColumns {
  readonly id: number;
}

/** The terms that a transaction has to do with, by number and by what they are. New ones get their number here. */
export class TermSet {
  readonly #ids = new Map<string, number>();
  readonly #terms = new Map<number, Term>();
  readonly #newRows = new Map<number, TermRow>();
  readonly #columns = new Map<Term, TermColumns>();
  readonly #typePredicates = new Set<number>();
  /** Number of the next new term, its sign aside. */
  next: number;

  constructor(next: number) {
    this.next = next;
  }

  /** Takes in what the database has. */
  add(row: TermRow): void {
    this.#keep(row.id, identityOf(row), termFrom(row));
  }

  /** Undefined: no statement has it. */
  find(term: Term): number | undefined {
    return this.#ids.get(identityOf(this.#columnsOf(term)));
  }

  findOrMake(term: Term): number {
    const columns = this.#columnsOf(term);
    const identity = identityOf(columns);
    const known = this.#ids.get(identity);
    if (known !== undefined) return known;
    const id = term.datatype === '' ? this.next : this.next - literals;
    this.next += 1;
    this.#keep(id, identity, term);
    this.#newRows.set(id, { id, ...columns });
    return id;
  }

  has(id: number): boolean {
    return this.#terms.has(id);
  }

  /** Of numbers that are known only. */
  readonly get = (id: number): Term => {
    const term = this.#terms.get(id);
    if (!term) throw new TypeError(`no term ${id}`);
    return term;
  };

  readonly isTypePredicate = (p: number): boolean => this.#typePredicates.has(p);

  /** Rows of those among these that the database does not have yet. */
  newRows(ids: Iterable<number>): TermRow[] {
    const rows: TermRow[] = [];
    for (const id of ids) {
      const row = this.#newRows.get(id);
      if (row) rows.push(row);
    }
    return rows;
  }

  /** What has to be looked up to know these. */
  wanted(terms: Iterable<Term>): TermColumns[] {
    const lookupColumns = new Map<string, TermColumns>();
    for (const term of terms) {
      const columns = this.#columnsOf(term);
      lookupColumns.set(identityOf(columns), columns);
    }
    return [...lookupColumns.values()];
  }

  #keep(id: number, identity: string, term: Term): void {
    this.#ids.set(identity, id);
    this.#terms.set(id, term);
    if (id > 0 && typePredicates.has(term.text)) this.#typePredicates.add(id);
  }

  #columnsOf(term: Term): TermColumns {
    const columns = this.#columns.get(term) ?? columnsOf(term);
    this.#columns.set(term, columns);
    return columns;
  }
}
