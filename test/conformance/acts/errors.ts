import { NotUnderstood } from './values.ts';

/** The errors of A2A 1.0 by the names that the specification gives them, as each binding has them. */

/** The forms of one kind of error: A2A 1.0, sections 5.4, 9.5, 10.6 and 11.6. */
export interface ErrorForm {
  readonly jsonrpc: number;
  readonly grpc: string;
  readonly http: number;
  /** The reason in google.rpc.ErrorInfo, which tells apart the errors of one status. JSON-RPC's own errors have none. */
  readonly reason?: string;
}

const ofA2a = (jsonrpc: number, grpc: string, http: number, reason: string): ErrorForm => ({
  jsonrpc,
  grpc,
  http,
  reason,
});

const forms = new Map<string, ErrorForm>([
  ['TaskNotFoundError', ofA2a(-32001, 'NOT_FOUND', 404, 'TASK_NOT_FOUND')],
  ['TaskNotCancelableError', ofA2a(-32002, 'FAILED_PRECONDITION', 400, 'TASK_NOT_CANCELABLE')],
  ['PushNotificationNotSupportedError', ofA2a(-32003, 'FAILED_PRECONDITION', 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED')],
  ['UnsupportedOperationError', ofA2a(-32004, 'FAILED_PRECONDITION', 400, 'UNSUPPORTED_OPERATION')],
  ['ContentTypeNotSupportedError', ofA2a(-32005, 'INVALID_ARGUMENT', 400, 'CONTENT_TYPE_NOT_SUPPORTED')],
  ['InvalidAgentResponseError', ofA2a(-32006, 'INTERNAL', 500, 'INVALID_AGENT_RESPONSE')],
  [
    'ExtendedAgentCardNotConfiguredError',
    ofA2a(-32007, 'FAILED_PRECONDITION', 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
  ],
  ['ExtensionSupportRequiredError', ofA2a(-32008, 'FAILED_PRECONDITION', 400, 'EXTENSION_SUPPORT_REQUIRED')],
  ['VersionNotSupportedError', ofA2a(-32009, 'FAILED_PRECONDITION', 400, 'VERSION_NOT_SUPPORTED')],
  ['InvalidParamsError', { jsonrpc: -32602, grpc: 'INVALID_ARGUMENT', http: 400 }],
  ['JSONParseError', { jsonrpc: -32700, grpc: 'INVALID_ARGUMENT', http: 400 }],
  ['MethodNotFoundError', { jsonrpc: -32601, grpc: 'UNIMPLEMENTED', http: 404 }],
  ['InternalError', { jsonrpc: -32603, grpc: 'INTERNAL', http: 500 }],
]);

/** @throws NotUnderstood for a name that A2A does not have */
export function errorForm(name: string): ErrorForm {
  const form = forms.get(name);
  if (form === undefined) throw new NotUnderstood(`the error ${name}`);
  return form;
}
