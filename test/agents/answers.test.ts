import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import {
  type AgentRequest,
  type AgentReturn,
  artifact,
  ask,
  data,
  defaultConfig,
  defineAgent,
  file,
  progress,
  say,
} from '../../src/index.ts';
import { type Opened, openGateway } from '../support/gateway.ts';

/** Values that agents may return, and the helpers that create them, as callers see the result. */

const config = () => defaultConfig({ host: 'localhost', port: 0, store: 'memory:' });

let gateway: Opened | undefined;

async function answerTo(execute: () => AgentReturn) {
  const agent = defineAgent({ name: 'A', description: 'Answers', execute });
  gateway = await openGateway(config(), { agents: { a: agent } });
  const client = await connect(`${gateway.url}/a`);
  const answer = await client.send('hello').catch((error: Error) => error.message);
  const { status } = typeof answer === 'string' || !answer.task ? {} : answer.task;
  return status?.state === 'TASK_STATE_FAILED' ? status.message?.parts[0]?.text : answer;
}

const completed = (content: unknown) => ({
  task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: content }] },
});

it.each<[string, () => AgentReturn, object]>([
  ['a text', () => 'hi', { message: { parts: [{ text: 'hi' }] } }],
  ['a promise of a text', async () => 'hi', { message: { parts: [{ text: 'hi' }] } }],
  ['a message', async () => say(['hi', data({ n: 1 })]), { message: { parts: [{ text: 'hi' }, { data: { n: 1 } }] } }],
  ['one event of a task', () => artifact({ content: 'done' }), completed([{ text: 'done' }])],
  ['events of a task', async () => [progress('soon'), artifact({ content: 'done' })], completed([{ text: 'done' }])],
  [
    'a promise of a generator',
    async () =>
      (async function* () {
        yield artifact({ content: 'done' });
      })(),
    completed([{ text: 'done' }]),
  ],
])('an agent that is no generator may return %s', async (_, execute, expected) => {
  expect(await answerTo(execute)).toMatchObject(expected);
});

it('an agent that is no generator is at work, and waits no more, while it answers the reply to its question', async () => {
  const reply = Promise.withResolvers<string>();
  const agent = defineAgent({
    name: 'A',
    description: 'Asks',
    execute: ({ task }) => (task ? reply.promise : ask('Who?')),
  });
  gateway = await openGateway(config(), { agents: { a: agent } });
  const client = await connect(`${gateway.url}/a`);
  const id = (await client.send('hello')).task?.id ?? '';
  const stateNow = async () => (await client.getTask({ id })).status.state;
  expect(await stateNow()).toBe('TASK_STATE_INPUT_REQUIRED');
  await client.send('Ada', { taskId: id, returnImmediately: true });
  await expect.poll(stateNow).toBe('TASK_STATE_WORKING');
  reply.resolve('Hello, Ada');
  await expect.poll(stateNow).toBe('TASK_STATE_COMPLETED');
  await client.close();
});

it.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /The agent's execute returned nothing\. Return a text or events, or write `async \*execute/],
  ['a number', 5, /returned a number/],
  ['an object that is no event', { text: 'hi' }, /an event has one of task, message/],
  ['no events at all', [], /ended without an answer/],
])(
  'an agent that is no generator gets an error that explains what is wrong when it returns %s',
  async (_, value, problem) => {
    expect(await answerTo(async () => value as string)).toMatch(problem);
  },
);

it('an agent that is no generator fails with what it throws, at once or later', async () => {
  for (const execute of [
    () => {
      throw new TypeError('at once');
    },
    () => Promise.reject(new TypeError('at once')),
  ]) {
    expect(await answerTo(execute)).toMatch(/The agent failed: TypeError: at once \(.*answers\.test\.ts:\d+\)/);
    await gateway?.close();
  }
});

it('an agent asks a question, and continues with the answer', async () => {
  const agent = defineAgent({
    name: 'A',
    description: 'Asks',
    execute: ({ task, text }) => (task ? artifact({ content: `Hello, ${text}` }) : ask('Who are you?')),
  });
  gateway = await openGateway(config(), { agents: { a: agent } });
  const client = await connect(`${gateway.url}/a`);
  const first = await client.send('hello');
  if (!first.task) throw new TypeError('no task');
  expect(first.task.status).toMatchObject({
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: { parts: [{ text: 'Who are you?' }] },
  });
  expect(await client.send('Ada', { taskId: first.task.id })).toMatchObject(completed([{ text: 'Hello, Ada' }]));
});

it('an answer of an agent makes files of bytes, texts and URLs', () => {
  expect(file('a.bin', new Uint8Array([0, 255]).subarray(1), 'application/x')).toEqual({
    raw: '/w==',
    filename: 'a.bin',
    mediaType: 'application/x',
  });
  expect(file('ä.txt', 'ä')).toEqual({ raw: 'w6Q=', filename: 'ä.txt' });
  expect(file('c', new URL('https://example.com/c'))).toEqual({ url: 'https://example.com/c', filename: 'c' });
});

it('an agent that lets another one answer for a part of the message keeps its own request', async () => {
  const inner = defineAgent({ name: 'B', description: 'Repeats', execute: ({ text }) => text });
  const execute = async function* (own: AgentRequest) {
    const parts = [{ text: 'a part' }];
    for await (const event of inner.execute({ message: { ...own.message, parts } }, own)) {
      yield say([...(event.message?.parts ?? []), `of ${own.text}`, `aborted: ${own.signal.aborted}`]);
    }
  };
  gateway = await openGateway(config(), { agents: { a: defineAgent({ name: 'A', description: 'Asks', execute }) } });
  const { message } = await (await connect(`${gateway.url}/a`)).send('hello');
  expect(message?.parts).toEqual([{ text: 'a part' }, { text: 'of hello' }, { text: 'aborted: false' }]);
});
