import { beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { askedClient, eras } from './asking-clients.ts';
import { taskClient } from './task-client.ts';

/** Calls of MCP clients that wait until people agree. */

const keys = { alice: newKey(), ada: newKey() };
const headers = { 'x-api-key': keys.alice.key };

let gateway: Opened;
let ada: ReturnType<typeof callsOf>;
let alice: ReturnType<typeof callsOf>;

beforeAll(async () => {
  gateway = await openGateway(
    JSON.stringify({
      listen: { host: 'localhost', port: 0 },
      store: 'memory:',
      agents: { demo: { kind: 'reference' } },
      auth: {
        apiKeys: [
          { name: 'alice', hash: keys.alice.hash, scopes: ['tasks', 'questions'] },
          { name: 'ada', hash: keys.ada.hash, scopes: ['questions'] },
        ],
      },
      policies: [{ name: 'spend', ask: { of: ['ada', 'alice'] }, reason: 'It costs money.' }],
    }),
  );
  ada = callsOf(gateway.url, { 'x-api-key': keys.ada.key });
  alice = callsOf(`${gateway.url}/demo`, headers);
});

const decide = (id: string, text: string) => ada.post(`/admin/v1/questions/${id}:answer`, { parts: [{ text }] });
const stateOf = async (id: string): Promise<string> =>
  (await alice.get<{ status: { state: string } }>(`/tasks/${id}`)).status.state;
const who = 'The agent gets this call when 1 of ada, alice agrees (policy spend). It costs money.';
const accepted = { action: 'accept', content: { decision: 'approve', answer: 'approve' } } as const;

describe('a client with tasks', () => {
  const client = () => taskClient(`${gateway.url}/demo/mcp`, { headers });

  it('gets a task that works, says who must agree, and has the result when they do', async () => {
    const { call, get, after } = client();
    const created = await call('send_message', { message: 'stream 2 0' });
    expect(created).toMatchObject({ resultType: 'task', status: 'working', statusMessage: who });
    expect(created).not.toHaveProperty('inputRequests');
    expect(await get(created.taskId)).toMatchObject({ status: 'working', statusMessage: who });
    await decide(created.taskId, 'approve');
    const ended = await after(created.taskId);
    expect(ended).toMatchObject({ status: 'completed', result: { structuredContent: { state: 'completed' } } });
  });

  it('does not agree to its own call by what it sends', async () => {
    const { call, update, get, cancel } = client();
    const { taskId } = await call('send_message', { message: 'stream 2 0' });
    const { status } = await alice.get<{ status: { message: { messageId: string } } }>(`/tasks/${taskId}`);
    for (const mark of [status.message.messageId, 'undefined']) {
      for (const name of ['answer', 'decision', 'url']) await update(taskId, { [`${name}-${mark}`]: accepted });
    }
    const sent = await call('send_message', { message: 'approve', task_id: taskId });
    expect(sent).toMatchObject({ isError: true });
    expect(await get(taskId)).toMatchObject({ status: 'working', statusMessage: who });
    expect(await stateOf(taskId)).toBe('TASK_STATE_AUTH_REQUIRED');
    await cancel(taskId);
    expect(await stateOf(taskId)).toBe('TASK_STATE_CANCELED');
  });

  it('learns that a call was denied, and by whom', async () => {
    const { call, after } = client();
    const { taskId } = await call('send_message', { message: 'stream 2 0' });
    await decide(taskId, 'deny');
    expect(await after(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, content: [{ text: 'key:ada has denied the call' }, {}] },
    });
  });
});

describe.each(eras)('a client of MCP %s without tasks', (era) => {
  it('gets a result that says who must agree and where to look, and is not asked', async () => {
    const { call, asked } = await askedClient(era, `${gateway.url}/demo/mcp`, () => accepted, { headers });
    const { text, structured, result } = await call('send_message', { message: 'stream 2 0' });
    const id = String(structured.task_id);
    expect(structured).toMatchObject({ state: 'auth-required', text: who });
    expect(text).toContain(who);
    expect(text).toContain(`no tool can approve it. To see the outcome, call get_task with task_id "${id}" later.`);
    expect(result.isError).not.toBe(true);
    expect((await call('get_task', { task_id: id, wait_seconds: 5 })).structured).toMatchObject({
      state: 'auth-required',
    });
    expect(asked).toEqual([]);
    await decide(id, 'approve');
    expect((await alice.endOf(id)).state).toBe('TASK_STATE_COMPLETED');
    expect((await call('get_task', { task_id: id })).structured).toMatchObject({ state: 'completed' });
  });
});
