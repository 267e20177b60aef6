import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryBudget, Reservation } from '../../../src/core/limits/memory-budget.ts';
import type { StreamResponse, TaskState } from '../../../src/core/model/a2a.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { LogConflict } from '../../../src/core/ports/store-errors.ts';
import type { Append, StoredTask } from '../../../src/core/ports/task-store.ts';
import { Subscription } from '../../../src/core/tasks/subscription.ts';
import { TaskJournal } from '../../../src/core/tasks/task-journal.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { openStore, silent } from '../../support/core.ts';

/** Events that may happen around a task that another gateway works on. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), events: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'rest' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hint' as const), behind: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'use' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('listen' as const), after: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('away' as const), reads: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'emit' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), turns: fc.integer({ min: 1, max: 4 }) }) },
);

/** Expects the error of a call that waited for an event, but another gateway wrote first. */
const isConflict = (thrown: Error): void => expect(thrown.cause).toBeInstanceOf(LogConflict);

/** Never aborts. */
const { signal } = new AbortController();

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function drain(reader: Subscription, seen: LoggedEvent[]): Promise<void> {
  for await (const event of reader) seen.push(event);
}

test('whatever hints come, or do not, everybody sees the log once and in order', async () => {
  const store = await openStore();
  let failing = 0;
  // Two gateways never write in one transaction, as two appends to one store may.
  let appended: Promise<unknown> = Promise.resolve();
  const append = (event: Append): Promise<void> => {
    const next = appended.then(() => store.append(event));
    appended = next.catch(() => undefined);
    return next;
  };
  const apart = {
    append,
    events: async (...args: Parameters<typeof store.events>) => {
      await turn();
      if (failing > 0) {
        failing -= 1;
        throw new A2AError('unavailable');
      }
      return store.events(...args);
    },
  };
  const flaky = new Proxy(store, {
    get: (target, property) => {
      const value: unknown = Reflect.get(property in apart ? apart : target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> => {
    failing = 0;
    const writer = new TaskWriter();
    await append(writer.create('TASK_STATE_WORKING'));
    const budget = new MemoryBudget(2_000);
    const target = Object.assign(new EventEmitter(), { destroyed: false });
    const ignore = (): void => undefined;
    const deps = { store: flaky, shared: true, logger: silent, memory: { isCrowded: false } };
    const owner = { isWorking: false, stopWork: ignore, bytesChanged: ignore, useChanged: ignore };
    const stored = (await store.load(writer.key)) as StoredTask;
    const journal = new TaskJournal(deps, stored, owner, stored);
    const readers: { readonly after: number; readonly seen: LoggedEvent[]; readonly done: Promise<void> }[] = [];
    const rests: Promise<void>[] = [];
    for (const taken of steps) {
      if (taken.do === 'write') {
        for (let i = 0; i < taken.events; i += 1) await append(writer.chunk(`${writer.seq}`));
      }
      if (taken.do === 'rest') {
        await append(writer.status('TASK_STATE_INPUT_REQUIRED'));
        rests.push(journal.listeners.untilRest(writer.seq - 1, signal).catch(isConflict));
        await append(writer.message('go on'));
        await append(writer.status('TASK_STATE_WORKING'));
      }
      if (taken.do === 'hint') journal.follower.noteRemotePosition(Math.max(0, writer.seq - taken.behind));
      if (taken.do === 'use') {
        await journal.catchUp()?.then(
          () => expect(journal.log.committed).toBe(writer.seq),
          (error) => expect(error).toMatchObject({ kind: 'unavailable' }),
        );
      }
      if (taken.do === 'listen') {
        const after = Math.min(journal.log.committed, Math.round(taken.after * writer.seq));
        const seen: LoggedEvent[] = [];
        const reservation = new Reservation(budget, { id: 'tester' }, target);
        readers.push({
          after,
          seen,
          done: drain(new Subscription(journal, after, { end: 'terminal', context: { reservation } }), seen),
        });
      }
      if (taken.do === 'away') failing = taken.reads;
      // One who believes that the task is this gateway's, and is mistaken.
      if (taken.do === 'emit' && journal.log.committed < writer.seq && !journal.writer.writing) emit(journal);
      if (taken.do === 'pass') for (let i = 0; i < taken.turns; i += 1) await turn();
    }
    failing = 0;
    await append(writer.status('TASK_STATE_COMPLETED'));
    // The poll of the positions, once a second, finds everything in the end.
    while (!journal.ended) {
      journal.follower.noteRemotePosition(writer.seq);
      await turn();
    }
    await Promise.all(rests);
    const log = (await store.events(writer.key, 0, 10_000)).filter(({ event }) => !event.message);
    for (const { after, seen, done } of readers) {
      await done;
      expect(seen).toEqual(log.filter(({ seq }) => seq > after));
    }
    expect((await journal.current()).task).toEqual((await store.load(writer.key))?.task);
    expect(journal.log.isTerminal).toBe(true);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 30 }), run), { numRuns: 60 });
});

function emit(journal: TaskJournal): void {
  const ids = { taskId: journal.record.id, contextId: journal.record.contextId };
  const status = { state: 'TASK_STATE_FAILED' as TaskState, timestamp: new Date().toISOString() };
  const event: StreamResponse = { statusUpdate: { ...ids, status } };
  try {
    journal.append(event, undefined);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(A2AError);
  }
}
