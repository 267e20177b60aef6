import { expect, it } from 'vitest';
import type { CallContext } from '../../../src/core/model/call.ts';
import type { CallLabels, CallLoss } from '../../../src/core/telemetry/records.ts';
import { most } from '../../../src/extensions/generations/model.ts';
import { PendingUses } from '../../../src/extensions/generations/pending.ts';

/** Counts between two writes: merged, bounded, and kept when they cannot be stored. */

const labelsOf = (more: Partial<CallLabels> = {}): CallLabels => ({
  agent: 'demo',
  dialect: 'a2a-0.3',
  binding: 'rest',
  operation: 'SendMessage',
  ...more,
});

const lossOf = (path: string, more: Partial<CallLoss> = {}): CallLoss => ({
  context: { principal: { id: 'alice' }, agent: 'demo', dialect: 'a2a-0.3', binding: 'rest' } as CallContext,
  agentDialect: undefined,
  at: 7,
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
  for (const [at, operation] of operations.entries()) {
    const labels = labelsOf({ operation });
    for (let i = 0; i < 2; i += 1) pending.called('alice', labels, at);
  }
  pending.note({ generation: 'a2a-0.3', principal: 'alice', agent: 'demo', binding: 'rest' }, 'wouldBeRefused');
  expect(pending.take()).toMatchObject([{ calls: 10, newWork: 6, wouldBeRefused: 1, refused: 0, firstAt: 0 }]);
  expect(pending.take()).toEqual([]);
});

it('calls after those that were taken are an entry of their own', () => {
  const pending = new PendingUses();
  const labels = labelsOf();
  for (const at of [3, 4]) {
    pending.called('alice', labels, at);
    expect(pending.take()).toMatchObject([{ calls: 1, firstAt: at, lastAt: at }]);
  }
});

it('calls of the gateway, over other protocols, and in other dialects are no entries', () => {
  const pending = new PendingUses();
  for (const more of [{ agent: '' }, { binding: 'mcp' }, { binding: 'local' }, { dialect: 'knowledge-1.0' }])
    pending.called('alice', labelsOf(more), 5);
  expect(pending.take()).toEqual([]);
});

it('of the losses only paths of fields are kept, since agents answer with paths of their own', () => {
  const pending = new PendingUses();
  const paths = ['message.parts[].metadata', 'task.status', 'a secret', '<b>', 'x'.repeat(201), 'a..b', ''];
  for (const path of paths) pending.lost(lossOf(path));
  expect(pending.take()[0]?.lost.map(({ path }) => path)).toEqual(['message.parts[].metadata', 'task.status']);
});

it('an entry keeps so many lost fields, and one field of the caller apart from that of the agent', () => {
  const pending = new PendingUses();
  const many = Array.from({ length: 100 }, (_, at) => lossOf(`field${at}`));
  for (const loss of [lossOf('id'), lossOf('id', { agentDialect: 'a2a-0.1' }), lossOf('id'), ...many])
    pending.lost(loss);
  const [{ lost } = expect.fail('no entry')] = pending.take();
  expect(lost).toHaveLength(most.paths);
  expect(lost.slice(0, 2)).toEqual([
    { path: 'id', agentDialect: '', count: 2, lastAt: 7 },
    { path: 'id', agentDialect: 'a2a-0.1', count: 1, lastAt: 7 },
  ]);
});

it('further callers are counted together where there is no room', () => {
  const pending = new PendingUses();
  const labels = labelsOf();
  for (let at = 0; at < most.uses + 3; at += 1) pending.called(`caller-${at}`, labels, 5);
  const all = pending.take();
  expect(all).toHaveLength(most.uses + 1);
  expect(all.filter(({ generation }) => generation === '')).toMatchObject([{ calls: 3, lost: [] }]);
});

it('what could not be stored is added to what was counted meanwhile', () => {
  const pending = new PendingUses();
  const labels = labelsOf();
  pending.called('alice', labels, 2);
  pending.called('alice', labels, 3);
  pending.lost(lossOf('id'));
  const taken = pending.take();
  pending.called('alice', labels, 9);
  pending.lost(lossOf('id', { at: 9 }));
  pending.putBack(taken);
  const lost = [{ path: 'id', agentDialect: '', count: 2, lastAt: 9 }];
  expect(pending.take()).toMatchObject([{ calls: 3, newWork: 3, firstAt: 2, lastAt: 9, lost }]);
});
