import type { A2AError, GrpcStatusName } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import { connectCodeOf } from '../../dialects/kernel/rpc-status.ts';
import { headerMessage, packDetails, type StatusOfError, statusOfError } from '../rpc/errors.ts';

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

/** The body for an error, and its HTTP status. */
export function encodeError(error: A2AError, toStatus: StatusOfError = statusOfError) {
  const { status, message, details: packed = packDetails(error) } = toStatus(error);
  const details = packed.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value: trimEnd(Buffer.from(value).toString('base64'), '='),
  }));
  const body = { code: connectCodeOf(status), message: headerMessage(message), details };
  return { status: httpStatuses[status] ?? 500, body };
}
