import { expect, it, vi } from 'vitest';
import type { Requester } from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, TaskWriter, tasksOf } from './store-fixtures.ts';

/** A call that notes what is counted for it, and has room for so many bytes. */
function callOf(bytes = Number.POSITIVE_INFINITY): Required<Requester> & { readonly asked: number[] } {
  const asked: number[] = [];
  const reserve = async (wanted: number): Promise<void> => {
    asked.push(wanted);
    if (wanted > bytes) throw crowded;
  };
  return { asked, reservation: { reserve } };
}

const crowded = new A2AError('unavailable', 'no room');
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** A task with so many bytes of two-byte characters; its snapshot is there where it has ended. */
async function task(store: Store, bytes: number, options: { ends: boolean; at: number }): Promise<TaskWriter> {
  const writer = new TaskWriter({ now: () => options.at });
  await store.append(writer.create('TASK_STATE_WORKING'));
  await store.append(writer.chunk('é'.repeat(bytes / 2)));
  if (options.ends) await store.append(writer.status('TASK_STATE_COMPLETED'));
  return writer;
}

/** Contract of bounded reads: no more is loaded than fits, and memory is reserved before. */
export function bytes(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('bytes end a page of tasks, whether they have ended or not, and none is lost', async () => {
    const store = await fresh();
    const sizes = [10, 400_000, 300_000, 20, 900_000, 10, 30_000, 400_000, 2_000_000, 10];
    const writers: TaskWriter[] = [];
    for (const [i, size] of sizes.entries())
      writers.push(await task(store, size, { ends: i % 2 === 0, at: 1_000 - i }));
    const seen: string[] = [];
    const counts: number[] = [];
    for (let pageToken = ''; ; ) {
      const call = callOf();
      const query = { pageSize: 4, pageBytes: 1_000_000, includeArtifacts: true, pageToken };
      const page = await store.list(alice, query, call);
      expect(page.totalSize).toBe(sizes.length);
      counts.push(page.texts.length);
      seen.push(...tasksOf(page).map(({ id }) => id));
      const shown = sum(tasksOf(page).map(bytesOf));
      if (page.texts.length > 1) expect(shown).toBeLessThanOrEqual(1_000_000);
      // Asked for before, and not for less than is answered.
      expect(call.asked).toHaveLength(1);
      expect(call.asked[0]).toBeGreaterThanOrEqual(shown);
      expect(call.asked[0]).toBeLessThan(shown + 10_000);
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(seen).toEqual(writers.map(({ id }) => id));
    expect(counts).toEqual([4, 3, 1, 1, 1]);
  });

  it('the bytes of a large page are read in several turns of the event loop, as long as a caller waits for them', async () => {
    const store = await fresh();
    for (let i = 0; i < 6; i += 1) await task(store, 3_000_000, { ends: true, at: i });
    const query = { pageSize: 6, pageBytes: 100_000_000, includeArtifacts: true };
    // Each turn has lasted too long when it is next looked at.
    const clock = vi.spyOn(performance, 'now');
    let now = 0;
    clock.mockImplementation(() => {
      now += 30;
      return now;
    });
    try {
      let turns = 0;
      let isListing = true;
      const count = (): void => {
        turns += 1;
        if (isListing) setImmediate(count);
      };
      setImmediate(count);
      expect((await store.list(alice, query, callOf())).texts).toHaveLength(6);
      isListing = false;
      expect(turns).toBeGreaterThan(3);
      let left = 0;
      const reservation = {
        reserve: () => undefined,
        get isClosed() {
          left += 1;
          return left > 2;
        },
      };
      await expect(store.list(alice, query, { reservation })).rejects.toMatchObject({ kind: 'canceled' });
      expect(left).toBe(3);
    } finally {
      clock.mockRestore();
    }
  });

  it('bytes are asked for before a task is read, by lists and by itself', async () => {
    const store = await fresh();
    for (const ends of [true, false]) {
      const { id, owner, task: expected } = await task(store, 200_000, { ends, at: 1_000 });
      const call = callOf();
      const stored = await store.find(owner, id, call);
      expect(stored?.task).toEqual(expected);
      expect(call.asked[0]).toBeGreaterThanOrEqual(bytesOf(expected));
      expect(stored?.bytes).toBe(call.asked[0]);
      await expect(store.find(owner, id, callOf(100_000))).rejects.toBe(crowded);
    }
    await expect(store.list(alice, { pageSize: 5 }, callOf(300_000))).rejects.toBe(crowded);
    expect((await store.list(alice, { pageSize: 5 }, callOf(500_000))).texts).toHaveLength(2);
  });

  it('bytes end a page of events, which says that there are more', async () => {
    const store = await fresh();
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    for (const size of [10, 400_000, 400_000, 400_000, 3_000_000, 10, 10]) {
      await store.append(writer.chunk('é'.repeat(size / 2)));
    }
    const pages: (readonly [seqs: number[], cut: boolean])[] = [];
    for (let after = 0; ; ) {
      const call = callOf();
      const events = await store.events(writer.key, after, 100, call);
      pages.push([events.map(({ seq }) => seq), events.isCut === true]);
      expect(call.asked).toEqual([sum(events.map(({ json }) => Buffer.byteLength(json)))]);
      after = events.at(-1)?.seq ?? after;
      if (!events.isCut) break;
    }
    expect(pages).toEqual([
      [[1, 2, 3, 4], true],
      [[5], true],
      [[6], true],
      [[7, 8], false],
    ]);
    await expect(store.events(writer.key, 5, 100, callOf(1_000_000))).rejects.toBe(crowded);
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
  });

  it('bytes end a page of push configurations, of one task and of all', async () => {
    const store = await fresh();
    const writer = await task(store, 10, { ends: false, at: 1_000 });
    const all = ['a', 'b', 'c', 'd', 'e'].map((id, i) => ({
      id,
      taskId: writer.id,
      url: 'https://hooks.example.com/',
      token: 'é'.repeat([10, 200_000, 100, 350_000, 20][i] ?? 0),
    }));
    for (const config of all) await store.putPushConfig(writer.key, config, 'a2a-1.0');
    const lists = {
      one: (token: string, call: Requester) =>
        store.listPushConfigs(writer.key, { size: 3, bytes: 500_000, token }, call),
      all: (token: string, call: Requester) =>
        store.listOwnersPushConfigs(alice, { size: 3, bytes: 500_000, token }, call),
    };
    for (const list of Object.values(lists)) {
      const pages: unknown[][] = [];
      for (let token = ''; ; ) {
        const call = callOf();
        const { configs, nextPageToken } = await list(token, call);
        expect(call.asked).toEqual([sum(configs.map(bytesOf))]);
        pages.push([...configs]);
        token = nextPageToken;
        if (token === '') break;
      }
      expect(pages).toEqual([all.slice(0, 3), all.slice(3, 4), all.slice(4)]);
      await expect(list('', callOf(100_000))).rejects.toBe(crowded);
    }
  });
}
