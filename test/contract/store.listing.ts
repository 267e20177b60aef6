import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ListTasksRequest, Message, Task } from '../../src/core/model/a2a.ts';
import type { TaskOwner } from '../../src/core/model/ids.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, TaskWriter, tasksOf } from './store-fixtures.ts';

type Query = ListTasksRequest & { pageSize: number };

/** All pages, one after the other. */
async function walk(store: Store, owner: TaskOwner, query: Query, between = async () => {}): Promise<Task[]> {
  const tasks: Task[] = [];
  let pageToken = '';
  do {
    const page = await store.list(owner, { ...query, pageToken });
    expect(page.texts.length).toBeLessThanOrEqual(query.pageSize);
    tasks.push(...tasksOf(page));
    pageToken = page.nextPageToken;
    await between();
  } while (pageToken !== '');
  return tasks;
}

const ids = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id);

/** Lists of tasks. */
export function listing(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('listing has the newest status first, page by page, with the number of all', async () => {
    const store = await fresh();
    const writers: TaskWriter[] = [];
    for (let i = 0; i < 7; i += 1) writers.push(await completed(store, { now: () => 1_000 + i }));
    await completed(store, { owner: bob });
    const newest = writers.map(({ id }) => id).reverse();
    const first = await store.list(alice, { pageSize: 3 });
    expect(ids(tasksOf(first))).toEqual(newest.slice(0, 3));
    expect(first.totalSize).toBe(7);
    expect(first.nextPageToken).not.toBe('');
    for (const pageSize of [1, 3, 7, 100]) expect(ids(await walk(store, alice, { pageSize }))).toEqual(newest);
    expect(await store.list({ ...alice, tenant: 'none' }, { pageSize: 5 })).toEqual({
      texts: [],
      taskFacts: [],
      nextPageToken: '',
      totalSize: 0,
    });
  });

  it('listing filters by context, state and time, alone and together', async () => {
    const store = await fresh();
    const at = (second: number) => ({ now: () => Date.parse('2026-01-01T00:00:00.000Z') + second * 1000 });
    const done = await completed(store, { contextId: 'c', ...at(1) });
    const other = await completed(store, { contextId: 'd', ...at(2) });
    const working = new TaskWriter({ contextId: 'c', ...at(3) });
    await store.append(working.create('TASK_STATE_WORKING'));
    const matching = async (query: Partial<Query>): Promise<string[]> => {
      const page = await store.list(alice, { pageSize: 10, ...query });
      const [tasks, { totalSize }] = [tasksOf(page), page];
      expect(totalSize).toBe(tasks.length);
      return ids(tasks);
    };
    expect(await matching({ contextId: 'c' })).toEqual([working.id, done.id]);
    expect(await matching({ contextId: 'x' })).toEqual([]);
    expect(await matching({ status: 'TASK_STATE_COMPLETED' })).toEqual([other.id, done.id]);
    expect(await matching({ status: 'TASK_STATE_FAILED' })).toEqual([]);
    expect(await matching({ contextId: 'c', status: 'TASK_STATE_COMPLETED' })).toEqual([done.id]);
    expect(await matching({ statusTimestampAfter: '2026-01-01T00:00:02Z' })).toEqual([working.id, other.id]);
    expect(await matching({ statusTimestampAfter: '2026-01-01T01:00:02.000+01:00' })).toEqual([working.id, other.id]);
    expect(await matching({ statusTimestampAfter: '2026-01-01T00:00:02.0001Z' })).toEqual([working.id]);
    await expect(store.list(alice, { pageSize: 1, statusTimestampAfter: 'yesterday' })).rejects.toMatchObject({
      kind: 'invalidParams',
      violations: [{ field: 'statusTimestampAfter' }],
    });
  });

  it('listing has artifacts only on request, and as much history as was asked for', async () => {
    const store = await fresh();
    const message = (n: number): Message => ({ messageId: `m${n}`, role: 'ROLE_USER', parts: [{ text: `${n}` }] });
    const history = [message(1), message(2), message(3)];
    for (const state of ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'] as const) {
      const writer = new TaskWriter({ owner: { ...alice, agent: state } });
      await store.append(writer.create('TASK_STATE_WORKING', { history }));
      await store.append(writer.chunk('x'));
      await store.append(writer.status(state));
      const one = async (query: Partial<Query>) =>
        tasksOf(await store.list(writer.owner, { pageSize: 1, ...query }))[0];
      expect(await one({})).toEqual({ ...writer.task, artifacts: undefined });
      expect(await one({})).not.toHaveProperty('artifacts');
      expect(await one({ includeArtifacts: true })).toEqual(writer.task);
      expect(await one({ historyLength: 0 })).not.toHaveProperty('history');
      expect((await one({ historyLength: 2 }))?.history).toEqual(history.slice(1));
      expect((await one({ historyLength: 9 }))?.history).toEqual(history);
    }
  });

  it('listing refuses a token that it did not make, or made for another list', async () => {
    const store = await fresh();
    for (let i = 0; i < 4; i += 1) {
      await completed(store, { contextId: 'c' });
      await completed(store, { owner: bob });
    }
    const { nextPageToken: token } = await store.list(alice, { pageSize: 1 });
    const refused = { kind: 'invalidParams', violations: [{ field: 'pageToken' }] };
    const turned = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    for (const bad of ['x', '!', 'AAAA', turned, `${token}A`, token.slice(0, -1), ` ${token}`, '\0']) {
      await expect(store.list(alice, { pageSize: 1, pageToken: bad }), bad).rejects.toMatchObject(refused);
    }
    await expect(store.list(bob, { pageSize: 1, pageToken: token })).rejects.toMatchObject(refused);
    await expect(store.list(alice, { pageSize: 1, pageToken: token, contextId: 'c' })).rejects.toMatchObject(refused);
    expect((await store.list(alice, { pageSize: 3, pageToken: token })).texts).toHaveLength(3);
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), async (pageToken) => {
        await expect(store.list(alice, { pageSize: 1, pageToken })).rejects.toMatchObject(refused);
      }),
      { numRuns: 30 },
    );
  });

  it('no task is lost or seen twice while others are written', async () => {
    let shared: Promise<Store> | undefined;
    const step = fc.record({ creates: fc.nat({ max: 3 }), touches: fc.array(fc.nat({ max: 40 }), { maxLength: 4 }) });
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 25 }),
          fc.integer({ min: 1, max: 6 }),
          fc.array(step, { maxLength: 12 }),
          async (times, pageSize, steps) => {
            shared ??= fresh();
            const store = await shared;
            const owner = { ...alice, principal: `p${Math.random()}` };
            let clock = 1_000;
            const now = () => clock;
            const writers: TaskWriter[] = [];
            for (const time of times) {
              clock = 1_000 + time;
              const writer = new TaskWriter({ owner, now });
              await store.append(writer.create('TASK_STATE_WORKING'));
              writers.push(writer);
            }
            const touched = new Set<string>();
            const todo = [...steps];
            const seen = ids(
              await walk(store, owner, { pageSize }, async () => {
                const next = todo.shift();
                if (!next) return;
                clock += 1_000;
                const writes = Array.from({ length: next.creates }, () => new TaskWriter({ owner, now }).create());
                for (const index of new Set(next.touches)) {
                  const writer = writers[index];
                  if (!writer) continue;
                  touched.add(writer.id);
                  writes.push(writer.status('TASK_STATE_WORKING'));
                }
                await Promise.all(writes.map((append) => store.append(append)));
              }),
            );
            expect(new Set(seen).size).toBe(seen.length);
            for (const { id } of writers) if (!touched.has(id)) expect(seen).toContain(id);
          },
        )
        .beforeEach(async () => {
          shared ??= fresh();
          await shared;
        }),
      { numRuns: 40 },
    );
  });
}
