import type { A2AError, ErrorKind, GrpcStatusName } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import type { OperationName } from '../../../gen/services.ts';
import { errorCodec, errorFromDetails, kindOfStatus } from '../../kernel/errors.ts';
import type { GrpcBinding, RestBinding } from '../../kernel/wire.ts';
import { grpcStatuses, names, statuses } from '../error-names.ts';

/** Errors of A2A 0.3 over HTTP+JSON and gRPC. */

const jsonRpcError = errorCodec();

/** What a status means that comes without a code, as from servers in Python, where it is not as in A2A 1.0. */
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

/** Package of the errors of the SDK for Java, whose client tells them apart by their full names. */
const javaPackage = 'io.a2a.spec.';

/** The kind that a body names, as Java writes it or as Python reads it. */
function kindNamedIn({ error, type }: Readonly<Record<string, unknown>>): ErrorKind | undefined {
  const name = typeof error === 'string' && error.startsWith(javaPackage) ? error.slice(javaPackage.length) : type;
  return typeof name === 'string' ? kindsByName.get(name) : undefined;
}

/**
 * The error object of JSON-RPC as the whole body, which clients in JavaScript read. Those in Java and Python read the name
 * of the error instead.
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
    // No dialect defines -32000: the status tells the meaning.
    if (typeof body.code === 'number' && body.code !== -32000) return jsonRpcError.decode(body, cx);
    return errorFromDetails(body.data, kindNamedIn(body) ?? statusKind, body.message, { cause: body });
  },
};

/**
 * Errors over gRPC: with the status of the JavaScript server, since the JavaScript client of 0.3 tells errors apart by
 * nothing else, and with the name before the text as the Python server writes it, since clients in Python read that and no
 * status. The official kit for 0.3 accepts both.
 */
export const grpcError: NonNullable<GrpcBinding['encodeError']> = (error: A2AError) => {
  const name = names[error.kind];
  return {
    status: grpcStatuses[error.kind] ?? error.row.grpc,
    message: name === undefined ? error.message : `${name}: ${error.message}`,
  };
};

/** What the server in JavaScript means by a status, which depends on the operation. */
const kindsByOperation: Readonly<Partial<Record<OperationName, Readonly<Partial<Record<GrpcStatusName, ErrorKind>>>>>> =
  {
    CancelTask: { FAILED_PRECONDITION: 'taskNotCancelable' },
    GetExtendedAgentCard: { FAILED_PRECONDITION: 'extendedAgentCardNotConfigured' },
    CreateTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    GetTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    ListTaskPushNotificationConfigs: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    DeleteTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
  };

/** The kind of an error of which only the status is known; undefined where the operation makes no difference. */
export const grpcKind: NonNullable<GrpcBinding['kindOf']> = (status, operation) =>
  kindsByOperation[operation]?.[status];
