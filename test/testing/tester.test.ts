import { expect, it } from 'vitest';
import { A2AError, type AgentRequest, artifact, ask, data, defineAgent, file, progress } from '../../src/index.ts';
import { testAgent } from '../../src/testing/index.ts';

/** The tester that authors of agents use. */

it('a tested agent answers with a message, or with a task', async () => {
  await using tester = await testAgent({
    name: 'A',
    description: 'B',
    async *execute({ text }: AgentRequest) {
      if (text === 'fail') throw new TypeError('no such city');
      yield progress('looking');
      yield artifact({ content: [`weather of ${text}`, data({ degrees: 20 }), file('a.txt', 'x')] });
      yield artifact({ content: '!' });
    },
  });
  const { text, state, task, events } = await tester.send('Rome');
  expect([text, state, task?.artifacts?.length]).toEqual(['weather of Rome!', 'TASK_STATE_COMPLETED', 2]);
  expect(events.map((event) => Object.keys(event)[0])).toEqual([
    ...['task', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate'],
  ]);
  await expect(tester.get(task?.id ?? '')).resolves.toEqual(task);
  const failed = await tester.send('fail').catch((thrown: unknown) => thrown);
  expect(failed).toBeInstanceOf(A2AError);
  expect((failed as Error).message).toMatch(/^The agent failed: TypeError: no such city \(.*tester\.test\.ts:\d+\)/);
});

it('a tested agent asks, is answered, and can be streamed and canceled', async () => {
  await using tester = await testAgent(
    defineAgent({ name: 'A', description: 'B' }, async function* ({ text, task, signal }) {
      if (text === 'wait') {
        yield progress('waiting');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } else if (task) yield artifact({ content: `Hello ${text}` });
      else yield ask('Who?');
    }),
  );
  const asked = await tester.send('hi');
  expect([asked.state, asked.text]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Who?']);
  const taskId = asked.task?.id ?? '';
  expect((await tester.send('Ada', { taskId })).text).toBe('Hello Ada');
  for await (const { statusUpdate } of tester.stream('wait')) {
    if (statusUpdate?.status.state !== 'TASK_STATE_WORKING') continue;
    expect((await tester.cancel(statusUpdate.taskId)).status.state).toBe('TASK_STATE_CANCELED');
  }
  expect((await tester.client.listTasks({})).tasks).toHaveLength(2);
  expect((await tester.as('another').client.listTasks({})).tasks).toHaveLength(0);
  await expect(tester.as({ id: 'another' }).get(taskId)).rejects.toMatchObject({ kind: 'taskNotFound' });
});

it('a tested agent survives a restart with its state, when it says so', async () => {
  let begun = 0;
  await using tester = await testAgent({
    name: 'A',
    description: 'B',
    async *execute({ state, signal }: AgentRequest) {
      begun += 1;
      await state.task.set('at', 'half');
      yield progress('half way');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield artifact({ content: 'never' });
    },
    async *resume(_task, { state, log }) {
      log.info('resumed');
      yield artifact({ content: `from ${await state.task.get('at')}` });
    },
  });
  let taskId = '';
  for await (const { statusUpdate } of tester.stream('go')) {
    if (statusUpdate) taskId = statusUpdate.taskId;
    if (statusUpdate) break;
  }
  await tester.restart();
  const { text, state, events } = await tester.wait(taskId);
  expect([text, state, begun]).toEqual(['from half', 'TASK_STATE_COMPLETED', 1]);
  expect(events.length).toBeGreaterThan(3);
  expect(tester.log).toContainEqual(expect.objectContaining({ level: 'info', message: 'resumed' }));
});

it('a tested agent that cannot go on fails after a restart', async () => {
  await using tester = await testAgent({
    name: 'A',
    description: 'B',
    async *execute() {
      yield progress('for ever');
      await new Promise(() => undefined);
    },
  });
  const { task } = await tester.send('go', { returnImmediately: true });
  await tester.restart();
  expect((await tester.wait(task?.id ?? '')).state).toBe('TASK_STATE_FAILED');
});

it('a tested agent gets settings, and is made again by a restart', async () => {
  let made = 0;
  class Greeter {
    readonly name = 'Greeter';
    readonly description = 'Greets';
    readonly #settings: {
      readonly config: { readonly word: string };
      readonly env: Readonly<Record<string, string>>;
    };
    constructor(settings: { config: { word: string }; env: Readonly<Record<string, string>> }) {
      made += 1;
      this.#settings = settings;
    }
    execute({ text, principal }: AgentRequest) {
      const { config, env } = this.#settings;
      return `${config.word} ${text} ${env.KEY} ${principal.id} ${made}`;
    }
  }
  const configSchema = { type: 'object', required: ['word'], properties: { word: { type: 'string' } } };
  const module = { default: Greeter, configSchema };
  await using tester = await testAgent(module, { config: { word: 'Hi' }, env: { KEY: 'k' }, principal: 'bob' });
  expect((await tester.send('Ada')).text).toBe('Hi Ada k bob 1');
  await tester.restart();
  expect((await tester.send('Ada')).text).toBe('Hi Ada k bob 2');
  await expect(testAgent(module, { config: {} })).rejects.toThrow(/config that is not valid: .*word/);
  await expect(testAgent({ name: 'A' } as never)).rejects.toThrow('An agent needs a description');
});

it('a tested agent fetches what the test gives it, and nothing else', async () => {
  const agent = defineAgent({ name: 'A', description: 'B' }, async ({ fetch }) =>
    (await fetch('http://x.test/')).text(),
  );
  await using tester = await testAgent(agent, { fetch: async () => new Response('given') });
  expect((await tester.send('go')).text).toBe('given');
  await using without = await testAgent(agent);
  await expect(without.send('go')).rejects.toThrow('The agent fetched http://x.test/: give testAgent a `fetch`');
});

it('a tested agent has the limits that the test sets', async () => {
  await using tester = await testAgent(
    defineAgent({ name: 'A', description: 'B' }, async ({ state }) => {
      await state.context.set('large', 'x'.repeat(2_000));
      return 'kept';
    }),
    { settings: { limits: { state: '1KiB' } } },
  );
  await expect(tester.send('go')).rejects.toThrow(/RangeError: .*limits\.state is 1024.* \(.*tester\.test\.ts:\d+\)$/);
});
