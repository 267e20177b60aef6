import type { CallSemantics } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { MessageSendParams } from '../../gen/a2a-0.3/types.ts';
import type { TaskSendParams } from '../../gen/a2a-php-0.3/types.ts';
import { camelCased } from '../a2a-0.3/aliases.ts';
import { preservedAuthentication, restoreAuthentication } from '../a2a-0.3/methods.ts';
import type { Codec, CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { preservedIn, preserving, withoutOwnKeys } from '../kernel/metadata.ts';
import { requireChosenId } from '../kernel/reader.ts';
import { missing } from '../kernel/record.ts';
import { codecs } from './codecs.ts';
import { key } from './mapping.ts';
import { objectOf, read } from './read.ts';

/** Parameters of message/send, message/stream and tasks/send. */

type Sent = DecodedRequest<'SendMessage'>;

/** A task id that the server does not know is the caller's choice. */
const named: CallSemantics = { namesTask: true };
const namedTask: CallSemantics = { namesTask: true, tasksOnly: true };

/** Members of the parameters that v1 has a place for. The rest, such as `from`, is preserved. */
const ownParams: ReadonlySet<string> = new Set(['id', 'message', 'configuration', 'metadata']);

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

/** The request of parameters, with those that only the PHP SDK knows. */
function requestOf(params: object, cx: CodecContext): Pick<Sent, 'request' | 'preserved'> {
  const request = codecs.sendMessage.decode(params as MessageSendParams, cx);
  const foreign = Object.entries(params).filter(([name]) => !ownParams.has(name));
  if (foreign.length > 0) {
    request.metadata = preserving(request.metadata, key, { params: Object.fromEntries(foreign) });
  }
  const { pushNotificationConfig: push } = (params as MessageSendParams).configuration ?? {};
  if (!push) return { request };
  return { request, ...preservedAuthentication(push, cx, 'configuration.taskPushNotificationConfig.') };
}

/** Of message/send and message/stream. */
export const sendRequest: Codec<unknown, Sent> = {
  decode(wire, cx) {
    requireMessage(wire);
    const params = read('MessageSendParams', camelCased(wire));
    const { message, configuration } = params;
    if (message.taskId) requireChosenId(message.taskId, 'message.taskId');
    const plain = { ...params, configuration: objectOf(configuration, 'configuration') };
    return { ...requestOf(plain, cx), semantics: named };
  },
  encode(sent, cx) {
    const { request } = sent;
    const params = codecs.sendMessage.encode(request, cx, '');
    restoreAuthentication(params.configuration?.pushNotificationConfig, sent);
    return { ...foreignIn(request), ...params };
  },
};

const foreignIn = ({ metadata }: Sent['request']): object => preservedIn(metadata, key).params ?? {};

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
      throw A2AError.invalidParams('Task ID and message are required', missing(field).violations);
    }
    requireMessage(wire);
    const params = read('TaskSendParams', camelCased(wire));
    const { id, message } = params;
    requireChosenId(id, 'id');
    const plain = { ...params, configuration: undefined, message: { ...message, taskId: id } };
    return { ...requestOf(plain, cx), semantics: { ...namedTask, ...taskMetadataOf(params) } };
  },
  encode({ request }, cx) {
    const { configuration = {}, ...rest } = request;
    for (const name in configuration) cx.losses.add(`configuration.${name}`);
    const params = codecs.sendMessage.encode(rest, cx, '');
    const { taskId, ...message } = params.message;
    return { ...foreignIn(request), id: taskId ?? '', ...params, message };
  },
};
