import type { A2AError } from '../../core/model/errors.ts';
import type { Codec } from '../kernel/codec.ts';
import type { JsonRpcBinding, JsonRpcError } from '../kernel/wire.ts';

/**
 * How streams are framed. One that is refused is answered by an event stream too: the real clients of A2A 0.3 lose the
 * code of an error that comes as plain JSON. The frame has no name, as the server in Python writes it: the SDK for
 * JavaScript of 1.0 loses what a named one tells.
 */
export const streamFraming = (error: Codec<JsonRpcError, A2AError>): JsonRpcBinding['stream'] => ({
  enveloped: true,
  error: (thrown, id) => [
    {
      data: JSON.stringify({ jsonrpc: '2.0', id, error: error.encode(thrown, { losses: new Set() }) }),
    },
  ],
  refusedAsStream: true,
});
