import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { callKey, completed, TaskWriter } from '../contract/store-fixtures.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-open-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { instance: 'test' };

/** Opens a store in a process of its own, and prints `opened` or why not. Argument: its URL. */
const openElsewhere = `
  const { createStore } = await import('${new URL('../../src/stores/index.ts', import.meta.url)}');
  const store = createStore(process.argv[1], { instance: 'elsewhere' });
  try { await store.open(); console.log('opened'); await store.close(); } catch (error) { console.log(error.message); }
`;

it.each(['mysql://user:secret@host/db', 'sqlite:', 'sqlite', '', 'postgres:', './gateway.db'])('refuses %j', (url) => {
  expect(() => createStore(url, options)).toThrow(/^Unknown store .*expected memory:, sqlite:PATH or postgres:/);
  expect(() => createStore(url, options)).not.toThrow(/secret/);
});

it('makes the folders of a file, and reads URLs with three slashes', async () => {
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

it('creates files that other users of the machine cannot read', async () => {
  const store = createStore(`sqlite:${join(folder, 'own/own.db')}`, options);
  await store.open();
  await completed(store);
  const files = readdirSync(join(folder, 'own'));
  expect(files).toEqual(expect.arrayContaining(['own.db', 'own.db-wal']));
  for (const file of files) expect([file, statSync(join(folder, 'own', file)).mode & 0o077]).toEqual([file, 0]);
  await store.close();
});

it.runIf(existsSync('/proc/self'))('says that a folder cannot be made, where file systems make none', async () => {
  const store = createStore('sqlite:/proc/a2a-gateway/data/gateway.db', options);
  await expect(store.open()).rejects.toMatchObject({ message: expect.stringContaining("mkdir '/proc/a2a-gateway'") });
});

it('is locked against other processes from when it is opened until all stores of this one are closed', async () => {
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

it('says why it cannot be opened', async () => {
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

it('refuses a schema that needs a newer program, and says so', async () => {
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
  database.exec("insert into meta values ('schema needs', '98')");
  database.close();
  const refusal = /schema is version 99 and requires a program that knows version 98; this one knows version \d+$/;
  await expect(store.open()).rejects.toMatchObject({ message: expect.stringMatching(refusal) });
});

it('waits while another process writes to the same file', async () => {
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
