import { createReadStream } from 'node:fs';
import { A2AError } from '../core/errors.ts';
import type { KnowledgePatch, KnowledgeSpace, KnowledgeStore } from '../core/knowledge.ts';
import { formatOf, knowledgeFormats, readStatements } from './rdf/index.ts';

/**
 * Lets a graph begin with the statements of files, of all or none. Nothing is done where anybody ever wrote to it: what
 * was changed or removed since does not come back.
 *
 * @param files absolute paths
 * @throws A2AError `internal` that names the file that cannot be read
 */
export async function beginWith(store: KnowledgeStore, space: KnowledgeSpace, files: readonly string[]): Promise<void> {
  if (files.length === 0 || (await store.extent(space)).last > 0) return;
  const patches: KnowledgePatch[] = [];
  for (const file of files) {
    const format = formatOf(file);
    if (format === undefined)
      throw unreadable(file, `its name does not say which of ${knowledgeFormats.join(', ')} it is`);
    try {
      for await (const statement of readStatements(createReadStream(file), format))
        patches.push({ op: 'add', statement });
    } catch (thrown) {
      throw unreadable(file, (thrown as Error).message);
    }
  }
  await store.apply(space, patches, { justification: 'What the knowledge begins with' });
}

const unreadable = (file: string, why: string): A2AError =>
  new A2AError('internal', `What the knowledge begins with, ${file}, cannot be read: ${why}`);
