import { describe, expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Peers } from '../../../src/core/ports/peers.ts';
import type { StoreBatch } from '../../../src/core/ports/store.ts';
import { observePeers, observeStore, type StoreAccess } from '../../../src/core/telemetry/observed-store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { alice, TaskWriter } from '../../contract/store-fixtures.ts';

/** Accesses to a store, as an observer sees them. */

function watched() {
  const seen: [StoreAccess, string][] = [];
  const observerOf =
    (access: StoreAccess) =>
    async <T>(run: () => Promise<T>): Promise<T> => {
      try {
        const value = await run();
        seen.push([access, 'ok']);
        return value;
      } catch (thrown) {
        seen.push([access, A2AError.from(thrown).kind]);
        throw thrown;
      }
    };
  const batches: StoreBatch[] = [];
  const onBatch = (batch: StoreBatch): void => void batches.push(batch);
  const store = observeStore(createStore('memory:', { instance: 'test', onBatch }), observerOf);
  return { store, seen, batches };
}

it('a store that is watched is the same store, and each access is seen with its end', async () => {
  const { store, seen } = watched();
  await expect(store.find(alice, 'none')).rejects.toMatchObject({ kind: 'unavailable' });
  const part = { close: async () => undefined };
  const open = async () => part;
  await expect(store.extend(open)).rejects.toThrow('not open');
  await store.open();
  expect(store.peers.shared).toBe(false);
  expect(await store.extend(open)).toBe(part);
  expect(store.connections).toBeUndefined();
  const task = new TaskWriter();
  await store.append(task.create());
  expect((await store.find(alice, task.id))?.key).toBe(task.key);
  expect(await store.events(task.key, 0, 10)).toHaveLength(1);
  const refused = store.append({ ...task.chunk('x'), key: 'none' });
  await expect(refused).rejects.toMatchObject({ kind: 'internal' });
  expect(seen).toEqual([
    ['find', 'unavailable'],
    ['append', 'ok'],
    ['find', 'ok'],
    ['events', 'ok'],
    ['append', 'internal'],
  ]);
  await store.close();
  await expect(store.ping()).rejects.toMatchObject({ kind: 'unavailable' });
});

it('a store that is watched reports its writes at once', async () => {
  const { store, batches } = watched();
  await store.open();
  const tasks = [new TaskWriter(), new TaskWriter(), new TaskWriter()] as const;
  await Promise.all(tasks.map((task) => store.append(task.create())));
  // A transaction that takes long leaves the other tasks to the next one.
  expect(batches.reduce((sum, batch) => sum + batch.tasks, 0)).toBe(3);
  const [task] = tasks;
  await Promise.all(['a', 'b', 'c'].map((text) => store.append(task.chunk(text))));
  expect(batches.at(-1)).toMatchObject({ tasks: 1, events: 3 });
  for (const { seconds } of batches) expect(seconds).toBeGreaterThan(0);
  await store.close();
});

describe('peers that are watched', () => {
  /** Peers that keep their listeners in private members, as those of PostgreSQL do. */
  class SomePeers implements Partial<Peers> {
    readonly shared = true;
    #listener: () => void = () => undefined;
    #isOld = false;

    get hasOlderReplica(): boolean {
      return this.#isOld;
    }

    onReplicaLeft(listener: () => void): void {
      this.#listener = listener;
    }

    leave(): void {
      this.#isOld = true;
      this.#listener();
    }

    lease = async (): Promise<boolean> => true;
  }

  it('peers that are watched keep the members of their class, however often they are watched', async () => {
    const peers = new SomePeers();
    const seen: StoreAccess[] = [];
    const observerOf =
      (access: StoreAccess) =>
      <T>(run: () => Promise<T>): Promise<T> => {
        seen.push(access);
        return run();
      };
    const observed = observePeers(observePeers(peers as unknown as Peers, observerOf), observerOf);
    let left = 0;
    observed.onReplicaLeft(() => {
      left += 1;
    });
    expect([observed.shared, observed.hasOlderReplica]).toEqual([true, false]);
    peers.leave();
    expect([left, observed.hasOlderReplica]).toEqual([1, true]);
    expect(await observed.lease('some', 1)).toBe(true);
    expect(seen).toEqual(['peers', 'peers']);
  });
});
