import { sql } from 'kysely';
import type { KnowledgeView } from '../../../core/model/knowledge.ts';
import type { Traits } from '../../database.ts';
import { escapeText } from '../../text.ts';
import type { Sql } from '../joins.ts';
import { slot, type Values } from '../templates.ts';

/** Whether a view excludes any statements. */
export const restricts = (view: KnowledgeView): boolean => viewShape(view) !== '';

/** Whether the default graph, which is not a term, is hidden: by its name '' or by the pattern `*`. */
const hidesDefault = (graphs: readonly string[]): boolean => graphs.includes('') || graphs.includes('*');

/** The part of a view that determines the SQL text; '' for a view without restrictions. */
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

/** Names as JSON rows; names that end with `*` are prefixes. */
const namesJson = (names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) =>
      name.endsWith('*') ? { name: escapeText(name.slice(0, -1)), open: 1 } : { name: escapeText(name), open: 0 },
    ),
  );

/**
 * A condition that the term of a column has none of the names. Compares texts, so that new terms are covered at once.
 */
function noneOf(traits: Traits, column: Sql, names: string): Sql {
  // PostgreSQL would otherwise join the subquery with all rows before it sorts the few that are wanted.
  const perRow = traits.lateral ? sql`offset 0` : sql``;
  const hidden = traits.records('n', { name: 'text', open: 'bigint' }, slot(names));
  return sql`not exists (
    select 1 from knowledge_term h cross join ${hidden} where h.space = ${slot('space')} and h.id = ${column} and (
      coalesce(h.body, h.key) = n.name
      or (n.open = 1 and substr(coalesce(h.body, h.key), 1, length(n.name)) = n.name))
    ${perRow})`;
}

/** Conditions that a statement is visible, each beginning with `and`; empty for a view without restrictions. */
export function visible(traits: Traits, alias: string, { minCertainty, since, hidden }: KnowledgeView): Sql {
  const column = (name: string): Sql => sql.raw(`${alias}.${name}`);
  const conditions: Sql[] = [];
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
