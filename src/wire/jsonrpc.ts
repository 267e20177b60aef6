import { A2AError } from '../core/model/errors.ts';

/** JSON-RPC 2.0 envelopes (jsonrpc.org/specification): requests read, responses written and read. */

export type RpcId = string | number | null;

/** A request that can be dispatched. */
export interface RpcRequest {
  /** Undefined for a notification, which is never answered. */
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly error?: undefined;
}

/** A request that cannot, with the id to answer under: null when it could not be told. */
export interface BadRpcRequest {
  readonly id: RpcId;
  /** As far as they could be read; they help to guess the caller's dialect. */
  readonly method: string | undefined;
  readonly params: unknown;
  readonly error: A2AError;
}

const isId = (id: unknown): id is RpcId =>
  typeof id === 'string' || id === null || (typeof id === 'number' && Number.isFinite(id));

/**
 * Reads a parsed body as one request. Never throws. No body at all (undefined) is no JSON: `parse`. Batches, an id that
 * is no string, number or null, a `jsonrpc` that is not exactly "2.0" and a method that is no string are
 * `invalidRequest`; params that are no object are `invalidParams`, since A2A has named parameters only. None at all may be
 * null, or an empty list, which is how PHP writes an empty object.
 */
export function readRpcRequest(body: unknown): RpcRequest | BadRpcRequest {
  if (body === undefined) {
    return { id: null, method: undefined, params: undefined, error: A2AError.parse('The body is empty') };
  }
  if (Array.isArray(body)) return bad(null, undefined, undefined, 'Batches are not supported: send one request');
  if (typeof body !== 'object' || body === null) {
    return bad(null, undefined, undefined, 'The body is not a JSON-RPC request object');
  }
  const { jsonrpc, id, method, params } = body as Readonly<Record<string, unknown>>;
  const name = typeof method === 'string' ? method : undefined;
  if (id !== undefined && !isId(id)) return bad(null, name, params, 'id must be a string, a number or null', 'id');
  const answerTo = id ?? null;
  if (jsonrpc !== '2.0') return bad(answerTo, name, params, 'jsonrpc must be exactly "2.0"', 'jsonrpc');
  if (name === undefined) return bad(answerTo, name, params, 'method must be a string', 'method');
  if (Array.isArray(params) && params.length === 0) return { id, method: name, params: undefined };
  if (params !== undefined && params !== null && (typeof params !== 'object' || Array.isArray(params))) {
    const violations = [{ field: 'params', description: 'must be an object' }];
    return {
      id: answerTo,
      method: name,
      params,
      error: A2AError.invalidParams('params must be an object', violations),
    };
  }
  return { id, method: name, params: (params ?? undefined) as RpcRequest['params'] };
}

function bad(
  id: RpcId,
  method: string | undefined,
  params: unknown,
  description: string,
  field?: string,
): BadRpcRequest {
  const violations = field === undefined ? [] : [{ field, description }];
  return { id, method, params, error: new A2AError('invalidRequest', description, { violations }) };
}

/** The text that stands before a result that is JSON text already; `}` follows it. */
export const rpcResultHead = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

/** The text of a successful response around a result that is JSON text already. */
export const rpcResult = (id: RpcId, resultJson: string): string => `${rpcResultHead(id)}${resultJson}}`;

/** The text of an error response. */
export const rpcError = (id: RpcId, error: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;

/** A response as it was read. `error` is whatever stood there, for the dialect to make sense of. */
export type RpcResponse =
  | { readonly id: unknown; readonly result: unknown; readonly error?: undefined }
  | { readonly id: unknown; readonly error: unknown };

/**
 * Reads a parsed body as a response: an `error` that is not null comes first, whatever stands beside it.
 *
 * @throws A2AError of kind `invalidAgentResponse` when it is no object, or has neither
 */
export function readRpcResponse(body: unknown): RpcResponse {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new A2AError('invalidAgentResponse', 'The answer is not a JSON-RPC response');
  }
  const { id, result, error } = body as Readonly<Record<string, unknown>>;
  if (error !== undefined && error !== null) return { id, error };
  if (!('result' in body)) {
    throw new A2AError('invalidAgentResponse', 'The answer has neither a result nor an error');
  }
  return { id, result };
}
