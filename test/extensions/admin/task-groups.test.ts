import { expect, test } from 'vitest';
import type { TaskState } from '../../../src/core/model/a2a.ts';
import type { CallContext } from '../../../src/core/model/call.ts';
import type { TaskFilter, TaskOverview, TaskSearchPage } from '../../../src/core/ports/admin-store.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { groupHandlers } from '../../../src/extensions/admin/task-groups.ts';
import type { GroupTasksRequest, GroupTasksResponse } from '../../../src/gen/admin-v1/types.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { callsOf } from '../../support/admin.ts';
import { openStore } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

const group = async (
  store: Pick<Store, 'searchTasks' | 'now'>,
  request: GroupTasksRequest = {},
  hidden = false,
): Promise<GroupTasksResponse> => {
  const { GroupTasks } = groupHandlers({ store: store as Store, hidesWords: () => hidden });
  return (await GroupTasks(request, {} as CallContext, {})).value;
};

const owner = (agent: string) => ({ agent, tenant: '', principal: 'alice' });

async function ended(store: Store, at: number, agent: string, reason: string, state: TaskState): Promise<string> {
  const writer = new TaskWriter({ now: () => at, owner: owner(agent) });
  const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: reason }] };
  await store.append(writer.next({ task: { id: writer.id, contextId: 'c', status: { state, message } } }));
  return writer.key;
}

test('tasks are counted by agent, state and reason, whatever ids and numbers a reason names, the most first', async () => {
  const store = await openStore();
  afterTest(() => store.close());
  const failed = 'TASK_STATE_FAILED';
  const ids = ['f3a91c0d', '0xDEADBEEF01', '12345', '01a21aec-7e5c-7000-b9ef-556ec748adab'];
  for (const [i, id] of ids.entries())
    await ended(store, 1_000 + i, 'pay', `order ${id}: provider answered 402`, failed);
  const last = await ended(store, 2_000, 'pay', 'order 999999: provider answered 402', failed);
  await ended(store, 3_000, 'pay', 'order 999999: provider answered 500', failed);
  const rejected = await ended(store, 4_000, 'pay', 'order 1234: no', 'TASK_STATE_REJECTED');
  await ended(store, 5_000, 'ship', 'order 1: provider answered 402', failed);
  const cut = 'x'.repeat(145);
  for (let i = 0; i < 4; i += 1) await ended(store, 100, 'long', `${cut} ${crypto.randomUUID()}`, failed);
  await ended(store, 6_000, 'pay', 'well', 'TASK_STATE_COMPLETED');

  const { groups, tasks, complete } = await group(store, { agent: 'pay' });
  expect(groups).toEqual([
    {
      agent: 'pay',
      state: failed,
      reason: 'order …: provider answered 402',
      count: 5,
      latestKey: last,
      latestAt: '1970-01-01T00:00:02.000Z',
      firstAt: '1970-01-01T00:00:01.000Z',
      callers: 1,
      topCallers: [{ principal: 'alice', count: 5 }],
      line: expect.any(Array),
    },
    expect.objectContaining({ state: 'TASK_STATE_COMPLETED', reason: '', count: 1 }),
    expect.objectContaining({ state: 'TASK_STATE_REJECTED', reason: 'order …: no', latestKey: rejected }),
    expect.objectContaining({ reason: 'order …: provider answered 500', count: 1 }),
  ]);
  expect({ tasks, complete }).toEqual({ tasks: 8, complete: true });
  const counts = async (request: GroupTasksRequest, hidden = false) =>
    (await group(store, request, hidden)).groups?.map(({ agent, reason, count }) => [agent, reason, count]);
  expect(await counts({ agent: 'long' })).toEqual([['long', `${cut} …`, 4]]);
  expect(await counts({ text: '402', states: [failed], changedAfter: '1970-01-01T00:00:02Z' })).toEqual([
    ['ship', 'order …: provider answered 402', 1],
    ['pay', 'order …: provider answered 402', 1],
  ]);
  expect(await counts({ agent: 'pay', states: [failed] }, true)).toEqual([['pay', '', 6]]);
  expect(await counts({ text: '402' }, true)).toEqual([]);
});

test('short numbers in reasons are no difference, and the reason of a group selects exactly the tasks that it counts', async () => {
  const store = await openStore();
  afterTest(() => store.close());
  const failed = 'TASK_STATE_FAILED';
  for (let i = 0; i < 6; i += 1)
    await ended(store, 1_000 + i, 'pay', `courier within reach of 35 Hill Rd, ${i} km, 100% full`, failed);
  await ended(store, 2_000, 'pay', 'COURIER within reach of 35 Hill Rd, 1 km, 100% full', failed);
  await ended(store, 2_000, 'pay', 'no courier within reach of 35 Hill Rd, 1 km, 100% full', failed);
  await ended(store, 2_000, 'pay', 'well', 'TASK_STATE_COMPLETED');
  const { groups = [] } = await group(store);
  expect(groups.map(({ reason, count }) => [reason, count])).toContainEqual([
    'courier within reach of … Hill Rd, … km, …% full',
    6,
  ]);
  expect(groups).toHaveLength(4);
  for (const { agent, state, reason = '', count } of groups) {
    const again = await group(store, { agent, states: [state], reason });
    expect(again.groups).toMatchObject([{ reason, count }]);
    const { tasks } = await store.searchTasks({ agent, states: [state as TaskState], reason }, 100, '');
    expect(tasks).toHaveLength(count ?? 0);
  }
  expect((await group(store, { reason: '' })).tasks).toBe(1);
});

test('a group has its callers and a line over time, and agents have the totals that it is a share of', async () => {
  const store = await openStore();
  afterTest(() => store.close());
  const failed = 'TASK_STATE_FAILED';
  for (const at of [1_000, 1_500, 12_000, 24_999]) await ended(store, at, 'pay', 'no', failed);
  for (let i = 0; i < 6; i += 1) await ended(store, 13_000, 'pay', 'well', 'TASK_STATE_COMPLETED');
  await ended(store, 30_000, 'pay', 'no', failed);
  const { groups, times, totals } = await group(store, {
    states: [failed],
    changedAfter: '1970-01-01T00:00:01Z',
    changedBefore: '1970-01-01T00:00:25Z',
    totals: true,
  });
  const [one] = groups ?? [];
  expect(one).toMatchObject({ count: 4, callers: 1, topCallers: [{ principal: 'alice', count: 4 }] });
  expect(times?.slice(0, 2)).toEqual(['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:02.000Z']);
  expect(times).toHaveLength(24);
  const filled = one?.line?.flatMap((count, at) => (count > 0 ? [[at, count]] : []));
  expect(filled).toEqual([
    [0, 2],
    [11, 1],
    [23, 1],
  ]);
  expect(totals).toEqual([{ agent: 'pay', count: 10, complete: true }]);
});

test('conversations are counted with their agents, callers and latest task, the latest change first, page by page', async () => {
  const store = await openStore();
  afterTest(() => store.close());
  const asked = async (at: number, contextId: string, text: string, agent: string, principal: string) => {
    const writer = new TaskWriter({ now: () => at, contextId, owner: { agent, tenant: '', principal } });
    const history = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }] }];
    await store.append(writer.create('TASK_STATE_COMPLETED', { history }));
    return writer.key;
  };
  await asked(1_000, 'trip', 'a flight', 'travel', 'alice');
  const last = await asked(3_000, 'trip', 'and a hotel', 'hotel', 'bob');
  await asked(2_000, 'bill', 'pay', 'bank', 'alice');
  const by = 'TASK_GROUPING_CONTEXT';
  expect(await group(store, { by })).toEqual({
    groups: [
      {
        contextId: 'trip',
        count: 2,
        agents: ['hotel', 'travel'],
        principals: ['bob', 'alice'],
        preview: 'and a hotel',
        agent: 'hotel',
        state: 'TASK_STATE_COMPLETED',
        reason: '',
        latestKey: last,
        latestAt: '1970-01-01T00:00:03.000Z',
        firstAt: '1970-01-01T00:00:01.000Z',
        callers: 2,
        topCallers: [
          { principal: 'bob', count: 1 },
          { principal: 'alice', count: 1 },
        ],
      },
      expect.objectContaining({ contextId: 'bill', count: 1, agents: ['bank'] }),
    ],
    tasks: 3,
    complete: true,
    nextPageToken: '',
    totals: [],
  });
  const hidden = await group(store, { by, principal: 'alice' }, true);
  expect(hidden.groups?.map(({ contextId, count }) => [contextId, count])).toEqual([
    ['bill', 1],
    ['trip', 1],
  ]);
  expect(hidden.groups?.some((one) => 'preview' in one)).toBe(false);

  for (let n = 0; n < 1_200; n += 1) await asked(10_000 + n, `c${n % 600}`, 'more', `agent ${n % 25}`, 'carol');
  const pages: GroupTasksResponse[] = [];
  for (let pageToken = ''; pages.length === 0 || pageToken !== ''; pageToken = pages.at(-1)?.nextPageToken ?? '') {
    pages.push(await group(store, { by, pageToken }));
  }
  expect(pages.map(({ groups, tasks, complete }) => [groups?.length, tasks, complete])).toEqual([
    [500, 1_203, true],
    [500, 703, true],
    [202, 203, true],
  ]);
  const counts = new Map<string, number>();
  for (const { contextId = '', count = 0 } of pages.flatMap(({ groups = [] }) => groups))
    if (!counts.has(contextId)) counts.set(contextId, count);
  expect(counts.size).toBe(602);
  expect([...counts].filter(([, count]) => count !== 2)).toEqual([['bill', 1]]);
});

test('a part of very many tasks is counted, and the answer says so', async () => {
  let calls = 0;
  const store = (
    tasks: number,
    reasonOf = (n: number) => `reason ${'abcdefg'[n % 7]}`,
  ): Pick<Store, 'searchTasks' | 'now'> => ({
    now: () => 1,
    async searchTasks(_: TaskFilter, size: number): Promise<TaskSearchPage> {
      calls += 1;
      const row = (n: number): TaskOverview => ({
        ...owner('a'),
        key: `${n}`,
        id: `${n}`,
        contextId: '',
        state: 'TASK_STATE_FAILED',
        dialect: '',
        statusAt: 0,
        createdAt: 0,
        updatedAt: 0,
        seq: 1,
        replica: '',
        parent: '',
        root: '',
        binding: '',
        preview: '',
        reason: reasonOf(n),
      });
      return { tasks: Array.from({ length: Math.min(tasks, size) }, (_, n) => row(n)), nextPageToken: 'more' };
    },
  });
  const many = await group(store(Number.POSITIVE_INFINITY));
  expect(many).toMatchObject({ tasks: 10_000, complete: false });
  expect(many.groups).toHaveLength(7);
  // A search that finds nothing in a million tasks has empty pages.
  for (const by of ['TASK_GROUPING_REASON', 'TASK_GROUPING_CONTEXT'] as const) {
    calls = 0;
    expect(await group(store(0), { by })).toMatchObject({
      groups: [],
      tasks: 0,
      complete: false,
      nextPageToken: 'more',
    });
    expect(calls).toBeLessThanOrEqual(5);
  }
  const oneContext = await group(store(Number.POSITIVE_INFINITY), { by: 'TASK_GROUPING_CONTEXT' });
  expect(oneContext).toMatchObject({ tasks: 10_000, groups: [{ count: 10_000 }] });
  const names = (n: number): string => [...`${n}`].map((digit) => String.fromCharCode(65 + Number(digit))).join('');
  expect((await group(store(2_000, names))).groups).toHaveLength(500);
});

test('a text that is too long is refused, and names its field', async () => {
  const gateway = await openGateway('agents: { demo: { kind: reference } }');
  const calls = callsOf(gateway.url);
  await calls.send('fail', { immediately: false });
  expect(await calls.get('/admin/v1/tasks:group?text=FAIL')).toMatchObject({
    groups: [{ agent: 'demo', state: 'TASK_STATE_FAILED', reason: 'Failed, as asked.', count: 1 }],
    complete: true,
  });
  for (const path of ['tasks', 'tasks:group']) {
    const refused = calls.get(`/admin/v1/${path}?text=${'x'.repeat(201)}`);
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('"text"') });
    expect(await calls.get(`/admin/v1/${path}?text=${'x'.repeat(200)}`)).toBeDefined();
  }
});
