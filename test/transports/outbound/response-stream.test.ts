import { expect, it } from 'vitest';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { awaitFirst } from '../../../src/transports/outbound/response-stream.ts';

const eventOf = (seq: number): LoggedEvent => ({
  seq,
  at: 0,
  generation: 0,
  event: { message: {} as never },
  json: '{}',
});

/** A stream whose events the test sends. */
function controlled() {
  const steps: PromiseWithResolvers<IteratorResult<LoggedEvent, undefined>>[] = [];
  let pulled = 0;
  const step = (at: number) => (steps[at] ??= Promise.withResolvers());
  const events: AsyncIterableIterator<LoggedEvent, undefined> = {
    next: () => step(pulled++).promise,
    return: async () => {
      for (const one of steps) one.resolve({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => events,
  };
  return { events, step };
}

it('the first event of a stream is waited for, and comes first', async () => {
  const { events, step } = controlled();
  step(0).resolve({ value: eventOf(1) });
  step(1).resolve({ value: eventOf(2) });
  step(2).resolve({ done: true, value: undefined });
  const seen: number[] = [];
  for await (const { seq } of await awaitFirst(events)) seen.push(seq);
  expect(seen).toEqual([1, 2]);
});

it('the first event of a stream is a refusal when it is an error', async () => {
  const { events, step } = controlled();
  step(0).reject(new Error('no'));
  await expect(awaitFirst(events)).rejects.toThrow('no');
});

it('the first event of a stream is not waited for without end: the stream has begun, and delivers it later', async () => {
  const { events, step } = controlled();
  const begun = await awaitFirst(events, 1);
  const first = begun.next();
  step(0).resolve({ value: eventOf(1) });
  expect(await first).toEqual({ value: eventOf(1) });
  step(1).reject(new Error('broken'));
  await expect(begun.next()).rejects.toThrow('broken');
});

it('the first event of a stream that never comes does not prevent cancellation', async () => {
  const { events } = controlled();
  const begun = await awaitFirst(events, 1);
  const first = begun.next();
  expect(await begun.return?.()).toEqual({ done: true, value: undefined });
  expect(await first).toEqual({ done: true, value: undefined });
});
