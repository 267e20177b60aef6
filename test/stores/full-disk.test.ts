import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Logger } from '../../src/core/ports/logger.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { openSqlite } from '../../src/stores/sqlite/database.ts';
import { createSqlStore } from '../../src/stores/store.ts';
import { alice, completed, TaskWriter } from '../contract/store-fixtures.ts';
import { silent } from '../support/core.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';

/** Stores that can be read and take no writes, or not all of them. */

let folder: string;
let server: PostgresServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-full-'));
  server = await startPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
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

interface Full {
  readonly open: () => Promise<{ store: Store; logged: string[] }>;
  /** What fails writes that need room. */
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const listening = (): { logger: Logger; logged: string[] } => {
  const logged: string[] = [];
  const log = (_: object, message: string): void => {
    logged.push(message);
  };
  return { logger: { debug: () => undefined, info: log, warn: log, error: log }, logged };
};

const stores: Record<string, () => Full> = {
  SQLite: () => {
    let sql: { pages: (most: number) => Promise<void>; count: () => Promise<number> };
    return {
      async open() {
        const { logger, logged } = listening();
        const database = await openSqlite({ path: join(folder, 'full.db'), flush: false, logger });
        const pragma = async (text: string): Promise<number> => {
          const [row] = await database.prepare<Record<string, number>>({ sql: text } as never)();
          return Object.values(row ?? {})[0] ?? 0;
        };
        sql = {
          pages: async (most) => void (await pragma(`pragma max_page_count = ${most}`)),
          count: () => pragma('pragma page_count'),
        };
        const store = createSqlStore({
          shown: 'full',
          instance: 'test',
          logger: undefined,
          connect: async () => database,
        });
        await store.open();
        return { store, logged };
      },
      begin: async () => sql.pages((await sql.count()) + 20),
      end: () => sql.pages(1_000_000),
    };
  },
  PostgreSQL: () => {
    let url: string;
    return {
      async open() {
        url = await server.database();
        const { logger, logged } = listening();
        const store = createStore(url, { instance: 'test', logger });
        await store.open();
        return { store, logged };
      },
      // A disk that is full is not to be had everywhere; what the server says of one is, and that it fails what needs room.
      async begin() {
        const raise =
          "begin if length(new.%s) > 1000 then raise 'could not extend file' using errcode = '53100'; end if; return new; end";
        for (const [table, column] of [
          ['task_event', 'body'],
          ['meta', 'value'],
        ] as const) {
          await query(
            url,
            `create function no_room_${table}() returns trigger language plpgsql as $$ ${raise.replace('%s', column)} $$`,
          );
          await query(
            url,
            `create trigger no_room before insert or update on ${table} for each row execute function no_room_${table}()`,
          );
        }
      },
      async end() {
        for (const table of ['task_event', 'meta']) await query(url, `drop trigger no_room on ${table}`);
      },
    };
  },
};

it.each(Object.entries(stores))(
  'a full disk: callers are told, nothing is lost, and room ends it (%s)',
  async (_, make) => {
    const { open, begin, end } = make();
    const { store, logged } = await open();
    const done = await completed(store);
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    await store.ping();
    await begin();
    const { append, error } = await fill(store, writer);
    expect(error).toMatchObject(away('its disk is full'));
    await expect(store.append(append)).rejects.toMatchObject(away('its disk is full'));
    // Stored tasks can be read, but the store reports that it is not ready for calls.
    expect((await store.load(done.key))?.task).toEqual(done.task);
    expect((await store.list(alice, { pageSize: 5 })).tasks).toHaveLength(2);
    for (const _ of [1, 2]) await expect(store.ping()).rejects.toMatchObject(away('its disk is full'));
    expect(logged).toEqual(['writing to the store failed']);
    await end();
    await store.ping();
    expect(logged).toEqual(['writing to the store failed', 'the store works again']);
    await store.append(append);
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
    await store.close();
  },
);

it('a file that takes no writes any more', async () => {
  const path = join(folder, 'read-only.db');
  const database = await openSqlite({ path, flush: false });
  const store = createSqlStore({ shown: path, instance: 'test', logger: undefined, connect: async () => database });
  await store.open();
  const writer = new TaskWriter();
  await store.append(writer.create());
  const set = (on: 'on' | 'off') => database.prepare({ sql: `pragma query_only = ${on}` } as never)();
  await set('on');
  const append = writer.chunk('x');
  await expect(store.append(append)).rejects.toMatchObject(away('it is read-only'));
  await expect(store.ping()).rejects.toMatchObject(away('it is read-only'));
  await set('off');
  await store.ping();
  await store.append(append);
  expect((await store.load(writer.key))?.task).toEqual(writer.task);
  await store.close();
});

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
