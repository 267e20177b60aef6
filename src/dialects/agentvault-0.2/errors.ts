import { A2AError, type ErrorKind, errorTable } from '../../core/model/errors.ts';
import type { StreamError } from '../../gen/agentvault-0.2/types.ts';
import type { Codec } from '../kernel/codec.ts';
import { errorData, errorFromDetails, jsonRpcErrorOf, kindOfReason } from '../kernel/errors.ts';
import type { JsonRpcError } from '../kernel/wire.ts';

/** "Agent Server Error": whatever has no code of its own. */
const agentError = -32000;
/** "Invalid State": the task's state does not allow it. */
const invalidState = -32004;

/**
 * Codes of the profile by meaning. Its -32002, -32003 and -32004 are other errors than those of A2A, so that a kind
 * which is not here and whose own code is not one of JSON-RPC's is an agent error.
 */
const codes: Partial<Record<ErrorKind, number>> = {
  taskNotFound: -32001,
  unauthenticated: -32002,
  permissionDenied: -32003,
  taskNotCancelable: invalidState,
  contentTypeNotSupported: -32602,
  invalidAgentResponse: -32603,
};

/**
 * HTTP statuses other than 200. The profile has credentials judged under the codes above: its real client reads no body
 * that comes with another status.
 */
export const errorStatuses: ReadonlySet<number> = new Set([413, 429, 503]);

/** Kinds by code, where the details do not tell. */
const kinds: Readonly<Record<number, ErrorKind>> = {
  [-32700]: 'parse',
  [-32600]: 'invalidRequest',
  [-32601]: 'methodNotFound',
  [-32602]: 'invalidParams',
  [-32603]: 'internal',
  [agentError]: 'agentError',
  [-32001]: 'taskNotFound',
  [-32002]: 'unauthenticated',
  [-32003]: 'permissionDenied',
  [invalidState]: 'unsupportedOperation',
};

function codeOf({ kind, metadata }: A2AError): number {
  // The core refuses this way what a task's state forbids, and then names the task.
  if (kind === 'unsupportedOperation' && metadata.taskId !== undefined) return invalidState;
  const { jsonrpc } = errorTable[kind];
  return codes[kind] ?? (jsonrpc <= -32600 ? jsonrpc : agentError);
}

/** `data` may be anything in AgentVault; it holds the details of A2A 1.0, from which the meaning can be read back. */
export const jsonRpcError: Codec<JsonRpcError, A2AError> = {
  encode: (error) => ({ code: codeOf(error), message: error.message, data: errorData(error) }),
  decode: (wire, { taskId = '' }) => {
    const { code, message, data } = jsonRpcErrorOf(wire);
    const error = errorFromDetails(data, kinds[code] ?? 'internal', message);
    if (code !== invalidState || error.metadata.taskId !== undefined) return error;
    return new A2AError(error.kind, error.message, { metadata: { ...error.metadata, taskId } });
  },
};

/** Payload of an `event: error`; real servers say `task_not_found` and `stream_error`. */
export const encodeStreamError = (error: A2AError): Required<StreamError> => ({
  error: error.row.reason.toLowerCase(),
  message: error.message,
});

/** The inverse; a code that nobody knows is the agent's own affair. */
export function decodeStreamError({ error, message }: StreamError): A2AError {
  return new A2AError(kindOfReason(error.toUpperCase()) ?? 'internal', message || `The agent reported: ${error}`);
}
