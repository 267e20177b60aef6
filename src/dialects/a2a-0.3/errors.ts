import { type A2AError, type ErrorKind, errorTable } from '../../core/errors.ts';
import type { Codec, JsonRpcError, JsonRpcFace } from '../dialect.ts';
import { errorFromDetails, jsonRpcErrorOf } from '../errors.ts';

/** Codes by kind, where they are not those of A2A 1.0. */
export type ErrorCodes = Readonly<Partial<Record<ErrorKind, number>>>;

/**
 * Errors by their codes. `data` may be anything in A2A 0.3; it holds the details of A2A 1.0, from which the meaning can
 * be read back. An error without them is what its code says.
 */
export function errorCodec(codes: ErrorCodes = {}): Codec<JsonRpcError, A2AError> {
  const kinds = new Map<number, ErrorKind>();
  for (const [kind, { jsonrpc }] of Object.entries(errorTable) as [ErrorKind, { jsonrpc: number }][]) {
    // -32000 is nobody's, and the first kind of the table with a code has it.
    if (jsonrpc !== -32000 && codes[kind] === undefined && !kinds.has(jsonrpc)) kinds.set(jsonrpc, kind);
  }
  return {
    encode: (error) => ({
      code: codes[error.kind] ?? error.row.jsonrpc,
      message: error.message,
      data: error.details(),
    }),
    decode: (wire) => {
      const { code, message, data } = jsonRpcErrorOf(wire);
      return errorFromDetails(data, kinds.get(code) ?? 'internal', message);
    },
  };
}

/**
 * How streams are framed. One that is refused is answered by an event stream too: the real clients of A2A 0.3 lose the
 * code of an error that comes as plain JSON. The frame is named as the JavaScript server names it; its clients and those
 * in Python read the envelope whatever the name.
 */
export const streamFraming = (error: Codec<JsonRpcError, A2AError>): JsonRpcFace['stream'] => ({
  enveloped: true,
  error: (thrown, id) => [
    {
      event: 'error',
      data: JSON.stringify({ jsonrpc: '2.0', id, error: error.encode(thrown, { losses: new Set() }) }),
    },
  ],
  refusedAsStream: true,
});
