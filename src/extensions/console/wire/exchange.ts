import type { StreamResponse } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { entriesOf } from '../../../core/model/text.ts';
import type { CodecContext } from '../../../dialects/kernel/codec.ts';
import { prefixLength, writeEnvelope } from '../../../wire/envelope.ts';
import { type AnswerFrame, createFrameReader, errorOfTrailers, framingOf, readBody } from './answer.ts';
import type { Callable } from './callables.ts';
import { type HttpText, headerOf } from './request.ts';

/** One call: its request as it stands, and its answer while it arrives. */

/** A frame with the milliseconds after which it arrived. */
export interface TimedFrame extends AnswerFrame {
  readonly at: number;
}

export interface Answer {
  readonly phase: 'waiting' | 'open' | 'done' | 'stopped';
  readonly status?: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The latest ones of a stream. Undefined where the answer is one body. */
  readonly frames?: readonly TimedFrame[];
  /** Frames that were dropped, to keep memory bounded. */
  readonly dropped: number;
  /** The body, where it is one. */
  readonly body?: string;
  /** The body, or the one message, in v1. */
  readonly value?: unknown;
  readonly error?: A2AError;
  /** Why the answer could not be read. */
  readonly problem?: string;
  /** What the gateway dropped, as it says. */
  readonly losses: readonly string[];
  /** Milliseconds until the answer was complete. */
  readonly ms?: number;
  /** The position after which a stream can be resumed. */
  readonly lastEventId?: string;
}

export interface ExchangeOptions {
  readonly request: HttpText;
  readonly callable: Callable;
  readonly cx: CodecContext;
  /** URL of a path below the gateway's mount point. */
  readonly url: (path: string) => string;
  /** Headers of the console's own calls. Those of the request come first. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onChange: (answer: Answer) => void;
  /** Called with each event of a stream. */
  readonly onEvent?: (event: StreamResponse) => void;
}

/** Frames of a stream that are kept. */
export const maxFrames = 10_000;

/** Milliseconds that an answer to a call that does not stream may take: longer than the gateway's own limit by default. */
const deadline = 330_000;

/** Sends a request as it stands, and tells how its answer arrives. Resolves with the complete answer; never rejects. */
export async function exchange(options: ExchangeOptions): Promise<Answer> {
  const { callable, cx, signal, onChange } = options;
  const begun = performance.now();
  let answer: Answer = { phase: 'waiting', headers: [], dropped: 0, losses: [] };
  const change = (more: Partial<Answer>): void => {
    answer = { ...answer, ...more };
    onChange(answer);
  };
  change({});
  try {
    const response = await send(options);
    const headers = [...response.headers];
    const losses = entriesOf(response.headers.get('a2a-gateway-loss'));
    change({ phase: 'open', status: response.status, headers, losses });
    const framing = framingOf(response.headers.get('content-type') ?? '');
    const trailersOnly = framing === 'grpc-web' ? errorOfTrailers(Object.fromEntries(response.headers)) : undefined;
    if (trailersOnly) {
      change({ error: trailersOnly, body: await response.text() });
    } else if (framing === 'whole' || !response.body) {
      const body = await response.text();
      change({ body, ...readBody(callable, response.status, body, cx) });
    } else {
      await readFrames(response.body, framing, begun, options, (more) => change(more));
    }
  } catch (thrown) {
    if (signal.aborted) change({ phase: 'stopped' });
    else change(failureOf(thrown, answer.phase));
  }
  change({ phase: answer.phase === 'stopped' ? 'stopped' : 'done', ms: performance.now() - begun });
  return answer;
}

function failureOf(thrown: unknown, phase: Answer['phase']): Partial<Answer> {
  if (thrown instanceof A2AError) return { error: thrown };
  if ((thrown as Error).name === 'TimeoutError') {
    return { problem: `The gateway did not answer within ${deadline / 1000} seconds.` };
  }
  const lost =
    phase === 'open' ? 'The connection was lost before the answer was complete' : 'The gateway could not be reached';
  return { problem: `${lost} (${(thrown as Error).message}).` };
}

/** Media types whose messages have prefixes. */
const enveloped = /^application\/(?:connect\+|grpc-web)/i;

function send({ request, callable, url, headers, signal }: ExchangeOptions): Promise<Response> {
  const all = new Headers(headers);
  for (const [name, value] of request.headers) all.set(name, value);
  const hasBody = request.body !== '' && request.verb !== 'GET' && request.verb !== 'HEAD';
  const bytes = new TextEncoder().encode(request.body);
  const isEnveloped = enveloped.test(headerOf(request, 'content-type'));
  const body = isEnveloped ? writeEnvelope(new Uint8Array(prefixLength + bytes.length), bytes) : bytes;
  return fetch(url(request.path), {
    method: request.verb,
    headers: all,
    signal: callable.streaming ? signal : AbortSignal.any([signal, AbortSignal.timeout(deadline)]),
    cache: 'no-store',
    redirect: 'error',
    ...(hasBody && { body }),
  });
}

async function readFrames(
  body: ReadableStream<Uint8Array>,
  framing: 'sse' | 'connect' | 'grpc-web',
  begun: number,
  { callable, cx, onEvent }: ExchangeOptions,
  change: (more: Partial<Answer>) => void,
): Promise<void> {
  const reader = createFrameReader(callable, framing, cx);
  const frames: TimedFrame[] = [];
  let dropped = 0;
  const add = (more: readonly AnswerFrame[]): void => {
    const at = performance.now() - begun;
    for (const frame of more) {
      frames.push({ ...frame, at });
      if (callable.streaming) for (const event of frame.events) onEvent?.(event);
    }
    if (frames.length > maxFrames) dropped += frames.splice(0, frames.length - maxFrames).length;
    const id = frames.findLast((frame) => frame.id !== undefined)?.id;
    const [first] = frames;
    const value = callable.streaming ? {} : { value: first?.events[0] };
    change({ frames: [...frames], dropped, ...(id !== undefined && { lastEventId: id }), ...value });
  };
  add([]);
  const chunks = body.getReader();
  for (let step = await chunks.read(); !step.done; step = await chunks.read()) {
    const found = reader.push(step.value);
    if (found.length > 0) add(found);
  }
  const last = reader.end();
  if (last.length > 0) add([{ raw: '', events: last }]);
  if (reader.losses.length > 0) change({ losses: reader.losses });
  if (reader.error) change({ error: reader.error });
}
