import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { query, sharedPostgres, startPostgres } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';
import { DatabaseLink } from '../torture/database-link.ts';

/** Milliseconds by which heartbeats are made to seem late. */
const late = 60_000;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A database whose server seems to have been started long ago. */
async function longStarted(): Promise<string> {
  const url = await (await sharedPostgres()).database();
  const since = "select timestamptz '2020-01-01'";
  await query(url, `create function pg_postmaster_start_time() returns timestamptz language sql as $$ ${since} $$`);
  return url.replace(/search_path%3D(\w+)/, 'search_path%3D$1,pg_catalog');
}

describe('who was silent because the database was away is not taken for dead', () => {
  it('by a gateway that could not reach it either, until the others have had the time to say that they are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-leases-'));
    const path = join(folder, 'gateway.db');
    const [one, two] = [
      createStore(`sqlite:${path}`, { instance: 'one' }),
      createStore(`sqlite:${path}`, { instance: 'two' }),
    ];
    await one.open();
    await two.open();
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    const database = new DatabaseSync(path);
    const silence = database.prepare('update gateway set heartbeat = heartbeat - ?');
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    now += 6_000;
    for (let waited = 0; waited <= 6_000; waited += 3_000) {
      silence.run(late);
      expect(await two.claimOrphans(10)).toEqual([]);
      now += 3_000;
    }
    silence.run(late);
    expect(await two.claimOrphans(10)).toMatchObject([{ key: writer.key }]);
    database.close();
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true });
  });

  describe.each([
    { what: 'heartbeat', statement: /update "gateway"/ },
    { what: 'look at the others', statement: /select "instance"/ },
  ])('by a gateway whose $what was held up as long', ({ statement }) => {
    it('until the others have had the time to say that they are there', async () => {
      // No heartbeat but those of the claims below.
      vi.useFakeTimers({ toFake: ['setInterval'] });
      const direct = await longStarted();
      const { port } = new URL(direct);
      const proxy = await startProxy(Number(port));
      const one = createStore(direct, { instance: 'one' });
      const two = createStore(direct.replace(`:${port}`, `:${proxy.port}`), { instance: 'two' });
      await one.open();
      await two.open();
      const writer = new TaskWriter();
      await one.append(writer.create('TASK_STATE_WORKING'));
      const silence = () =>
        query(direct, "update gateway set heartbeat = heartbeat - $1 where instance like 'one/%'", [late]);
      let now = performance.now();
      vi.spyOn(performance, 'now').mockImplementation(() => now);
      const { promise: reached, resolve } = Promise.withResolvers<void>();
      proxy.onSent = (data) => {
        if (statement.test(String(data))) {
          proxy.freeze();
          resolve();
        }
        return 'pass';
      };
      const claiming = two.claimOrphans(10);
      await reached;
      proxy.onSent = () => 'pass';
      await silence();
      now += 9_000;
      proxy.thaw();
      expect(await claiming).toEqual([]);
      for (let waited = 0; waited < 8_000; waited += 2_000) {
        expect(await two.claimOrphans(10)).toEqual([]);
        now += 2_000;
      }
      expect(await two.claimOrphans(10)).toMatchObject([{ key: writer.key }]);
      await Promise.all([one.close(), two.close()]);
      await proxy.close();
    });
  });

  it('by a gateway that opens the store while the database stands still', async () => {
    const url = await longStarted();
    const [one, two] = [createStore(url, { instance: 'one' }), createStore(url, { instance: 'two' })];
    vi.useFakeTimers({ toFake: ['setInterval'] });
    await one.open();
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    await query(url, 'update gateway set heartbeat = heartbeat - $1', [late]);
    // Each look at the time is three seconds later: to open takes longer than a heartbeat may.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 3_000));
    await two.open();
    vi.restoreAllMocks();
    expect(await two.claimOrphans(10)).toEqual([]);
    await Promise.all([one.close(), two.close()]);
  });

  it('by any gateway, right after the server was started', async () => {
    const server = await startPostgres();
    const url = await server.database();
    const [one, two] = [createStore(url, { instance: 'one' }), createStore(url, { instance: 'two' })];
    await one.open();
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    await server.halt();
    await server.resume();
    await query(url, 'update gateway set heartbeat = heartbeat - $1', [late]);
    await two.open();
    expect(await two.claimOrphans(10)).toEqual([]);
    await vi.waitFor(() => one.append(writer.chunk('x')), { timeout: 10_000 });
    await Promise.all([one.close(), two.close()]);
    await server.stop();
  });
});

it('a replica that lost the answer to a heartbeat on the way is not declared dead while it writes', async () => {
  const direct = await longStarted();
  const { port } = new URL(direct);
  const link = await DatabaseLink.open(Number(port), () => 0);
  const one = createStore(direct.replace(`:${port}`, `:${link.port}`), { instance: 'one' });
  const two = createStore(direct, { instance: 'two' });
  await one.open();
  await two.open();
  const writer = new TaskWriter();
  await one.append(writer.create('TASK_STATE_WORKING'));
  // The connection stays open, and its answer never comes: until its time-out, which is longer than replicas wait.
  let lost = 0;
  let beats = 0;
  link.fateOf = (statement) => {
    if (!/update "gateway"/.test(statement)) return 'passed';
    beats += 1;
    lost ||= beats;
    return beats === lost ? 'swallowed' : 'passed';
  };
  const taken: unknown[] = [];
  const until = Date.now() + 12_000;
  for (let i = 0; Date.now() < until; i += 1) {
    taken.push(...(await two.claimOrphans(10)));
    await one.append(writer.chunk(`${i}`));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(taken).toEqual([]);
  expect(link.fates.get('swallowed')).toBe(1);
  expect((await two.load(writer.key))?.task).toEqual(writer.task);
  await Promise.all([one.close(), two.close()]);
  await link.close();
}, 60_000);
