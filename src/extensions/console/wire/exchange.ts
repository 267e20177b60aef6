import { A2AError } from '../../../core/model/errors.ts';
import { entriesOf } from '../../../core/model/text.ts';
import type { CodecContext } from '../../../dialects/kernel/codec.ts';
import { type AnswerFrame, createFrameReader, errorOfTrailers, framingOf, readBody } from './answer.ts';
import type { Callable } from './callables.ts';
import { bytesOf, type HttpText } from './request.ts';

/** One call: its current request, and its answer while it arrives. */

/** A frame with the milliseconds after which it arrived. */
export interface TimedFrame extends AnswerFrame {
  readonly at: number;
}

export interface Answer {
  readonly phase: 'waiting' | 'open' | 'done' | 'stopped';
  readonly status?: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The latest frames of a stream, or the one of another answer. */
  readonly frames: readonly TimedFrame[];
  /** Number of frames that were dropped, to keep memory bounded. */
  readonly dropped: number;
  readonly error?: A2AError;
  /** Reason why the answer could not be read. */
  readonly problem?: string;
  /** Losses that the gateway reported. */
  readonly losses: readonly string[];
  /** Milliseconds until the answer was complete. */
  readonly ms?: number;
}

interface ExchangeOptions {
  readonly request: HttpText;
  readonly callable: Callable;
  readonly cx: CodecContext;
  /** Returns the URL of a path below the gateway's mount point. */
  readonly url: (path: string) => string;
  /** Headers of the console's own calls. Those of the request take precedence. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onChange: (answer: Answer) => void;
  /** Called with each event of a stream, or with the value of another answer. */
  readonly onValue?: (answerValue: unknown) => void;
}

/** Number of frames of a stream in memory. */
const maxFrames = 10_000;

/**
 * Milliseconds to wait for the answer to a call that does not stream: longer than the gateway's own limit by default.
 */
const deadline = 330_000;

/** An answer of which nothing has arrived. */
export const waiting: Answer = { phase: 'waiting', headers: [], frames: [], dropped: 0, losses: [] };

/**
 * Sends a request unchanged, and reports the progress of its answer. Resolves with the complete answer; never rejects.
 */
export async function exchange(options: ExchangeOptions): Promise<Answer> {
  const { callable, cx, signal, onChange, onValue } = options;
  const begun = performance.now();
  let answer = waiting;
  const change = (more: Partial<Answer>): void => {
    answer = { ...answer, ...more };
    onChange(answer);
  };
  const add = (frames: readonly AnswerFrame[]): void => {
    const at = performance.now() - begun;
    const all = [...answer.frames, ...frames.map((frame) => ({ ...frame, at }))];
    const dropped = Math.max(0, all.length - maxFrames);
    change({ frames: all.slice(dropped), dropped: answer.dropped + dropped });
    for (const answerValue of frames.flatMap(({ values }) => values)) onValue?.(answerValue);
  };
  try {
    const response = await send(options);
    const { status, body } = response;
    const losses = entriesOf(response.headers.get('a2a-gateway-loss'));
    change({ phase: 'open', status, headers: [...response.headers], losses });
    const framing = framingOf(response.headers.get('content-type') ?? '');
    const failed = framing === 'grpc-web' ? errorOfTrailers(Object.fromEntries(response.headers)) : undefined;
    if (framing === 'whole' || failed || !body) {
      const raw = await response.text();
      const { error = failed, problem, ...frame } = failed ? { raw, values: [] } : readBody(callable, status, raw, cx);
      change({ ...(error && { error }), ...(problem !== undefined && { problem }) });
      add([frame]);
    } else {
      const reader = createFrameReader(callable, framing, cx);
      const chunks = body.getReader();
      for (let step = await chunks.read(); !step.done; step = await chunks.read()) {
        const found = reader.push(step.value);
        if (found.length > 0) add(found);
      }
      const last = reader.end();
      if (last.length > 0) add([{ raw: '', values: last }]);
      const { error, losses } = reader.ending;
      change({ ...(losses.length > 0 && { losses }), ...(error && { error }) });
    }
  } catch (thrown) {
    change(signal.aborted ? { phase: 'stopped' } : failureOf(thrown, answer.phase));
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

function send({ request, callable, url, headers, signal }: ExchangeOptions): Promise<Response> {
  const all = new Headers(headers);
  for (const [name, value] of request.headers) all.set(name, value);
  const hasBody = request.body !== '' && request.verb !== 'GET' && request.verb !== 'HEAD';
  return fetch(url(request.path), {
    method: request.verb,
    headers: all,
    signal: callable.streaming ? signal : AbortSignal.any([signal, AbortSignal.timeout(deadline)]),
    cache: 'no-store',
    redirect: 'error',
    ...(hasBody && { body: bytesOf(request) }),
  });
}
