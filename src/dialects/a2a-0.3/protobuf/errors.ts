import type { A2AError, ErrorKind, GrpcStatusName } from '../../../core/errors.ts';
import type { OperationName } from '../../../gen/services.ts';
import type { GrpcFace, RestFace } from '../../dialect.ts';
import { errorCodec, errorFromDetails, isObject } from '../../errors.ts';

/** Errors of A2A 0.3 over HTTP+JSON and gRPC. */

const jsonRpcError = errorCodec();

/** Statuses as the JavaScript server has them, where they are not those of A2A 1.0. */
const statuses: Readonly<Partial<Record<ErrorKind, number>>> = {
  taskNotCancelable: 409,
  contentTypeNotSupported: 500,
  invalidAgentResponse: 500,
  extendedAgentCardNotConfigured: 500,
};

/** What a status means that comes without a code, as from servers in Python. */
const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
  400: 'invalidRequest',
  401: 'unauthenticated',
  403: 'permissionDenied',
  404: 'taskNotFound',
  405: 'verbNotAllowed',
  408: 'requestTimeout',
  409: 'taskNotCancelable',
  413: 'payloadTooLarge',
  415: 'contentTypeNotSupported',
  422: 'invalidParams',
  429: 'tooManyRequests',
  501: 'unsupportedOperation',
  502: 'invalidAgentResponse',
  503: 'unavailable',
  504: 'upstreamTimeout',
};

/** The error object of JSON-RPC as the whole body. */
export const restError: RestFace['error'] = {
  encode: (error, cx) => ({
    status: statuses[error.kind] ?? error.row.http,
    body: jsonRpcError.encode(error, cx),
  }),
  decode: (wire, cx) => {
    const { status, body } = wire as { readonly status: number; readonly body: unknown };
    // -32000 is nobody's: what it means says the status.
    if (isObject(body) && typeof body.code === 'number' && body.code !== -32000) return jsonRpcError.decode(body, cx);
    const { message, data } = isObject(body) ? body : {};
    return errorFromDetails(data, kindsByStatus[status] ?? (status < 500 ? 'invalidRequest' : 'internal'), message);
  },
};

/** Statuses of gRPC as the JavaScript server has them, where they are not those of A2A 1.0. */
const grpcStatuses: Readonly<Partial<Record<ErrorKind, GrpcStatusName>>> = {
  pushNotificationNotSupported: 'UNIMPLEMENTED',
  unsupportedOperation: 'UNIMPLEMENTED',
};

/** What the errors of A2A are called in Python. */
const names: Readonly<Partial<Record<ErrorKind, string>>> = {
  parse: 'JSONParseError',
  invalidRequest: 'InvalidRequestError',
  methodNotFound: 'MethodNotFoundError',
  invalidParams: 'InvalidParamsError',
  internal: 'InternalError',
  taskNotFound: 'TaskNotFoundError',
  taskNotCancelable: 'TaskNotCancelableError',
  pushNotificationNotSupported: 'PushNotificationNotSupportedError',
  unsupportedOperation: 'UnsupportedOperationError',
  contentTypeNotSupported: 'ContentTypeNotSupportedError',
  invalidAgentResponse: 'InvalidAgentResponseError',
  extendedAgentCardNotConfigured: 'AuthenticatedExtendedCardNotConfiguredError',
};

/**
 * How gRPC tells an error: with the status of the JavaScript server, since the JavaScript client of 0.3 tells errors
 * apart by nothing else, and with the name before the text as the Python server writes it, since clients in Python read
 * that and no status. The official kit for 0.3 accepts both.
 */
export const grpcError: NonNullable<GrpcFace['encodeError']> = (error: A2AError) => {
  const name = names[error.kind];
  return {
    status: grpcStatuses[error.kind] ?? error.row.grpc,
    message: name === undefined ? error.message : `${name}: ${error.message}`,
  };
};

/** What the server in JavaScript means by a status, which its client finds out by the operation. */
const kindsByOperation: Readonly<Partial<Record<OperationName, Readonly<Partial<Record<GrpcStatusName, ErrorKind>>>>>> =
  {
    CancelTask: { FAILED_PRECONDITION: 'taskNotCancelable' },
    GetExtendedAgentCard: { FAILED_PRECONDITION: 'extendedAgentCardNotConfigured' },
    CreateTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    GetTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    ListTaskPushNotificationConfigs: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
    DeleteTaskPushNotificationConfig: { UNIMPLEMENTED: 'pushNotificationNotSupported' },
  };

/** The kind of an error that an agent tells by a status alone; undefined where the operation makes no difference. */
export const grpcKind: NonNullable<GrpcFace['kindOf']> = (status, operation) => kindsByOperation[operation]?.[status];
