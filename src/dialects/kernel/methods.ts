import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import { type CallSemantics, isStream, type LoggedEvent, type Reply, type UnaryReply } from '../../core/model/call.ts';
import { isObject } from '../../core/model/json.ts';
import { isResting, stateOf } from '../../core/model/lifecycle.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Codec, CodecContext, DecodedRequest, StreamShape } from './codec.ts';
import { withoutOwnKeys } from './metadata.ts';
import type { RecordCodec } from './record.ts';
import type { CallPlan, JsonRpcBinding, Method } from './wire.ts';

/** A method as it is stored beside those of other operations. */
export const stored = <K extends OperationName>(method: Method<K>): Method => method as unknown as Method;

/** A value that stands alone, which has no path. */
export const atRoot = <V1, Wire>(codec: RecordCodec<V1, Wire>): Codec<unknown, V1> => ({
  decode: (wire, cx) => codec.decode(wire as Wire, cx),
  encode: (v1, cx) => codec.encode(v1, cx, ''),
});

/** A unary answer that is one value. */
export const resultOf = <V1>({ decode, encode }: Codec<unknown, V1>): Codec<unknown, { readonly value: V1 }> => ({
  decode: (wire, cx) => ({ value: decode(wire, cx) }),
  encode: ({ value }, cx) => encode(value, cx),
});

/** What a request is besides its table. */
interface RequestOptions {
  readonly semantics?: CallSemantics;
  /** It has metadata, for which v1 has no place. */
  readonly preservesMetadata?: true;
}

/** A request that is one object. */
export const requestOf = <V1>(
  { decode, encode }: Codec<unknown, V1>,
  { semantics, preservesMetadata }: RequestOptions = {},
): Codec<unknown, Omit<DecodedRequest, 'request'> & { readonly request: V1 }> => ({
  decode: (wire, cx) => ({
    request: decode(wire, cx),
    ...(semantics && { semantics }),
    ...(preservesMetadata && preservedMetadata(wire)),
  }),
  encode: ({ request, preserved }, cx) => {
    const wire = encode(request, cx) as object;
    return preservesMetadata && preserved ? { ...wire, ...preserved } : wire;
  },
});

function preservedMetadata(wire: unknown): Pick<DecodedRequest, 'preserved'> {
  const { metadata } = wire as { readonly metadata?: unknown };
  const own = isObject(metadata) ? withoutOwnKeys(metadata) : undefined;
  return own ? { preserved: { metadata: own } } : {};
}

/**
 * The two tables of a JSON-RPC face: its methods by name, and how each operation is called.
 *
 * @param composed operations that are made of two calls; any other is called by the first method that stands for it
 */
export function methodTables(
  methods: readonly Method[],
  composed: readonly (readonly [OperationName, CallPlan])[] = [],
): Pick<JsonRpcBinding, 'methods' | 'calls'> {
  const calls = new Map<OperationName, CallPlan>(composed);
  for (const method of methods) {
    if (!calls.has(method.operation)) calls.set(method.operation, { method });
  }
  return { methods: new Map(methods.map((method) => [method.name, method])), calls };
}

/** Id of the task that a v1 request or answer is about; undefined when it names none. */
export function subjectOf(value: object): string | undefined {
  const { taskId, message, task, id } = value as Partial<{ taskId: string; message: Message; task: Task; id: string }>;
  return taskId ?? message?.taskId ?? task?.id ?? id;
}

/** The events of a stream that came as one answer. */
export function decodeWhole(shape: StreamShape, cx: CodecContext, data: unknown): readonly StreamResponse[] {
  const decoder = shape.decoder(cx);
  return [...decoder.decode({ data }), ...(decoder.end?.() ?? [])];
}

/**
 * The operation's reply from those of the two calls of a plan: the second's value, or its stream behind the task that
 * the first held, since v1 streams begin with the task.
 */
export function joinReplies(plan: CallPlan, first: Reply, second: Reply): Reply {
  if (!isStream(second)) return plan.answer ? { ...second, value: plan.answer(second.value) as never } : second;
  if (isStream(first)) return second;
  const events = plan.endsAtRest ? untilRest(second.events) : second.events;
  return { ...second, events: behind(leadingOf(first), events) };
}

/**
 * The operation's reply where the second call of a plan failed: what the first one did is done, and its answer is the
 * reply, or leads a stream that breaks.
 */
export function replyOfFirst(plan: CallPlan, first: Reply, thrown: unknown): Reply {
  if (isStream(first) || plan.next?.stream === undefined) return first;
  return { events: behind(leadingOf(first), broken(thrown)) };
}

function leadingOf(first: UnaryReply): LoggedEvent {
  const { task = first.value } = first.value as { task?: Task };
  const event = { task: task as Task };
  return { seq: 0, at: first.facts?.updatedAt ?? Date.now(), event, json: JSON.stringify(event) };
}

/** A stream that breaks at once. */
const broken = (thrown: unknown): AsyncIterable<LoggedEvent> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }),
});

/** Leaves a stream behind the event that lets the task rest: streams of v1 end there (A2A 1.0.1 section 11.7). */
async function* untilRest(events: AsyncIterable<LoggedEvent>): AsyncGenerator<LoggedEvent> {
  for await (const logged of events) {
    yield logged;
    const state = stateOf(logged.event);
    if (state !== undefined && isResting(state)) return;
  }
}

/** Not a generator: one that is ended before its first event would never end what it has taken over. */
function behind(leading: LoggedEvent, events: AsyncIterable<LoggedEvent>): AsyncIterableIterator<LoggedEvent> {
  const others = events[Symbol.asyncIterator]();
  let led = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (led) return others.next();
      led = true;
      return Promise.resolve({ done: false, value: leading });
    },
    async return() {
      await others.return?.();
      return { done: true, value: undefined };
    },
  };
}
