import { type A2AError, grpcStatus } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import { encodeDetail, encodeStatus } from '../../dialects/kernel/rpc-status.ts';
import type { GrpcBinding, PackedDetail } from '../../dialects/kernel/wire.ts';

/** Errors as google.rpc.Status: in gRPC's trailers and in Connect's bodies. */

/** Bytes of all details. Clients limit a response's headers, some to 8 KiB, and base64 adds a third. */
const maxDetails = 4096;

/** The packed details of an error. Details that exceed the limit are left out. */
export function packDetails(error: A2AError): PackedDetail[] {
  const packed: PackedDetail[] = [];
  let size = 0;
  for (const { '@type': typeUrl, ...message } of error.details()) {
    const value = encodeDetail(typeUrl, message);
    if (value === undefined || size + value.length > maxDetails) continue;
    size += value.length;
    packed.push({ typeUrl, value });
  }
  return packed;
}

/** Converts a flat list of names and values to an object. A name that occurs several times gets a list of values. */
export function metadataOf(list: readonly string[]): Record<string, string | string[]> {
  const metadata: Record<string, string | string[]> = Object.create(null);
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = list[i] as string;
    const value = list[i + 1] as string;
    const former = metadata[name];
    metadata[name] = former === undefined ? value : [former, value].flat();
  }
  return metadata;
}

const maxMessage = 1024;

/** Maps errors of a dialect to statuses. */
export type StatusOfError = NonNullable<GrpcBinding['encodeError']>;

/** The mapping of A2A 1.0 (1.0.1 section 10.6). */
export const statusOfError: StatusOfError = (error) => ({ status: error.row.grpc, message: error.message });

/** The mapping for a call that belongs to no dialect, whose error has no details of one. */
export const plainStatus: StatusOfError = (error) => ({ ...statusOfError(error), details: [] });

/** An error message that is well-formed and not too long for a header. */
export const headerMessage = (message: string): string => {
  const cut = message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
  return cut.toWellFormed();
};

/**
 * gRPC's headers or trailers for an error: status, message (percent-encoded), google.rpc.Status with its details, and
 * `retry-after` in seconds if it is known. `readStatus` (dialects/kernel/rpc-status.ts) is the inverse.
 */
export function statusHeaders(error: A2AError, toStatus: StatusOfError = statusOfError): Record<string, string> {
  const { status, message: text, details = packDetails(error) } = toStatus(error);
  const code = grpcStatus[status];
  const message = headerMessage(text);
  const packed = Buffer.from(encodeStatus({ code, message, details }));
  return {
    'grpc-status': String(code),
    'grpc-message': message.replace(/[^ -$&-~]+/g, encodeURIComponent),
    'grpc-status-details-bin': trimEnd(packed.toString('base64'), '='),
    ...(error.retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfter))) }),
  };
}
