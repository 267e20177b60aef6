import { expect, it } from 'vitest';
import type { StoreKind } from './store.suite.ts';
import { TaskWriter } from './store-fixtures.ts';

/** The modes of agents, and the replicas. */
export function agentModes(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('the modes of agents are those that were set last, with their time and principal', async () => {
    const store = await fresh();
    expect(await store.agentModes()).toEqual([]);
    const before = store.now();
    const drained = await store.setAgentMode('b', 'draining', 'alice');
    expect(drained).toEqual({ agent: 'b', mode: 'draining', changedAt: expect.any(Number), changedBy: 'alice' });
    expect(drained.changedAt).toBeGreaterThanOrEqual(before);
    expect(drained.changedAt).toBeLessThanOrEqual(store.now());
    const disabled = await store.setAgentMode('a', 'disabled', 'bob');
    expect(await store.agentModes()).toEqual([disabled, drained]);
    const enabled = await store.setAgentMode('b', 'enabled', 'bob');
    expect(await store.agentModes()).toEqual([disabled, enabled]);
  });

  it('the modes of agents are of agents and principals with any text as their name', async () => {
    const store = await fresh();
    for (const text of ['\0', '\u0001', '\u00010', 'é', 'e\u0301', "'", '']) {
      const set = await store.setAgentMode(`x${text}`, 'disabled', text);
      expect(set).toMatchObject({ agent: `x${text}`, changedBy: text });
      expect(await store.agentModes()).toContainEqual(set);
    }
    expect(await store.agentModes()).toHaveLength(7);
  });

  it('the modes of agents are set by several at once, and one of them counts', async () => {
    const store = await fresh();
    const modes = ['enabled', 'draining', 'disabled', 'draining', 'disabled'] as const;
    const set = await Promise.all(modes.map((mode, at) => store.setAgentMode('a', mode, String(at))));
    const [left, ...others] = await store.agentModes();
    expect(others).toEqual([]);
    expect(set).toContainEqual(left);
  });

  it('the replicas of a store are its own one at least, with the tasks that it works on', async () => {
    const store = await fresh();
    const [own, ...others] = await store.replicas();
    expect(others).toEqual([]);
    expect(own).toMatchObject({ pid: process.pid, isAlive: true, isThis: true, tasks: 0 });
    expect(own?.id).toMatch(/^test\/[\da-f]{8}$/);
    expect(own?.host).not.toBe('');
    expect(Math.abs((own?.heartbeatAt ?? 0) - store.now())).toBeLessThan(10_000);
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    expect(await store.replicas()).toMatchObject([{ tasks: 1 }]);
    await store.append(writer.status('TASK_STATE_COMPLETED'));
    expect(await store.replicas()).toMatchObject([{ tasks: 0 }]);
  });

  it('what replicas share is who they are: each lists itself first, and a silent one as dead', async () => {
    const database = await kind.database();
    const one = await database.open('one');
    const two = await database.open('two');
    await two.append(new TaskWriter().create('TASK_STATE_WORKING'));
    const names = async (store: typeof one) => (await store.replicas()).map(({ id }) => id.split('/')[0]);
    expect(await names(one)).toEqual(['one', 'two']);
    expect(await names(two)).toEqual(['two', 'one']);
    expect(await one.replicas()).toMatchObject([
      { isThis: true, tasks: 0 },
      { isThis: false, isAlive: true, tasks: 1 },
    ]);
    await database.silence('two');
    const [, silent] = await one.replicas();
    // Another replica may have noticed and removed it.
    if (silent) expect(silent).toMatchObject({ isAlive: false, isThis: false });
    await one.close();
    expect((await two.replicas()).map(({ isThis }) => isThis)).not.toContain(false);
  });
}
