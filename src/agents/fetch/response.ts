import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import type { SentRequest } from './request.ts';

/** Answers that have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Codings of a body that are taken off. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** An answer as a standard Response. @param errorOf what reading the body rejects with */
export function responseOf(
  answer: HttpAnswer,
  { method, url }: Pick<SentRequest, 'method' | 'url'>,
  redirected: boolean,
  errorOf: (thrown: unknown) => unknown,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each);
  }
  const hasBody = method !== 'HEAD' && !bodiless.has(answer.status);
  // Read to its end, so that the connection can be used again.
  if (!hasBody) answer.read(0).catch(() => undefined);
  const body = hasBody ? ReadableStream.from(bodyOf(answer, errorOf)) : null;
  const response = new Response(body as ReadableStream | null, { status: answer.status, headers });
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}

async function* bodyOf(answer: HttpAnswer, errorOf: (thrown: unknown) => unknown): AsyncGenerator<Uint8Array> {
  const decoder = decoders[answer.headers['content-encoding']?.trim().toLowerCase() ?? ''];
  try {
    yield* decoder ? pipeline(Readable.from(answer.chunks()), decoder(), () => undefined) : answer.chunks();
  } catch (thrown) {
    throw errorOf(thrown);
  }
}
