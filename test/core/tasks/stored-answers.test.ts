import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from '../../support/folders.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';

/** Idempotency keys as earlier versions stored them, and as newer ones may. */

let folder: string;
let gateway: Opened;
let database: DatabaseSync;
beforeAll(async () => {
  folder = newFolder();
  const path = join(folder, 'gateway.db');
  gateway = await openGateway(`store: sqlite:${path}\nagents: { demo: { kind: reference } }`);
  database = new DatabaseSync(path, { timeout: paced(10_000) });
});
afterAll(() => database.close());

type Answer = { readonly result?: Record<string, unknown>; readonly error?: { code: number; message: string } };

async function send(key: string, text: string, taskId?: string): Promise<Answer> {
  const message = { messageId: `m-${key}`, role: 'ROLE_USER', parts: [{ text }], ...(taskId && { taskId }) };
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  return (await response.json()) as Answer;
}

/** Changes the stored row of a key. */
const store = (key: string, changes: Record<string, string | number | null>): void => {
  const columns = Object.keys(changes).map((name) => `${name} = ?`);
  database.prepare(`update idempotency set ${columns.join(', ')} where key = ?`).run(...Object.values(changes), key);
};

it('a repeated send gets the task that an earlier version stored as its answer', async () => {
  const first = await send('task', 'hello');
  store('task', { answer: JSON.stringify({ value: first.result }), nonce: null });
  expect(await send('task', 'hello')).toEqual(first);
});

it('a repeated send gets the direct message that an earlier version stored as its answer', async () => {
  const first = await send('message', 'say hello');
  const { answer } = database.prepare('select answer from idempotency where key = ?').get('message') as never;
  expect(JSON.parse(answer)).toEqual({ form: 2, value: first.result });
  store('message', { answer: JSON.stringify({ value: first.result }), nonce: null });
  expect(await send('message', 'say hello')).toEqual(first);
});

it('a repeated send finds its message where an earlier version noted a position before it', async () => {
  const question = (await send('ask', 'ask')).result?.task as { id: string };
  const first = await send('answer', 'Ada', question.id);
  store('answer', { nonce: null, task_seq: 1 });
  expect(await send('answer', 'Ada', question.id)).toEqual(first);
});

it('a key whose earlier replica stopped before it stored a task is refused with what that means', async () => {
  await send('lost', 'say lost');
  store('lost', { answer: null, nonce: null, task_key: null, task_seq: null, owner: 'gone' });
  expect((await send('lost', 'say lost')).error?.message).toMatch(/stopped before it stored what came of it/);
});

it('the answer that a newer version stored is refused with both forms', async () => {
  await send('newer', 'say hello');
  store('newer', { answer: JSON.stringify({ form: 3, value: {} }) });
  expect((await send('newer', 'say hello')).error?.message).toMatch(/stored in form 3,.* reads up to form 2: upgrade/);
});
