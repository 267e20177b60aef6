import type { CallSemantics } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { MessageSendParams as PlainParams } from '../../gen/a2a-0.3/types.ts';
import type { TaskSendParams, Message as WireMessage } from '../../gen/a2a-php-0.3/types.ts';
import { camelCased } from '../a2a-0.3/aliases.ts';
import { decodeSend as decodePlain, encodeSend as encodePlain } from '../a2a-0.3/send.ts';
import { requireChosenId } from '../kernel/chosen-id.ts';
import type { Codec, CodecContext, DecodedRequest, DecodedResult } from '../kernel/codec.ts';
import { withoutOwnKeys } from '../kernel/metadata.ts';
import { plainMessage } from './aliases.ts';
import { encodeMessage, encodeTask, keepRole, restoreMessage } from './messages.ts';
import { keep, keptIn } from './metadata.ts';
import { objectOf, read } from './read.ts';
import { decodeAnswer } from './stream.ts';

/** Parameters and results of message/send, message/stream and tasks/send. */

type Sent = DecodedRequest<'SendMessage'>;

/** A task id that the server does not know is the caller's choice. */
const named: CallSemantics = { namesTask: true };
const namedTask: CallSemantics = { namesTask: true, tasksOnly: true };

/** Members of the parameters that v1 has a place for. The rest, such as `from`, is kept. */
const ownParams: ReadonlySet<string> = new Set(['id', 'message', 'configuration', 'metadata']);

function foreignParams(params: object): Record<string, unknown> | undefined {
  let foreign: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(params)) {
    if (ownParams.has(name)) continue;
    foreign ??= {};
    foreign[name] = value;
  }
  return foreign;
}

/** @throws A2AError `invalidParams`, in the words of the SDK's server where there is no message at all */
function requireMessage(params: unknown): void {
  const message = isObject(params) ? params.message : undefined;
  if (!isObject(message)) {
    const violation = { field: 'message', description: 'is required' };
    throw A2AError.invalidParams('Invalid or missing message payload', [violation]);
  }
  if (Array.isArray(message.parts) && message.parts.length > 0) return;
  const violation = { field: 'message.parts', description: 'must be a non-empty array' };
  throw A2AError.invalidParams('Message parts must be a non-empty array', [violation]);
}

/** The request of parameters in the shape of A2A 0.3, with what only the PHP SDK says. */
function requestOf(
  plain: PlainParams,
  message: WireMessage,
  params: object,
  cx: CodecContext,
): Pick<Sent, 'request' | 'preserved'> {
  const decoded = decodePlain(plain, cx, false);
  keepRole(decoded.request.message, message);
  const foreign = foreignParams(params);
  if (foreign) keep(decoded.request, { params: foreign });
  return decoded;
}

/** Of message/send and message/stream. */
export const sendRequest: Codec<unknown, Sent> = {
  decode(wire, cx) {
    requireMessage(wire);
    const params = read('MessageSendParams', camelCased(wire));
    const { message, configuration, metadata } = params;
    if (message.taskId) requireChosenId(message.taskId, 'message.taskId');
    const plain: PlainParams = {
      message: plainMessage(message, 'message.'),
      configuration: objectOf(configuration, 'configuration') ?? null,
      metadata: objectOf(metadata, 'metadata') ?? null,
    };
    return { ...requestOf(plain, message, params, cx), implied: named };
  },
  encode(decoded, cx) {
    const { request } = decoded;
    const params = encodePlain(decoded, cx, false);
    restoreMessage(params.message, request.message);
    const { params: foreign } = keptIn(request.metadata);
    return foreign ? { ...foreign, ...params } : params;
  },
};

/** What becomes metadata of the task: those of the parameters, and the session, as the document has it. */
function taskMetadataOf({ metadata, sessionId }: TaskSendParams): Pick<CallSemantics, 'taskMetadata'> {
  const own = withoutOwnKeys({ ...objectOf(metadata, 'metadata'), ...(sessionId != null && { sessionId }) });
  return own && Object.keys(own).length > 0 ? { taskMetadata: own } : {};
}

/** Of tasks/send, whose caller chooses the task's id. */
export const taskSendRequest: Codec<unknown, Sent> = {
  decode(wire, cx) {
    if (!isObject(wire) || !wire.id || !wire.message) {
      const field = isObject(wire) && wire.id ? 'message' : 'id';
      throw A2AError.invalidParams('Task ID and message are required', [{ field, description: 'is required' }]);
    }
    requireMessage(wire);
    const params = read('TaskSendParams', camelCased(wire));
    const { id, message, metadata } = params;
    requireChosenId(id, 'id');
    const plain: PlainParams = {
      message: { ...plainMessage(message, 'message.'), taskId: id },
      metadata: objectOf(metadata, 'metadata') ?? null,
    };
    return { ...requestOf(plain, message, params, cx), implied: { ...namedTask, ...taskMetadataOf(params) } };
  },
  encode(decoded, cx) {
    const { request } = decoded;
    for (const name in request.configuration) cx.losses.add(`configuration.${name}`);
    const { configuration: _, ...rest } = request;
    const params = encodePlain({ request: rest }, cx, false);
    restoreMessage(params.message, request.message);
    const { taskId, ...message } = params.message;
    return { ...keptIn(request.metadata).params, id: taskId ?? '', ...params, message };
  },
};

/** The bare task or message. */
export const sendResult: Codec<unknown, DecodedResult<'SendMessage'>> = {
  decode(wire) {
    const { task, message } = decodeAnswer(wire);
    if (task) return { value: { task } };
    if (message) return { value: { message } };
    throw A2AError.invalidParams(undefined, [{ field: 'kind', description: 'must be one of task, message' }]);
  },
  encode({ value: { task, message } }, cx) {
    if (task) return encodeTask(task, cx, 'task.');
    return message ? encodeMessage(message, cx, 'message.') : null;
  },
};
