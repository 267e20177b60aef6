import type { Call } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { encodeRequest, subjectOf } from '../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import { Salvage } from '../../dialects/kernel/salvage.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import type { OperationName } from '../../gen/services.ts';
import { markUntried } from '../../net/network-errors.ts';
import { type ClientOptions, dueOf } from '../outbound/http-transport.ts';
import { type Rpc, rpcsOf } from './rpc.ts';

/** Parts that the clients of the protobuf bindings share. */

/** The rpcs of a dialect by operation. Throws TypeError when it has no gRPC binding. */
export function rpcsByOperation(dialect: WireProtocol): ReadonlyMap<OperationName, Rpc> {
  if (!dialect.grpc) throw new TypeError(`${dialect.name} has no gRPC binding`);
  return new Map(rpcsOf([dialect]).map((rpc) => [rpc.method.operation, rpc]));
}

/** A call that is ready to be sent. */
export interface OutgoingCall {
  readonly rpc: Rpc;
  /** ProtoJSON of the rpc's request type. */
  readonly message: object;
  readonly cx: CodecContext;
}

/**
 * Encodes the request of a call.
 *
 * @throws A2AError `unsupportedOperation` when the dialect has no such rpc; `deadlineExceeded`; `invalidParams` for a request
 *   that strict mode refuses
 */
export function prepareCall(
  rpcs: ReadonlyMap<OperationName, Rpc>,
  { operation, request, context }: Call,
  { strict = false, quirks }: Pick<ClientOptions, 'strict' | 'quirks'>,
): OutgoingCall {
  const rpc = rpcs.get(operation);
  if (!rpc) {
    const message = `${operation} does not exist in this version of gRPC's service`;
    throw markUntried(new A2AError('unsupportedOperation', message));
  }
  if (dueOf(context) <= Date.now()) throw new A2AError('deadlineExceeded');
  const taskId = subjectOf(request);
  const cx: CodecContext = {
    losses: context.notes.losses,
    ...(taskId !== undefined && { taskId }),
    ...(!strict &&
      !rpc.dialect.exact && { salvage: new Salvage(context.notes.losses, rpc.dialect.grpc?.tables, taskId) }),
    ...(quirks && { peerSoftware: { quirks: { ...quirks(), laterFields: true } } }),
  };
  return { rpc, message: encodeRequest(rpc.method, request, cx, { dialect: rpc.dialect.name, strict }) as object, cx };
}
