import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeView } from '../../../core/model/knowledge.ts';
import type { Traits } from '../../database.ts';
import { escapeText } from '../../text.ts';
import { slot, type Values } from '../templates.ts';

/** Whether a view leaves anything out. */
export const restricts = (view: KnowledgeView): boolean => viewShape(view) !== '';

/** Whether the default graph, which is no term, is hidden: by its name '', or by the beginning of all names. */
const hidesDefault = (graphs: readonly string[]): boolean => graphs.includes('') || graphs.includes('*');

/** What the text of a query depends on in a view; '' where everything counts. */
export function viewShape({ minCertainty, since, hidden }: KnowledgeView): string {
  const graphs = hidden?.graphs?.length ? (hidesDefault(hidden.graphs) ? 'd' : 'g') : '';
  return `${minCertainty === undefined ? '' : 'c'}${since === undefined ? '' : 't'}${graphs}${hidden?.predicates?.length ? 'p' : ''}`;
}

/** What a query is asked with because of a view. */
export const viewValues = ({ minCertainty, since, hidden }: KnowledgeView): Values => ({
  minCertainty,
  since,
  hiddenGraphs: hidden?.graphs && namesJson(hidden.graphs),
  hiddenPredicates: hidden?.predicates && namesJson(hidden.predicates),
});

/** Names as a table: those that end with `*` are beginnings. */
const namesJson = (names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) =>
      name.endsWith('*') ? { name: escapeText(name.slice(0, -1)), open: 1 } : { name: escapeText(name), open: 0 },
    ),
  );

/**
 * The end of what is asked of each row that is looked at. PostgreSQL would make a join of it otherwise, of all rows that
 * there are, before it puts the few in order that are wanted.
 */
const perRow = ({ lateral }: Traits): RawBuilder<unknown> => (lateral ? sql`offset 0` : sql``);

/** That the term in a column of statements is none of some. Judged by its text, so that no moment is missed. */
function noneOf(traits: Traits, column: RawBuilder<unknown>, names: string): RawBuilder<unknown> {
  const hidden = traits.records('n', { name: 'text', open: 'bigint' }, slot(names));
  return sql`not exists (
    select 1 from knowledge_term h cross join ${hidden} where h.space = ${slot('space')} and h.id = ${column} and (
      coalesce(h.body, h.key) = n.name
      or (n.open = 1 and substr(coalesce(h.body, h.key), 1, length(n.name)) = n.name))
    ${perRow(traits)})`;
}

/** That a statement counts, as conditions that each begin with `and`; empty where all do. */
export function visible(
  traits: Traits,
  alias: string,
  { minCertainty, since, hidden }: KnowledgeView,
): RawBuilder<unknown> {
  const column = (name: string): RawBuilder<unknown> => sql.raw(`${alias}.${name}`);
  const conditions: RawBuilder<unknown>[] = [];
  if (minCertainty !== undefined) {
    conditions.push(sql`and (${column('certainty')} is null or ${column('certainty')} >= ${slot('minCertainty')})`);
  }
  if (since !== undefined) conditions.push(sql`and ${column('at')} >= ${slot('since')}`);
  if (hidden?.predicates?.length) conditions.push(sql`and ${noneOf(traits, column('p'), 'hiddenPredicates')}`);
  if (hidden?.graphs?.length) {
    const others = noneOf(traits, column('g'), 'hiddenGraphs');
    const named = sql`${column('g')} <> 0 and ${others}`;
    conditions.push(hidesDefault(hidden.graphs) ? sql`and ${named}` : sql`and (${column('g')} = 0 or ${others})`);
  }
  return sql.join(conditions, sql` `);
}
