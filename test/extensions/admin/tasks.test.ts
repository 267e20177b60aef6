import { beforeAll, expect, test } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { detailsOf } from '../../../src/extensions/admin/tasks.ts';
import type {
  FindTasksResponse,
  GroupTasksResponse,
  ListQuestionsResponse,
  TaskDetails,
  TaskLogEvent,
  TaskSummary,
} from '../../../src/gen/admin-v1/types.ts';
import { ask, defineAgent } from '../../../src/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { callsOf, collect } from '../../support/admin.ts';
import { openStore } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

const schema = { type: 'object', description: 'x'.repeat(30_000) };
const wordy = defineAgent({ name: 'Wordy', description: 'Asks at length' }, () => ask('Well?', { schema }));

let gateway: Opened;
let calls: ReturnType<typeof callsOf>;

beforeAll(async () => {
  gateway = await openGateway(
    `
limits: { page: 64KiB }
agents:
  demo: { kind: reference }
  far: { kind: upstream, url: "http://127.0.0.1:1/agent-card.json", keep: none }
defaultAgent: demo
`,
    { agents: { wordy } },
  );
  calls = callsOf(gateway.url);
});

const keyPath = (key: string, rest = ''): string => `/admin/v1/tasks/${encodeURIComponent(key)}${rest}`;

const find = (query: Record<string, string | string[]> = {}): Promise<FindTasksResponse> => {
  const params = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) for (const value of [values].flat()) params.append(name, value);
  return calls.get(`/admin/v1/tasks?${params}`);
};

const inState = async (id: string, state: string): Promise<TaskSummary> => {
  for (;;) {
    const { tasks = [] } = await find({ id });
    const task = tasks.find((one) => one.state === `TASK_STATE_${state}`);
    if (task) return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

test('FindTasks lists tasks with filters, and pages with a token', async () => {
  const sent = [await calls.send('one'), await calls.send('ask'), await calls.send('three')];
  const ids = sent.map(({ id }) => id);
  await inState(ids[0] ?? '', 'COMPLETED');
  const waiting = await inState(ids[1] ?? '', 'INPUT_REQUIRED');
  await inState(ids[2] ?? '', 'COMPLETED');
  expect(waiting).toMatchObject({
    key: ids[1],
    id: ids[1],
    agent: 'demo',
    principal: 'anonymous',
    dialect: 'a2a-1.0',
    lastPosition: 2,
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const { tasks: ofContext = [] } = await find({ contextId: sent[0]?.contextId ?? '' });
  expect(ofContext.map(({ id }) => id)).toEqual([ids[0]]);
  const { tasks: inputRequired = [] } = await find({
    states: ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'],
  });
  expect(inputRequired).toEqual([waiting]);
  const first = await find({ pageSize: '2' });
  const second = await find({ pageSize: '2', pageToken: first.nextPageToken ?? '' });
  const listed = [...(first.tasks ?? []), ...(second.tasks ?? [])];
  expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect((await find({ changedAfter: '2999-01-01T00:00:00Z' })).tasks ?? []).toEqual([]);
});

test('FindTasks lists and counts the tasks of a dialect, and of a binding', async () => {
  const { id } = await calls.send('one', { immediately: false });
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'two' }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const answer = await calls.request('/', { method: 'POST', body, headers: { 'a2a-version': '0.3' } });
  const { result } = (await answer.json()) as { result: { id: string } };
  const ids = async (query: Record<string, string>) => (await find(query)).tasks?.map(({ id }) => id) ?? [];
  expect(await ids({ dialect: 'a2a-0.3' })).toEqual([result.id]);
  expect(await ids({ binding: 'jsonrpc' })).toEqual([result.id]);
  expect(await ids({ binding: 'rest', dialect: 'a2a-1.0' })).toContain(id);
  expect(await ids({ binding: 'grpc' })).toEqual([]);
  const group = await calls.get<GroupTasksResponse>('/admin/v1/tasks:group?dialect=a2a-0.3&binding=jsonrpc');
  expect(group).toMatchObject({ tasks: 1, groups: [{ agent: 'demo', latestKey: result.id }] });
});

test.each([
  [{ pageSize: '501' }, 'pageSize'],
  [{ states: 'WORKING' }, 'states'],
  [{ pageToken: 'no' }, 'pageToken'],
])('FindTasks refuses %o and names the field', async (query, field) => {
  await expect(find(query)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(field) });
});

test('FindTasks says that an agent keeps its own tasks', async () => {
  await expect(find({ agent: 'far' })).rejects.toMatchObject({ message: expect.stringContaining('keep: none') });
});

test('one task is shown with its content, its owner and its webhooks without secrets', async () => {
  const { id } = await calls.send('ask');
  const task = await inState(id, 'INPUT_REQUIRED');
  await calls.post(`/tasks/${id}/pushNotificationConfigs`, {
    id: 'hook',
    url: 'http://localhost:9/hook?key=secret',
    token: 'secret',
    authentication: { scheme: 'Bearer', credentials: 'secret' },
  });
  const details = await calls.get<TaskDetails>(keyPath(task.key));
  expect(details).toMatchObject({
    summary: task,
    task: { id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    pushConfigs: [{ id: 'hook', url: 'http://localhost:9/***', authentication: { scheme: 'Bearer' } }],
  });
  expect(JSON.stringify(details)).not.toMatch(/secret/);
  await expect(calls.get(keyPath('none'))).rejects.toMatchObject({ status: 404 });
});

test('one task is shown as it was after the last event that its row names, also while it changes', async () => {
  const store = await openStore();
  const writer = new TaskWriter();
  await store.append(writer.create('TASK_STATE_WORKING'));
  // An event arrives after the row was read.
  const load: Store['load'] = async (key) => {
    await store.append(writer.status('TASK_STATE_COMPLETED'));
    return store.load(key);
  };
  const changing = new Proxy(store, {
    get: (target, name) => {
      if (name === 'load') return load;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const { summary, task } = await detailsOf(
    { store: changing, limits: { page: 65_536 }, traces: { of: () => ({}) }, hidesWords: () => false },
    writer.key,
    {},
  );
  expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  expect(summary).toMatchObject({ state: 'TASK_STATE_COMPLETED', lastPosition: 2 });
});

test('one task is not shown where it is larger than an answer, but its events are', async () => {
  const { id } = await calls.send(`large ${'x'.repeat(60_000)}`);
  const { key, lastPosition } = await inState(id, 'COMPLETED');
  const details = await calls.get<TaskDetails>(keyPath(key));
  expect(details.task).toBeUndefined();
  expect(details.bytes).toBeGreaterThan(65_536);
  const events: TaskLogEvent[] = [];
  for (let after = 0; after < (lastPosition ?? 0); after = events.at(-1)?.position ?? 0) {
    const page = await calls.get<{ events: TaskLogEvent[] }>(keyPath(key, `/events?after=${after}`));
    expect(page.events.length).toBeGreaterThan(0);
    expect(JSON.stringify(page.events).length).toBeLessThan(130_000);
    events.push(...page.events);
  }
  expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => i + 1));
  expect(events.at(-1)?.position).toBe(lastPosition);
});

test('questions with large schemas are listed in pages of a bounded size, each question once', async () => {
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] };
      return (await calls.post<{ task: { id: string } }>('/wordy/message:send', { message })).task.id;
    }),
  );
  const pages: string[][] = [];
  let token = '';
  do {
    const query = `/admin/v1/questions?agent=wordy&pageToken=${encodeURIComponent(token)}`;
    const { questions = [], nextPageToken = '' } = await calls.get<ListQuestionsResponse>(query);
    expect(questions.every(({ schema }) => JSON.stringify(schema).length > 30_000)).toBe(true);
    pages.push(questions.map(({ task }) => task.id));
    token = nextPageToken;
  } while (token !== '');
  expect(pages.map(({ length }) => length)).toEqual([3, 2]);
  expect(pages.flat().sort()).toEqual(ids.sort());
});

test('the events of a task are listed page by page, with the messages of the caller', async () => {
  const { id, contextId } = await calls.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  await calls.send('Ada', { taskId: id, contextId });
  const { lastPosition = 0 } = await inState(id, 'COMPLETED');
  const read = async (query: string) =>
    calls.get<{ events?: TaskLogEvent[]; lastPosition: number }>(keyPath(key, `/events${query}`));
  const all = await read('');
  expect(all.lastPosition).toBe(lastPosition);
  expect(all.events?.map(({ position }) => position)).toEqual(Array.from({ length: lastPosition }, (_, i) => i + 1));
  expect(all.events?.some(({ event }) => 'message' in event)).toBe(true);
  expect(await read('?after=1&pageSize=2')).toEqual({ events: all.events?.slice(1, 3), lastPosition });
  expect((await read(`?after=${lastPosition}`)).events ?? []).toEqual([]);
  await expect(calls.get(keyPath('none', '/events'))).rejects.toMatchObject({ status: 404 });

  const streamed = await collect(calls.stream<TaskLogEvent>(keyPath(key, ':follow')));
  expect(streamed.map(({ event }) => event)).toEqual(all.events);
  expect(streamed.map(({ id }) => id)).toEqual(all.events?.map(({ position }) => `${position}`));
  const resumed = await collect(
    calls.stream<TaskLogEvent>(keyPath(key, ':follow'), { headers: { 'last-event-id': '2' } }),
  );
  expect(resumed.map(({ event }) => event)).toEqual(all.events?.slice(2));
  const later = await collect(calls.stream<TaskLogEvent>(keyPath(key, ':follow?after=3')));
  expect(later.map(({ event }) => event)).toEqual(all.events?.slice(3));
});

test('the events of a task are streamed as they come, until the task has ended', async () => {
  const { id, contextId } = await calls.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  const following = collect(calls.stream<TaskLogEvent>(keyPath(key, ':follow')));
  await calls.send('Ada', { taskId: id, contextId });
  const followed = await following;
  const { lastPosition } = await inState(id, 'COMPLETED');
  expect(followed.at(-1)?.event.position).toBe(lastPosition);
  expect(followed.map(({ event }) => event.position)).toEqual(followed.map((_, i) => i + 1));
  await expect(collect(calls.stream(keyPath('none', ':follow')))).rejects.toMatchObject({ status: 404 });
});

test('the events of a task of a long task are the same page by page and as a stream', async () => {
  const { id } = await calls.send('stream 3000 0', { immediately: false });
  const { key, lastPosition = 0 } = await inState(id, 'COMPLETED');
  const paged: TaskLogEvent[] = [];
  while (paged.length < lastPosition) {
    const after = paged.at(-1)?.position ?? 0;
    const { events } = await calls.get<{ events: TaskLogEvent[] }>(
      keyPath(key, `/events?after=${after}&pageSize=1000`),
    );
    paged.push(...events);
  }
  expect(paged.map(({ position }) => position)).toEqual(paged.map((_, i) => i + 1));
  const streamed = await collect(calls.stream<TaskLogEvent>(keyPath(key, ':follow')));
  expect(streamed.map(({ event }) => event)).toEqual(paged);
});
