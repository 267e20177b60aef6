import { type A2AError, type GrpcStatusName, grpcStatus } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import { headerMessage, packDetails, type StatusOfError, statusOfError, unpackError } from '../rpc/errors.ts';

/** Errors in Connect's JSON: `{ code, message, details: [{ type, value }] }`. */

/** HTTP statuses of unary calls by code. Default: 500. */
const httpStatuses: Readonly<Partial<Record<GrpcStatusName, number>>> = {
  CANCELLED: 499,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};

/** Connect's codes are gRPC's names in lower case, with one exception. */
const nameOf = (code: GrpcStatusName): string => (code === 'CANCELLED' ? 'canceled' : code.toLowerCase());

const codes = new Map(Object.keys(grpcStatus).map((name) => [nameOf(name as GrpcStatusName), name as GrpcStatusName]));

/** The body for an error, and its HTTP status. */
export function encodeError(error: A2AError, toStatus: StatusOfError = statusOfError) {
  const { status, message } = toStatus(error);
  const details = packDetails(error).map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value: trimEnd(Buffer.from(value).toString('base64'), '='),
  }));
  const body = { code: nameOf(status), message: headerMessage(message), details };
  return { status: httpStatuses[status] ?? 500, body };
}

/** The error in a body; undefined when it has none. */
export function errorFromJson(json: unknown): A2AError | undefined {
  if (!isObject(json)) return undefined;
  const name = typeof json.code === 'string' ? codes.get(json.code) : undefined;
  if (!name) return undefined;
  const details = (Array.isArray(json.details) ? json.details : []).flatMap((detail: unknown) => {
    if (!isObject(detail) || typeof detail.type !== 'string' || typeof detail.value !== 'string') return [];
    return [{ typeUrl: detail.type, value: Buffer.from(detail.value, 'base64') }];
  });
  const message = typeof json.message === 'string' ? json.message : '';
  return unpackError({ code: grpcStatus[name], message, details });
}
