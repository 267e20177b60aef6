import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { A2AError } from '../../core/model/errors.ts';

const decompressors = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** How a message may be compressed. */
export type Compression = keyof typeof decompressors;

/**
 * Messages that are decompressed at the same time. A few bytes may stand for as many as the limit allows, so that what a
 * thousand of them need at once would be a thousand times that.
 */
const atOnce = 4;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * The message that was compressed.
 *
 * @param known what the protocol allows
 * @param limit bytes of the message, uncompressed; not one more is made
 * @throws A2AError `contentTypeNotSupported`, `payloadTooLarge`, `parse`
 */
export async function decompress(
  encoding: string,
  known: readonly Compression[],
  data: Buffer,
  limit: number,
): Promise<Buffer> {
  const found = known.find((name) => name === encoding);
  if (!found) {
    throw new A2AError('contentTypeNotSupported', `Messages may be compressed with ${known.join(', ')} only`);
  }
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await decompressors[found](data, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new A2AError('payloadTooLarge', `The message is larger than ${limit} bytes`, { cause: error });
    }
    throw new A2AError('parse', `The message is not valid ${encoding}`, { cause: error });
  } finally {
    // The place goes to whoever waits for it.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
