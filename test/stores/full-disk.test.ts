import { closeSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Logger } from '../../src/core/ports/logger.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { openSqlite } from '../../src/stores/sqlite/database.ts';
import { alice, completed, TaskWriter } from '../contract/store-fixtures.ts';
import { openStoreOn } from '../contract/store-kinds.ts';
import { silent } from '../support/core.ts';
import { newFolder } from '../support/folders.ts';
import { afterTest } from '../support/peer.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';

/** Stores that can be read and take no writes, or not all of them. */

let folder: string;
let server: PostgresServer;
beforeAll(async () => {
  folder = newFolder();
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

const away = (reason: string) => ({
  kind: 'unavailable',
  retryAfter: 5,
  message: `The store is unavailable: ${reason}`,
});

/** Appends until the store refuses; resolves with the append that it refused. */
async function fill(
  store: Store,
  writer: TaskWriter,
): Promise<{ append: ReturnType<TaskWriter['chunk']>; error: unknown }> {
  for (let i = 0; i < 500; i += 1) {
    const append = writer.chunk('x'.repeat(20_000));
    try {
      await store.append(append);
    } catch (error) {
      return { append, error };
    }
  }
  throw new Error('There is room for all');
}

interface Refusal {
  /** The reason in the errors that callers get. */
  readonly reason: string;
  readonly open: () => Promise<{ store: Store; logged: string[] }>;
  /** Makes writes fail. */
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

const listening = (): { logger: Logger; logged: string[] } => {
  const logged: string[] = [];
  const log = (_: object, message: string): void => {
    logged.push(message);
  };
  return { logger: { debug: () => undefined, info: log, warn: log, error: log }, logged };
};

const [full, readOnly] = ['its disk is full', 'it is read-only'];

/** A file, and what runs a pragma on it. */
function sqlite() {
  let pragma: (text: string) => Promise<number>;
  return {
    async open() {
      const { logger, logged } = listening();
      const database = await openSqlite({ path: join(folder, `${crypto.randomUUID()}.db`), flush: false, logger });
      pragma = async (text) => {
        const [row] = await database.prepare<Record<string, number>>({ sql: `pragma ${text}` } as never)();
        return Object.values(row ?? {})[0] ?? 0;
      };
      return { store: (await openStoreOn(database)).store, logged };
    },
    pragma: (text: string) => pragma(text),
  };
}

/** A database, and what runs a statement on it. */
function postgres() {
  let url: string;
  return {
    async open() {
      url = await server.database();
      const { logger, logged } = listening();
      // One connection: others may learn of changed settings later.
      const store = createStore(`${url}&max=1`, { instance: 'test', logger });
      await store.open();
      afterTest(() => store.close());
      return { store, logged };
    },
    run: (text: string) => query(url, text),
  };
}

const refusals: Record<string, () => Refusal> = {
  'a full disk below SQLite': () => {
    const { open, pragma } = sqlite();
    const begin = async () => pragma(`max_page_count = ${(await pragma('page_count')) + 20}`);
    return { reason: full, open, begin, end: () => pragma('max_page_count = 1000000') };
  },
  'a SQLite file that is read-only': () => {
    const { open, pragma } = sqlite();
    return { reason: readOnly, open, begin: () => pragma('query_only = on'), end: () => pragma('query_only = off') };
  },
  'a full disk below PostgreSQL': () => {
    const { open, run } = postgres();
    const tables = { task_event: 'body', meta: 'value' };
    return {
      reason: full,
      open,
      // A disk that is full is not to be had everywhere; what the server says of one is, and that it fails what needs room.
      async begin() {
        for (const [table, column] of Object.entries(tables)) {
          const raise = `if length(new.${column}) > 1000 then raise 'could not extend file' using errcode = '53100'; end if;`;
          await run(
            `create function no_room_${table}() returns trigger language plpgsql as $$ begin ${raise} return new; end $$`,
          );
          await run(
            `create trigger no_room before insert or update on ${table} for each row execute function no_room_${table}()`,
          );
        }
      },
      async end() {
        for (const table of Object.keys(tables)) await run(`drop trigger no_room on ${table}`);
      },
    };
  },
  'a PostgreSQL that is read-only': () => {
    const { open, run } = postgres();
    const set = async (change: string): Promise<void> => {
      await run(`alter system ${change}`);
      await run('select pg_reload_conf()');
    };
    return {
      reason: readOnly,
      open,
      begin: () => set('set default_transaction_read_only = on'),
      end: () => set('reset default_transaction_read_only'),
    };
  },
};

it.each(Object.entries(refusals))(
  '%s: callers get an error, nothing is lost, and writing resumes when there is space',
  async (_, make) => {
    const { reason, open, begin, end } = make();
    const { store, logged } = await open();
    const done = await completed(store);
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    await store.ping();
    await begin();
    const { append, error } = await fill(store, writer);
    expect(error).toMatchObject(away(reason));
    await expect(store.append(append)).rejects.toMatchObject(away(reason));
    for (const _ of [1, 2]) await expect(store.ping()).rejects.toMatchObject(away(reason));
    if (reason === full) {
      // Stored tasks can be read, but the store reports that it is not ready for calls.
      expect((await store.load(done.key))?.task).toEqual(done.task);
      expect((await store.list(alice, { pageSize: 5 })).texts).toHaveLength(2);
    }
    expect(logged).toEqual(['writing to the store failed']);
    await end();
    await vi.waitFor(() => store.ping());
    expect(logged).toEqual(['writing to the store failed', 'the store works again']);
    await store.append(append);
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
  },
);

it('a file that is damaged: the gateway is no longer ready once it has read damage, and does not start when it can read nothing', async () => {
  const path = join(folder, 'damaged.db');
  const error = vi.fn();
  const open = (): Store => createStore(`sqlite:${path}`, { instance: 'test', logger: { ...silent, error } });
  let store = open();
  await store.open();
  const writers: TaskWriter[] = [];
  for (let i = 0; i < 200; i += 1) writers.push(await completed(store));
  await store.close();
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  // Tables and what is known of the schema come first, tasks and events after them.
  for (let at = 8_192 * 60; at < size; at += 8_192) writeSync(file, Buffer.alloc(4_096, 7), 0, 4_096, at);
  closeSync(file);
  store = open();
  await store.open();
  await store.ping();
  const loads = await Promise.allSettled(writers.map(({ key }) => store.load(key)));
  const failed = loads.filter((load) => load.status === 'rejected').map(({ reason }) => reason);
  expect(failed.length).toBeGreaterThan(0);
  for (const failure of failed) expect(failure).toMatchObject(away('its file is corrupt'));
  for (let i = 0; i < 2; i += 1) await expect(store.ping()).rejects.toMatchObject(away('its file is corrupt'));
  expect(error.mock.calls.map(([, message]) => message)).toEqual([
    'the file of the store is corrupt; stop the gateway and restore a backup',
  ]);
  await store.close();
  truncateSync(path, 8_192 * 6);
  await expect(open().open()).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(/damaged\.db cannot be opened: database disk image is malformed/),
  });
  writeFileSync(path, Buffer.alloc(8_192 * 3, 7));
  const message = expect.stringMatching(/damaged\.db cannot be opened: file is not a database/);
  await expect(open().open()).rejects.toMatchObject({ kind: 'unavailable', message });
});
