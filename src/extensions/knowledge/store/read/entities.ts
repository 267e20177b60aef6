import { type RawBuilder, sql } from 'kysely';
import type { DamagedRows } from '../../../../core/ports/damaged-rows.ts';
import type { Database, Traits } from '../../../../stores/database.ts';
import type { PageTokens } from '../../../../stores/page-token.ts';
import {
  type BoundedCount,
  bounded,
  type EntityFilter,
  emptyPage,
  type KnowledgeView,
  type Page,
  type StatementPageRequest,
} from '../../model/graph.ts';
import type { KnowledgeSpace } from '../../model/knowledge.ts';
import { typePredicates } from '../../model/terms.ts';
import { lookUp, type Sql, statementTable, typeTable } from '../joins.ts';
import type { createSpaces } from '../spaces.ts';
import { createTemplates, limit, slot, type Values } from '../templates.ts';
import { termFrom } from '../terms.ts';
import type { createTermLookup } from './term-dictionary.ts';
import { restricts, viewShape, viewValues, visible } from './view.ts';

export interface ReaderDeps {
  readonly database: Database;
  readonly damaged: DamagedRows;
  readonly findSpace: ReturnType<typeof createSpaces>;
  readonly terms: ReturnType<typeof createTermLookup>;
  readonly tokens: PageTokens;
}

/** Number of entities per query if a view may exclude some of them. */
const chunk = 200;

/** Reads entities: the resources that statements are about. */
export class EntityReader {
  readonly #database: Database;
  readonly #damaged: DamagedRows;
  readonly #findSpace: ReaderDeps['findSpace'];
  readonly #terms: ReaderDeps['terms'];
  readonly #tokens: PageTokens;
  readonly #query: ReturnType<typeof createTemplates>;

  constructor({ database, damaged, findSpace, terms, tokens }: ReaderDeps) {
    this.#database = database;
    this.#damaged = damaged;
    this.#findSpace = findSpace;
    this.#terms = terms;
    this.#tokens = tokens;
    this.#query = createTemplates(database);
  }

  async entities(
    at: KnowledgeSpace,
    filter: EntityFilter,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<string>> {
    const space = await this.#findSpace(at);
    if (space === undefined) return emptyPage;
    const list = ['entities', space, filter.type];
    const [position = 0] = (this.#tokens.read(list, after, 'after') as number[] | undefined) ?? [];
    const rows = await this.#readPage(space, filter, position, first + 1);
    const shown = rows.slice(0, first);
    const last = shown.at(-1);
    return {
      items: this.#textsOf(space, shown),
      endCursor: last ? this.#tokens.write(list, [last.id]) : '',
      hasMore: rows.length > first,
    };
  }

  async countEntities(at: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    const space = await this.#findSpace(at);
    return bounded(space === undefined ? 0 : await this.#countRows(space, filter, atMost + 1), atMost);
  }

  async typesOf(
    at: KnowledgeSpace,
    ids: readonly string[],
    view: KnowledgeView = {},
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const space = await this.#findSpace(at);
    if (space === undefined || ids.length === 0) return new Map();
    const found = await this.#terms.resources(space, ids);
    const texts = new Map<number, string>();
    for (const id of ids) {
      const number = found.resource(id);
      if (number !== undefined) texts.set(number, id);
    }
    const values = { space, ids: JSON.stringify([...texts.keys()].map((id) => ({ id }))) };
    const entities = await this.#runIn('occurring', occurring, view, values);
    const types = new Map(entities.map(({ id }) => [id, [] as string[]]));
    for (const row of await this.#runIn('types', typesOfEntities, view, values))
      types.get(row.entity)?.push(...this.#textsOf(space, [row]));
    return new Map([...types].map(([number, names]) => [texts.get(number) ?? '', names]));
  }

  async #readPage(space: number, { type, ...view }: EntityFilter, after: number, limit: number): Promise<EntityRow[]> {
    if (type !== undefined) {
      const number = await this.#numberOf(space, type);
      return number === undefined
        ? []
        : this.#runIn('instances', instances, view, { space, type: number, after, limit });
    }
    const rows: EntityRow[] = [];
    for (let position = after; rows.length < limit; ) {
      const values = { space, after: position, limit: Math.min(limit, chunk) };
      const found = await this.#runIn('entities', allEntities, view, values);
      rows.push(...found.filter(({ visible }) => Number(visible) === 1));
      const last = found.at(-1);
      if (!last || found.length < values.limit) break;
      position = last.id;
    }
    return rows.slice(0, limit);
  }

  async #countRows(space: number, { type, ...view }: EntityFilter, atMost: number): Promise<number> {
    if (type === undefined) return (await this.#readPage(space, view, 0, atMost)).length;
    const number = await this.#numberOf(space, type);
    if (number === undefined) return 0;
    const [row] = await this.#runIn('count', countInstances, view, { space, type: number, limit: atMost });
    return Number(row?.n ?? 0);
  }

  async #numberOf(space: number, id: string): Promise<number | undefined> {
    return (await this.#terms.resources(space, [id])).resource(id);
  }

  #runIn<Row>(name: string, write: (scope: Scope) => RawBuilder<Row>, view: KnowledgeView, values: Values) {
    const scope = { traits: this.#database.traits, view };
    return this.#query(`${name} ${viewShape(view)}`, () => write(scope), { ...values, ...viewValues(view) });
  }

  /** Returns the texts of terms. Unreadable terms are omitted. */
  #textsOf(space: number, rows: readonly EntityRow[]): string[] {
    return rows.flatMap(({ id, key, body }) => {
      const read = (): string => termFrom({ key, body, datatype: '' }).text;
      return this.#damaged.read('knowledge_term', [space, id], read) ?? [];
    });
  }
}

/** The space and the view of a query. */
interface Scope {
  readonly traits: Traits;
  readonly view: KnowledgeView;
}

interface EntityRow {
  readonly id: number;
  readonly key: string;
  readonly body: string | null;
}

const spaceId = slot('space');

const typePredicateIds = sql`(
  select id from knowledge_term
  where space = ${spaceId} and datatype = '' and key in (${sql.join([...typePredicates].map((id) => sql.lit(id)))}))`;

/** Returns a condition that an entity is the subject or object of a visible statement. */
function occurs({ traits, view }: Scope, entity: Sql): Sql {
  const isVisible = visible(traits, view);
  return sql`(
    exists (select 1 from knowledge_statement st where st.space = ${spaceId} and st.s = ${entity} ${isVisible})
    or exists (select 1 from knowledge_statement st where st.space = ${spaceId} and st.o = ${entity} ${isVisible}))`;
}

/**
 * Selects the types that visible statements state of entities, without duplicates.
 *
 * @param entities table `x` with the column `id`
 */
function statedTypes({ traits, view }: Scope, entities: Sql): Sql {
  const isVisible = visible(traits, view);
  const each = (where: Sql): Sql =>
    lookUp(traits, entities, statementTable, sql`st.space = ${spaceId} and ${where} ${isVisible}`);
  return sql`
    select st.s as entity, st.subject_type as type from ${each(sql`st.s = x.id and st.subject_type is not null`)}
    union select st.o, st.object_type from ${each(sql`st.o = x.id and st.object_type is not null`)}
    union select st.s, st.o from ${each(sql`st.s = x.id and st.o > 0 and st.p in ${typePredicateIds}`)}`;
}

/** The table of the ids in the slot `ids`. */
const passedIds = ({ traits }: Scope): Sql => traits.records('x', { id: 'bigint' }, slot('ids'));

/** Selects the entities in `ids` that occur in visible statements. */
const occurring = (scope: Scope): RawBuilder<{ id: number }> =>
  sql`select x.id from ${passedIds(scope)} where ${occurs(scope, sql.ref('x.id'))}`;

/** Selects the types of the entities in `ids`, with their texts. */
function typesOfEntities(scope: Scope): RawBuilder<EntityRow & { entity: number }> {
  const entities = passedIds(scope);
  const known = lookUp(scope.traits, entities, typeTable, sql`t.space = ${spaceId} and t.entity = x.id`);
  const types = restricts(scope.view) ? statedTypes(scope, entities) : sql`select t.entity, t.type from ${known}`;
  return sql`select stated.entity, term.id, term.key, term.body from (${types}) stated
    join knowledge_term term on term.space = ${spaceId} and term.id = stated.type order by stated.entity, stated.type`;
}

/** Selects the instances of `type` after a position, in order. */
export const instances = (scope: Scope): RawBuilder<EntityRow> =>
  sql`select t.entity as id, term.key, term.body from (
      select entity from knowledge_type t
      where space = ${spaceId} and type = ${slot('type')} and entity > ${slot('after')} ${isStatedType(scope, slot('type'))}
      order by entity limit ${limit}) t
    join knowledge_term term on term.space = ${spaceId} and term.id = t.entity order by t.entity`;

/** Counts the instances of `type`, up to `limit`. */
const countInstances = (scope: Scope): RawBuilder<{ n: number }> =>
  sql`select count(*) as n from (
    select 1 from knowledge_type t where space = ${spaceId} and type = ${slot('type')} ${isStatedType(scope, slot('type'))}
    limit ${limit}) counted`;

/**
 * Returns a condition that a visible statement states the type of `t.entity`; empty if the view includes all
 * statements.
 */
export function isStatedType(scope: Scope, type: Sql): Sql {
  if (!restricts(scope.view)) return sql``;
  const types = statedTypes(scope, sql`(select t.entity as id) x`);
  return sql`and exists (select 1 from (${types}) stated where stated.type = ${type})`;
}

/**
 * Selects entities after a position, in order, and whether each occurs in a visible statement. Reads one index row per
 * entity, however many statements the entity has.
 */
function allEntities(scope: Scope): RawBuilder<EntityRow & { visible: number }> {
  const next = (beyond: Sql): Sql => sql`(select min(id) from (
    select (select s from knowledge_statement where space = ${spaceId} and s > ${beyond} order by s limit 1) as id
    union all
    select (select o from knowledge_statement where space = ${spaceId} and o > ${beyond} order by o limit 1)) least)`;
  const isVisible = restricts(scope.view)
    ? sql`case when ${occurs(scope, sql.ref('found.id'))} then 1 else 0 end`
    : sql.raw('1');
  return sql`with recursive found(id, n) as (
      select ${next(sql`cast(${slot('after')} as bigint)`)}, 1
      union all select ${next(sql.raw('found.id'))}, n + 1 from found where found.id is not null and n < ${slot('limit')})
    select found.id, term.key, term.body, ${isVisible} as visible from found
    join knowledge_term term on term.space = ${spaceId} and term.id = found.id order by found.id`;
}
