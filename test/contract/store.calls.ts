import { describe, expect, it } from 'vitest';
import type { CallKey } from '../../src/core/model/ids.ts';
import { KeyTaken } from '../../src/core/ports/store-errors.ts';
import type { Append } from '../../src/core/ports/task-store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, callKey, TaskWriter } from './store-fixtures.ts';

const keyed = (append: Append, call: CallKey, seq = 0): Append => ({ ...append, keys: [{ call, seq }] });
const taken = { kind: 'internal', cause: expect.any(KeyTaken) };

/** Idempotency keys, and the store's own life. */
export function calls(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  describe('idempotency keys of calls that are answered by no task', () => {
    it('the first call has the key, the second finds it', async () => {
      const store = await fresh();
      const call = callKey('k');
      expect(await store.findCall(alice, 'k')).toBeUndefined();
      expect(await store.claimCall(call)).toBeUndefined();
      const known = { digest: 'd', nonce: call.nonce, replica: 'this' };
      expect(await store.claimCall(callKey('k', { digest: 'other' }))).toEqual(known);
      await store.answerCall(call, '{"a":"\\u0000"}');
      expect(await store.findCall(alice, 'k')).toEqual({ ...known, answer: '{"a":"\\u0000"}' });
    });

    it('a key belongs to its owner, and any text is one', async () => {
      const store = await fresh();
      const keys = ['k', 'K', '', '\0', '\u0001', '\u00010', '\u00e9', 'e\u0301'];
      for (const owner of [alice, bob, { ...alice, agent: 'other' }, { ...alice, tenant: 'k' }]) {
        for (const [i, key] of keys.entries()) {
          expect(await store.claimCall(callKey(key, { owner, digest: `d${i}` }))).toBeUndefined();
        }
      }
      for (const [i, key] of keys.entries()) expect((await store.findCall(alice, key))?.digest).toBe(`d${i}`);
    });

    it('of many calls at once under one key, exactly one is the first', async () => {
      const store = await fresh();
      const results = await Promise.all(Array.from({ length: 20 }, () => store.claimCall(callKey('k'))));
      expect(results.filter((known) => known === undefined)).toHaveLength(1);
    });

    it('a statement that is repeated recognises its own row', async () => {
      const store = await fresh();
      const call = callKey('k');
      expect(await store.claimCall(call)).toBeUndefined();
      expect(await store.claimCall(call)).toBeUndefined();
    });

    it('a key is released by its own call alone, and is new then', async () => {
      const store = await fresh();
      const call = callKey('k');
      await store.claimCall(call);
      await store.releaseCall(callKey('k'));
      expect(await store.claimCall(callKey('k'))).toBeDefined();
      await store.releaseCall(call);
      expect(await store.claimCall(callKey('k'))).toBeUndefined();
    });

    it('a key whose call has an answer is not released', async () => {
      const store = await fresh();
      const call = callKey('k');
      await store.claimCall(call);
      await store.answerCall(call, '{}');
      await store.releaseCall(call);
      expect(await store.claimCall(callKey('k'))).toMatchObject({ answer: '{}' });
    });

    it('the place of a call that came to nothing is taken once', async () => {
      const store = await fresh();
      const call = callKey('k');
      await store.claimCall(call);
      const results = await Promise.all(Array.from({ length: 5 }, () => store.claimCall(callKey('k'), call.nonce)));
      expect(results.filter((known) => known === undefined)).toHaveLength(1);
      await store.answerCall(call, '{}');
      expect((await store.findCall(alice, 'k'))?.answer).toBeUndefined();
    });
  });

  describe('idempotency keys of messages', () => {
    it('idempotency keys of messages are stored with the task that the message opens', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const call = callKey('k');
      await store.append(keyed(writer.create(), call));
      const turn = { key: writer.key, seq: 0 };
      expect(await store.findCall(alice, 'k')).toEqual({ digest: 'd', nonce: call.nonce, turn, replica: 'this' });
    });

    it('idempotency keys of messages are stored with the message that continues a task', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
      await store.append(keyed(writer.message('go on'), callKey('k'), 2));
      expect((await store.findCall(alice, 'k'))?.turn).toEqual({ key: writer.key, seq: 2 });
    });

    it('of many messages at once under one key, exactly one makes a task', async () => {
      const store = await fresh();
      const writers = Array.from({ length: 10 }, () => new TaskWriter());
      const results = await Promise.allSettled(writers.map((each) => store.append(keyed(each.create(), callKey('k')))));
      const made = writers.filter((_, i) => results[i]?.status === 'fulfilled');
      expect(made).toHaveLength(1);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(taken);
      const positions = await store.positions(writers.map(({ key }) => key));
      expect([...positions.keys()]).toEqual([made[0]?.key]);
      expect((await store.findCall(alice, 'k'))?.turn?.key).toBe(made[0]?.key);
    });

    it('messages of the same moment are written when a key is taken', async () => {
      const store = await fresh();
      await store.claimCall(callKey('k'));
      const [refused, plain, other] = [new TaskWriter(), new TaskWriter(), new TaskWriter()];
      const results = await Promise.allSettled([
        store.append(plain.create()),
        store.append(keyed(refused.create(), callKey('k'))),
        store.append(keyed(other.create(), callKey('l'))),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await store.load(refused.key)).toBeUndefined();
      expect(await store.events(refused.key, 0, 10)).toEqual([]);
    });

    it('a message whose key is taken changes nothing of its task', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
      await store.claimCall(callKey('k'));
      const copy = writer.copy();
      await expect(store.append(keyed(copy.message('again'), callKey('k'), 2))).rejects.toMatchObject(taken);
      expect(await store.load(writer.key)).toMatchObject({ seq: 2, state: 'TASK_STATE_INPUT_REQUIRED' });
      await store.append(writer.message('go on'));
    });

    it('an append that is repeated is done once', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const append = keyed(writer.create(), callKey('k'));
      await store.append(append);
      await store.append(append);
      expect((await store.load(writer.key))?.seq).toBe(1);
    });

    it('a task that is not where it was expected to be takes no key', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      const late = writer.copy();
      await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
      await expect(store.append(keyed(late.message('late'), callKey('k'), 1))).rejects.toBeDefined();
      expect(await store.findCall(alice, 'k')).toBeUndefined();
    });
  });

  describe('a task whose call is not answered with a task', () => {
    const opened = async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const call = callKey('k');
      await store.append(keyed(writer.create(), call));
      return { store, writer, call };
    };

    it('a task whose call is not answered with a task is removed, and its key has the answer', async () => {
      const { store, writer, call } = await opened();
      expect(await store.retract(writer.key, call, '"said"')).toBe(true);
      expect(await store.load(writer.key)).toBeUndefined();
      expect(await store.events(writer.key, 0, 10)).toEqual([]);
      expect(await store.findCall(alice, 'k')).toMatchObject({ answer: '"said"' });
      expect((await store.findCall(alice, 'k'))?.turn).toBeUndefined();
      expect(await store.retract(writer.key, call, '"again"')).toBe(false);
      expect((await store.findCall(alice, 'k'))?.answer).toBe('"said"');
    });

    it('a task whose call is not answered with a task is removed, and its key is free', async () => {
      const { store, writer, call } = await opened();
      expect(await store.retract(writer.key, call, undefined)).toBe(true);
      expect(await store.findCall(alice, 'k')).toBeUndefined();
      await store.append(keyed(new TaskWriter().create(), callKey('k')));
    });

    it('a task whose call is not answered with a task is removed where there is no key', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      expect(await store.retract(writer.key, undefined, undefined)).toBe(true);
      expect(await store.load(writer.key)).toBeUndefined();
    });

    it('a task whose call is not answered with a task stays if it has more events or a push configuration', async () => {
      const { store, writer, call } = await opened();
      await store.append(writer.status('TASK_STATE_WORKING'));
      expect(await store.retract(writer.key, call, '"said"')).toBe(false);
      expect(await store.findCall(alice, 'k')).toMatchObject({ turn: { key: writer.key, seq: 0 } });
      const pushed = new TaskWriter();
      await store.append(pushed.create());
      await store.putPushConfig(pushed.key, { id: 'p', url: 'http://localhost/' }, 'a2a-1.0');
      expect(await store.retract(pushed.key, undefined, undefined)).toBe(false);
      expect((await store.load(writer.key))?.task).toEqual(writer.task);
    });
  });

  it('life answers a ping while it is open, and nothing after', async () => {
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
}
