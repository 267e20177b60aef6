import fc from 'fast-check';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { newId } from '../../../src/core/model/ids.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { parseNotification, payloadsOf } from '../../../src/stores/cluster/notifications.ts';
import { createStore } from '../../../src/stores/index.ts';
import { completed, TaskWriter } from '../../contract/store-fixtures.ts';
import { paced } from '../../support/pace.ts';
import { bury, cutListening, hear, type ReceivedNotifications, spyOn, storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';

const database = storesOnPostgres();

const soon = { timeout: paced(8_000), interval: 5 };

/** Two gateways that know of each other, and one task each that nothing was said of. */
async function pair() {
  const stores = await database();
  const one = await stores.open('one');
  const two = await stores.open('two');
  return { ...stores, one, two };
}

async function begun(store: Store, chosenId?: string): Promise<TaskWriter> {
  const writer = new TaskWriter(chosenId === undefined ? {} : { chosenId });
  await store.append(writer.create('TASK_STATE_WORKING'));
  return writer;
}

/** Follows a task that may be written to meanwhile. */
const follow = async ({ peers }: Store, ...keys: string[]): Promise<void> =>
  vi.waitFor(async () => expect(await peers.follow(keys)).toEqual([]), soon);

/** Writes until a gateway is notified of the last write. A notification may be lost. */
const writeUntilHeard = (store: Store, writer: TaskWriter, { written }: ReceivedNotifications): Promise<void> =>
  vi.waitFor(async () => {
    await store.append(writer.chunk('x'));
    await vi.waitFor(() => expect(written.get(writer.key)).toBe(writer.seq), { timeout: 500, interval: 5 });
  }, soon);

it('other gateways are notified of what a gateway writes to those that follow the task, and to no other', async () => {
  const { url, one, two, open } = await pair();
  const three = await open('three');
  const [first, second, third] = [hear(one), hear(two), hear(three)];
  const ids = ['it’s "quoted"', '\\ {} \n', 'nul\0, \u0001', '🜚 ünïcödé', 'x'.repeat(128), undefined];
  const writers = await Promise.all(ids.map((id) => begun(one, id)));
  const alone = await begun(one);
  const spy = await spyOn(url);
  await follow(two, ...writers.map(({ key }) => key));
  for (const writer of writers) {
    await one.append(alone.chunk('no gateway follows this'));
    await writeUntilHeard(one, writer, second);
  }
  await two.peers.unfollow(writers.map(({ key }) => key));
  await one.append(alone.chunk('no gateway follows this'));
  for (const writer of writers) await one.append(writer.chunk('nor this, any more'));
  const [last = alone] = writers;
  await follow(three, last.key);
  await writeUntilHeard(one, last, third);
  await spy.close();
  expect([...third.written]).toEqual([[last.key, last.seq]]);
  expect(first.written.size).toBe(0);
  const told = new Set(spy.notices.flatMap(({ to, written = [] }) => written.map(([key]) => `${to} ${key}`)));
  expect(told).toEqual(new Set([...writers.map(({ key }) => `two ${key}`), `three ${last.key}`]));
  const seqs = spy.notices.flatMap(({ written = [] }) => written.filter(([key]) => key === last.key));
  expect(Math.max(...seqs.map(([, seq]) => seq))).toBe(last.seq);
});

it('other gateways are notified of what a gateway writes in few notifications, where much is written at once', async () => {
  const { url, one, two } = await pair();
  const heard = hear(two);
  const writers = await Promise.all(Array.from({ length: 500 }, () => begun(one)));
  await follow(two, ...writers.map(({ key }) => key));
  const spy = await spyOn(url);
  await Promise.all(writers.map((writer) => one.append(writer.chunk('x'))));
  await vi.waitFor(() => expect(heard.written.size).toBe(500), soon);
  await spy.close();
  expect(new Map(writers.map(({ key, seq }) => [key, seq]))).toEqual(heard.written);
  expect(spy.notices.length).toBeLessThan(50);
});

it('other gateways are notified of what a gateway writes to a gateway that followed the task while the write was under way', async () => {
  const { url, one, two } = await pair();
  const heard = hear(two);
  const writer = await begun(one);
  const [row] = await query(url, "select instance from gateway where instance like 'two/%'");
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('begin');
  await other.query('select 1 from task where "key" = $1 for no key update', [writer.key]);
  // It has begun, without a follower in sight, and waits for the row.
  const writing = one.append(writer.chunk('x'));
  const waiting = "select 1 from pg_locks where not granted and locktype in ('transactionid', 'tuple')";
  await vi.waitFor(async () => expect(await query(url, waiting)).not.toEqual([]), soon);
  // While it waits, the row is not waited for.
  expect(await two.peers.follow([writer.key])).toEqual([writer.key]);
  await query(url, 'delete from follower');
  await other.query('insert into follower ("key", instance) values ($1, $2)', [writer.key, row?.instance]);
  await other.query('update task set followed = 1 where "key" = $1', [writer.key]);
  await other.query('commit');
  await other.end();
  await writing;
  await vi.waitFor(() => expect(heard.written.get(writer.key)).toBe(writer.seq), soon);
});

it('other gateways are notified of what a gateway writes or in the log by then, whenever it is followed', async () => {
  const { one, two } = await pair();
  const heard = hear(two);
  const rounds = Array.from({ length: 60 }, async (_, round) => {
    const writer = await begun(one);
    const following = (async () => {
      await new Promise((resolve) => setTimeout(resolve, round % 20));
      await follow(two, writer.key);
      return (await two.positions([writer.key])).get(writer.key) ?? 0;
    })();
    for (let i = 0; i < 20; i += 1) await one.append(writer.chunk('x'));
    const read = await following;
    if (read < writer.seq) await vi.waitFor(() => expect(heard.written.get(writer.key)).toBe(writer.seq), soon);
  });
  await Promise.all(rounds);
});

it('other gateways are notified of what a gateway writes to no gateway that is gone', async () => {
  const { url, one, two, open } = await pair();
  const three = await open('three');
  const writer = await begun(one);
  await follow(two, writer.key);
  await follow(three, writer.key);
  expect(await query(url, 'select * from follower')).toHaveLength(2);
  await two.close();
  await bury(url, 'three');
  expect(await query(url, 'select * from follower')).toEqual([]);
});

it('other gateways are notified of what a gateway writes again after the line was lost, which is said', async () => {
  const { url, one, two } = await pair();
  const heard = hear(two);
  const writer = await begun(one);
  await follow(two, writer.key);
  for (let i = 0; i < 3; i += 1) {
    heard.lost = 0;
    await vi.waitFor(async () => {
      await cutListening(url);
      expect(heard.lost).toBeGreaterThan(0);
    }, soon);
    await writeUntilHeard(one, writer, heard);
  }
});

it('other gateways are notified of what a gateway writes to the gateway that delivers to a webhook, and else looked for again', async () => {
  const { url, one, two, open } = await pair();
  await open('three');
  const writer = await begun(one);
  await two.putPushConfig(writer.key, { id: 'p', url: 'http://localhost/' }, 'a2a-1.0');
  const [here, there] = [vi.fn(), vi.fn()];
  one.onPushed(here);
  two.onPushed(there);
  const spy = await spyOn(url);
  await one.append(writer.chunk('x'));
  // Once as it was written, and once as no other gateway delivers it.
  await vi.waitFor(() => expect(here.mock.calls).toEqual([[writer.key], [writer.key, false]]), soon);
  expect(await two.claimDeliveries({ of: [writer.key], limit: 1, except: [] })).toHaveLength(1);
  await vi.waitFor(async () => {
    await one.append(writer.chunk('y'));
    await vi.waitFor(() => expect(there).toHaveBeenCalledWith(writer.key, true), { timeout: 500, interval: 5 });
  }, soon);
  await spy.close();
  expect(new Set(spy.notices.map(({ to, pushed }) => [to, ...(pushed ?? [])].join(' ')))).toEqual(
    new Set([`two ${writer.key}`]),
  );
});

it('a gateway that takes its leave notifies the others of tasks that it leaves behind, when these can be taken over', async () => {
  const { one, two } = await pair();
  const writer = await begun(one);
  const taken = new Promise<readonly string[]>((resolve, reject) => {
    two.peers.onReplicaLeft(() => {
      two.claimOrphans(10).then((tasks) => resolve(tasks.map(({ key }) => key)), reject);
    });
  });
  await one.close();
  expect(await taken).toEqual([writer.key]);
});

it('a gateway that takes its leave and sends no notification when it leaves none', async () => {
  const { url, one, two, open } = await pair();
  await completed(one);
  const left = await begun(two);
  const three = await open('three');
  const told = vi.fn();
  three.peers.onReplicaLeft(told);
  const spy = await spyOn(url);
  await one.close();
  await two.close();
  await vi.waitFor(() => expect(told).toHaveBeenCalled(), soon);
  await spy.close();
  expect(spy.notices).toMatchObject([{ to: 'three', left: true, from: expect.stringMatching(/^two/) }]);
  expect(await three.claimOrphans(10)).toMatchObject([{ key: left.key }]);
});

it('payloads fit into what PostgreSQL takes, and say everything that does', () => {
  const keys = fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.nat(), fc.boolean()));
  fc.assert(
    fc.property(keys, (all) => {
      const written = new Map(all.map(([key, seq]) => [key, seq]));
      const pushed = all.flatMap(([key, , isPushed]) => (isPushed ? [key] : []));
      const payloads = payloadsOf('me', { written, pushed }, 7_900);
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
      const notices = payloads.map(parseNotification);
      const fits = (key: string): boolean => Buffer.byteLength(JSON.stringify(key)) < 7_800;
      const told = notices.flatMap((notice) => notice?.written ?? []);
      expect(told).toEqual([...written].filter(([key]) => fits(key)));
      expect(notices.flatMap((notice) => notice?.pushed ?? [])).toEqual(pushed.filter(fits));
    }),
    { numRuns: 20 },
  );
  expect(parseNotification('no JSON')).toBeUndefined();
  expect(parseNotification('{"from":1}')).toBeUndefined();
  expect(parseNotification('null')).toBeUndefined();
});

it('a lease by name is one gateway’s, until its time is over or the gateway is gone', async () => {
  const { one, two, open } = await pair();
  const three = await open('three');
  const taken = await Promise.all([one, two, three].map(({ peers }) => peers.lease('chore', 60_000)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  const [owner, ...others] = [one, two, three].toSorted((a, b) => rank(a) - rank(b));
  function rank(store: Store): number {
    return taken[[one, two, three].indexOf(store)] ? 0 : 1;
  }
  expect(await owner?.peers.lease('chore', 60_000)).toBe(true);
  expect(await others[0]?.peers.lease('another', 60_000)).toBe(true);
  for (const { peers } of others) expect(await peers.lease('chore', 60_000)).toBe(false);
  await owner?.close();
  expect(await others[0]?.peers.lease('chore', 1)).toBe(true);
  await vi.waitFor(async () => expect(await others[1]?.peers.lease('chore', 60_000)).toBe(true), soon);
  expect(await others[0]?.peers.lease('chore', 60_000)).toBe(false);
});

it('a gateway that has its store to itself queries no other gateway, and is granted everything', async () => {
  const store = createStore('memory:', { instance: 'test' });
  expect(() => store.peers).toThrow('not open');
  await store.open();
  const { peers } = store;
  expect(peers.shared).toBe(false);
  expect(await peers.leaseHolderOf((await begun(store)).key)).toBeUndefined();
  expect(await peers.takenOver([(await begun(store)).key])).toEqual([]);
  expect(await peers.lease('chore', 1)).toBe(true);
  expect(await peers.reserve('alice', 1_000, 1)).toEqual({ granted: 1_000, wait: 0 });
  const asking = peers.forward('other', { key: newId(), body: '1' }, AbortSignal.timeout(paced(1_000)));
  await expect(asking).rejects.toMatchObject({ kind: 'unavailable' });
  await store.close();
});
