import {
  type A2AError,
  type ErrorKind,
  errorDomain,
  type GrpcStatusName,
  grpcStatus,
} from '../../core/model/errors.ts';
import { isObject, own } from '../../core/model/json.ts';
import { fields } from '../../gen/grpc/fields.ts';
import { type Coded, decodeRaw, encode } from '../../wire/protobuf.ts';
import { errorFromDetails, kindOfReason } from './errors.ts';
import { extensionDetails } from './extension-facts.ts';
import type { PackedDetail } from './wire.ts';

/** The google.rpc.Status in gRPC's trailers and in Connect's bodies, and its conversion to an error. */

/** A received status. `code` is gRPC's. */
export interface ReceivedStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly PackedDetail[];
}

const prefix = 'type.googleapis.com/';

const statusType = 'google.rpc.Status';

/** Codecs of the details, by type URL. */
const detailTypes: Readonly<Record<string, Coded>> = {
  [`${prefix}google.rpc.ErrorInfo`]: { fields },
  [`${prefix}google.rpc.BadRequest`]: { fields },
  ...extensionDetails,
};

/** Returns the bytes of a detail; undefined for types that statuses do not have. */
export function encodeDetail(typeUrl: string, message: object): Uint8Array | undefined {
  const tables = own(detailTypes, typeUrl);
  return tables && encode(tables, typeUrl.slice(prefix.length), message);
}

export const encodeStatus = (status: ReceivedStatus): Uint8Array => encode({ fields }, statusType, status);

/** Decodes the status from bytes; undefined if they cannot be read, because gRPC's own headers are enough. */
export function decodeStatus(bytes: Uint8Array): ReceivedStatus | undefined {
  try {
    const { code = 0, message = '', details = [] } = decodeRaw<Partial<ReceivedStatus>>({ fields }, statusType, bytes);
    const packed = details.map(({ typeUrl = '', value = new Uint8Array() }: Partial<PackedDetail>) => ({
      typeUrl,
      value,
    }));
    return { code, message, details: packed };
  } catch {
    return undefined;
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

/** Statuses by the HTTP status of responses that are not gRPC's or Connect's (http-grpc-status-mapping.md). */
const statusesByHttp: Readonly<Partial<Record<number, GrpcStatusName>>> = {
  400: 'INTERNAL',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'UNIMPLEMENTED',
  429: 'UNAVAILABLE',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/** Returns the status for the HTTP status of a response that has none, such as that of a proxy. */
export const statusOfHttp = (status: number): GrpcStatusName => statusesByHttp[status] ?? 'UNKNOWN';

const statusNames = new Map(Object.entries(grpcStatus).map(([name, code]) => [code as number, name as GrpcStatusName]));

/** A dialect's own kinds for codes. */
export type KindOfStatus = (status: GrpcStatusName) => ErrorKind | undefined;

/**
 * Returns the error for a status: by the reason of its ErrorInfo; else by the error's name at the beginning of the
 * message (`TaskNotFoundError: …`, as 0.3 servers in Python write); else by its code.
 *
 * @param kindOf the dialect's own kinds for codes
 */
export function unpackError({ code, message, details }: ReceivedStatus, kindOf?: KindOfStatus): A2AError {
  const named = kindByName(message);
  const status = statusName(code);
  const fallback = named?.kind ?? kindOf?.(status) ?? kindsByStatus[status] ?? 'invalidAgentResponse';
  return errorFromDetails(details.flatMap(unpackDetail), fallback, named?.message ?? message, { rpcStatus: status });
}

/** Returns the name of a status code. */
export const statusName = (code: number): GrpcStatusName => statusNames.get(code) ?? 'UNKNOWN';

/** Whether a status holds an error of A2A: by its ErrorInfo, or by the error's name in its message. */
export const isA2AStatus = ({ message, details }: ReceivedStatus): boolean =>
  kindByName(message) !== undefined ||
  details.flatMap(unpackDetail).some((detail) => 'domain' in detail && detail.domain === errorDomain);

/**
 * Reads the status in gRPC's headers or trailers (percent-encoded message, google.rpc.Status in base64); undefined if
 * there is none.
 *
 * @param headers by their names in lower case
 */
export function readStatus(headers: Readonly<Record<string, unknown>>): ReceivedStatus | undefined {
  const { 'grpc-status': code, 'grpc-message': text = '', 'grpc-status-details-bin': packed } = headers;
  if (code === undefined) return undefined;
  const received = packed === undefined ? undefined : decodeStatus(bytesOf(String(packed)));
  const message = received?.message || percentDecoded(String(text));
  return {
    code: /^\d+$/.test(String(code)) ? Number(code) : grpcStatus.UNKNOWN,
    message,
    details: received?.details ?? [],
  };
}

/**
 * Decodes percent-encoding. Invalid sequences stay unchanged, and bytes that are no UTF-8 become replacement
 * characters.
 */
const percentDecoded = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

/** Decodes one detail to ProtoJSON; none for unknown types and invalid bytes, because the status alone is enough. */
function unpackDetail({ typeUrl, value }: PackedDetail): object[] {
  const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  const type = `${prefix}${name}`;
  const tables = own(detailTypes, type);
  try {
    return tables ? [{ '@type': type, ...decodeRaw(tables, name, value) }] : [];
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
  const former = own(formerReasons, reason);
  const kind = former ?? kindOfReason(reason) ?? kindOfReason(`${reason}_ERROR`);
  return kind && { kind, message: text.slice(colon + 1).trimStart() };
}

/** Returns Connect's code: gRPC's name in lower case, with one exception. */
export const connectCodeOf = (status: GrpcStatusName): string =>
  status === 'CANCELLED' ? 'canceled' : status.toLowerCase();

const byConnectCode = new Map([...statusNames].map(([code, name]) => [connectCodeOf(name), code]));

/** Returns the error in Connect's JSON; undefined for anything else. */
export function errorFromConnect(json: unknown, kindOf?: KindOfStatus): A2AError | undefined {
  const status = connectStatus(json);
  return status && unpackError(status, kindOf);
}

/**
 * Returns the status in Connect's JSON, `{ code, message, details: [{ type, value }] }`; undefined for anything else.
 */
export function connectStatus(json: unknown): ReceivedStatus | undefined {
  if (!isObject(json)) return undefined;
  const code = typeof json.code === 'string' ? byConnectCode.get(json.code) : undefined;
  if (code === undefined) return undefined;
  const details = (Array.isArray(json.details) ? json.details : []).flatMap((detail: unknown) => {
    if (!isObject(detail) || typeof detail.type !== 'string' || typeof detail.value !== 'string') return [];
    return [{ typeUrl: detail.type, value: bytesOf(detail.value) }];
  });
  return { code, message: typeof json.message === 'string' ? json.message : '', details };
}

/** Decodes base64, with or without padding; empty if it is not valid. */
export function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
