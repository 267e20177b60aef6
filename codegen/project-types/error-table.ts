import { type ErrorKind, errorTable } from '../../src/core/model/errors.ts';
import { grpcStatuses, names, statuses } from '../../src/dialects/a2a-0.3/error-names.ts';
import type { Model } from '../model.ts';

/** An error of A2A as each binding represents it. */
export interface ErrorFacts {
  /** Name in the specification. */
  readonly name: string;
  readonly jsonRpc: number;
  readonly http: number;
  readonly grpc: string;
  /** Reason in `google.rpc.ErrorInfo`, since A2A 1.0. */
  readonly reason?: string;
  /** Standard message of the error. */
  readonly message: string;
}

/** Generations of errors. A2A 1.x has reasons and different statuses. */
export type ErrorGeneration = '1.x' | '0.3';

/** Errors named by A2A 1.0, sections 3.3.2, 5.4 and 9.5. */
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

/** Errors that A2A 1.1 adds, for protos with task generations. */
const ofGenerations: readonly (readonly [ErrorKind, name: string])[] = [
  ['taskGenerationMismatch', 'TaskGenerationMismatchError'],
];

/** Errors of JSON-RPC itself, which have no reason in A2A. */
const ofJsonRpc: ReadonlySet<string> = new Set([
  'parse',
  'invalidRequest',
  'methodNotFound',
  'invalidParams',
  'internal',
]);

/** Returns the errors of a generation of A2A, including those that the proto of a newer version adds. */
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
