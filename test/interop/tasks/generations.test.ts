import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BindingName, type Client, connect, type StreamResponse, type Task } from '../../../src/client/index.ts';
import { startReceiver } from '../../push/receiver.ts';
import { userMessage } from '../../support/core.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** A2A 1.1 as its clients see it: generations, messages that expect one, and GetTask that waits for the next. */

let gateway: Running;
beforeAll(async () => {
  const outbound = 'outbound: { allow: [127.0.0.1] }';
  gateway = await startGateway({ settings: `preview: [a2a-1.1]\nlimits: { answer: 1s }\n${outbound}\n` });
});
afterAll(() => gateway?.close());

const taskOf = ({ task }: { task?: Task }): Task => task ?? expect.fail('no task');
const generationsOf = (events: readonly StreamResponse[]) =>
  events.map(({ task, statusUpdate, artifactUpdate }) => (task ?? statusUpdate ?? artifactUpdate)?.generation);

async function collect(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe.each<BindingName>(['jsonrpc', 'rest', 'grpc', 'connect'])('A2A 1.1 over %s', (via) => {
  async function open(as: 'a2a-1.0' | 'a2a-1.1' = 'a2a-1.1'): Promise<Client> {
    const client = await connect(gateway.origin, { as, via });
    afterTest(() => client.close());
    return client;
  }

  test('every task and event has its generation', async () => {
    const client = await open();
    const events = await collect(client.sendStream('stream 3 0'));
    expect(generationsOf(events)).toEqual(events.map((_, i) => String(i + 1)));
    const id = events[0]?.task?.id ?? '';
    const last = String(events.length);
    expect((await client.getTask({ id })).generation).toBe(last);
    const { tasks } = await client.listTasks({ pageSize: 1 });
    expect(tasks.map((task) => [task.id, task.generation])).toEqual([[id, last]]);
    expect(taskOf(await client.send('hello')).generation).toMatch(/^\d+$/);
    const older = await open('a2a-1.0');
    expect(await older.getTask({ id })).not.toHaveProperty('generation');
  });

  test('a message with another generation is refused with the facts', async () => {
    const client = await open();
    const { id, generation } = taskOf(await client.send('ask'));
    const send = (ifGenerationMatch: string) =>
      client.sendMessage({ message: userMessage('Ada', { taskId: id }), configuration: { ifGenerationMatch } });
    await expect(send('1')).rejects.toMatchObject({
      kind: 'taskGenerationMismatch',
      metadata: { taskId: id, expectedGeneration: '1', currentGeneration: generation },
    });
    await expect(send('-1')).rejects.toMatchObject({
      kind: 'invalidParams',
      violations: [{ field: 'configuration.ifGenerationMatch' }],
    });
    const done = taskOf(await send(generation ?? ''));
    expect(done.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  });

  test('GetTask waits for the next generation, and at most for the limit', async () => {
    const client = await open();
    const { id, generation = '' } = taskOf(await client.send('slow 200', { returnImmediately: true }));
    const seen = [generation];
    for (let task = await client.getTask({ id }); ; ) {
      if (task.status.state === 'TASK_STATE_COMPLETED') break;
      task = await client.getTask({ id, currentGeneration: task.generation ?? '' });
      seen.push(task.generation ?? '');
    }
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.map(Number)).toEqual(seen.map(Number).toSorted((a, b) => a - b));
    const asked = taskOf(await client.send('ask'));
    const began = performance.now();
    const late = await client.getTask({ id: asked.id, currentGeneration: asked.generation ?? '' });
    expect(late.generation).toBe(asked.generation);
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});

test('webhooks of callers of A2A 1.1 are told the generations', async () => {
  const receiver = await startReceiver();
  afterTest(() => receiver.close());
  const client = await connect(gateway.origin, { as: 'a2a-1.1', via: 'jsonrpc' });
  afterTest(() => client.close());
  const taskPushNotificationConfig = { url: receiver.url };
  const configuration = { taskPushNotificationConfig };
  const task = taskOf(await client.sendMessage({ message: userMessage('stream 2 0'), configuration }));
  const got = await receiver.until((all) => String(all.length) === task.generation);
  expect(generationsOf(got.map(({ body }) => body))).toEqual(got.map((_, i) => String(i + 1)));
});

test.each(['-1', 'soon', '9223372036854775808'])('GetTask refuses ?currentGeneration=%s', async (wrong) => {
  const headers = { 'a2a-version': '1.1' };
  const response = await fetch(`${gateway.origin}/tasks/unknown?currentGeneration=${wrong}`, { headers });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('currentGeneration')]);
});

describe('the error of another generation', () => {
  async function refused(path: string, body: (message: object) => object) {
    const client = await connect(gateway.origin, { as: 'a2a-1.1', via: 'jsonrpc' });
    afterTest(() => client.close());
    const { id } = taskOf(await client.send('ask'));
    const message = userMessage('Ada', { taskId: id });
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.1' };
    const request = body({ message, configuration: { ifGenerationMatch: 1 } });
    const response = await fetch(gateway.origin + path, { method: 'POST', headers, body: JSON.stringify(request) });
    const metadata = { taskId: id, expectedGeneration: '1', currentGeneration: '2' };
    const domain = 'a2a-protocol.org';
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_GENERATION_MISMATCH' };
    return {
      status: response.status,
      json: (await response.json()) as { error?: object },
      info: { ...info, domain, metadata },
    };
  }

  test('is -32010 over JSON-RPC', async () => {
    const { json, info } = await refused('/', (params) => ({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }));
    expect(json).toMatchObject({ id: 1, error: { code: -32010, data: [info] } });
  });

  test('is 409 and ABORTED over HTTP+JSON', async () => {
    const { status, json, info } = await refused('/message:send', (request) => request);
    expect([status, json.error]).toMatchObject([409, { code: 409, status: 'ABORTED', details: [info] }]);
  });
});
