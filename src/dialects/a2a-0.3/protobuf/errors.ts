import type { A2AError, ErrorKind, GrpcStatusName } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import type { OperationName } from '../../../gen/services.ts';
import { errorCodec, errorFromDetails } from '../../kernel/errors.ts';
import type { GrpcBinding, RestBinding } from '../../kernel/wire.ts';

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

/** What the errors of A2A are called in Python and Java. */
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

const kindsByName: ReadonlyMap<string, ErrorKind> = new Map(
  Object.entries(names).map(([kind, name]) => [name, kind as ErrorKind]),
);

/** Where the SDK for Java has its errors, by whose full names its client tells them apart. */
const javaPackage = 'io.a2a.spec.';

/** The name of an error's kind where a body has one: what Java writes, or what Python reads. */
function kindNamedIn({ error, type }: Readonly<Record<string, unknown>>): ErrorKind | undefined {
  const name = typeof error === 'string' && error.startsWith(javaPackage) ? error.slice(javaPackage.length) : type;
  return typeof name === 'string' ? kindsByName.get(name) : undefined;
}

/**
 * The error object of JSON-RPC as the whole body, which is what clients in JavaScript read. Those in Java and Python read
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
    if (!isObject(body)) return errorFromDetails(undefined, kindOfStatus(status), undefined);
    // -32000 is nobody's: what it means says the status.
    if (typeof body.code === 'number' && body.code !== -32000) return jsonRpcError.decode(body, cx);
    return errorFromDetails(body.data, kindNamedIn(body) ?? kindOfStatus(status), body.message, body);
  },
};

const kindOfStatus = (status: number): ErrorKind =>
  kindsByStatus[status] ?? (status < 500 ? 'invalidRequest' : 'internal');

/** Statuses of gRPC as the JavaScript server has them, where they are not those of A2A 1.0. */
const grpcStatuses: Readonly<Partial<Record<ErrorKind, GrpcStatusName>>> = {
  pushNotificationNotSupported: 'UNIMPLEMENTED',
  unsupportedOperation: 'UNIMPLEMENTED',
};

/**
 * How gRPC tells an error: with the status of the JavaScript server, since the JavaScript client of 0.3 tells errors
 * apart by nothing else, and with the name before the text as the Python server writes it, since clients in Python read
 * that and no status. The official kit for 0.3 accepts both.
 */
export const grpcError: NonNullable<GrpcBinding['encodeError']> = (error: A2AError) => {
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
export const grpcKind: NonNullable<GrpcBinding['kindOf']> = (status, operation) =>
  kindsByOperation[operation]?.[status];
