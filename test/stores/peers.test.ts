import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import type { Store } from '../../src/core/ports.ts';
import { createStore } from '../../src/stores/index.ts';
import { noticeOf, payloadsOf, type Written } from '../../src/stores/peers/notices.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { cutListening, hear, spyOn, storesOnPostgres } from '../support/peers.ts';

const database = storesOnPostgres();

const soon = { timeout: 8_000, interval: 5 };

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

describe('hints', () => {
  it('tell the others what was written, and not who wrote it', async () => {
    const { one, two, open } = await pair();
    const three = await open('three');
    const [first, ...others] = [one, two, three].map(hear);
    const ids = ['it’s "quoted"', '\\ {} \n', 'nul\0, \u0001', '🜚 ünïcödé', 'x'.repeat(128), undefined];
    const writers = await Promise.all(ids.map((id) => begun(one, id)));
    for (const writer of writers.slice(1))
      await one.append(writer.next(writer.chunkEvent('a'), writer.chunkEvent('b')));
    const expected = new Map(writers.map(({ key, seq }) => [key, seq]));
    for (const heard of others) await vi.waitFor(() => expect(heard.written).toEqual(expected), soon);
    expect(first?.written.size).toBe(0);
  });

  it('tell the others when a gateway has taken its leave, once what it left behind may be taken up', async () => {
    const { one, two } = await pair();
    const writer = await begun(one);
    const taken = new Promise<readonly string[]>((resolve, reject) => {
      two.peers.onLeft(() => {
        two.claimOrphans(10).then((tasks) => resolve(tasks.map(({ key }) => key)), reject);
      });
    });
    const heard = hear(two);
    await one.close();
    expect(await taken).toEqual([writer.key]);
    expect(heard.lost).toBe(0);
  });

  it('of five hundred tasks written at once are few', async () => {
    const { url, one, two } = await pair();
    const heard = hear(two);
    const spy = await spyOn(url);
    const writers = await Promise.all(Array.from({ length: 500 }, () => begun(one)));
    await vi.waitFor(() => expect(heard.written.size).toBe(500), soon);
    await spy.close();
    expect([...heard.written.keys()].toSorted()).toEqual(writers.map(({ key }) => key).toSorted());
    expect(spy.payloads.length).toBeLessThan(50);
  });

  it('are not sent by who is alone, and are as soon as somebody comes', async () => {
    const { url, open } = await database();
    const one = await open('one');
    const spy = await spyOn(url);
    for (let i = 0; i < 3; i += 1) await begun(one);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(spy.payloads).toEqual([]);
    const lost = hear(one);
    const heard = hear(await open('two'));
    await vi.waitFor(() => expect(lost.lost).toBeGreaterThan(0), soon);
    const { key } = await begun(one);
    await vi.waitFor(() => expect(heard.written.get(key)).toBe(1), soon);
    await spy.close();
  });

  it('may be lost with the line, which is said, and arrive again after it', async () => {
    const { url, one, two } = await pair();
    const heard = hear(two);
    for (let i = 0; i < 3; i += 1) {
      await vi.waitFor(() => expect(heard.lost).toBeGreaterThan(0), soon);
      heard.lost = 0;
      let cut = 0;
      await vi.waitFor(async () => {
        cut += await cutListening(url);
        expect(cut).toBeGreaterThanOrEqual(2);
      }, soon);
      const { key } = await begun(one);
      await vi.waitFor(() => expect(heard.lost).toBeGreaterThan(0), soon);
      expect(await two.positions([key])).toEqual(new Map([[key, 1]]));
    }
    await vi.waitFor(async () => {
      const { key } = await begun(one);
      await vi.waitFor(() => expect(heard.written.get(key)).toBe(1), { timeout: 500, interval: 5 });
    }, soon);
  });

  it('of what is pushed tell who holds a delivery that there is more', async () => {
    const { one, two } = await pair();
    const writer = await begun(one);
    await two.putPushConfig(writer.key, { id: 'p', url: 'http://localhost/' }, 'a2a-1.0');
    const [here, there] = [vi.fn(), vi.fn()];
    one.onPushed(here);
    two.onPushed(there);
    await one.append(writer.chunk('x'));
    await vi.waitFor(() => expect(there).toHaveBeenCalledWith(writer.key, true), soon);
    expect(here.mock.calls).toEqual([[writer.key]]);
  });

  it('fit into what PostgreSQL takes, and say everything that does', () => {
    const keys = fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.nat(), fc.boolean()));
    fc.assert(
      fc.property(keys, (all) => {
        const written = new Map<string, Written>(all.map(([key, seq, pushed]) => [key, { seq, pushed }]));
        const payloads = payloadsOf('me', written);
        for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
        const notices = payloads.map(noticeOf);
        const told = new Map(notices.flatMap((notice) => notice?.written ?? []));
        const untold = [...written.keys()].filter((key) => !told.has(key));
        expect(told.size + untold.length).toBe(written.size);
        if (untold.length > 0) expect(notices.some((notice) => notice?.lost)).toBe(true);
        for (const key of untold) expect(Buffer.byteLength(JSON.stringify(key))).toBeGreaterThan(3_000);
        const pushed = new Set(notices.flatMap((notice) => notice?.pushed ?? []));
        for (const [key, seq] of told) expect(written.get(key)).toEqual({ seq, pushed: pushed.has(key) });
      }),
      { numRuns: 20 },
    );
    expect(noticeOf('no JSON')).toBeUndefined();
    expect(noticeOf('{"from":1}')).toBeUndefined();
    expect(noticeOf('null')).toBeUndefined();
  });
});

describe('a lease by name', () => {
  it('is one gateway’s, until its time is over or the gateway is gone', async () => {
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
});

describe('a gateway that has its store to itself', () => {
  it('asks nobody, and is granted everything', async () => {
    const store = createStore('memory:', { instance: 'test' });
    expect(() => store.peers).toThrow('not open');
    await store.open();
    const { peers } = store;
    expect(peers.shared).toBe(false);
    expect(await peers.workerOf((await begun(store)).key)).toBeUndefined();
    expect(await peers.takenOver([(await begun(store)).key])).toEqual([]);
    expect(await peers.lease('chore', 1)).toBe(true);
    expect(await peers.reserve('alice', 1_000, 1)).toEqual({ granted: 1_000, wait: 0 });
    const asking = peers.ask('other', { key: newId(), body: '1' }, AbortSignal.timeout(1_000));
    await expect(asking).rejects.toMatchObject({ kind: 'unavailable' });
    await store.close();
  });
});
