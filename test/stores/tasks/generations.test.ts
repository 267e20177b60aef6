import { sql as raw } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import type { Append } from '../../../src/core/ports/task-store.ts';
import type { Database } from '../../../src/stores/database.ts';
import { alice, TaskWriter } from '../../contract/store-fixtures.ts';
import { emptyDatabases, openStoreOn } from '../../contract/store-kinds.ts';
import { sharedPostgres } from '../../support/postgres.ts';

/** Generations of tasks whose events versions without the column wrote, wholly or in part. */

beforeAll(sharedPostgres);

describe.each(Object.entries(emptyDatabases))('generations on %s', (name, open) => {
  let database: Database;
  let store: Store;
  beforeEach(async () => {
    ({ database, store } = await openStoreOn(open()));
  });

  /** Writes as a version before schema 13 does. */
  async function appendAsBefore(append: Append): Promise<void> {
    await store.append(append);
    for (const { seq } of append.events) {
      await raw`update task_event set generation = null where key = ${append.key} and seq = ${seq}`.execute(
        database.sql,
      );
    }
  }

  /** A log of seven events: `old` says of each whether an earlier version wrote it. */
  async function write(old: readonly boolean[]): Promise<TaskWriter> {
    const writer = new TaskWriter();
    const appends = [
      () => writer.create('TASK_STATE_WORKING', { metadata: { '{"message":': 1 } }),
      () => writer.status('TASK_STATE_INPUT_REQUIRED'),
      () => writer.message('go on'),
      () => writer.chunk('{"message":'),
      () => writer.status('TASK_STATE_INPUT_REQUIRED'),
      () => writer.message('and on'),
      () => writer.chunk('more'),
    ];
    for (const [i, append] of appends.entries()) await (old[i] ? appendAsBefore : store.append)(append());
    return writer;
  }

  it(`generations on ${name} are counted, whichever of the events earlier versions wrote`, async () => {
    for (let mask = 0; mask < 128; mask += 3) {
      const writer = await write(Array.from({ length: 7 }, (_, i) => (mask & (1 << i)) > 0));
      const stored = await store.find(alice, writer.id);
      expect([mask, stored?.generation, stored?.latestTurn]).toEqual([mask, 5, 6]);
      const { taskFacts } = await store.list(alice, { pageSize: 1, contextId: writer.contextId });
      expect([mask, taskFacts[0]?.generation]).toEqual([mask, 5]);
      const expected = [1, 2, 2, 3, 4, 4, 5];
      for (let after = 0; after < 7; after += 1) {
        const page = await store.events(writer.key, after, 3);
        expect([mask, page.map(({ generation }) => generation)]).toEqual([mask, expected.slice(after, after + 3)]);
      }
    }
  });
});
