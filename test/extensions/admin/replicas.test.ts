import { beforeAll, expect, test } from 'vitest';
import type {
  CallEvent,
  DeliveryStatus,
  ListCallersResponse,
  ListCallsResponse,
  ListLossesResponse,
  TaskDetails,
  TaskLogEvent,
  TaskSummary,
} from '../../../src/gen/admin-v1/types.ts';
import { startReceiver } from '../../push/receiver.ts';
import { callsOf, complete } from '../../support/admin.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';

/** Operators at one replica while another one works: tasks that they see, and calls that they make. */

let one: Replica;
let other: Replica;
let working: ReturnType<typeof callsOf>;
let admin: ReturnType<typeof callsOf>;

beforeAll(async () => {
  const url = await (await sharedPostgres()).migrated();
  const config = 'agents: { demo: { kind: reference } }\ndefaultAgent: demo\n';
  one = await startReplica(url, 'one', { config });
  other = await startReplica(url, 'other', { config });
  working = callsOf(one.url);
  admin = callsOf(other.url);
});

test('calls of all replicas are listed at one, the latest first, in pages', async () => {
  const ids: string[] = [];
  for (const at of [working, admin, working, admin, working]) ids.unshift((await at.send('hello')).id);
  const seen: string[] = [];
  const times: number[] = [];
  const replicas = new Set<string>();
  for (let token = ''; ; ) {
    const path = `/admin/v1/calls?operation=SendMessage&pageSize=2&pageToken=${token}`;
    const { calls = [], nextPageToken } = await complete(() => admin.get<ListCallsResponse>(path));
    for (const { taskId = '', replica = '', time = '' } of calls) {
      seen.push(taskId);
      times.push(Date.parse(time));
      replicas.add(replica.split('/')[0] ?? '');
    }
    if (!nextPageToken) break;
    token = nextPageToken;
  }
  // Each replica has its own estimate of the time: calls of two that follow at once may change places.
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(seen.toSorted()).toEqual(ids.toSorted());
  expect(replicas).toEqual(new Set(['one', 'other']));
});

test('callers and losses of all replicas are joined', async () => {
  const count = async (): Promise<number> => {
    const { callers = [] } = await complete(() => admin.get<ListCallersResponse>('/admin/v1/callers'));
    return callers.reduce((all, { calls = 0 }) => all + Number(calls), 0);
  };
  const before = await count();
  const { id } = await working.send('hello');
  await admin.send('hello');
  expect(await count()).toBe(before + 2);
  await working.post('/as/a2a-0.3', { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id } });
  const [here, there] = [admin, working].map((at) => complete(() => at.get<ListLossesResponse>('/admin/v1/losses')));
  expect(await here).toEqual(await there);
});

test('calls are watched at another replica', async () => {
  const end = new AbortController();
  const events = admin.stream<CallEvent>('/admin/v1/calls:watch?taskId=watched', { signal: end.signal });
  let seen: CallEvent | undefined;
  void events.next().then(({ value }) => {
    seen = value?.event;
  });
  while (!seen) {
    await working.request('/tasks/watched');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(seen).toMatchObject({ call: { taskId: 'watched', error: 'taskNotFound', status: '404' } });
  expect(seen.call?.replica).toMatch(/^one\//);
  end.abort();
});

test('a task is watched, followed, found and stopped at another replica', async () => {
  const end = new AbortController();
  const { signal } = end;
  const changes = admin.stream<TaskSummary>('/admin/v1/tasks:watch', { signal });
  const first = changes.next();
  const { id } = await working.send('stream 10000 20');
  expect((await first).value?.event).toMatchObject({ id });
  const { tasks = [] } = await admin.get<{ tasks?: TaskSummary[] }>('/admin/v1/tasks?states=TASK_STATE_WORKING');
  expect(tasks).toMatchObject([{ id, replica: expect.stringMatching(/^one\//) }]);
  const positions: number[] = [];
  for await (const { event } of admin.stream<TaskLogEvent>(`/admin/v1/tasks/${id}:follow`, { signal })) {
    positions.push(event.position);
    if (positions.length === 20) break;
  }
  expect(positions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  const stopped = await admin.post<TaskDetails>(`/admin/v1/tasks/${id}:stop`, {});
  expect(stopped.summary).toMatchObject({ state: 'TASK_STATE_CANCELED', replica: '' });
  for await (const { event } of changes) if (event.state === 'TASK_STATE_CANCELED') break;
  expect(await working.get(`/tasks/${id}`)).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
  end.abort();
});

test('a task is answered at another replica', async () => {
  const { id } = await working.send('ask');
  let state: string | undefined;
  while (state !== 'TASK_STATE_INPUT_REQUIRED') {
    ({ state } = (await admin.get<TaskDetails>(`/admin/v1/tasks/${id}`)).summary);
  }
  await admin.post(`/admin/v1/tasks/${id}:answer`, { parts: [{ text: 'Ada' }] });
  for (let done = false; !done; ) {
    const { status } = await working.get<{ status: { state: string } }>(`/tasks/${id}`);
    done = status.state === 'TASK_STATE_COMPLETED';
  }
});

test('a dead letter of one replica is delivered again by a request to another one', async () => {
  const status = { now: 410 };
  const hook = await startReceiver(() => status.now);
  const { id } = await working.send('ask');
  await working.post(`/tasks/${id}/pushNotificationConfigs`, { id: 'hook', url: hook.url });
  await working.send('Ada', { taskId: id });
  const list = async (): Promise<DeliveryStatus[]> =>
    (await admin.get<{ deliveries?: DeliveryStatus[] }>('/admin/v1/deliveries')).deliveries ?? [];
  while ((await list()).length === 0);
  status.now = 200;
  const { length } = hook.got;
  expect(await admin.post('/admin/v1/deliveries:retry', {})).toEqual({ retried: 1 });
  await hook.until((got) => got.length > length);
  while ((await list()).length > 0);
});
