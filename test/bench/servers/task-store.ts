/**
 * Fills a store with tasks, step by step, and measures it at each step. The arguments are the store's URL and the
 * numbers of tasks; the figures go to the parent, one message for each number.
 */
import { randomUUID } from 'node:crypto';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { createStore } from '../../../src/stores/index.ts';

/** Operation by operation, at one number of stored tasks: milliseconds from call to answer, medians. */
export interface StoreCosts {
  readonly tasks: number;
  readonly costs: Readonly<Record<string, number>>;
}

const [url = 'memory:', counts = '1000'] = process.argv.slice(2);
/** Half of all tasks are one owner's, the others those of many. */
const heavy = { agent: 'bench', tenant: '', principal: 'heavy' };
const light = (i: number) => ({ agent: 'bench', tenant: '', principal: `light-${i % 500}` });
/** Appends under way at once while filling. */
const abreast = 512;

const store = createStore(url, { instance: 'bench' });
await store.open();
const keys: string[] = [];
const at = Date.now() - 3_600_000;

const logged = (seq: number, event: StreamResponse): LoggedEvent => ({
  seq,
  at: Date.now(),
  generation: seq,
  event,
  json: JSON.stringify(event),
});

/** A finished task of three events, as a blocking call leaves it. */
async function addTask(i: number): Promise<void> {
  const id = randomUUID();
  const contextId = `context-${Math.floor(i / 10)}`;
  const time = at + keys.length;
  const timestamp = new Date(time).toISOString();
  const message = { messageId: `m-${i}`, role: 'ROLE_USER' as const, parts: [{ text: 'a question of some length' }] };
  const artifact = { artifactId: 'answer', parts: [{ text: 'an answer that is somewhat longer than its question' }] };
  const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp };
  const begun = { id, contextId, status: { state: 'TASK_STATE_WORKING' as const, timestamp }, history: [message] };
  const ended: Task = { ...begun, status, artifacts: [artifact] };
  const owner = i % 2 === 0 ? heavy : light(i);
  keys.push(id);
  await store.append({
    key: id,
    create: { ...owner, key: id, id, contextId, createdAt: time, dialect: 'a2a-1.0' },
    events: [
      logged(1, { task: begun }),
      logged(2, { artifactUpdate: { taskId: id, contextId, artifact } }),
      logged(3, { statusUpdate: { taskId: id, contextId, status } }),
    ],
    status: { state: status.state, at: time },
    snapshot: { task: ended, json: JSON.stringify(ended) },
  });
}

async function fill(upTo: number): Promise<void> {
  let next = keys.length;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < upTo; i = next++) await addTask(i);
  };
  await Promise.all(Array.from({ length: abreast }, worker));
}

async function medianOf(times: number, operation: (i: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = -Math.ceil(times / 4); i < times; i += 1) {
    const before = performance.now();
    await operation(Math.abs(i));
    if (i >= 0) taken.push(performance.now() - before);
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}

/** Some other task each time, all over the store. */
const some = (i: number): number => (i * 7_919) % keys.length;
const page = { pageSize: 50 };

for (const tasks of counts.split(',').map(Number)) {
  await fill(tasks);
  const owner = (i: number) => (some(i) % 2 === 0 ? heavy : light(some(i)));
  const { nextPageToken } = await store.list(heavy, page);
  const costs = {
    'get a task': await medianOf(500, (i) => store.find(owner(i), keys[some(i)] ?? '')),
    'append a task of 3 events': await medianOf(200, () => addTask(keys.length)),
    'list, 500th of the tasks': await medianOf(50, (i) => store.list(light(2 * i + 1), page)),
    'list, by context': await medianOf(50, (i) =>
      store.list(heavy, { ...page, contextId: `context-${some(i) % 100}` }),
    ),
    'list, half of all tasks, first page': await medianOf(10, () => store.list(heavy, page)),
    'list, half of all tasks, next page': await medianOf(50, () =>
      store.list(heavy, nextPageToken ? { ...page, pageToken: nextPageToken } : page),
    ),
  };
  process.send?.({ tasks, costs } satisfies StoreCosts);
}
await store.close();
