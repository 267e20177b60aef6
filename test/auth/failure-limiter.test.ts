import { expect, it } from 'vitest';
import { FailureLimiter } from '../../src/auth/failure-limiter.ts';

const minute = 60_000;

it('failed attempts to sign in count within the last minute, whenever that began', () => {
  let now = 0;
  const failures = new FailureLimiter(2, () => now);
  expect(failures.add('192.0.2.1')).toBe(false);
  now = 40_000;
  expect(failures.add('192.0.2.1')).toBe(true);
  expect(failures.wait('192.0.2.1')).toBe(20);
  now = 61_000;
  expect(failures.wait('192.0.2.1')).toBe(0);
  expect(failures.add('192.0.2.1')).toBe(true);
  expect(failures.wait('192.0.2.1')).toBe(39);
});

it('failed attempts to sign in count for the whole network of an IPv6 address, and for one IPv4 address however it is written', () => {
  const failures = new FailureLimiter(1, () => 0);
  failures.add('2001:db8:1:2:aaaa::1');
  expect(failures.wait('2001:db8:1:2::ffff')).toBe(60);
  expect(failures.wait('2001:db8:1:3::ffff')).toBe(0);
  failures.add('::ffff:192.0.2.1');
  expect(failures.wait('192.0.2.1')).toBe(60);
});

it('failed attempts to sign in are forgotten before they fill the memory', () => {
  let now = 0;
  const failures = new FailureLimiter(3, () => now++ / 1_000);
  for (let count = 0; count < 20_000; count++) failures.add(`2001:db8:${count.toString(16)}::1`);
  expect(failures.size).toBe(10_000);
  for (let count = 0; count < 1_000; count++) failures.add('192.0.2.1');
  expect(failures.wait('192.0.2.1')).toBeGreaterThan(50);
});

it('failed attempts to sign in are not counted where there is no bound', () => {
  const failures = new FailureLimiter(Number.POSITIVE_INFINITY, () => minute);
  for (let count = 0; count < 100; count++) failures.add('192.0.2.1');
  expect([failures.wait('192.0.2.1'), failures.size]).toEqual([0, 0]);
});

it('failed attempts to sign in are not counted for callers whose address is not known', () => {
  const failures = new FailureLimiter(1, () => 0);
  expect([failures.add(''), failures.add(''), failures.wait('')]).toEqual([false, false, 0]);
});
