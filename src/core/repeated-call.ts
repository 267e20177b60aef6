import type { OperationName, ResponseOf } from '../gen/a2a-v1/operations.ts';
import type { Message, SendMessageRequest } from '../gen/a2a-v1/types.ts';
import { type Call, type Invoke, isStream, type LoggedEvent, type Reply, type StreamReply } from './call.ts';
import { A2AError } from './errors.ts';
import type { IdempotencyDeps } from './idempotency.ts';
import { isResting, stateOf } from './lifecycle.ts';
import type { RememberedCall, StoredTask, TaskOwner } from './ports.ts';
import { keptPush, pushWith } from './push-with-message.ts';
import { WatchedEvents } from './watched-events.ts';

/** Milliseconds between two looks at a first call that still runs. */
const pollEvery = 250;
/** Events read at once while a message is looked for. */
const page = 64;

/** A call with an idempotency key. */
export interface Keyed {
  readonly deps: IdempotencyDeps;
  readonly next: Invoke;
  readonly call: Call;
  readonly owner: TaskOwner;
  readonly key: string;
  readonly digest: string;
  /** Whether the operation answers with a stream. */
  readonly streams: boolean;
}

/** How a call ended, as it is remembered. */
export type Answer =
  | { readonly value: unknown }
  | { readonly error: Pick<A2AError, 'kind' | 'message'> & { readonly metadata: Readonly<Record<string, string>> } };

/** What a first call began, as the store has it. */
interface Begun {
  readonly stored: StoredTask;
  /** Position before the turn. */
  readonly after: number;
}

/** The first call's answer; undefined when it was forgotten meanwhile, and this one is the first. */
export async function again(known: RememberedCall, keyed: Keyed): Promise<Reply | undefined> {
  if (known.digest !== keyed.digest) throw new A2AError('idempotencyConflict');
  const { deps, call, owner, key, digest, streams } = keyed;
  const until = Date.now() + deps.answer;
  // Neither a stream nor who asked not to wait needs more than to know of the task.
  const prompt = streams || (call.request as SendMessageRequest).configuration?.returnImmediately === true;
  for (let current = known; ; ) {
    if (current.answer !== undefined) return answered(JSON.parse(current.answer) as Answer, streams);
    const begun = await begunBy(current, keyed);
    const late = Date.now() >= until || call.context.signal.aborted;
    if (begun && (late || prompt || hasRested(begun))) return answerFor(begun, keyed);
    if (!begun && !current.alive) {
      throw new A2AError('internal', 'The gateway stopped before the first call with this key was answered.');
    }
    if (late) throw new A2AError('unavailable', 'The first call with this key is still under way.', { retryAfter: 1 });
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
    const next = await deps.store.rememberCall(owner, key, digest);
    if (!next) return undefined;
    current = next;
  }
}

function answered(answer: Answer, streams: boolean): Reply {
  if ('error' in answer) throw new A2AError(answer.error.kind, answer.error.message, answer.error);
  const value = answer.value as never;
  if (!streams) return { value };
  return { events: replayed({ seq: 1, at: Date.now(), event: value, json: JSON.stringify(value) }) };
}

/** The turn that the first call began, where that is in the store. */
async function begunBy({ task }: RememberedCall, { deps: { store }, call }: Keyed): Promise<Begun | undefined> {
  if (!task) return undefined;
  const stored = await store.load(task.key);
  if (!stored) return undefined;
  const { message } = call.request as SendMessageRequest;
  if (task.seq === 0) {
    // Another message may have made the task meanwhile that this one named.
    const [first] = call.context.implied.namesTask ? await store.events(task.key, 0, 1) : [];
    const isOthers = first?.event.task?.history?.every((logged) => !isSame(logged, message, call));
    return isOthers ? undefined : { stored, after: 0 };
  }
  for (let after = task.seq; after < stored.seq; ) {
    const events = await store.events(task.key, after, page);
    const found = events.find(({ event }) => event.message && isSame(event.message, message, call));
    if (found) return { stored, after: found.seq - 1 };
    after = events.at(-1)?.seq ?? stored.seq;
  }
  return undefined;
}

/** Whether a message in the log is the one that was sent: its ids were filled in, or made up where it had none. */
function isSame(logged: Message, sent: Message, { context }: Call): boolean {
  if (!context.implied.tasksOnly && logged.messageId !== sent.messageId) return false;
  return JSON.stringify(logged.parts) === JSON.stringify(sent.parts);
}

/** Whether the task came to rest by the call's own turn, not before it. */
const hasRested = ({ stored: { state, seq }, after }: Begun): boolean =>
  isResting(state) && seq > (after === 0 ? 0 : after + 1);

async function answerFor({ stored, after }: Begun, keyed: Keyed): Promise<Reply> {
  await putPush(stored, after, keyed);
  if (keyed.streams) return replayTurn(keyed, stored.id, after);
  return { value: { task: stored.task } satisfies ResponseOf<'SendMessage'>, facts: stored };
}

/** The first call may have ended between its turn and the push configuration that came with its message. */
async function putPush({ key, id, agent: name }: StoredTask, after: number, { deps, call }: Keyed): Promise<void> {
  const { store, agents } = deps;
  const { context } = call;
  const agent = agents.get(name);
  const push = agent && pushWith(call.request as SendMessageRequest, agent, context);
  if (!push) return;
  const config = keptPush(push, id);
  if (await store.getPushConfig(key, config.id)) return;
  await store.putPushConfig(key, config, context.dialect, { after, hops: context.hops });
}

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
  const isLast = ({ event }: LoggedEvent): boolean => {
    const state = stateOf(event);
    return state !== undefined && isResting(state);
  };
  return new WatchedEvents(events, () => {}, { isLast });
}

async function* replayed(event: LoggedEvent): AsyncGenerator<LoggedEvent> {
  yield event;
}
