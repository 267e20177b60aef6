import { expect, it } from 'vitest';
import type { StateSpaceId } from '../../src/core/ports/agent-state.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, callKey, completed, TaskWriter } from './store-fixtures.ts';

const limit = 1_000;
const write = (store: Store, space: StateSpaceId, name: string, value: unknown) =>
  store.writeState(space, name, JSON.stringify(value), limit);
const taskSpace = ({ owner, key: id }: TaskWriter): StateSpaceId => ({ owner, kind: 'task', id });
const contextSpace = (id: string, owner = alice): StateSpaceId => ({ owner, kind: 'context', id });

/** Contract of agents' state. */
export function agentState(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('the state of agents is what was written last, by name', async () => {
    const store = await fresh();
    const space = contextSpace('c');
    expect(await store.readState(space, 'a')).toBeUndefined();
    expect(await write(store, space, 'a', 1)).toBe('done');
    expect(await write(store, space, 'b', { text: 'é\0\u2028' })).toBe('done');
    expect(await write(store, space, 'a', 2)).toBe('done');
    expect(await store.readState(space, 'a')).toBe('2');
    expect(await store.readState(space, 'b')).toBe(JSON.stringify({ text: 'é\0\u2028' }));
    expect(await store.writeState(space, 'a', undefined, limit)).toBe('done');
    expect(await store.writeState(space, 'never', undefined, limit)).toBe('done');
    expect(await store.readState(space, 'a')).toBeUndefined();
    expect(await store.readState(space, 'b')).toBeDefined();
  });

  it('the state of agents belongs to one owner and one task or context, and any text is a name', async () => {
    const store = await fresh();
    const owners = [alice, bob, { ...alice, tenant: 't' }, { ...alice, agent: 'other' }];
    const ids = ['x', 'X', '\0', '\u0001', '\u00010', 'é', 'e\u0301'];
    const kinds = ['task', 'context'] as const;
    const spaces = owners.flatMap((owner) => ids.flatMap((id) => kinds.map((kind) => ({ owner, kind, id }))));
    for (const [at, space] of spaces.entries()) expect(await write(store, space, ids[at % 7] ?? '', at)).toBe('done');
    for (const [at, space] of spaces.entries()) {
      expect(await store.readState(space, ids[at % 7] ?? '')).toBe(String(at));
      expect(await store.readState(space, ids[(at + 1) % 7] ?? '')).toBeUndefined();
    }
  });

  it('the state of agents has a limit for all names and values of a space together', async () => {
    const store = await fresh();
    const space = contextSpace('c');
    // A name of one byte, and two quotes.
    expect(await write(store, space, 'a', 'x'.repeat(limit - 3))).toBe('done');
    expect(await write(store, space, 'b', 1)).toEqual({ size: limit + 2 });
    expect(await write(store, space, 'a', 'é'.repeat(limit / 2 - 1))).toEqual({ size: limit + 1 });
    expect(await store.readState(space, 'a')).toBe(JSON.stringify('x'.repeat(limit - 3)));
    expect(await store.readState(space, 'b')).toBeUndefined();
    expect(await write(store, contextSpace('d'), 'b', 1)).toBe('done');
    expect(await write(store, space, 'a', 'x')).toBe('done');
    expect(await write(store, space, 'b', 'x'.repeat(limit - 7))).toBe('done');
    expect(await store.writeState(space, 'a', undefined, limit)).toBe('done');
    expect(await write(store, space, 'c', 'x')).toBe('done');
    expect(await write(store, space, 'd', 1)).toEqual({ size: limit + 2 });
  });

  it('the state of agents keeps the limit when many write at once', async () => {
    const store = await fresh();
    const space = contextSpace('c');
    const names = Array.from({ length: 20 }, (_, at) => `n${String(at).padStart(2, '0')}`);
    const outcomes = await Promise.all(names.map((name) => write(store, space, name, 'x'.repeat(95))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(10);
    const kept = await Promise.all(names.map((name) => store.readState(space, name)));
    expect(kept.filter((json) => json !== undefined)).toHaveLength(10);
  });

  it('the state of an agent whose task has no row yet can be written, and goes with a task that is retracted', async () => {
    const store = await fresh();
    const writer = new TaskWriter();
    const space = taskSpace(writer);
    expect(await write(store, space, 'a', 1)).toBe('done');
    const call = callKey('k');
    await store.append({ ...writer.create(), keys: [{ call, seq: 0 }] });
    expect(await store.readState(space, 'a')).toBe('1');
    expect(await write(store, space, 'b', 2)).toBe('done');
    expect(await store.retract(writer.key, call, '"said"')).toBe(true);
    expect(await store.readState(space, 'a')).toBeUndefined();
    expect(await store.readState(space, 'b')).toBeUndefined();
  });

  it('the state of agents goes with its task; that of a context when it has no task left and was not written for long', async () => {
    const store = await fresh();
    const long = () => store.now() - 10_000;
    const past = new TaskWriter({ contextId: 'past', now: long });
    const [stays, recent] = [await completed(store, { contextId: 'both' }), contextSpace('recent')];
    await store.append(past.create('TASK_STATE_COMPLETED'));
    const spaces = [taskSpace(past), taskSpace(stays), contextSpace('past'), contextSpace('both')];
    for (const space of [...spaces, recent]) expect(await write(store, space, 'a', 1)).toBe('done');
    const left = () => Promise.all([...spaces, recent].map((space) => store.readState(space, 'a')));
    await store.expire(store.now() - 5_000, 100);
    expect(await left()).toEqual([undefined, '1', '1', '1', '1']);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Known before the next write, however long that takes.
    const before = store.now() - 50;
    expect(await write(store, recent, 'a', 2)).toBe('done');
    // The task is older than what was written, but its context was not written again.
    await store.expire(before, 100);
    expect(await store.load(stays.key)).toBeUndefined();
    expect(await left()).toEqual([undefined, undefined, undefined, undefined, '2']);
    expect(await write(store, contextSpace('past'), 'b', 'x'.repeat(limit - 3))).toBe('done');
  });

  it('the state of an agent whose task is under way stays, however old', async () => {
    const store = await fresh();
    const writer = new TaskWriter({ contextId: 'c', now: () => store.now() - 10_000 });
    await store.append(writer.create('TASK_STATE_WORKING'));
    await write(store, taskSpace(writer), 'a', 1);
    await write(store, contextSpace('c'), 'a', 1);
    await store.expire(store.now() + 1_000, 100);
    expect(await store.readState(taskSpace(writer), 'a')).toBe('1');
    expect(await store.readState(contextSpace('c'), 'a')).toBe('1');
  });

  it('the state of agents in a database that is shared is not written by a replica that lost the task, also when it is at rest again', async () => {
    const database = await kind.database();
    const one = await database.open('one');
    const two = await database.open('two');
    const writer = new TaskWriter();
    const space = taskSpace(writer);
    await one.append(writer.create('TASK_STATE_WORKING'));
    expect(await write(one, space, 'a', 1)).toBe('done');
    expect(await write(two, space, 'a', 2)).toBe('lost');
    expect(await two.readState(space, 'a')).toBe('1');
    await database.silence('one');
    await expect.poll(() => two.claimOrphans(10)).toMatchObject([{ key: writer.key }]);
    expect(await write(one, space, 'a', 3)).toBe('lost');
    expect(await one.writeState(space, 'a', undefined, limit)).toBe('lost');
    expect(await write(two, space, 'a', 4)).toBe('done');
    await two.append(writer.status('TASK_STATE_COMPLETED'));
    expect(await write(one, space, 'a', 5)).toBe('lost');
    expect(await two.readState(space, 'a')).toBe('4');
    // Not of the task.
    expect(await write(one, contextSpace(writer.contextId), 'a', 6)).toBe('done');
  });
}
