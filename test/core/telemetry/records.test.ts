import { expect, it, vi } from 'vitest';
import type { Call } from '../../../src/core/model/call.ts';
import { Callers, LossCounts } from '../../../src/core/telemetry/records.ts';

/** Records of callers and losses are bounded, whatever callers do. */

const callOf = (id: string, more: object = {}): Call =>
  ({
    operation: 'GetTask',
    request: {},
    context: { principal: { id, anonymous: false }, agent: 'demo', dialect: 'a2a-1.0', ...more },
  }) as unknown as Call;

const labels = { operation: 'GetTask', agent: 'demo', dialect: 'a2a-1.0', binding: 'local' };

it('the records of callers have at most so many principals: a new one replaces the one that called longest ago', () => {
  vi.useFakeTimers();
  const callers = new Callers(3);
  for (const id of ['a', 'b', 'c', 'a', 'd', 'e']) {
    vi.advanceTimersByTime(10);
    callers.note(callOf(id), labels);
  }
  expect(callers.list().map(({ principal, calls }) => [principal, calls])).toEqual([
    ['e', 1],
    ['d', 1],
    ['a', 2],
  ]);
});

it('the records of callers count failures of a principal that is forgotten without remembering it again', () => {
  const callers = new Callers(1);
  const first = callers.note(callOf('a'), labels);
  callers.note(callOf('b'), labels);
  first.failed += 1;
  expect(callers.list()).toMatchObject([{ principal: 'b', failed: 0 }]);
});

it('the records of callers have the facts of the last call', () => {
  const callers = new Callers();
  callers.note(callOf('a', { binding: 'grpc' }), labels);
  callers.note(callOf('a', { agent: 'other' }), labels).failed += 1;
  expect(callers.list()).toMatchObject([{ calls: 2, failed: 1, lastAgent: 'other', lastBinding: 'local' }]);
});

it('the counts of callers are taken once, with the time of the last call', () => {
  vi.useFakeTimers({ now: 1_000 });
  const callers = new Callers();
  const others = { ...labels, operation: 'SendMessage' };
  callers.note(callOf('a'), labels);
  callers.note(callOf('b'), others);
  vi.setSystemTime(2_000);
  callers.note(callOf('a'), labels);
  expect(callers.take()).toEqual({
    counts: [
      { principal: 'a', labels, calls: 2, lastAt: 2_000 },
      { principal: 'b', labels: others, calls: 1, lastAt: 1_000 },
    ],
    uncounted: 0,
  });
  expect(callers.take()).toEqual({ counts: [], uncounted: 0 });
  callers.note(callOf('a'), labels);
  expect(callers.take().counts).toMatchObject([{ principal: 'a', calls: 1 }]);
});

it('the counts of callers have room for so many, and say for how many calls there was none', () => {
  const callers = new Callers(1_000, 2);
  for (const id of ['a', 'b', 'c', 'a', 'd', 'c']) callers.note(callOf(id), labels);
  const { counts, uncounted } = callers.take();
  expect(counts.map(({ principal, calls }) => [principal, calls])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  expect(uncounted).toBe(3);
  expect(callers.take()).toEqual({ counts: [], uncounted: 0 });
});

it('the losses of callers are taken once, by caller, agent, dialect, binding and field', () => {
  const counts = new LossCounts();
  const lost = (id: string, paths: string[], more: object = {}): void => {
    const notes = { losses: new Set(paths), agentLosses: new Map([['b', 'agentvault-0.2']]) };
    counts.note(callOf(id, { binding: 'rest', notes, ...more }));
  };
  lost('alice', ['a', 'b']);
  lost('alice', ['a']);
  lost('alice', ['a'], { binding: 'grpc' });
  lost('bob', ['a']);
  const shown = counts.take().counts.map((one) => [one.principal, one.binding, one.path, one.agentDialect, one.count]);
  expect(shown).toEqual([
    ['alice', 'rest', 'a', undefined, 2],
    ['alice', 'rest', 'b', 'agentvault-0.2', 1],
    ['alice', 'grpc', 'a', undefined, 1],
    ['bob', 'rest', 'a', undefined, 1],
  ]);
  expect(counts.take()).toEqual({ counts: [], uncounted: 0 });
});

it('the records of losses are bounded and leave out what was counted before', () => {
  const counts = new LossCounts(2);
  const losing = (...paths: string[]): Call => callOf('alice', { notes: { losses: new Set(paths) } });
  counts.note(losing('a', 'b'));
  counts.note(losing('a', 'b'), 1);
  expect(counts.list().map(({ path, count }) => [path, count])).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  counts.note(losing('c', 'd', 'e'));
  expect(counts.list()).toHaveLength(2);
});

it('the records of losses say whose dialect cannot express a field, and which call lost it last', () => {
  const counts = new LossCounts();
  const lost = (id: string, request: object, more: object): void => {
    const call = callOf(id, { requestId: `r-${id}`, ...more });
    counts.note({ ...call, request } as Call);
  };
  lost('alice', { id: 'x'.repeat(500) }, { notes: { losses: new Set(['metadata']) } });
  const ofAgent = { losses: new Set(['metadata']), agentLosses: new Map([['metadata', 'agentvault-0.2']]) };
  lost('bob', { message: {} }, { notes: { ...ofAgent, taskKey: 'made' } });
  lost('carol', { filter: '' }, { notes: ofAgent });
  expect(counts.list()).toMatchObject([
    { dialect: 'a2a-1.0', ofAgent: false, count: 1, lastPrincipal: 'alice', lastTask: 'x'.repeat(128) },
    { dialect: 'agentvault-0.2', ofAgent: true, count: 2, lastPrincipal: 'carol', lastRequestId: 'r-carol' },
  ]);
  expect(counts.list()[1]?.lastTask).toBeUndefined();
});
