import { expect, it } from 'vitest';
import type { Message, StreamResponse } from '../../../../src/core/model/a2a.ts';
import { startBridge } from '../../../support/upstreams.ts';
import { chunkOf, startScripted, statusOf, taskOf } from '../scripted-agent.ts';

/** An agent that opens a task, and then ends its stream with an error. */

const failure = { code: -32603, message: 'The oven is cold' };
const refusal = { code: -32008, message: 'Say which extension you need' };

interface Scene {
  readonly error: typeof failure;
  /** State of the task when the agent is asked for it, from the first time on. Default: it does not know the task. */
  readonly state?: string | readonly string[];
  /** Message of that state. */
  readonly said?: Message | undefined;
  /** Events between the task and the error. */
  readonly between?: readonly StreamResponse[];
}

async function stage({ error, state, said, between = [] }: Scene) {
  const agent = await startScripted({
    SendStreamingMessage({ events, errorEvent, end }) {
      events({ task: taskOf('SUBMITTED') }, ...between);
      errorEvent(error.code, error.message);
      end();
    },
    GetTask(call) {
      if (state === undefined) {
        call.error(-32001, 'Task not found');
        return;
      }
      const task = taskOf([state].flat()[call.before] ?? [state].flat().at(-1) ?? '');
      call.result({ ...task, status: { ...task.status, ...(said && { message: said }) } });
    },
  });
  const bridge = await startBridge({ up: { url: agent.url } });
  return { agent, bridge, client: await bridge.client('up') };
}

const goes = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] } };
const textOf = (message: Message | undefined): string => message?.parts.map(({ text }) => text).join() ?? '';
const wordsOfAgent = statusOf('FAILED', 'I cannot do that').statusUpdate?.status.message;

it('a task that has failed with an error in its stream has the text of the error where the agent keeps no message', async () => {
  const { client } = await stage({ error: failure, state: 'FAILED' });
  const { task } = await client.send('go');
  expect(task?.status.state).toBe('TASK_STATE_FAILED');
  expect(textOf(task?.status.message)).toContain(failure.message);
  const { status } = await client.getTask({ id: task?.id ?? '' });
  expect(textOf(status.message)).toContain(failure.message);
});

it('a task that has failed with an error in its stream has the message of the agent where there is one', async () => {
  const { client } = await stage({ error: refusal, state: 'FAILED', said: wordsOfAgent });
  const { task } = await client.send('go');
  expect(textOf(task?.status.message)).toBe('I cannot do that');
});

it('a task that has failed with an error in its stream is completed without it where the agent went on all the same', async () => {
  const { client } = await stage({ error: refusal, state: 'COMPLETED' });
  const { task } = await client.send('go');
  expect([task?.status.state, task?.status.message]).toEqual(['TASK_STATE_COMPLETED', undefined]);
});

it.each([
  ['does not know the task', undefined],
  ['still has the task as submitted', 'SUBMITTED'],
  ['has the task as failed, without a word', 'FAILED'],
])(
  'a message that the agent refuses after it has opened a task is refused to a caller that waits, with the code of the agent, where the agent %s',
  async (_, state) => {
    const { client } = await stage({ error: refusal, ...(state !== undefined && { state }) });
    await expect(client.send('go')).rejects.toMatchObject({
      kind: 'extensionSupportRequired',
      message: refusal.message,
    });
    expect((await client.listTasks({})).tasks).toEqual([]);
  },
);

it.each([
  [-32602, 'invalidParams'],
  [-32600, 'invalidAgentResponse'],
  [-32003, 'pushNotificationNotSupported'],
  [-32004, 'unsupportedOperation'],
  [-32005, 'contentTypeNotSupported'],
  [-32009, 'invalidAgentResponse'],
])(
  'a message that the agent refuses after it has opened a task is refused with what %i means to the caller',
  async (code, kind) => {
    const { client } = await stage({ error: { code, message: 'no' } });
    await expect(client.send('go')).rejects.toMatchObject({ kind });
  },
);

it('a message that the agent refuses after it has opened a task is refused in the words of each dialect', async () => {
  const { bridge } = await stage({ error: refusal });
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${bridge.origin}/up${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const { error } = (await response.json()) as { error?: { code: number; status?: string } };
    return error?.status ?? error?.code;
  };
  const message = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'go' }], kind: 'message' };
  const call = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });
  const blocking = { message, configuration: { blocking: true } };
  const text = { role: 'user', parts: [{ type: 'text', text: 'go' }] };
  expect({
    '1.0 JSON-RPC': await post('/as/a2a-1.0', call('SendMessage', goes)),
    '1.0 HTTP+JSON': await post('/as/a2a-1.0/message:send', goes),
    '0.3': await post('/as/a2a-0.3', call('message/send', blocking)),
    '0.2': await post('/as/a2a-0.2', call('message/send', blocking)),
    '0.1': await post('/as/a2a-0.1', call('tasks/send', { id: 'theirs', message: text })),
  }).toMatchInlineSnapshot(`
      {
        "0.1": -32603,
        "0.2": -32603,
        "0.3": -32008,
        "1.0 HTTP+JSON": "FAILED_PRECONDITION",
        "1.0 JSON-RPC": -32008,
      }
    `);
});

it('a message that the agent refuses after it has opened a task is refused alike when it is repeated under its idempotency key', async () => {
  const { agent, client } = await stage({ error: refusal });
  const send = (): Promise<unknown> => client.call('SendMessage', goes, { idempotencyKey: 'once' });
  await expect(send()).rejects.toMatchObject({ kind: 'extensionSupportRequired' });
  await expect(send()).rejects.toMatchObject({ kind: 'extensionSupportRequired' });
  expect(agent.calls.filter((name) => name === 'SendStreamingMessage')).toHaveLength(1);
});

it('a message that the agent refuses after it has opened a task leaves a failed task to a caller that has seen it', async () => {
  const { client } = await stage({ error: refusal });
  const seen: StreamResponse[] = [];
  for await (const { event } of client.events('SendStreamingMessage', goes)) seen.push(event);
  expect(seen.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status?.state)).toEqual([
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_FAILED',
  ]);
  expect(textOf(seen.at(-1)?.statusUpdate?.status?.message)).toContain(refusal.message);
});

it('a message that the agent refuses after it has opened a task is followed where the agent only refuses the stream, and works on', async () => {
  const { client } = await stage({
    error: { code: -32004, message: 'no streams' },
    state: ['SUBMITTED', 'COMPLETED'],
  });
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

it('a message that the agent refuses after it has opened a task is followed where the agent does not say at once what has come of it', async () => {
  const agent = await startScripted({
    SendStreamingMessage({ events, errorEvent, end }) {
      events({ task: taskOf('SUBMITTED') });
      errorEvent(refusal.code, refusal.message);
      end();
    },
    GetTask({ before, result, res }) {
      if (before === 0) res.writeHead(503).end();
      else result(taskOf('COMPLETED'));
    },
  });
  const client = await (await startBridge({ up: { url: agent.url } })).client('up');
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

it('a message that the agent refuses after it has opened a task leaves a failed task where the agent has done something', async () => {
  const { client } = await stage({ error: refusal, between: [chunkOf('half a cake')] });
  const { task } = await client.send('go');
  expect(task?.status.state).toBe('TASK_STATE_FAILED');
  expect(task?.artifacts?.[0]?.parts).toEqual([{ text: 'half a cake' }]);
});
