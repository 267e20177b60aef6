import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defineAgent, status } from '../../src/agents/define.ts';
import type { Artifact, StreamResponse } from '../../src/core/model/a2a.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { weightOf } from '../../src/core/tasks/task-log.ts';
import { createStore } from '../../src/stores/index.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../support/core.ts';

/** The text of a large event is written in several turns of the event loop, and others may do something in between. */

const mebibyte = 1_048_576;
const longText = 'words of a large event '.repeat((3 * mebibyte) / 23);
const smallParts = Array.from({ length: 60_000 }, (_, i) => ({ data: { count: i } }));

let store: Store;
let core: Bench;
beforeEach(async () => {
  store = createStore('memory:', { instance: 'test' });
  await store.open();
});
afterEach(async () => {
  await core.close();
  await store.close();
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

const kinds = (events: readonly { readonly event: StreamResponse }[]): string[] =>
  outline(events.map(({ event }) => event));

describe('a large event', () => {
  test('stands in the log before the small one that the agent sent after it, and two subscribers get both in order', async () => {
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
    const stored = await store.events(started.id, 0, 100);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
  });

  test.each([
    ['one long text', [{ text: longText }]],
    ['many small values', smallParts],
  ])('of %s is stored as JSON.stringify writes it, and counts the same bytes', async (_, parts) => {
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
    const events = await store.events(task.id, 0, 100);
    const rest = await store.events(task.id, events.at(-1)?.seq ?? 0, 100);
    const all = [...events, ...rest];
    expect(all.map(({ json }) => json)).toEqual(all.map(({ event }) => JSON.stringify(event)));
    const bytes = all.reduce((sum, { json }) => sum + weightOf(json, mebibyte), 0);
    expect(bytes).toBeGreaterThan(2 * mebibyte);
  });

  test('is left out where the task was canceled while it was written', async () => {
    let isOver = false;
    core = await startCore(
      {
        demo: agentThat(async function* ({ taskId }) {
          try {
            yield status('TASK_STATE_WORKING');
            // Written in many turns: the cancellation comes in one of them.
            setImmediate(() => void core.call('CancelTask', { id: taskId }));
            yield artifactOf('large', Array.from({ length: 5 }, () => smallParts).flat());
            yield artifactOf('small', [{ text: 'small' }]);
          } finally {
            isOver = true;
          }
        }),
      },
      { store },
    );
    const stream = await core.stream('SendStreamingMessage', { message: userMessage('go') });
    const { value } = await stream.next();
    const started = taskIn(value.event);
    const events = await collect(stream);
    expect(outline(events)).toEqual(['working', 'canceled']);
    await vi.waitFor(() => expect(isOver).toBe(true));
    const stored = await store.events(started.id, 0, 100);
    expect(kinds(stored)).toEqual(['task', 'working', 'canceled']);
  });

  test('fails its task where it is larger than limits.task, and the events before it stay', async () => {
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
  const stored = await store.events(id, 0, 100);
  const more = await store.events(id, stored.at(-1)?.seq ?? 0, 100);
  const all = [...stored, ...more];
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
  const ids = all.flatMap(({ event }) => event.message?.messageId ?? []);
  expect(ids.toSorted()).toEqual([large.messageId, small.messageId].toSorted());
});
