import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { newKey } from '../../src/auth/hash.ts';
import { callsOf } from '../support/admin.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';
import { sharedPostgres } from '../support/postgres.ts';

const keys = { operator: { ...newKey(), scopes: ['admin', 'tasks'] }, reader: { ...newKey(), scopes: ['admin:read'] } };
const apiKeys = Object.entries(keys).map(([name, { key: _, ...more }]) => ({ name, ...more }));
const listen = { host: 'localhost', port: 0 };
const common = {
  listen,
  auth: { anonymous: false, apiKeys },
  defaultAgent: 'demo',
  agents: { demo: { kind: 'reference' } },
};
const headers = { 'x-api-key': keys.operator.key };

const folder = newFolder();
const gateway = await openGateway(JSON.stringify({ ...common, store: `sqlite:${join(folder, 'data', 'gateway.db')}` }));

const backup = (target: string, file: string, key = keys.operator.key) =>
  inProcess(['backup', target, join(folder, file), '--api-key', key]);

it('a backup copies the database while the gateway writes all the time, to a file that only its owner can read', async () => {
  const calls = callsOf(gateway.url, headers);
  const first: string[] = [];
  for (let i = 0; i < 20; i += 1) first.push((await calls.send(`stream 20 1`, { immediately: false })).id);
  let [isOver, sent] = [false, 0];
  const writing = Array.from({ length: 4 }, async () => {
    for (; !isOver; sent += 1) await calls.send('stream 20 1', { immediately: false });
  });
  await expect.poll(() => sent).toBeGreaterThan(0);
  const done = await backup(gateway.url, 'copy.db');
  isOver = true;
  await Promise.all(writing);
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/copy\.db: [\d.]+ MiB, SHA-256 [0-9a-f]{64}\n/),
  });
  const path = join(folder, 'copy.db');
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  const copy = new DatabaseSync(path, { readOnly: true });
  expect(copy.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  // The log of the source, if it is left beside a restored copy, is not taken for that of the copy.
  const source = new DatabaseSync(join(folder, 'data', 'gateway.db'), { readOnly: true });
  const fileIdOf = (database: DatabaseSync) => database.prepare('pragma user_version').get()?.user_version;
  expect(new Set([0, fileIdOf(source), fileIdOf(copy)]).size).toBe(3);
  source.close();
  const ids = copy
    .prepare('select id from task')
    .all()
    .map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(first));
  copy.close();
  expect(readdirSync(join(folder, 'data')).filter((name) => name.includes('backup'))).toEqual([]);
  // A gateway serves what is in the copy.
  const restored = await openGateway(JSON.stringify({ ...common, store: `sqlite:${path}` }));
  expect(await callsOf(restored.url, headers).get(`/tasks/${first[0]}`)).toMatchObject({ id: first[0] });
});

it('a backup writes over no file, and leaves none behind where the gateway refuses', async () => {
  writeFileSync(join(folder, 'there.db'), 'mine');
  expect(await backup(gateway.url, 'there.db')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/exists already/),
  });
  expect(statSync(join(folder, 'there.db')).size).toBe(4);
  const refused = await backup(gateway.url, 'refused.db', keys.reader.key);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/scope/) });
  expect(existsSync(join(folder, 'refused.db'))).toBe(false);
});

it.each([
  ['PostgreSQL', async () => (await sharedPostgres()).migrated(), /pg_dump/],
  ['memory', async () => 'memory:', /memory has no backup/],
])('a backup says what to do instead where the store is in %s', async (_name, store, message) => {
  const other = await openGateway(JSON.stringify({ ...common, store: await store() }));
  expect(await backup(other.url, 'none.db')).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

it('a backup removes what an interrupted backup left when the gateway starts again', async () => {
  const left = join(folder, 'left.db-backup-1-1');
  writeFileSync(left, '');
  const other = await openGateway(JSON.stringify({ ...common, store: `sqlite:${join(folder, 'left.db')}` }));
  await other.close();
  expect(existsSync(left)).toBe(false);
});
