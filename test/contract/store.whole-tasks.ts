import { expect, it } from 'vitest';
import type { Artifact, Message, StreamResponse, Task } from '../../src/core/model/a2a.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, TaskWriter, tasksOf } from './store-fixtures.ts';

const history = (text: string): Message[] => [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text }] }];
const artifacts = (text: string): Artifact[] => [{ artifactId: 'a', parts: [{ text }] }];

/** Below and above the sizes up to which a body comes with its row, alone and in a list. */
const sizes = [10, 20_000, 100_000];

/** Tasks whose last event is the whole task: the store has no snapshot of them. */
export function wholeTasks(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it.each(sizes)(
    'a task whose last event is the whole task is read everywhere when it is the only event, with %i characters',
    async (size) => {
      const store = await fresh();
      const writer = new TaskWriter({ now: () => 1_000 });
      const append = writer.create('TASK_STATE_COMPLETED', {
        history: history('é'),
        artifacts: artifacts('é'.repeat(size)),
      });
      expect(append).not.toHaveProperty('snapshot');
      await store.append(append);
      const json = JSON.stringify(writer.task);
      for (const stored of [await store.find(alice, writer.id), await store.load(writer.key)]) {
        expect(stored).toMatchObject({ state: 'TASK_STATE_COMPLETED', seq: 1, rested: true, statusAt: 1_000 });
        expect(stored?.json).toBe(json);
        expect(stored?.task).toEqual(writer.task);
        expect(stored?.bytes).toBe(Buffer.byteLength(append.events[0]?.json ?? ''));
      }
      expect(await store.events(writer.key, 0, 10)).toEqual(append.events);
      expect(await store.lastUse(alice, writer.id)).toEqual({ key: writer.key, dialect: 'a2a-1.0' });
      expect(await store.latestTurn(writer.key)).toBe(1);
      const page = await store.list(alice, { pageSize: 5, includeArtifacts: true, contextId: writer.contextId });
      expect({ ...page, tasks: tasksOf(page) }).toMatchObject({
        tasks: [writer.task],
        nextPageToken: '',
        totalSize: 1,
      });
      expect(tasksOf(await store.list(alice, { pageSize: 5, historyLength: 0 }))).toEqual([
        { id: writer.id, contextId: writer.contextId, status: { state: 'TASK_STATE_COMPLETED' } },
      ]);
    },
  );

  it.each(sizes)(
    'a task whose last event is the whole task is read the same when it replaces an earlier one, with %i characters',
    async (size) => {
      const store = await fresh();
      const text = 'x'.repeat(size);
      for (const [first, last] of [
        [{}, { history: history(text) }],
        [{ history: history('before') }, { artifacts: artifacts(text) }],
        [{ artifacts: artifacts('before') }, { history: history(text) }],
        [{ history: history('before') }, { history: history(text), artifacts: artifacts(text) }],
      ] satisfies [Partial<Task>, Partial<Task>][]) {
        const writer = new TaskWriter();
        const whole: StreamResponse = {
          task: { id: writer.id, contextId: writer.contextId, status: { state: 'TASK_STATE_COMPLETED' }, ...last },
        };
        await store.append(writer.create('TASK_STATE_SUBMITTED', first));
        await store.append(writer.next(whole));
        const stored = await store.load(writer.key);
        expect(stored?.task).toEqual(writer.task);
        // A large task ends without a snapshot.
        const large = new TaskWriter();
        await store.append(large.create('TASK_STATE_SUBMITTED', first));
        const { id, contextId } = large;
        const end: StreamResponse = { task: { id, contextId, status: { state: 'TASK_STATE_COMPLETED' }, ...last } };
        const { snapshot: _, ...unfolded } = large.next(end);
        await store.append(unfolded);
        expect((await store.load(large.key))?.task).toEqual(large.task);
        expect(JSON.parse(stored?.json ?? '')).toEqual(writer.task);
        const tasks = tasksOf(
          await store.list(alice, { pageSize: 1, includeArtifacts: true, contextId: writer.contextId }),
        );
        expect(tasks).toEqual([writer.task]);
      }
    },
  );

  it('a task whose last event is the whole task is read while it is under way, and continued', async () => {
    const store = await fresh();
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_INPUT_REQUIRED', { history: history('hello') }));
    const opened = await store.load(writer.key);
    expect(opened?.json).toBe(JSON.stringify(writer.task));
    await store.append(writer.message('go on'));
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
    await store.append(writer.status('TASK_STATE_COMPLETED'));
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
    // An earlier result is not changed by later events.
    expect(opened?.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
}
