import { sql } from 'kysely';
import type { StatementPattern } from '../../../core/model/knowledge.ts';
import { literal, resource, shortDatatype, type Term } from '../../../core/model/knowledge-terms.ts';
import type { Database, Traits } from '../../database.ts';
import { escapeText } from '../../text.ts';
import { lookUp, termTable } from '../joins.ts';
import { slot, Templates } from '../templates.ts';
import { columnsOf, identityOf, keyOf, type TermRow } from '../terms.ts';
import type { KnownTerms } from './plan.ts';

/** Numbers of terms by identity; for a text without a datatype, those of all literals with the text. */
export class TermDictionary {
  readonly #byIdentity = new Map<string, number>();
  readonly #byText = new Map<string, number[]>();

  constructor(rows: readonly Pick<TermRow, 'id' | 'key' | 'datatype'>[]) {
    for (const row of rows) {
      this.#byIdentity.set(identityOf(row), row.id);
      if (row.datatype === '') continue;
      const literals = this.#byText.get(row.key) ?? [];
      literals.push(row.id);
      this.#byText.set(row.key, literals);
    }
  }

  /** Undefined: no statement uses it. */
  number(term: Term): number | undefined {
    return this.#byIdentity.get(identityOf(columnsOf(term)));
  }

  resource(id: string): number | undefined {
    return this.number(resource(id));
  }

  /** The searches for a pattern: none if a term is unknown, several if a text belongs to several literals. */
  known({ subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern): KnownTerms[] {
    if (object !== undefined && value !== undefined) return [];
    const names = { s: subject, p: predicate, o: object, g: graph, type: subjectType };
    const known: { -readonly [Column in keyof KnownTerms]: KnownTerms[Column] } = {};
    for (const [column, name] of Object.entries(names) as [keyof KnownTerms, string | undefined][]) {
      if (name === undefined) continue;
      const number = column === 'g' && name === '' ? 0 : this.resource(name);
      if (number === undefined) return [];
      known[column] = number;
    }
    if (value === undefined) return [known];
    if (datatype !== undefined) {
      const o = this.number(literal(value, datatype));
      return o === undefined ? [] : [{ ...known, o }];
    }
    // In the order in which their statements are read.
    const literals = (this.#byText.get(keyOf(literal(value).text)) ?? []).toSorted((a, b) => a - b);
    return literals.map((o) => ({ ...known, o }));
  }
}

interface WantedTerm {
  readonly key: string;
  /** Null: any datatype. */
  readonly datatype: string | null;
}

/** Looks up the terms of patterns. */
export class TermLookup {
  readonly #traits: Traits;
  readonly #queries: Templates;

  constructor(database: Database) {
    this.#traits = database.traits;
    this.#queries = new Templates(database);
  }

  find(space: number, patterns: readonly StatementPattern[]): Promise<TermDictionary> {
    const wanted = new Map<string, WantedTerm>();
    const want = (each: WantedTerm): void => void wanted.set(`${each.datatype}\0${each.key}`, each);
    for (const { subject, predicate, object, value, datatype, subjectType, graph } of patterns) {
      for (const id of [subject, predicate, object, subjectType, graph]) {
        if (id !== undefined && id !== '') want({ key: keyOf(id), datatype: '' });
      }
      if (value !== undefined) {
        const key = keyOf(literal(value).text);
        want({ key, datatype: datatype === undefined ? null : escapeText(shortDatatype(datatype)) });
      }
    }
    return this.#find(space, [...wanted.values()]);
  }

  /** Looks up resources. */
  async resources(space: number, ids: Iterable<string>): Promise<TermDictionary> {
    return this.#find(
      space,
      [...new Set(ids)].map((id) => ({ key: keyOf(id), datatype: '' })),
    );
  }

  async #find(space: number, wanted: readonly WantedTerm[]): Promise<TermDictionary> {
    if (wanted.length === 0) return new TermDictionary([]);
    const values = { space, rows: JSON.stringify(wanted) };
    return new TermDictionary(await this.#queries.run('terms', () => termsQuery(this.#traits), values));
  }
}

function termsQuery(traits: Traits) {
  const passed = traits.records('x', { key: 'text', datatype: 'text' }, slot('rows'));
  const where = sql`t.space = ${slot('space')} and t.key = x.key
    and (t.datatype = x.datatype or (x.datatype is null and t.datatype <> ''))`;
  return sql<TermRow>`select t.id, t.key, t.datatype from ${lookUp(traits, passed, termTable, where)}`;
}
