import type { A2AError } from '../../core/errors.ts';
import type { Codec, JsonRpcError, JsonRpcFace } from '../dialect.ts';

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
