import type { Operation } from '../../gen/operations.ts';
import type { BindingKind } from '../model/call.ts';
import type { ErrorRow } from '../model/errors.ts';
import type { SpanAttributes } from './tracing.ts';

/**
 * The names of operations in traces, by the operations' names. `title` is the name of spans, such as `A2A SendMessage`, for all
 * bindings and dialects. `method` is `rpc.method` of the semantic conventions, such as `lf.a2a.v1.A2AService/SendMessage`.
 */
export const spanNames = (operations: readonly Operation[]) =>
  new Map(
    operations.map(({ name, service, grpcPath }) => {
      const short = service.slice(service.lastIndexOf('.') + 1).replace(/Service$/, '');
      return [name, { title: `${short} ${name}`, method: grpcPath.slice(1) }];
    }),
  );

/** `rpc.system.name` of each binding by the semantic conventions for RPC; HTTP+JSON and local calls have none. */
const systems: Readonly<Partial<Record<BindingKind, string>>> = {
  jsonrpc: 'jsonrpc',
  grpc: 'grpc',
  'grpc-web': 'grpc',
  connect: 'connectrpc',
};

/** Attributes with the status of a failed call. */
export function statusAttributes(binding: BindingKind | undefined, row: ErrorRow): SpanAttributes {
  if (binding === 'rest') return { 'http.response.status_code': row.http };
  const system = binding && systems[binding];
  return system === undefined
    ? {}
    : { 'rpc.response.status_code': system === 'jsonrpc' ? String(row.jsonrpc) : row.grpc };
}

/** A call's attributes by the semantic conventions for RPC. */
export const rpcAttributes = (binding: BindingKind | undefined, method: string | undefined): SpanAttributes => ({
  'rpc.system.name': binding && systems[binding],
  'rpc.method': method,
});
