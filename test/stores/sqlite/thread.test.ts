import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { KeyTaken, LogConflict } from '../../../src/core/ports/store-errors.ts';
import { createStore } from '../../../src/stores/index.ts';
import { SqliteThread } from '../../../src/stores/sqlite/thread.ts';
import { callKey, TaskWriter } from '../../contract/store-fixtures.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';

const large = 'a large text with é and \u{1f600} '.repeat(70_000);

let folder: string;
let path: string;
let store: Store;
beforeEach(async () => {
  folder = newFolder();
  path = join(folder, 'test.db');
  store = createStore(`sqlite:${path}`, { instance: 'test', logger: silent });
  await store.open();
});
afterEach(async () => {
  await store.close();
});

/** All events of a task, which are read in pages. */
async function eventsOf(key: string) {
  const all = [];
  for (let page = await store.events(key, 0, 100); page.length > 0; page = await store.events(key, all.length, 100)) {
    all.push(...page);
  }
  return all;
}

const causeOf = (appended: Promise<void>): Promise<unknown> =>
  appended.then(
    () => undefined,
    (thrown: Error) => thrown.cause,
  );

test('a large append keeps its order with small ones that are appended at once, of its own task and of others', async () => {
  const writers = Array.from({ length: 5 }, () => new TaskWriter());
  await Promise.all(
    writers.flatMap((writer, i) => [
      store.append(writer.create()),
      store.append(writer.chunk('before')),
      store.append(writer.chunk(i % 2 === 0 ? large : 'small')),
      store.append(writer.chunk('after')),
      store.append(writer.status('TASK_STATE_COMPLETED')),
    ]),
  );
  for (const [i, writer] of writers.entries()) {
    const events = await eventsOf(writer.key);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[2]?.event).toEqual(writer.chunkEvent(i % 2 === 0 ? large : 'small'));
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
  }
});

test('a large append that opens a task is read back as it was written', async () => {
  const writer = new TaskWriter();
  const history = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: large }] }];
  await store.append(writer.create('TASK_STATE_COMPLETED', { history }));
  expect((await store.load(writer.key))?.task).toEqual(writer.task);
});

test('a large append is refused where another one has the position, and leaves nothing', async () => {
  const writer = new TaskWriter();
  await store.append(writer.create());
  const other = writer.copy();
  await store.append(writer.chunk('first'));
  expect(await causeOf(store.append(other.chunk(large)))).toBeInstanceOf(LogConflict);
  expect((await eventsOf(writer.key)).map(({ event }) => event)).toEqual([
    expect.anything(),
    writer.chunkEvent('first'),
  ]);
  await store.append(writer.chunk(large));
  expect(await eventsOf(writer.key)).toHaveLength(3);
});

test('a large append is refused where another call has its idempotency key, and leaves nothing', async () => {
  const [first, second] = [new TaskWriter(), new TaskWriter()];
  await store.append({ ...first.create(), keys: [{ call: callKey('key'), seq: 0 }] });
  const history = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: large }] }];
  const opening = { ...second.create('TASK_STATE_SUBMITTED', { history }), keys: [{ call: callKey('key'), seq: 0 }] };
  expect(await causeOf(store.append(opening))).toBeInstanceOf(KeyTaken);
  expect(await store.load(second.key)).toBeUndefined();
  expect(await eventsOf(second.key)).toEqual([]);
});

test('a large append of a task with a webhook is reported for delivery', async () => {
  const writer = new TaskWriter();
  await store.append(writer.create());
  await store.putPushConfig(writer.key, { id: 'c', taskId: writer.id, url: 'https://example.org/' }, 'a2a-1.0');
  const pushed = vi.fn();
  store.onPushed(pushed);
  await store.append(writer.chunk(large));
  expect(pushed).toHaveBeenCalledWith(writer.key);
});

test('a large append does not keep small ones from being read and written meanwhile', async () => {
  const [slow, quick] = [new TaskWriter(), new TaskWriter()];
  await Promise.all([slow, quick].map((writer) => store.append(writer.create())));
  const writing = store.append(slow.chunk(large));
  await store.append(quick.chunk('small'));
  await store.setDialect(quick.key, 'a2a-0.3');
  expect((await store.load(quick.key))?.task).toEqual(quick.task);
  await writing;
  expect((await store.load(slow.key))?.task).toEqual(slow.task);
});

test('a thread that cannot open the file fails what it was asked, once and for all', async () => {
  const thread = new SqliteThread(join(folder, 'missing', 'test.db'), 'normal');
  const failed = vi.fn();
  thread.onFailure = failed;
  for (const result of await Promise.allSettled([thread.checkpoint(), thread.checkpoint()])) {
    expect(result.status).toBe('rejected');
  }
  expect(failed).toHaveBeenCalledTimes(1);
  await expect(thread.checkpoint()).rejects.toThrow('The thread has ended');
  await thread.close();
});
