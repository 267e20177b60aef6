import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { EventLog, type ReadEvents } from '../../../src/extensions/console/tasks/event-log.ts';
import { TimeTravel } from '../../../src/extensions/console/tasks/time-travel.ts';
import type { TaskLogEvent } from '../../../src/gen/admin-v1/types.ts';

const ids = { taskId: 't', contextId: 'c' };

/** A log of `count` events: a task, then states, messages and artifacts in turn. */
function eventsOf(count: number): TaskLogEvent[] {
  const eventAt = (position: number): StreamResponse => {
    if (position === 1) return { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };
    if (position % 3 === 0) {
      const message = { messageId: `m${position}`, role: 'ROLE_AGENT' as const, parts: [{ text: `at ${position}` }] };
      return { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING', message } } };
    }
    if (position % 3 === 1) {
      return { message: { messageId: `m${position}`, role: 'ROLE_USER', parts: [{ text: `said ${position}` }] } };
    }
    const artifact = { artifactId: 'a', parts: [{ text: `${position} ` }] };
    return { artifactUpdate: { ...ids, artifact, append: position > 2 } };
  };
  return Array.from({ length: count }, (_, at) => ({ position: at + 1, event: { ...eventAt(at + 1) } }));
}

interface Recorded {
  readonly read: ReadEvents;
  readonly reads: { readonly after: number; readonly limit: number }[];
}

/** A source whose pages have at most `maxPage` events. */
function sourceOf(events: readonly TaskLogEvent[], maxPage = 1000): Recorded {
  const reads: Recorded['reads'] = [];
  return {
    reads,
    read: async (after, limit) => {
      reads.push({ after, limit });
      await Promise.resolve();
      return { events: events.slice(after, after + Math.min(limit, maxPage)), lastPosition: events.length };
    },
  };
}

const foldedTo = (events: readonly TaskLogEvent[], position: number): Task | undefined =>
  events
    .slice(0, position)
    .reduce<Task | undefined>((task, { event }) => fold(task, event as StreamResponse), undefined);

/** The number of events in memory. */
const keptOf = (log: EventLog): number =>
  Array.from({ length: log.lastPosition }, (_, at) => log.at(at + 1)).filter(Boolean).length;

const never = new AbortController().signal;

test('a log reads what is wanted, and no more', async () => {
  const source = sourceOf(eventsOf(2000));
  const changes: number[] = [];
  const log = new EventLog(source.read, 2000, () => changes.push(keptOf(log)));
  expect(log.at(1700)).toBeUndefined();
  log.want(1690, 1720);
  await expect.poll(() => log.at(1700)?.position).toBe(1700);
  expect(source.reads).toEqual([{ after: 1000, limit: 1000 }]);
  log.want(1600, 1800);
  expect(source.reads).toHaveLength(1);
  expect(changes).toEqual([1000]);
});

test('what is in sight is read soon, whatever was in sight before', async () => {
  const source = sourceOf(eventsOf(20_000));
  // A page wants what is in sight whenever something changes.
  const log: EventLog = new EventLog(source.read, 20_000, () => log.want(18_501, 18_601));
  for (let from = 1; from < 19_000; from += 500) log.want(from, from + 100);
  await expect.poll(() => log.at(18_501)?.position).toBe(18_501);
  expect(source.reads.length).toBeLessThanOrEqual(4);
});

test('pages that end early are continued', async () => {
  const source = sourceOf(eventsOf(40), 7);
  const log = new EventLog(source.read, 40, () => {});
  const seen: number[] = [];
  for await (const { position } of log.range(1, 40, never)) seen.push(position);
  expect(seen).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
});

test('memory is bounded, and dropped events are read again', async () => {
  const events = eventsOf(60_000);
  const log = new EventLog(sourceOf(events).read, events.length, () => {});
  let count = 0;
  for await (const { position } of log.range(1, events.length, never)) expect(position).toBe(++count);
  expect(count).toBe(60_000);
  expect(keptOf(log)).toBeLessThanOrEqual(20_000);
  expect(log.at(30_000)).toBeUndefined();
  log.want(30_000, 30_000);
  await expect.poll(() => log.at(30_000)?.position).toBe(30_000);
});

test('live events extend the log, and known ones change nothing', () => {
  const events = eventsOf(12);
  const log = new EventLog(sourceOf(events).read, 10, () => {});
  log.append(events.slice(9, 12));
  log.append(events.slice(10, 12));
  expect(log.lastPosition).toBe(12);
  expect(keptOf(log)).toBe(3);
});

test('a failed read is reported, and repeated on request only', async () => {
  const events = eventsOf(10);
  let fails = true;
  let reads = 0;
  const read: ReadEvents = async (after, limit) => {
    reads += 1;
    if (fails) throw new Error('no connection');
    return { events: events.slice(after, after + limit), lastPosition: 10 };
  };
  const log: EventLog = new EventLog(read, 10, () => log.want(1, 10));
  log.want(1, 10);
  await expect.poll(() => (log.error as Error | undefined)?.message).toBe('no connection');
  await expect(log.range(1, 10, never).next()).rejects.toThrow('no connection');
  expect(reads).toBe(2);
  fails = false;
  log.retry();
  await expect.poll(() => log.at(10)?.position).toBe(10);
  expect(log.error).toBeUndefined();
});

test('a source without an event at a position ends a range with an error', async () => {
  const log = new EventLog(
    async () => ({ events: [], lastPosition: 3 }),
    3,
    () => {},
  );
  await expect(log.range(1, 3, never).next()).rejects.toThrow('Event 1 is no longer in the log');
});

test('the task at any position is the fold of the events up to it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3000 }),
      fc.array(fc.nat(3000), { minLength: 1, maxLength: 6 }),
      fc.option(fc.nat(3000)),
      async (length, jumps, known) => {
        const events = eventsOf(length);
        const log = new EventLog(sourceOf(events).read, length, () => {});
        const travel = new TimeTravel(log);
        const anchor = known === null ? undefined : foldedTo(events, known);
        if (anchor && known !== null && known <= length) travel.know({ position: known, task: anchor });
        for (const jump of jumps) {
          const position = Math.max(1, jump % (length + 1));
          const moment = await travel.at(position, never);
          expect(moment).toEqual({ position, task: foldedTo(events, position) });
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('earlier states do not change when the fold continues', async () => {
  const events = eventsOf(100);
  const travel = new TimeTravel(new EventLog(sourceOf(events).read, 100, () => {}));
  const before = await travel.at(50, never);
  const copy = structuredClone(before);
  await travel.at(100, never);
  expect(before).toEqual(copy);
});

test('walks at the same time do not disturb each other', async () => {
  const events = eventsOf(5000);
  const travel = new TimeTravel(new EventLog(sourceOf(events, 50).read, 5000, () => {}));
  const positions = [4000, 100, 2500, 5000];
  const moments = await Promise.all(positions.map((position) => travel.at(position, never)));
  for (const [at, position] of positions.entries()) expect(moments[at]?.task).toEqual(foldedTo(events, position));
});

test('a walk stops when its signal aborts', async () => {
  const abort = new AbortController();
  const source = sourceOf(eventsOf(50_000));
  const travel = new TimeTravel(new EventLog(source.read, 50_000, () => {}));
  const walk = travel.at(50_000, abort.signal);
  await expect.poll(() => source.reads.length).toBeGreaterThan(0);
  abort.abort();
  await expect(walk).rejects.toThrow('aborted');
  expect(source.reads.length).toBeLessThan(100);
});
