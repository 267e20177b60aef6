import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Config } from '../../../src/config/types.ts';
import { moveTasks } from '../../../src/gateway/stores/move-tasks.ts';
import type { Database } from '../../../src/stores/database.ts';
import type { StoreHost } from '../../../src/stores/extensions.ts';
import { createStore } from '../../../src/stores/index.ts';
import { type Receiver, startReceiver } from '../../push/receiver.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';

/** Agents whose tasks and knowledge are brought to another database, while the gateway runs or not. */

interface Places {
  readonly main: string;
  readonly lab: string;
}

const agents = ['trial', 'remembering', 'far'] as const;

/** @param inLab whether the agents have the store `lab` */
function configOf({ main, lab }: Places, far: string, inLab = false): Config {
  const store = inLab ? ', store: lab' : '';
  return parseConfig(
    `
listen: { host: localhost, port: 0 }
store: "${main}"
stores: { lab: "${lab}" }
tenants: { acme: { store: lab } }
outbound: { allow: [127.0.0.1, localhost] }
agents:
  demo: { kind: reference }
  trial: { kind: reference, knowledge: true${store} }
  remembering: { kind: module, path: ./remembering-agent.ts${store} }
  far: { kind: upstream, url: "${far}"${store} }
`,
    { file: new URL('../../support/agents/gateway.yaml', import.meta.url).pathname, env: {} },
  );
}

const tables =
  /^(?:task|task_event|task_snapshot|push_config|push_dead|upstream_\w+|idempotency|(?:agent|knowledge)_\w+)$/;

/** Everything that a database has of agents, without the numbers that it gives itself and what replicas write. */
async function contentsOf(url: string): Promise<Map<string, string[]>> {
  const store = createStore(url, { instance: 'look', logger: silent });
  await store.open();
  const contents = new Map<string, string[]>();
  await store.extend(async ({ database }: StoreHost) => {
    for (const { name } of await (database as Database).sql.introspection.getTables()) {
      if (!tables.test(name) || name === 'agent_mode') continue;
      const left = /^(?:agent|knowledge)_/.test(name) ? ['id', 'space'] : ['owner', 'followed', 'lease'];
      const rows = (await database.sql
        .selectFrom(name as 'task')
        .selectAll()
        .execute()) as unknown as object[];
      const shown = (row: object) =>
        JSON.stringify(
          Object.entries(row)
            .filter(([column]) => !left.includes(column))
            .sort(),
        );
      contents.set(name, rows.map(shown).sort());
    }
    return { close: async () => undefined };
  });
  await store.close();
  return contents;
}

/** That each row is in one of the databases, and only there. */
async function expectAll(before: Map<string, string[]>, { main, lab }: Places): Promise<Map<string, string[]>> {
  const [left, there] = [await contentsOf(main), await contentsOf(lab)];
  for (const [table, rows] of before) {
    expect([table, [...(left.get(table) ?? []), ...(there.get(table) ?? [])].sort()]).toEqual([table, rows]);
  }
  return left;
}

const deps = { logger: silent, onMoved: () => undefined };
const keyed = { message: { messageId: 'same', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };

type Calls = ReturnType<typeof callsOf>;
type Task = { id: string; contextId: string };

async function send(calls: Calls, agent: string, text: string, more: object = {}): Promise<Task> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
  return (await calls.post<{ task: Task }>(`/${agent}/message:send`, { message })).task;
}

const sendKeyed = async (calls: Calls): Promise<Task> => {
  const init = { method: 'POST', headers: { 'idempotency-key': 'once' }, body: JSON.stringify(keyed) };
  return ((await (await calls.request('/trial/message:send', init)).json()) as { task: Task }).task;
};

/** Work of all agents that are moved, and of one that is not. */
async function work(calls: Calls, receiver: Receiver) {
  const { contextId } = await send(calls, 'remembering', 'one');
  const asked = await send(calls, 'remembering', 'ask', { contextId });
  await calls.post(`/remembering/tasks/${asked.id}/pushNotificationConfigs`, { url: receiver.url });
  const said = await send(calls, 'far', 'hello');
  const first = await sendKeyed(calls);
  const long = await send(calls, 'trial', 'stream 1200 0');
  for (let n = 0; n < 120; n += 1) await send(calls, 'trial', `hello ${n}`);
  await send(calls, 'demo', 'stays');
  for (const name of ['ada', 'eve']) {
    const [subject, predicate] = [{ id: `http://example.com/${name}` }, { id: 'http://example.com/likes' }];
    const params = { mutations: [{ op: 'add', statement: { subject, predicate, object: { value: 'tea' } } }] };
    await calls.post('/trial', { jsonrpc: '2.0', id: 1, method: 'knowledge/update', params });
  }
  return { asked, said, first, long };
}

/** That the agents go on as if they had never been anywhere else. */
async function expectToGoOn(
  calls: Calls,
  receiver: Receiver,
  { asked, said, first, long }: Awaited<ReturnType<typeof work>>,
) {
  expect((await calls.get<{ totalSize: number }>('/trial/tasks?pageSize=5')).totalSize).toBe(122);
  expect(JSON.stringify(await calls.get(`/trial/tasks/${long.id}`))).toContain('chunk 1200');
  expect((await calls.get<Task>(`/far/tasks/${said.id}`)).id).toBe(said.id);
  expect((await sendKeyed(calls)).id).toBe(first.id);
  const { contextId } = await send(calls, 'remembering', 'more', { taskId: asked.id });
  expect(contextId).toBe(asked.contextId);
  expect(JSON.stringify(await calls.get(`/remembering/tasks/${asked.id}`))).toContain('"3"');
  await receiver.until((got) => JSON.stringify(got).includes('COMPLETED'));
  const query = '{ statements(first: 9) { totalCount } }';
  const params = { ...{ jsonrpc: '2.0', id: 1, method: 'knowledge/query' }, params: { query } };
  expect(JSON.stringify(await calls.post('/trial', params))).toContain('"totalCount":2');
}

async function placesOf(from: string, to: string): Promise<Places> {
  const postgres = await sharedPostgres();
  const placeOf = async (kind: string, name: string): Promise<string> =>
    kind === 'sqlite' ? `sqlite:${join(newFolder(), `${name}.db`)}` : postgres.migrated();
  return { main: await placeOf(from, 'main'), lab: await placeOf(to, 'lab') };
}

beforeAll(sharedPostgres);

let far: Opened;
let receiver: Receiver;
beforeEach(async () => {
  far = await openGateway('agents: { echo: { kind: reference } }\n');
  receiver = await startReceiver();
});

describe('from SQLite to PostgreSQL', () => {
  test('agents lose nothing, and go on there', async () => {
    const places = await placesOf('sqlite', 'postgres');
    const gateway = await openGateway(configOf(places, far.url));
    const done = await work(callsOf(gateway.url), receiver);
    await gateway.close();
    const before = await contentsOf(places.main);
    for (const [agent, tasks] of [
      ['trial', 122],
      ['remembering', 2],
      ['far', 1],
    ] as const) {
      const moved = await moveTasks(configOf(places, far.url), { agent, to: 'lab' }, deps);
      expect(moved.get('task')).toBe(tasks);
    }
    expect((await expectAll(before, places)).get('task')).toHaveLength(1);
    const next = await openGateway(configOf(places, far.url, true));
    await expectToGoOn(callsOf(next.url), receiver, done);
  });
});

test('agents of a gateway that runs are moved while they are disabled, and the others go on', async () => {
  const places = await placesOf('postgres', 'postgres');
  const { gateway, url } = await openGateway(configOf(places, far.url));
  const calls = callsOf(url);
  const done = await work(calls, receiver);
  const move = async (agent: string) => moveTasks(configOf(places, far.url), { agent, to: 'lab' }, deps);
  const setMode = async (agent: string, mode: string) => calls.post(`/admin/v1/agents/${agent}:setMode`, { mode });
  await expect(move('trial')).rejects.toThrow('disable the agent first');
  await expect(moveTasks(configOf(places, far.url), { tenant: 'acme', to: 'default' }, deps)).rejects.toThrow(
    'stop the gateway',
  );
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] };
  const waiting = { message, configuration: { returnImmediately: true } };
  const { task } = await calls.post<{ task: Task }>('/far/message:send', waiting);
  for (const agent of agents) await setMode(agent, 'AGENT_MODE_DISABLED');
  await expect(move('far')).rejects.toThrow(`the task ${task.id} is being worked on`);
  await calls.post(`/admin/v1/tasks/${task.id}:stop`, { reason: 'to move it' });
  for (const agent of agents) await move(agent);
  await send(calls, 'demo', 'hello');
  await gateway.reload(configOf(places, far.url, true));
  for (const agent of agents) await setMode(agent, 'AGENT_MODE_ENABLED');
  await expectToGoOn(calls, receiver, done);
});

test('a move that was cut off is done again', async () => {
  const places = await placesOf('postgres', 'postgres');
  const { gateway, url } = await openGateway(configOf(places, far.url));
  const calls = callsOf(url);
  await work(calls, receiver);
  await gateway.close();
  const before = await contentsOf(places.main);
  const proxy = await startProxy(Number(new URL(places.lab).port));
  const cutOff: Places = { ...places, lab: proxy.via(places.lab) };
  for (const cut of [2, 5, 8]) {
    let sent = 0;
    proxy.onSent = (data) => {
      if (data.includes('insert into')) sent += 1;
      return sent < cut ? 'pass' : 'cut';
    };
    await expect(moveTasks(configOf(cutOff, far.url), { agent: 'trial', to: 'lab' }, deps)).rejects.toThrow();
  }
  await moveTasks(configOf(places, far.url), { agent: 'trial', to: 'lab' }, deps);
  expect((await expectAll(before, places)).get('task')).toHaveLength(4);
});
