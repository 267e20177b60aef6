import { expect, it, vi } from 'vitest';
import { maintain } from '../../../src/core/cluster/maintenance.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { silent } from '../../support/core.ts';
import { bury, storesOnPostgres } from '../../support/peers.ts';

const database = storesOnPostgres();

/** Begins to maintain a store; says how often it was asked to delete something. */
function maintained(store: Store) {
  const expire = vi.fn(async () => 0);
  const recover = vi.fn(async () => 0);
  const { peers } = store;
  const retention = { tasks: 1 };
  const stop = maintain({
    store: { now: () => store.now(), expire, peers },
    logger: silent,
    takeOver: recover,
    retention,
    expire: async () => false,
  });
  return { expire, recover, stop };
}

it('one of many gateways deletes what was kept long enough, and another one when that one is dead', async () => {
  const { url, open } = await database();
  const stores = await Promise.all(['one', 'two', 'three'].map((name) => open(name)));
  const all = stores.map(maintained);
  await vi.waitFor(() => {
    expect(all.filter(({ expire }) => expire.mock.calls.length > 0)).toHaveLength(1);
    for (const { recover } of all) expect(recover).toHaveBeenCalled();
  });
  for (const { stop } of all) stop();
  const again = stores.map(maintained);
  const at = all.findIndex(({ expire }) => expire.mock.calls.length > 0);
  await vi.waitFor(() => expect(again[at]?.expire).toHaveBeenCalled());
  for (const { stop } of again) stop();
  const others = stores.filter((_, i) => i !== at);
  await bury(url, ['one', 'two', 'three'][at] ?? '');
  const after = others.map(maintained);
  await vi.waitFor(() => expect(after.filter(({ expire }) => expire.mock.calls.length > 0)).toHaveLength(1));
  for (const { stop } of after) stop();
});
