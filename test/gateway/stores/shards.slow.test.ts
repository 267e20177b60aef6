import { beforeAll, describe, expect, test } from 'vitest';
import type { FindTasksResponse, ListQuestionsResponse, TaskDetails } from '../../../src/gen/admin-v1/types.ts';
import { startReceiver } from '../../push/receiver.ts';
import { counter } from '../../replicas/agents.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { query, sharedPostgres } from '../../support/postgres.ts';
import { startProxy, type TcpProxy } from '../../support/proxy.ts';
import { startReplica } from '../../support/replicas.ts';

/** A gateway with several databases: what is where, and what agents notice of another's. */

type Task = { id: string; status: { state: string } };
type Calls = ReturnType<typeof callsOf>;

const names = ['main', 'lab', 'eu'] as const;
type Urls = Record<(typeof names)[number], string>;

let proxy: TcpProxy;
let proxyOfMain: TcpProxy;

/** Databases of which two are behind proxies. @param away the one that will be away, for which no query waits for long */
async function databases(away?: 'main' | 'lab'): Promise<{ direct: Urls; urls: Urls }> {
  const postgres = await sharedPostgres();
  // One after the other, since they are copies of one template.
  const direct = { main: await postgres.migrated(), lab: await postgres.migrated(), eu: await postgres.migrated() };
  proxy = await startProxy(Number(new URL(direct.lab).port));
  proxyOfMain = await startProxy(Number(new URL(direct.main).port));
  const urls = { ...direct, main: proxyOfMain.via(direct.main), lab: proxy.via(direct.lab) };
  if (away) urls[away] += '?query_timeout=500&connectionTimeoutMillis=400';
  return { direct, urls };
}

const open = async ({ main, lab, eu }: Urls): Promise<Opened> =>
  openGateway(
    `
store: "${main}"
stores: { lab: "${lab}", eu: "${eu}" }
tenants: { acme: { store: eu } }
defaultAgent: demo
outbound: { allow: [127.0.0.1] }
agents:
  demo: { kind: reference }
  trial: { kind: reference, store: lab, knowledge: true }
  asking: { kind: module, path: ./delegating-agent.ts, store: lab }
`,
    { file: new URL('../../support/agents/gateway.yaml', import.meta.url).pathname },
  );

const send = async (
  calls: Calls,
  agent: string,
  text: string,
  { tenant = '', ...more }: Record<string, unknown> = {},
) => {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const params = { ...(tenant !== '' && { tenant }), message, ...more };
  const { result, error } = await calls.post<{ result?: { task: Task }; error?: { message: string } }>(`/${agent}`, {
    ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage', params },
  });
  if (!result) throw new Error(error?.message);
  return result.task;
};

const stateOf = (sent: Promise<Task>): Promise<string> =>
  sent.then(
    ({ status }) => status.state,
    () => 'away',
  );

/** Resolves when an agent completes a task: the time that queries have is short for a busy machine, too. */
const served = (calls: Calls, agent: string): Promise<void> =>
  expect.poll(() => stateOf(send(calls, agent, 'hello'))).toBe('TASK_STATE_COMPLETED');

const ofDatabase = async (url: string): Promise<unknown[]> => {
  const rows = await query(url, 'select agent, tenant from task order by created_at');
  return rows.map(({ agent, tenant }) => (tenant ? `${tenant}/${agent}` : agent));
};

describe('with a database of its own', () => {
  let direct: Urls;
  let calls: Calls;
  const count = async (table: string): Promise<unknown[]> =>
    Promise.all(names.map(async (name) => (await query(direct[name], `select 1 from ${table}`)).length));

  beforeAll(async () => {
    const made = await databases();
    ({ direct } = made);
    calls = callsOf((await open(made.urls)).url);
  });

  test('an agent, or a tenant of any agent, has its tasks there', async () => {
    await send(calls, 'demo', 'hello');
    const { id } = await send(calls, 'trial', 'hello');
    await send(calls, 'demo', 'hello', { tenant: 'acme' });
    await send(calls, 'trial', 'hello', { tenant: 'acme' });
    await send(calls, 'trial', 'hello', { tenant: 'other' });
    expect(await Promise.all(names.map((name) => ofDatabase(direct[name])))).toEqual([
      ['demo'],
      ['trial', 'other/trial'],
      ['acme/demo', 'acme/trial'],
    ]);
    expect((await calls.get<Task>(`/trial/tasks/${id}`)).id).toBe(id);
    expect((await calls.get<{ tasks: Task[] }>('/trial/tasks')).tasks.map((task) => task.id)).toEqual([id]);
  });

  test('a key is known there, and the call is made once', async () => {
    const once = async () => {
      const body = { message: { messageId: 'same', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
      const init = { method: 'POST', headers: { 'idempotency-key': 'once' }, body: JSON.stringify(body) };
      return ((await (await calls.request('/trial/message:send', init)).json()) as { task: Task }).task.id;
    };
    const [first, second] = [await once(), await once()];
    expect(second).toBe(first);
    expect(await count("idempotency where key = 'once'")).toEqual([0, 1, 0]);
  });

  test('push configurations are there, and their events are delivered', async () => {
    const receiver = await startReceiver();
    const configuration = { taskPushNotificationConfig: { url: receiver.url }, returnImmediately: true };
    const { id } = await send(calls, 'trial', 'stream 3 1', { configuration });
    const got = await receiver.until((all) => all.some(({ body }) => JSON.stringify(body).includes('COMPLETED')));
    expect(JSON.stringify(got)).toContain(id);
    expect(await count('push_config')).toEqual([0, 1, 0]);
  });

  test('knowledge is there', async () => {
    const iri = (name: string) => `http://example.com/${name}`;
    const statement = { subject: { id: iri('ada') }, predicate: { id: iri('likes') }, object: { value: 'tea' } };
    const update = { mutations: [{ op: 'add', statement }] };
    const { result } = await calls.post<{ result: { success: boolean } }>('/trial', {
      ...{ jsonrpc: '2.0', id: 1, method: 'knowledge/update', params: update },
    });
    expect(result.success).toBe(true);
    expect(await count('knowledge_statement').catch(() => 'no such table')).toBe('no such table');
    expect(await query(direct.lab, 'select 1 from knowledge_statement')).toHaveLength(1);
  });

  test('an agent calls one of another database, and operators see that it did', async () => {
    await send(calls, 'asking', 'demo fail');
    const { tasks = [] } = await calls.get<FindTasksResponse>('/admin/v1/tasks?agent=asking');
    const parent = tasks[0]?.key ?? '';
    const { tasks: below = [] } = await calls.get<FindTasksResponse>(`/admin/v1/tasks?parents=${parent}`);
    expect(below.map(({ agent, state }) => [agent, state])).toEqual([['demo', 'TASK_STATE_FAILED']]);
    expect((await query(direct.main, 'select parent from task where parent is not null'))[0]?.parent).toBe(parent);
  });

  test('operators find, read, answer and stop the tasks of all', async () => {
    const asked = await send(calls, 'trial', 'ask');
    const waiting = await send(calls, 'demo', 'wait', { tenant: 'acme', configuration: { returnImmediately: true } });
    const { questions = [] } = await calls.get<ListQuestionsResponse>('/admin/v1/questions');
    expect(questions.map(({ task }) => task?.key)).toEqual([asked.id]);
    await calls.post(`/admin/v1/questions/${asked.id}:answer`, { parts: [{ text: 'Ada' }] });
    await expect
      .poll(async () => (await calls.get<TaskDetails>(`/admin/v1/tasks/${asked.id}`)).summary.state)
      .toBe('TASK_STATE_COMPLETED');
    await calls.post(`/admin/v1/tasks/${waiting.id}:stop`, { reason: 'enough' });
    await expect
      .poll(async () => (await calls.get<TaskDetails>(`/admin/v1/tasks/${waiting.id}`)).summary.state)
      .toBe('TASK_STATE_CANCELED');
    const seen = new Map<string, number>();
    const all: string[] = [];
    for (let token = ''; ; ) {
      const page = await calls.get<FindTasksResponse>(`/admin/v1/tasks?pageSize=2&pageToken=${token}`);
      for (const { key = '', agent = '', tenant = '' } of page.tasks ?? []) {
        all.push(key);
        seen.set(`${tenant}/${agent}`, (seen.get(`${tenant}/${agent}`) ?? 0) + 1);
      }
      token = page.nextPageToken ?? '';
      if (token === '') break;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength((await count('task')).reduce<number>((sum, n) => sum + Number(n), 0));
    expect([...seen.keys()].sort()).toEqual(['/asking', '/demo', '/trial', 'acme/demo', 'acme/trial', 'other/trial']);
  });
});

describe('while one database is away and answers nothing', () => {
  test('the agents of the others do not notice, and its own work again when it is back', async () => {
    const { urls } = await databases('lab');
    const { url } = await open(urls);
    const calls = callsOf(url);
    await served(calls, 'trial');
    proxy.mode = 'hole';
    proxy.cut();
    await expect(send(calls, 'trial', 'hello')).rejects.toThrow(/store/i);
    for (let n = 0; n < 5; n += 1) {
      await send(calls, 'demo', 'hello');
      await send(calls, 'trial', 'hello', { tenant: 'acme' });
    }
    const ready = await calls.request('/readyz', { headers: adminHeaders(url) });
    expect(ready.status).toBe(200);
    expect(((await ready.json()) as { stores: object }).stores).toEqual({
      default: 'ok',
      eu: 'ok',
      lab: expect.stringMatching(/store/i),
    });
    const { tasks = [] } = await calls.get<FindTasksResponse>('/admin/v1/tasks?pageSize=50');
    expect(new Set(tasks.map(({ agent, tenant = '' }) => `${tenant}/${agent}`))).toEqual(
      new Set(['/demo', 'acme/trial']),
    );
    proxy.mode = 'pass';
    await served(calls, 'trial');
  });

  test('the agents of further databases go on without the first one', async () => {
    const { urls } = await databases('main');
    const { url } = await open(urls);
    const calls = callsOf(url);
    await served(calls, 'demo');
    proxyOfMain.mode = 'hole';
    proxyOfMain.cut();
    await expect(send(calls, 'demo', 'hello')).rejects.toThrow(/store/i);
    for (let n = 0; n < 5; n += 1) {
      await send(calls, 'trial', 'hello');
      await send(calls, 'demo', 'hello', { tenant: 'acme' });
    }
    expect((await calls.request('/readyz')).status).toBe(200);
    proxyOfMain.mode = 'pass';
    await served(calls, 'demo');
  });

  test('a gateway starts, and serves the agents of that database once it is there', async () => {
    const { urls } = await databases('lab');
    proxy.mode = 'hole';
    const calls = callsOf((await open(urls)).url);
    await send(calls, 'demo', 'hello');
    await expect(send(calls, 'trial', 'hello')).rejects.toThrow('The store lab is unavailable');
    proxy.mode = 'pass';
    await served(calls, 'trial');
  });
});

test('tasks that were left in another database are named at the start', async () => {
  const { direct } = await databases();
  const first = await open(direct);
  await send(callsOf(first.url), 'demo', 'hello');
  await first.close();
  const lines: Record<string, unknown>[] = [];
  const logger = { ...silent, warn: (fields: object) => void lines.push(fields as Record<string, unknown>) };
  const stores = `store: "${direct.lab}"\nstores: { old: "${direct.main}" }\n`;
  await openGateway(`${stores}agents: { demo: { kind: reference } }\n`, { logger });
  await expect.poll(() => lines.find(({ store }) => store === 'old')).toMatchObject({ agent: 'demo' });
});

test('replicas forward calls about tasks of each database, follow them, and take them over', async () => {
  const { direct } = await databases();
  const config = `stores: { eu: "${direct.eu}" }\ntenants: { acme: { store: eu } }\n`;
  const replicaOf = (name: string) => startReplica(direct.main, name, { config, agents: { counter: counter() } });
  const [one, other] = [await replicaOf('one'), await replicaOf('other')];
  const begin = async (text: string): Promise<string> => {
    const configuration = { returnImmediately: true };
    return (await send(callsOf(one.url), 'counter', text, { tenant: 'acme', configuration })).id;
  };
  const stopped = await begin('1000 20');
  const client = await other.client({ via: 'jsonrpc', as: 'a2a-1.0' }, 'counter');
  const canceled = await client.cancelTask({ tenant: 'acme', id: stopped });
  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
  const counted = await begin('100 20');
  const stream = client.subscribeToTask({ tenant: 'acme', id: counted });
  const states: string[] = [];
  let chunks = 0;
  for await (const { statusUpdate, artifactUpdate, task } of stream) {
    if (artifactUpdate) chunks += 1;
    if (chunks === 5) void one.close();
    states.push(statusUpdate?.status.state ?? task?.status.state ?? '');
  }
  expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
  expect(await ofDatabase(direct.eu)).toEqual(['acme/counter', 'acme/counter']);
  expect(await ofDatabase(direct.main)).toEqual([]);
});
