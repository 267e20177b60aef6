import { type ErrorKind, errorTable } from '../../src/core/model/errors.ts';
import { grpcStatuses, names, statuses } from '../../src/dialects/a2a-0.3/error-names.ts';
import type { Model } from '../model.ts';

/** An error of A2A, as each binding has it. */
export interface ErrorFacts {
  /** Its name in the specification. */
  readonly name: string;
  readonly jsonRpc: number;
  readonly http: number;
  readonly grpc: string;
  /** The reason in `google.rpc.ErrorInfo`, from A2A 1.0 on. */
  readonly reason?: string;
  /** Its standard message. */
  readonly message: string;
}

/** The generations of errors: A2A 1.x has reasons, and another table of statuses. */
export type ErrorGeneration = '1.x' | '0.3';

/** The errors that A2A 1.0 names, in sections 3.3.2, 5.4 and 9.5 of its specification. */
const ofVersion1: readonly (readonly [ErrorKind, name: string])[] = [
  ['parse', 'JSONParseError'],
  ['invalidRequest', 'InvalidRequestError'],
  ['methodNotFound', 'MethodNotFoundError'],
  ['invalidParams', 'InvalidParamsError'],
  ['internal', 'InternalError'],
  ['taskNotFound', 'TaskNotFoundError'],
  ['taskNotCancelable', 'TaskNotCancelableError'],
  ['pushNotificationNotSupported', 'PushNotificationNotSupportedError'],
  ['unsupportedOperation', 'UnsupportedOperationError'],
  ['contentTypeNotSupported', 'ContentTypeNotSupportedError'],
  ['invalidAgentResponse', 'InvalidAgentResponseError'],
  ['extendedAgentCardNotConfigured', 'ExtendedAgentCardNotConfiguredError'],
  ['extensionSupportRequired', 'ExtensionSupportRequiredError'],
  ['versionNotSupported', 'VersionNotSupportedError'],
];

/** The errors that A2A 1.1 adds, for protos whose tasks have generations. */
const ofGenerations: readonly (readonly [ErrorKind, name: string])[] = [
  ['taskGenerationMismatch', 'TaskGenerationMismatchError'],
];

/** Errors of JSON-RPC itself have no reason in A2A. */
const ofJsonRpc: ReadonlySet<string> = new Set([
  'parse',
  'invalidRequest',
  'methodNotFound',
  'invalidParams',
  'internal',
]);

/** The errors of a generation of A2A, with what the proto of a newer version adds. */
export function errorFacts(generation: ErrorGeneration, { messages }: Pick<Model, 'messages'>): ErrorFacts[] {
  if (generation === '0.3') {
    return Object.entries(names).map(([key, name]) => {
      const kind = key as ErrorKind;
      const { jsonrpc, http, grpc, message } = errorTable[kind];
      return { name, jsonRpc: jsonrpc, http: statuses[kind] ?? http, grpc: grpcStatuses[kind] ?? grpc, message };
    });
  }
  const hasGenerations = messages.some(
    ({ name, fields }) => name === 'Task' && fields.some(({ jsonName }) => jsonName === 'generation'),
  );
  return [...ofVersion1, ...(hasGenerations ? ofGenerations : [])].map(([kind, name]) => {
    const { jsonrpc, http, grpc, message, reason } = errorTable[kind];
    return { name, jsonRpc: jsonrpc, http, grpc, ...(!ofJsonRpc.has(kind) && { reason }), message };
  });
}
