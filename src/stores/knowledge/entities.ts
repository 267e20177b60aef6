import type { RawBuilder } from 'kysely';
import type { Count, EntityFilter, KnowledgeSpace, KnowledgeView, Page, PageRequest } from '../../core/knowledge.ts';
import type { Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import {
  allEntities,
  countInstances,
  type EntityRow,
  instances,
  occurring,
  type Scope,
  typesOfEntities,
} from './entity-queries.ts';
import type { NameFinder } from './names.ts';
import type { Spaces } from './spaces.ts';
import { termFrom } from './terms.ts';

/** Entities that are looked at together where some of them may not count. */
const chunk = 200;

const textOf = ({ key, body }: EntityRow): string => termFrom({ key, body, datatype: '' }).text;

/** Reads what statements are about. */
export class EntityReader {
  readonly #database: Database;
  readonly #spaces: Spaces;
  readonly #names: NameFinder;
  readonly #tokens: PageTokens;

  constructor(database: Database, spaces: Spaces, names: NameFinder, tokens: PageTokens) {
    this.#database = database;
    this.#spaces = spaces;
    this.#names = names;
    this.#tokens = tokens;
  }

  async entities(at: KnowledgeSpace, filter: EntityFilter, { first, after = '' }: PageRequest): Promise<Page<string>> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return { items: [], endCursor: '', hasMore: false };
    const list = ['entities', space, filter.type];
    const [position = 0] = (this.#tokens.read(list, after, 'after') as number[] | undefined) ?? [];
    const rows = await this.#page(space, filter, position, first + 1);
    const shown = rows.slice(0, first);
    const last = shown.at(-1);
    return {
      items: shown.map(textOf),
      endCursor: last ? this.#tokens.write(list, [last.id]) : '',
      hasMore: rows.length > first,
    };
  }

  async countEntities(at: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<Count> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return { count: 0, exact: true };
    const count = await this.#count(space, filter, atMost + 1);
    return { count: Math.min(count, atMost), exact: count <= atMost };
  }

  async typesOf(
    at: KnowledgeSpace,
    ids: readonly string[],
    view: KnowledgeView = {},
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const space = await this.#spaces.find(at);
    if (space === undefined || ids.length === 0) return new Map();
    const names = await this.#names.resources(space, ids);
    const numbers = new Map<number, string>();
    for (const id of ids) {
      const number = names.resource(id);
      if (number !== undefined) numbers.set(number, id);
    }
    const scope = this.#scope(space, view);
    const there = await this.#run(occurring(scope, [...numbers.keys()]));
    const types = new Map(there.map(({ id }) => [id, [] as string[]]));
    for (const row of await this.#run(typesOfEntities(scope, [...types.keys()])))
      types.get(row.entity)?.push(textOf(row));
    return new Map([...types].map(([number, texts]) => [numbers.get(number) ?? '', texts]));
  }

  async #page(space: number, { type, ...view }: EntityFilter, after: number, limit: number): Promise<EntityRow[]> {
    const scope = this.#scope(space, view);
    if (type !== undefined) {
      const number = (await this.#names.resources(space, [type])).resource(type);
      return number === undefined ? [] : this.#run(instances(scope, number, after, limit));
    }
    const rows: EntityRow[] = [];
    for (let position = after; rows.length < limit; ) {
      const found = await this.#run(allEntities(scope, position, Math.min(limit, chunk)));
      rows.push(...found.filter(({ counts }) => Number(counts) === 1));
      const last = found.at(-1);
      if (!last || found.length < Math.min(limit, chunk)) break;
      position = last.id;
    }
    return rows.slice(0, limit);
  }

  async #count(space: number, { type, ...view }: EntityFilter, atMost: number): Promise<number> {
    if (type === undefined) return (await this.#page(space, view, 0, atMost)).length;
    const number = (await this.#names.resources(space, [type])).resource(type);
    if (number === undefined) return 0;
    const [row] = await this.#run(countInstances(this.#scope(space, view), number, atMost));
    return Number(row?.n ?? 0);
  }

  #scope(space: number, view: KnowledgeView): Scope {
    return { traits: this.#database.traits, space, view };
  }

  async #run<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    return (await query.execute(this.#database.sql)).rows;
  }
}
