import {
  A2AError,
  type A2AErrorOptions,
  type ErrorDetail,
  type ErrorKind,
  errorDomain,
  errorTable,
  type FieldViolation,
} from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Codec } from './codec.ts';
import type { FieldNames, JsonRpcBinding, JsonRpcError, Method } from './wire.ts';

/**
 * Conversions of errors shared by dialects: the kind is read from the details if they name it, else from the code or
 * status.
 */

const kinds = Object.keys(errorTable) as ErrorKind[];
const kindsByReason = new Map(kinds.map((kind) => [errorTable[kind].reason, kind]));

/** Returns the kind of an ErrorInfo reason; undefined for one that is not the gateway's. */
export const kindOfReason = (reason: string): ErrorKind | undefined => kindsByReason.get(reason);

/** HTTP statuses other than 200 that JSON-RPC errors travel with, in every dialect. */
export const jsonRpcErrorStatuses: ReadonlySet<number> = new Set([401, 403, 413, 429, 503]);

/** Kinds of errors without details, as proxies send them. */
export const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'permissionDenied',
  404: 'routeNotFound',
  405: 'verbNotAllowed',
  408: 'requestTimeout',
  413: 'payloadTooLarge',
  415: 'contentTypeNotSupported',
  429: 'tooManyRequests',
  501: 'unsupportedOperation',
  502: 'upstreamUnreachable',
  503: 'unavailable',
  504: 'upstreamTimeout',
  // Cloudflare's statuses for servers that it cannot reach (520 to 523, 525 to 527, 530) or that do not answer in time.
  520: 'upstreamUnreachable',
  521: 'upstreamUnreachable',
  522: 'upstreamTimeout',
  523: 'upstreamUnreachable',
  524: 'upstreamTimeout',
  525: 'upstreamUnreachable',
  526: 'upstreamUnreachable',
  527: 'upstreamUnreachable',
  530: 'upstreamUnreachable',
  // Overloaded services and their balancers.
  529: 'unavailable',
  // Proxies whose read or connection took too long.
  598: 'upstreamTimeout',
  599: 'upstreamTimeout',
};

/** Kinds of errors that the agent itself has sent, by status. */
const kindsOfBodies: Readonly<Record<number, ErrorKind>> = { 400: 'invalidParams', 422: 'invalidParams' };

/**
 * Returns the kind of an agent's error of which only the HTTP status is known.
 *
 * @param own the dialect's kinds, if they differ
 */
export const kindOfStatus = (status: number, own: Readonly<Record<number, ErrorKind>> = {}): ErrorKind =>
  own[status] ?? kindsByStatus[status] ?? kindsOfBodies[status] ?? (status < 500 ? 'invalidRequest' : 'internal');

/**
 * Returns a peer's error, from its details (google.rpc.ErrorInfo, BadRequest and RetryInfo in ProtoJSON). Other details
 * are kept unchanged.
 *
 * @param details as sent by the peer: the list, or an object that holds it
 * @param fallback kind of an error whose details name none
 * @param message default: the kind's standard message
 * @param more further known facts of the error
 */
export function errorFromDetails(
  details: unknown,
  fallback: ErrorKind,
  message: unknown,
  more: Pick<A2AErrorOptions, 'cause' | 'rpcStatus'> = {},
): A2AError {
  let kind = fallback;
  const options: { -readonly [K in keyof A2AErrorOptions]: A2AErrorOptions[K] } = { ...more };
  const others: ErrorDetail[] = [];
  for (const detail of detailsIn(details)) {
    if (detail.domain === errorDomain && typeof detail.reason === 'string') {
      kind = kindOfReason(detail.reason) ?? kind;
      const metadata = stringsOf(detail.metadata);
      if (metadata) options.metadata = metadata;
    }
    if (Array.isArray(detail.fieldViolations)) options.violations = detail.fieldViolations.flatMap(violation);
    const type = typeNameOf(detail);
    if (type === 'google.rpc.RetryInfo') options.retryAfter = secondsOf(detail.retryDelay);
    if (!ownDetails.has(type) && typeof detail['@type'] === 'string') others.push(detail as ErrorDetail);
  }
  options.details = withinLimit(others);
  return new A2AError(kind, typeof message === 'string' && message !== '' ? message : undefined, options);
}

/** Details that an error has members for, and details that are not for callers: an agent's stack traces. */
const ownDetails: ReadonlySet<string> = new Set([
  'google.rpc.ErrorInfo',
  'google.rpc.BadRequest',
  'google.rpc.DebugInfo',
]);

const typeNameOf = ({ '@type': type }: JsonObject): string =>
  typeof type === 'string' ? type.slice(type.lastIndexOf('/') + 1) : '';

/** Characters of JSON of all details that are carried. */
const maxDetails = 8_192;

function withinLimit(details: readonly ErrorDetail[]): readonly ErrorDetail[] {
  let left = maxDetails;
  return details.filter((detail) => {
    left -= JSON.stringify(detail).length;
    return left >= 0;
  });
}

const wellKnown = 'type.googleapis.com/google.protobuf.';

/** Returns the details in the data of a peer's error. Data of another form are one detail. */
function detailsIn(data: unknown): readonly JsonObject[] {
  if (data === undefined || data === null) return [];
  const list = isObject(data) ? data.details : data;
  if (Array.isArray(list) && list.every((one) => isObject(one))) return list;
  if (!isObject(data)) return [{ '@type': `${wellKnown}Value`, value: data }];
  return Object.keys(data).length === 0 ? [] : [{ '@type': `${wellKnown}Struct`, value: data }];
}

/** Seconds of a google.protobuf.Duration in ProtoJSON, or of one as an object. */
function secondsOf(duration: unknown): number | undefined {
  const text = isObject(duration) ? duration.seconds : duration;
  const seconds = typeof text === 'string' ? Number(text.replace(/s$/, '')) : text;
  return typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds) ? seconds : undefined;
}

/** Whether a body holds an error of A2A: by its JSON-RPC code, its ErrorInfo, or the type of its problem (RFC 9457). */
export function isA2AError(body: unknown): boolean {
  if (!isObject(body)) return false;
  const error = isObject(body.error) ? body.error : body;
  if (typeof error.code === 'number' && error.code < 0) return true;
  if (typeof body.type === 'string' && body.type.includes(errorDomain)) return true;
  const list = error.details ?? error.data;
  return Array.isArray(list) && list.some((detail) => isObject(detail) && detail.domain === errorDomain);
}

function stringsOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function violation(value: unknown): FieldViolation[] {
  if (!isObject(value)) return [];
  const { field, description } = value;
  const text = (member: unknown): string => (typeof member === 'string' ? member : '');
  return [{ field: text(field), description: text(description) }];
}

/** Codes by kind, if they differ from A2A 1.0. */
export type ErrorCodes = Readonly<Partial<Record<ErrorKind, number>>>;

/**
 * Returns the details of A2A 1.0 as the `data` of an error before 1.0. An object: the schemas demand it, and the SDK
 * for Go cannot read an error whose data is a list.
 */
export const errorData = (error: A2AError): object => ({ details: error.details() });

/** Key in the metadata of an error for an agent's own code. */
const codeKey = 'jsonrpcCode';

/** Returns an agent's own code from which an error was read, if it has no other meaning in this dialect. */
function agentsCodeOf({ kind, metadata }: A2AError, isAgentsOwn: (code: number) => boolean): number | undefined {
  const code = Number(metadata[codeKey]);
  return kind === 'agentError' && isAgentsOwn(code) ? code : undefined;
}

interface CodeRules {
  /**
   * Code of every kind that is not in the list, unless A2A 1.0 gives it one of JSON-RPC's. Default: the code in A2A 1.0.
   */
  readonly other?: number;
  /** Meanings of codes that are never sent, or are sent with another meaning. */
  readonly read?: Readonly<Record<number, ErrorKind>>;
  readonly dataOf?: typeof errorData;
}

/** Returns a codec for errors by their codes, which determine the kind if there are no details. */
export function errorCodec(
  codes: ErrorCodes = {},
  { other, read = {}, dataOf = errorData }: CodeRules = {},
): Codec<JsonRpcError, A2AError> {
  const ownCodeOf = (kind: ErrorKind): number | undefined => {
    const { jsonrpc } = errorTable[kind];
    return codes[kind] === undefined && (other === undefined || jsonrpc <= -32600) ? jsonrpc : undefined;
  };
  const byCode = new Map(Object.entries(read).map(([code, kind]) => [Number(code), kind]));
  // If several kinds have a code, the first of the table has it, and those with codes in the list come last.
  for (const codeOf of [ownCodeOf, (kind: ErrorKind) => codes[kind]]) {
    for (const kind of kinds) {
      const code = codeOf(kind);
      if (code !== undefined && !byCode.has(code)) byCode.set(code, kind);
    }
  }
  /** Whether a code is an agent's own and has no other meaning here: JSON-RPC leaves most numbers to applications. */
  const isAgentsOwn = (code: number): boolean => Number.isSafeInteger(code) && !byCode.has(code);
  return {
    encode: (error) => ({
      code: agentsCodeOf(error, isAgentsOwn) ?? codes[error.kind] ?? ownCodeOf(error.kind) ?? (other as number),
      message: error.message,
      data: dataOf(error),
    }),
    decode: (wire) => {
      const { code: given, message, data } = isObject(wire) ? wire : {};
      const code = typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : given;
      if (typeof code !== 'number') return foreignError(wire);
      if (!isAgentsOwn(code)) return errorFromDetails(data, byCode.get(code) ?? 'internal', message);
      const read = errorFromDetails(data, 'agentError', message);
      if (read.kind !== 'agentError') return read;
      const { violations, extraDetails: details, retryAfter } = read;
      return new A2AError('agentError', read.message, {
        violations,
        details,
        retryAfter,
        metadata: { ...read.metadata, [codeKey]: String(code) },
      });
    },
  };
}

/** Characters of an error without a code that are quoted. */
const maxQuote = 200;

/** Reads an error that is not one of JSON-RPC: a text, or an object without a code. */
function foreignError(wire: unknown): A2AError {
  const { message, data, details = data } = isObject(wire) ? wire : {};
  if (typeof message === 'string' && message !== '') return errorFromDetails(details, 'agentError', message);
  if (typeof wire === 'string' && wire !== '') return new A2AError('agentError', wire);
  const quote = JSON.stringify(wire) ?? String(wire);
  const quoted = quote.length > maxQuote ? `${quote.slice(0, maxQuote)}…` : quote;
  return new A2AError(
    'invalidAgentResponse',
    `The agent answered with an error that is not a JSON-RPC error: ${quoted}`,
  );
}

/** The frame of an error in a stream whose frames are JSON-RPC responses. */
export const errorFrames =
  (codec: Codec<JsonRpcError, A2AError>, event?: string): JsonRpcBinding['stream']['error'] =>
  (thrown, id) => {
    const error = codec.encode(thrown, { losses: new Set() });
    return [{ ...(event && { event }), data: JSON.stringify({ jsonrpc: '2.0', id, error }) }];
  };

/** Returns names of fields that the wire has below another, under equal names. */
export const fieldsBelow = (prefix: string, names: readonly string[]): FieldNames =>
  Object.fromEntries(names.map((name) => [name, `${prefix}.${name}`]));

/** Returns the wire's name of a field, by the longest name in the table that equals or contains the field. */
function nameOf(field: string, names: FieldNames): string {
  let longest = '';
  for (const name in names) {
    const isIt = field === name || (field.startsWith(name) && /[.[]/.test(field.charAt(name.length)));
    if (isIt && name.length > longest.length) longest = name;
  }
  return longest === '' ? field : names[longest] + field.slice(longest.length);
}

/**
 * Returns an error in a request that was read and found faulty, with the wire names of the caller's method: in the
 * violations, and in the message. Errors in reading a request have them already.
 */
export function inWireNames(error: A2AError, { fields: names }: Pick<Method, 'fields'>): A2AError {
  const { kind, violations, metadata, extraDetails: details, retryAfter, cause } = error;
  if (!names || violations.length === 0) return error;
  const renamed = new Map(violations.map(({ field }) => [field, nameOf(field, names)]));
  const message = error.message.replace(/[\w.[\]]+/g, (run) => {
    // A full stop may follow a name.
    const word = trimEnd(run, '.[');
    return (renamed.get(word) ?? word) + run.slice(word.length);
  });
  return new A2AError(kind, message, {
    violations: violations.map(({ field, description }) => ({ field: renamed.get(field) ?? field, description })),
    metadata,
    details,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(cause !== undefined && { cause }),
  });
}
