import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LeftOutRow } from '../../src/core/ports/damaged-rows.ts';
import { askAdmin } from '../support/admin.ts';
import { newFolder } from '../support/folders.ts';
import { adminHeaders, type Opened, openGateway } from '../support/gateway.ts';
import { paced } from '../support/pace.ts';
import { query, sharedPostgres } from '../support/postgres.ts';
import { call, configOf, type Json, openUpstream, work } from './formats/work.ts';

/** A row of any table that cannot be read keeps no gateway from starting, and no call from anything but that row. */

/** A damage, the table that is named, and what fails of the exercise below. */
interface Damage {
  readonly title: string;
  readonly sql: string;
  readonly table: string;
  /** Whether PostgreSQL lets a row be like that. */
  readonly anywhere: boolean;
  readonly fails?: readonly string[];
}

const ended = "select key from task where agent = 'demo' and state = 'COMPLETED' and seq > 1 limit 1";
const damages: readonly Damage[] = [
  ['a task in an unknown state', `update task set state = 'LATER' where key in (${ended})`, 'task', true],
  ['a task whose time is a text', `update task set status_at = 'x' where key in (${ended})`, 'task', false],
  [
    'a task whose position is too large',
    `update task set seq = 9223372036854775807 where key in (${ended})`,
    'task',
    true,
  ],
  [
    'an opening event that is no JSON',
    `update task_event set body = 'x' where seq = 1 and key in (${ended})`,
    'task_event',
    true,
  ],
  [
    'a last event of another kind',
    `update task_event set body = '{"later":{}}' where (key, seq) in (select key, seq from task where key in (${ended}))`,
    'task_event',
    true,
  ],
  ['a snapshot of a newer version', 'update task_snapshot set form = 9', 'task', true],
  [
    'an event at no position',
    `update task_event set seq = 'x' where seq = 1 and key in (${ended})`,
    'task_event',
    false,
  ],
  ['a snapshot that breaks off', 'update task_snapshot set body = substr(body, 1, 150)', 'task_snapshot', true],
  ['a snapshot with a key __proto__', `update task_snapshot set body = '{"__proto__":{"a":1}}'`, 'task_snapshot', true],
  ['a snapshot that is a list', "update task_snapshot set body = '[]'", 'task_snapshot', true],
  ['a webhook that is no JSON', "update push_config set body = 'x'", 'push_config', true],
  ['a webhook of a newer version', `update push_config set body = '{"form":9}'`, 'push_config', true],
  [
    'an answer that is no JSON',
    "update idempotency set answer = 'x' where key = 'said'",
    'idempotency',
    true,
    ['repeat'],
  ],
  ['a value of an agent that is no JSON', "update agent_value set body = 'x'", 'agent_value', true],
  ['an unknown mode of an agent', "update agent_mode set mode = 'later'", 'agent_mode', true, ['list /old']],
  ['a mode of no agent', "update agent_mode set agent = x'ff'", 'agent_mode', false],
  ['ids of an upstream task that are no text', "update upstream_task set task_id = x'ff'", 'upstream_task', false],
  ['a secret that is too short', "update meta set value = 'x' where name = 'page-token-secret'", 'meta', true],
  ['a schema that is no number', "update meta set value = 'x' where name = 'schema needs'", 'meta', false],
  [
    'a registration that is no JSON',
    "update registered_agent set body = 'x' where name = 'guest'",
    'registered_agent',
    true,
    ['guest'],
  ],
  [
    'a registration as __proto__',
    "update registered_agent set name = '__proto__' where name = 'guest'",
    'registered_agent',
    true,
    ['guest'],
  ],
  [
    'a registration of a URL that no agent can have',
    `update registered_agent set body = replace(body, '"url":"http', '"url":"gopher') where name = 'guest'`,
    'registered_agent',
    true,
    ['guest'],
  ],
  ['an unknown kind of stop', "update stop set kind = 'later'", 'stop', true],
  ['provenance that is no JSON', "update knowledge_statement set provenance = 'x'", 'knowledge_statement', true],
  ['a term that is no text', "update knowledge_term set key = x'ff' where id < 0", 'knowledge_statement', false],
  ['a change that is no JSON', "update knowledge_change set body = 'x'", 'knowledge_change', true],
  [
    'a step of the schema without a number',
    'update migration set number = 9223372036854775807 where number = 23',
    'migration',
    true,
  ],
].map(([title, sql, table, anywhere, fails]) => ({ title, sql, table, anywhere, fails }) as Damage);

const here = fileURLToPath(new URL('formats/gateway.yaml', import.meta.url));
let upstream: Awaited<ReturnType<typeof openUpstream>>;
let guest: Opened;
let base: string;
beforeAll(async () => {
  upstream = await openUpstream();
  guest = await openGateway('agents: { own: { kind: reference } }');
  base = join(newFolder(), 'base.db');
  await fill(`sqlite:${base}`);
  const database = new DatabaseSync(base);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
});
afterAll(() => upstream.server.close());

const settings = (store: string): string => `${configOf(99, `"${store}"`, upstream.url)}
registration: { allow: true, approve: never }
limits: { requestsPerMinute: unlimited }
`;

const start = (store: string) => openGateway(settings(store), { file: here });

/** Fills a store with rows of every table. */
async function fill(store: string): Promise<void> {
  const gateway = await start(store);
  await work(gateway.url, 99);
  const admin = { url: gateway.url };
  for (const name of ['guest', 'other']) await askAdmin(admin.url, 'RegisterAgent', { name, url: `${guest.url}/own` });
  await askAdmin(admin.url, 'StopCaller', { principal: 'key:bad', reason: 'because' });
  await askAdmin(admin.url, 'SetAgentMode', { name: 'old', mode: 'AGENT_MODE_ENABLED' });
  await gateway.close();
}

const admins = [
  ...[['ListAgents', {}] as const, ['FindTasks', {}] as const, ['ListRegistrations', {}] as const],
  ...[['ListStops', {}] as const, ['ListReplicas', {}] as const, ['ListDeliveries', {}] as const],
  ...[['ListQuestions', {}] as const, ['ListCallers', {}] as const],
];

/** Uses everything that a gateway has. Resolves with what fails. */
async function exercise({ url }: Opened): Promise<string[]> {
  const failed: string[] = [];
  const attempt = async (name: string, use: () => Promise<unknown>): Promise<void> => {
    await use().catch((thrown: Error) => failed.push(`${name}: ${thrown.message}`));
  };
  const rpc = async (path: string, method: string, params: object, headers = {}): Promise<Json> => {
    const [answer] = await call(url, path, { 'a2a-version': '1.0', ...headers }, { method, params });
    if (answer?.error) throw new Error(JSON.stringify(answer.error));
    return answer?.result;
  };
  const message = (text: string, more = {}) => ({
    message: { messageId: `m-${text}`, role: 'ROLE_USER', parts: [{ text }], ...more },
  });
  for (const path of ['/demo', '/old', '/facts', '/counter'])
    await attempt(`list ${path}`, () => rpc(path, 'ListTasks', { includeArtifacts: true, historyLength: 1 }));
  await attempt('send', async () => {
    const { task } = await rpc('/demo', 'SendMessage', message('hello'));
    expect(await rpc('/demo', 'GetTask', { id: task.id, historyLength: 1 })).toMatchObject({ id: task.id });
  });
  await attempt('repeat', () =>
    rpc('/', 'SendMessage', { ...message('say hello', { messageId: 'm-said' }) }, { 'idempotency-key': 'said' }),
  );
  await attempt('webhooks', async () => {
    const { tasks } = await rpc('/demo', 'ListTasks', {});
    for (const { id } of tasks) await rpc('/demo', 'ListTaskPushNotificationConfigs', { taskId: id });
  });
  await attempt('counter', async () => {
    const { tasks } = await rpc('/counter', 'ListTasks', {});
    await rpc('/counter', 'SendMessage', message('count', { taskId: tasks[0].id }));
  });
  for (const name of ['guest', 'other']) await attempt(name, () => rpc(`/${name}`, 'SendMessage', message('hello')));
  const statement = { subject: { id: 'urn:x' }, predicate: { id: 'urn:b' }, object: { value: 'd' } };
  await attempt('update', () => rpc('/facts', 'knowledge/update', { mutations: [{ op: 'add', statement }] }));
  await attempt('query', async () => {
    const found = await rpc('/facts', 'knowledge/query', {
      query: '{ statements { nodes { subject { id } object { value } provenance } } entities { nodes { id } } }',
    });
    expect(JSON.stringify(found)).toContain('urn:x');
  });
  await attempt('changes', () => subscribe(url));
  await attempt('logs', async () => {
    const { tasks = [] } = await askAdmin(url, 'FindTasks', {});
    for (const { key } of tasks) await askAdmin(url, 'ListTaskEvents', { key });
  });
  for (const [operation, request] of admins) await attempt(operation, () => askAdmin(url, operation, request));
  return failed;
}

/** Reads the log of changes from its beginning to its first events. */
async function subscribe(url: string): Promise<void> {
  const params = { subscriptionQuery: 'subscription { statementChanged { op } }' };
  const response = await fetch(`${url}/facts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'last-event-id': '0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/subscribe', params }),
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('data:')) return;
  }
  expect.fail(`no change in ${text}`);
}

/** The rows that a gateway names for its operators. */
async function namedRows({ url }: Opened): Promise<readonly LeftOutRow[]> {
  const response = await fetch(`${url}/readyz`, { headers: adminHeaders(url) });
  const { damagedRows = [] } = (await response.json()) as { damagedRows?: LeftOutRow[] };
  return damagedRows;
}

const namesOf = (failed: readonly string[]): string[] => failed.map((each) => each.slice(0, each.indexOf(':')));

it.each(damages)(
  'a gateway on SQLite leaves out $title, names it, and serves everything else',
  async ({ sql, table, fails = [] }) => {
    const path = join(newFolder(), 'damaged.db');
    copyFileSync(base, path);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const gateway = await start(`sqlite:${path}`);
    const failed = await exercise(gateway);
    expect({ failed, names: namesOf(failed) }).toEqual({ failed, names: fails });
    await expect.poll(async () => (await namedRows(gateway)).map((row) => row.table)).toContain(table);
    await gateway.close();
  },
);

it(
  'on PostgreSQL, a gateway leaves out damaged rows of every table together, and names them',
  async () => {
    const store = await (await sharedPostgres()).database();
    await fill(store);
    const there = damages.filter(({ anywhere, table }) => anywhere && table !== 'migration');
    for (const { sql } of there) await query(store, sql);
    const gateway = await start(store);
    const failed = await exercise(gateway);
    expect(new Set(namesOf(failed))).toEqual(new Set(there.flatMap(({ fails = [] }) => fails)));
    const tables = new Set((await namedRows(gateway)).map(({ table }) => table));
    expect([...tables]).toEqual(
      expect.arrayContaining(['registered_agent', 'stop', 'push_config', 'knowledge_change']),
    );
  },
  paced(120_000),
);
