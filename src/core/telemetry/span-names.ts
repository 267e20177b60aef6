import type { Operation } from '../../gen/operations.ts';
import type { BindingKind } from '../model/call.ts';
import type { A2AError, ErrorRow } from '../model/errors.ts';
import type { SpanAttributes } from './tracing.ts';

/** The names of an operation in traces. */
export interface OperationNames {
  /** Name of its spans, such as `A2A SendMessage`: the same for every binding and dialect. */
  readonly title: string;
  /** `rpc.method` of the semantic conventions for RPC: `lf.a2a.v1.A2AService/SendMessage`. */
  readonly method: string;
}

/** By the operations' names. */
export const spanNames = (operations: readonly Operation[]): ReadonlyMap<string, OperationNames> =>
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

type StatusOf = (row: ErrorRow) => SpanAttributes;

const grpcStatus: StatusOf = ({ grpc }) => ({ 'rpc.response.status_code': grpc });

/** The status of an error in each binding. */
const statuses: Readonly<Partial<Record<BindingKind, StatusOf>>> = {
  jsonrpc: ({ jsonrpc }) => ({ 'rpc.response.status_code': String(jsonrpc) }),
  rest: ({ http }) => ({ 'http.response.status_code': http }),
  grpc: grpcStatus,
  'grpc-web': grpcStatus,
  connect: grpcStatus,
};

/** The status of a failed call. */
export const statusAttributes = (binding: BindingKind | undefined, { row }: A2AError): SpanAttributes =>
  (binding && statuses[binding]?.(row)) ?? {};

/** A call's attributes by the semantic conventions for RPC. */
export const rpcAttributes = (binding: BindingKind | undefined, method: string | undefined): SpanAttributes => ({
  'rpc.system.name': binding && systems[binding],
  'rpc.method': method,
});
