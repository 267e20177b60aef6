import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { afterTest } from '../../support/peer.ts';
import { query, sharedPostgres, startPostgres } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';

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

async function open(url: string, instance: string): Promise<Store> {
  const store = createStore(url, { instance });
  await store.open();
  afterTest(() => store.close());
  return store;
}

/** A store that works on a task, and another one. */
async function pair(url: string, other = url) {
  const [one, two] = [await open(url, 'one'), await open(other, 'two')];
  const writer = new TaskWriter();
  await one.append(writer.create('TASK_STATE_WORKING'));
  return { one, two, writer };
}

describe('who was silent because the database was away is not taken for dead', () => {
  it('a replica that was silent because the database was away is not taken for dead by a gateway that could not reach it either, until the others have had the time to report', async () => {
    // No heartbeat but those of the claims below.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-leases-'));
    const path = join(folder, 'gateway.db');
    afterTest(() => rmSync(folder, { recursive: true }));
    const { two, writer } = await pair(`sqlite:${path}`);
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
  });

  describe.each([
    { what: 'heartbeat', statement: /update "gateway"/ },
    { what: 'look at the others', statement: /select "instance"/ },
  ])('by a gateway whose $what was held up as long', ({ what, statement }) => {
    it(`a replica that was silent because the database was away is not taken for dead by a gateway whose ${what} was held up as long, until the others have had the time to report`, async () => {
      // No heartbeat but those of the claims below.
      vi.useFakeTimers({ toFake: ['setInterval'] });
      const direct = await longStarted();
      const proxy = await startProxy(Number(new URL(direct).port));
      afterTest(() => proxy.close());
      const { two, writer } = await pair(direct, proxy.via(direct));
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
    });
  });

  it('a replica that was silent because the database was away is not taken for dead by a gateway that opens the store while the database stands still', async () => {
    const url = await longStarted();
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const one = await open(url, 'one');
    await one.append(new TaskWriter().create('TASK_STATE_WORKING'));
    await query(url, 'update gateway set heartbeat = heartbeat - $1', [late]);
    // Each look at the time is three seconds later: to open takes longer than a heartbeat may.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 3_000));
    const two = await open(url, 'two');
    vi.restoreAllMocks();
    expect(await two.claimOrphans(10)).toEqual([]);
  });

  it('a replica that was silent because the database was away is not taken for dead by a gateway that starts when the database is there again, until the others have had the time to report', async () => {
    const url = await longStarted();
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const one = await open(url, 'one');
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    await query(url, 'update gateway set heartbeat = heartbeat - $1', [late]);
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const two = await open(url, 'two');
    for (let waited = 0; waited < 8_000; waited += 2_000) {
      expect(await two.claimOrphans(10)).toEqual([]);
      now += 2_000;
    }
    expect(await two.claimOrphans(10)).toMatchObject([{ key: writer.key }]);
  });

  it('a replica that was silent because the database was away is not taken for dead right after the server was started', async () => {
    const server = await startPostgres();
    const url = await server.database();
    afterTest(() => server.stop());
    const one = await open(url, 'one');
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    await server.halt();
    await server.resume();
    await query(url, 'update gateway set heartbeat = heartbeat - $1', [late]);
    const two = await open(url, 'two');
    expect(await two.claimOrphans(10)).toEqual([]);
    await vi.waitFor(() => one.append(writer.chunk('x')));
  });
});

it('the start of a replica is a time of the clock that all replicas share, whatever the clock of its machine shows', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
  const store = await open(await (await sharedPostgres()).database(), 'ahead');
  const [replica] = await store.replicas();
  expect(replica?.startedAt).toBeLessThanOrEqual(replica?.heartbeatAt ?? 0);
});
