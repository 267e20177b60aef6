import { expect, test } from 'vitest';
import {
  keyOf,
  ofReceiver,
  positions,
  receiversOf,
  undelivered,
} from '../../../src/extensions/console/pages/push/deliveries.ts';
import type { DeliveryStatus } from '../../../src/gen/admin-v1/types.ts';

const delivery = (more: Partial<DeliveryStatus> = {}): DeliveryStatus => ({
  state: 'waiting',
  taskId: 'task-1',
  configId: 'config-1',
  receiver: 'https://a.example',
  agent: 'demo',
  ...more,
});

test('undelivered events are counted from the first to the last position', () => {
  expect(undelivered(delivery({ firstPosition: 3, lastPosition: 7 }))).toBe(5);
  expect(undelivered(delivery())).toBe(0);
});

test('each row has a key of its own', () => {
  const dead = (firstPosition: number) => delivery({ state: 'dead', firstPosition });
  const rows = [
    ...[delivery(), delivery({ configId: 'config-2' }), delivery({ taskKey: 'k1' }), delivery({ taskKey: 'k2' })],
    ...[dead(1), dead(2)],
  ];
  expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
  // A delivery that goes on keeps its row.
  expect(keyOf(delivery({ firstPosition: 2 }))).toBe(keyOf(delivery({ firstPosition: 1 })));
});

test('positions are one or from one to another', () => {
  expect(positions(delivery({ firstPosition: 3, lastPosition: 3 }))).toBe('3');
  expect(positions(delivery({ firstPosition: 3, lastPosition: 7 }))).toBe('3 to 7');
});

test('a text selects the receiver of this name, or else the receivers whose names contain it', () => {
  const hosts = ['http://a.example:80', 'http://a.example:8080', 'http://b.example'];
  const list = [...hosts.map((receiver) => delivery({ receiver })), delivery({ receiver: '' })];
  const found = (text: string) => ofReceiver(list, text).map(({ receiver }) => receiver);
  expect(found('http://a.example:80')).toEqual(['http://a.example:80']);
  expect(found('A.example')).toEqual(['http://a.example:80', 'http://a.example:8080']);
  expect(found('')).toEqual([...hosts, '']);
  expect(found('c.example')).toEqual([]);
});

test('receivers sum what waits for them, those with dead letters first', () => {
  const summaries = receiversOf([
    delivery({ receiver: 'https://quiet.example', time: '2026-01-01T00:00:09Z', firstPosition: 1, lastPosition: 2 }),
    delivery({
      receiver: 'https://dead.example',
      state: 'dead',
      reason: '410',
      attempts: 7,
      firstPosition: 4,
      lastPosition: 4,
    }),
    delivery({ receiver: 'https://quiet.example', time: '2026-01-01T00:00:03Z', attempts: 2, reason: '503' }),
  ]);
  expect(summaries).toEqual([
    { receiver: 'https://dead.example', dead: 1, waiting: 0, events: 1, attempts: 7, reason: '410' },
    {
      receiver: 'https://quiet.example',
      dead: 0,
      waiting: 2,
      events: 2,
      attempts: 2,
      reason: '503',
      next: '2026-01-01T00:00:03Z',
    },
  ]);
  expect(receiversOf([])).toEqual([]);
});
