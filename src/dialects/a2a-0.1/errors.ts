import type { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Codec } from '../kernel/codec.ts';
import { errorCodec } from '../kernel/errors.ts';
import type { JsonRpcError } from '../kernel/wire.ts';

/** "Internal error", for every kind without a code of its own. */
const internalError = -32603;

/** The document gives -32006 to -32011 to errors other than those of A2A 1.0. */
const baseErrors: Codec<JsonRpcError, A2AError> = errorCodec(
  {
    taskNotFound: -32001,
    taskNotCancelable: -32002,
    pushNotificationNotSupported: -32003,
    unsupportedOperation: -32004,
    contentTypeNotSupported: -32005,
    unauthenticated: -32007,
    permissionDenied: -32008,
    tooManyRequests: -32010,
    unavailable: -32011,
  },
  {
    other: internalError,
    // The last two are "Streaming not supported" and "Invalid task state".
    read: { [-32000]: 'agentError', [-32006]: 'unsupportedOperation', [-32009]: 'unsupportedOperation' },
  },
);

/** Unwraps an error: the JavaScript server wraps every error into another one, as its data. */
function unwrapped(wire: unknown): unknown {
  if (!isObject(wire) || wire.code !== internalError || !isObject(wire.data)) return wire;
  const { error } = wire.data;
  return isObject(error) && typeof error.code === 'number' ? error : wire;
}

export const error: Codec<JsonRpcError, A2AError> = {
  ...baseErrors,
  decode: (wire, cx) => baseErrors.decode(unwrapped(wire), cx),
};
