import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { A2AError } from '../../core/model/errors.ts';

const decompressors = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** The compressions of gRPC's messages that this side reads. */
export const grpcCompressions = ['gzip', 'deflate'] as const;

type Compression = keyof typeof decompressors;

/** The same in `grpc-accept-encoding`. */
export const grpcAcceptEncoding: string = ['identity', ...grpcCompressions].join(',');

/** Messages that are decompressed at the same time, because a few bytes may expand to as many as the limit allows. */
const maxConcurrent = 4;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * The compression of a name; undefined for `identity`.
 *
 * @param known encodings of the protocol
 * @throws A2AError `unimplemented` for any other name
 */
export function compressionOf(encoding: string, known: readonly Compression[]): Compression | undefined {
  const found = known.find((name) => name === encoding);
  if (found || encoding === 'identity') return found;
  throw new A2AError('unimplemented', `Messages may be compressed with ${known.join(', ')} only`);
}

/**
 * Decompresses a message.
 *
 * @param known encodings of the protocol
 * @param limit bytes of the decompressed message, which are never exceeded
 * @throws A2AError `unimplemented`, `invalidFraming`, `payloadTooLarge`, `parse`
 */
export async function decompress(
  encoding: string,
  known: readonly Compression[],
  data: Buffer,
  limit: number,
): Promise<Buffer> {
  const found = compressionOf(encoding, known);
  if (!found)
    throw new A2AError('invalidFraming', 'A message is marked as compressed, and the headers name no compression');
  if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await decompressors[found](data, { maxOutputLength: limit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new A2AError('payloadTooLarge', `The message is larger than ${limit} bytes`, { cause });
    }
    throw new A2AError('parse', `The message is not valid ${encoding}`, { cause });
  } finally {
    // The next waiting message takes the place.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
