import { own } from './json.ts';
/**
 * One error class, one row per kind. Bindings read their own column; legacy dialects map kinds, never numbers.
 * Codes and statuses: A2A 1.0.1 specification sections 5.4, 9.5, 10.6 and 11.6, and those that A2A 1.1 adds.
 */

/** gRPC status codes by name, as google.rpc.Code numbers them. */
export const grpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type GrpcStatusName = keyof typeof grpcStatus;

/** Representation of one kind of error on each binding of A2A v1. */
export interface ErrorRow {
  readonly reason: string;
  readonly jsonrpc: number;
  readonly http: number;
  readonly grpc: GrpcStatusName;
  readonly message: string;
}

type Row = readonly [jsonrpc: number, http: number, grpc: GrpcStatusName, message: string, reason?: string];

/** The reason defaults to the kind's name in capitals, such as `TASK_NOT_FOUND` of `taskNotFound`. */
const rows = {
  parse: [-32700, 400, 'INVALID_ARGUMENT', 'Invalid JSON payload', 'PARSE_ERROR'],
  invalidRequest: [-32600, 400, 'INVALID_ARGUMENT', 'Request payload validation error'],
  methodNotFound: [-32601, 404, 'UNIMPLEMENTED', 'Method not found'],
  invalidParams: [-32602, 400, 'INVALID_ARGUMENT', 'Invalid parameters'],
  internal: [-32603, 500, 'INTERNAL', 'Internal error', 'INTERNAL_ERROR'],
  // JSON-RPC's range for servers; AgentVault calls it "Agent Server Error".
  agentError: [-32000, 500, 'INTERNAL', 'The agent reports an error'],

  taskNotFound: [-32001, 404, 'NOT_FOUND', 'Task not found'],
  taskNotCancelable: [-32002, 400, 'FAILED_PRECONDITION', 'Task cannot be canceled'],
  pushNotificationNotSupported: [-32003, 400, 'FAILED_PRECONDITION', 'Push notifications are not supported'],
  unsupportedOperation: [-32004, 400, 'FAILED_PRECONDITION', 'This operation is not supported'],
  contentTypeNotSupported: [-32005, 400, 'INVALID_ARGUMENT', 'Content type not supported'],
  invalidAgentResponse: [-32006, 500, 'INTERNAL', 'Invalid agent response'],
  extendedAgentCardNotConfigured: [-32007, 400, 'FAILED_PRECONDITION', 'No extended agent card is configured'],
  extensionSupportRequired: [
    -32008,
    400,
    'FAILED_PRECONDITION',
    'The agent requires an extension that the client did not declare',
  ],
  versionNotSupported: [-32009, 400, 'FAILED_PRECONDITION', 'Protocol version not supported'],

  // The knowledge graph extension, section 5; codes that it does not define are the gateway's choice.
  knowledgeQuery: [-32010, 400, 'INVALID_ARGUMENT', 'The query failed', 'KNOWLEDGE_QUERY_FAILED'],
  knowledgeUpdate: [-32011, 409, 'FAILED_PRECONDITION', 'The update was rejected', 'KNOWLEDGE_UPDATE_REJECTED'],
  knowledgeSubscription: [-32012, 400, 'INVALID_ARGUMENT', 'The subscription failed', 'KNOWLEDGE_SUBSCRIPTION_FAILED'],
  alignmentViolation: [-32013, 422, 'FAILED_PRECONDITION', "The operation violates the agent's alignment rules"],
  knowledgeNotSupported: [-32601, 501, 'UNIMPLEMENTED', 'The agent has no knowledge graph'],
  queryLanguageNotSupported: [-32010, 501, 'UNIMPLEMENTED', 'The query language is not supported'],
  subscriptionLanguageNotSupported: [-32012, 501, 'UNIMPLEMENTED', 'Subscriptions in this language are not supported'],

  // A2A 1.1 sections 3.3.2 and 5.4. The reason, or the service of the method, distinguishes it from the extension's
  // errors with this code.
  taskGenerationMismatch: [-32010, 409, 'ABORTED', 'The task has another generation than the message expects'],

  // The gateway's own. A2A reserves -32001…-32099, so they share -32000 and differ in reason and status.
  unauthenticated: [-32000, 401, 'UNAUTHENTICATED', 'Authentication required'],
  permissionDenied: [-32000, 403, 'PERMISSION_DENIED', 'Permission denied'],
  agentNotFound: [-32601, 404, 'NOT_FOUND', 'No such agent'],
  routeNotFound: [-32601, 404, 'UNIMPLEMENTED', 'No such path'],
  verbNotAllowed: [-32600, 405, 'UNIMPLEMENTED', 'HTTP method not allowed', 'METHOD_NOT_ALLOWED'],
  // Prescribed by gRPC and Connect for compressions that a server lacks, and for a wrong number of messages.
  unimplemented: [-32601, 501, 'UNIMPLEMENTED', 'The server does not implement this'],
  invalidFraming: [-32600, 400, 'INTERNAL', 'The message is framed wrongly'],
  codingNotSupported: [
    -32600,
    415,
    'UNIMPLEMENTED',
    'The content coding of the request is not supported',
    'CONTENT_CODING_NOT_SUPPORTED',
  ],
  payloadTooLarge: [-32600, 413, 'RESOURCE_EXHAUSTED', 'The request body is too large'],
  idempotencyConflict: [
    -32602,
    422,
    'INVALID_ARGUMENT',
    'The idempotency key was used with another request',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  answerTooLarge: [-32000, 422, 'RESOURCE_EXHAUSTED', 'The answer is too large'],
  tooManyRequests: [-32000, 429, 'RESOURCE_EXHAUSTED', 'Too many requests'],
  requestTimeout: [-32600, 408, 'DEADLINE_EXCEEDED', 'The request did not arrive in time'],
  canceled: [-32000, 499, 'CANCELLED', 'The client went away'],
  deadlineExceeded: [-32000, 504, 'DEADLINE_EXCEEDED', 'The deadline has passed'],
  upstreamUnreachable: [-32006, 502, 'UNAVAILABLE', 'The upstream agent cannot be reached'],
  upstreamTimeout: [-32006, 504, 'DEADLINE_EXCEEDED', 'The upstream agent did not answer in time'],
  unavailable: [-32000, 503, 'UNAVAILABLE', 'The service is unavailable'],
} satisfies Record<string, Row>;

export type ErrorKind = keyof typeof rows;

/** Kinds for codes that mean something else with HTTP 501, by the kinds that have them otherwise. */
export const kindsWithStatus501: Readonly<Partial<Record<ErrorKind, ErrorKind>>> = {
  knowledgeQuery: 'queryLanguageNotSupported',
  knowledgeSubscription: 'subscriptionLanguageNotSupported',
};

/** Every kind of error that the gateway can answer with. */
export const errorTable = Object.fromEntries(
  Object.entries<Row>(rows).map(([kind, [jsonrpc, http, grpc, message, reason]]) => [
    kind,
    { jsonrpc, http, grpc, message, reason: reason ?? kind.replace(/[A-Z]/g, '_$&').toUpperCase() },
  ]),
) as Readonly<Record<ErrorKind, ErrorRow>>;

/** One faulty field, named by its path in the request's JSON, such as `message.parts[0].text`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** A google.protobuf.Any in ProtoJSON: `@type` beside the packed message's own fields. */
export type ErrorDetail = { readonly '@type': string } & Readonly<Record<string, unknown>>;

export interface A2AErrorOptions {
  readonly violations?: readonly FieldViolation[];
  /** Public facts for ErrorInfo.metadata, such as `{ taskId }`. Never a secret, never an internal cause. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further details, of message types that are packed for the protobuf bindings too. */
  readonly details?: readonly ErrorDetail[];
  /** Seconds after which a retry may succeed; becomes `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** Value of `WWW-Authenticate`: how callers can authenticate, or which scope their token lacks. */
  readonly challenge?: string | undefined;
  /** gRPC status of an agent's answer over gRPC or Connect, or of its server's HTTP response. Never sent. */
  readonly rpcStatus?: GrpcStatusName | undefined;
  /** The internal cause. Logged with the request id, never sent. */
  readonly cause?: unknown;
}

/** google.rpc.ErrorInfo's domain for A2A errors (A2A 1.0.1 section 9.5). */
export const errorDomain = 'a2a-protocol.org';

/** Type of the detail with the locations of a query's faults (`QueryErrors` of the knowledge service). */
export const queryErrorsType = 'type.googleapis.com/a2agateway.knowledge.v1.QueryErrors';

/** Kinds for the abort reasons of AbortController and AbortSignal.timeout. */
const abortKinds: Readonly<Record<string, ErrorKind>> = { AbortError: 'canceled', TimeoutError: 'deadlineExceeded' };

/**
 * The one error that crosses a boundary in the gateway. Its kind determines the code and the status on every binding.
 *
 * ```ts
 * import { A2AError, defineAgent } from 'a2a-gateway';
 *
 * export default defineAgent({ name: 'Weather', description: 'Forecasts' }, ({ text }) => {
 *   if (text === '') throw A2AError.invalidField('message.parts[0].text', 'must name a town');
 *   throw new A2AError('unavailable', 'The weather service is down', { retryAfter: 60 });
 * });
 * ```
 */
export class A2AError extends Error {
  override readonly name = 'A2AError';
  readonly kind: ErrorKind;
  readonly violations: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Details besides ErrorInfo and BadRequest. */
  readonly extraDetails: readonly ErrorDetail[];
  readonly retryAfter: number | undefined;
  readonly challenge: string | undefined;
  /** The status of a call of an agent over gRPC or Connect, if the agent or its server sent one. */
  readonly rpcStatus: GrpcStatusName | undefined;

  /** @param message for the caller; if it is blank, the kind's standard message is used */
  constructor(kind: ErrorKind, message?: string, options: A2AErrorOptions = {}) {
    super(
      message?.trim() ? message : errorTable[kind].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.kind = kind;
    this.violations = options.violations ?? [];
    this.metadata = options.metadata ?? {};
    this.extraDetails = options.details ?? [];
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
    this.rpcStatus = options.rpcStatus;
  }

  /** The codes and statuses of this error's kind. */
  get row(): ErrorRow {
    return errorTable[this.kind];
  }

  /**
   * Returns ErrorInfo, BadRequest if fields are invalid, and further details, in ProtoJSON: identical for all bindings.
   */
  details(): ErrorDetail[] {
    const details: ErrorDetail[] = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: this.row.reason,
        domain: errorDomain,
        ...(Object.keys(this.metadata).length > 0 && { metadata: this.metadata }),
      },
    ];
    if (this.violations.length > 0) {
      details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: this.violations });
    }
    details.push(...this.extraDetails);
    return details;
  }

  /** Converts anything thrown to an A2AError: `canceled` or `deadlineExceeded` for abort reasons, else `internal`. */
  static from(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    const kind = thrown instanceof Error ? own(abortKinds, thrown.name) : undefined;
    return new A2AError(kind ?? 'internal', undefined, { cause: thrown });
  }

  /**
   * Restores an error that was stored, or sent by another replica. A kind that this version does not know becomes
   * `internal`.
   */
  static revive({ kind, message, ...options }: Pick<A2AError, 'kind' | 'message'> & A2AErrorOptions): A2AError {
    return new A2AError(Object.hasOwn(errorTable, kind) ? kind : 'internal', message, options);
  }

  /** Returns the error for a body that is not JSON, or not acceptable JSON. */
  static parse(message?: string): A2AError {
    return new A2AError('parse', message);
  }

  /** Returns the error for invalid parameters; `message` defaults to one that names the first faulty field. */
  static invalidParams(
    message: string | undefined,
    violations: readonly FieldViolation[] = [],
    metadata: Readonly<Record<string, string>> = {},
  ): A2AError {
    const first = violations[0];
    const text = message ?? (first ? `Invalid parameters: ${first.field}: ${first.description}` : undefined);
    return new A2AError('invalidParams', text, { violations, metadata });
  }

  /** Returns the error for invalid parameters of which one field is faulty. */
  static invalidField(field: string, description: string, metadata?: Readonly<Record<string, string>>): A2AError {
    return A2AError.invalidParams(undefined, [{ field, description }], metadata);
  }

  static taskNotFound(id: string): A2AError {
    return new A2AError('taskNotFound', `Task not found: ${id}`, { metadata: { taskId: id } });
  }
}

/** The refusal of a request whose caller is known, although the request names no call yet. */
export class RefusedCallerError extends A2AError {
  /** Id of the principal. */
  readonly caller: string;

  constructor(caller: string, kind: ErrorKind, options?: A2AErrorOptions) {
    super(kind, undefined, options);
    this.caller = caller;
  }
}

/** Errors of calls that provably never reached the agent. */
const undelivered = new WeakSet<A2AError>();

/** Marks an error: the call never reached the agent and may be repeated. Returns the error. */
export function markUndelivered(error: A2AError): A2AError {
  undelivered.add(error);
  return error;
}

/** Whether the failed call provably never reached the agent. */
export const isUndelivered = (error: A2AError): boolean => undelivered.has(error);

/** Errors of agents that refused a message after doing nothing more than opening its task. */
const refusals = new WeakSet<A2AError>();

/** Marks an error: the agent refused the message, and its only effect is a submitted task. Returns the error. */
export function markRefusal(error: A2AError): A2AError {
  refusals.add(error);
  return error;
}

/** Whether the agent refused the message, and its only effect is a submitted task. */
export const isRefusal = (error: A2AError): boolean => refusals.has(error);

/** Fields of v1 requests that errors of the core name. Methods of older dialects use other names for them. */
export const ruledFields = [
  'message.messageId',
  'message.parts',
  'message.contextId',
  'message.taskId',
  'configuration.historyLength',
  'configuration.ifGenerationMatch',
  'configuration.taskPushNotificationConfig.url',
  'configuration.taskPushNotificationConfig.token',
  'configuration.taskPushNotificationConfig.authentication.credentials',
  'url',
  'token',
  'authentication.credentials',
  'taskId',
  'historyLength',
  'currentGeneration',
  'pageSize',
  'pageToken',
  'statusTimestampAfter',
] as const;

export type RuledField = (typeof ruledFields)[number];
