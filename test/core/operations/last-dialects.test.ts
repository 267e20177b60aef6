import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { newId, type TaskOwner } from '../../../src/core/model/ids.ts';
import { createService } from '../../../src/core/operations/service.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import {
  type Bench,
  collect,
  contextFor,
  directory,
  openStore,
  silent,
  startCore,
  taskIn,
  userMessage,
} from '../../support/core.ts';

const owner: TaskOwner = { agent: 'demo', tenant: '', principal: 'tester' };
let store: Store;
let core: Bench;
/** Another gateway on the same database. */
let elsewhere: Bench;
beforeEach(async () => {
  store = await openStore();
  core = await startCore({ demo: createReferenceAgent() }, { store });
  elsewhere = await startCore({ demo: createReferenceAgent() }, { store });
});

const make = async (text: string, dialect = 'a2a-1.0', taskId?: string): Promise<string> => {
  const message = userMessage(text, taskId === undefined ? {} : { taskId });
  const over = { dialect, semantics: taskId === undefined ? {} : { namesTask: true as const } };
  const request = { message, configuration: { returnImmediately: true } };
  return taskIn(await core.call('SendMessage', request, over)).id;
};

const inMemory = (id: string) => core.service.dialectOf(owner, id);
const inStore = (id: string) => elsewhere.service.dialectOf(owner, id);

describe('the dialect in which a task was last used', () => {
  test.each(['hello', 'wait'])(
    'the dialect in which a task was last used is at first the one that made it (%s)',
    async (text) => {
      for (const id of [await make(text), await make(text, 'a2a-0.1'), await make(text, 'a2a-0.1', 'task-1')]) {
        expect(await inMemory(id)).toBe((await store.lastUse(owner, id))?.dialect);
      }
      expect(await inMemory('task-1')).toBe('a2a-0.1');
      expect(await inMemory('nowhere')).toBeUndefined();
      expect(await inMemory(newId())).toBeUndefined();
      expect(await core.service.dialectOf({ ...owner, principal: 'other' }, 'task-1')).toBeUndefined();
    },
  );

  const uses: Record<string, (id: string, dialect: string) => Promise<unknown>> = {
    get: (id, dialect) => core.call('GetTask', { id }, { dialect }),
    cancel: (id, dialect) => core.call('CancelTask', { id }, { dialect }).catch(() => undefined),
    subscribe: async (id, dialect) =>
      collect(await core.stream('SubscribeToTask', { id }, { dialect, replay: 'snapshot' })),
    send: (id, dialect) =>
      core
        .call(
          'SendMessage',
          { message: userMessage('x', { taskId: id }), configuration: { returnImmediately: true } },
          { dialect },
        )
        .catch((thrown) => expect(thrown).toMatchObject({ kind: 'unsupportedOperation' })),
    'list push configurations': (id, dialect) =>
      core.call('ListTaskPushNotificationConfigs', { taskId: id }, { dialect }),
  };
  for (const [use, run] of Object.entries(uses)) {
    test.each(['hello', 'wait', 'ask'])(
      `the dialect in which a task was last used changes with a ${use} (%s)`,
      async (text) => {
        const id = await make(text);
        await run(id, 'a2a-0.3');
        expect(await inMemory(id)).toBe('a2a-0.3');
        await vi.waitFor(async () => expect(await inStore(id)).toBe('a2a-0.3'), { interval: 1 });
        await run(id, 'agentvault-0.2');
        expect(await inMemory(id)).toBe('agentvault-0.2');
        await run(id, 'a2a-1.0');
        expect(await inMemory(id)).toBe('agentvault-0.2');
        await vi.waitFor(async () => expect(await inStore(id)).toBe('agentvault-0.2'), { interval: 1 });
      },
    );
  }

  test('the dialect in which a task was last used is that of the last of many uses', async () => {
    const ids = [await make('hello'), await make('wait'), await make('wait', 'a2a-0.1', 'task-1')];
    for (const id of ids) {
      const used = Array.from({ length: 30 }, (_, i) => core.call('GetTask', { id }, { dialect: `a2a-0.${i % 4}` }));
      await Promise.all(used);
      expect(await inMemory(id)).toBe('a2a-0.1');
    }
    await core.close();
    for (const id of ids) expect((await store.lastUse(owner, id))?.dialect).toBe('a2a-0.1');
  });

  test('the dialect in which a task was last used is written once, and by no call that changes nothing', async () => {
    const write = vi.spyOn(store, 'setDialect');
    const find = vi.spyOn(store, 'find');
    const lastUse = vi.spyOn(store, 'lastUse');
    for (const text of ['hello', 'wait']) {
      const id = await make(text, 'a2a-0.3');
      for (const dialect of ['a2a-0.3', 'a2a-1.0', 'a2a-0.3']) await core.call('GetTask', { id }, { dialect });
      expect(write).not.toHaveBeenCalled();
      for (let i = 0; i < 3; i += 1) await core.call('GetTask', { id }, { dialect: 'a2a-0.1' });
      expect(write).toHaveBeenCalledOnce();
      write.mockClear();
    }
    // The task that is over is read from the store, the other one is in memory; nothing is read besides.
    expect(find).toHaveBeenCalledTimes(6);
    expect(lastUse).not.toHaveBeenCalled();
  });

  test('the dialect in which a task was last used fails no call when it cannot be remembered', async () => {
    const warn = vi.fn();
    const logger: Logger = { ...silent, warn };
    const agents = directory({ demo: createReferenceAgent() });
    const limits = { answer: 1_000, page: 1_000_000, state: 1_000 };
    const service = createService({ store, agents, logger, limits, extendedCard: () => ({}) as never });
    const id = await make('hello');
    vi.spyOn(store, 'setDialect').mockRejectedValueOnce(new A2AError('unavailable'));
    const context = contextFor('demo', { dialect: 'a2a-0.3' });
    await service.invoke({ operation: 'GetTask', request: { id }, context });
    await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), { interval: 1 });
    expect(await inStore(id)).toBe('a2a-1.0');
    await service.invoke({ operation: 'GetTask', request: { id }, context });
    await vi.waitFor(async () => expect(await inStore(id)).toBe('a2a-0.3'), { interval: 1 });
    await service.close(AbortSignal.abort());
  });

  test('the dialect in which a task was last used cannot be read while the store is unavailable', async () => {
    vi.spyOn(store, 'lastUse').mockRejectedValueOnce(new A2AError('unavailable'));
    await expect(inMemory('task-1')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
