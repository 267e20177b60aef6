import { expect, test } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { startCore, taskIn, userMessage } from '../../support/core.ts';

/** Asks again after each message. */
const asking: Agent = {
  ...createReferenceAgent(),
  async *execute(_request, { taskId, contextId }) {
    yield { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } };
  },
};

async function begin() {
  const bench = await startCore({ agent: asking });
  const task = taskIn(await bench.call('SendMessage', { message: userMessage('ask') }));
  const urls = async () => {
    const { configs = [] } = await bench.call('ListTaskPushNotificationConfigs', { taskId: task.id });
    return configs.map(({ url, token }) => (token ? `${url} ${token}` : url)).sort();
  };
  const create = (url: string, more: object = {}) =>
    bench.call('CreateTaskPushNotificationConfig', { taskId: task.id, url, ...more });
  const send = (url: string, semantics = {}) =>
    bench.call(
      'SendMessage',
      {
        message: userMessage('ask', { taskId: task.id }),
        configuration: { returnImmediately: true, taskPushNotificationConfig: { url } },
      } as never,
      { semantics },
    );
  return { task, urls, create, send };
}

test('a second webhook without an id is kept beside the first, which has the id of the task', async () => {
  const { task, urls, create } = await begin();
  const first = await create('https://one.example.com/');
  const second = await create('https://two.example.com/');
  expect(first.id).toBe(task.id);
  expect(second.id).not.toBe(task.id);
  expect(await urls()).toEqual(['https://one.example.com/', 'https://two.example.com/']);
});

test('a webhook for the same receiver replaces its own, whichever came first', async () => {
  const { urls, create } = await begin();
  await create('https://one.example.com/');
  const second = await create('https://two.example.com/');
  await create('https://one.example.com/');
  expect((await create('https://two.example.com/')).id).toBe(second.id);
  expect(await urls()).toEqual(['https://one.example.com/', 'https://two.example.com/']);
});

test('another token is another receiver', async () => {
  const { urls, create } = await begin();
  await create('https://one.example.com/', { token: 'a' });
  await create('https://one.example.com/', { token: 'b' });
  expect(await urls()).toEqual(['https://one.example.com/ a', 'https://one.example.com/ b']);
});

test('a webhook that comes with each message of a task is one webhook', async () => {
  const { urls, send } = await begin();
  await send('https://one.example.com/');
  await send('https://one.example.com/');
  await send('https://two.example.com/');
  expect(await urls()).toEqual(['https://one.example.com/', 'https://two.example.com/']);
});

test('a dialect that has one webhook for a task replaces it', async () => {
  const { urls, send } = await begin();
  await send('https://one.example.com/', { oneWebhook: true });
  await send('https://two.example.com/', { oneWebhook: true });
  expect(await urls()).toEqual(['https://two.example.com/']);
});

test.each([
  ['token', { token: 'a\r\nx-evil: 1' }],
  ['authentication.credentials', { authentication: { scheme: 'Bear\ner', credentials: 'c' } }],
  ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'c\n' } }],
  ['token', { token: 'snow ☃' }],
])('a webhook is refused whose %s no header can carry', async (field, more) => {
  const { create } = await begin();
  await expect(create('https://one.example.com/', more)).rejects.toMatchObject({ violations: [{ field }] });
});
