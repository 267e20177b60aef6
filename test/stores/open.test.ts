import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { newestMigration } from '../../src/stores/migrations/index.ts';
import { callKey, completed, TaskWriter } from '../contract/store-fixtures.ts';
import { silent } from '../support/core.ts';
import { newFolder } from '../support/folders.ts';
import { query, sharedPostgres } from '../support/postgres.ts';

let folder: string;
beforeAll(() => {
  folder = newFolder();
});

const options = { instance: 'test' };

/** Opens a store in a process of its own, and prints `opened` or why not. Argument: its URL. */
const openElsewhere = `
  const { createStore } = await import('${new URL('../../src/stores/index.ts', import.meta.url)}');
  const store = createStore(process.argv[1], { instance: 'elsewhere' });
  try { await store.open(); console.log('opened'); await store.close(); } catch (error) { console.log(error.message); }
`;

it.each(['mysql://user:secret@host/db', 'sqlite:', 'sqlite', '', 'postgres:', './gateway.db'])(
  'opening a store refuses %j',
  (url) => {
    expect(() => createStore(url, options)).toThrow(/^Unknown store .*expected memory:, sqlite:PATH or postgres:/);
    expect(() => createStore(url, options)).not.toThrow(/secret/);
  },
);

it('opening a store opens an empty store in memory each time', async () => {
  const [one, two] = [createStore('memory:', options), createStore('memory:', options)];
  await one.open();
  await two.open();
  const { key, task } = await completed(one);
  expect((await one.load(key))?.task).toEqual(task);
  expect(await two.load(key)).toBeUndefined();
  await one.close();
  await one.open();
  expect(await one.load(key)).toBeUndefined();
  await Promise.all([one.close(), two.close()]);
});

it('opening a store makes the folders of a file, and reads URLs with three slashes', async () => {
  const path = join(folder, 'a/b/c.db');
  for (const url of [`sqlite:${path}`, `sqlite://${path}`]) {
    const store = createStore(url, { ...options, durability: 'full' });
    await store.open();
    await completed(store);
    await store.close();
  }
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare('select count(*) as n from task').get()).toEqual({ n: 2 });
  database.close();
});

it('opening a store creates files that other users of the machine cannot read', async () => {
  const store = createStore(`sqlite:${join(folder, 'own/own.db')}`, options);
  await store.open();
  await completed(store);
  const files = readdirSync(join(folder, 'own'));
  expect(files).toEqual(expect.arrayContaining(['own.db', 'own.db-wal']));
  for (const file of files) expect([file, statSync(join(folder, 'own', file)).mode & 0o077]).toEqual([file, 0]);
  await store.close();
});

it.runIf(existsSync('/proc/self'))(
  'opening a store says that a folder cannot be made, where file systems make none',
  async () => {
    const store = createStore('sqlite:/proc/a2a-gateway/data/gateway.db', options);
    await expect(store.open()).rejects.toMatchObject({ message: expect.stringContaining("mkdir '/proc/a2a-gateway'") });
  },
);

it('opening a store is locked against other processes from when it is opened until all stores of this one are closed', async () => {
  const path = join(folder, 'locked.db');
  const link = join(folder, 'link.db');
  symlinkSync(path, link);
  const [one, two] = [createStore(`sqlite:${path}`, options), createStore(`sqlite:${link}`, options)];
  const elsewhere = () =>
    execFileSync(process.execPath, ['--eval', openElsewhere, `sqlite:${link}`])
      .toString()
      .trim();
  await one.open();
  await two.open();
  const refused = `another gateway is running on it (process ${process.pid}); one SQLite file serves one gateway`;
  expect(elsewhere()).toContain(refused);
  await one.close();
  await one.close();
  expect(elsewhere()).toContain(refused);
  await two.close();
  expect(elsewhere()).toBe('opened');
});

it('opening a store says why it cannot be opened', async () => {
  const file = join(folder, 'text.db');
  writeFileSync(file, 'this is no database at all, and long enough to be looked at as one'.repeat(100));
  const no = createStore(`sqlite:${file}`, options);
  await expect(no.open()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining(file) });
  const below = createStore(`sqlite:${file}/x.db`, options);
  await expect(below.open()).rejects.toMatchObject({ kind: 'unavailable' });
  const unreachable = createStore('postgres://user:secret@127.0.0.1:1/db', options);
  const error = await unreachable.open().catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('127.0.0.1:1') });
  expect(String(error)).not.toContain('secret');
});

it('opening a store says the reason of the system where SQLite has none', async () => {
  const path = join(folder, 'folder.db');
  mkdirSync(path);
  const reason = expect.stringMatching(/folder\.db cannot be opened: EISDIR: illegal operation on a directory/);
  await expect(createStore(`sqlite:${path}`, options).open()).rejects.toMatchObject({ message: reason });
});

it.skipIf(process.platform === 'win32')(
  'opening a store refuses a file with a second name, which a lock would not cover',
  async () => {
    const path = join(folder, 'linked.db');
    const store = createStore(`sqlite:${path}`, options);
    await store.open();
    await store.close();
    linkSync(path, join(folder, 'second.db'));
    for (const name of ['linked.db', 'second.db']) {
      const other = createStore(`sqlite:${join(folder, name)}`, options);
      await expect(other.open()).rejects.toMatchObject({
        message: expect.stringContaining('it has 2 names (hard links)'),
      });
    }
  },
);

it('opening a store leaves the SQLite database of another program as it is', async () => {
  const path = join(folder, 'foreign.db');
  const database = new DatabaseSync(path);
  database.exec('create table migration (id text); create table note (id text)');
  database.close();
  const content = readFileSync(path);
  const refusal = expect.stringContaining('it is the database of another program');
  await expect(createStore(`sqlite:${path}`, options).open()).rejects.toMatchObject({ message: refusal });
  expect(readFileSync(path).equals(content)).toBe(true);
});

it('opening a store leaves a PostgreSQL schema as it is where another program has tables of the same names', async () => {
  const url = await (await sharedPostgres()).database();
  await query(url, 'create table task (id text)');
  const refusal = expect.stringMatching(/relation "task" already exists; its tables are those of another program/);
  await expect(createStore(url, options).open()).rejects.toMatchObject({ message: refusal });
  const tables = "select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace";
  expect(await query(url, tables)).toEqual([{ relname: 'task' }]);
});

it('opening a store says that a file is empty, and that a store is created', async () => {
  const path = join(folder, 'empty.db');
  writeFileSync(path, '');
  const [debug, warn] = [vi.fn(), vi.fn()];
  const store = createStore(`sqlite:${path}`, { ...options, logger: { ...silent, debug, warn } });
  for (let i = 0; i < 2; i += 1) {
    await store.open();
    await store.close();
  }
  expect(warn.mock.calls).toEqual([[{ path }, 'the file of the store is empty; creating a new store in it']]);
  expect(debug.mock.calls).toEqual([[{ schema: newestMigration }, 'created the tables of the store']]);
});

/** Leaves the files of a store as a killed process does. */
const leaveLog = `
  const { createStore } = await import('${new URL('../../src/stores/index.ts', import.meta.url)}');
  const { completed } = await import('${new URL('../contract/store-fixtures.ts', import.meta.url)}');
  const store = createStore(process.argv[1], { instance: 'killed' });
  await store.open();
  await completed(store);
  process.kill(process.pid, 'SIGKILL');
`;

it('opening a store opens a file with the log of a killed process, and refuses one with the log of another file', async () => {
  const paths = [join(folder, 'killed.db'), join(folder, 'restored.db')] as const;
  for (const path of paths) {
    expect(spawnSync(process.execPath, ['--eval', leaveLog, `sqlite:${path}`]).signal).toBe('SIGKILL');
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  }
  const [path, restored] = paths;
  copyFileSync(`${path}-wal`, `${restored}-wal`);
  rmSync(`${restored}-shm`, { force: true });
  const before = readFileSync(restored);
  const refusal = expect.stringMatching(
    /-wal is the log of another database, for example of the one before a restore; remove it/,
  );
  await expect(createStore(`sqlite:${restored}`, options).open()).rejects.toMatchObject({ message: refusal });
  expect(readFileSync(restored).equals(before)).toBe(true);
  const store = createStore(`sqlite:${path}`, options);
  await store.open();
  await store.close();
});

it('opening a store refuses a schema that needs a newer program, and says so', async () => {
  const path = join(folder, 'newer.db');
  const store = createStore(`sqlite:${path}`, options);
  await store.open();
  await store.close();
  const database = new DatabaseSync(path);
  database.exec("insert into migration values (99, 'from the future', 0)");
  // A later version has added to the schema; what this program knows is still there.
  await store.open();
  await completed(store);
  await store.close();
  database.exec("insert or replace into meta values ('schema needs', '98')");
  database.close();
  const refusal = /schema is version 99 and requires a program that knows version 98; this one knows version \d+$/;
  await expect(store.open()).rejects.toMatchObject({ message: expect.stringMatching(refusal) });
});

it('opening a store waits while another process writes to the same file', async () => {
  const path = join(folder, 'busy.db');
  const store = createStore(`sqlite:${path}`, options);
  await store.open();
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const writer = new TaskWriter();
  const [appending, remembering] = [store.append(writer.create()), store.claimCall(callKey('k'))];
  // The loop is not blocked for good: this runs while both wait.
  await new Promise((resolve) => setTimeout(resolve, 120));
  other.exec('commit');
  other.close();
  await appending;
  expect(await remembering).toBeUndefined();
  expect(await store.load(writer.key)).toBeDefined();
  await store.close();
});
