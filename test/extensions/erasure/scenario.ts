import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import type { ResponseOf } from '../../../src/gen/admin-v1/operations.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { startReceiver } from '../../push/receiver.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';

/** A caller who leaves something everywhere, and another one who has to do with it. */

export const keys = { alice: newKey(), bob: newKey(), operator: newKey() };
export type Name = keyof typeof keys;

/** The id of the caller who is erased, and a word that stands in all that the caller says. */
export const principal = 'key:alice';
export const marker = 'quincemarmalade';

const credential = (name: Name) => ({ 'x-api-key': keys[name].key });
export const asOperator = credential('operator');

export const configOf = (upstream: string, more = ''): string => `
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${keys.alice.hash}", scopes: [tasks, knowledge, agents, questions] }
    - { name: bob, hash: "${keys.bob.hash}", scopes: [tasks, knowledge] }
    - { name: operator, hash: "${keys.operator.hash}", scopes: [admin, questions] }
limits: { requestsPerMinute: 100000, root: { calls: 1000, bytes: 100MB } }
registration: { allow: true, approve: never }
fullText: true
defaultAgent: demo
agents:
  demo: { kind: reference, knowledge: {} }
  up: { kind: upstream, url: "${upstream}", dialect: a2a-1.0, transport: jsonrpc }
${more}`;

export const startUpstream = () => openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo');

type Json = Record<string, unknown>;

/** Calls of a caller, over HTTP+JSON. */
export function callerAt(url: string, name: Name) {
  const calls = callsOf(url, credential(name));
  return {
    ...calls,
    /** Sends a text with the word in it. Resolves with the task. */
    async task(text: string, message: Json = {}, more: Json = {}, headers: Record<string, string> = {}) {
      const { agent = '', ...configuration } = more as { agent?: string } & Json;
      const response = await calls.request(`${agent && `/${agent}`}/message:send`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          message: {
            messageId: crypto.randomUUID(),
            role: 'ROLE_USER',
            parts: [{ text }],
            metadata: { word: marker },
            ...message,
          },
          configuration: { returnImmediately: true, ...configuration },
        }),
      });
      const answer = (await response.json()) as { task?: { id: string; contextId: string } };
      return answer.task ?? expect.fail(`no task: ${JSON.stringify(answer)}`);
    },
  };
}

/** The tasks that a caller has left, by what they are. */
export interface Left {
  readonly done: string;
  readonly context: string;
  readonly running: string;
  readonly waiting: string;
  readonly elsewhere: string;
  readonly chosen: string;
  /** Another caller's tasks: one refers to the first task, one is in the same conversation, one has nothing to do with it. */
  readonly others: { readonly referring: string; readonly beside: string; readonly apart: string };
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
}

/** Has both callers leave their things. @param urls of two replicas, or of one twice */
export async function leaveAll([one, two]: readonly [string, string]): Promise<Left> {
  const receiver = await startReceiver();
  const alice = [callerAt(one, 'alice'), callerAt(two, 'alice')] as const;
  const bob = callerAt(two, 'bob');
  await askAdmin(one, 'Record', { principal, calls: 100 }, asOperator);
  const webhook = { taskPushNotificationConfig: { url: receiver.url, token: marker } };
  const done = await alice[0].task(`hello ${marker}`, {}, { returnImmediately: false }, { 'idempotency-key': 'a key' });
  const running = await alice[1].task('wait', {}, webhook);
  const waiting = await alice[0].task('ask', {}, webhook);
  const elsewhere = await alice[1].task('wait', {}, { agent: 'up' });
  const chosen = await leaveChosen(two);
  await alice[0].post('/knowledge:update', {
    mutations: [
      { op: 'add', statement: { subject: { id: 'urn:a' }, predicate: { id: 'urn:b' }, object: { value: 'c' } } },
    ],
  });
  await askAdmin(
    one,
    'RegisterAgent',
    { name: 'offered', url: `${one}/demo`, title: 'An agent', skills: ['echo'] },
    credential('alice'),
  );
  const referring = await bob.task('hello', { referenceTaskIds: [done.id], metadata: {} });
  const beside = await bob.task('hello', { contextId: done.contextId, metadata: {} });
  const apart = await bob.task('hello', { metadata: {} });
  await receiver.until((got) => got.length >= 2);
  // Has all replicas store what they have counted.
  await askAdmin(one, 'ListGenerations', {}, asOperator);
  return {
    done: done.id,
    context: done.contextId,
    running: running.id,
    waiting: waiting.id,
    elsewhere: elsewhere.id,
    chosen,
    others: { referring: referring.id, beside: beside.id, apart: apart.id },
    receiver,
  };
}

/** A task with an id of the caller's own, which older dialects allow. */
async function leaveChosen(url: string): Promise<string> {
  const id = `chosen-${marker}`;
  const response = await fetch(`${url}/as/a2a-0.1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential('alice') },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/send',
      params: { id, message: { role: 'user', parts: [{ type: 'text', text: `hello ${marker}` }] } },
    }),
  });
  expect(await response.json()).toHaveProperty('result.id', id);
  return id;
}

export const idsOf = ({ done, running, waiting, elsewhere, chosen }: Left): string[] => [
  done,
  running,
  waiting,
  elsewhere,
  chosen,
];

/** Erases the caller, and asks until that is over. */
export async function erased(
  urls: readonly string[],
  request: { readonly again?: boolean } = {},
): Promise<ResponseOf<'EraseCaller'>> {
  for (let at = 0, again = request.again ?? false; ; at += 1, again = false) {
    const url = urls[at % urls.length] as string;
    const found = await askAdmin(url, 'EraseCaller', { principal, ...(again && { again }) }, asOperator);
    if (found.state === 'done') return found;
  }
}

/** The first task of a gateway that is canceled, now or later: nothing waits until the agent has canceled its part. */
export async function firstCanceledAt(url: string): Promise<TaskSummary> {
  const changes = callsOf(url).stream<TaskSummary>('/admin/v1/tasks:watch?changedAfter=2020-01-01T00:00:00Z');
  for await (const { event } of changes) if (event.state === 'TASK_STATE_CANCELED') return event;
  return expect.fail('the stream has ended');
}

export const countsOf = ({ erased: things = [] }: ResponseOf<'EraseCaller'>): Record<string, number | undefined> =>
  Object.fromEntries(things.map(({ kind, count }) => [kind, count]));

export const staysOf = ({ remaining = [] }: ResponseOf<'EraseCaller'>): Record<string, readonly string[] | undefined> =>
  Object.fromEntries(remaining.map(({ kind, ids }) => [kind, ids]));

/** A row of any table, as text. */
export interface Cell {
  readonly table: string;
  readonly text: string;
}

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : `${value}`;

/** All rows of all tables of a SQLite file. */
export function rowsOfSqlite(path: string): Cell[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table' and sql not like '%virtual%'").all();
    return tables.flatMap(({ name }) => {
      const select = db.prepare(`select * from "${name}"`);
      select.setReadBigInts(true);
      return select.all().map((row) => ({ table: String(name), text: Object.values(row).map(textOf).join(' ') }));
    });
  } finally {
    db.close();
  }
}

/** All rows of all tables of a PostgreSQL database. */
export async function rowsOfPostgres(url: string): Promise<Cell[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    const all: Cell[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from "${name}" as t`);
      all.push(...rows.map(({ text }) => ({ table: name, text })));
    }
    return all;
  } finally {
    await client.end();
  }
}

/** The tables with rows that have any of the texts. */
export const tablesWith = (rows: readonly Cell[], texts: readonly string[]): string[] => [
  ...new Set(rows.filter(({ text }) => texts.some((one) => text.includes(one))).map(({ table }) => table)),
];
