import { expect, test } from 'vitest';
import { askingStatus, opened } from '../../../src/core/model/ask.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { questionOf } from '../../../src/core/model/question.ts';
import { asksFor, decisionIn } from '../../../src/extensions/asks/decide.ts';

const ask = { by: 'policy spend', of: ['ada'], quorum: 1, self: false, wait: 1_000, otherwise: 'deny' } as const;
const open = (...asks: object[]) =>
  opened({ asks: asks.map((more) => ({ ...ask, ...more })), parts: {}, extensions: [], hops: 0 }, 2, 0);
const ids = { taskId: 't', contextId: 'c' };
const question = questionOf({ status: askingStatus(open({}), ids, 0) }) ?? {};

test('a decision is read from a word, from data and from both', () => {
  const read = (...parts: Parameters<typeof decisionIn>[0]) => decisionIn(parts, question);
  expect(['approve', ' Approved', 'ALLOW', 'yes', 'Ok'].map((text) => read({ text }).decision)).toEqual(
    Array(5).fill('approve'),
  );
  expect(['deny', 'Denied', 'reject', 'no\n'].map((text) => read({ text }).decision)).toEqual(Array(4).fill('deny'));
  expect(read({ data: { decision: 'deny', reason: 'Too much' } })).toEqual({ decision: 'deny', reason: 'Too much' });
  expect(read({ text: '{"decision":"approve"}' })).toEqual({ decision: 'approve' });
  expect(read({ text: 'no' }, { data: { reason: 'Too much' } })).toEqual({ decision: 'deny', reason: 'Too much' });
  expect(read({ data: { action: 'accept', content: { decision: 'approve' } } })).toEqual({ decision: 'approve' });
  expect(read({ data: { action: 'decline' } })).toEqual({ decision: 'deny' });
});

test('what is no decision is refused with the field and the allowed values', () => {
  const faultsOf = (...parts: Parameters<typeof decisionIn>[0]) => {
    try {
      return decisionIn(parts, question);
    } catch (thrown) {
      return A2AError.from(thrown).violations;
    }
  };
  const fault = { field: 'answer.decision', description: 'must be approve or deny' };
  for (const parts of [
    [{ text: 'maybe' }],
    [{ text: 'constructor' }],
    [{ data: { decision: true } }],
    [{ data: {} }],
    [{ data: null }],
    [{ data: { action: 'cancel' } }],
    [{ url: 'https://example.com' }],
  ]) {
    expect(faultsOf(...parts)).toEqual([fault]);
  }
  const description = 'must be a text of at most 2000 characters';
  for (const reason of ['x'.repeat(2_001), 7]) {
    expect(faultsOf({ data: { decision: 'deny', reason } })).toEqual([{ field: 'answer.reason', description }]);
  }
});

test('only people whom an ask names decide, and callers about their own calls where the ask says so', () => {
  const asks = open({}, { of: ['bob'], delegate: 'ada' }, { of: ['bob'] }, { self: true });
  const of = (by: string, owner: string) =>
    asksFor(asks, by, owner, (name, id) => id === `key:${name}`).map((one) => asks.asks.indexOf(one));
  expect(of('key:ada', 'key:alice')).toEqual([0, 1, 3]);
  expect(of('key:ada', 'key:ada')).toEqual([3]);
  expect(of('key:operator', 'key:alice')).toEqual([]);
});

test('the waiting ends as asks say whose people have not agreed, and never earlier than it was said before', () => {
  const given = [{ by: 'key:ada', way: 'delegate', at: '2030-01-01T00:00:00.000Z' }];
  const endOf = (...asks: object[]) => {
    const open = { seq: 2, since: 0, asks: asks.map((more) => ({ ...ask, given: [], ...more })) };
    const { until = '', otherwise } = questionOf({ status: askingStatus(open, ids, 0) }) ?? {};
    return [Date.parse(until), otherwise === 'fail' ? 'deny' : 'allow'];
  };
  const hour = { wait: 3_600_000 };
  const lenient = { otherwise: 'allow' };
  expect(endOf({}, hour)).toEqual([1_000, 'deny']);
  expect(endOf({ given }, hour)).toEqual([3_600_000, 'deny']);
  expect(endOf({ ...lenient }, hour)).toEqual([3_600_000, 'deny']);
  expect(endOf({ ...lenient }, { ...hour, given })).toEqual([3_600_000, 'allow']);
  expect(endOf({ given }, { ...hour, ...lenient })).toEqual([3_600_000, 'allow']);
  expect(endOf({ ...lenient }, { ...hour, ...lenient })).toEqual([3_600_000, 'allow']);
});
