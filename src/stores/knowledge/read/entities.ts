import type { RawBuilder } from 'kysely';
import type {
  BoundedCount,
  EntityFilter,
  KnowledgeSpace,
  KnowledgeView,
  Page,
  StatementPageRequest,
} from '../../../core/model/knowledge.ts';
import type { Database } from '../../database.ts';
import type { PageTokens } from '../../page-token.ts';
import type { Spaces } from '../spaces.ts';
import { Templates, type Values } from '../templates.ts';
import { termFrom } from '../terms.ts';
import {
  allEntities,
  countInstances,
  type EntityRow,
  instances,
  occurring,
  type Scope,
  typesOfEntities,
} from './entity-queries.ts';
import type { TermLookup } from './term-dictionary.ts';
import { viewShape, viewValues } from './view.ts';

/** Entities per query where a view may exclude some of them. */
const chunk = 200;

const textOf = ({ key, body }: EntityRow): string => termFrom({ key, body, datatype: '' }).text;

/** Reads entities: the resources that statements are about. */
export class EntityReader {
  readonly #database: Database;
  readonly #spaces: Spaces;
  readonly #names: TermLookup;
  readonly #tokens: PageTokens;
  readonly #queries: Templates;

  constructor(database: Database, spaces: Spaces, names: TermLookup, tokens: PageTokens) {
    this.#database = database;
    this.#spaces = spaces;
    this.#names = names;
    this.#tokens = tokens;
    this.#queries = new Templates(database);
  }

  async entities(
    at: KnowledgeSpace,
    filter: EntityFilter,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<string>> {
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

  async countEntities(at: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
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
    const asked = { space, ids: JSON.stringify([...numbers.keys()].map((id) => ({ id }))) };
    const there = await this.#run('occurring', occurring, view, asked);
    const types = new Map(there.map(({ id }) => [id, [] as string[]]));
    for (const row of await this.#run('types', typesOfEntities, view, asked)) types.get(row.entity)?.push(textOf(row));
    return new Map([...types].map(([number, texts]) => [numbers.get(number) ?? '', texts]));
  }

  async #page(space: number, { type, ...view }: EntityFilter, after: number, limit: number): Promise<EntityRow[]> {
    if (type !== undefined) {
      const number = (await this.#names.resources(space, [type])).resource(type);
      return number === undefined ? [] : this.#run('instances', instances, view, { space, type: number, after, limit });
    }
    const rows: EntityRow[] = [];
    for (let position = after; rows.length < limit; ) {
      const asked = { space, after: position, limit: Math.min(limit, chunk) };
      const found = await this.#run('entities', allEntities, view, asked);
      rows.push(...found.filter(({ counts }) => Number(counts) === 1));
      const last = found.at(-1);
      if (!last || found.length < asked.limit) break;
      position = last.id;
    }
    return rows.slice(0, limit);
  }

  async #count(space: number, { type, ...view }: EntityFilter, atMost: number): Promise<number> {
    if (type === undefined) return (await this.#page(space, view, 0, atMost)).length;
    const number = (await this.#names.resources(space, [type])).resource(type);
    if (number === undefined) return 0;
    const [row] = await this.#run('count', countInstances, view, { space, type: number, limit: atMost });
    return Number(row?.n ?? 0);
  }

  #run<Row>(
    name: string,
    write: (scope: Scope) => RawBuilder<Row>,
    view: KnowledgeView,
    asked: Values,
  ): Promise<Row[]> {
    const scope = { traits: this.#database.traits, view };
    return this.#queries.run(`${name} ${viewShape(view)}`, () => write(scope), { ...asked, ...viewValues(view) });
  }
}
