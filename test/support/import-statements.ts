import type { KGStatement, KnowledgeSpace } from '../../src/core/model/knowledge.ts';
import { inBatches } from '../../src/extensions/knowledge/rdf/documents.ts';
import type { KnowledgeStore } from '../../src/extensions/knowledge/store/port.ts';

/** Adds statements to a store while they are being read, 500 in each transaction. */
export async function importStatements(
  store: Pick<KnowledgeStore, 'apply'>,
  space: KnowledgeSpace,
  statements: AsyncIterable<KGStatement>,
): Promise<{ readonly read: number; readonly added: number }> {
  let [read, added] = [0, 0];
  for await (const some of inBatches(statements, 500)) {
    const patches = some.map((statement) => ({ op: 'add', statement }) as const);
    added += (await store.apply(space, patches, {})).added;
    read += some.length;
  }
  return { read, added };
}
