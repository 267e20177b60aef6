import { createHash } from 'node:crypto';
import type { OperationName, ResponseOf } from '../gen/a2a-v1/operations.ts';
import type { Operation } from '../gen/operations.ts';
import { type Call, type Invoke, isStream, type LoggedEvent, ownerOf, type Reply, type StreamReply } from './call.ts';
import { A2AError, type ErrorKind } from './errors.ts';
import { isResting, stateOf } from './lifecycle.ts';
import type { RememberedCall, StoredTask, TaskOwner, TaskStore } from './ports.ts';
import { WatchedEvents } from './watched-events.ts';

/** Milliseconds between two looks at a first call that runs in another gateway. */
const pollEvery = 250;

export interface IdempotencyDeps {
  readonly store: TaskStore;
  /** The operation table: what only reads changes nothing and needs no key. */
  readonly operations: readonly Operation[];
  /** Milliseconds that one answer may take. */
  readonly answer: number;
}

/**
 * Middleware: the same `Idempotency-Key` from the same principal to the same agent gets the first call's answer and
 * never executes twice. A second call waits while the first still runs. Another request under the same key is refused.
 */
export function idempotent(deps: IdempotencyDeps): (next: Invoke) => Invoke {
  const { store } = deps;
  const changing = new Set(deps.operations.filter(({ reads }) => !reads).map(({ name }) => name));
  const streaming = new Set(deps.operations.filter((row) => row.streaming).map(({ name }) => name));
  return (next) => async (call) => {
    const key = call.context.idempotencyKey;
    if (key === undefined || !changing.has(call.operation)) return next(call);
    const owner = ownerOf(call);
    const digest = digestOf(call);
    const known = await store.rememberCall(owner, key, digest);
    const keyed = { deps, next, call, owner, key, digest, streams: streaming.has(call.operation) };
    return known ? again(known, keyed) : first(keyed);
  };
}

interface Keyed {
  readonly deps: IdempotencyDeps;
  readonly next: Invoke;
  readonly call: Call;
  readonly owner: TaskOwner;
  readonly key: string;
  readonly digest: string;
  /** Whether the operation answers with a stream. */
  readonly streams: boolean;
}

async function first({ deps: { store }, next, call, owner, key }: Keyed): Promise<Reply> {
  let started = false;
  const notes = call.context.notes;
  notes.onTask = async (task) => {
    started = true;
    await store.settleCall(owner, key, { task });
  };
  try {
    const reply = await next(call);
    if (isStream(reply)) return { ...reply, events: remembering(reply.events, store, owner, key) };
    await store.settleCall(owner, key, { answer: answerOf({ value: reply.value }) });
    return reply;
  } catch (thrown) {
    const error = A2AError.from(thrown);
    // Refused before anything happened: the caller may mend the call and use the key again.
    if (!started) await store.forgetCall(owner, key);
    else if (!unfinished.has(error.kind)) await store.settleCall(owner, key, { answer: answerOf({ error }) });
    throw error;
  }
}

/** Failures that say nothing about what the agent did: its task, if there is one, will tell. */
const unfinished: ReadonlySet<ErrorKind> = new Set(['canceled', 'deadlineExceeded', 'unavailable']);

/** How a call ended, as it is remembered. */
type Answer = { readonly value: unknown } | { readonly error: Pick<A2AError, 'kind' | 'message' | 'metadata'> };

function answerOf(ended: { readonly value: unknown } | { readonly error: A2AError }): string {
  if ('value' in ended) return JSON.stringify(ended);
  const { kind, message, metadata } = ended.error;
  return JSON.stringify({ error: { kind, message, metadata } });
}

/** A stream of a task can be read from the log again; the one event of a direct answer must be kept. */
function remembering(
  events: AsyncIterable<LoggedEvent>,
  store: TaskStore,
  owner: TaskOwner,
  key: string,
): AsyncIterable<LoggedEvent> {
  return new WatchedEvents(events, async ({ event }) => {
    if (event.message) await store.settleCall(owner, key, { answer: answerOf({ value: event }) });
  });
}

async function again(known: RememberedCall, keyed: Keyed): Promise<Reply> {
  if (known.digest !== keyed.digest) throw new A2AError('idempotencyConflict');
  const settled = await outcome(known, keyed);
  const { streams } = keyed;
  if (settled.answer !== undefined) {
    const answer = JSON.parse(settled.answer) as Answer;
    if ('error' in answer) throw new A2AError(answer.error.kind, answer.error.message, answer.error);
    const value = answer.value as never;
    if (!streams) return { value };
    return { events: replayed({ seq: 1, at: Date.now(), event: value, json: JSON.stringify(value) }) };
  }
  const stored = settled.task && (await keyed.deps.store.load(settled.task.key));
  if (!settled.task || !stored) {
    throw new A2AError('internal', 'The gateway stopped before the first call with this key was answered.');
  }
  if (streams) return replayTurn(keyed, stored.id, settled.task.seq);
  return { value: { task: stored.task } satisfies ResponseOf<'SendMessage'>, facts: stored };
}

/** Waits for the first call's answer; for a stream, for the task that it is about. */
async function outcome(
  known: RememberedCall,
  { deps, call, owner, key, digest, streams }: Keyed,
): Promise<RememberedCall> {
  const until = Date.now() + deps.answer;
  let current = known;
  while (current.answer === undefined && Date.now() < until && !call.context.signal.aborted) {
    const stored = current.task && (await deps.store.load(current.task.key));
    if (stored && (streams || hasRested(stored, current.task))) return current;
    if (!current.alive && !stored) return current;
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
    current = (await deps.store.rememberCall(owner, key, digest)) ?? current;
  }
  return current;
}

/** Whether the task came to rest by the call's own turn, not before it. */
const hasRested = ({ state, seq }: StoredTask, turn: RememberedCall['task']): boolean =>
  isResting(state) && turn !== undefined && seq > (turn.seq === 0 ? 0 : turn.seq + 1);

/** The turn's events again, from the log, ending where the first stream ended. */
async function replayTurn({ next, call }: Keyed, id: string, after: number): Promise<StreamReply> {
  const context = { ...call.context, signal: call.context.signal, replay: { after } };
  const { tenant } = call.request;
  const request = { id, ...(tenant && { tenant }) };
  const reply = await next({ operation: 'SubscribeToTask' as OperationName, request, context } as Call);
  if (!isStream(reply)) throw new A2AError('internal');
  return { ...reply, events: untilRest(reply.events) };
}

function untilRest(events: AsyncIterable<LoggedEvent>): AsyncIterable<LoggedEvent> {
  const rests = ({ event }: LoggedEvent): boolean => {
    const state = stateOf(event);
    return state !== undefined && isResting(state);
  };
  return new WatchedEvents(events, () => {}, rests);
}

async function* replayed(event: LoggedEvent): AsyncGenerator<LoggedEvent> {
  yield event;
}

/** Of the operation and the request, whatever the order of its keys: the same call may come by another binding. */
function digestOf({ operation, request, context }: Call): string {
  return createHash('sha256')
    .update(operation)
    .update(JSON.stringify(sorted(context.implied.tasksOnly ? withoutMessageId(request) : request)))
    .digest('base64url');
}

/** Callers that know only tasks give their messages no ids: each call's was made up on its way in. */
function withoutMessageId(request: object): object {
  const { message } = request as { message?: object };
  return message ? { ...request, message: { ...message, messageId: '' } } : request;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => ({ [`.${key}`]: sorted(inner) }));
}
