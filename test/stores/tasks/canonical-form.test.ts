import { beforeAll, expect, it } from 'vitest';
import { alice, completed, TaskWriter } from '../../contract/store-fixtures.ts';
import { emptyDatabases, openStoreOn } from '../../contract/store-kinds.ts';
import { sharedPostgres } from '../../support/postgres.ts';

beforeAll(sharedPostgres);

it.each(Object.entries(emptyDatabases))(
  'what a newer gateway wrote is refused, everything else continues (%s)',
  async (_, open) => {
    const { store, database } = await openStoreOn(open());
    const { sql } = database;
    const [known, ended] = [await completed(store), await completed(store)];
    const [working, orphaned] = [new TaskWriter(), new TaskWriter()];
    for (const writer of [working, orphaned]) await store.append(writer.create('TASK_STATE_WORKING'));
    for (const table of ['task_event', 'task_snapshot'] as const) {
      const rows = await sql.selectFrom(table).select('form').distinct().execute();
      expect(rows.map(({ form }) => form)).toEqual([1]);
    }
    await sql.updateTable('task_snapshot').set({ form: 2 }).where('key', '=', ended.key).execute();
    await sql.updateTable('task_event').set({ form: 2 }).where('key', 'in', [working.key, orphaned.key]).execute();
    for (const { key } of [ended, working]) {
      const message = expect.stringMatching(new RegExp(`${key} is stored in version 2 of the canonical form`));
      await expect(store.load(key)).rejects.toMatchObject({ kind: 'unavailable', message });
    }
    await expect(store.find(alice, ended.id)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.events(working.key, 0, 10)).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await store.load(known.key))?.task).toEqual(known.task);
    // An orphan that cannot be read is left out, and does not keep others from being taken over.
    const readable = new TaskWriter();
    await store.append(readable.create('TASK_STATE_WORKING'));
    await sql.updateTable('task').set({ owner: 'dead' }).where('key', 'in', [orphaned.key, readable.key]).execute();
    expect((await store.claimOrphans(10)).map(({ key }) => key)).toEqual([readable.key]);
    // A snapshot that this version writes over another one is in this version's form.
    await sql.insertInto('task_snapshot').values({ key: readable.key, seq: 1, body: '{}', form: 2 }).execute();
    await store.append(readable.status('TASK_STATE_COMPLETED'));
    const written = sql.selectFrom('task_snapshot').select('form').where('key', '=', readable.key);
    expect((await written.executeTakeFirstOrThrow()).form).toBe(1);
  },
);
