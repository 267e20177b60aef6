import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineAgent, say, status } from '../../src/agents/define.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../support/core.ts';
import { withIdempotencyKeys } from '../support/idempotency.ts';
import { bury, type StoresOnPostgres, storesOnPostgres } from '../support/peers.ts';

const database = storesOnPostgres();
let executed = 0;
let working = Promise.withResolvers<void>();
let finish = Promise.withResolvers<void>();
const counting = defineAgent({
  name: 'Counting',
  description: 'Counts its runs',
  async *execute({ text }) {
    executed += 1;
    if (text === 'say') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      yield say(`run ${executed}`);
      return;
    }
    if (text === 'think') {
      working.resolve();
      await finish.promise;
      yield say(`run ${executed}`);
      return;
    }
    if (text === 'silent') {
      working.resolve();
      await finish.promise;
    }
    yield status('TASK_STATE_WORKING');
    working.resolve();
    await finish.promise;
    yield status('TASK_STATE_COMPLETED', `run ${executed}`);
  },
});

const agents = { counting };
let stores: StoresOnPostgres;
let one: Bench;
let two: Bench;
beforeEach(async () => {
  executed = 0;
  working = Promise.withResolvers();
  finish = Promise.withResolvers();
  stores = await database();
  const start = async (name: string): Promise<Bench> =>
    startCore(agents, {
      store: await stores.open(name),
      wrap: (service, store) => withIdempotencyKeys(service, { store, answer: 8_000 }),
    });
  one = await start('one');
  two = await start('two');
});
afterEach(async () => {
  finish.resolve();
  await Promise.all([one.close(), two.close()]);
});

const keyed = { idempotencyKey: 'key-1' };

test('the same key at the same moment executes at one gateway, and both give its answer', async () => {
  for (let i = 0; i < 5; i += 1) {
    const message = userMessage('say');
    const over = { idempotencyKey: `key-${i}` };
    const answers = await Promise.all([one, two, one, two].map((core) => core.call('SendMessage', { message }, over)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(executed).toBe(i + 1);
  }
});

test('a retry at another gateway while the first call runs waits for the task of that call', async () => {
  const message = userMessage('work');
  const first = one.call('SendMessage', { message }, keyed);
  await working.promise;
  const second = two.call('SendMessage', { message }, keyed);
  const other = two.call('SendMessage', { message: userMessage('other') }, keyed);
  await expect(other).rejects.toMatchObject({ kind: 'idempotencyConflict' });
  finish.resolve();
  const [a, b] = (await Promise.all([first, second])).map(taskIn);
  expect(b?.id).toBe(a?.id);
  expect(b?.status).toEqual(a?.status);
  expect(executed).toBe(1);
});

test('a stream under the key of a call that runs elsewhere has its events', async () => {
  const message = userMessage('work');
  const first = await one.stream('SendStreamingMessage', { message }, keyed);
  await working.promise;
  const second = await two.stream('SendStreamingMessage', { message }, keyed);
  const [, next] = [await second.next(), await second.next()];
  expect(next.done).toBe(false);
  finish.resolve();
  const events = outline(await collect(first));
  expect(events.at(-1)).toBe('completed');
  expect(outline(await collect(second)).at(-1)).toBe('completed');
  expect(executed).toBe(1);
});

test('a task that another gateway has shown stays, though the agent answers with a message', async () => {
  const message = userMessage('think');
  const first = one.stream('SendStreamingMessage', { message }, keyed);
  await working.promise;
  const second = await two.stream('SendStreamingMessage', { message }, keyed);
  const shown = (await second.next()).value?.event.task;
  finish.resolve();
  const [opening] = await collect(await first);
  expect(opening?.task?.id).toBe(shown?.id);
  expect(outline(await collect(second)).at(-1)).toBe('completed');
  const ended = await two.call('GetTask', { id: shown?.id });
  expect(ended.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'run 1' }] } });
  expect(executed).toBe(1);
});

test('a key whose gateway died before it was answered is never executed again', async () => {
  const message = userMessage('silent');
  const lost = one.call('SendMessage', { message }, keyed).catch((error: unknown) => error);
  await working.promise;
  await bury(stores.url, 'one');
  await two.service.takeOver();
  const again = await two.call('SendMessage', { message }, keyed);
  expect(again).toMatchObject({ task: { status: { state: 'TASK_STATE_FAILED' } } });
  expect(executed).toBe(1);
  finish.resolve();
  await lost;
});
