import { newId } from '../../../core/model/ids.ts';
import { isObject } from '../../../core/model/json.ts';
import type { HttpContext } from '../../../transports/http/context.ts';
import type { Exchange } from '../../../transports/http/exchange.ts';
import { exactNumber } from '../../../wire/exact-numbers.ts';
import { type RawNumber, type RpcId, readRpcRequest } from '../../../wire/jsonrpc.ts';

/** A JSON-RPC request, as far as it could be read. */
export interface McpRequest {
  readonly body?: unknown;
  readonly id?: Exclude<RpcId, RawNumber> | undefined;
  /**
   * An id that a double cannot hold. `id` and the body contain a string in its place, because the SDK accepts only safe
   * integers.
   */
  readonly exact?: { readonly id: RawNumber; readonly standIn: string };
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Reads a request. Batches, which only MCP 2025-03-26 had, are refused: a batch of calls would count as one request.
 *
 * @throws A2AError for a body that is not JSON-RPC
 */
export async function readRequest({ bodies }: HttpContext, exchange: Exchange): Promise<McpRequest> {
  const body = await bodies.readJson(exchange, true);
  // Clients answer requests from the server with messages without a method.
  if (isObject(body) && !('method' in body) && ('result' in body || 'error' in body)) return { body };
  const request = readRpcRequest(body);
  if (request.error) throw request.error;
  const { id, method, params } = request;
  if (typeof id !== 'object' || id === null) return { id, method, params, body };
  const standIn = newId();
  return { id: standIn, method, params, body: { ...(body as object), id: standIn }, exact: { id, standIn } };
}

export const exactIdOf = ({ id = null, exact }: McpRequest): RpcId => exact?.id ?? id;

/** Returns the id of the request that a notification cancels. */
export const canceledBy = (params: McpRequest['params'] = {}): unknown =>
  exactNumber(params, 'requestId') ?? params.requestId;

/** Restores the request's own id in a response. Each chunk of an event stream is a whole event. */
export function withExactId(answer: Response, exact: McpRequest['exact']): Response {
  if (!exact || !answer.body) return answer;
  const { id, standIn } = exact;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const replaced = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      controller.enqueue(encoder.encode(text.replaceAll(JSON.stringify(standIn), id.rawJSON)));
    },
  });
  return new Response(answer.body.pipeThrough(replaced), answer);
}

/**
 * Returns the key of a call that its client may cancel. Undefined without a session id, which distinguishes clients.
 */
export function callKey({ principal, req }: Exchange, id: unknown): string | undefined {
  const session = req.headers['mcp-session-id'];
  if (typeof session !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return JSON.stringify([principal.id, session, id]);
}
