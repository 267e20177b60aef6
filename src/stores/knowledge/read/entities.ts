import type { RawBuilder } from 'kysely';
import type {
  BoundedCount,
  EntityFilter,
  KnowledgeSpace,
  KnowledgeView,
  Page,
  StatementPageRequest,
} from '../../../core/model/knowledge.ts';
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
import { bounded, emptyPage, type ReaderDeps } from './reader.ts';
import { viewShape, viewValues } from './view.ts';

/** Entities per query where a view may exclude some of them. */
const chunk = 200;

const textOf = ({ key, body }: EntityRow): string => termFrom({ key, body, datatype: '' }).text;

/** Reads entities: the resources that statements are about. */
export class EntityReader {
  readonly #deps: ReaderDeps;
  readonly #queries: Templates;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
    this.#queries = new Templates(deps.database);
  }

  async entities(
    at: KnowledgeSpace,
    filter: EntityFilter,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<string>> {
    const { spaces, tokens } = this.#deps;
    const space = await spaces.find(at);
    if (space === undefined) return emptyPage;
    const list = ['entities', space, filter.type];
    const [position = 0] = (tokens.read(list, after, 'after') as number[] | undefined) ?? [];
    const rows = await this.#page(space, filter, position, first + 1);
    const shown = rows.slice(0, first);
    const last = shown.at(-1);
    return {
      items: shown.map(textOf),
      endCursor: last ? tokens.write(list, [last.id]) : '',
      hasMore: rows.length > first,
    };
  }

  async countEntities(at: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    const space = await this.#deps.spaces.find(at);
    return bounded(space === undefined ? 0 : await this.#count(space, filter, atMost + 1), atMost);
  }

  async typesOf(
    at: KnowledgeSpace,
    ids: readonly string[],
    view: KnowledgeView = {},
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { spaces, terms } = this.#deps;
    const space = await spaces.find(at);
    if (space === undefined || ids.length === 0) return new Map();
    const found = await terms.resources(space, ids);
    const texts = new Map<number, string>();
    for (const id of ids) {
      const number = found.resource(id);
      if (number !== undefined) texts.set(number, id);
    }
    const values = { space, ids: JSON.stringify([...texts.keys()].map((id) => ({ id }))) };
    const entities = await this.#run('occurring', occurring, view, values);
    const types = new Map(entities.map(({ id }) => [id, [] as string[]]));
    for (const row of await this.#run('types', typesOfEntities, view, values)) types.get(row.entity)?.push(textOf(row));
    return new Map([...types].map(([number, names]) => [texts.get(number) ?? '', names]));
  }

  async #page(space: number, { type, ...view }: EntityFilter, after: number, limit: number): Promise<EntityRow[]> {
    if (type !== undefined) {
      const number = await this.#numberOf(space, type);
      return number === undefined ? [] : this.#run('instances', instances, view, { space, type: number, after, limit });
    }
    const rows: EntityRow[] = [];
    for (let position = after; rows.length < limit; ) {
      const values = { space, after: position, limit: Math.min(limit, chunk) };
      const found = await this.#run('entities', allEntities, view, values);
      rows.push(...found.filter(({ visible }) => Number(visible) === 1));
      const last = found.at(-1);
      if (!last || found.length < values.limit) break;
      position = last.id;
    }
    return rows.slice(0, limit);
  }

  async #count(space: number, { type, ...view }: EntityFilter, atMost: number): Promise<number> {
    if (type === undefined) return (await this.#page(space, view, 0, atMost)).length;
    const number = await this.#numberOf(space, type);
    if (number === undefined) return 0;
    const [row] = await this.#run('count', countInstances, view, { space, type: number, limit: atMost });
    return Number(row?.n ?? 0);
  }

  async #numberOf(space: number, id: string): Promise<number | undefined> {
    return (await this.#deps.terms.resources(space, [id])).resource(id);
  }

  #run<Row>(name: string, write: (scope: Scope) => RawBuilder<Row>, view: KnowledgeView, values: Values) {
    const scope = { traits: this.#deps.database.traits, view };
    return this.#queries.run(`${name} ${viewShape(view)}`, () => write(scope), { ...values, ...viewValues(view) });
  }
}
