import { expect, it } from 'vitest';
import { HostRates } from '../../src/push/host-rates.ts';

it('the rate of a host lets a minute’s notifications go at once, and regains them evenly', () => {
  const rates = new HostRates(() => 60);
  for (let i = 0; i < 60; i += 1) expect(rates.take('a', 0)).toBe(0);
  expect(rates.take('a', 0)).toBe(1_000);
  expect(rates.take('a', 500)).toBe(500);
  expect(rates.take('a', 1_000)).toBe(0);
  expect(rates.take('a', 1_000)).toBe(1_000);
  expect(rates.take('b', 1_000)).toBe(0);
});

it('the rate of a host forgets hosts that get nothing, and takes another bound at once', () => {
  let most: number | undefined = 1;
  const rates = new HostRates(() => most);
  expect(rates.take('a', 0)).toBe(0);
  rates.sweep(59_999);
  expect(rates.take('a', 0)).toBe(60_000);
  most = undefined;
  expect(rates.take('a', 0)).toBe(0);
  most = 1;
  rates.sweep(60_000);
  expect(rates.take('a', 60_000)).toBe(0);
});

it('the rate of a host gains nothing while the clock is set back', () => {
  const rates = new HostRates(() => 1);
  expect(rates.take('a', 1_000)).toBe(0);
  expect(rates.take('a', 0)).toBe(60_000);
});
