import { sql } from 'kysely';
import type { Traits } from '../../../../stores/database.ts';
import { escapeText } from '../../../../stores/text.ts';
import type { KnowledgeView } from '../../model/graph.ts';
import type { Sql } from '../joins.ts';
import { slot, type Values } from '../templates.ts';

/** Whether a view excludes any statements. */
export const restricts = (view: KnowledgeView): boolean => viewShape(view) !== '';

/** Whether the default graph is hidden: by its name '' or by the pattern `*`. It is not a term, so no join finds it. */
const hidesDefault = (graphs: readonly string[]): boolean => graphs.includes('') || graphs.includes('*');

/** Returns the properties of a view that determine the SQL text; '' for a view without restrictions. */
export function viewShape({ minCertainty, since, hidden }: KnowledgeView): string {
  const graphs = hidden?.graphs?.length ? (hidesDefault(hidden.graphs) ? 'd' : 'g') : '';
  return `${minCertainty === undefined ? '' : 'c'}${since === undefined ? '' : 't'}${graphs}${hidden?.predicates?.length ? 'p' : ''}`;
}

/** The parameters of a view. */
export const viewValues = ({ minCertainty, since, hidden }: KnowledgeView): Values => ({
  minCertainty,
  since,
  hiddenGraphs: hidden?.graphs && namesJson(hidden.graphs),
  hiddenPredicates: hidden?.predicates && namesJson(hidden.predicates),
});

/** Converts names to JSON rows. Names that end with `*` are prefixes. */
const namesJson = (names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) => ({ name: escapeText(name.replace(/\*$/, '')), open: name.endsWith('*') ? 1 : 0 })),
  );

/**
 * Returns a condition that the term of a column matches none of the names. Compares texts, so that new terms are
 * covered at once.
 */
function noneOf(traits: Traits, column: Sql, names: string): Sql {
  // Otherwise PostgreSQL would join the subquery with all rows before it sorts the few that are needed.
  const perRow = traits.lateral ? sql`offset 0` : sql``;
  const hidden = traits.records('n', { name: 'text', open: 'bigint' }, slot(names));
  return sql`not exists (
    select 1 from knowledge_term h cross join ${hidden} where h.space = ${slot('space')} and h.id = ${column} and (
      coalesce(h.body, h.key) = n.name
      or (n.open = 1 and substr(coalesce(h.body, h.key), 1, length(n.name)) = n.name))
    ${perRow})`;
}

/**
 * Returns conditions that a statement `st` is visible, each beginning with `and`; empty for a view without
 * restrictions.
 */
export function visible(traits: Traits, { minCertainty, since, hidden }: KnowledgeView): Sql {
  const conditions: Sql[] = [];
  if (minCertainty !== undefined) {
    conditions.push(sql`and (st.certainty is null or st.certainty >= ${slot('minCertainty')})`);
  }
  if (since !== undefined) conditions.push(sql`and st.at >= ${slot('since')}`);
  if (hidden?.predicates?.length) conditions.push(sql`and ${noneOf(traits, sql`st.p`, 'hiddenPredicates')}`);
  if (hidden?.graphs?.length) {
    const others = noneOf(traits, sql`st.g`, 'hiddenGraphs');
    conditions.push(hidesDefault(hidden.graphs) ? sql`and st.g <> 0 and ${others}` : sql`and (st.g = 0 or ${others})`);
  }
  return sql.join(conditions, sql` `);
}
