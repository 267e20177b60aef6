import type { TaskStatus } from '../../core/model/a2a.ts';
import { openAskOf } from '../../core/model/ask.ts';
import type { CodecContext, StreamShape } from './codec.ts';
import type { Dialect, PushShape } from './dialect.ts';
import type { Method } from './wire.ts';

/** A task, or an object that contains one: a reply, an answer to a message, an event, a logged event. */
interface Holder {
  readonly status?: TaskStatus;
  readonly value?: Holder;
  readonly event?: Holder;
  readonly task?: Holder;
  readonly statusUpdate?: Holder;
}

const members = ['value', 'event', 'task', 'statusUpdate'] as const;

/** Returns an object in which a task that waits for people has the state of a working task; the same object if it has none. */
function shown<T>(object: T & Holder): T {
  const { status } = object;
  if (status) return openAskOf({ status }) ? { ...object, status: { ...status, state: 'TASK_STATE_WORKING' } } : object;
  const name = members.find((one) => object[one] !== undefined);
  const member = name && object[name];
  const own = member && shown(member);
  return name && own !== member ? { ...object, [name]: own } : object;
}

const codecOf = <C extends { encode(v1: never, cx: CodecContext): unknown }>(codec: C): C => ({
  ...codec,
  encode: (v1: never, cx: CodecContext) => codec.encode(shown(v1), cx),
});

/** Returns a function that creates encoders which show such a task as a working one. */
const encoderOf =
  (create: StreamShape['encoder']): StreamShape['encoder'] =>
  (cx) => {
    const encoder = create(cx);
    return {
      encode: (logged) => encoder.encode(shown(logged)),
      end: () => encoder.end?.() ?? [],
      get pending() {
        return encoder.pending ?? false;
      },
    };
  };

const streamOf = ({ encoder, event, ...rest }: StreamShape): StreamShape => ({
  ...rest,
  encoder: encoderOf(encoder),
  ...(event && { event: codecOf(event) }),
});

/** Returns the request of a method that streams, with the facts that its stream needs. */
const streamRequestOf = (request: Method['request']): Method['request'] => ({
  ...request,
  decode(wire, cx) {
    const decoded = request.decode(wire, cx);
    return { ...decoded, semantics: { ...decoded.semantics, heldAsWorking: true } };
  },
});

const methodOf = ({ result, stream, ...method }: Method): Method => ({
  ...method,
  ...(result && { result: codecOf(result) }),
  ...(stream && { request: streamRequestOf(method.request), stream: streamOf(stream) }),
});

const pushOf = ({ body, ...rest }: PushShape): PushShape => ({
  ...rest,
  body: typeof body === 'object' && 'encoder' in body ? { encoder: encoderOf(body.encoder) } : body,
});

/**
 * Returns a dialect whose callers see a task that waits for people as a working task, because they would take any other state for
 * a question to them. Its tasks are served only over JSON-RPC.
 */
export function heldAsWorking({ jsonrpc, push, types, ...rest }: Dialect): Dialect {
  const methods = jsonrpc && [...jsonrpc.methods].map(([name, method]) => [name, methodOf(method)] as const);
  const { task, event } = types;
  return {
    ...rest,
    ...(jsonrpc && { jsonrpc: { ...jsonrpc, methods: new Map(methods) } }),
    ...(push && { push: pushOf(push) }),
    types: { ...types, ...(task && { task: codecOf(task) }), ...(event && { event: codecOf(event) }) },
  };
}
