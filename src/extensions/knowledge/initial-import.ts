import { createReadStream } from 'node:fs';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { requireRegular } from '../../net/read-file.ts';
import { createStore } from '../../stores/index.ts';
import { TooMuchToJudge } from './alignment/rule.ts';
import type { ChangeMeta, StoredStatement } from './model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from './model/knowledge.ts';
import type { Alignment } from './ports.ts';
import { formatOf, inBatches, knowledgeFormats, readStatements } from './rdf/documents.ts';
import type { KnowledgeReader, KnowledgeStore } from './store/port.ts';
import { openSqlKnowledge } from './store/store.ts';

export interface InitialImportOptions {
  readonly store: KnowledgeStore;
  readonly space: KnowledgeSpace;
  /** Absolute paths of the files. */
  readonly files: readonly string[];
  /** Validates all statements before any of them is imported. Absent: the files are only parsed. */
  readonly faultsOf: Alignment['faultsOf'];
  readonly logger: Pick<Logger, 'warn'>;
}

/** Statements per transaction. The statements are never all in memory. */
const batch = 500;

/** Metadata of an import's changes in the log; all except the last are marked as unfinished. */
const whole: ChangeMeta = { justification: 'Initial knowledge' };
const part: ChangeMeta = { ...whole, unfinished: true };

const isBeginning = ({ justification }: ChangeMeta): boolean => justification === whole.justification;

/**
 * Imports files into a graph that has never been written to, so that statements removed since do not reappear. The
 * files are read twice, so that nothing is imported from invalid files. If a gateway dies during an import, the next
 * one to start continues it; several replicas that start at once import together.
 *
 * @throws A2AError `internal` that names the unreadable file or the violation
 */
export async function importInitial(options: InitialImportOptions): Promise<void> {
  const { store, space, files, faultsOf, logger } = options;
  if (files.length === 0 || (await hasBegun(store, space))) return;
  if (faultsOf) {
    const unsure = await check(statementsIn(files), faultsOf);
    if (unsure) logger.warn({ agent: space.agent, why: unsure.message }, 'some imported statements were not validated');
  } else {
    for await (const _ of statementsIn(files));
  }
  await write(store, space, statementsIn(files));
}

const addition = (statement: KGStatement): KnowledgePatch => ({ op: 'add', statement });

/** Whether the log contains changes other than those of an unfinished import. */
async function hasBegun(store: KnowledgeStore, space: KnowledgeSpace): Promise<boolean> {
  const { last } = await store.extent(space);
  if (last === 0) return false;
  const [change] = await store.changes(space, last - 1, 1);
  return !(change && isBeginning(change.meta) && change.meta.unfinished === true);
}

async function write(
  store: KnowledgeStore,
  space: KnowledgeSpace,
  statements: AsyncIterable<KGStatement>,
): Promise<void> {
  let { last: position } = await store.extent(space);
  /** Resolves with false if another replica has finished the import. */
  const apply = async (patches: readonly KnowledgePatch[], meta: ChangeMeta): Promise<boolean> => {
    for (;;) {
      const applied = await store.apply(space, patches, meta, { expected: position });
      if (applied) {
        position = applied.position;
        return true;
      }
      // Another replica's import is not a conflict, because statements are not duplicated.
      const news = await store.changes(space, position, 1_000);
      if (news.some((change) => !(isBeginning(change.meta) && change.meta.unfinished === true))) return false;
      position = news.at(-1)?.position ?? (await store.extent(space)).last;
    }
  };
  let waiting: KnowledgePatch[] = [];
  for await (const some of inBatches(statements, batch)) {
    if (waiting.length > 0 && !(await apply(waiting, part))) return;
    waiting = some.map(addition);
  }
  await apply(waiting, whole);
}

/**
 * Yields the statements of files. Blank nodes get the same ids every time a file is read, so that they are not
 * duplicated.
 */
async function* statementsIn(files: readonly string[]): AsyncGenerator<KGStatement> {
  for (const [index, file] of files.entries()) {
    const format = formatOf(file);
    if (format === undefined)
      throw unreadable(file, `its extension belongs to no known format (${knowledgeFormats.join(', ')})`);
    try {
      requireRegular(file);
      yield* readStatements(createReadStream(file), format, { blankPrefix: `begin${index}-` });
    } catch (thrown) {
      throw unreadable(file, (thrown as Error).message);
    }
  }
}

const unreadable = (file: string, why: string): A2AError =>
  new A2AError('internal', `The knowledge file ${file} cannot be read: ${why}`);

/** Number of statements in one validation. */
const checkedAtOnce = 200;

/**
 * Validates the statements as the only contents of a graph, since statements about a node may be anywhere in the files.
 * Resolves with the reason if some of them could not be validated.
 */
async function check(
  statements: AsyncIterable<KGStatement>,
  faultsOf: NonNullable<Alignment['faultsOf']>,
): Promise<TooMuchToJudge | undefined> {
  const scratch = createStore('memory:', { instance: 'scratch' });
  await scratch.open();
  try {
    const knowledge = await scratch.extend(openSqlKnowledge);
    const space = { agent: 'scratch', tenant: '' };
    for await (const some of inBatches(statements, batch)) await knowledge.apply(space, some.map(addition), {});
    let unsure: TooMuchToJudge | undefined;
    for await (const some of inBatches(everyStatement(knowledge, space), checkedAtOnce)) {
      // An in-memory store never yields to the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      const faults = await faultsOf(knowledge, space, some).catch((thrown: unknown) => {
        if (!(thrown instanceof TooMuchToJudge)) throw thrown;
        unsure = thrown;
      });
      if (faults) throw new A2AError('internal', `The imported knowledge files fail validation: ${faults}`);
    }
    return unsure;
  } finally {
    await scratch.close();
  }
}

/** Statements per page. */
const pageSize = 500;

/** Yields all statements of a space, page by page. */
async function* everyStatement(
  reader: Pick<KnowledgeReader, 'find'>,
  space: KnowledgeSpace,
): AsyncGenerator<StoredStatement> {
  for (let [after, more] = ['', true]; more; ) {
    const { items, endCursor, hasMore } = await reader.find(space, {}, { first: pageSize, after });
    yield* items;
    [after, more] = [endCursor, hasMore];
  }
}
