import { afterEach, describe, expect, it, vi } from 'vitest';
import { maintain } from '../../src/core/cluster/maintenance.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { silent } from '../support/core.ts';

const space = { agent: 'facts', tenant: '' };
const statement = { subject: { id: 'urn:s' }, predicate: { id: 'urn:p' }, object: { value: 'v' } };

describe('what is kept long enough', () => {
  let store: Store;
  afterEach(() => store.close());

  it.each([
    ['is forgotten: changes of what agents know', 1, 0],
    ['stays for ever where that is wished', undefined, 1],
  ])('%s', async (_, changes, left) => {
    store = createStore('memory:', { instance: 'test', logger: silent });
    await store.open();
    await store.knowledge.apply(space, [{ op: 'add', statement }], {});
    await new Promise((resolve) => setTimeout(resolve, 10));
    const recover = () => Promise.resolve(0);
    const stop = maintain({
      store,
      logger: silent,
      takeOver: recover,
      refresh: async () => undefined,
      retention: { tasks: undefined, changes },
    });
    const count = async () => (await store.knowledge.changes(space, 0, 10)).length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expect.poll(count).toBe(left);
    stop();
  });
});

it('what fails is tried again, and said once until it succeeds', async () => {
  vi.useFakeTimers();
  const [error, debug] = [vi.fn(), vi.fn()];
  let fails = true;
  const store = {
    now: Date.now,
    expire: async () => 0,
    knowledge: { expireChanges: async () => 0 },
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
    refresh: async () => undefined,
    retention: { tasks: undefined, changes: undefined },
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

it('looks for what a gateway left behind as soon as that one has taken its leave, also while it is looking', async () => {
  vi.useFakeTimers();
  let left: () => void = () => undefined;
  const onReplicaLeft = (listener: () => void): void => {
    left = listener;
  };
  const store = {
    now: Date.now,
    expire: async () => 0,
    knowledge: { expireChanges: async () => 0 },
    peers: { shared: true, lease: async () => false, onReplicaLeft },
  };
  const recover = vi.fn(() => new Promise<number>((resolve) => setTimeout(() => resolve(0), 100)));
  const stop = maintain({
    store,
    logger: silent,
    takeOver: recover,
    refresh: async () => undefined,
    retention: { tasks: undefined, changes: undefined },
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
