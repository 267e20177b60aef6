import type { IncomingMessage } from 'node:http';
import type { Reservation } from '../../core/limits/memory-budget.ts';
import { A2AError } from '../../core/model/errors.ts';
import { parsedSize, parseJson } from '../../wire/json.ts';
import { decode } from '../../wire/protobuf.ts';
import { decompress } from '../rpc/decompress.ts';
import { EnvelopeReader, flags } from '../rpc/envelope.ts';
import { parseGrpcTimeout, type Rpc } from '../rpc/rpc.ts';

/** How messages are encoded and framed, by the media type of the request. */
export interface ConnectFormat {
  readonly mediaType: string;
  /** gRPC-Web; otherwise Connect's own protocol. */
  readonly web: boolean;
  readonly json: boolean;
  /** Messages have prefixes. Only the bodies of Connect's unary calls have none. */
  readonly enveloped: boolean;
  /** The whole body is base64, for browsers that cannot read bytes (gRPC-Web only). */
  readonly text: boolean;
}

const wireFormats = [
  'application/json',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web+json',
  'application/grpc-web-text',
  'application/grpc-web-text+proto',
].map((mediaType): ConnectFormat => {
  const web = mediaType.startsWith('application/grpc-web');
  const enveloped = web || mediaType.startsWith('application/connect+');
  return { mediaType, web, json: mediaType.endsWith('json'), enveloped, text: mediaType.includes('-text') };
});

const byMediaType = new Map(wireFormats.map((format) => [format.mediaType, format]));

/** The format of a request; undefined for any other media type. */
export const connectFormatOf = (mediaType: string | undefined): ConnectFormat | undefined =>
  byMediaType.get(mediaType ?? '');

/** Whether the format suits this kind of rpc: Connect has different formats for unary calls and streams. */
export const fits = (format: ConnectFormat, streaming: boolean): boolean =>
  format.web || format.enveloped === streaming;

/** The media types that an rpc accepts, for `Accept-Post`. */
export const acceptable = (streaming: boolean): string =>
  wireFormats.flatMap((format) => (fits(format, streaming) ? format.mediaType : [])).join(', ');

const compressions = ['gzip', 'br', 'deflate'] as const;

export interface RequestBody {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The content coding of the body has been removed already. */
  readonly isUncoded: boolean;
}

/**
 * Reads the message in a request's body, as JSON.
 *
 * @param limit bytes of the message, uncompressed
 * @param reservation reserves memory for the decompressed or parsed message
 * @throws A2AError `parse`, `invalidRequest`, `payloadTooLarge`, `contentTypeNotSupported` (of a compression),
 *   `unavailable` when there is not enough memory
 */
export async function readMessage(
  { api, operation }: Rpc,
  format: ConnectFormat,
  { headers, body, isUncoded }: RequestBody,
  limit: number,
  reservation: Reservation,
): Promise<unknown> {
  let data = body;
  let encoding: unknown;
  if (format.enveloped) {
    const found = onlyEnvelope(format.text ? fromBase64(body) : body, limit);
    data = found.data;
    if ((found.flags & flags.compressed) !== 0) {
      encoding = headers[format.web ? 'grpc-encoding' : 'connect-content-encoding'] ?? 'unnamed';
    }
  } else if (!isUncoded) {
    encoding = headers['content-encoding'];
  }
  if (encoding !== undefined && encoding !== 'identity') {
    data = await decompress(String(encoding), compressions, data, limit);
    reservation.reserveRequest(data.length);
  }
  if (!format.json) return decode(api, operation.request, data);
  reservation.reserveParsed(data.length, () => parsedSize(data));
  return data.length === 0 ? {} : parseJson(data);
}

/** Padded parts of base64 that a body may have. Clients encode each of their writes separately. */
const maxParts = 1_024;

function fromBase64(body: Buffer): Buffer {
  const parts = body.toString('latin1').split(/(?<==)(?!=)/, maxParts + 1);
  if (parts.length > maxParts) throw new A2AError('parse', 'The body has too many parts of base64');
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
}

function onlyEnvelope(body: Buffer, limit: number) {
  const reader = new EnvelopeReader(limit);
  const found = reader.read(body);
  const [message] = found;
  if (reader.unfinished) throw new A2AError('invalidRequest', 'The body ends within a message');
  if (!message || found.length > 1 || (message.flags & ~flags.compressed) !== 0) {
    throw new A2AError('invalidRequest', 'The body must have exactly one message');
  }
  return message;
}

/**
 * When the caller's timeout ends, in milliseconds since the epoch, by `connect-timeout-ms` or `grpc-timeout`.
 *
 * @throws A2AError `invalidRequest`
 */
export function deadlineOf({ web }: ConnectFormat, headers: IncomingMessage['headers']): number | undefined {
  const name = web ? 'grpc-timeout' : 'connect-timeout-ms';
  const given = headers[name];
  if (given === undefined) return undefined;
  const text = String(given);
  const timeout = web ? parseGrpcTimeout(text) : /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (timeout === undefined) throw new A2AError('invalidRequest', `${name} is malformed`);
  return Date.now() + timeout;
}
