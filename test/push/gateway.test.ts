import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config/index.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { openGateway } from '../support/gateway.ts';
import { type Notification, type Receiver, startReceiver } from './receiver.ts';

async function start(): Promise<{ gateway: Gateway; url: string; receiver: Receiver }> {
  const receiver = await startReceiver();
  const { gateway, url } = await openGateway(defaultConfig({ port: 0, store: 'memory:' }));
  return { gateway, url, receiver };
}

// biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  const all = { 'content-type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
  return response.json();
}

const v1 = { 'a2a-version': '1.0' };
const rpc = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });
const message = (text: string): object => ({ messageId: 'm', role: 'ROLE_USER', parts: [{ text }] });
const states = (got: readonly Notification[]): unknown[] =>
  got.map(({ body }) => (body.statusUpdate ?? body.task ?? body).status?.state);

it('webhooks of A2A 1.0 get every event from the turn’s first on, in order, with what shows whose they are', async () => {
  const { url, receiver } = await start();
  const authentication = { scheme: 'Bearer', credentials: 'secret' };
  const taskPushNotificationConfig = { url: `${receiver.url}/hook?x=1`, token: 'mine', authentication };
  const { task } = await post(
    `${url}/message:send`,
    { message: message('hello'), configuration: { taskPushNotificationConfig } },
    v1,
  );
  const got = await receiver.until((all) => all.length === 4);
  expect(got[0]?.body.task).toMatchObject({ id: task.id, contextId: task.contextId });
  expect(states(got)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', undefined, 'TASK_STATE_COMPLETED']);
  expect(got[2]?.body.artifactUpdate.artifact.parts).toEqual([{ text: 'hello' }]);
  for (const { headers, path } of got) {
    expect(path).toBe('/hook?x=1');
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer secret',
      'x-a2a-notification-token': 'mine',
      'a2a-version': '1.0',
      'a2a-hops': '1',
    });
  }
});

it('webhooks of A2A 1.0 that are registered later get what comes later', async () => {
  const { url, receiver } = await start();
  const { task } = await post(`${url}/message:send`, { message: message('ask') }, v1);
  await post(`${url}/tasks/${task.id}/pushNotificationConfigs`, { id: 'p', url: receiver.url }, v1);
  await post(`${url}/message:send`, { message: { ...message('Ada'), taskId: task.id } }, v1);
  const got = await receiver.until((all) => states(all).includes('TASK_STATE_COMPLETED'));
  expect(got[0]?.body.task).toBeUndefined();
  expect(JSON.stringify(got)).not.toContain('What is your name?');
});

it('webhooks of A2A 1.0 of two configurations with one task get the same', async () => {
  const { url, receiver } = await start();
  const { task } = await post(`${url}/message:send`, { message: message('ask') }, v1);
  for (const id of ['a', 'b']) {
    await post(`${url}/tasks/${task.id}/pushNotificationConfigs`, { id, url: `${receiver.url}/${id}` }, v1);
  }
  await post(`${url}/message:send`, { message: { ...message('Ada'), taskId: task.id } }, v1);
  const done = (all: readonly Notification[]): boolean =>
    states(all).filter((state) => state === 'TASK_STATE_COMPLETED').length === 2;
  const got = await receiver.until(done);
  const of = (path: string): unknown[] => got.filter((each) => each.path === path).map(({ body }) => body);
  expect(of('/a')).toEqual(of('/b'));
});

it('webhooks of A2A 1.0 get nothing more once they are deleted', async () => {
  const { url, receiver } = await start();
  const { task } = await post(`${url}/message:send`, { message: message('ask') }, v1);
  const configs = `${url}/tasks/${task.id}/pushNotificationConfigs`;
  for (const id of ['a', 'b']) await post(configs, { id, url: `${receiver.url}/${id}` }, v1);
  await fetch(`${configs}/a`, { method: 'DELETE', headers: v1 });
  await post(`${url}/message:send`, { message: { ...message('Ada'), taskId: task.id } }, v1);
  const got = await receiver.until((all) => states(all).includes('TASK_STATE_COMPLETED'));
  expect(new Set(got.map(({ path }) => path))).toEqual(new Set(['/b']));
});

it('webhooks of A2A 1.0 that the guard refuses are refused, in the words of the caller’s dialect', async () => {
  const { url } = await start();
  const push = { url: 'http://169.254.169.254/latest/meta-data' };
  const configuration = { taskPushNotificationConfig: push };
  const { error } = await post(`${url}/message:send`, { message: message('hello'), configuration }, v1);
  expect(error.code).toBe(400);
  expect(JSON.stringify(error.details)).toContain('"field":"configuration.taskPushNotificationConfig.url"');
  expect(JSON.stringify(error)).not.toContain('meta-data');
});

describe('webhooks of older dialects', () => {
  it.each([
    ['a2a-0.3', 'message/send', 'message', { configuration: { blocking: true } }],
    ['a2a-0.2', 'message/send', 'message', { configuration: { blocking: true, acceptedOutputModes: [] } }],
    ['a2a-php-0.3', 'message/send', 'message', { configuration: { blocking: true } }],
  ])('a webhook of %s gets its task after each change of its state', async (dialect, method, kind, more) => {
    const { url, receiver } = await start();
    const authentication = { schemes: ['Bearer', 'Basic'], credentials: 'secret' };
    const pushNotificationConfig = { url: receiver.url, token: 'mine', authentication };
    const said = { kind, messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
    const configuration = { ...more.configuration, pushNotificationConfig };
    const { result } = await post(`${url}/as/${dialect}`, rpc(method, { message: said, configuration }));
    const got = await receiver.until((all) => states(all).includes('completed'));
    expect(states(got)).toEqual(['submitted', 'working', 'completed']);
    const last = got.at(-1);
    expect(last?.body).toEqual(result);
    expect(last?.body.kind).toBe('task');
    expect(last?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer secret',
      'x-a2a-notification-token': 'mine',
    });
    expect(last?.headers['a2a-version']).toBeUndefined();
  });

  it('a webhook of a2a-0.1 gets its task', async () => {
    const { url, receiver } = await start();
    const said = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };
    const params = { id: 'task-1', message: said, pushNotification: { url: receiver.url, token: 'mine' } };
    const { result } = await post(`${url}/as/a2a-0.1`, rpc('tasks/send', params));
    const got = await receiver.until((all) => states(all).includes('completed'));
    expect(got.at(-1)?.body).toMatchObject({ id: 'task-1', artifacts: result.artifacts, status: result.status });
  });

  const vaultTexts: readonly (readonly [string, readonly string[]])[] = [
    ['hello', ['task_status SUBMITTED', 'task_status WORKING', 'task_artifact echo: hello', 'task_status COMPLETED']],
    ['fail', ['task_status SUBMITTED', 'task_message Failed, as asked.', 'task_status FAILED']],
    [
      'stream 3 0',
      [
        'task_status SUBMITTED',
        'task_status WORKING',
        'task_artifact stream: chunk 1',
        'task_artifact stream: chunk 1chunk 2chunk 3',
        'task_status COMPLETED',
      ],
    ],
  ];
  it.each(vaultTexts)('a webhook of agentvault-0.2 gets the events of a subscription: %s', async (text, expected) => {
    const { url, receiver } = await start();
    const said = { role: 'user', parts: [{ type: 'text', content: text }] };
    const params = { message: said, webhookUrl: receiver.url };
    const { result } = await post(`${url}/as/agentvault-0.2/`, rpc('tasks/send', params));
    const got = await receiver.until((all) => all.some(({ body }) => /COMPLETED|FAILED/.test(body.state)));
    const delivered = got.map(({ body: { event, state, message: words, artifact } }) => {
      const what = artifact ? `${artifact.type}: ${artifact.content}` : words?.parts?.[0].content;
      return `${event} ${what ?? state}`;
    });
    expect(delivered).toEqual(expected);
    for (const { body, headers } of got) {
      expect(body.taskId).toBe(result.id);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['a2a-version']).toBeUndefined();
    }
  });

  it('webhooks of older dialects do not get each chunk of a stream, but the whole artifact', async () => {
    const { url, receiver } = await start();
    const said = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'stream 300 1' }] };
    const configuration = { blocking: true, pushNotificationConfig: { url: receiver.url } };
    const { result } = await post(`${url}/as/a2a-0.3`, rpc('message/send', { message: said, configuration }));
    const got = await receiver.until((all) => states(all).includes('completed'));
    expect(got.length).toBeLessThan(100);
    expect(got.at(-1)?.body.artifacts).toEqual(result.artifacts);
  });
});
