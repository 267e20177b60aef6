import type { OperationName, Task } from '../../core/model/a2a.ts';
import { camelCased } from '../a2a-0.3/aliases.ts';
import { createMethods } from '../a2a-0.3/methods.ts';
import type { Codec, CodecContext } from '../kernel/codec.ts';
import { withoutOwnKeys } from '../kernel/metadata.ts';
import type { LocalMethod, Method } from '../kernel/wire.ts';
import { card } from './card.ts';
import { extendedCardMethod } from './errors.ts';
import { decodeTask, encodeTask } from './messages.ts';
import { decodeHistoryLength, noTaskId, paramsOf, requireTaskId, taskIdOf } from './params.ts';
import { pushMethods } from './push.ts';
import { objectOf, read } from './read.ts';
import { sendRequest, sendResult, taskSendRequest } from './send.ts';
import { liveStream, replayStream } from './stream.ts';

const plain = new Map(createMethods({ card }).map((method) => [method.name, method]));

/** A method of A2A 0.3 with some of it made otherwise. */
function varied<K extends OperationName>(name: string, over: (method: Method<K>) => Partial<Method<K>>): Method {
  const method = plain.get(name) as unknown as Method<K> | undefined;
  if (!method) throw new TypeError(`A2A 0.3 has no ${name}`);
  return { ...method, ...over(method) } as unknown as Method;
}

type Metadata = Parameters<typeof objectOf>[0];

const ownMetadata = (metadata: Metadata): { metadata?: Record<string, unknown> } => {
  const own = objectOf(metadata, 'metadata');
  const others = own && withoutOwnKeys(own);
  return others ? { metadata: others } : {};
};

const preserved = (metadata: Metadata): { preserved?: Record<string, unknown> } => {
  const own = ownMetadata(metadata);
  return own.metadata ? { preserved: own } : {};
};

const taskResult: Codec<unknown, { readonly value: Task }> = {
  decode: (wire) => ({ value: decodeTask(read('Task', wire)) }),
  encode: ({ value }, cx: CodecContext) => encodeTask(value, cx),
};

const tasksSend: Method<'SendMessage'> = {
  name: 'tasks/send',
  operation: 'SendMessage',
  request: taskSendRequest,
  fields: { 'message.taskId': 'id' },
  result: sendResult,
};

/** The first method of an operation is the one by which agents are called. */
export const methods: readonly Method[] = [
  varied<'SendMessage'>('message/send', () => ({ request: sendRequest, result: sendResult })),
  // Both have the same parameters, which v1 tells apart by the operation alone.
  varied<'SendStreamingMessage'>('message/stream', () => ({ request: sendRequest as never, stream: liveStream })),
  tasksSend as unknown as Method,
  varied<'GetTask'>('tasks/get', ({ request: { encode } }) => ({
    request: {
      decode(wire) {
        const params = read('TaskQueryParams', camelCased(paramsOf(wire)));
        const id = taskIdOf(params);
        if (id === undefined) throw noTaskId();
        const historyLength = decodeHistoryLength(params.historyLength);
        const request = historyLength === undefined ? { id } : { id, historyLength };
        return { request, ...preserved(params.metadata) };
      },
      encode(decoded, cx) {
        const { historyLength, ...request } = decoded.request;
        if (historyLength === undefined || historyLength > 0) return encode(decoded, cx);
        // The SDK's server takes 0 for all.
        cx.losses.add('historyLength');
        return encode({ ...decoded, request }, cx);
      },
    },
    result: taskResult,
  })),
  varied<'CancelTask'>('tasks/cancel', ({ request: { encode } }) => ({
    request: {
      decode(wire) {
        const params = read('TaskIdParams', camelCased(paramsOf(wire)));
        const id = taskIdOf(params);
        if (id === undefined) throw noTaskId();
        return { request: { id, ...ownMetadata(params.metadata) } };
      },
      encode,
    },
    result: taskResult,
  })),
  varied<'SubscribeToTask'>('tasks/resubscribe', ({ request: { encode } }) => ({
    request: {
      decode(wire) {
        const params = read('TaskIdParams', camelCased(paramsOf(wire)));
        const id = requireTaskId(params, 'Task ID is required for resubscription');
        return { request: { id }, implied: { replay: 'snapshot' }, ...preserved(params.metadata) };
      },
      encode,
    },
    stream: replayStream,
  })),
  ...pushMethods,
  varied<'GetExtendedAgentCard'>(extendedCardMethod, ({ request: { encode } }) => ({
    request: { decode: () => ({ request: {}, implied: { authenticated: true } }), encode },
  })),
];

/** What no operation of v1 stands for. */
export const local: ReadonlyMap<string, LocalMethod> = new Map<string, LocalMethod>([
  ['get_agent_card', ({ card }) => card()],
  ['ping', () => ({ status: 'pong' })],
]);
