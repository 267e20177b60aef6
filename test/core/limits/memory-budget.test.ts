import { EventEmitter } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { MemoryBudget, Reservation } from '../../../src/core/limits/memory-budget.ts';

const mebibyte = 1_048_576;
const crowded = { kind: 'unavailable', retryAfter: 1 };

class Target extends EventEmitter {
  destroyed = false;
  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const reserving = (budget: MemoryBudget, id: string, connection?: { largeAnswers: number }) => {
  const target = new Target();
  return { target, reservation: new Reservation(budget, { id }, target, connection) };
};

it('a reservation takes nothing for a small answer', () => {
  const budget = new MemoryBudget(1);
  const { reservation } = reserving(budget, 'a');
  expect(reservation.reserve(65_536)).toBeUndefined();
  expect(budget.total).toBe(0);
});

it('a reservation is refused where there is no room, and where its caller has half of it already', async () => {
  const budget = new MemoryBudget(10 * mebibyte);
  const first = reserving(budget, 'a');
  // One answer may have more than half.
  await first.reservation.reserve(6 * mebibyte);
  await expect(reserving(budget, 'a').reservation.reserve(mebibyte)).rejects.toMatchObject(crowded);
  await expect(reserving(budget, 'b').reservation.reserve(5 * mebibyte)).rejects.toMatchObject(crowded);
  await reserving(budget, 'b').reservation.reserve(4 * mebibyte);
  expect(budget.total).toBe(10 * mebibyte);
  first.target.close();
  expect(budget.total).toBe(4 * mebibyte);
  await reserving(budget, 'a').reservation.reserve(5 * mebibyte);
});

it('a reservation is refused for good where the answer can never be sent', async () => {
  const { reservation } = reserving(new MemoryBudget(10 * mebibyte), 'a');
  await expect(reservation.reserve(11 * mebibyte)).rejects.toMatchObject({
    kind: 'answerTooLarge',
    retryAfter: undefined,
  });
  const { reservation: unbounded } = reserving(new MemoryBudget(), 'a');
  await expect(unbounded.reserve(2 ** 29)).rejects.toMatchObject({ kind: 'answerTooLarge', retryAfter: undefined });
});

it('a reservation waits for room as long as its caller allows', async () => {
  const budget = new MemoryBudget(10 * mebibyte);
  const first = reserving(budget, 'a');
  await first.reservation.reserve(8 * mebibyte);
  await expect(reserving(budget, 'b').reservation.reserve(4 * mebibyte, Date.now())).rejects.toMatchObject(crowded);
  const waiting = reserving(budget, 'b').reservation.reserve(4 * mebibyte, Date.now() + 60_000);
  first.reservation.release();
  await waiting;
  expect(budget.total).toBe(4 * mebibyte);
});

it('a reservation waits until those before it have been made, and no longer than its client', async () => {
  const budget = new MemoryBudget();
  const [first, second, third] = ['a', 'b', 'c'].map((id) => reserving(budget, id));
  if (!first || !second || !third) throw new TypeError();
  expect(first.reservation.reserve(12 * mebibyte)).toBeUndefined();
  const made: string[] = [];
  const later = second.reservation.reserve(12 * mebibyte)?.then(() => made.push('second'));
  const gone = third.reservation.reserve(12 * mebibyte);
  third.target.close();
  await expect(gone).rejects.toMatchObject({ kind: 'canceled' });
  expect(made).toEqual([]);
  first.reservation.encoded();
  await later;
  expect([made, second.reservation.isEncoding, budget.total]).toEqual([['second'], true, 24 * mebibyte]);
  for (const { target } of [first, second]) target.close();
  expect(budget.total).toBe(0);
  await expect(third.reservation.reserve(mebibyte)).rejects.toMatchObject({ kind: 'canceled' });
});

it('an answer that grows while it is made is no longer in the way of others once it has been made', () => {
  const budget = new MemoryBudget();
  const { reservation } = reserving(budget, 'a');
  expect(reservation.reserve(mebibyte)).toBeUndefined();
  expect(reservation.reserve(2 * mebibyte)).toBeUndefined();
  reservation.release();
  const answers = ['b', 'c', 'd', 'e'].map((id) => reserving(budget, id).reservation.reserve(4 * mebibyte));
  expect(answers).toEqual([undefined, undefined, undefined, undefined]);
});

it('a reservation of one connection waits until one of four large answers has left', async () => {
  const budget = new MemoryBudget();
  const connection = { largeAnswers: 0 };
  const four = Array.from({ length: 4 }, () => reserving(budget, 'a', connection));
  for (const { reservation } of four) {
    await reservation.reserve(mebibyte);
    reservation.release();
  }
  const fifth = reserving(budget, 'a', connection).reservation.reserve(mebibyte);
  // Other connections are served meanwhile.
  await reserving(budget, 'a', { largeAnswers: 0 }).reservation.reserve(mebibyte);
  expect(connection.largeAnswers).toBe(4);
  four[0]?.target.close();
  await fifth;
  expect(connection.largeAnswers).toBe(4);
});

it('a large request takes four times its bytes until its answer is handed over, or its client is gone', () => {
  const budget = new MemoryBudget(100 * mebibyte);
  const [first, second] = [reserving(budget, 'a'), reserving(budget, 'b')];
  first.reservation.reserveRequest(mebibyte);
  second.reservation.reserveRequest(mebibyte);
  // More of the second body has arrived.
  second.reservation.reserveRequest(2 * mebibyte);
  expect(budget.total).toBe(12 * mebibyte);
  first.reservation.release();
  expect(budget.total).toBe(8 * mebibyte);
  second.target.close();
  expect(budget.total).toBe(0);
  expect(() => second.reservation.reserveRequest(mebibyte)).toThrow(expect.objectContaining({ kind: 'canceled' }));
});

it('a large request takes nothing where it is small, and is not looked into', () => {
  const { reservation } = reserving(new MemoryBudget(1), 'a');
  reservation.reserveRequest(65_536);
  reservation.reserveParsed(65_536, () => expect.fail('it is small'));
});

it('a large request gives back what it holds when it is refused, so that one of several that arrive together is served', () => {
  const budget = new MemoryBudget(64 * mebibyte);
  const first = reserving(budget, 'a').reservation;
  const second = reserving(budget, 'a').reservation;
  for (const each of [first, second]) each.reserveRequest(3 * mebibyte);
  const parse = (each: Reservation) => () => each.reserveParsed(3 * mebibyte, () => 50 * mebibyte);
  expect(parse(first)).toThrow(expect.objectContaining(crowded));
  expect(first.bytes).toBe(0);
  parse(second)();
  expect(budget.total).toBe(32 * mebibyte);
});

it('a large request is refused where there is no room, and where its caller has half of it already', () => {
  const budget = new MemoryBudget(16 * mebibyte);
  const take = (id: string, size: number) => () => reserving(budget, id).reservation.reserveRequest(size * mebibyte);
  // One request has half of all there is at most, however large it is.
  take('a', 9)();
  expect(budget.total).toBe(8 * mebibyte);
  expect(take('a', 0.5)).toThrow(expect.objectContaining(crowded));
  budget.countTasks(4 * mebibyte, mebibyte);
  expect(take('b', 1)).toThrow(expect.objectContaining(crowded));
  budget.countTasks(-4 * mebibyte, -mebibyte);
  take('b', 2)();
  expect(take('c', 0.5)).toThrow(expect.objectContaining(crowded));
});

it('a large request is never more than a third of the heap, whatever is configured', () => {
  const { heap_size_limit: heap } = getHeapStatistics();
  const budget = new MemoryBudget(heap);
  budget.count(undefined, heap / 3);
  expect(budget.isFull).toBe(true);
  expect(() => reserving(budget, 'a').reservation.reserveRequest(mebibyte)).toThrow(expect.objectContaining(crowded));
});

it('a large request gives its room to its answer', async () => {
  const budget = new MemoryBudget(16 * mebibyte);
  const { reservation } = reserving(budget, 'a');
  reservation.reserveRequest(2 * mebibyte);
  expect(reservation.reserve(8 * mebibyte)).toBeUndefined();
  await reservation.reserve(16 * mebibyte);
  expect(budget.total).toBe(16 * mebibyte);
});
