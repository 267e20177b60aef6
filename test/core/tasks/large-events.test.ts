import { beforeEach, expect, test } from 'vitest';
import { defineAgent, status } from '../../../src/agents/define.ts';
import type { Artifact, StreamResponse } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import type { EventPage } from '../../../src/core/ports/task-store.ts';
import { weightOf } from '../../../src/core/tasks/task-log.ts';
import { type Bench, collect, openStore, outline, startCore, taskIn, userMessage } from '../../support/core.ts';

const mebibyte = 1_048_576;
const longText = 'words of a large event '.repeat((3 * mebibyte) / 23);
const smallParts = Array.from({ length: 60_000 }, (_, i) => ({ data: { count: i } }));

let store: Store;
let core: Bench;
beforeEach(async () => {
  store = await openStore();
});

const artifactOf = (artifactId: string, parts: Artifact['parts']): StreamResponse => ({
  artifactUpdate: { taskId: '', contextId: '', artifact: { artifactId, parts } },
});

const agentThat = (execute: (ids: { readonly taskId: string }) => AsyncGenerator<StreamResponse>): Agent =>
  defineAgent({ name: 'Scripted', description: 'Yields the events of a test', execute });

/** Counts turns of the event loop until it is stopped. */
function countTurns(): () => number {
  let turns = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  count();
  return () => {
    if (counting) clearImmediate(counting);
    return turns;
  };
}

/** All events of a task, which are read in pages. */
async function eventsOf(id: string): Promise<EventPage> {
  const all: EventPage = [];
  for (let page = await store.events(id, 0, 100); page.length > 0; page = await store.events(id, all.length, 100)) {
    all.push(...page);
  }
  return all;
}

test('a large event stands in the log before the small one that the agent sent after it, and two subscribers get both in order', async () => {
  const { promise: isSubscribed, resolve: subscribed } = Promise.withResolvers<void>();
  core = await startCore(
    {
      demo: agentThat(async function* () {
        yield status('TASK_STATE_WORKING');
        await isSubscribed;
        yield artifactOf('large', [{ text: longText }]);
        yield artifactOf('small', [{ text: 'small' }]);
        yield status('TASK_STATE_COMPLETED');
      }),
    },
    { store },
  );
  const started = taskIn(
    await core.call('SendMessage', { message: userMessage('go'), configuration: { returnImmediately: true } }),
  );
  const streams = [
    await core.stream('SubscribeToTask', { id: started.id }),
    await core.stream('SubscribeToTask', { id: started.id }),
  ];
  const firsts = await Promise.all(streams.map((stream) => stream.next()));
  expect(firsts.map(({ value }) => value.event.task?.id)).toEqual([started.id, started.id]);
  subscribed();
  for (const events of await Promise.all(streams.map((stream) => collect(stream)))) {
    const ids = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.artifactId ?? []);
    expect(ids).toEqual(['large', 'small']);
    expect(outline(events).at(-1)).toBe('completed');
    expect(events.find(({ artifactUpdate }) => artifactUpdate?.artifact.artifactId === 'large')).toMatchObject({
      artifactUpdate: { artifact: { parts: [{ text: longText }] } },
    });
  }
  const stored = await eventsOf(started.id);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
});

test.each([
  ['one long text', [{ text: longText }]],
  ['many small values', smallParts],
])('a large event of %s is stored as JSON.stringify writes it, and counts the same bytes', async (_, parts) => {
  core = await startCore(
    {
      demo: agentThat(async function* () {
        yield status('TASK_STATE_WORKING');
        yield artifactOf('a', parts);
      }),
    },
    { store },
  );
  const turns = countTurns();
  const task = taskIn(await core.call('SendMessage', { message: userMessage('go', { parts }) }));
  expect(turns()).toBeGreaterThan(2);
  expect(task.artifacts?.[0]?.parts).toEqual(parts);
  const all = await eventsOf(task.id);
  expect(all.map(({ json }) => json)).toEqual(all.map(({ event }) => JSON.stringify(event)));
  const bytes = all.reduce((sum, { json }) => sum + weightOf(json, mebibyte), 0);
  expect(bytes).toBeGreaterThan(2 * mebibyte);
});

test('a large event fails its task where it is larger than limits.task, and the events before it stay', async () => {
  core = await startCore(
    {
      demo: agentThat(async function* () {
        yield artifactOf('small', [{ text: 'small' }]);
        yield artifactOf('large', [{ text: longText }]);
      }),
    },
    { store, task: 2 * mebibyte },
  );
  const task = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.status.message?.parts[0]?.text).toMatch(/^The event of \d+ bytes does not fit/);
  expect(task.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['small']);
});

test('a large message and a small one sent at once to the same task are both stored, each with a position of its own', async () => {
  core = await startCore(
    {
      demo: agentThat(async function* () {
        yield status('TASK_STATE_INPUT_REQUIRED');
      }),
    },
    { store },
  );
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  const [large, small] = [userMessage(longText, { taskId: id }), userMessage('small', { taskId: id })];
  await Promise.all([large, small].map((message) => core.call('SendMessage', { message })));
  const all = await eventsOf(id);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
  const ids = all.flatMap(({ event }) => event.message?.messageId ?? []);
  expect(ids.toSorted()).toEqual([large.messageId, small.messageId].toSorted());
});
