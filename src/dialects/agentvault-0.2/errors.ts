import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { StreamError } from '../../gen/agentvault-0.2/types.ts';
import type { Codec } from '../kernel/codec.ts';
import { errorCodec, kindOfReason } from '../kernel/errors.ts';
import type { JsonRpcError } from '../kernel/wire.ts';

/** "Agent Server Error", for every kind without a code of its own. */
const agentError = -32000;
/** "Invalid State": the task's state does not allow it. */
const invalidState = -32004;

/** The profile's -32002, -32003 and -32004 are other errors than those of A2A. */
const baseErrors: Codec<JsonRpcError, A2AError> = errorCodec(
  {
    taskNotFound: -32001,
    unauthenticated: -32002,
    permissionDenied: -32003,
    taskNotCancelable: invalidState,
    contentTypeNotSupported: -32602,
    invalidAgentResponse: -32603,
  },
  { other: agentError, read: { [agentError]: 'agentError', [invalidState]: 'unsupportedOperation' } },
);

export const error: Codec<JsonRpcError, A2AError> = {
  encode: (thrown, cx) => {
    const encoded = baseErrors.encode(thrown, cx);
    // The core uses this kind if a task's state forbids a call, and then names the task.
    const isState = thrown.kind === 'unsupportedOperation' && thrown.metadata.taskId !== undefined;
    return isState ? { ...encoded, code: invalidState } : encoded;
  },
  decode: (wire, cx) => {
    const decoded = baseErrors.decode(wire, cx);
    const { kind, message, metadata } = decoded;
    if (!isObject(wire) || wire.code !== invalidState || metadata.taskId !== undefined) return decoded;
    return new A2AError(kind, message, { metadata: { ...metadata, taskId: cx.taskId ?? '' } });
  },
};

/**
 * HTTP statuses other than 200. Credentials are refused with the codes above: the real client reads no body of another
 * status.
 */
export const errorStatuses: ReadonlySet<number> = new Set([413, 429, 503]);

/** Payload of an `event: error`; real servers say `task_not_found` and `stream_error`. */
export const encodeStreamError = ({ row, message }: A2AError): Required<StreamError> => ({
  error: row.reason.toLowerCase(),
  message,
});

/** The inverse of `encodeStreamError`. */
export const decodeStreamError = ({ error, message }: StreamError): A2AError =>
  new A2AError(kindOfReason(error.toUpperCase()) ?? 'internal', message || `The agent reported: ${error}`);
