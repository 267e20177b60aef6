import { expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { StreamLimit, type StreamLimitOptions } from '../../../src/core/limits/stream-limit.ts';
import type { Call, Reply } from '../../../src/core/model/call.ts';
import { withSlot } from '../../../src/core/operations/pass-on.ts';
import type { SecurityEvent } from '../../../src/core/ports/audit.ts';
import { type Bench, collect, contextFor, outline, startCore, taskIn, userMessage } from '../../support/core.ts';

let core: Bench;
let limit: StreamLimit;
let audited: SecurityEvent[];

async function start(options: Partial<StreamLimitOptions>): Promise<void> {
  audited = [];
  const bounds = { streams: undefined, streamsPerTask: undefined, ...options };
  limit = new StreamLimit({ ...bounds, audit: (event) => void audited.push(event) });
  core = await startCore({ demo: createReferenceAgent() }, { streams: limit });
}

const open = async (text: string, principal = 'tester') => {
  const stream = await core.stream(
    'SendStreamingMessage',
    { message: userMessage(text) },
    { principal: { id: principal, anonymous: false } },
  );
  return { stream, first: (await stream.next()).value.event };
};
const refused = { kind: 'tooManyRequests', retryAfter: expect.any(Number) };

it('the limit of streams bounds those of one principal, and a place is free as soon as a stream ends', async () => {
  await start({ streams: 2 });
  const one = await open('wait');
  const two = await open('ask');
  // This one has ended by itself, since its task waits for its client.
  expect(outline(await collect(two.stream)).at(-1)).toBe('input_required');
  const three = await open('wait');
  await expect(open('wait')).rejects.toMatchObject(refused);
  await expect(core.stream('SubscribeToTask', { id: one.first.task.id })).rejects.toMatchObject(refused);
  await open('wait', 'another');
  await one.stream.return?.();
  await open('wait');
  await expect(open('wait')).rejects.toMatchObject(refused);
  await three.stream.return?.();
  expect(audited).toMatchObject([{ event: 'limit.exceeded', principal: 'tester' }]);
});

it('the limit of streams keeps no count of who has none', async () => {
  await start({ streams: 2 });
  const { stream } = await open('wait');
  expect(limit.callers.size).toBe(1);
  await stream.return?.();
  await stream.return?.();
  expect(limit.callers.size).toBe(0);
  // A direct message, an unknown task, an ended one, one that is only looked at.
  await open('say hello');
  await expect(core.stream('SubscribeToTask', { id: 'none' })).rejects.toMatchObject({ kind: 'taskNotFound' });
  const done = taskIn(await core.call('SendMessage', { message: userMessage('hello') }));
  await expect(core.stream('SubscribeToTask', { id: done.id })).rejects.toMatchObject({
    kind: 'unsupportedOperation',
  });
  await core.stream('SubscribeToTask', { id: done.id }, { replay: 'snapshot' });
  const replayed = await core.stream('SubscribeToTask', { id: done.id }, { replay: { after: 0 } });
  expect(outline(await collect(replayed)).at(-1)).toBe('completed');
  expect(limit.callers.size).toBe(0);
});

it('the limit of streams bounds those of one task, and takes no message whose stream is refused', async () => {
  await start({ streamsPerTask: 1 });
  const question = taskIn(await core.call('SendMessage', { message: userMessage('ask') }));
  const listening = await core.stream('SubscribeToTask', { id: question.id });
  await expect(core.stream('SubscribeToTask', { id: question.id })).rejects.toMatchObject(refused);
  const answer = { message: userMessage('Ada', { taskId: question.id }) };
  await expect(core.stream('SendStreamingMessage', answer)).rejects.toMatchObject(refused);
  expect(taskIn({ task: await core.call('GetTask', { id: question.id }) }).status.state).toBe(
    'TASK_STATE_INPUT_REQUIRED',
  );
  await listening.return?.();
  const stream = await core.stream('SendStreamingMessage', answer);
  expect(outline(await collect(stream)).at(-1)).toBe('completed');
});

it('the limit of streams frees the places of streams that the stopping gateway breaks', async () => {
  await start({ streams: 5 });
  const { stream } = await open('wait');
  await core.service.close(AbortSignal.abort());
  await expect(collect(stream)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(limit.callers.size).toBe(0);
});

it('the limit of streams counts a client that streams until its call is over', async () => {
  const streams = new StreamLimit({ streams: 1, streamsPerTask: undefined });
  const call = { operation: 'Collect', request: {}, context: contextFor('demo') } as unknown as Call;
  const answer = Promise.withResolvers<Reply>();
  const first = withSlot(call, () => answer.promise, { streams });
  await expect(withSlot(call, () => answer.promise, { streams })).rejects.toMatchObject({ kind: 'tooManyRequests' });
  answer.resolve({ value: {} as never });
  await first;
  expect(streams.callers.size).toBe(0);
  await expect(withSlot(call, () => Promise.reject(new Error('no')), { streams })).rejects.toThrow('no');
  expect(streams.callers.size).toBe(0);
});
