import { decodeSse } from '../../../support/sse.ts';
import type { Value } from '../values.ts';
import { jsonOf, timeoutMs } from './transport.ts';

/** Calls over HTTP that end, also where the server does not answer. */
export function answerOf(url: string, init: RequestInit & { readonly method: string }): Promise<Response> {
  const { signal } = init;
  const late = AbortSignal.timeout(timeoutMs);
  return fetch(url, { ...init, redirect: 'manual', signal: signal ? AbortSignal.any([signal, late]) : late });
}

/** The JSON of an answer: one value, or the data of each server-sent event. */
export async function* eventsOf(response: Response): AsyncGenerator<Value> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield jsonOf(await response.text());
    return;
  }
  for await (const { data } of decodeSse(response.body as AsyncIterable<Uint8Array>)) yield jsonOf(data);
}
