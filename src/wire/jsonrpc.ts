import { A2AError } from '../core/model/errors.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import { exactNumber } from './exact-numbers.ts';

/** JSON-RPC 2.0 envelopes (jsonrpc.org/specification): reads requests, writes and reads responses. */

export type RpcId = string | number | null | RawNumber;

/** A number that a double cannot hold. `JSON.stringify` writes its original text. */
export interface RawNumber {
  readonly rawJSON: string;
}

/**
 * A request, as far as it could be read. For an invalid one, method and parameters help to detect the caller's dialect.
 */
export interface RpcRequest {
  /**
   * Id of the request. Undefined for a notification, which is never answered; null for an invalid request without a
   * usable id.
   */
  readonly id: RpcId | undefined;
  readonly method?: string | undefined;
  readonly params?: JsonObject | undefined;
  /** Error to answer an invalid request with; absent for a valid one. */
  readonly error?: A2AError;
}

const isId = (id: unknown): boolean =>
  typeof id === 'string' || id === null || (typeof id === 'number' && Number.isFinite(id));

/** Returns the id of a request, exactly as sent. */
function idOf(body: JsonObject): RpcId | undefined {
  const source = typeof body.id === 'number' ? exactNumber(body, 'id') : undefined;
  return source === undefined ? (body.id as RpcId) : rawNumber(source);
}

/** `JSON.rawJSON`, missing from TypeScript's types. */
const { rawJSON: rawNumber } = JSON as unknown as { rawJSON(source: string): RawNumber };

/**
 * Reads a parsed body as one request. Never throws. An empty body (undefined) is a `parse` error. Batches, an invalid
 * id, a `jsonrpc` other than "2.0" and a method that is not a string are `invalidRequest`. Parameters that are not an
 * object are `invalidParams`, because A2A uses named parameters only; null and an empty list, the form in which PHP
 * writes an empty object, stand for no parameters.
 */
export function readRpcRequest(body: unknown): RpcRequest {
  if (body === undefined) return { id: null, error: A2AError.parse('The body is empty') };
  if (Array.isArray(body)) return { id: null, error: invalid('Batches are not supported: send one request') };
  if (!isObject(body)) return { id: null, error: invalid('The body is not a JSON-RPC request object') };
  const { jsonrpc } = body;
  const method = typeof body.method === 'string' ? body.method : undefined;
  const params = isObject(body.params) ? body.params : undefined;
  if (body.id !== undefined && !isId(body.id)) {
    return { id: null, method, params, error: invalid('id must be a string, a number or null', 'id') };
  }
  const id = idOf(body);
  const refused = (error: A2AError): RpcRequest => ({ id: id ?? null, method, params, error });
  if (jsonrpc !== '2.0') return refused(invalid('jsonrpc must be exactly "2.0"', 'jsonrpc'));
  if (method === undefined) return refused(invalid('method must be a string', 'method'));
  const given = body.params ?? [];
  if (params || (Array.isArray(given) && given.length === 0)) return { id, method, params };
  const violations = [{ field: 'params', description: 'must be an object' }];
  return refused(A2AError.invalidParams('params must be an object', violations));
}

const invalid = (description: string, field?: string): A2AError =>
  new A2AError('invalidRequest', description, { violations: field === undefined ? [] : [{ field, description }] });

/** Returns the text before a result that is already JSON text. The caller appends `}` after the result. */
export const rpcResultHead = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

/** Returns the text of a successful response whose result is already JSON text. */
export const rpcResult = (id: RpcId, resultJson: string): string => `${rpcResultHead(id)}${resultJson}}`;

/** Returns the text of an error response. */
export const rpcError = (id: RpcId, error: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;

/** A parsed response; `error` is undefined for a result. */
export interface RpcResponse {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Returns the error of a response; undefined for null, and for a blank error accompanied by a result. */
export function rpcErrorIn({ error, result }: JsonObject): unknown {
  if (error === undefined || error === null) return undefined;
  return (result ?? undefined) !== undefined && isBlank(error) ? undefined : error;
}

/**
 * Whether an error is a value with which some languages express "none": false, an empty text, list or object, or the
 * code 0.
 */
function isBlank(error: unknown): boolean {
  if (!isObject(error)) return error === false || error === 0 || error === '' || (error as unknown[]).length === 0;
  const { code = 0, message = '', data = null } = error;
  return (code === 0 || code === null) && (message === '' || message === null) && data === null;
}

/**
 * Reads a parsed body as a response. An `error` that is not blank takes precedence over a result.
 *
 * @throws A2AError `invalidAgentResponse` for a body that is not an object, or has neither
 */
export function readRpcResponse(body: unknown): RpcResponse {
  if (!isObject(body)) throw new A2AError('invalidAgentResponse', 'The answer is not a JSON-RPC response');
  const { id, result } = body;
  const error = rpcErrorIn(body);
  if (error !== undefined) return { id, error };
  if (!('result' in body)) throw new A2AError('invalidAgentResponse', 'The answer has neither a result nor an error');
  return { id, result };
}
