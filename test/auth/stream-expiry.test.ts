import { beforeEach, describe, expect, it, vi } from 'vitest';
import { endStreamsOnExpiry, OpenStreams } from '../../src/auth/stream-expiry.ts';
import { callContext } from '../../src/client/caller.ts';
import { type Call, isStream, type LoggedEvent, type Reply, type StreamReply } from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';

/** Streams of callers whose credentials end. */

beforeEach(() => void vi.useFakeTimers());

const event: LoggedEvent = { seq: 1, at: 0, generation: 0, event: {}, json: '{}' };

/** A stream whose events the test sends, and whether its reader has left. */
function source() {
  let go: ((step: IteratorResult<LoggedEvent>) => void) | undefined;
  let left = false;
  const events: AsyncIterableIterator<LoggedEvent> = {
    [Symbol.asyncIterator]: () => events,
    next: () => new Promise((resolve) => (go = resolve)),
    async return() {
      left = true;
      return { done: true, value: undefined };
    },
  };
  return { events, tell: () => go?.({ done: false, value: event }), hasLeft: () => left };
}

async function streamOf(reply: Reply, until: number | undefined): Promise<StreamReply> {
  const principal = { id: 'jwt:x#y', anonymous: false, ...(until !== undefined && { until }) };
  const context = { ...callContext('a', '', {}), principal };
  const answer = await endStreamsOnExpiry()(async () => reply)({ operation: 'SubscribeToTask', context } as Call);
  if (!isStream(answer)) throw new TypeError('no stream');
  return answer;
}

it('streams end when the credentials do, also while nothing happens', async () => {
  const { events, tell, hasLeft } = source();
  const stream = (await streamOf({ events }, Date.now() + 60_000)).events[Symbol.asyncIterator]();
  const first = stream.next();
  tell();
  expect((await first).value).toBe(event);
  const second = stream.next();
  const refused = expect(second).rejects.toMatchObject({ kind: 'unauthenticated' });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(hasLeft()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await refused;
  expect(hasLeft()).toBe(true);
  await expect(stream.next()).rejects.toMatchObject({ kind: 'unauthenticated' });
});

it('streams outlast what a timer can wait', async () => {
  const { events, hasLeft } = source();
  const days = 86_400_000;
  const stream = (await streamOf({ events }, Date.now() + 40 * days)).events[Symbol.asyncIterator]();
  const refused = expect(stream.next()).rejects.toMatchObject({ kind: 'unauthenticated' });
  await vi.advanceTimersByTimeAsync(39 * days);
  expect(hasLeft()).toBe(false);
  await vi.advanceTimersByTimeAsync(days);
  await refused;
});

it('streams of callers whose credentials do not end are left alone, and nothing waits for streams that were left', async () => {
  const { events } = source();
  expect((await streamOf({ events }, undefined)).events).toBe(events);
  const left = (await streamOf({ events }, Date.now() + 1_000)).events[Symbol.asyncIterator]();
  await left.return?.();
  expect(vi.getTimerCount()).toBe(0);
});

it('streams end each when its own credential does, with one timer for all', async () => {
  const streams = new OpenStreams();
  const ended: number[] = [];
  for (const seconds of [5, 1, 60]) {
    const principal = { id: 'jwt:x#y', anonymous: false, until: Date.now() + seconds * 1_000 };
    const end = (): void => {
      ended.push(seconds);
      remove();
    };
    const remove = streams.add({ principal, agent: 'a', operation: undefined, end });
  }
  for (const [wait, expected] of [
    [999, []],
    [1, [1]],
    [4_000, [1, 5]],
  ] as const) {
    await vi.advanceTimersByTimeAsync(wait);
    expect(ended).toEqual(expected);
    expect(vi.getTimerCount()).toBe(1);
  }
  await vi.advanceTimersByTimeAsync(55_000);
  expect(ended).toEqual([1, 5, 60]);
  expect(vi.getTimerCount()).toBe(0);
});

describe('the messages of a client that streams', () => {
  /** Reads all messages before it answers. */
  const collect = async ({ requests }: Call): Promise<Reply> => {
    for await (const _message of requests ?? []);
    return { value: {} as never };
  };
  const callOf = (requests: AsyncIterable<unknown>, principal: object): Call =>
    ({ operation: 'Collect', requests, context: { ...callContext('a', '', {}), principal } }) as unknown as Call;
  const caller = { id: 'jwt:x#y', anonymous: false };

  it('the messages of a client that streams end when the credentials do, before there is an answer', async () => {
    const { events, hasLeft } = source();
    const call = callOf(events, { ...caller, until: Date.now() + 60_000 });
    const refused = expect(endStreamsOnExpiry()(collect)(call)).rejects.toMatchObject({ kind: 'unauthenticated' });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
    expect(hasLeft()).toBe(true);
  });

  it('the messages of a client that streams end when access changes, and are no longer watched once there is an answer', async () => {
    const streams = new OpenStreams();
    const { events } = source();
    const call = callOf(events, { ...caller, credential: 'key' });
    const refused = expect(endStreamsOnExpiry(streams)(collect)(call)).rejects.toMatchObject({
      kind: 'permissionDenied',
    });
    expect(streams.review(() => undefined)).toBe(0);
    expect(streams.size).toBe(1);
    expect(streams.review(() => new A2AError('permissionDenied'))).toBe(1);
    await refused;
    expect(streams.size).toBe(0);
    await endStreamsOnExpiry(streams)(async () => ({ value: {} as never }))(callOf(source().events, caller));
    expect(streams.size).toBe(0);
  });
});
