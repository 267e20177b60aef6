import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { endStreamsOnExpiry, OpenStreams } from '../../../src/auth/stream-expiry.ts';
import { MemoryBudget, Reservation } from '../../../src/core/limits/memory-budget.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { type Bench, collect, startCore, taskIn, userMessage } from '../../support/core.ts';

let core: Bench;

/** An agent that says `count` chunks of `size` characters as fast as it can. */
const talker = (count: number, size: number): Agent => ({
  ...createReferenceAgent(),
  async *execute(_request, { taskId, contextId }) {
    const ids = { taskId, contextId };
    for (let i = 1; i <= count; i++) {
      const artifact = { artifactId: 'a', parts: [{ text: `${i} ${'x'.repeat(size)}` }] };
      yield { artifactUpdate: { ...ids, artifact, append: i > 1 } };
    }
    yield { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } };
  },
});

it.each([
  ['many events', 3_000, 1, undefined],
  ['large events', 12, 300_000, undefined],
  ['events of which none may wait in memory', 500, 100, 1],
])('a reader that is slower than its task gets %s in order and completely', async (_, count, size, buffered) => {
  core = await startCore({ demo: talker(count, size) });
  const budget = new MemoryBudget(buffered);
  const target = Object.assign(new EventEmitter(), { destroyed: false });
  const reservation = new Reservation(budget, { id: 'tester' }, target);
  const stream = await core.stream('SendStreamingMessage', { message: userMessage('go') }, { reservation });
  const first = (await stream.next()).value;
  const id = first.event.task?.id ?? first.event.artifactUpdate.taskId;
  // The agent is done before the second event is asked for.
  await expect
    .poll(async () => taskIn({ task: await core.call('GetTask', { id }) }).status.state)
    .toBe('TASK_STATE_COMPLETED');
  const seen = [first.seq];
  const chunks: number[] = [];
  for (let step = await stream.next(); !step.done; step = await stream.next()) {
    seen.push(step.value.seq);
    const [part] = step.value.event.artifactUpdate?.artifact.parts ?? [];
    if (part) chunks.push(Number.parseInt(part.text ?? '', 10));
  }
  expect(seen).toEqual(seen.map((__, i) => (seen[0] as number) + i));
  expect(chunks.at(-1)).toBe(count);
  expect(chunks).toEqual(chunks.map((__, i) => (chunks[0] as number) + i));
  target.emit('close');
  expect(budget.total).toBe(0);
});

describe('a stream whose caller may lose access', () => {
  const principal = { id: 'tester', anonymous: true };
  const start = async (): Promise<{ ongoing: OpenStreams; stream: AsyncIterator<LoggedEvent> }> => {
    const ongoing = new OpenStreams();
    const wrap = endStreamsOnExpiry(ongoing);
    core = await startCore({ demo: talker(100, 1) }, { wrap: ({ invoke }) => wrap(invoke) });
    const stream = await core.stream('SendStreamingMessage', { message: userMessage('go') }, { principal });
    return { ongoing, stream };
  };
  const lose = (ongoing: OpenStreams): number => ongoing.review(() => new A2AError('unauthenticated'));

  it('a stream whose caller may lose access ends at once, before events that have been buffered', async () => {
    const { ongoing, stream } = await start();
    await stream.next();
    // The task is over, and the rest of its events is in the reader's buffer.
    await expect.poll(() => core.service.live).toBe(0);
    expect(lose(ongoing)).toBe(1);
    await expect(stream.next()).rejects.toMatchObject({ kind: 'unauthenticated' });
    await expect(stream.next()).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(ongoing.size).toBe(0);
  });

  it('a stream whose caller may lose access ends while its reader waits for the next event', async () => {
    const { ongoing, stream } = await start();
    const first = stream.next();
    expect(lose(ongoing)).toBe(1);
    await expect(first).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(ongoing.size).toBe(0);
  });

  it('a stream whose caller may lose access is watched until its reader has the last event, or has left', async () => {
    const { ongoing, stream } = await start();
    await stream.next();
    expect(ongoing.size).toBe(1);
    expect(await collect(stream)).toHaveLength(101);
    expect(ongoing.size).toBe(0);
    const left = await core.stream('SendStreamingMessage', { message: userMessage('go') }, { principal });
    expect(ongoing.size).toBe(1);
    await left.return?.();
    expect(ongoing.size).toBe(0);
  });
});
