import type { A2AError, ErrorKind, GrpcStatusName } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import type { OperationName } from '../../../gen/services.ts';
import { errorCodec, errorFromDetails, kindOfStatus } from '../../kernel/errors.ts';
import type { GrpcBinding, RestBinding } from '../../kernel/wire.ts';
import { grpcStatuses, names, statuses } from '../error-names.ts';

/** Errors of A2A 0.3 over HTTP+JSON and gRPC. */

const jsonRpcError = errorCodec();

/** Kinds of errors without a code, as from servers in Python, by status, if they differ from A2A 1.0. */
const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
  400: 'invalidRequest',
  404: 'taskNotFound',
  409: 'taskNotCancelable',
  415: 'contentTypeNotSupported',
  502: 'invalidAgentResponse',
};

const kindsByName: ReadonlyMap<string, ErrorKind> = new Map(
  Object.entries(names).map(([kind, name]) => [name, kind as ErrorKind]),
);

/** Package of the errors of the SDK for Java, whose client distinguishes them by their full names. */
const javaPackage = 'io.a2a.spec.';

/** Returns the kind that a body names, in the form of Java or of Python. */
function kindNamedIn({ error, type }: Readonly<Record<string, unknown>>): ErrorKind | undefined {
  const name = typeof error === 'string' && error.startsWith(javaPackage) ? error.slice(javaPackage.length) : type;
  return typeof name === 'string' ? kindsByName.get(name) : undefined;
}

/**
 * Codec of errors: the body is the error object of JSON-RPC, which clients in JavaScript read. Clients in Java and Python read
 * the name of the error instead.
 */
export const restError: RestBinding['error'] = {
  encode: (error, cx) => {
    const type = names[error.kind];
    return {
      status: statuses[error.kind] ?? error.row.http,
      body: {
        ...jsonRpcError.encode(error, cx),
        ...(type !== undefined && { type, error: `${javaPackage}${type}` }),
      },
    };
  },
  decode: (wire, cx) => {
    const { status, body } = wire as { readonly status: number; readonly body: unknown };
    const statusKind = kindOfStatus(status, kindsByStatus);
    if (!isObject(body)) return errorFromDetails(undefined, statusKind, undefined);
    // No dialect defines -32000: the status determines the meaning.
    if (typeof body.code === 'number' && body.code !== -32000) return jsonRpcError.decode(body, cx);
    return errorFromDetails(body.data, kindNamedIn(body) ?? statusKind, body.message, { cause: body });
  },
};

/**
 * Encodes errors over gRPC: with the status of the JavaScript server, since the JavaScript client of 0.3 distinguishes
 * errors only by it, and with the name before the text like the Python server, since clients in Python read the name
 * and no status. The official kit for 0.3 accepts both.
 */
export const grpcError: NonNullable<GrpcBinding['encodeError']> = (error: A2AError) => {
  const name = names[error.kind];
  return {
    status: grpcStatuses[error.kind] ?? error.row.grpc,
    message: name === undefined ? error.message : `${name}: ${error.message}`,
  };
};

/** Kinds that the server in JavaScript means by a status, which depend on the operation. */
const kindsByOperation: Readonly<Partial<Record<OperationName, Readonly<Partial<Record<GrpcStatusName, ErrorKind>>>>>> =
  {
    CancelTask: { FAILED_PRECONDITION: 'taskNotCancelable' },
    GetExtendedAgentCard: { FAILED_PRECONDITION: 'extendedAgentCardNotConfigured' },
    CreateTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    GetTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    ListTaskPushNotificationConfigs: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    DeleteTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
  };

/** Returns the kind of an error of which only the status is known; undefined if it does not depend on the operation. */
export const grpcKind: NonNullable<GrpcBinding['kindOf']> = (status, operation) =>
  kindsByOperation[operation]?.[status];
