import {
  A2AError,
  type A2AErrorOptions,
  type ErrorDetail,
  type ErrorKind,
  errorDomain,
  errorTable,
  type FieldViolation,
  queryErrorsType,
} from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Codec } from './codec.ts';
import type { FieldNames, JsonRpcError, Method } from './wire.ts';

/** What the JSON-RPC dialects share in telling errors: by meaning where the details name it, else by code. */

const kinds = Object.keys(errorTable) as ErrorKind[];
const kindsByReason = new Map(kinds.map((kind) => [errorTable[kind].reason, kind]));

/** The kind of an ErrorInfo reason; undefined for one that is not ours. */
export const kindOfReason = (reason: string): ErrorKind | undefined => kindsByReason.get(reason);

/** HTTP statuses other than 200 that JSON-RPC errors travel with, in every dialect. */
export const jsonRpcErrorStatuses: ReadonlySet<number> = new Set([401, 403, 413, 429, 503]);

/**
 * An error that a peer sent, from its details (google.rpc.ErrorInfo and BadRequest in ProtoJSON).
 *
 * @param details whatever the peer sent in their place: the list, or an object that holds it
 * @param fallback kind of an error whose details name none
 * @param message the kind's standard message when the peer gave none
 * @param cause what it was read from, where it tells more
 */
export function errorFromDetails(details: unknown, fallback: ErrorKind, message: unknown, cause?: unknown): A2AError {
  let kind = fallback;
  const options: { -readonly [K in keyof A2AErrorOptions]: A2AErrorOptions[K] } = cause === undefined ? {} : { cause };
  const list = isObject(details) ? details.details : details;
  for (const detail of Array.isArray(list) ? list : []) {
    if (!isObject(detail)) continue;
    if (detail.domain === errorDomain && typeof detail.reason === 'string') {
      kind = kindOfReason(detail.reason) ?? kind;
      const metadata = stringsOf(detail.metadata);
      if (metadata) options.metadata = metadata;
    }
    if (Array.isArray(detail.fieldViolations)) options.violations = detail.fieldViolations.flatMap(violation);
    if (detail['@type'] === queryErrorsType) options.details = [detail as ErrorDetail];
  }
  return new A2AError(kind, typeof message === 'string' && message !== '' ? message : undefined, options);
}

function stringsOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function violation(value: unknown): FieldViolation[] {
  if (!isObject(value)) return [];
  const { field, description } = value;
  return [
    { field: typeof field === 'string' ? field : '', description: typeof description === 'string' ? description : '' },
  ];
}

/** Reads the members of a JSON-RPC error object; anything else is an answer that is not JSON-RPC. */
export function jsonRpcErrorOf(wire: unknown): { code: number; message: unknown; data: unknown } {
  if (!isObject(wire) || typeof wire.code !== 'number') {
    throw new A2AError('invalidAgentResponse', 'The agent answered with an error that is not a JSON-RPC error.');
  }
  return { code: wire.code, message: wire.message, data: wire.data };
}

/** Codes by kind, where they are not those of A2A 1.0. */
export type ErrorCodes = Readonly<Partial<Record<ErrorKind, number>>>;

/**
 * The details of A2A 1.0 as the `data` of an error before 1.0, from which the meaning can be read back. An object: the
 * schemas say so, and the SDK for Go cannot read an error whose data is a list.
 */
export const errorData = (error: A2AError): object => ({ details: error.details() });

/**
 * Errors by their codes. An error without details is what its code says.
 *
 * @param codes where they are not those of A2A 1.0
 * @param dataOf what stands in `data`
 */
export function errorCodec(codes: ErrorCodes = {}, dataOf = errorData): Codec<JsonRpcError, A2AError> {
  const kinds = new Map<number, ErrorKind>();
  for (const [kind, { jsonrpc }] of Object.entries(errorTable) as [ErrorKind, { jsonrpc: number }][]) {
    // The first kind of the table with a code has it.
    if (codes[kind] === undefined && !kinds.has(jsonrpc)) kinds.set(jsonrpc, kind);
  }
  return {
    encode: (error) => ({
      code: codes[error.kind] ?? error.row.jsonrpc,
      message: error.message,
      data: dataOf(error),
    }),
    decode: (wire) => {
      const { code, message, data } = jsonRpcErrorOf(wire);
      return errorFromDetails(data, kinds.get(code) ?? 'internal', message);
    },
  };
}

/** Fields that the wire has below another, by the same names. */
export const fieldsBelow = (prefix: string, names: readonly string[]): FieldNames =>
  Object.fromEntries(names.map((name) => [name, `${prefix}.${name}`]));

/** What a field is called on the wire, by the longest name in the table that it is, or is below. */
function nameOf(field: string, names: FieldNames): string {
  let longest = '';
  for (const name in names) {
    const isIt = field === name || (field.startsWith(name) && /[.[]/.test(field.charAt(name.length)));
    if (isIt && name.length > longest.length) longest = name;
  }
  return longest === '' ? field : names[longest] + field.slice(longest.length);
}

/**
 * An error in which a request that was taken in is found faulty, with the fields as the caller's method calls them: in
 * the violations, and in the text where it names them. Errors in reading a request name them so already.
 */
export function inWireNames(error: A2AError, { fields: names }: Pick<Method, 'fields'>): A2AError {
  const { kind, violations, metadata, retryAfter, cause } = error;
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
    ...(retryAfter !== undefined && { retryAfter }),
    ...(cause !== undefined && { cause }),
  });
}
