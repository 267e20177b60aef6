import { expect, it } from 'vitest';
import type { CallCount, CallerLoss } from '../../../src/core/telemetry/records.ts';
import { most } from '../../../src/extensions/generations/model.ts';
import { PendingUses } from '../../../src/extensions/generations/pending.ts';

/** Counts between two writes: merged, bounded, and kept when they cannot be stored. */

const sources = (counts: readonly CallCount[], losses: readonly CallerLoss[] = [], uncounted = 0) => ({
  callers: { take: () => ({ counts, uncounted }) },
  losses: { take: () => ({ counts: losses, uncounted: 0 }) },
});

const countOf = (more: Partial<CallCount['labels']> = {}, calls = 1, principal = 'alice', lastAt = 5): CallCount => ({
  principal,
  calls,
  lastAt,
  labels: { agent: 'demo', dialect: 'a2a-0.3', binding: 'rest', operation: 'SendMessage', ...more },
});

const lossOf = (path: string, more: Partial<CallerLoss> = {}): CallerLoss => ({
  principal: 'alice',
  agent: 'demo',
  dialect: 'a2a-0.3',
  binding: 'rest',
  agentDialect: undefined,
  count: 1,
  lastAt: 7,
  path,
  ...more,
});

it('calls of several operations are one entry, of which readings and cancellations are no new work', () => {
  const pending = new PendingUses();
  const operations = [
    'SendMessage',
    'SendStreamingMessage',
    'CreateTaskPushNotificationConfig',
    'GetTask',
    'CancelTask',
  ];
  pending.collect(sources(operations.map((operation, at) => countOf({ operation }, 2, 'alice', at))));
  pending.note({ generation: 'a2a-0.3', principal: 'alice', agent: 'demo', binding: 'rest' }, 'wouldBeRefused');
  expect(pending.take()).toMatchObject([{ calls: 10, newWork: 6, wouldBeRefused: 1, refused: 0, firstAt: 0 }]);
  expect(pending.take()).toEqual([]);
});

it('calls of the gateway, over other protocols, and in other dialects are no entries', () => {
  const pending = new PendingUses();
  pending.collect(
    sources([
      countOf({ agent: '' }),
      countOf({ binding: 'mcp' }),
      countOf({ binding: 'local' }),
      countOf({ dialect: 'knowledge-1.0' }),
    ]),
  );
  expect(pending.take()).toEqual([]);
});

it('of the losses only paths of fields are kept, since agents answer with paths of their own', () => {
  const pending = new PendingUses();
  const paths = ['message.parts[].metadata', 'task.status', 'a secret', '<b>', 'x'.repeat(201), 'a..b', ''];
  pending.collect(
    sources(
      [countOf()],
      paths.map((path) => lossOf(path)),
    ),
  );
  expect(pending.take()[0]?.lost.map(({ path }) => path)).toEqual(['message.parts[].metadata', 'task.status']);
});

it('an entry keeps so many lost fields, and one field of the caller apart from that of the agent', () => {
  const pending = new PendingUses();
  const many = Array.from({ length: 100 }, (_, at) => lossOf(`field${at}`));
  pending.collect(sources([], [lossOf('id'), lossOf('id', { agentDialect: 'a2a-0.1' }), lossOf('id'), ...many]));
  const [{ lost } = expect.fail('no entry')] = pending.take();
  expect(lost).toHaveLength(most.paths);
  expect(lost.slice(0, 2)).toEqual([
    { path: 'id', agentDialect: '', count: 2, lastAt: 7 },
    { path: 'id', agentDialect: 'a2a-0.1', count: 1, lastAt: 7 },
  ]);
});

it('further callers are counted together where there is no room, with what the gateway itself has not counted apart', () => {
  const pending = new PendingUses();
  pending.collect(
    sources(
      Array.from({ length: most.uses + 3 }, (_, at) => countOf({}, 1, `caller-${at}`)),
      [],
      4,
    ),
  );
  const all = pending.take();
  expect(all).toHaveLength(most.uses + 1);
  expect(all.filter(({ generation }) => generation === '')).toMatchObject([{ calls: 7, lost: [] }]);
});

it('what could not be stored is added to what was counted meanwhile', () => {
  const pending = new PendingUses();
  pending.collect(sources([countOf({}, 2, 'alice', 3)], [lossOf('id')]));
  const taken = pending.take();
  pending.collect(sources([countOf({}, 1, 'alice', 9)], [lossOf('id', { lastAt: 9 })]));
  pending.putBack(taken);
  const lost = [{ path: 'id', agentDialect: '', count: 2, lastAt: 9 }];
  expect(pending.take()).toMatchObject([{ calls: 3, newWork: 3, firstAt: 3, lastAt: 9, lost }]);
});
