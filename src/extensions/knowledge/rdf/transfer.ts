import type { KnowledgeSpace } from '../../../core/model/knowledge.ts';
import type { StoredStatement } from '../model/graph.ts';
import type { KnowledgeReader } from '../store/port.ts';

/** Statements per page. */
const pageSize = 500;

/** All statements of a space, read page by page. */
export async function* everyStatement(
  reader: Pick<KnowledgeReader, 'find'>,
  space: KnowledgeSpace,
): AsyncGenerator<StoredStatement> {
  for (let [after, more] = ['', true]; more; ) {
    const { items, endCursor, hasMore } = await reader.find(space, {}, { first: pageSize, after });
    yield* items;
    [after, more] = [endCursor, hasMore];
  }
}

/** Groups items into lists of at most `size`. */
export async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let some: Item[] = [];
  for await (const item of items) {
    if (some.push(item) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
