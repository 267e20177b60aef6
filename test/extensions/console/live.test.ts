import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/extensions/console/gateway/error.ts';
import { type LiveState, live, type OpenStream } from '../../../src/extensions/console/gateway/live.ts';

const unreachable = (): GatewayError => new GatewayError(0, 'UNREACHABLE', 'The gateway cannot be reached.');

/**
 * Opens one stream after the other: each a list of positions, at whose end it ends, breaks, or is refused.
 *
 * @param streams the last one is repeated
 */
function scripted(streams: readonly { events?: readonly number[]; error?: GatewayError }[]) {
  const starts: (number | undefined)[] = [];
  const open: OpenStream<number, number> = async function* (after, { onOpen }) {
    const { events = [], error } = streams[Math.min(starts.length, streams.length - 1)] ?? {};
    starts.push(after);
    if (error && events.length === 0) throw error;
    onOpen();
    for (const event of events) yield { id: String(event), event };
    if (error) throw error;
  };
  return { open, starts };
}

async function run(
  open: OpenStream<number, number>,
  { endless = false, take = Number.POSITIVE_INFINITY, from }: { endless?: boolean; take?: number; from?: number } = {},
) {
  const states: LiveState[] = [];
  const events: number[] = [];
  const pauses: number[] = [];
  const stopped = new AbortController();
  const stream = live(open, {
    next: (event, _, last = 0) => (event > last ? event : undefined),
    signal: stopped.signal,
    onState: (state) => states.push(state),
    endless,
    pause: async (ms) => void pauses.push(ms),
    ...(from !== undefined && { from }),
  });
  for await (const event of stream) {
    events.push(event);
    if (events.length >= take) stopped.abort();
  }
  return { states, events, pauses };
}

it('a stream that is kept open resumes after the last event when it breaks, and repeats none', async () => {
  const { open, starts } = scripted([
    { events: [1, 2], error: unreachable() },
    { error: unreachable() },
    { events: [2, 3, 4], error: new GatewayError(503, 'UNAVAILABLE', 'stopping') },
    { events: [5] },
    {},
  ]);
  const { events, states } = await run(open);
  expect(events).toEqual([1, 2, 3, 4, 5]);
  expect(starts).toEqual([undefined, 2, 2, 4, 5, 5]);
  expect(states).toEqual([
    ...['connecting', 'open', 'lost', 'connecting', 'lost', 'connecting', 'open', 'lost', 'connecting', 'open'],
    ...['open', 'open', 'ended'],
  ]);
});

it('a stream that is kept open begins after a position', async () => {
  const { open, starts } = scripted([{ events: [7, 8] }, {}]);
  expect((await run(open, { from: 6 })).events).toEqual([7, 8]);
  expect(starts[0]).toBe(6);
});

it('a stream that is kept open takes the end of a stream that never ends for a loss', async () => {
  const { open } = scripted([{ events: [1] }, {}, {}, {}, { events: [2] }]);
  const { events, states } = await run(open, { endless: true, take: 2 });
  expect(events).toEqual([1, 2]);
  expect(states.filter((state) => state === 'lost')).toHaveLength(4);
});

it.each([400, 401, 403, 404])(
  'a stream that is kept open ends where the gateway refuses it with %i',
  async (status) => {
    const { open, starts } = scripted([
      { events: [1], error: unreachable() },
      { error: new GatewayError(status, 'NO', 'no') },
    ]);
    const { events, states } = await run(open);
    expect(events).toEqual([1]);
    expect(states.at(-1)).toBe('refused');
    expect(starts).toHaveLength(2);
  },
);

it('a stream that is kept open waits longer from attempt to attempt, and as long as the gateway says', async () => {
  const failing = Array.from({ length: 8 }, () => ({ error: unreachable() }));
  const { open } = scripted([
    ...failing,
    { error: new GatewayError(429, 'LIMIT', 'slow', { retryAfter: 9 }) },
    { events: [1] },
    {},
  ]);
  const { pauses } = await run(open);
  expect(pauses[0]).toBeLessThan(500);
  expect(Math.max(...pauses.slice(0, 8))).toBeLessThanOrEqual(6_250);
  expect(pauses[7]).toBeGreaterThan(3_500);
  expect(pauses[8]).toBe(9_000);
});

it('a stream that is kept open opens the stream again when it has been silent for too long', async () => {
  const opened: number[] = [];
  const open: OpenStream<number, number> = async function* (after = 0, { signal }) {
    opened.push(after);
    yield { id: undefined, event: after + 1 };
    signal.throwIfAborted();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const states: LiveState[] = [];
  const stopped = new AbortController();
  const options = { signal: stopped.signal, silence: 20, pause: async () => {}, endless: true };
  const stream = live(open, { ...options, next: (event) => event, onState: (state) => states.push(state) });
  for await (const event of stream) if (event === 3) stopped.abort();
  expect(opened).toEqual([0, 1, 2]);
  expect(states).toContain('lost');
});

it('a stream that is kept open ends with its signal, while it waits too', async () => {
  const stopped = new AbortController();
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
  const { open, starts } = scripted([{ error: unreachable() }]);
  const stream = live(open, { next: (event) => event, signal: stopped.signal, pause });
  setTimeout(() => stopped.abort(), 30);
  for await (const _ of stream) throw new Error('no event was sent');
  expect(starts.length).toBeLessThanOrEqual(2);
});
