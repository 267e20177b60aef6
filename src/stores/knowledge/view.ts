import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeView } from '../../core/knowledge.ts';
import type { Traits } from '../database.ts';
import { escapeText } from '../text.ts';

/** Whether a view leaves anything out. */
export const restricts = ({ minCertainty, since, hidden }: KnowledgeView): boolean =>
  minCertainty !== undefined || since !== undefined || Boolean(hidden?.graphs?.length || hidden?.predicates?.length);

/** Names as a table: those that end with `*` are beginnings. */
const namesJson = (names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) =>
      name.endsWith('*') ? { name: escapeText(name.slice(0, -1)), open: 1 } : { name: escapeText(name), open: 0 },
    ),
  );

/** That the term in a column of statements is none of these. Judged by its text, so that no moment is missed. */
function none(
  traits: Traits,
  column: RawBuilder<unknown>,
  space: number,
  names: readonly string[],
): RawBuilder<unknown> {
  const hidden = traits.records('n', { name: 'text', open: 'bigint' }, namesJson(names));
  return sql`not exists (
    select 1 from knowledge_term h cross join ${hidden} where h.space = ${space} and h.id = ${column} and (
      coalesce(h.body, h.key) = n.name
      or (n.open = 1 and substr(coalesce(h.body, h.key), 1, length(n.name)) = n.name)))`;
}

/** That a statement counts, as conditions that each begin with `and`; empty where all do. */
export function visible(traits: Traits, alias: string, space: number, view: KnowledgeView): RawBuilder<unknown> {
  const { minCertainty, since, hidden } = view;
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`);
  const conditions: RawBuilder<unknown>[] = [];
  if (minCertainty !== undefined) {
    conditions.push(sql`and (${column('certainty')} is null or ${column('certainty')} >= ${minCertainty})`);
  }
  if (since !== undefined) conditions.push(sql`and ${column('at')} >= ${since}`);
  if (hidden?.predicates?.length) conditions.push(sql`and ${none(traits, column('p'), space, hidden.predicates)}`);
  if (hidden?.graphs?.length) {
    const others = none(traits, column('g'), space, hidden.graphs);
    // The default graph is no term: it is hidden by the name '', and by the beginning of all names.
    const isHidden = hidden.graphs.includes('') || hidden.graphs.includes('*');
    conditions.push(isHidden ? sql`and ${column('g')} <> 0 and ${others}` : sql`and (${column('g')} = 0 or ${others})`);
  }
  return sql.join(conditions, sql` `);
}
