import type { Call } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import { encodeRequest } from '../../dialects/kernel/losses.ts';
import { subjectOf } from '../../dialects/kernel/methods.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import type { OperationName } from '../../gen/services.ts';
import type { HttpTransportOptions } from '../outbound/http-transport.ts';
import { type Rpc, rpcsOf } from './rpc.ts';

/** What the clients of the protobuf bindings have in common. */

/** The rpcs of a dialect by the operation that each stands for. Throws TypeError when it has no protobuf face. */
export function rpcsByOperation(dialect: WireProtocol): ReadonlyMap<OperationName, Rpc> {
  if (!dialect.grpc) throw new TypeError(`${dialect.name} is not spoken over gRPC`);
  return new Map(rpcsOf([dialect]).map((rpc) => [rpc.method.operation, rpc]));
}

/** One call on its way out. */
export interface OutgoingCall {
  readonly rpc: Rpc;
  /** ProtoJSON of the rpc's request type. */
  readonly message: object;
  readonly cx: CodecContext;
}

/**
 * @param options whether a request of which something would be lost is refused, and what is known of the agent
 * @throws A2AError `unsupportedOperation` when the dialect has no such rpc; `deadlineExceeded` when it is too late;
 *   `invalidParams` for what is refused
 */
export function prepareCall(
  rpcs: ReadonlyMap<OperationName, Rpc>,
  { operation, request, context }: Call,
  { strict = false, quirks }: Pick<HttpTransportOptions, 'strict' | 'quirks'> = {},
): OutgoingCall {
  const rpc = rpcs.get(operation);
  if (!rpc) throw new A2AError('unsupportedOperation', `${operation} does not exist in this version of gRPC's service`);
  if (context.deadline !== undefined && context.deadline <= Date.now()) throw new A2AError('deadlineExceeded');
  const taskId = subjectOf(request);
  const cx: CodecContext = {
    losses: context.notes.losses,
    ...(taskId !== undefined && { taskId }),
    ...(quirks && { peerSoftware: { quirks: { ...quirks(), laterFields: true } } }),
  };
  return { rpc, message: encodeRequest(rpc.method, request, cx, { dialect: rpc.dialect.name, strict }) as object, cx };
}
