import type { RawBuilder } from 'kysely';
import type { KnowledgeSpace } from '../../../../core/model/knowledge.ts';
import type { BoundedCount, EntityFilter, KnowledgeView, Page, StatementPageRequest } from '../../model/graph.ts';
import { createTemplates, type Values } from '../templates.ts';
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
export function createEntityReader({ database, spaces, terms, tokens }: ReaderDeps) {
  const query = createTemplates(database);

  async function entities(
    at: KnowledgeSpace,
    filter: EntityFilter,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<string>> {
    const space = await spaces.find(at);
    if (space === undefined) return emptyPage;
    const list = ['entities', space, filter.type];
    const [position = 0] = (tokens.read(list, after, 'after') as number[] | undefined) ?? [];
    const rows = await readPage(space, filter, position, first + 1);
    const shown = rows.slice(0, first);
    const last = shown.at(-1);
    return {
      items: shown.map(textOf),
      endCursor: last ? tokens.write(list, [last.id]) : '',
      hasMore: rows.length > first,
    };
  }

  async function countEntities(at: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    const space = await spaces.find(at);
    return bounded(space === undefined ? 0 : await countRows(space, filter, atMost + 1), atMost);
  }

  async function typesOf(
    at: KnowledgeSpace,
    ids: readonly string[],
    view: KnowledgeView = {},
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const space = await spaces.find(at);
    if (space === undefined || ids.length === 0) return new Map();
    const found = await terms.resources(space, ids);
    const texts = new Map<number, string>();
    for (const id of ids) {
      const number = found.resource(id);
      if (number !== undefined) texts.set(number, id);
    }
    const values = { space, ids: JSON.stringify([...texts.keys()].map((id) => ({ id }))) };
    const entities = await runIn('occurring', occurring, view, values);
    const types = new Map(entities.map(({ id }) => [id, [] as string[]]));
    for (const row of await runIn('types', typesOfEntities, view, values)) types.get(row.entity)?.push(textOf(row));
    return new Map([...types].map(([number, names]) => [texts.get(number) ?? '', names]));
  }

  async function readPage(
    space: number,
    { type, ...view }: EntityFilter,
    after: number,
    limit: number,
  ): Promise<EntityRow[]> {
    if (type !== undefined) {
      const number = await numberOf(space, type);
      return number === undefined ? [] : runIn('instances', instances, view, { space, type: number, after, limit });
    }
    const rows: EntityRow[] = [];
    for (let position = after; rows.length < limit; ) {
      const values = { space, after: position, limit: Math.min(limit, chunk) };
      const found = await runIn('entities', allEntities, view, values);
      rows.push(...found.filter(({ visible }) => Number(visible) === 1));
      const last = found.at(-1);
      if (!last || found.length < values.limit) break;
      position = last.id;
    }
    return rows.slice(0, limit);
  }

  async function countRows(space: number, { type, ...view }: EntityFilter, atMost: number): Promise<number> {
    if (type === undefined) return (await readPage(space, view, 0, atMost)).length;
    const number = await numberOf(space, type);
    if (number === undefined) return 0;
    const [row] = await runIn('count', countInstances, view, { space, type: number, limit: atMost });
    return Number(row?.n ?? 0);
  }

  async function numberOf(space: number, id: string): Promise<number | undefined> {
    return (await terms.resources(space, [id])).resource(id);
  }

  function runIn<Row>(name: string, write: (scope: Scope) => RawBuilder<Row>, view: KnowledgeView, values: Values) {
    const scope = { traits: database.traits, view };
    return query(`${name} ${viewShape(view)}`, () => write(scope), { ...values, ...viewValues(view) });
  }

  return { entities, countEntities, typesOf };
}
