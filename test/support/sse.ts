import { SseDecoder, type SseEvent } from '../../src/wire/sse.ts';

/** The events of a whole body. Ends when the body does; an error of the body passes through. */
export async function* decodeSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new SseDecoder();
  for await (const chunk of body) yield* decoder.push(chunk);
}
