import type { IncomingHttpHeaders } from 'node:http2';
import { type A2AError, grpcStatus } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import { detailCodecs, type PackedDetail, type ReceivedStatus } from '../../dialects/kernel/rpc-status.ts';
import type { GrpcBinding } from '../../dialects/kernel/wire.ts';
import { Status } from '../../gen/proto/google/rpc/status.ts';

/** Errors as google.rpc.Status: in gRPC's trailers and in Connect's bodies. */

/** Bytes of all details. Clients limit a response's headers, some to 8 KiB, and base64 adds a third. */
const maxDetails = 4096;

/** The packed details of an error. Those that exceed the limit are left out. */
export function packDetails(error: A2AError): PackedDetail[] {
  const packed: PackedDetail[] = [];
  let size = 0;
  for (const { '@type': typeUrl, ...message } of error.details()) {
    const value = detailCodecs[typeUrl]?.encode(message).finish();
    if (value === undefined || size + value.length > maxDetails) continue;
    size += value.length;
    packed.push({ typeUrl, value });
  }
  return packed;
}

const maxMessage = 1024;

/** How a dialect maps errors to statuses. */
export type StatusOfError = NonNullable<GrpcBinding['encodeError']>;

/** The mapping of A2A 1.0 (1.0.1 section 10.6). */
export const statusOfError: StatusOfError = (error) => ({ status: error.row.grpc, message: error.message });

/** A well-formed message of limited length. */
export const headerMessage = (message: string): string => {
  const cut = message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
  return cut.toWellFormed();
};

/**
 * gRPC's headers or trailers for an error: status, message (percent-encoded), google.rpc.Status with its details, and
 * perhaps `retry-after` in seconds.
 */
export function statusHeaders(error: A2AError, toStatus: StatusOfError = statusOfError): Record<string, string> {
  const { status, message: text } = toStatus(error);
  const code = grpcStatus[status];
  const message = headerMessage(text);
  const details = packDetails(error).map(({ typeUrl, value }) => ({ typeUrl, value: Buffer.from(value) }));
  const packed = Buffer.from(Status.encode({ code, message, details }).finish());
  return {
    'grpc-status': String(code),
    'grpc-message': message.replace(/[^ -$&-~]+/g, encodeURIComponent),
    'grpc-status-details-bin': trimEnd(packed.toString('base64'), '='),
    ...(error.retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfter))) }),
  };
}

/** The inverse of `statusHeaders`: the status in headers or trailers; undefined when there is none. */
export function readStatus(headers: IncomingHttpHeaders): ReceivedStatus | undefined {
  const { 'grpc-status': code, 'grpc-message': text = '', 'grpc-status-details-bin': packed } = headers;
  if (code === undefined) return undefined;
  const received = packed === undefined ? undefined : unpackStatus(String(packed));
  const details = (received?.details ?? []).map(({ typeUrl = '', value = Buffer.alloc(0) }) => ({ typeUrl, value }));
  return { code: Number(code), message: received?.message || percentDecoded(String(text)), details };
}

function unpackStatus(base64: string): Status | undefined {
  try {
    return Status.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

/** As it is where it is not valid. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
