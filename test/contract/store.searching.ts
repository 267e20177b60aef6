import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TaskState } from '../../src/core/model/a2a.ts';
import { parentKey } from '../../src/core/model/lineage.ts';
import type { TaskFilter, TaskOverview } from '../../src/core/ports/admin-store.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, TaskWriter } from './store-fixtures.ts';

/** All pages, one after the other. */
async function walk(
  store: Store,
  filter: TaskFilter,
  size: number,
  between: () => Promise<void> = async () => {},
): Promise<TaskOverview[]> {
  const tasks: TaskOverview[] = [];
  let token = '';
  do {
    const page = await store.searchTasks(filter, size, token);
    expect(page.tasks.length).toBeLessThanOrEqual(size);
    tasks.push(...page.tasks);
    token = page.nextPageToken;
    await between();
  } while (token !== '');
  return tasks;
}

const keys = (tasks: readonly { readonly key: string }[]): string[] => tasks.map(({ key }) => key);

/** A task that went through some states, the last one at a time. */
async function brought(store: Store, at: number, states: readonly TaskState[], more = {}): Promise<TaskWriter> {
  const writer = new TaskWriter({ now: () => at, ...more });
  const [first, ...rest] = states;
  await store.append(writer.create(first));
  for (const state of rest) await store.append(writer.status(state));
  return writer;
}

const working = 'TASK_STATE_WORKING';
const waiting = 'TASK_STATE_INPUT_REQUIRED';
const done = 'TASK_STATE_COMPLETED';

/** Searches over the tasks of all owners. */
export function searching(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('a search finds the tasks of all owners, the latest change first, with all that is known of their rows', async () => {
    const store = await fresh();
    const first = await completed(store, { now: () => 1_000, contextId: 'c' });
    const second = await brought(store, 2_000, [working], { owner: bob, chosenId: 'one' });
    const third = await brought(store, 3_000, [working, waiting]);
    for (const size of [1, 2, 3, 10]) {
      expect(keys(await walk(store, {}, size))).toEqual([third.key, second.key, first.key]);
    }
    const { tasks } = await store.searchTasks({}, 10, '');
    expect(tasks[2]).toEqual({
      ...alice,
      key: first.key,
      id: first.id,
      contextId: 'c',
      state: done,
      dialect: 'a2a-1.0',
      replica: '',
      parent: '',
      root: first.key,
      binding: '',
      preview: '',
      reason: '',
      statusAt: first.statusAt,
      createdAt: 1_000,
      updatedAt: 1_000,
      seq: first.seq,
    });
    expect(tasks[1]).toMatchObject({ ...bob, id: 'one', state: working, replica: expect.stringMatching(/^test\//) });
    expect(await store.overviewOf(second.key)).toEqual(tasks[1]);
    expect(await store.overviewOf('none')).toBeUndefined();
  });

  it('a search filters by owner, context, id, states and times, alone and together', async () => {
    const store = await fresh();
    const own = { agent: 'other', tenant: 't', principal: 'carol' };
    const a = await brought(store, 1_000, [done], { contextId: 'c' });
    const b = await brought(store, 2_000, [working], { contextId: 'c', owner: own });
    const c = await brought(store, 3_000, [working, waiting], { contextId: 'd', chosenId: 'one' });
    const d = await brought(store, 4_000, [working, 'TASK_STATE_AUTH_REQUIRED'], { owner: bob, chosenId: 'one' });
    const e = await brought(store, 5_000, ['TASK_STATE_FAILED'], { owner: own });
    const cases: [TaskFilter, TaskWriter[]][] = [
      [{ agent: 'other' }, [e, b]],
      [{ agent: 'none' }, []],
      [{ tenant: 't' }, [e, b]],
      [{ principal: 'bob' }, [d]],
      [{ contextId: 'c' }, [b, a]],
      [{ contextId: 'c', states: [working] }, [b]],
      [{ contextId: 'c', changedSince: 2_000 }, [b]],
      [{ id: 'one' }, [d, c]],
      [{ id: 'one', principal: 'bob' }, [d]],
      [{ id: a.id }, [a]],
      [{ id: c.key }, [c]],
      [{ id: a.id, contextId: 'd' }, []],
      [{ states: [waiting] }, [c]],
      [{ states: [waiting, 'TASK_STATE_AUTH_REQUIRED'] }, [d, c]],
      [{ states: [waiting, working] }, [c, b]],
      [{ states: [done, 'TASK_STATE_FAILED'] }, [e, a]],
      [{ states: [working] }, [b]],
      [{ states: ['TASK_STATE_CANCELED'] }, []],
      [{ changedSince: 3_000 }, [e, d, c]],
      [{ changedBefore: 3_000 }, [b, a]],
      [{ changedSince: 2_000, changedBefore: 4_000 }, [c, b]],
      [{ ...own, states: ['TASK_STATE_FAILED'], changedSince: 1 }, [e]],
    ];
    for (const [filter, expected] of cases) {
      for (const size of [1, 10]) {
        expect(keys(await walk(store, filter, size)), JSON.stringify(filter)).toEqual(keys(expected));
      }
    }
  });

  it('a search filters by the dialect in which a task is used, and by the binding of the call that opened it', async () => {
    const store = await fresh();
    const opened = async (at: number, states: TaskState[], opening: object): Promise<TaskWriter> => {
      const writer = new TaskWriter({ now: () => at, contextId: 'c' });
      const { create, ...append } = writer.create(working);
      await store.append({ ...append, ...(create && { create: { ...create, ...opening } }) });
      for (const state of states) await store.append(writer.status(state));
      return writer;
    };
    const a = await opened(1_000, [done], { dialect: 'a2a-0.3', binding: 'rest' });
    const b = await opened(2_000, [done], { dialect: 'a2a-1.0', binding: 'rest' });
    const c = await opened(3_000, [], { dialect: 'a2a-0.3', binding: 'grpc' });
    const d = await opened(4_000, [waiting], { dialect: 'a2a-0.3' });
    const cases: [TaskFilter, TaskWriter[]][] = [
      [{ dialect: 'a2a-0.3' }, [d, c, a]],
      [{ binding: 'rest' }, [b, a]],
      [{ dialect: 'a2a-0.3', binding: 'rest' }, [a]],
      [{ dialect: 'a2a-0.3', contextId: 'c', states: [working, waiting] }, [d, c]],
      [{ binding: 'grpc', text: { text: c.id, namesOnly: false } }, [c]],
      [{ binding: 'rest', id: c.id }, []],
      [{ dialect: 'a2a-0' }, []],
      [{ dialect: 'a2a-0.3\u0000' }, []],
    ];
    for (const [filter, expected] of cases) {
      for (const size of [1, 10]) {
        expect(keys(await walk(store, filter, size)), JSON.stringify(filter)).toEqual(keys(expected));
      }
    }
  });

  it("a search finds the tasks that the tasks' agents opened", async () => {
    const store = await fresh();
    const [one, two] = [
      await brought(store, 1_000, [working]),
      await brought(store, 1_000, [working], { chosenId: 'two' }),
    ];
    const opened = async (at: number, parent: object, owner = alice): Promise<TaskWriter> => {
      const child = new TaskWriter({ now: () => at, owner });
      await store.append(child.create(working, { metadata: { [parentKey]: { agent: 'demo', hops: 1, ...parent } } }));
      return child;
    };
    const a = await opened(2_000, { task: one.id });
    const b = await opened(3_000, { task: two.id, key: two.key });
    const c = await opened(4_000, { task: one.id }, bob);
    const d = await opened(5_000, { task: a.id, root: one.key, above: [{ agent: 'demo', task: one.id }] });
    await store.append(a.status(done));
    const cases: [TaskFilter, TaskWriter[]][] = [
      [{ parents: [one.key] }, [c, a]],
      [{ parents: [one.key], ...alice }, [a]],
      [{ parents: [one.key], states: [working] }, [c]],
      [{ parents: [two.key, a.key] }, [d, b]],
      [{ parents: [two.id] }, []],
      [{ root: one.key }, [d, c, a, one]],
      [{ root: one.key, ...bob }, [c]],
      [{ root: two.key, states: [working] }, [b, two]],
      [{ root: a.key }, [a]],
    ];
    for (const [filter, expected] of cases) {
      for (const size of [1, 10]) expect(keys(await walk(store, filter, size))).toEqual(keys(expected));
    }
    expect(await store.overviewOf(b.key)).toMatchObject({ parent: two.key, root: two.key });
    expect(await store.overviewOf(d.key)).toMatchObject({ parent: a.key, root: one.key });
  });

  it('a search reads a bounded number of rows a call, and continues where it stopped', async () => {
    const store = await fresh();
    const rare = await brought(store, 1, [done], { owner: bob });
    const many = 2_300;
    for (let i = 0; i < many; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => brought(store, 10 + i + n, [done])));
    }
    const all = await walk(store, {}, 500);
    expect(new Set(keys(all)).size).toBe(many + 1);
    expect(keys(await walk(store, { principal: 'bob' }, 10))).toEqual([rare.key]);
    expect(keys(await walk(store, { principal: 'alice' }, 500))).toHaveLength(many);
  });

  it('a search finds each task that does not change once, while others come, change and go', async () => {
    const store = await fresh();
    let begin = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.integer({ min: 1, max: 20 }), state: fc.constantFrom(working, waiting, done) }), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 11 }), { maxLength: 6 }),
        async (made, size, changes) => {
          // Each run has a time of its own.
          begin += 1_000;
          const writers: TaskWriter[] = [];
          for (const { at, state } of made) {
            const states: TaskState[] = state === working ? [working] : [working, state as TaskState];
            writers.push(await brought(store, begin + at, states));
          }
          const changed = new Set<string>();
          let now = begin + 100;
          const change = async (): Promise<void> => {
            const next = changes.pop();
            const writer = next === undefined ? undefined : writers[next];
            if (writer?.task?.status.state !== working) return;
            changed.add(writer.key);
            now += 1;
            const later = Object.assign(new TaskWriter({ contextId: writer.contextId, now: () => now }), {
              id: writer.id,
              key: writer.key,
              task: writer.task,
              seq: writer.seq,
              generation: writer.generation,
              statusAt: writer.statusAt,
            });
            await store.append(later.status(done));
            writer.task = later.task;
            writer.seq = later.seq;
            await brought(store, now, [done]);
          };
          const found = keys(await walk(store, { changedSince: begin, changedBefore: begin + 50 }, size, change));
          const unchanged = writers.filter(({ key }) => !changed.has(key)).map(({ key }) => key);
          expect(new Set(found).size).toBe(found.length);
          expect(found.filter((key) => unchanged.includes(key)).sort()).toEqual(unchanged.sort());
        },
      ),
      { numRuns: 12 },
    );
  });

  it('a search finds a text that begins or ends an id or a name, or is in the question or in the reason', async () => {
    const store = await fresh();
    const history = (text: string) => [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }] }];
    const task = async (at: number, text: string, more = {}): Promise<TaskWriter> => {
      const writer = new TaskWriter({ now: () => at, ...more });
      await store.append(writer.create(done, { history: history(text) }));
      return writer;
    };
    const a = await task(1_000, 'Book a FLIGHT to Zürich, 100% sure', { contextId: 'trip-1' });
    const b = await task(2_000, 'Übergröße bestellen', {
      owner: { agent: 'shop', tenant: '', principal: 'key:carol' },
    });
    const c = await task(3_000, 'nul \u0000 <b>bold</b> \u202e', { chosenId: 'order-77' });
    const d = await brought(store, 4_000, [working], { owner: bob });
    const failed = {
      state: 'TASK_STATE_FAILED' as const,
      message: { ...history('Provider answered 402')[0], role: 'ROLE_AGENT' as const },
    };
    const { id: taskId, contextId } = d;
    await store.append(d.next({ statusUpdate: { taskId, contextId, status: failed as never } }));
    const e = await brought(store, 5_000, [working]);
    const cases: [string, TaskWriter[]][] = [
      ['flight', [a]],
      ['ght to ZÜRICH', [a]],
      ['zürich', [a]],
      ['100%', [a]],
      ['0% s', [a]],
      ['100_', []],
      ['übergröße', [b]],
      ['ÜBERGRÖSSE', []],
      ['shop', [b]],
      ['carol', [b]],
      ['key:', [b]],
      ['aro', []],
      ['order-7', [c]],
      ['R-77', [c]],
      ['\u0000 <B>', [c]],
      ['\u202e', [c]],
      ['trip', [a]],
      ['answered 402', [d]],
      ['bob', [d]],
      [a.id, [a]],
      [a.id.slice(0, 30), [a]],
      [e.id.slice(-12).toUpperCase(), [e]],
      [a.contextId, [a]],
      [b.contextId, [b]],
      ['demo', [e, d, c, a]],
      ["' or 1=1 --", []],
      ['%', [a]],
      ['\\', []],
    ];
    for (const [text, expected] of cases) {
      for (const size of [1, 10]) {
        const found = await walk(store, { text: { text, namesOnly: false } }, size);
        expect(keys(found), text).toEqual(keys(expected));
      }
    }
    for (const [text, expected] of [
      ['flight', []],
      ['402', []],
      ['bob', [d]],
      [a.id, [a]],
    ] as [string, TaskWriter[]][]) {
      expect(keys(await walk(store, { text: { text, namesOnly: true } }, 10)), text).toEqual(keys(expected));
    }
    const both = { text: { text: 'demo', namesOnly: false }, states: [done], changedSince: 2_000 } as const;
    expect(keys(await walk(store, both, 1))).toEqual([c.key]);
    const inContext = { contextId: a.contextId, text: { text: 'flight', namesOnly: false } };
    expect(keys(await walk(store, inContext, 1))).toEqual([a.key]);
  });

  it('a search refuses a token of another search', async () => {
    const store = await fresh();
    for (let i = 0; i < 3; i += 1) await brought(store, i, [done]);
    const { nextPageToken } = await store.searchTasks({ agent: 'demo' }, 1, '');
    await expect(store.searchTasks({}, 1, nextPageToken)).rejects.toMatchObject({ kind: 'invalidParams' });
  });

  it('a search lists changes from a position on, the earliest first', async () => {
    const store = await fresh();
    const a = await brought(store, 1_000, [done]);
    const b = await brought(store, 2_000, [working]);
    const c = await brought(store, 3_000, [working, waiting]);
    expect(keys(await store.changedTasks({ at: 0, key: '' }, 10))).toEqual(keys([a, b, c]));
    expect(keys(await store.changedTasks({ at: 2_000, key: '' }, 10))).toEqual(keys([b, c]));
    expect(keys(await store.changedTasks({ at: 2_000, key: b.key }, 10))).toEqual([c.key]);
    expect(keys(await store.changedTasks({ at: 0, key: '' }, 2))).toEqual(keys([a, b]));
    expect(await store.changedTasks({ at: 3_001, key: '' }, 2)).toEqual([]);
  });

  it('a search counts the tasks that wait for their callers, up to a limit', async () => {
    const store = await fresh();
    await brought(store, 1_000, [working, done]);
    await brought(store, 2_000, [working]);
    for (const state of [waiting, waiting, 'TASK_STATE_AUTH_REQUIRED'] as const)
      await brought(store, 3_000, [working, state]);
    expect(await store.countWaiting(10)).toBe(3);
    expect(await store.countWaiting(2)).toBe(2);
    expect(await store.countWaiting(10, 'TASK_STATE_AUTH_REQUIRED')).toBe(1);
    expect(await store.countWaiting(10, 'TASK_STATE_INPUT_REQUIRED')).toBe(2);
  });

  it('a search counts no task whose caller has answered, while its agent is still silent', async () => {
    const store = await fresh();
    await brought(store, 1_000, [waiting]);
    const answered = await brought(store, 2_000, [working, waiting]);
    expect(await store.countWaiting(10, waiting)).toBe(2);
    await store.append(answered.message('Paris'));
    expect(await store.countWaiting(10)).toBe(1);
    expect(await store.countWaiting(10, waiting)).toBe(1);
    await store.append(answered.status(waiting));
    expect(await store.countWaiting(10)).toBe(2);
  });
}
