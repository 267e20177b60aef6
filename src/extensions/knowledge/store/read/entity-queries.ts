import { type RawBuilder, sql } from 'kysely';
import type { Traits } from '../../../../stores/database.ts';
import type { KnowledgeView } from '../../model/graph.ts';
import { typePredicates } from '../../model/terms.ts';
import { lookUp, type Sql, statementTable, typeTable } from '../joins.ts';
import { limit, slot } from '../templates.ts';
import { restricts, visible } from './view.ts';

/** The statements that a view includes. */
export interface Scope {
  readonly traits: Traits;
  readonly view: KnowledgeView;
}

export interface EntityRow {
  readonly id: number;
  readonly key: string;
  readonly body: string | null;
}

const space = slot('space');

const typePredicateIds = sql`(
  select id from knowledge_term
  where space = ${space} and datatype = '' and key in (${sql.join([...typePredicates].map((id) => sql.lit(id)))}))`;

/** A condition that a visible statement has the entity as its subject or object. */
function occurs({ traits, view }: Scope, entity: Sql): Sql {
  const isVisible = visible(traits, view);
  return sql`(
    exists (select 1 from knowledge_statement st where st.space = ${space} and st.s = ${entity} ${isVisible})
    or exists (select 1 from knowledge_statement st where st.space = ${space} and st.o = ${entity} ${isVisible}))`;
}

/** The types that visible statements state of entities; each row once. @param entities a query's table `x` of `id` */
function statedTypes({ traits, view }: Scope, entities: Sql): Sql {
  const isVisible = visible(traits, view);
  const each = (where: Sql): Sql =>
    lookUp(traits, entities, statementTable, sql`st.space = ${space} and ${where} ${isVisible}`);
  return sql`
    select st.s as entity, st.subject_type as type from ${each(sql`st.s = x.id and st.subject_type is not null`)}
    union select st.o, st.object_type from ${each(sql`st.o = x.id and st.object_type is not null`)}
    union select st.s, st.o from ${each(sql`st.s = x.id and st.o > 0 and st.p in ${typePredicateIds}`)}`;
}

/** The table of the slot `ids`. */
const passedIds = ({ traits }: Scope): Sql => traits.records('x', { id: 'bigint' }, slot('ids'));

/** Those of the entities in `ids` that visible statements have. */
export const occurring = (scope: Scope): RawBuilder<{ id: number }> =>
  sql`select x.id from ${passedIds(scope)} where ${occurs(scope, sql.ref('x.id'))}`;

/** Types of the entities in `ids`, with their texts. */
export function typesOfEntities(scope: Scope): RawBuilder<EntityRow & { entity: number }> {
  const entities = passedIds(scope);
  const known = lookUp(scope.traits, entities, typeTable, sql`t.space = ${space} and t.entity = x.id`);
  const types = restricts(scope.view) ? statedTypes(scope, entities) : sql`select t.entity, t.type from ${known}`;
  return sql`select stated.entity, term.id, term.key, term.body from (${types}) stated
    join knowledge_term term on term.space = ${space} and term.id = stated.type order by stated.entity, stated.type`;
}

/** Instances of `type` after a position, in order. */
export const instances = (scope: Scope): RawBuilder<EntityRow> =>
  sql`select t.entity as id, term.key, term.body from (
      select entity from knowledge_type t
      where space = ${space} and type = ${slot('type')} and entity > ${slot('after')} ${isStatedType(scope, slot('type'))}
      order by entity limit ${limit}) t
    join knowledge_term term on term.space = ${space} and term.id = t.entity order by t.entity`;

/** Number of instances of `type`, counted up to `limit`. */
export const countInstances = (scope: Scope): RawBuilder<{ n: number }> =>
  sql`select count(*) as n from (
    select 1 from knowledge_type t where space = ${space} and type = ${slot('type')} ${isStatedType(scope, slot('type'))}
    limit ${limit}) counted`;

/** A condition that a visible statement states the type of `t.entity`; empty if the view includes all statements. */
export function isStatedType(scope: Scope, type: Sql): Sql {
  if (!restricts(scope.view)) return sql``;
  const types = statedTypes(scope, sql`(select t.entity as id) x`);
  return sql`and exists (select 1 from (${types}) stated where stated.type = ${type})`;
}

/**
 * Entities after a position, in order, and whether a visible statement has them. Reads one row of an index per entity,
 * however many statements it has.
 */
export function allEntities(scope: Scope): RawBuilder<EntityRow & { visible: number }> {
  const next = (beyond: Sql): Sql => sql`(select min(id) from (
    select (select s from knowledge_statement where space = ${space} and s > ${beyond} order by s limit 1) as id
    union all
    select (select o from knowledge_statement where space = ${space} and o > ${beyond} order by o limit 1)) least)`;
  const isVisible = restricts(scope.view)
    ? sql`case when ${occurs(scope, sql.ref('found.id'))} then 1 else 0 end`
    : sql.raw('1');
  return sql`with recursive found(id, n) as (
      select ${next(sql`cast(${slot('after')} as bigint)`)}, 1
      union all select ${next(sql.raw('found.id'))}, n + 1 from found where found.id is not null and n < ${slot('limit')})
    select found.id, term.key, term.body, ${isVisible} as visible from found
    join knowledge_term term on term.space = ${space} and term.id = found.id order by found.id`;
}
