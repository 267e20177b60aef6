import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions, zstdDecompress } from 'node:zlib';
import { A2AError } from '../../core/model/errors.ts';
import { countBody, type MessageReading } from '../../wire/counts.ts';

const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);

/** Decompresses data with the header of zlib (RFC 1950), or without it, as some clients write it. */
function deflate(data: Buffer, options: ZlibOptions): Promise<Buffer> {
  const [first = 0, second = 0] = data;
  const isZlib = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
  return isZlib ? inflated(data, options) : inflatedRaw(data, options);
}

const decompressors = {
  gzip: promisify(gunzip),
  deflate,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** The compressions of gRPC's messages that this side reads. */
export const grpcCompressions = ['gzip', 'deflate'] as const;

type Compression = keyof typeof decompressors;

/** Value of `grpc-accept-encoding`. */
export const grpcAcceptEncoding: string = ['identity', ...grpcCompressions].join(',');

/** The compressions of Connect's and gRPC-Web's messages that this side reads. */
export const connectCompressions = ['gzip', 'br', 'deflate'] as const;

/** The content codings of request bodies that are read (RFC 9110 section 8.4). */
const bodyCodings = ['gzip', 'deflate', 'br', 'zstd'] as const;

/** Value of `Accept-Encoding`, for clients that have used another coding. */
export const acceptedCodings: string = bodyCodings.join(', ');

/**
 * The content coding of a request body, by its Content-Encoding header; undefined if the header declares no coding.
 *
 * @throws A2AError `codingNotSupported` for any other coding, and for several
 */
export function codingOf(header: string): (typeof bodyCodings)[number] | undefined {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  const codings = names.filter((name) => name !== '' && name !== 'identity');
  if (codings.length === 0) return undefined;
  const found =
    codings.length === 1 ? bodyCodings.find((name) => name === codings[0]?.replace(/^x-gzip$/, 'gzip')) : undefined;
  if (found) return found;
  const given = codings.join(', ').slice(0, 64);
  throw new A2AError(
    'codingNotSupported',
    `The body has the content coding ${given}; send it as it is, or with one of ${acceptedCodings}`,
  );
}

/**
 * Decodes a request body.
 *
 * @param reading reading with the limit that the decoded body never exceeds
 * @throws A2AError as `decompress`
 */
export const decodeBody = (
  coding: (typeof bodyCodings)[number],
  body: Buffer,
  reading: MessageReading,
): Promise<Buffer> => decompress(coding, bodyCodings, body, reading, 'request body');

/** Number of messages that are decompressed at the same time, because a few bytes may expand to the limit. */
const maxConcurrent = 4;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * The compression of a name; undefined for `identity`.
 *
 * @param known the encodings of the protocol
 * @throws A2AError `unimplemented` for any other name
 */
export function compressionOf(encoding: string, known: readonly Compression[]): Compression | undefined {
  const found = known.find((name) => name === encoding);
  if (found || encoding === 'identity') return found;
  throw new A2AError('unimplemented', `Messages may be compressed with ${known.join(', ')} only`);
}

/**
 * Decompresses a message, and counts its size afterwards.
 *
 * @param known the encodings of the protocol
 * @param reading reading with the limit that the decompressed message never exceeds
 * @param what names the message in errors
 * @throws A2AError `unimplemented`, `invalidFraming`, `payloadTooLarge`, `parse`; `unavailable` without memory; `canceled`
 */
export async function decompress(
  encoding: string,
  known: readonly Compression[],
  data: Buffer,
  reading: MessageReading,
  what = 'message',
): Promise<Buffer> {
  const found = compressionOf(encoding, known);
  if (!found)
    throw new A2AError('invalidFraming', 'A message is marked as compressed, and the headers name no compression');
  if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  const { limit } = reading;
  try {
    const content = await decompressors[found](data, { maxOutputLength: limit });
    countBody(reading, content.length);
    return content;
  } catch (cause) {
    if (cause instanceof A2AError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new A2AError('payloadTooLarge', `The ${what} is larger than ${limit} bytes`, { cause });
    }
    throw new A2AError('parse', `The ${what} is not valid ${encoding}`, { cause });
  } finally {
    // The next waiting message takes the place.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
