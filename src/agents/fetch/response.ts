import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { webResponse } from '../../net/web-response.ts';
import type { SentRequest } from './request.ts';

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
  const response = webResponse(answer, method === 'HEAD' ? null : bodyOf(answer, errorOf));
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
