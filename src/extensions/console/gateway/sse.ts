import { SseDecoder, type SseEvent } from '../../../wire/sse.ts';

/** Reads the events of an answer. Cancels the answer when the reader stops. */
export async function* readEvents(body: ReadableStream<Uint8Array>, maxEvent?: number): AsyncGenerator<SseEvent> {
  const decoder = new SseDecoder(maxEvent);
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield* decoder.push(chunk.value);
  } finally {
    await reader.cancel().catch(() => {});
  }
}
