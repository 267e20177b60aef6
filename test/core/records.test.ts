import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Call } from '../../src/core/model/call.ts';
import { Callers, LossCounts } from '../../src/core/telemetry/records.ts';

/** Records of callers and losses are bounded, whatever callers do. */

afterEach(() => {
  vi.useRealTimers();
});

const callOf = (id: string, more: object = {}): Call =>
  ({
    operation: 'GetTask',
    context: { principal: { id, anonymous: false }, agent: 'demo', dialect: 'a2a-1.0', ...more },
  }) as unknown as Call;

describe('the records of callers', () => {
  it('have at most so many principals: a new one replaces the one that called longest ago', () => {
    vi.useFakeTimers();
    const callers = new Callers(3);
    for (const id of ['a', 'b', 'c', 'a', 'd', 'e']) {
      vi.advanceTimersByTime(10);
      callers.note(callOf(id));
    }
    expect(callers.list().map(({ principal, calls }) => [principal, calls])).toEqual([
      ['e', 1],
      ['d', 1],
      ['a', 2],
    ]);
  });

  it('count failures of a principal that is forgotten without remembering it again', () => {
    const callers = new Callers(1);
    const first = callers.note(callOf('a'));
    callers.note(callOf('b'));
    first.failed += 1;
    expect(callers.list()).toMatchObject([{ principal: 'b', failed: 0 }]);
  });

  it('have the facts of the last call', () => {
    const callers = new Callers();
    callers.note(callOf('a', { binding: 'grpc' }));
    callers.note(callOf('a', { agent: 'other' })).failed += 1;
    expect(callers.list()).toMatchObject([{ calls: 2, failed: 1, lastAgent: 'other', lastBinding: 'local' }]);
  });
});

describe('the records of losses', () => {
  it('are bounded and leave out what was counted before', () => {
    const losses = new LossCounts(2);
    const place = { dialect: 'a2a-0.3', agent: 'demo' };
    losses.note(place, new Set(['a', 'b']));
    losses.note(place, new Set(['a', 'b']), 1);
    expect(losses.list().map(({ path, count }) => [path, count])).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
    losses.note(place, ['c', 'd', 'e']);
    expect(losses.list()).toHaveLength(2);
  });
});
