import { A2AError } from '../../core/model/errors.ts';
import type { Codec } from '../kernel/codec.ts';
import { errorCodec, errorFrames } from '../kernel/errors.ts';
import type { JsonRpcBinding, JsonRpcError } from '../kernel/wire.ts';
import { isMissingTaskId, missingTaskId, noTaskId } from './read.ts';
import { closing } from './stream.ts';

/** "Authenticated Extended Card not configured", which the SDK's server also sends to unknown callers. */
const notConfigured = -32007;
/** "Invalid agent response", which it sends if the task's id is missing. */
const invalidResponse = -32006;

const required = 'Authentication required for authenticated extended card';
const wrong = 'Invalid authentication credentials';

/** The SDK's codes end at -32007. */
const baseErrors: Codec<JsonRpcError, A2AError> = errorCodec({
  unauthenticated: notConfigured,
  permissionDenied: notConfigured,
  extensionSupportRequired: -32603,
  versionNotSupported: -32603,
});

/** Errors as in A2A 0.3, except two codes with a second meaning. */
export const error: Codec<JsonRpcError, A2AError> = {
  encode(thrown, cx) {
    const encoded = baseErrors.encode(thrown, cx);
    return isMissingTaskId(thrown) ? { ...encoded, code: invalidResponse } : encoded;
  },
  decode(wire, cx) {
    const decoded = baseErrors.decode(wire, cx);
    const { kind, message } = decoded;
    // The SDK's server sends no details: only its message shows the meaning.
    if (kind === 'extendedAgentCardNotConfigured' && (message === required || message === wrong)) {
      return new A2AError('unauthenticated', message);
    }
    return kind === 'invalidAgentResponse' && message === missingTaskId ? noTaskId() : decoded;
  },
};

/** HTTP statuses other than 200; unauthenticated callers get 200 with the header and the code. */
export const errorStatuses: ReadonlySet<number> = new Set([413, 429, 503]);

/** The method whose credentials are requested with the message of the SDK's server. */
export const extendedCardMethod = 'agent/getAuthenticatedExtendedCard';

/** The challenge for unauthenticated callers. */
export const unauthenticated: NonNullable<JsonRpcBinding['unauthenticated']> = (hasCredentials, method) => {
  if (hasCredentials) return { challenge: 'Bearer realm="A2A", error="invalid_token"', message: wrong };
  return { challenge: 'Bearer realm="A2A"', ...(method === extendedCardMethod && { message: required }) };
};

const errorEvent = errorFrames(error, 'error');

/**
 * Framing of streams. The SDK's streaming client reads only lines that begin with `data: `: an error in plain JSON, as
 * its server writes it for a missing message, would not reach it; therefore all refusals are events, as in the
 * document.
 */
export const stream: JsonRpcBinding['stream'] = {
  enveloped: true,
  refusedAsStream: true,
  closing,
  error: (thrown, id) => [...errorEvent(thrown, id), { event: closing, data: '' }],
};
