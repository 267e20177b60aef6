import type { IncomingMessage } from 'node:http';
import type { Reservation } from '../../core/limits/reservation.ts';
import { A2AError } from '../../core/model/errors.ts';
import { parsedSize, parseJson } from '../../wire/json.ts';
import { decode } from '../../wire/protobuf.ts';
import { decompress } from '../rpc/decompress.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { EnvelopeReader, flags } from './envelope.ts';
import type { WireFormat } from './wire-format.ts';

/** What a request's body and headers say. */

const compressions = ['gzip', 'br', 'deflate'] as const;

/**
 * The message in a request's body, as JSON.
 *
 * @param limit bytes of the message, uncompressed
 * @param decoded whether the content coding of the body is undone already
 * @param reservation where the message is reserved that the body turns out to be
 * @throws A2AError `parse`, `invalidRequest`, `payloadTooLarge`, `contentTypeNotSupported` (of a compression),
 *   `unavailable` when there is no room for it
 */
export async function readMessage(
  { api, operation }: Rpc,
  shape: WireFormat,
  headers: IncomingMessage['headers'],
  body: Buffer,
  limit: number,
  decoded: boolean,
  reservation: Reservation,
): Promise<unknown> {
  let data = body;
  let encoding: unknown;
  if (shape.enveloped) {
    const found = onlyEnvelope(shape.text ? fromBase64(body) : body, limit);
    data = found.data;
    if ((found.flags & flags.compressed) !== 0) {
      encoding = headers[shape.web ? 'grpc-encoding' : 'connect-content-encoding'] ?? 'unnamed';
    }
  } else if (!decoded) {
    encoding = headers['content-encoding'];
  }
  if (encoding !== undefined && encoding !== 'identity') {
    data = await decompress(String(encoding), compressions, data, limit);
    reservation.reserveRequest(data.length);
  }
  if (!shape.json) return decode(api, operation.request, data);
  reservation.reserveParsed(data.length, () => parsedSize(data));
  return data.length === 0 ? {} : parseJson(data);
}

/** Pieces of base64 that a body may have; clients make one of each of their own writes. */
const maxPieces = 1_024;

/** A body may be several pieces of base64, each with its padding. */
function fromBase64(body: Buffer): Buffer {
  const pieces = body.toString('latin1').split(/(?<==)(?!=)/, maxPieces + 1);
  if (pieces.length > maxPieces) throw new A2AError('parse', 'The body has too many pieces of base64');
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
}

function onlyEnvelope(body: Buffer, limit: number) {
  const reader = new EnvelopeReader(limit);
  const found = [...reader.read(body)];
  const [message] = found;
  if (reader.unfinished) throw new A2AError('invalidRequest', 'The body ends within a message');
  if (!message || found.length > 1 || (message.flags & ~flags.compressed) !== 0) {
    throw new A2AError('invalidRequest', 'The body must have exactly one message');
  }
  return message;
}

const units = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * When the caller wants its answer: milliseconds since the epoch, from `connect-timeout-ms` or `grpc-timeout`.
 *
 * @throws A2AError `invalidRequest`
 */
export function deadlineOf({ web }: WireFormat, headers: IncomingMessage['headers']): number | undefined {
  const name = web ? 'grpc-timeout' : 'connect-timeout-ms';
  const given = headers[name];
  if (given === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,10})([HMSmun]?)$/.exec(String(given)) ?? [];
  if (amount === undefined || (unit !== '') !== web) throw new A2AError('invalidRequest', `${name} is not a timeout`);
  return Date.now() + Number(amount) * (units[unit as keyof typeof units] ?? 1);
}
