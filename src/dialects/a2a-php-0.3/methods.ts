import { sendResultOf, sentFields } from '../a2a-0.3/methods.ts';
import { atRoot, requestOf, resultOf, stored } from '../kernel/methods.ts';
import type { LocalMethod, Method } from '../kernel/wire.ts';
import { card } from './card.ts';
import { codecs } from './codecs.ts';
import { extendedCardMethod } from './errors.ts';
import { requiredTaskId } from './params.ts';
import { pushMethods, taskParams } from './push.ts';
import { read } from './read.ts';
import { sendRequest, taskSendRequest } from './send.ts';
import { liveStream, replayStream } from './stream.ts';

const taskResult = resultOf({
  ...atRoot(codecs.task),
  decode: (wire, cx) => codecs.task.decode(read('Task', wire) as never, cx),
});

const sent = { operation: 'SendMessage', fields: sentFields, result: sendResultOf(codecs.event) } as const;

/** The first method of an operation is the one by which agents are called. */
export const methods: readonly Method[] = [
  stored<'SendMessage'>({ name: 'message/send', ...sent, request: sendRequest }),
  stored<'SendStreamingMessage'>({
    name: 'message/stream',
    operation: 'SendStreamingMessage',
    // Both have the same parameters, which v1 tells apart by the operation alone.
    request: sendRequest as never,
    fields: sentFields,
    stream: liveStream,
  }),
  stored<'SendMessage'>({ name: 'tasks/send', ...sent, request: taskSendRequest, fields: { 'message.taskId': 'id' } }),
  stored<'GetTask'>({
    name: 'tasks/get',
    operation: 'GetTask',
    request: requestOf(taskParams('TaskQueryParams', codecs.getTask), { preservesMetadata: true }),
    result: taskResult,
  }),
  stored<'CancelTask'>({
    name: 'tasks/cancel',
    operation: 'CancelTask',
    request: requestOf(taskParams('TaskIdParams', codecs.cancelTask)),
    result: taskResult,
  }),
  stored<'SubscribeToTask'>({
    name: 'tasks/resubscribe',
    operation: 'SubscribeToTask',
    request: requestOf(
      taskParams('TaskIdParams', codecs.subscribe, () => requiredTaskId('Task ID is required for resubscription')),
      { semantics: { replay: 'snapshot' }, preservesMetadata: true },
    ),
    stream: replayStream,
  }),
  ...pushMethods,
  stored<'GetExtendedAgentCard'>({
    name: extendedCardMethod,
    operation: 'GetExtendedAgentCard',
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
