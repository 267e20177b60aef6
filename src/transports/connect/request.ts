import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { loopTurns } from '../../core/limits/loop-turns.ts';
import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { Operation } from '../../gen/operations.ts';
import type { MessageReading } from '../../wire/counts.ts';
import { prefixLength } from '../../wire/envelope.ts';
import { parseRequest } from '../../wire/json-body.ts';
import { decodeRequest } from '../../wire/protobuf-document.ts';
import type { BodyReader } from '../http/body.ts';
import { compressionOf, connectCompressions, decompress } from '../http/decompress.ts';
import { type Envelope, EnvelopeReader, flags } from '../rpc/envelope.ts';
import type { RequestStream } from '../rpc/request-stream.ts';
import { parseGrpcTimeout, type Rpc } from '../rpc/rpc.ts';

/** Encoding and framing of messages, by the media type of the request. */
export interface ConnectFormat {
  readonly mediaType: string;
  /** Whether it is gRPC-Web. Otherwise it is Connect's own protocol. */
  readonly web: boolean;
  readonly json: boolean;
  /** Whether messages have prefixes. Only the bodies of Connect's unary calls have none. */
  readonly enveloped: boolean;
  /** Whether the whole body is base64, for browsers that cannot read bytes (gRPC-Web only). */
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

/**
 * Whether the format suits this kind of rpc: Connect has different formats for unary calls and streams, and a stream of
 * requests is not read as base64.
 */
export const fits = (format: ConnectFormat, { streaming, clientStreaming }: Operation): boolean =>
  format.web ? !(format.text && clientStreaming) : format.enveloped === (streaming || clientStreaming === true);

/** The media types that an rpc accepts, for `Accept-Post`. */
export const acceptable = (operation: Operation): string =>
  wireFormats.flatMap((format) => (fits(format, operation) ? format.mediaType : [])).join(', ');

/** Bytes that a body may have in addition to the largest message. */
export const roomAround = ({ enveloped, text }: ConnectFormat, limit: number): number =>
  (enveloped ? prefixLength : 0) + (text ? Math.ceil((limit + prefixLength) / 3) + 4 : 0);

export interface RequestBody {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Whether the content coding of the body has already been removed. */
  readonly isUncoded: boolean;
}

/**
 * Reads the message in a request's body, as JSON.
 *
 * @throws A2AError `parse`, `invalidRequest`, `payloadTooLarge`, `invalidParams` (too many parts or keys),
 *   `contentTypeNotSupported` (unknown compression), `unavailable` if there is not enough memory
 */
export async function readMessage(
  rpc: Rpc,
  format: ConnectFormat,
  { headers, body, isUncoded }: RequestBody,
  reading: MessageReading,
): Promise<unknown> {
  const { limit } = reading;
  const encoding = isUncoded && !format.enveloped ? 'identity' : encodingOf(format, headers);
  const message = format.enveloped
    ? onlyEnvelope(format.text ? fromBase64(body) : body, limit)
    : { flags: encoding === 'identity' ? 0 : flags.compressed, data: body };
  return parse(rpc, format, await contentOf(message, encoding, reading), reading);
}

/** The content of a message, decompressed. */
export async function contentOf(
  { flags: bits, data }: Envelope,
  encoding: string,
  reading: MessageReading,
): Promise<Buffer> {
  if ((bits & ~flags.compressed) !== 0) throw new A2AError('invalidRequest', 'The message has unknown flags');
  if (bits === 0) return data;
  return decompress(encoding, connectCompressions, data, reading);
}

/**
 * Returns the compression of messages that are marked as compressed, or of the whole body of a unary call of Connect.
 *
 * @throws A2AError `unimplemented` for an unknown compression
 */
export function encodingOf({ web, enveloped }: ConnectFormat, headers: IncomingHttpHeaders): string {
  const name = web ? 'grpc-encoding' : enveloped ? 'connect-content-encoding' : 'content-encoding';
  const encoding = String(headers[name] ?? 'identity');
  compressionOf(encoding, connectCompressions);
  return encoding;
}

/** The header that lists the supported compressions, for a client that has used another one. */
export const acceptedEncodings = ({ web, enveloped }: ConnectFormat): string[] => [
  web ? 'Grpc-Accept-Encoding' : enveloped ? 'Connect-Accept-Encoding' : 'Accept-Encoding',
  connectCompressions.join(', '),
];

/** The ProtoJSON of a message, or a promise of it: a large one has a turn of the event loop of its own, or several. */
function parse({ api, operation }: Rpc, { json }: ConnectFormat, data: Buffer, reading: MessageReading): unknown {
  if (json) return parseRequest(data, reading) ?? {};
  const decoded = (): object => decodeRequest(api, operation.request, data, reading);
  const turn = loopTurns.takeFor(data.length);
  return turn ? turn.then(decoded) : decoded();
}

export interface RequestMessages extends MessageReading {
  readonly bodies: BodyReader;
  /** Whether the call is over. Nothing more is read then. */
  readonly isOver: () => boolean;
}

/**
 * Reads the messages of a client that streams, and hands each to `requests` once the previous one has been read. Resolves when
 * the client has sent its last message. A client that has begun a message must end it in time. If the only answer comes at the
 * end, the wait for the next message is limited, too.
 *
 * @throws A2AError as `readMessage`, and `requestTimeout`; `canceled` when the client disconnects
 */
export async function readMessages(
  rpc: Rpc,
  format: ConnectFormat,
  req: IncomingMessage,
  requests: RequestStream,
  reading: RequestMessages,
): Promise<void> {
  const { bodies, isOver } = reading;
  const encoding = encodingOf(format, req.headers);
  const reader = new EnvelopeReader(reading);
  let partialSince: number | undefined;
  let isTaking = false;
  let hasBegun = false;
  const take = async (chunk: Buffer): Promise<void> => {
    isTaking = true;
    for (const found of reader.read(chunk)) {
      partialSince = undefined;
      const message = await parse(rpc, format, await contentOf(found, encoding, reading), reading);
      hasBegun = true;
      await requests.push(() => message);
      if (isOver()) throw new A2AError('canceled');
    }
    if (reader.unfinished) partialSince ??= steadyNow();
    isTaking = false;
  };
  const mayWait = (): boolean => rpc.operation.streaming && hasBegun;
  await bodies.eachChunk(req, take, () => {
    if (isTaking) return undefined;
    return partialSince ?? (mayWait() ? undefined : requests.waitingSince);
  });
  if (reader.unfinished) throw new A2AError('invalidRequest', 'The body ends within a message');
  requests.end();
}

/** Largest number of padded parts of base64 in a body. Clients encode each of their writes separately. */
const maxParts = 1_024;

function fromBase64(body: Buffer): Buffer {
  const parts = body.toString('latin1').split(/(?<==)(?!=)/, maxParts + 1);
  if (parts.length > maxParts) throw new A2AError('parse', 'The body has too many parts of base64');
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
}

function onlyEnvelope(body: Buffer, limit: number) {
  const reader = new EnvelopeReader({ limit });
  const found = reader.read(body);
  const [message] = found;
  if (reader.unfinished) throw new A2AError('invalidRequest', 'The body ends within a message');
  if (!message || found.length > 1) throw new A2AError('unimplemented', 'The body must have exactly one message');
  return message;
}

/**
 * Returns the time when the caller's timeout ends, in milliseconds since the epoch, by `connect-timeout-ms` or
 * `grpc-timeout`.
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
