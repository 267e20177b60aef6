import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Codec, DecodedRequest } from './codec.ts';
import type { CardShape, Dialect } from './dialect.ts';
import type { JsonRpcBinding } from './wire.ts';

/** One JSON-RPC request with its call in v1. */
export interface NamedRequest extends DecodedRequest {
  readonly operation: OperationName;
  /** The request id, in its original JSON type; absent when there was none. */
  readonly id?: unknown;
}

/** The types that stand alone, of a dialect over JSON-RPC. */
export const typesOf = (
  jsonrpc: JsonRpcBinding,
  card: CardShape,
  others: Readonly<Record<'message' | 'task' | 'event', Codec<unknown, unknown>>>,
): Dialect['types'] => ({
  ...others,
  card: card as Codec<unknown, unknown>,
  request: jsonRpcRequestCodec(jsonrpc),
  error: jsonrpc.error as Codec<unknown, unknown>,
});

/**
 * Converts whole JSON-RPC requests of a face; a request of one dialect so becomes one of another. An operation that takes
 * two calls in a dialect (AgentVault's streams) becomes the first of them, with the loss `method`.
 */
export function jsonRpcRequestCodec(face: Pick<JsonRpcBinding, 'methods' | 'calls'>): Codec<unknown, unknown> {
  const methods = new Map([...face.methods.values()].reverse().map((method) => [method.operation, method]));
  return {
    decode(wire, cx): NamedRequest {
      if (!isObject(wire) || typeof wire.method !== 'string') throw new A2AError('invalidRequest');
      const method = face.methods.get(wire.method);
      if (!method) throw new A2AError('methodNotFound', `Method not found: ${wire.method}`);
      const decoded = method.request.decode(wire.params, cx);
      return { ...decoded, operation: method.operation, ...('id' in wire && { id: wire.id }) };
    },
    encode(v1, cx) {
      const { operation, id, ...request } = v1 as NamedRequest;
      const same = methods.get(operation);
      const method = same ?? face.calls.get(operation)?.method;
      if (!method) throw new A2AError('unsupportedOperation', `This dialect has no ${operation}`);
      if (!same) cx.losses.add('method');
      const params = method.request.encode(request, cx);
      return { jsonrpc: '2.0', ...(id !== undefined && { id }), method: method.name, params };
    },
  };
}
