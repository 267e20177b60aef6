import { sendResultOf, sentFields } from '../a2a-0.3/methods.ts';
import { method, readAs, requestOf, resultOf } from '../kernel/methods.ts';
import type { LocalMethod, Method } from '../kernel/wire.ts';
import { card } from './card.ts';
import { codecs } from './codecs.ts';
import { extendedCardMethod } from './errors.ts';
import { missingTaskId } from './params.ts';
import { pushMethods, taskParams } from './push.ts';
import { read } from './read.ts';
import { sendRequest, taskSendRequest } from './send.ts';
import { liveStream, replayStream } from './stream.ts';

const taskResult = resultOf(readAs(read, 'Task', codecs.task));

const sent = { fields: sentFields, result: sendResultOf(codecs.event) } as const;

/** The first method of an operation is the one by which agents are called. */
export const methods: readonly Method[] = [
  method('message/send', 'SendMessage', { ...sent, request: sendRequest }),
  method('message/stream', 'SendStreamingMessage', {
    // Both have the same parameters, which v1 tells apart by the operation alone.
    request: sendRequest as never,
    fields: sentFields,
    stream: liveStream,
  }),
  method('tasks/send', 'SendMessage', { ...sent, request: taskSendRequest, fields: { 'message.taskId': 'id' } }),
  method('tasks/get', 'GetTask', {
    request: requestOf(taskParams('TaskQueryParams', codecs.getTask, missingTaskId), { preservesMetadata: true }),
    result: taskResult,
  }),
  method('tasks/cancel', 'CancelTask', {
    request: requestOf(taskParams('TaskIdParams', codecs.cancelTask)),
    result: taskResult,
  }),
  method('tasks/resubscribe', 'SubscribeToTask', {
    request: requestOf(taskParams('TaskIdParams', codecs.subscribe, 'Task ID is required for resubscription'), {
      semantics: { replay: 'snapshot' },
      preservesMetadata: true,
    }),
    stream: replayStream,
  }),
  ...pushMethods,
  method(extendedCardMethod, 'GetExtendedAgentCard', {
    request: {
      decode: () => ({ request: {}, semantics: { authenticated: true } }),
      encode: ({ request }, cx) => void codecs.extendedCard.encode(request, cx, ''),
    },
    result: resultOf(card),
  }),
];

/** What no operation of v1 stands for. */
export const local: ReadonlyMap<string, LocalMethod> = new Map<string, LocalMethod>([
  ['get_agent_card', ({ card }) => card()],
  ['ping', () => ({ status: 'pong' })],
]);
