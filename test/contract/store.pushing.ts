import { expect, it } from 'vitest';
import { type Delivery, type DeliveryQuery, ownWebhooks } from '../../src/core/ports/push-store.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, completed, TaskWriter } from './store-fixtures.ts';

const hook = (task: TaskWriter, id = 'p', url = 'https://hooks.example.com/in?secret') => ({
  id,
  taskId: task.id,
  url,
});

const claim = (
  store: Store,
  of: DeliveryQuery['of'],
  except: DeliveryQuery['except'] = [],
  limit = 100,
): Promise<Delivery[]> => store.claimDeliveries({ of, limit, except });

const ids = (deliveries: readonly Delivery[]): string[] => deliveries.map(({ config }) => config.id).toSorted();

/** The one delivery. */
async function one(claimed: Promise<Delivery[]>): Promise<Delivery> {
  const [delivery, ...more] = await claimed;
  if (!delivery || more.length > 0) throw new Error(`expected one delivery, not ${more.length}`);
  return delivery;
}

/** Contract of deliveries to webhooks. */
export function pushing(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  /** A store, and the keys of tasks that it said to have news of. */
  const watched = async (): Promise<{ store: Store; told: string[] }> => {
    const store = await fresh();
    const told: string[] = [];
    store.onPushed((key) => told.push(key));
    return { store, told };
  };

  const working = async (store: Store): Promise<TaskWriter> => {
    const task = new TaskWriter();
    await store.append(task.create('TASK_STATE_WORKING'));
    return task;
  };

  it('deliveries are reported for a task that has configurations, and for no other task', async () => {
    const { store, told } = await watched();
    const [task, other] = [await working(store), await working(store)];
    await store.append(task.chunk('a'));
    expect(told).toEqual([]);
    await store.putPushConfig(task.key, hook(task), 'a2a-1.0');
    expect(told).toEqual([task.key]);
    await Promise.all([store.append(task.chunk('b')), store.append(other.chunk('b'))]);
    expect(told).toEqual([task.key, task.key]);
    // A delivery that no gateway holds may be reported again at any time: so the other task's events come last.
    await store.append(other.chunk('c'));
    expect(new Set(told)).toEqual(new Set([task.key]));
  });

  it('deliveries are not reported any more when a task’s configuration is deleted', async () => {
    const { store, told } = await watched();
    const task = await working(store);
    // No deliveries are left that a store might report again.
    await store.putPushConfig(task.key, hook(task), 'a2a-1.0');
    await store.deletePushConfig(task.key, 'p');
    expect(told).toEqual([task.key]);
    await store.append(task.chunk('a'));
    expect(told).toEqual([task.key]);
  });

  it('deliveries name the trace of the call that opened their task, as the task does', async () => {
    const store = await fresh();
    const [traced, other] = [new TaskWriter(), await working(store)];
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const append = traced.create('TASK_STATE_WORKING');
    await store.append({ ...append, ...(append.create && { create: { ...append.create, trace } }) });
    for (const task of [traced, other]) {
      await store.putPushConfig(task.key, hook(task), 'a2a-1.0');
      await store.append(task.chunk('a'));
    }
    expect(await one(claim(store, [traced.key]))).toMatchObject({ trace });
    expect(await one(claim(store, [other.key]))).not.toHaveProperty('trace');
    expect(await store.overviewOf(traced.key)).toMatchObject({ trace });
    expect(await store.overviewOf(other.key)).not.toHaveProperty('trace');
  });

  it('deliveries begin after the task’s last event, or where it is said', async () => {
    const store = await fresh();
    const task = await working(store);
    await store.append(task.chunk('a'));
    await store.putPushConfig(task.key, hook(task, 'now'), 'a2a-1.0');
    await store.putPushConfig(task.key, hook(task, 'first\0'), 'a2a-0.3', { after: 0, hops: 3 });
    const delivery = await one(claim(store, [task.key]));
    expect(delivery).toMatchObject({
      key: task.key,
      owner: alice,
      config: hook(task, 'first\0'),
      dialect: 'a2a-0.3',
      receiver: 'https://hooks.example.com',
      cursor: 0,
      attempts: 0,
      hops: 3,
    });
    await store.append(task.chunk('b'));
    expect(await one(claim(store, [task.key]))).toMatchObject({ cursor: 2, config: { id: 'now' } });
  });

  it('deliveries are handed out once, until they are let go of', async () => {
    const store = await fresh();
    const task = await working(store);
    await store.putPushConfig(task.key, hook(task), 'a2a-1.0', { after: 0 });
    const delivery = await one(claim(store, [task.key]));
    for (const of of [[task.key], 'due', 'left'] as const) expect(await claim(store, of)).toEqual([]);
    expect(await store.reportDelivery(delivery, { cursor: 0, attempts: 0, keep: true })).toBe(true);
    expect(await claim(store, [task.key])).toEqual([]);
    expect(await store.reportDelivery(delivery, { cursor: 0, attempts: 0 })).toBe(true);
    const again = await one(claim(store, [task.key]));
    expect(await store.reportDelivery(delivery, { cursor: 1, attempts: 0 })).toBe(false);
    expect(await store.reportDelivery(again, { cursor: 1, attempts: 0 })).toBe(true);
    expect(await claim(store, [task.key])).toEqual([]);
  });

  it('deliveries that are reported late, after a later report of the same claim, keep the later position', async () => {
    const store = await fresh();
    const task = await working(store);
    await store.putPushConfig(task.key, hook(task), 'a2a-1.0', { after: 0 });
    const delivery = await one(claim(store, [task.key]));
    expect(await store.reportDelivery(delivery, { cursor: 1, attempts: 0, keep: true })).toBe(true);
    expect(await store.reportDelivery(delivery, { cursor: 0, attempts: 3, delay: 60_000 })).toBe(false);
    expect(await claim(store, [task.key])).toEqual([]);
    expect(await store.reportDelivery(delivery, { cursor: 1, attempts: 0 })).toBe(true);
  });

  it('deliveries that failed come back when it is time', async () => {
    const store = await fresh();
    const task = await working(store);
    await store.putPushConfig(task.key, hook(task), 'a2a-1.0', { after: 0 });
    const delivery = await one(claim(store, 'left'));
    await store.reportDelivery(delivery, { cursor: 0, attempts: 1, delay: 60_000, failure: 'HTTP 500\0' });
    for (const of of [[task.key], 'due', 'left'] as const) expect(await claim(store, of)).toEqual([]);
    await store.putPushConfig(task.key, hook(task, 'q'), 'a2a-1.0', { after: 0 });
    const other = await one(claim(store, 'left'));
    await store.reportDelivery(other, { cursor: 0, attempts: 3, delay: 0 });
    expect(await claim(store, 'left')).toEqual([]);
    expect(await one(claim(store, 'due'))).toMatchObject({ attempts: 3, config: { id: 'q' } });
  });

  it('deliveries of receivers that are left alone are left alone, and no more are handed out than are wanted', async () => {
    const store = await fresh();
    const task = await working(store);
    for (let i = 0; i < 9; i += 1) {
      const url = `http://${'abc'[i % 3]}.example.com:8080/${i}`;
      await store.putPushConfig(task.key, hook(task, `${i}`, url), 'a2a-1.0', { after: 0 });
    }
    const receivers = ['http://a.example.com:8080', 'http://c.example.com:8080'];
    const of = (principal: string) => receivers.map((receiver) => ({ receiver, principal }));
    const others = of(task.owner.principal);
    expect(ids(await claim(store, [task.key], others, 2))).toHaveLength(2);
    expect(ids(await claim(store, 'left', others))).toHaveLength(1);
    expect(ids(await claim(store, 'left', of('somebody else')))).toEqual(['0', '2', '3', '5', '6', '8']);
  });

  it('deliveries are stopped, and go on when their configuration is replaced', async () => {
    const store = await fresh();
    const task = await working(store);
    await store.append(task.chunk('a'));
    await store.putPushConfig(task.key, hook(task), 'a2a-1.0', { after: 0 });
    const delivery = await one(claim(store, 'left'));
    const dead = { seq: 2, last: 2 };
    await store.reportDelivery(delivery, { cursor: 1, attempts: 1, stop: true, failure: 'HTTP 410', dead });
    await store.append(task.chunk('b'));
    for (const of of [[task.key], 'due', 'left'] as const) expect(await claim(store, of)).toEqual([]);
    await store.putPushConfig(task.key, hook(task, 'p', 'https://other.example.com'), 'a2a-0.3');
    expect(await one(claim(store, [task.key]))).toMatchObject({
      cursor: 1,
      attempts: 0,
      dialect: 'a2a-0.3',
      receiver: 'https://other.example.com',
    });
  });

  it('deliveries in hand are this gateway’s no more when their configuration is replaced or deleted', async () => {
    const store = await fresh();
    const task = await working(store);
    for (const id of ['p', 'q']) await store.putPushConfig(task.key, hook(task, id), 'a2a-1.0', { after: 0 });
    const claimed = await claim(store, 'left');
    await store.putPushConfig(task.key, hook(task, 'p', 'https://other.example.com'), 'a2a-1.0');
    await store.deletePushConfig(task.key, 'q');
    for (const delivery of claimed) {
      expect(await store.reportDelivery(delivery, { cursor: 1, attempts: 0, keep: true })).toBe(false);
    }
    expect(ids(await claim(store, [task.key]))).toEqual(['p']);
  });

  it('deliveries to a webhook of the gateway itself go on when another replica creates it too', async () => {
    const store = await fresh();
    const task = await working(store);
    const put = () => store.putPushConfig(task.key, hook(task), ownWebhooks, { after: 0 });
    await put();
    const delivery = await one(claim(store, [task.key]));
    await put();
    expect(await claim(store, [task.key])).toEqual([]);
    expect(await store.reportDelivery(delivery, { cursor: 1, attempts: 0 })).toBe(true);
  });

  it('deliveries whose claim did not reach the replica are released', async () => {
    const store = await fresh();
    const task = await working(store);
    for (const id of ['p', 'q']) await store.putPushConfig(task.key, hook(task, id), 'a2a-1.0', { after: 0 });
    const held = (await claim(store, 'left')).find(({ config }) => config.id === 'p');
    await store.releaseDeliveries((key, id, lease) => key === task.key && id === 'p' && lease === held?.lease);
    expect(ids(await claim(store, 'left'))).toEqual(['q']);
  });

  it('many deliveries are reported at once', async () => {
    const store = await fresh();
    const tasks = await Promise.all(Array.from({ length: 300 }, () => completed(store)));
    for (const task of tasks) await store.putPushConfig(task.key, hook(task), 'a2a-1.0', { after: 0 });
    const keys = tasks.map(({ key }) => key);
    const claimed = await claim(store, keys, [], 1_000);
    expect(claimed).toHaveLength(300);
    const reports = claimed.map((delivery, i) => store.reportDelivery(delivery, { cursor: i % 5, attempts: 0 }));
    expect(new Set(await Promise.all(reports))).toEqual(new Set([true]));
    // All but those of which all four events are delivered.
    expect(await claim(store, 'left', [], 1_000)).toHaveLength(240);
  });

  it('deliveries of two gateways are never both’s, and a dead gateway’s are the other’s', async () => {
    const database = await kind.database();
    const [one, two] = [await database.open('one'), await database.open('two')];
    const tasks = await Promise.all(Array.from({ length: 40 }, () => completed(one)));
    for (const task of tasks) await one.putPushConfig(task.key, hook(task, task.id), 'a2a-1.0', { after: 0 });
    const shares = await Promise.all([one, two, one, two].map((store) => claim(store, 'left', [], 15)));
    const all = shares.flat();
    expect(all.length).toBeLessThanOrEqual(40);
    all.push(...(await claim(two, 'left')));
    expect(ids(all)).toEqual(tasks.map(({ id }) => id).toSorted());

    const ones = [...(shares[0] ?? []), ...(shares[2] ?? [])];
    const [first, ...rest] = ones;
    if (!first) throw new Error('nothing was claimed');
    await one.reportDelivery(first, { cursor: 2, attempts: 0, keep: true });
    expect(await claim(two, 'left')).toEqual([]);
    await one.close();
    const taken = await claim(two, 'left');
    expect(ids(taken)).toEqual(ids(ones));
    expect(taken.find(({ key }) => key === first.key)?.cursor).toBe(2);
    expect(rest.length).toBe(taken.length - 1);
  });

  it('deliveries of two gateways are reported at the gateway that appends, wherever their configuration was made', async () => {
    const database = await kind.database();
    const [one, two] = [await database.open('one'), await database.open('two')];
    const told: string[] = [];
    one.onPushed((key) => told.push(key));
    const task = await working(one);
    await two.putPushConfig(task.key, hook(task), 'a2a-1.0');
    await one.append(task.chunk('a'));
    expect(told).toEqual([task.key]);
    expect(ids(await claim(one, told))).toEqual(['p']);
  });
}
