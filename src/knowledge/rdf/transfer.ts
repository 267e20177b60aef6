import type {
  ChangeMeta,
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
  StatementPattern,
  StoredStatement,
} from '../../core/model/knowledge.ts';
import type { KnowledgeReader, KnowledgeStore } from '../../core/ports/knowledge-store.ts';

/** Statements per transaction, and per page. */
const batch = 500;

/** Result of an import. */
export interface Imported {
  /** Statements read. */
  readonly read: number;
  /** Statements that were new. */
  readonly added: number;
}

/**
 * Adds statements while they are being read. Not atomic: after an error, what came before it stays; a retry adds no
 * duplicates.
 *
 * @param progress called after each transaction with the number of statements read
 */
export async function importStatements(
  store: Pick<KnowledgeStore, 'apply'>,
  space: KnowledgeSpace,
  statements: AsyncIterable<KGStatement>,
  meta: ChangeMeta = {},
  progress?: (read: number) => void,
): Promise<Imported> {
  let [read, added] = [0, 0];
  let patches: KnowledgePatch[] = [];
  const write = async (): Promise<void> => {
    if (patches.length === 0) return;
    added += (await store.apply(space, patches, meta)).added;
    read += patches.length;
    patches = [];
    progress?.(read);
  };
  for await (const statement of statements) {
    patches.push({ op: 'add', statement });
    if (patches.length >= batch) await write();
  }
  await write();
  return { read, added };
}

/** All matching statements, read page by page. */
export async function* everyStatement(
  reader: Pick<KnowledgeReader, 'find'>,
  space: KnowledgeSpace,
  pattern: StatementPattern = {},
): AsyncGenerator<StoredStatement> {
  for (let after = ''; ; ) {
    const { items, endCursor, hasMore } = await reader.find(space, pattern, { first: batch, after });
    yield* items;
    if (!hasMore) return;
    after = endCursor;
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
