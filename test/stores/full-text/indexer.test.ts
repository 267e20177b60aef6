import { expect, test } from 'vitest';
import type { TaskOverview } from '../../../src/core/ports/admin-store.ts';
import { FullTextIndexer } from '../../../src/stores/full-text/indexer.ts';
import { createWordSearch, fullTextTables } from '../../../src/stores/full-text/tables.ts';
import { wordsOf } from '../../../src/stores/full-text/words.ts';
import { newestMigration } from '../../../src/stores/migrations/index.ts';
import { migrate } from '../../../src/stores/migrations/run.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';
import { afterTest } from '../../support/peer.ts';

/** A store whose tasks are indexed step by step, by a clock of the test's. */
async function opened() {
  const { store, database } = await openStoreOn();
  await migrate(database, { of: 'full text', steps: [fullTextTables], known: newestMigration });
  const state = { now: 0, failure: undefined as Error | undefined };
  const indexer = new FullTextIndexer({
    database,
    clock: { now: () => state.now },
    peers: { lease: async () => false },
    logger: undefined,
    damaged: store.damaged,
    async changedTasks(...parameters): Promise<TaskOverview[]> {
      if (state.failure) throw state.failure;
      return store.changedTasks(...parameters);
    },
  });
  afterTest(() => indexer.close());
  const search = createWordSearch(database);
  const found = async (text: string): Promise<number> =>
    (await search.hits(await search.queryOf(wordsOf(text)), undefined, 100)).length;
  const say = async (at: number, text: string): Promise<void> => {
    const history = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }] }];
    await store.append(new TaskWriter({ now: () => at }).create('TASK_STATE_COMPLETED', { history }));
  };
  return { state, indexer, found, say };
}

test('a task is indexed some seconds after its change, since changes of other replicas may be stored later', async () => {
  const { state, indexer, found, say } = await opened();
  await say(10_000, 'apples');
  state.now = 11_000;
  expect(await indexer.step()).toBe(false);
  await say(9_000, 'pears');
  state.now = 14_000;
  expect(await indexer.step()).toBe(true);
  expect(await indexer.step()).toBe(false);
  expect([await found('apples'), await found('pears')]).toEqual([1, 1]);
});

test('what happened while the store was away is indexed although it is stored later', async () => {
  const { state, indexer, found, say } = await opened();
  await say(10_000, 'apples');
  state.now = 20_000;
  await indexer.step();
  state.failure = new Error('away');
  await expect(indexer.step()).rejects.toThrow('away');
  state.now = 60_000;
  await expect(indexer.step()).rejects.toThrow('away');
  state.failure = undefined;
  await say(61_000, 'plums');
  state.now = 70_000;
  while (await indexer.step());
  expect(await found('plums')).toBe(1);
  await say(19_000, 'pears');
  while (await indexer.step());
  state.now = 101_000;
  while (await indexer.step());
  expect([await found('apples'), await found('pears'), await found('plums')]).toEqual([1, 1, 1]);
});

test('a step has a bounded number of tasks, and the next one goes on', async () => {
  const { state, indexer, found, say } = await opened();
  await Promise.all(Array.from({ length: 50 }, (_, i) => say(i, 'apples')));
  state.now = 100_000;
  await indexer.step();
  expect(await found('apples')).toBe(20);
  while (await indexer.step());
  expect(await found('apples')).toBe(50);
});

test.each([
  ['words in lower case, each once', 'Apple apple ÄPFEL foo_bar', ['apple', 'äpfel', 'foo_bar']],
  ['no controls, markup or quotes', '\u0000<b>"it\'s"\u202e\ud800', ['b', 'it', 's']],
  ['characters of scripts without spaces', '日本 x', ['日', '本', 'x']],
  ['the beginning of long words', 'y'.repeat(1_000), ['y'.repeat(64)]],
  ['nothing', ' \n,;', []],
])('the index has %s', (_, text, words) => {
  expect(wordsOf(text)).toEqual(words);
});
