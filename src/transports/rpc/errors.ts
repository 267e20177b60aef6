import type { IncomingHttpHeaders } from 'node:http2';
import {
  type A2AError,
  type ErrorKind,
  type GrpcStatusName,
  grpcStatus,
  queryErrorsType,
} from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import { errorFromDetails, kindOfReason } from '../../dialects/kernel/errors.ts';
import type { GrpcBinding } from '../../dialects/kernel/wire.ts';
import type { Codec } from '../../gen/api.ts';
import { QueryErrors } from '../../gen/proto/a2agateway/knowledge/v1/knowledge.ts';
import { BadRequest, ErrorInfo } from '../../gen/proto/google/rpc/error_details.ts';
import { Status } from '../../gen/proto/google/rpc/status.ts';

/** Errors as google.rpc.Status: in gRPC's trailers and in Connect's bodies. */

/** A google.protobuf.Any. */
export interface PackedDetail {
  /** `type.googleapis.com/` and the full name. */
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** A received status. `code` is gRPC's. */
export interface ReceivedStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly PackedDetail[];
}

const prefix = 'type.googleapis.com/';

/** Codecs of the details, by type URL. */
const codecs: Readonly<Record<string, Codec>> = {
  [`${prefix}google.rpc.ErrorInfo`]: ErrorInfo,
  [`${prefix}google.rpc.BadRequest`]: BadRequest,
  [queryErrorsType]: QueryErrors,
};

/** Bytes of all details. Clients limit a response's headers, some to 8 KiB, and base64 adds a third. */
const maxDetails = 4096;

/** The packed details of an error. Those that exceed the limit are left out. */
export function packDetails(error: A2AError): PackedDetail[] {
  const packed: PackedDetail[] = [];
  let size = 0;
  for (const { '@type': typeUrl, ...message } of error.details()) {
    const value = codecs[typeUrl]?.encode(message).finish();
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

/** Kinds for statuses without an A2A reason. Missing rpcs and unsupported operations differ in 0.3 only in their message. */
const kindsByStatus: Readonly<Partial<Record<GrpcStatusName, ErrorKind>>> = {
  CANCELLED: 'canceled',
  INVALID_ARGUMENT: 'invalidParams',
  DEADLINE_EXCEEDED: 'upstreamTimeout',
  NOT_FOUND: 'taskNotFound',
  ALREADY_EXISTS: 'invalidRequest',
  PERMISSION_DENIED: 'permissionDenied',
  RESOURCE_EXHAUSTED: 'tooManyRequests',
  FAILED_PRECONDITION: 'unsupportedOperation',
  ABORTED: 'unavailable',
  OUT_OF_RANGE: 'invalidParams',
  UNIMPLEMENTED: 'unsupportedOperation',
  INTERNAL: 'internal',
  UNAVAILABLE: 'upstreamUnreachable',
  UNAUTHENTICATED: 'unauthenticated',
};

const statusNames = new Map(Object.entries(grpcStatus).map(([name, code]) => [code as number, name as GrpcStatusName]));

/**
 * The error for a status: by the reason of its ErrorInfo; else by the error's name at the beginning of the message
 * (`TaskNotFoundError: …`, as 0.3 servers in Python write); else by its code.
 *
 * @param kindOf the dialect's own kinds for codes
 */
export function unpackError(
  { code, message, details }: ReceivedStatus,
  kindOf?: (status: GrpcStatusName) => ErrorKind | undefined,
): A2AError {
  const named = kindByName(message);
  const status = statusNames.get(code) ?? 'UNKNOWN';
  const fallback = named?.kind ?? kindOf?.(status) ?? kindsByStatus[status] ?? 'invalidAgentResponse';
  return errorFromDetails(details.flatMap(unpackDetail), fallback, named?.message ?? message);
}

/** One detail in ProtoJSON; none for unknown types and invalid bytes, because the status alone is enough. */
function unpackDetail({ typeUrl, value }: PackedDetail): object[] {
  const type = `${prefix}${typeUrl.slice(typeUrl.lastIndexOf('/') + 1)}`;
  const codec = codecs[type];
  try {
    return codec ? [{ '@type': type, ...codec.decode(value) }] : [];
  } catch {
    return [];
  }
}

/** Reasons that were renamed since A2A 0.3. */
const formerReasons: Readonly<Record<string, ErrorKind>> = {
  AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED: 'extendedAgentCardNotConfigured',
};

/** Reads messages such as `UnsupportedOperationError: This operation is not supported` and `JSONParseError: …`. */
function kindByName(text: string): { readonly kind: ErrorKind; readonly message: string } | undefined {
  const colon = text.indexOf(':');
  const name = text
    .slice(0, Math.max(0, colon))
    .replace(/^(?:A2A|JSON)/, '')
    .replace(/Error$/, '');
  if (!/^[A-Z]\w+$/.test(name)) return undefined;
  const reason = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  const former = Object.hasOwn(formerReasons, reason) ? formerReasons[reason] : undefined;
  const kind = former ?? kindOfReason(reason) ?? kindOfReason(`${reason}_ERROR`);
  return kind && { kind, message: text.slice(colon + 1).trimStart() };
}
