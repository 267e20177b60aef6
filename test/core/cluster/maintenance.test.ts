import { expect, it, vi } from 'vitest';
import { maintain } from '../../../src/core/cluster/maintenance.ts';
import { silent } from '../../support/core.ts';

it('what extensions no longer keep is deleted in batches, by the replica that has the lease, until nothing is left', async () => {
  const lease = vi.fn(async () => true);
  const expire = vi.fn(async () => expire.mock.calls.length < 3);
  const store = {
    now: Date.now,
    expire: async () => 0,
    peers: { shared: true, lease, onReplicaLeft: () => undefined },
  };
  const stop = maintain({
    store,
    logger: silent,
    takeOver: async () => 0,
    retention: { tasks: Number.POSITIVE_INFINITY },
    expire,
  });
  await expect.poll(() => lease.mock.calls.length).toBe(4);
  expect(expire.mock.calls).toEqual([[500], [500], [500]]);
  stop();
});

it('what fails is tried again, and said once until it succeeds', async () => {
  vi.useFakeTimers();
  const [error, debug] = [vi.fn(), vi.fn()];
  let fails = true;
  const store = {
    now: Date.now,
    expire: async () => 0,
    peers: { shared: true, lease: async () => false, onReplicaLeft: () => undefined },
  };
  const recover = async () => {
    if (fails) throw new Error('away');
    return 0;
  };
  const logger = { ...silent, error, debug };
  const stop = maintain({
    store,
    logger,
    takeOver: recover,
    retention: { tasks: Number.POSITIVE_INFINITY },
    expire: async () => false,
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([error.mock.calls.length, debug.mock.calls.length]).toEqual([1, 5]);
  fails = false;
  await vi.advanceTimersByTimeAsync(2_000);
  fails = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(error).toHaveBeenCalledTimes(2);
  stop();
  vi.useRealTimers();
});

it('the maintenance of a store looks for what a gateway left behind as soon as that one has taken its leave, also while it is looking', async () => {
  vi.useFakeTimers();
  let left: () => void = () => undefined;
  const onReplicaLeft = (listener: () => void): void => {
    left = listener;
  };
  const store = {
    now: Date.now,
    expire: async () => 0,
    peers: { shared: true, lease: async () => false, onReplicaLeft },
  };
  const recover = vi.fn(() => new Promise<number>((resolve) => setTimeout(() => resolve(0), 100)));
  const stop = maintain({
    store,
    logger: silent,
    takeOver: recover,
    retention: { tasks: Number.POSITIVE_INFINITY },
    expire: async () => false,
  });
  left();
  expect(recover).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(recover).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(200);
  left();
  expect(recover).toHaveBeenCalledTimes(3);
  stop();
  left();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(recover).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});
