import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeView } from '../../../core/model/knowledge.ts';
import { typePredicates } from '../../../core/model/knowledge-terms.ts';
import type { Traits } from '../../database.ts';
import { lookUp } from '../joins.ts';
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

const ids = { id: 'bigint' } as const;

const space = slot('space');

const typePredicateIds = sql`(
  select id from knowledge_term
  where space = ${space} and datatype = '' and key in (${sql.join([...typePredicates].map((id) => sql.lit(id)))}))`;

/** A condition that a visible statement has the entity as its subject or object. */
function occurs({ traits, view }: Scope, entity: RawBuilder<unknown>): RawBuilder<unknown> {
  const counts = visible(traits, 'st', view);
  return sql`(
    exists (select 1 from knowledge_statement st where st.space = ${space} and st.s = ${entity} ${counts})
    or exists (select 1 from knowledge_statement st where st.space = ${space} and st.o = ${entity} ${counts}))`;
}

/** The types that visible statements state of entities; each row once. @param entities a query's table `x` of `id` */
function statedTypes({ traits, view }: Scope, entities: () => RawBuilder<unknown>): RawBuilder<unknown> {
  const counts = visible(traits, 'st', view);
  const each = (where: RawBuilder<unknown>): RawBuilder<unknown> =>
    lookUp(traits, {
      ...{ given: entities(), table: 'knowledge_statement', alias: 'st' },
      where: sql`st.space = ${space} and ${where} ${counts}`,
    });
  return sql`
    select st.s as entity, st.subject_type as type from ${each(sql`st.s = x.id and st.subject_type is not null`)}
    union select st.o, st.object_type from ${each(sql`st.o = x.id and st.object_type is not null`)}
    union select st.s, st.o from ${each(sql`st.s = x.id and st.o > 0 and st.p in ${typePredicateIds}`)}`;
}

/** Those of the entities in `ids` that visible statements have. */
export function occurring(scope: Scope): RawBuilder<{ id: number }> {
  const x = scope.traits.records('x', ids, slot('ids'));
  return sql`select x.id from ${x} where ${occurs(scope, sql.ref('x.id'))}`;
}

/** Types of the entities in `ids`, with their texts. */
export function typesOfEntities(scope: Scope): RawBuilder<EntityRow & { entity: number }> {
  const { traits, view } = scope;
  const entities = (): RawBuilder<unknown> => traits.records('x', ids, slot('ids'));
  const types = restricts(view)
    ? statedTypes(scope, entities)
    : sql`select t.entity, t.type from ${lookUp(traits, {
        ...{ given: entities(), table: 'knowledge_type', alias: 't' },
        where: sql`t.space = ${space} and t.entity = x.id`,
      })}`;
  return sql`select said.entity, term.id, term.key, term.body from (${types}) said
    join knowledge_term term on term.space = ${space} and term.id = said.type order by said.entity, said.type`;
}

/** Instances of `type` after a position, in order. */
export function instances(scope: Scope): RawBuilder<EntityRow> {
  return sql`select t.entity as id, term.key, term.body from (
      select entity from knowledge_type t
      where space = ${space} and type = ${slot('type')} and entity > ${slot('after')} ${isStatedType(scope, slot('type'))}
      order by entity limit ${limit}) t
    join knowledge_term term on term.space = ${space} and term.id = t.entity order by t.entity`;
}

/** Number of instances of `type`, counted up to `limit`. */
export const countInstances = (scope: Scope): RawBuilder<{ n: number }> =>
  sql`select count(*) as n from (
    select 1 from knowledge_type t where space = ${space} and type = ${slot('type')} ${isStatedType(scope, slot('type'))}
    limit ${limit}) counted`;

/** A condition that a visible statement states the type of `t.entity`; empty if the view includes all statements. */
export function isStatedType(scope: Scope, type: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!restricts(scope.view)) return sql``;
  const entity = (): RawBuilder<unknown> => sql`(select t.entity as id) x`;
  return sql`and exists (select 1 from (${statedTypes(scope, entity)}) said where said.type = ${type})`;
}

/**
 * Entities after a position, in order, and whether a visible statement has them. Reads one row of an index per entity,
 * however many statements it has.
 */
export function allEntities(scope: Scope): RawBuilder<EntityRow & { counts: number }> {
  const next = (beyond: RawBuilder<unknown>): RawBuilder<unknown> => sql`(select min(id) from (
    select (select s from knowledge_statement where space = ${space} and s > ${beyond} order by s limit 1) as id
    union all
    select (select o from knowledge_statement where space = ${space} and o > ${beyond} order by o limit 1)) least)`;
  const counts = restricts(scope.view)
    ? sql`case when ${occurs(scope, sql.ref('found.id'))} then 1 else 0 end`
    : sql.raw('1');
  return sql`with recursive found(id, n) as (
      select ${next(sql`cast(${slot('after')} as bigint)`)}, 1
      union all select ${next(sql.raw('found.id'))}, n + 1 from found where found.id is not null and n < ${slot('limit')})
    select found.id, term.key, term.body, ${counts} as counts from found
    join knowledge_term term on term.space = ${space} and term.id = found.id order by found.id`;
}
