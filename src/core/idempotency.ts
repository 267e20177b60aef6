import { createHash } from 'node:crypto';
import type { Operation } from '../gen/operations.ts';
import { type Call, type Invoke, isStream, ownerOf, type Reply } from './call.ts';
import { A2AError, type ErrorKind } from './errors.ts';
import type { AgentDirectory, RememberedCall, TaskStore } from './ports.ts';
import { type Answer, again, type Keyed } from './repeated-call.ts';
import { WatchedEvents } from './watched-events.ts';

/** Milliseconds between two attempts to write down how a first call ended, while the store is away: from, to. */
const retryDelay = [100, 2_000] as const;

export interface IdempotencyDeps {
  readonly store: TaskStore;
  readonly agents: Pick<AgentDirectory, 'get'>;
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
    return (known && (await again(known, keyed))) ?? first(keyed);
  };
}

async function first({ deps, next, call, owner, key }: Keyed): Promise<Reply> {
  const { store, answer: patience } = deps;
  let task: RememberedCall['task'];
  let answer: string | undefined;
  const notes = call.context.notes;
  notes.onTask = async (noted) => {
    await store.settleCall(owner, key, { task: noted });
    task = noted;
  };
  // Of a task that was to be made nothing will be heard any more, where it is not in the store.
  const giveUp = async (): Promise<void> => {
    if (task?.seq === 0) await store.settleCall(owner, key, { over: true });
  };
  const fail = (thrown: unknown): Promise<void> => {
    // Refused before anything happened: the caller may mend the call and use the key again.
    if (!task) return store.forgetCall(owner, key);
    const error = A2AError.from(thrown);
    if (!unfinished.has(error.kind)) answer ??= answerOf({ error });
    return answer === undefined ? giveUp() : store.settleCall(owner, key, { answer });
  };
  try {
    const reply = await next(call);
    if (isStream(reply)) {
      // A stream of a task can be read from the log again; the one event of a direct answer must be kept.
      const look = async ({ event }: { event: { message?: unknown } }): Promise<void> => {
        if (event.message) await store.settleCall(owner, key, { answer: answerOf({ value: event }) });
      };
      return { ...reply, events: new WatchedEvents(reply.events, look, { failed: () => insist(patience, giveUp) }) };
    }
    answer = answerOf({ value: reply.value });
    await store.settleCall(owner, key, { answer });
    return reply;
  } catch (thrown) {
    await insist(patience, () => fail(thrown));
    throw A2AError.from(thrown);
  }
}

/** Failures that say nothing about what the agent did: its task, if there is one, will tell. */
const unfinished: ReadonlySet<ErrorKind> = new Set(['canceled', 'deadlineExceeded', 'unavailable']);

function answerOf(ended: { readonly value: unknown } | { readonly error: A2AError }): string {
  if ('value' in ended) return JSON.stringify(ended);
  const { kind, message, metadata } = ended.error;
  return JSON.stringify({ error: { kind, message, metadata } } satisfies Answer);
}

/** Writes now, or, while the store is away, in the background as soon as it is back: who asks again is waiting for it. */
async function insist(patience: number, write: () => Promise<void>): Promise<void> {
  const isAway = (thrown: unknown): boolean => A2AError.from(thrown).kind === 'unavailable';
  const until = Date.now() + patience;
  const goOn = async (delay: number): Promise<void> => {
    await new Promise<void>((resolve) => setTimeout(resolve, delay).unref());
    await write().catch((thrown: unknown) => {
      if (isAway(thrown) && Date.now() < until) return goOn(Math.min(delay * 2, retryDelay[1]));
    });
  };
  try {
    await write();
  } catch (thrown) {
    if (!isAway(thrown)) throw thrown;
    void goOn(retryDelay[0]);
  }
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
