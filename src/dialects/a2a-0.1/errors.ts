import { type A2AError, type ErrorKind, errorTable } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Codec, Frame } from '../kernel/codec.ts';
import { errorData, errorFromDetails, jsonRpcErrorOf } from '../kernel/errors.ts';
import type { JsonRpcError } from '../kernel/wire.ts';

/** "Internal error": whatever has no code of its own. */
const internalError = -32603;

/**
 * Codes of the document by meaning. It gives -32006 to -32011 to other errors than A2A 1.0, so that a kind which is
 * neither here nor one of JSON-RPC's own is an internal error.
 */
const codes: Partial<Record<ErrorKind, number>> = {
  taskNotFound: -32001,
  taskNotCancelable: -32002,
  pushNotificationNotSupported: -32003,
  unsupportedOperation: -32004,
  contentTypeNotSupported: -32005,
  unauthenticated: -32007,
  permissionDenied: -32008,
  tooManyRequests: -32010,
  unavailable: -32011,
};

/** Kinds by code, where the details do not tell. */
const kinds: Readonly<Record<number, ErrorKind>> = {
  [-32700]: 'parse',
  [-32600]: 'invalidRequest',
  [-32601]: 'methodNotFound',
  [-32602]: 'invalidParams',
  [internalError]: 'internal',
  [-32000]: 'agentError',
  [-32001]: 'taskNotFound',
  [-32002]: 'taskNotCancelable',
  [-32003]: 'pushNotificationNotSupported',
  [-32004]: 'unsupportedOperation',
  [-32005]: 'contentTypeNotSupported',
  // "Streaming not supported" and "invalid task state": what is asked for cannot be done.
  [-32006]: 'unsupportedOperation',
  [-32009]: 'unsupportedOperation',
  [-32007]: 'unauthenticated',
  [-32008]: 'permissionDenied',
  [-32010]: 'tooManyRequests',
  [-32011]: 'unavailable',
};

function codeOf(kind: ErrorKind): number {
  const { jsonrpc } = errorTable[kind];
  return codes[kind] ?? (jsonrpc <= -32600 ? jsonrpc : internalError);
}

/** `data` may be anything in A2A 0.1; it holds the details of A2A 1.0, from which the meaning can be read back. */
export const jsonRpcError: Codec<JsonRpcError, A2AError> = {
  encode: (error) => ({ code: codeOf(error.kind), message: error.message, data: errorData(error) }),
  decode: (wire) => {
    const { code, message, data } = jsonRpcErrorOf(wire);
    const inner = code === internalError && isObject(data) ? data.error : undefined;
    if (isError(inner)) return errorFromDetails(inner.data, kinds[inner.code] ?? 'internal', inner.message);
    return errorFromDetails(data, kinds[code] ?? 'internal', message);
  },
};

/** The JavaScript server wraps every answer that is an error into another one, as its data. */
const isError = (value: unknown): value is JsonRpcError => isObject(value) && typeof value.code === 'number';

/** An error within a stream: a JSON-RPC answer like the others. */
export const streamError = (error: A2AError, id: unknown): Frame[] => [
  { data: JSON.stringify({ jsonrpc: '2.0', id, error: jsonRpcError.encode(error, { losses: new Set() }) }) },
];
