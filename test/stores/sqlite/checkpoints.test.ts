import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test, vi } from 'vitest';
import { createStore } from '../../../src/stores/index.ts';
import { type CheckpointLimits, Checkpoints } from '../../../src/stores/sqlite/checkpoints.ts';
import { SqliteThread } from '../../../src/stores/sqlite/thread.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { paced } from '../../support/pace.ts';

const warn = vi.fn();
const logger = { ...silent, warn };

let folder: string;
let path: string;
beforeEach(() => {
  folder = newFolder();
  path = join(folder, 'test.db');
  warn.mockClear();
});

function open(limits: CheckpointLimits, threadPath = path) {
  const connection = new DatabaseSync(path);
  connection.exec('pragma journal_mode = wal; create table page (body)');
  const thread = new SqliteThread(threadPath, 'normal');
  const checkpoints = new Checkpoints(thread, connection, logger, limits);
  const insert = connection.prepare('insert into page values (zeroblob(20000))');
  const look = connection.prepare('pragma wal_checkpoint(noop)');
  return {
    connection,
    checkpoints,
    automatic: () => Object.values(connection.prepare('pragma wal_autocheckpoint').get() ?? {})[0],
    state: () => look.get() as { log: number; checkpointed: number },
    /** One transaction, in a turn of its own. */
    async write() {
      if (checkpoints.pause) await checkpoints.pause;
      insert.run();
      checkpoints.written();
      await nextTurn();
    },
    async close() {
      checkpoints.close();
      await thread.close();
      connection.close();
    },
  };
}

test('the thread makes the checkpoints, and a long log begins anew', async () => {
  // The event loop never helps: every page that is copied was copied by the thread.
  const { write, state, automatic, close } = open({ every: 100, restartAt: 200, loopHelpsAt: 1_000_000 });
  let restarts = 0;
  for (let before = 0, copied = false; restarts < 3; ) {
    await write();
    const { log, checkpointed } = state();
    copied ||= checkpointed > 0;
    if (log < before) {
      expect(copied).toBe(true);
      restarts += 1;
    }
    before = log;
  }
  expect(automatic()).toBe(1_000_000);
  await close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(warn).not.toHaveBeenCalled();
});

test('a long log has begun anew, on the thread, before the next write', async () => {
  const { write, checkpoints, state, close } = open({ every: 100, restartAt: 200, loopHelpsAt: 1_000_000 });
  for (let restarts = 0; restarts < 3; ) {
    await write();
    if (!checkpoints.pause) continue;
    await checkpoints.pause;
    expect(checkpoints.pause).toBeUndefined();
    // A pause ends without it where the disk is slow.
    if (state().log < 5) restarts += 1;
  }
  await close();
  expect(warn).not.toHaveBeenCalled();
});

test('the event loop helps when the thread does not keep up', async () => {
  // The thread works on another file, so that it copies nothing of this one.
  const elsewhere = join(folder, 'elsewhere.db');
  const { write, state, close } = open({ every: 100, restartAt: 200, loopHelpsAt: 400 }, elsewhere);
  for (let n = 0; n < 1_000; n += 1) {
    await write();
    expect(state().log).toBeLessThan(420);
  }
  await close();
});

test('without its thread, the event loop makes all checkpoints', async () => {
  const limits = { every: 100, restartAt: 200, loopHelpsAt: 1_000_000 };
  const { write, state, automatic, close } = open(limits, join(folder, 'missing', 'test.db'));
  while (automatic() !== 100) await write();
  for (let n = 0; n < 100; n += 1) await write();
  expect(state().log).toBeLessThan(120);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([
    'the thread of SQLite failed; checkpoints run on the event loop',
  ]);
  await close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

const child = (mode: 'idle' | 'writing' | 'batches'): ChildProcess =>
  fork(fileURLToPath(new URL('checkpoints-child.ts', import.meta.url)), [mode, path], { timeout: paced(60_000) });

test('the thread does not keep the process alive', async () => {
  const process = child('idle');
  expect(await once(process, 'message')).toEqual(['started', undefined]);
  process.disconnect();
  expect(await once(process, 'exit')).toEqual([0, null]);
});

test('a process that is killed during checkpoints loses nothing', async () => {
  const process = child('writing');
  let durable = { key: '', seq: 0 };
  while (durable.seq < 3_000) [durable] = await once(process, 'message');
  process.kill('SIGKILL');
  await once(process, 'exit');
  const check = new DatabaseSync(path);
  expect(check.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  check.close();
  const store = createStore(`sqlite:${path}`, { instance: 'after', logger: silent });
  await store.open();
  expect(await store.events(durable.key, durable.seq - 1, 1)).toHaveLength(1);
  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test('a process that is killed while it writes many tasks has what it acknowledged, and each other append whole or not at all', async () => {
  const process = child('batches');
  const acknowledged = new Set<string>();
  process.on('message', ({ key }: { readonly key: string }) => acknowledged.add(key));
  await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(400), { interval: 1 });
  process.kill('SIGKILL');
  await once(process, 'exit');
  const check = new DatabaseSync(path);
  expect(check.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const rows = check
    .prepare('select key, seq, (select count(*) from task_event where task_event.key = task.key) as events from task')
    .all() as { key: string; seq: number; events: number }[];
  const orphans = check.prepare('select count(*) as n from task_event where key not in (select key from task)').get();
  check.close();
  expect(orphans).toEqual({ n: 0 });
  expect(rows.filter(({ seq, events }) => events !== seq || (seq !== 1 && seq !== 4))).toEqual([]);
  const whole = new Set(rows.filter(({ seq }) => seq === 4).map(({ key }) => key));
  expect([...acknowledged].filter((key) => !whole.has(key))).toEqual([]);
});

test('what agents keep is checkpointed too, where nothing else is written', async () => {
  const store = createStore(`sqlite:${path}`, { instance: 'test' });
  await store.open();
  const space = { owner: { agent: 'a', tenant: '', principal: 'p' }, kind: 'context', id: 'c' } as const;
  // 48 MB in all: the thread begins at 33 MB, and the event loop helps at 131 MB.
  for (let i = 0; i < 400; i += 1) {
    await store.writeState(space, 'name', JSON.stringify(String(i).padStart(5, '0').repeat(20_000)), 1_000_000);
    await nextTurn();
  }
  const connection = new DatabaseSync(path);
  const look = connection.prepare('pragma wal_checkpoint(noop)');
  await expect.poll(() => look.get()?.checkpointed).toBeGreaterThan(0);
  connection.close();
  await store.close();
});
