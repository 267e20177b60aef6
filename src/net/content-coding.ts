import { pipeline, Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { A2AError } from '../core/model/errors.ts';

/**
 * Content codings of responses (RFC 9110 section 8.4). The client requests `identity`, but some servers and proxies
 * encode nevertheless.
 */

/** Value of `Accept-Encoding` in requests. */
export const acceptEncoding = 'identity';

interface ContentCoding {
  /** Whether a body may begin with these two bytes. Absent if it may begin with any. */
  mayBegin?(first: number, second: number): boolean;
  create(first: number, second: number): Transform;
}

// A body that ends early is decoded as far as it has arrived.
const zlibOptions = { finishFlush: constants.Z_SYNC_FLUSH } as const;

const gzip: ContentCoding = {
  mayBegin: (first, second) => first === 0x1f && second === 0x8b,
  create: () => createGunzip(zlibOptions),
};

/** Whether a body begins with the header of zlib (RFC 1950), which many servers leave out. */
const isZlib = (first: number, second: number): boolean => (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;

const codings: ReadonlyMap<string, ContentCoding> = new Map<string, ContentCoding>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { create: (...head) => (isZlib(...head) ? createInflate(zlibOptions) : createInflateRaw(zlibOptions)) }],
  ['br', { create: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }) }],
  [
    'zstd',
    {
      // A frame or a skippable frame (RFC 8878 section 3.1).
      mayBegin: (first, second) => (first === 0x28 && second === 0xb5) || ((first & 0xf0) === 0x50 && second === 0x2a),
      create: () => createZstdDecompress({ finishFlush: constants.ZSTD_e_flush }),
    },
  ],
]);

/** Names that servers send although they are not content codings. The body is not encoded. */
const noCodings: ReadonlySet<string> = new Set([
  'identity',
  'none',
  'utf-8',
  'utf8',
  'binary',
  '8bit',
  'chunked',
  'aws-chunked',
]);

/** Whether a body begins like JSON or an event stream, regardless of its header. */
const isText = (first: number, second: number): boolean =>
  ['{"', '[{', '{\n', '{ ', 'da', 'ev'].includes(String.fromCharCode(first, second));

/** Returns the coding that the first bytes of a body show, or else the coding with the name. */
function codingOf(name: string, first: number, second: number): ContentCoding | undefined {
  for (const marked of ['gzip', 'zstd']) {
    const coding = codings.get(marked);
    if (codings.has(name) && coding?.mayBegin?.(first, second)) return coding;
  }
  return codings.get(name);
}

/** Maximum number of nested codings of one body. */
const maxCodings = 5;

/** Returns the codings in a Content-Encoding header in lower case, the innermost first, without `identity`. */
const codingsIn = (header: string): string[] =>
  header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !noCodings.has(name));

/** Whether a body is encoded, according to its Content-Encoding header. */
export const isEncoded = (header: string | undefined): header is string =>
  header !== undefined && codingsIn(header).length > 0;

/**
 * Decodes a body as it arrives. A body that is not encoded is passed on unchanged, regardless of its header. If the
 * body breaks off, everything before is decoded first.
 *
 * Iterating it throws A2AError `invalidAgentResponse` for an unknown coding and for a body that cannot be decoded, and
 * the errors of `chunks`.
 *
 * @param header value of the Content-Encoding header
 * @param place origin of the server, for errors
 */
export function decoded(chunks: AsyncIterable<Uint8Array>, header: string, place: string): AsyncIterable<Uint8Array> {
  const names = codingsIn(header);
  if (names.length > maxCodings) return refused(chunks, unreadable(place, `more than ${maxCodings} content codings`));
  return names.reduceRight((body, name) => decodedOnce(body, name, place), chunks);
}

async function* decodedOnce(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  place: string,
): AsyncGenerator<Uint8Array, void> {
  const body = chunks[Symbol.asyncIterator]();
  try {
    const head = await headOf(body);
    if (head.length === 0) return;
    const [first = 0, second = 0] = head;
    const coding = codingOf(name, first, second);
    if (coding === undefined) throw unreadable(place, `the content coding "${name}"`);
    const isPlain = coding.mayBegin?.(first, second) === false || isText(first, second);
    const whole = joined(head, body);
    yield* isPlain ? whole : decompressed(whole, coding.create(first, second), { name, place });
  } finally {
    await body.return?.();
  }
}

/** Decompresses a body. If the body fails, everything that arrived before is yielded before the failure. */
async function* decompressed(
  body: AsyncIterable<Uint8Array>,
  decoder: Transform,
  { name, place }: { readonly name: string; readonly place: string },
): AsyncGenerator<Uint8Array, void> {
  let broken: { readonly error: unknown } | undefined;
  async function* untilBroken(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* body;
    } catch (error) {
      broken = { error };
    }
  }
  try {
    yield* pipeline(Readable.from(untilBroken()), decoder, () => undefined);
  } catch (cause) {
    throw new A2AError('invalidAgentResponse', `${place} answered with a body that is not valid ${name}`, { cause });
  }
  if (broken) throw broken.error;
}

/** Reads at least the first two bytes of a body, or fewer if the body is shorter. */
async function headOf(body: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 2) {
    const { done, value } = await body.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return head;
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Throws the error at the first byte of a body. An empty body needs no decoding. */
async function* refused(chunks: AsyncIterable<Uint8Array>, error: A2AError): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    if (chunk.length > 0) throw error;
    yield chunk;
  }
}

const unreadable = (place: string, what: string): A2AError =>
  new A2AError(
    'invalidAgentResponse',
    `${place} answered with ${what}, which cannot be read (Accept-Encoding: ${acceptEncoding} was sent)`,
  );
