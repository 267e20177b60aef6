import type { Task } from '../core/model/a2a.ts';
import type { LoggedEvent } from '../core/model/call.ts';
import { canonicalDialect } from '../core/model/call.ts';
import { fold } from '../core/model/fold.ts';
import { isTerminal, stateOf } from '../core/model/lifecycle.ts';
import type { TaskStore } from '../core/ports/task-store.ts';
import type { Frame, StreamShape } from '../dialects/kernel/codec.ts';
import type { Dialect, PushShape } from '../dialects/kernel/dialect.ts';

/** Events read at once: a few where the first of them may be refused, more the further it goes. */
const [fewest, most] = [4, 64];

/** What is sent at once. */
export interface PushBody {
  /** @throws whatever the dialect does at what it cannot write */
  text(): string;
  /** Positions of the first and the last event that it tells of. */
  readonly first: number;
  readonly last: number;
  /** Position up to which everything is told once this is delivered, where not up to `last`. */
  readonly done?: number;
  /** Milliseconds: when the first of them happened. */
  readonly at: number;
  /** Whether the task is over with it. */
  readonly ends: boolean;
}

/** Where a reader stands. */
export interface LogPosition {
  /** Position of the last event that was told, or is not to be told. */
  position: number;
  /** Whether the task is over at this position. */
  over: boolean;
}

export interface BodiesOptions {
  readonly store: Pick<TaskStore, 'events'>;
  /** The task's key. */
  readonly key: string;
  readonly dialect: Dialect;
  readonly shape: PushShape;
  /** Resolves when what an agent says without a change of state has been waited for long enough. */
  readonly pause: () => Promise<void>;
}

/** The bodies of a task's log after `reading.position`, which goes along, to its present end. */
export function readBodies(options: BodiesOptions, reading: LogPosition): AsyncGenerator<PushBody, void> {
  const { body } = options.shape;
  if (body === 'event') return events(options, reading);
  return body === 'task' ? tasks(options, reading) : frames(options, body.encoder, reading);
}

/** Each event by itself. A client's message is no news to whoever listens. */
async function* events({ store, key, dialect }: BodiesOptions, reading: LogPosition): AsyncGenerator<PushBody, void> {
  for (let page = fewest; ; page = Math.min(page * 4, most)) {
    const logged = await store.events(key, reading.position, page);
    for (const one of logged) {
      const { seq, at, event } = one;
      const ends = endsWith(one);
      if (!event.message) yield { text: () => eventText(dialect, one), first: seq, last: seq, at, ends };
      reading.position = seq;
      reading.over = ends;
    }
    if (logged.length < page && !logged.isCut) return;
  }
}

function eventText(dialect: Dialect, { event, json }: LoggedEvent): string {
  return dialect.name === canonicalDialect
    ? json
    : JSON.stringify(dialect.types.event?.encode(event, { losses: new Set<string>() }));
}

/**
 * Each event as frames of a stream. What the encoder holds back to add it up is told when the agent goes on with something
 * else, or says nothing for a while; until then the position stays before it, so that it is read again after a restart.
 */
async function* frames(
  { store, key, pause }: BodiesOptions,
  encoderFor: StreamShape['encoder'],
  reading: LogPosition,
): AsyncGenerator<PushBody, void> {
  const before = await foldTo(store, key, reading.position);
  const encoder = encoderFor({ losses: new Set<string>(), ...(before && { before }) });
  let read = reading.position;
  let paused = false;
  let held: LoggedEvent | undefined;

  function* bodiesOf(told: readonly Frame[], one: LoggedEvent, ends: boolean): Generator<PushBody> {
    held = encoder.pending ? (held ?? one) : undefined;
    const done = held ? held.seq - 1 : read;
    for (const [at, { event = '', data }] of told.entries()) {
      const isLast = at === told.length - 1;
      const text = (): string => JSON.stringify({ event, ...(JSON.parse(data) as object) });
      const position = isLast ? done : Math.min(done, one.seq - 1);
      yield { text, first: one.seq, last: read, done: position, at: one.at, ends: ends && isLast };
    }
    reading.position = done;
    reading.over = ends;
  }

  for (;;) {
    const logged = await store.events(key, read, most);
    if (logged.length === 0) {
      if (!held) return;
      if (paused) yield* bodiesOf(encoder.end?.() ?? [], held, false);
      else await pause();
      paused = !paused;
    }
    for (const one of logged) {
      read = one.seq;
      paused = false;
      // A client's message is no news to it.
      yield* bodiesOf(one.event.message ? [] : encoder.encode(one), one, endsWith(one));
    }
  }
}

/**
 * The whole task as it was after each change of its state, and now and then as it is between two of them: a body is as
 * large as the task, so that a stream of chunks is not told one by one.
 */
async function* tasks(options: BodiesOptions, reading: LogPosition): AsyncGenerator<PushBody, void> {
  const { store, key, dialect, pause } = options;
  let task = await foldTo(store, key, reading.position);
  let read = reading.position;
  let untold: LoggedEvent | undefined;
  let paused = false;
  const body = (first: LoggedEvent, last: number, ends = false): PushBody => ({
    text: () => JSON.stringify(dialect.types.task?.encode(task, { losses: new Set<string>() })),
    first: first.seq,
    last,
    at: first.at,
    ends,
  });
  for (;;) {
    const logged = await store.events(key, read, most);
    if (logged.length === 0) {
      if (!untold) return;
      if (paused) {
        yield body(untold, read);
        reading.position = read;
        untold = undefined;
      } else await pause();
      paused = !paused;
    }
    for (const one of logged) {
      task = fold(task, one.event);
      read = one.seq;
      if (stateOf(one.event) !== undefined) {
        yield body(untold ?? one, read, endsWith(one));
        untold = undefined;
        paused = false;
      } else if (!one.event.message) untold ??= one;
      if (untold) continue;
      reading.position = read;
      reading.over = endsWith(one);
    }
  }
}

/** How far the log after a position is as old: to its last event that happened before `before` (milliseconds). */
export async function skipAged(
  store: Pick<TaskStore, 'events'>,
  key: string,
  { position, over }: LogPosition,
  before: number,
): Promise<LogPosition> {
  const aged = { position, over };
  for (;;) {
    const logged = await store.events(key, aged.position, most);
    for (const one of logged) {
      if (one.at >= before) return aged;
      aged.position = one.seq;
      aged.over = endsWith(one);
    }
    if (logged.length < most && !logged.isCut) return aged;
  }
}

async function foldTo(store: Pick<TaskStore, 'events'>, key: string, position: number): Promise<Task | undefined> {
  let task: Task | undefined;
  for (let at = 0; at < position; ) {
    const logged = await store.events(key, at, Math.min(most * 8, position - at));
    for (const { event } of logged) task = fold(task, event);
    const last = logged.at(-1);
    if (!last) return task;
    at = last.seq;
  }
  return task;
}

function endsWith({ event }: LoggedEvent): boolean {
  const state = stateOf(event);
  return state !== undefined && isTerminal(state);
}
