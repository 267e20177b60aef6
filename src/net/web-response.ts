import type { HttpAnswer } from './http-exchange.ts';

/** Statuses of responses without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Converts a response to a standard Response.
 *
 * @param body the content to read instead of the response's body; null for none
 */
export function webResponse(
  answer: HttpAnswer,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null = answer.chunks(),
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each);
  }
  const { status } = answer;
  if (body !== null && !bodiless.has(status)) {
    return new Response(ReadableStream.from(body) as ReadableStream, { status, headers });
  }
  // Read to its end, so that the connection can be used again.
  answer.read(0).catch(() => undefined);
  return new Response(null, { status, headers });
}
