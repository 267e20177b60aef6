import type { Task } from '../core/model/a2a.ts';
import type { LoggedEvent } from '../core/model/call.ts';
import { fold } from '../core/model/fold.ts';
import { isTerminal, stateOf } from '../core/model/lifecycle.ts';
import type { TaskStore } from '../core/ports/task-store.ts';
import type { Frame, StreamShape } from '../dialects/kernel/codec.ts';
import type { Dialect, PushShape } from '../dialects/kernel/dialect.ts';

/** Number of events in the first read: few, because the receiver may refuse the first one. */
const minPage = 4;
/** Maximum number of events in one read. */
const maxPage = 64;

export interface PushBody {
  /** Returns the body. Throws the dialect's error about an event that it cannot encode. */
  text(): string;
  /** Positions of the first and the last event in the body. */
  readonly first: number;
  readonly last: number;
  /** Position up to which all events are delivered once the body is. Default: `last`. */
  readonly done?: number;
  /** Time of the first event, in milliseconds since the epoch. */
  readonly at: number;
  /** Whether the task ends with this body. */
  readonly ends: boolean;
}

/** A reader's position in a task's log. */
export interface LogPosition {
  /** Position of the last event that was delivered, or needs no delivery. */
  position: number;
  /** Whether the task has ended at this position. */
  over: boolean;
}

export interface BodiesOptions {
  readonly store: Pick<TaskStore, 'events' | 'loadRecord'>;
  /** The task's key. */
  readonly key: string;
  readonly dialect: Dialect;
  readonly shape: PushShape;
  /** Waits for further events before a body without a change of state is sent. */
  readonly pause: () => Promise<void>;
  /** Reserves memory for a task of `bytes` in total. Its rejections are passed on. */
  readonly reserve: (bytes: number) => Promise<void>;
}

/** Returns the bodies for a task's log after `reading`, which is updated, up to the log's current end. */
export function readBodies(options: BodiesOptions, reading: LogPosition): AsyncGenerator<PushBody, void> {
  const { body } = options.shape;
  if (body === 'task') return tasks(options, reading);
  return 'textOf' in body ? events(options, body.textOf, reading) : frames(options, body.encoder, reading);
}

/** Yields a body for each event, except messages of clients. */
async function* events(
  { store, key }: BodiesOptions,
  textOf: (event: LoggedEvent) => string,
  reading: LogPosition,
): AsyncGenerator<PushBody, void> {
  for (let page = minPage; ; page = Math.min(page * 4, maxPage)) {
    const logged = await store.events(key, reading.position, page);
    for (const one of logged) {
      const { seq, at, event } = one;
      const ends = isEnd(one);
      if (!event.message && !one.isUnread) yield { text: () => textOf(one), first: seq, last: seq, at, ends };
      reading.position = seq;
      reading.over = ends;
    }
    if (logged.length < page && !logged.isCut) return;
  }
}

/**
 * Yields the frames of each event in a stream. The encoder may collect events until another kind of event arrives, or
 * none arrives for a while. Meanwhile the position stays before these events, so that they are read again after a
 * restart.
 */
async function* frames(
  { store, key, pause, reserve }: BodiesOptions,
  encoderFor: StreamShape['encoder'],
  reading: LogPosition,
): AsyncGenerator<PushBody, void> {
  if (reading.position > 0) await reserve((await store.loadRecord(key))?.bytes ?? 0);
  const before = await foldTo(store, key, reading.position);
  const encoder = encoderFor({ losses: new Set<string>(), ...(before && { before }) });
  let read = reading.position;
  let paused = false;
  let held: LoggedEvent | undefined;

  function* bodiesOf(encoded: readonly Frame[], one: LoggedEvent, ends: boolean): Generator<PushBody> {
    held = encoder.pending ? (held ?? one) : undefined;
    const done = held ? held.seq - 1 : read;
    for (const [at, { event = '', data }] of encoded.entries()) {
      const isLast = at === encoded.length - 1;
      const text = (): string => JSON.stringify({ event, ...(JSON.parse(data) as object) });
      const position = isLast ? done : Math.min(done, one.seq - 1);
      yield { text, first: one.seq, last: read, done: position, at: one.at, ends: ends && isLast };
    }
    reading.position = done;
    reading.over = ends;
  }

  for (;;) {
    const logged = await store.events(key, read, maxPage);
    if (logged.length === 0) {
      if (!held) return;
      if (paused) yield* bodiesOf(encoder.end?.() ?? [], held, false);
      else await pause();
      paused = !paused;
    }
    for (const one of logged) {
      read = one.seq;
      paused = false;
      yield* bodiesOf(one.event.message || one.isUnread ? [] : encoder.encode(one), one, isEnd(one));
    }
  }
}

/**
 * Yields the whole task after each change of its state, and after a pause in other events, but not after each chunk of
 * a stream.
 */
async function* tasks(options: BodiesOptions, reading: LogPosition): AsyncGenerator<PushBody, void> {
  const { store, key, dialect, pause, reserve } = options;
  // The row from which the latest task is folded; later events are added as they are read.
  const record = await store.loadRecord(key);
  let bytes = record?.bytes ?? 0;
  await reserve(bytes);
  let task = await foldTo(store, key, reading.position);
  let read = reading.position;
  let pending: LoggedEvent | undefined;
  let paused = false;
  const body = (first: LoggedEvent, last: number, ends = false): PushBody => ({
    text: () => JSON.stringify(dialect.types.task?.encode(task, { losses: new Set<string>() })),
    first: first.seq,
    last,
    at: first.at,
    ends,
  });
  for (;;) {
    const logged = await store.events(key, read, maxPage);
    if (logged.length === 0) {
      if (!pending) return;
      if (paused) {
        yield body(pending, read);
        reading.position = read;
        pending = undefined;
      } else await pause();
      paused = !paused;
    }
    for (const { seq, json } of logged) {
      if (seq > (record?.seq ?? 0)) bytes += Buffer.byteLength(json);
    }
    await reserve(bytes);
    for (const one of logged) {
      task = fold(task, one.event);
      read = one.seq;
      if (stateOf(one.event) !== undefined) {
        yield body(pending ?? one, read, isEnd(one));
        pending = undefined;
        paused = false;
      } else if (!one.event.message && !one.isUnread) pending ??= one;
      if (pending) continue;
      reading.position = read;
      reading.over = isEnd(one);
    }
  }
}

/** Returns the position of the last event after `start` that happened before this time, in milliseconds. */
export async function skipAged(
  store: Pick<TaskStore, 'events'>,
  key: string,
  start: LogPosition,
  before: number,
): Promise<LogPosition> {
  const aged = { ...start };
  for (;;) {
    const logged = await store.events(key, aged.position, maxPage);
    for (const one of logged) {
      if (one.at >= before) return aged;
      aged.position = one.seq;
      aged.over = isEnd(one);
    }
    if (logged.length < maxPage && !logged.isCut) return aged;
  }
}

async function foldTo(store: Pick<TaskStore, 'events'>, key: string, position: number): Promise<Task | undefined> {
  let task: Task | undefined;
  for (let at = 0; at < position; ) {
    const logged = await store.events(key, at, Math.min(maxPage * 8, position - at));
    for (const { event } of logged) task = fold(task, event);
    const last = logged.at(-1);
    if (!last) return task;
    at = last.seq;
  }
  return task;
}

function isEnd({ event }: LoggedEvent): boolean {
  const state = stateOf(event);
  return state !== undefined && isTerminal(state);
}
