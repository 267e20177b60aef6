import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import { unloggedEvent } from '../../core/model/agent-events.ts';
import { isStream, type LoggedEvent, type Reply, type UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { isResting, stateOf } from '../../core/model/lifecycle.ts';
import { brokenStream, streamOver } from '../../core/model/streams.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Codec, CodecContext, DecodedResult, StreamDecoder, StreamShape } from './codec.ts';
import { subjectsIn } from './document-forms.ts';
import type { CallPlan, Method, RestBinding } from './wire.ts';

/** Functions shared by clients of agents, over every binding. */

/**
 * Strict mode: refuses a request that the dialect cannot carry whole.
 *
 * @param losses schema paths that a conversion dropped
 * @throws A2AError `invalidParams` that names them
 */
export function requireLossless(losses: ReadonlySet<string>, dialect: string): void {
  if (losses.size === 0) return;
  const description = `cannot be said in ${dialect}`;
  const violations = [...losses].sort().map((field) => ({ field, description }));
  const named = violations.map(({ field }) => field).join(', ');
  throw A2AError.invalidParams(`${dialect} cannot say ${named}, and losses are refused here`, violations);
}

/** Strictness of a client's conversion. */
export interface Strictness {
  /** Name of the agent's dialect. */
  readonly dialect: string;
  /** Whether a request is refused if a part of it would be lost. */
  readonly strict: boolean;
}

/**
 * Encodes a request in the dialect, and adds its losses to those of `cx`.
 *
 * @throws A2AError `invalidParams` if `strict` and a part of it would be lost
 */
export function encodeRequest(
  method: Method,
  request: object,
  cx: CodecContext,
  { dialect, strict }: Strictness,
): unknown {
  if (!strict) return method.request.encode({ request: request as never }, cx);
  const losses = new Set<string>();
  const encoded = method.request.encode({ request: request as never }, { ...cx, losses });
  requireLossless(losses, dialect);
  return encoded;
}

/** Returns the id of the task that a v1 request or answer is about; undefined if it names none. */
export function subjectOf(value: object): string | undefined {
  const { taskId, message, task, id } = value as Partial<{ taskId: string; message: Message; task: Task; id: string }>;
  return taskId ?? message?.taskId ?? task?.id ?? id;
}

/** Decodes a unary answer of an agent to v1. */
export function decodeResult<K extends OperationName>(
  result: Codec<unknown, DecodedResult<K>>,
  wire: unknown,
  cx: CodecContext,
): DecodedResult<K> {
  const decode = (read: unknown): DecodedResult<K> => result.decode(read, cx);
  return cx.salvage ? cx.salvage.result(wire, decode) : decode(wire);
}

/** Decodes the events in one frame of an agent's stream. */
export function decodeFrame(
  decoder: Pick<StreamDecoder, 'decode'>,
  frame: Parameters<StreamDecoder['decode']>[0],
  { salvage }: CodecContext,
): readonly StreamResponse[] {
  if (!salvage) return decoder.decode(frame);
  return salvage.events(frame.data, (data) => decoder.decode({ ...frame, data }));
}

/** Decodes the events of a stream that arrived as one answer. */
export function decodeWhole(shape: StreamShape, cx: CodecContext, data: unknown): readonly StreamResponse[] {
  const decoder = shape.decoder(cx);
  const events = decodeFrame(decoder, { data }, cx);
  return [...events, ...(cx.salvage?.end() ?? []), ...(decoder.end?.() ?? [])];
}

/** Members that only events have, and the kinds that distinguish events since A2A 0.2. */
const eventMembers = [
  'task',
  'statusUpdate',
  'status_update',
  'artifactUpdate',
  'artifact_update',
  'artifact',
] as const;
const eventKinds: ReadonlySet<unknown> = new Set(['task', 'message', 'status-update', 'artifact-update']);

/** Whether data may be an event of any dialect. Heartbeats are not. */
export function isEvent(data: unknown): boolean {
  if (!isObject(data)) return false;
  if (eventKinds.has(data.kind) || Array.isArray(data.parts)) return true;
  // A member of another type means an event that cannot be read. A heartbeat may have a text as its message or status.
  if (eventMembers.some((name) => data[name] !== undefined)) return true;
  if ([data.message, data.msg, data.status].some((value) => typeof value === 'object' && value !== null)) return true;
  // A status of another type may still contain the task's state.
  const isOfTask = [data.id, data.taskId, data.task_id].some((id) => typeof id === 'string');
  if (isOfTask && (data.status ?? undefined) !== undefined) return true;
  return subjectsIn(data).length > 0;
}

/** Whether a frame of a stream is an event of it. */
export const isEventOf = (shape: StreamShape, frame: { readonly event?: string; readonly data: unknown }): boolean =>
  shape.isEvent?.(frame) ?? isEvent(frame.data);

/** Returns the error object of a body over HTTP+JSON (A2A 1.0.1 section 11.6). */
export const errorIn = (body: unknown): JsonObject | undefined =>
  isObject(body) && isObject(body.error) ? body.error : undefined;

/**
 * Returns the error in a frame of a stream over HTTP+JSON; undefined for an event. Older servers name the event
 * instead. Errors in streams have no HTTP status; v1 writes it into the error object.
 */
export function errorInFrame(
  { error: codec }: RestBinding,
  { event, data }: { readonly event?: string | undefined; readonly data: unknown },
  cx: CodecContext,
): A2AError | undefined {
  const error = errorIn(data);
  if (error === undefined && event !== 'error') return undefined;
  const code = error?.code;
  const status = typeof code === 'number' && code >= 400 && code <= 599 ? code : 500;
  const read = codec.decode({ status, body: data }, cx);
  // The frame is the error itself, rather than an object that contains it.
  const errorMessage = error === undefined && isObject(data) ? data.message : undefined;
  return typeof errorMessage === 'string' && errorMessage !== read.message
    ? new A2AError(read.kind, errorMessage, { cause: read })
    : read;
}

/**
 * Returns the operation's reply from those of the two calls of a plan: the second's value, or its stream after the task
 * of the first reply, since v1 streams begin with the task.
 */
export function joinReplies(plan: CallPlan, first: Reply, second: Reply): Reply {
  if (!isStream(second))
    return plan.answer ? { ...second, value: plan.answer(second.value) as never } : withMessage(first, second);
  if (isStream(first)) return second;
  const events = plan.endsAtRest ? untilRest(second.events) : second.events;
  return { ...second, events: withLeading(leadingOf(first), events) };
}

/** Returns the second reply, with the status message of the first if it has none: only the first call reports it. */
function withMessage(first: Reply, second: UnaryReply): UnaryReply {
  const { message } = (isStream(first) ? undefined : (first.value as Partial<Task>).status) ?? {};
  const { status } = second.value as Partial<Task>;
  if (!message || !status || status.message) return second;
  return { ...second, value: { ...second.value, status: { ...status, message } } as never };
}

/**
 * Returns the operation's reply if the second call of a plan failed: the first call has done its work, so its answer is
 * the reply, or leads a stream that breaks.
 */
export function replyOfFirst(plan: CallPlan, first: Reply, thrown: unknown): Reply {
  if (isStream(first) || plan.next?.stream === undefined) return first;
  return { events: withLeading(leadingOf(first), brokenStream(thrown)) };
}

function leadingOf({ value, facts }: UnaryReply): LoggedEvent {
  const { task = value } = value as { task?: Task };
  return unloggedEvent({ task: task as Task }, 0, facts?.updatedAt ?? Date.now(), facts?.generation);
}

/** Ends a stream after the event with which the task rests, as streams of v1 end (A2A 1.0.1 section 11.7). */
async function* untilRest(events: AsyncIterable<LoggedEvent>): AsyncGenerator<LoggedEvent> {
  for await (const logged of events) {
    yield logged;
    const state = stateOf(logged.event);
    if (state !== undefined && isResting(state)) return;
  }
}

/** Returns a stream with an event before it. */
function withLeading(leading: LoggedEvent, events: AsyncIterable<LoggedEvent>): AsyncIterableIterator<LoggedEvent> {
  const others = events[Symbol.asyncIterator]();
  let led = false;
  return streamOver(others, () => {
    if (led) return others.next();
    led = true;
    return Promise.resolve({ done: false, value: leading });
  });
}
