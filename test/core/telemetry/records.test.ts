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

it('a listener gets each call, and each field that one loses', () => {
  vi.useFakeTimers({ now: 1_000 });
  const heard: unknown[] = [];
  const callers = new Callers();
  const losses = new LossCounts();
  callers.onCall = (...call) => heard.push(call);
  losses.onLost = ({ path, agentDialect, at }) => heard.push([path, agentDialect, at]);
  const call = callOf('a', { notes: { losses: new Set(['a', 'b']), agentLosses: new Map([['b', 'agentvault-0.2']]) } });
  callers.note(call, labels);
  losses.note(call);
  expect(heard).toEqual([
    ['a', labels, 1_000],
    ['a', undefined, 1_000],
    ['b', 'agentvault-0.2', 1_000],
  ]);
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
