import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defineAgent, say, status } from '../../../src/agents/define.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../../support/core.ts';
import { withIdempotencyKeys } from '../../support/idempotency.ts';
import { bury, type StoresOnPostgres, storesOnPostgres } from '../../support/peers.ts';

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
    if (text === 'ask' || text === 'asks something else') {
      yield status('TASK_STATE_INPUT_REQUIRED', 'And now?');
      return;
    }
    if (text === 'ends the task') {
      yield status('TASK_STATE_COMPLETED', `run ${executed}`);
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

/** Lets `one` carry out a call after `two` has looked its key up, and before `two` goes on. */
function overtake(carryOut: () => Promise<unknown>): void {
  const findCall = two.store.findCall.bind(two.store);
  two.store.findCall = async (...args) => {
    two.store.findCall = findCall;
    const known = await findCall(...args);
    await carryOut();
    return known;
  };
}

test.each([
  ['ends the task', {}],
  ['asks something else', {}],
  ['asks something else', { ifGenerationMatch: '2' }],
])(
  'an answer that another gateway carries out at the same moment gets its outcome, where the agent then %s %o',
  async (then, configuration) => {
    const { id } = taskIn(await one.call('SendMessage', { message: userMessage('ask') }));
    const request = { message: userMessage(then, { taskId: id }), configuration };
    executed = 0;
    let first: unknown;
    overtake(async () => {
      first = await one.call('SendMessage', request, keyed);
    });
    const second = await two.call('SendMessage', request, keyed);
    expect(second).toEqual(first);
    expect(executed).toBe(1);
    if (then !== 'ends the task') return;
    // Another answer is refused all the same.
    const other = { message: userMessage('another', { taskId: id }), configuration };
    const late = two.call('SendMessage', other, { idempotencyKey: 'key-2' });
    await expect(late).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  },
);

test('a stream of an answer that another gateway carries out at the same moment has its events', async () => {
  const { id } = taskIn(await one.call('SendMessage', { message: userMessage('ask') }));
  const request = { message: userMessage('ends the task', { taskId: id }) };
  overtake(() => one.call('SendMessage', request, keyed));
  // The key belongs to another operation.
  await expect(two.stream('SendStreamingMessage', request, keyed)).rejects.toMatchObject({
    kind: 'idempotencyConflict',
  });
  const streamed = { message: userMessage('ask') };
  const other = { idempotencyKey: 'key-2' };
  overtake(async () => collect(await one.stream('SendStreamingMessage', streamed, other)));
  const events = await collect(await two.stream('SendStreamingMessage', streamed, other));
  expect(outline(events).at(-1)).toBe('input_required');
});

test('a call whose task another gateway removes, since its answer is a message, gets that message', async () => {
  const message = userMessage('say', { taskId: 'chosen-1' });
  const over = { ...keyed, semantics: { namesTask: true as const } };
  let first: unknown;
  overtake(async () => {
    first = await one.call('SendMessage', { message }, over);
  });
  expect(await two.call('SendMessage', { message }, over)).toEqual(first);
  expect(executed).toBe(1);
});

test('a call that was refused, since its row was confirmed too late, is carried out once for its caller at another gateway', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const unavailable = new A2AError('unavailable', 'The answer to the commit is lost');
  const append = one.store.append.bind(one.store);
  const confirmed = Promise.withResolvers<void>();
  vi.spyOn(one.store, 'append')
    .mockImplementationOnce(async (batch) => {
      await append(batch);
      throw unavailable;
    })
    .mockImplementationOnce(async () => {
      vi.advanceTimersByTime(3_000);
      throw unavailable;
    })
    .mockImplementationOnce(async (batch) => {
      await confirmed.promise;
      return append(batch);
    });
  vi.spyOn(one.store, 'retract').mockRejectedValue(unavailable);
  finish.resolve();
  const message = userMessage('work');
  await expect(one.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'unavailable' });
  const again = two.call('SendMessage', { message }, keyed);
  const seen = await one.call('ListTasks', {});
  expect(seen.tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_SUBMITTED']);
  // Neither gateway takes the task for one that is left.
  for (const core of [one, two]) await core.service.takeOver();
  confirmed.resolve();
  expect(taskIn(await again).status).toMatchObject({
    state: 'TASK_STATE_COMPLETED',
    message: { parts: [{ text: 'run 1' }] },
  });
  expect(executed).toBe(1);
  vi.useRealTimers();
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
