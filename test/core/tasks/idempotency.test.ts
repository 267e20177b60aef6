import { beforeEach, expect, test } from 'vitest';
import { defineAgent, say, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../../support/core.ts';
import { withIdempotencyKeys } from '../../support/idempotency.ts';

let executed = 0;
const counting = defineAgent({
  name: 'Counting',
  description: 'Counts its runs',
  async *execute({ text, signal }) {
    executed += 1;
    if (text === 'say') yield say(`run ${executed}`);
    else if (text === 'slow') {
      yield status('TASK_STATE_WORKING');
      await new Promise((resolve) => setTimeout(resolve, 100, undefined));
      if (!signal.aborted) yield status('TASK_STATE_COMPLETED', `run ${executed}`);
    } else throw new Error('broken');
  },
});

const agents = { counting, demo: createReferenceAgent() };
let core: Bench;
beforeEach(async () => {
  executed = 0;
  core = await startCore(agents, {
    wrap: (service, store) => withIdempotencyKeys(service, { store, answer: 5_000 }),
  });
});

const keyed = { idempotencyKey: 'key-1' };

test('the same key gets the first answer and executes once', async () => {
  const message = userMessage('say');
  const first = await core.call('SendMessage', { message }, keyed);
  const second = await core.call('SendMessage', { message }, keyed);
  expect(second).toEqual(first);
  expect(executed).toBe(1);
  await core.call('SendMessage', { message }, { idempotencyKey: 'key-2' });
  await core.call('SendMessage', { message });
  expect(executed).toBe(3);
});

test('the order of keys does not make another request', async () => {
  const message = userMessage('say');
  const first = await core.call('SendMessage', { message, metadata: { a: 1, b: 2 } }, keyed);
  const { parts, ...rest } = message;
  const second = await core.call('SendMessage', { metadata: { b: 2, a: 1 }, message: { parts, ...rest } }, keyed);
  expect(second).toEqual(first);
});

test('a dialect whose messages have no ids may make up another one for the second call', async () => {
  const over = { ...keyed, semantics: { tasksOnly: true } as const };
  const first = await core.call('SendMessage', { message: userMessage('say') }, over);
  const second = await core.call('SendMessage', { message: { ...userMessage('say'), messageId: 'another' } }, over);
  expect(taskIn(second).id).toBe(taskIn(first).id);
  expect(executed).toBe(1);
  const other = core.call('SendMessage', { message: userMessage('say no') }, over);
  await expect(other).rejects.toMatchObject({ kind: 'idempotencyConflict' });
});

test('a second call waits while the first still runs', async () => {
  const message = userMessage('slow');
  const [first, second] = await Promise.all([
    core.call('SendMessage', { message }, keyed),
    core.call('SendMessage', { message }, keyed),
  ]);
  expect(taskIn(second)).toEqual(taskIn(first));
  expect(executed).toBe(1);
});

test('another body, principal or agent', async () => {
  await core.call('SendMessage', { message: userMessage('say') }, keyed);
  await expect(core.call('SendMessage', { message: userMessage('say') }, keyed)).rejects.toMatchObject({
    kind: 'idempotencyConflict',
  });
  await core.call(
    'SendMessage',
    { message: userMessage('say') },
    { ...keyed, principal: { id: 'b', anonymous: false } },
  );
  await core.call('SendMessage', { message: userMessage('say hi') }, { ...keyed, agent: 'demo' });
  expect(executed).toBe(2);
});

test('a stream is replayed from the log', async () => {
  const message = userMessage('stream 3 0');
  const over = { ...keyed, agent: 'demo' };
  const first = await collect(await core.stream('SendStreamingMessage', { message }, over));
  const second = await collect(await core.stream('SendStreamingMessage', { message }, over));
  expect(outline(second)).toEqual(outline(first));
  expect(second.at(-1)).toEqual(first.at(-1));
  const direct = userMessage('say');
  const said = await collect(await core.stream('SendStreamingMessage', { message: direct }, { idempotencyKey: 'd' }));
  const again = await collect(await core.stream('SendStreamingMessage', { message: direct }, { idempotencyKey: 'd' }));
  expect(again).toEqual(said);
  expect(executed).toBe(1);
});

test('a call that was refused frees its key', async () => {
  const unknown = { message: userMessage('x', { taskId: 'nowhere' }) };
  await expect(core.call('SendMessage', unknown, keyed)).rejects.toMatchObject({ kind: 'taskNotFound' });
  const said = await core.call('SendMessage', { message: userMessage('say') }, keyed);
  expect(said.message).toBeDefined();
});

test('a call that failed when the agent had begun gets the same failure again, and executes once', async () => {
  const message = userMessage('break');
  for (let i = 0; i < 2; i += 1) {
    await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'internal' });
  }
  expect(executed).toBe(1);
});

test('a caller that went away finds the task that its first call began', async () => {
  const message = userMessage('slow');
  const gone = new AbortController();
  const first = core.call('SendMessage', { message }, { ...keyed, signal: gone.signal });
  setTimeout(() => gone.abort(), 20);
  await expect(first).rejects.toBeDefined();
  const second = taskIn(await core.call('SendMessage', { message }, keyed));
  expect(second.status.state).toBe('TASK_STATE_COMPLETED');
  expect(executed).toBe(1);
});

test('a key on the answer to a question waits for that turn, not for the one before', async () => {
  const question = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, { agent: 'demo' }));
  const message = userMessage('Ada', { taskId: question.id });
  const over = { ...keyed, agent: 'demo' };
  const first = taskIn(await core.call('SendMessage', { message }, over));
  expect(first.status.state).toBe('TASK_STATE_COMPLETED');
  expect(taskIn(await core.call('SendMessage', { message }, over))).toEqual(first);
});

test('reading needs no key', async () => {
  const task = taskIn(await core.call('SendMessage', { message: userMessage('slow') }));
  await core.call('GetTask', { id: task.id }, keyed);
  await expect(core.call('GetTask', { id: 'other' }, keyed)).rejects.toMatchObject({ kind: 'taskNotFound' });
});
