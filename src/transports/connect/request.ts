import type { IncomingMessage } from 'node:http';
import type { Reservation } from '../../core/limits/reservation.ts';
import { A2AError } from '../../core/model/errors.ts';
import { parsedSize, parseJson } from '../../wire/json.ts';
import { decode } from '../../wire/protobuf.ts';
import { decompress } from '../rpc/decompress.ts';
import { EnvelopeReader, flags } from '../rpc/envelope.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { parseGrpcTimeout } from '../rpc/timeouts.ts';
import type { WireFormat } from './wire-format.ts';

/** Reading requests of Connect and gRPC-Web. */

const compressions = ['gzip', 'br', 'deflate'] as const;

/**
 * Reads the message in a request's body, as JSON.
 *
 * @param limit bytes of the message, uncompressed
 * @param decoded whether the content coding of the body has been removed already
 * @param reservation reserves memory for the decompressed or parsed message
 * @throws A2AError `parse`, `invalidRequest`, `payloadTooLarge`, `contentTypeNotSupported` (of a compression),
 *   `unavailable` when there is not enough memory
 */
export async function readMessage(
  { api, operation }: Rpc,
  format: WireFormat,
  headers: IncomingMessage['headers'],
  body: Buffer,
  limit: number,
  decoded: boolean,
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
  } else if (!decoded) {
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

/** Padded parts of base64 that a body may have. Clients encode each of their writes on its own. */
const maxParts = 1_024;

/** A body may consist of several parts of base64, each with its padding. */
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
export function deadlineOf({ web }: WireFormat, headers: IncomingMessage['headers']): number | undefined {
  const name = web ? 'grpc-timeout' : 'connect-timeout-ms';
  const given = headers[name];
  if (given === undefined) return undefined;
  const text = String(given);
  const timeout = web ? parseGrpcTimeout(text) : /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (timeout === undefined) throw new A2AError('invalidRequest', `${name} is malformed`);
  return Date.now() + timeout;
}
