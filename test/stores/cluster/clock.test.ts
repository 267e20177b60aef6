import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { maintain } from '../../../src/core/cluster/maintenance.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { SharedClock } from '../../../src/stores/cluster/clock.ts';
import { completed, TaskWriter } from '../../contract/store-fixtures.ts';
import { startPushBench } from '../../push/bench.ts';
import { startReceiver } from '../../push/receiver.ts';
import { silent } from '../../support/core.ts';
import { storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';

/** Gateways whose machines have clocks that are wrong: what is stored is stamped and judged by the database's. */

const database = storesOnPostgres();
const day = 24 * 60 * 60 * 1_000;
const apart = [-3 * day, 3 * day];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Deletes what has been kept for a day, until it has looked once. */
async function forget(store: Store): Promise<void> {
  const looked = Promise.withResolvers<void>();
  const { peers } = store;
  const expire = async (before: number, limit: number): Promise<number> => {
    const deleted = await store.expire(before, limit);
    looked.resolve();
    return deleted;
  };
  const retention = { tasks: day };
  const now = (): number => store.now();
  const stop = maintain({
    store: { now, expire, peers },
    logger: silent,
    takeOver: async () => 0,
    retention,
    expire: async () => false,
  });
  await looked.promise;
  stop();
}

describe.each(apart)('a clock that is wrong by %i milliseconds', (ms) => {
  it(`a clock that is wrong by ${ms} milliseconds stamps the states of tasks by the database’s clock`, async () => {
    const { url } = await database();
    vi.setSystemTime(Date.now() + ms);
    const replica = await startReplica(url, 'one');
    const client = await replica.client();
    for (const text of ['hello', 'fail', 'ask what?']) {
      const { task } = await client.send(text);
      const told = Date.parse(task?.status.timestamp ?? '');
      const [row] = await query(url, 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now');
      expect(Math.abs(told - Number(row?.now)), text).toBeLessThan(60_000);
    }
    await replica.close();
  });

  it(`a clock that is wrong by ${ms} milliseconds stamps events by the database’s clock`, async () => {
    const { url } = await database();
    vi.setSystemTime(Date.now() + ms);
    const replica = await startReplica(url, 'one');
    const { task } = await (await replica.client()).send('hello');
    const age = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint) - ';
    const [row] = await query(
      url,
      `select min(${age}least("at", created_at, updated_at, status_at)) as youngest,
        max(${age}greatest("at", created_at, updated_at, status_at)) as oldest
      from task join task_event using ("key") where "key" = $1`,
      [task?.id],
    );
    for (const age of [row?.youngest, row?.oldest]) expect(Math.abs(Number(age))).toBeLessThan(60_000);
    await replica.close();
  });

  it(`a clock that is wrong by ${ms} milliseconds deletes neither too early nor too late`, async () => {
    const { url, open } = await database();
    const right = await open('right');
    vi.setSystemTime(Date.now() + ms);
    const wrong = await open('wrong');
    const old = await completed(right);
    const young = await completed(right, { now: () => right.now() });
    await query(url, 'update task set updated_at = $2 where "key" = $1', [old.key, wrong.now() - 2 * day]);
    await query(url, 'delete from named_lease');
    await forget(wrong);
    expect((await wrong.positions([old.key, young.key])).keys().toArray()).toEqual([young.key]);
  });

  it(`a clock that is wrong by ${ms} milliseconds gives up events for webhooks neither too early nor too late`, async () => {
    const { open } = await database();
    const writing = await open('writing');
    vi.setSystemTime(Date.now() + ms);
    const store = await open('delivering');
    const receiver = await startReceiver(() => 503);
    const bench = await startPushBench({ store, maxAge: day, backoff: { base: 1, cap: 1 } });
    const [old, young] = await Promise.all(
      [2 * day, 0].map(async (age) => {
        const writer = new TaskWriter({ now: () => writing.now() - age });
        await writing.append(writer.create('TASK_STATE_WORKING'));
        const config = { id: 'p', taskId: writer.id, url: receiver.url };
        await writing.putPushConfig(writer.key, config, 'a2a-1.0', { after: 0 });
        return writer;
      }),
    );
    const attempts = (task?: TaskWriter) => receiver.got.filter(({ body }) => body.task?.id === task?.id).length;
    await receiver.until(() => attempts(old) > 0 && attempts(young) > 2);
    await bench.close();
    expect(bench.deliverer.stats()).toMatchObject({ dead: 1, delivered: 0 });
    await receiver.close();
  });
});

it('the clock of a database is that of the process until something is known of it', () => {
  vi.setSystemTime(1_000);
  expect(new SharedClock().now()).toBe(1_000);
});

it('the clock of a database is known as exactly as the quickest answer says, and put right by no more than later ones prove', () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const clock = new SharedClock();
  const learn = (at: number, began: number, ended: number): number => {
    now = ended;
    clock.learn(at, began, ended);
    return clock.now() - now;
  };
  expect(learn(50_100, 0, 200)).toBe(50_000);
  // A slow answer proves nothing that is new.
  expect(learn(60_000, 9_000, 19_000)).toBe(50_000);
  // It was set forward by ten seconds, and back by twenty.
  expect(learn(80_000, 20_000, 20_010)).toBe(59_990);
  expect(learn(70_000, 30_000, 30_010)).toBe(40_001);
  vi.restoreAllMocks();
});
