import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StreamResponse } from '../../src/core/model/a2a.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, TaskWriter } from './store-fixtures.ts';

type Kind = 'message' | 'chunk' | 'status';

/** Appends of a task after its first event, each of some events. */
const anyAppends = fc.array(
  fc.array(fc.constantFrom<Kind>('message', 'chunk', 'status'), { minLength: 1, maxLength: 4 }),
  { maxLength: 12 },
);

const eventOf = (writer: TaskWriter, kind: Kind): StreamResponse => {
  const { id: taskId, contextId } = writer;
  if (kind === 'chunk') return writer.chunkEvent('{"message":');
  if (kind === 'status') return { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_WORKING' } } };
  return { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go on' }], taskId, contextId } };
};

/** Numbers of events up to each position, without messages of the client. */
export function generationsOf(events: readonly StreamResponse[]): number[] {
  let count = 0;
  return events.map(({ message }) => (message ? count : ++count));
}

/** Checks everything that a store says of a task's generation. */
async function check(store: Store, { id, key, contextId }: TaskWriter, events: readonly StreamResponse[]) {
  const expected = generationsOf(events);
  const last = { generation: expected.at(-1), latestTurn: events.findLastIndex(({ message }) => message) + 1 || 1 };
  expect(await store.find(alice, id)).toMatchObject(last);
  expect(await store.load(key)).toMatchObject(last);
  const { taskFacts } = await store.list(alice, { pageSize: 10, contextId });
  expect(taskFacts).toMatchObject([last]);
  for (let after = 0; after < events.length; after += 3) {
    const page = await store.events(key, after, 5);
    expect(page.map(({ generation }) => generation)).toEqual(expected.slice(after, after + 5));
  }
}

/** The generation of a task: how many events its log has, without messages of the client. */
export function generations(kind: StoreKind): void {
  it('generations are the number of events without messages, after any of them, also when the store is opened again', async () => {
    const database = await kind.database();
    let store = await database.open();
    const written: [TaskWriter, StreamResponse[]][] = [];
    await fc.assert(
      fc.asyncProperty(anyAppends, async (appends) => {
        const writer = new TaskWriter();
        const log: StreamResponse[] = [];
        const append = async (next: ReturnType<TaskWriter['next']>): Promise<void> => {
          log.push(...next.events.map(({ event }) => event));
          await store.append(next);
        };
        await append(writer.create('TASK_STATE_WORKING'));
        for (const kinds of appends) await append(writer.next(...kinds.map((one) => eventOf(writer, one))));
        await check(store, writer, log);
        // An ended task is read from its snapshot.
        await append(writer.status('TASK_STATE_COMPLETED'));
        await check(store, writer, log);
        written.push([writer, log]);
      }),
      { numRuns: 25 },
    );
    await store.close();
    store = await database.open();
    for (const [writer, log] of written) await check(store, writer, log);
  });

  it('generations are those of a log that readers have folded into a snapshot', async () => {
    const store = await (await kind.database()).open();
    const writer = new TaskWriter();
    const log = [writer.create('TASK_STATE_WORKING'), writer.message('go on')];
    for (let i = 0; i < 30; i += 1) log.push(writer.next(...Array.from({ length: 10 }, () => writer.chunkEvent('x'))));
    log.push(writer.message('and on'), writer.chunk('y'));
    for (const append of log) await store.append(append);
    // The first of them writes the snapshot back.
    for (let i = 0; i < 3; i += 1) {
      expect(await store.load(writer.key)).toMatchObject({ seq: 304, generation: 302, latestTurn: 303 });
    }
  });

  it('generations are the same for each of two stores that go on with a task', async () => {
    const database = await kind.database();
    const [one, two] = [await database.open('one'), await database.open('two')];
    const writer = new TaskWriter();
    const log: StreamResponse[] = [];
    const appends = [
      () => writer.create('TASK_STATE_INPUT_REQUIRED'),
      () => writer.message('go on'),
      () => writer.status('TASK_STATE_INPUT_REQUIRED'),
      () => writer.next(eventOf(writer, 'message'), eventOf(writer, 'chunk')),
      () => writer.status('TASK_STATE_INPUT_REQUIRED'),
    ];
    for (const [i, next] of appends.entries()) {
      const append = next();
      log.push(...append.events.map(({ event }) => event));
      // The first message makes its store the task's owner, until the task rests.
      await (i < 3 ? one : two).append(append);
      await check(i % 2 === 0 ? two : one, writer, log);
    }
  });
}
