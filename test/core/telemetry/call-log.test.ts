import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Call } from '../../../src/core/model/call.ts';
import { CallDecisions } from '../../../src/core/model/call-decisions.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { CallLog } from '../../../src/core/telemetry/call-log.ts';

const context = {
  agent: 'demo',
  tenant: '',
  principal: { id: 'key:alice' },
  dialect: 'a2a-1.0',
  notes: { losses: new Set() },
};

it('the log of calls waits once for an answer that many failed calls share, and notes its status for each', async () => {
  const log = new CallLog();
  const listeners: number[] = [];
  const server = createServer((_, res) => {
    for (let count = 0; count < 20; count += 1) log.noteRefused('other', 'invalidParams', { res });
    listeners.push(res.listenerCount('close'));
    res.writeHead(418).write('one');
    log.noteRefused('other', 'invalidParams', { res });
    listeners.push(res.listenerCount('close'));
    res.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await answer.text();
    await once(server.close(), 'close');
  } finally {
    server.closeAllConnections();
  }
  expect(listeners[1]).toBe(listeners[0]);
  expect(listeners[0]).toBeLessThan(4);
  expect([...log.records(true)].map(({ status }) => status)).toEqual(Array(21).fill('418'));
});

it('a full log of calls forgets those of one caller, and keeps and drops the others in their order', () => {
  const log = new CallLog();
  const note = (id: string): void =>
    log.noteRefused('other', 'invalidParams', { principal: { id, anonymous: false }, requestId: id });
  const room = 1_000;
  for (let count = 0; count < room + 10; count += 1) note(count % 4 === 0 ? 'erased' : 'other');
  const since = log.since(true);
  const seqs = (): number[] => Array.from(log.records(true), ({ seq }) => seq).sort((one, other) => one - other);
  const kept = seqs().filter((seq) => (seq - 1) % 4 !== 0);
  expect(log.forget('erased')).toBe(room - kept.length);
  expect(seqs()).toEqual(kept);
  expect(log.since(true)).toBe(since);
  for (let count = 0; count < room - kept.length + 3; count += 1) note('other');
  expect(seqs()).toHaveLength(room);
  expect(seqs()[0]).toBe(kept[3]);
});

it('a full log of calls is complete since the latest arrival of a dropped call, also where a longer call stays', () => {
  const log = new CallLog();
  const note = (arrivedBefore: number): void =>
    log.note({ operation: 'SendMessage', request: {}, context } as unknown as Call, arrivedBefore, undefined);
  const room = 2_000;
  note(0);
  // It arrived before the first call, and ended after it.
  note(60_000);
  const [first, long] = log.records(false);
  for (let count = 0; count < room - 1; count += 1) note(0);
  expect([...log.records(false)]).toContain(long);
  expect([...log.records(false)]).not.toContain(first);
  expect(log.since(false)).toBe((first?.at ?? 0) + 1);
});

it('a call that is under way when its caller is forgotten is not noted, and later calls of the caller are', () => {
  const log = new CallLog();
  const note = (id: string, arrivedBefore: number): void =>
    log.note(
      { operation: 'SendMessage', request: {}, context: { ...context, principal: { id } } } as unknown as Call,
      arrivedBefore,
      undefined,
    );
  log.unread = [];
  log.forget('erased');
  note('erased', 60_000);
  note('other', 60_000);
  // Times are whole milliseconds.
  note('erased', -1);
  expect(Array.from(log.records(false), ({ principal, ms }) => [principal, ms])).toEqual([
    ['other', 60_000],
    ['erased', -1],
  ]);
  expect(log.unread).toHaveLength(2);
});

it('a rule that decides about a call after its caller is forgotten does not bring the call back', () => {
  const log = new CallLog();
  log.unread = [];
  const note = (id: string): CallDecisions => {
    const decisions = new CallDecisions();
    const notes = { ...context.notes, decisions };
    const call = { operation: 'SendMessage', request: {}, context: { ...context, notes, principal: { id } } };
    log.note(call as unknown as Call, 0, undefined);
    return decisions;
  };
  const [early, late, other] = ['erased', 'erased', 'other'].map(note);
  early?.add({ rule: 'guard words', outcome: 'deny' });
  log.forget('erased');
  for (const decisions of [late, other]) decisions?.add({ rule: 'guard words', outcome: 'deny' });
  expect(log.decidedLate.map(({ principal }) => principal)).toEqual(['other']);
  expect(log.unread.map(({ principal }) => principal)).toEqual(['other']);
});

it('the reason of a call names its first faulty field once, also if the message has it already', () => {
  const log = new CallLog();
  const violations = [
    { field: 'message.parts', description: 'must be a list' },
    { field: 'message.role', description: 'is missing' },
  ];
  for (const message of [undefined, 'Invalid parameters: message.parts must be a list', 'The message is refused']) {
    log.noteRefused('rest', A2AError.invalidParams(message, violations), {});
  }
  expect([...log.records(true)].map(({ reason }) => reason)).toEqual([
    'Invalid parameters: message.parts: must be a list',
    'Invalid parameters: message.parts must be a list',
    'The message is refused: message.parts must be a list',
  ]);
});
