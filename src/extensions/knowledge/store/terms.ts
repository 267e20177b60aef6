import { createHash } from 'node:crypto';
import { escapeText, unescapeText } from '../../../stores/text.ts';
import { type Term, typePredicates } from '../model/terms.ts';

/** Maximum UTF-16 units of a text that is its own key. An index row of PostgreSQL can hold about 2,700 bytes. */
const maxKey = 400;

/** Prefix that escaped text never has. */
const longMark = '\u00012';

export interface TermColumns {
  readonly key: string;
  readonly datatype: string;
  readonly body: string | null;
}

/** Returns the key of a text: the text itself, or a digest of a long text. */
export function keyOf(text: string): string {
  const escaped = escapeText(text);
  return escaped.length <= maxKey ? escaped : longMark + createHash('sha256').update(escaped).digest('base64url');
}

/** Whether the text for a key is stored in the body. */
export const isLong = (key: string): boolean => key.startsWith(longMark);

export function columnsOf({ text, datatype }: Term): TermColumns {
  const key = keyOf(text);
  return { key, datatype: escapeText(datatype), body: isLong(key) ? escapeText(text) : null };
}

/** Returns the identity of a term within its space. Escaped texts do not contain U+0000. */
export const identityOf = ({ key, datatype }: Pick<TermColumns, 'key' | 'datatype'>): string => `${datatype}\0${key}`;

export const termFrom = ({ key, datatype, body }: TermColumns): Term => ({
  text: unescapeText(isLong(key) ? (body ?? key) : key),
  datatype: unescapeText(datatype),
});

/** Offset between the numbers of resources and literals. Both rise in the order of creation. */
const literals = 2 ** 40;

export interface TermRow extends TermColumns {
  readonly id: number;
}

/** The terms of a transaction, by number and by identity. Assigns numbers to new terms. */
export class TermSet {
  readonly #ids = new Map<string, number>();
  readonly #terms = new Map<number, Term>();
  readonly #newRows = new Map<number, TermRow>();
  readonly #columns = new Map<Term, TermColumns>();
  readonly #typePredicates = new Set<number>();
  /** Absolute number of the next new term. */
  next: number;

  constructor(next: number) {
    this.next = next;
  }

  /** Adds a term from the database. For an unreadable term, only the number is added. */
  add(row: TermRow): void {
    try {
      this.#keep(row.id, identityOf(row), termFrom(row));
    } catch {
      this.#terms.set(row.id, { text: '', datatype: '' });
    }
  }

  /** Returns the number of a term; undefined if no statement uses it. */
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

  /**
   * Returns the term with a number.
   *
   * @throws TypeError for an unknown number
   */
  readonly get = (id: number): Term => {
    const term = this.#terms.get(id);
    if (!term) throw new TypeError(`no term ${id}`);
    return term;
  };

  readonly isTypePredicate = (p: number): boolean => this.#typePredicates.has(p);

  /** Returns the rows of those terms that are not in the database yet. */
  newRows(ids: Iterable<number>): TermRow[] {
    return [...ids].flatMap((id) => this.#newRows.get(id) ?? []);
  }

  /** Returns the columns with which to look terms up. */
  wanted(terms: readonly Term[]): TermColumns[] {
    const columns = terms.map((term) => this.#columnsOf(term));
    return [...new Map(columns.map((each) => [identityOf(each), each])).values()];
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
