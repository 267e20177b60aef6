import type { ErrorKind, GrpcStatusName } from '../../core/model/errors.ts';

/** Names of the errors of A2A 0.3 in Python and Java, for the kinds that exist in this version. */
export const names: Readonly<Partial<Record<ErrorKind, string>>> = {
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

/** HTTP statuses of the JavaScript server, if they differ from A2A 1.0. */
export const statuses: Readonly<Partial<Record<ErrorKind, number>>> = {
  taskNotCancelable: 409,
  contentTypeNotSupported: 500,
  invalidAgentResponse: 500,
  extendedAgentCardNotConfigured: 500,
};

/** gRPC statuses of the JavaScript server, if they differ from A2A 1.0. */
export const grpcStatuses: Readonly<Partial<Record<ErrorKind, GrpcStatusName>>> = {
  pushNotificationNotSupported: 'UNIMPLEMENTED',
  unsupportedOperation: 'UNIMPLEMENTED',
};
