import { describe, expect, it } from 'vitest';
import type { StoreKind } from './store.suite.ts';
import { alice, bob } from './store-fixtures.ts';

/** Idempotency keys, and the store's own life. */
export function calls(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  describe('idempotency keys', () => {
    it('the first call is new, the second is told of it', async () => {
      const store = await fresh();
      expect(await store.rememberCall(alice, 'k', 'digest')).toBeUndefined();
      expect(await store.rememberCall(alice, 'k', 'other')).toEqual({ digest: 'digest', alive: true });
      await store.settleCall(alice, 'k', { task: { key: 't\0', seq: 3 } });
      const known = { digest: 'digest', alive: true, task: { key: 't\0', seq: 3 } };
      expect(await store.rememberCall(alice, 'k', 'digest')).toEqual(known);
      await store.settleCall(alice, 'k', { answer: '{"a":"\\u0000"}' });
      expect(await store.rememberCall(alice, 'k', 'digest')).toEqual({ ...known, answer: '{"a":"\\u0000"}' });
    });

    it('a key belongs to its owner, and any text is one', async () => {
      const store = await fresh();
      const keys = ['k', 'K', '', '\0', '\u0001', '\u00010', '\u00e9', 'e\u0301'];
      for (const owner of [alice, bob, { ...alice, agent: 'other' }, { ...alice, tenant: 'k' }]) {
        for (const [i, key] of keys.entries()) expect(await store.rememberCall(owner, key, `d${i}`)).toBeUndefined();
      }
      for (const [i, key] of keys.entries()) {
        expect((await store.rememberCall(alice, key, 'x'))?.digest).toBe(`d${i}`);
      }
    });

    it('of many at once exactly one is the first', async () => {
      const store = await fresh();
      const results = await Promise.all(Array.from({ length: 20 }, () => store.rememberCall(alice, 'k', 'd')));
      expect(results.filter((known) => known === undefined)).toHaveLength(1);
    });

    it('a key that was forgotten is new', async () => {
      const store = await fresh();
      await store.rememberCall(alice, 'k', 'd');
      await store.forgetCall(bob, 'k');
      expect(await store.rememberCall(alice, 'k', 'd')).toBeDefined();
      await store.forgetCall(alice, 'k');
      expect(await store.rememberCall(alice, 'k', 'e')).toBeUndefined();
    });
  });

  describe('life', () => {
    it('answers a ping while it is open, and nothing after', async () => {
      const store = await fresh();
      await store.ping();
      await store.ping(new AbortController().signal);
      await expect(store.ping(AbortSignal.abort())).rejects.toMatchObject({ kind: 'unavailable' });
      await store.close();
      await store.close();
      await expect(store.ping()).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(store.find(alice, 'x')).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(store.append({ key: 'x', events: [] })).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });
}
