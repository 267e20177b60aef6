import { sql } from 'kysely';
import type { Database, Traits } from '../../../../stores/database.ts';
import { escapeText } from '../../../../stores/text.ts';
import type { StatementPattern } from '../../model/graph.ts';
import { literal, resource, shortDatatype, type Term } from '../../model/terms.ts';
import { lookUp, termTable } from '../joins.ts';
import { createTemplates, slot } from '../templates.ts';
import { columnsOf, identityOf, keyOf, type TermRow } from '../terms.ts';

export interface KnownTerms {
  readonly s?: number;
  readonly p?: number;
  readonly o?: number;
  /** 0 is the default graph. */
  readonly g?: number;
  readonly type?: number;
}

/** Creates an index of term numbers by identity. A text without a datatype refers to all literals with that text. */
function dictionaryOf(rows: readonly Pick<TermRow, 'id' | 'key' | 'datatype'>[]) {
  const ids = new Map(rows.map((row) => [identityOf(row), row.id]));
  const literals = Map.groupBy(
    rows.filter(({ datatype }) => datatype !== ''),
    ({ key }) => key,
  );
  const number = (term: Term): number | undefined => ids.get(identityOf(columnsOf(term)));
  return {
    /** Returns the number of a resource; undefined if no statement uses it. */
    resource: (id: string): number | undefined => number(resource(id)),

    /** Returns the searches for a pattern: none if a term is unknown, several if a text belongs to several literals. */
    known({ subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern): KnownTerms[] {
      if (object !== undefined && value !== undefined) return [];
      const names = { s: subject, p: predicate, o: object, g: graph, type: subjectType };
      const known: { -readonly [Column in keyof KnownTerms]: KnownTerms[Column] } = {};
      for (const [column, name] of Object.entries(names) as [keyof KnownTerms, string | undefined][]) {
        if (name === undefined) continue;
        const id = column === 'g' && name === '' ? 0 : number(resource(name));
        if (id === undefined) return [];
        known[column] = id;
      }
      if (value === undefined) return [known];
      if (datatype !== undefined) {
        const o = number(literal(value, datatype));
        return o === undefined ? [] : [{ ...known, o }];
      }
      // In the order in which their statements are read.
      const same = (literals.get(keyOf(literal(value).text)) ?? []).toSorted((a, b) => a.id - b.id);
      return same.map(({ id }) => ({ ...known, o: id }));
    },
  };
}

export type TermDictionary = ReturnType<typeof dictionaryOf>;

/** A term to look up. If `datatype` is null, any datatype matches. */
type WantedTerm = Readonly<Record<'key', string> & Record<'datatype', string | null>>;

export function createTermLookup(database: Database) {
  const query = createTemplates(database);

  function find(space: number, patterns: readonly StatementPattern[]): Promise<TermDictionary> {
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
    return lookUpAll(space, [...wanted.values()]);
  }

  async function resources(space: number, ids: Iterable<string>): Promise<TermDictionary> {
    return lookUpAll(
      space,
      [...new Set(ids)].map((id) => ({ key: keyOf(id), datatype: '' })),
    );
  }

  async function lookUpAll(space: number, wanted: readonly WantedTerm[]): Promise<TermDictionary> {
    if (wanted.length === 0) return dictionaryOf([]);
    const values = { space, rows: JSON.stringify(wanted) };
    return dictionaryOf(await query('terms', () => termsQuery(database.traits), values));
  }

  return { find, resources };
}

function termsQuery(traits: Traits) {
  const passed = traits.records('x', { key: 'text', datatype: 'text' }, slot('rows'));
  const where = sql`t.space = ${slot('space')} and t.key = x.key
    and (t.datatype = x.datatype or (x.datatype is null and t.datatype <> ''))`;
  return sql<TermRow>`select t.id, t.key, t.datatype from ${lookUp(traits, passed, termTable, where)}`;
}
