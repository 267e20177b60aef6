import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeView } from '../../core/knowledge.ts';
import { typePredicates } from '../../core/knowledge-terms.ts';
import type { Traits } from '../database.ts';
import { restricts, visible } from './view.ts';

/** Whose entities, and which statements count. */
export interface Scope {
  readonly traits: Traits;
  readonly space: number;
  readonly view: KnowledgeView;
}

export interface EntityRow {
  readonly id: number;
  readonly key: string;
  readonly body: string | null;
}

const ids = { id: 'bigint' } as const;

const jsonOf = (numbers: readonly number[]): string => JSON.stringify(numbers.map((id) => ({ id })));

const saysType = (space: number): RawBuilder<unknown> => sql`(
  select id from knowledge_term
  where space = ${space} and datatype = '' and key in (${sql.join([...typePredicates].map((id) => sql.lit(id)))}))`;

/** That a statement that counts has the entity as its subject, or as its object. */
function occurs({ traits, space, view }: Scope, entity: RawBuilder<unknown>): RawBuilder<unknown> {
  const counts = visible(traits, 'st', space, view);
  return sql`(
    exists (select 1 from knowledge_statement st where st.space = ${space} and st.s = ${entity} ${counts})
    or exists (select 1 from knowledge_statement st where st.space = ${space} and st.o = ${entity} ${counts}))`;
}

/** What statements that count say entities are instances of; each row once. @param entities a query's table `x` of `id`. */
function saidTypes({ traits, space, view }: Scope, entities: () => RawBuilder<unknown>): RawBuilder<unknown> {
  const counts = visible(traits, 'st', space, view);
  return sql`
    select st.s as entity, st.subject_type as type from ${entities()}
    cross join knowledge_statement st where st.space = ${space} and st.s = x.id
    and st.subject_type is not null ${counts}
    union select st.o, st.object_type from ${entities()}
    cross join knowledge_statement st where st.space = ${space} and st.o = x.id
    and st.object_type is not null ${counts}
    union select st.s, st.o from ${entities()}
    cross join knowledge_statement st
    where st.space = ${space} and st.s = x.id and st.o > 0 and st.p in ${saysType(space)} ${counts}`;
}

/** Those of some entities that occur at all. */
export function occurring(scope: Scope, numbers: readonly number[]): RawBuilder<{ id: number }> {
  const x = scope.traits.records('x', ids, jsonOf(numbers));
  return sql`select x.id from ${x} where ${occurs(scope, sql.ref('x.id'))}`;
}

/** Types of some entities, with their text. */
export function typesOfEntities(scope: Scope, numbers: readonly number[]): RawBuilder<EntityRow & { entity: number }> {
  const { traits, space, view } = scope;
  const entities = (): RawBuilder<unknown> => traits.records('x', ids, jsonOf(numbers));
  const types = restricts(view)
    ? saidTypes(scope, entities)
    : sql`select t.entity, t.type from ${entities()} cross join knowledge_type t where t.space = ${space} and t.entity = x.id`;
  return sql`select said.entity, term.id, term.key, term.body from (${types}) said
    join knowledge_term term on term.space = ${space} and term.id = said.type order by said.entity, said.type`;
}

/** Instances of a type after one of them, in order. */
export function instances(scope: Scope, type: number, after: number, limit: number): RawBuilder<EntityRow> {
  const { space } = scope;
  return sql`select t.entity as id, term.key, term.body from (
      select entity from knowledge_type t
      where space = ${space} and type = ${type} and entity > ${after} ${saidSo(scope, type)}
      order by entity limit ${limit}) t
    join knowledge_term term on term.space = ${space} and term.id = t.entity order by t.entity`;
}

/** How many instances a type has, counted up to `atMost`. */
export const countInstances = (scope: Scope, type: number, atMost: number): RawBuilder<{ n: number }> =>
  sql`select count(*) as n from (
    select 1 from knowledge_type t where space = ${scope.space} and type = ${type} ${saidSo(scope, type)}
    limit ${atMost}) counted`;

/** That a statement which counts says that `t.entity` is of the type. */
function saidSo(scope: Scope, type: number): RawBuilder<unknown> {
  if (!restricts(scope.view)) return sql``;
  const entity = (): RawBuilder<unknown> => sql`(select t.entity as id) x`;
  return sql`and exists (select 1 from (${saidTypes(scope, entity)}) said where said.type = ${type})`;
}

/**
 * Entities after one of them, in order, and whether any statement that counts has them. Looks at one row of an index for
 * each entity, however many statements it is in.
 */
export function allEntities(scope: Scope, after: number, limit: number): RawBuilder<EntityRow & { counts: number }> {
  const { space, view } = scope;
  const next = (beyond: RawBuilder<unknown>): RawBuilder<unknown> => sql`(select min(id) from (
    select (select s from knowledge_statement where space = ${space} and s > ${beyond} order by s limit 1) as id
    union all
    select (select o from knowledge_statement where space = ${space} and o > ${beyond} order by o limit 1)) least)`;
  const counts = restricts(view)
    ? sql`case when ${occurs(scope, sql.ref('found.id'))} then 1 else 0 end`
    : sql.raw('1');
  return sql`with recursive found(id, n) as (
      select ${next(sql`cast(${after} as bigint)`)}, 1
      union all select ${next(sql.raw('found.id'))}, n + 1 from found where found.id is not null and n < ${limit})
    select found.id, term.key, term.body, ${counts} as counts from found
    join knowledge_term term on term.space = ${space} and term.id = found.id order by found.id`;
}
