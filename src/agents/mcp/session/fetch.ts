import { setImmediate as immediate } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import type { HttpClient } from '../../../net/http-client.ts';
import type { HttpAnswer } from '../../../net/http-exchange.ts';
import type { OutboundAuth } from '../../../net/outbound-auth.ts';
import { shortened, ToolFailure, tooLarge } from '../failures.ts';
import type { ToolCallContext } from '../tool-server.ts';
import { currentRequest, type PendingRequest } from './pending-request.ts';

/** What requests are sent with, and within what bounds. */
export interface FetchOptions {
  readonly http: HttpClient;
  readonly auth: OutboundAuth;
  /** Bytes of one answer, and of one event of a stream. */
  readonly limit: number;
  /** Told when a stream that belongs to no request has ended, or broken. */
  readonly onStreamEnd?: (failure: ToolFailure) => void;
}

/** Milliseconds: requests have deadlines of their own, and streams may be silent. */
const forever = 2 ** 31 - 1;
/** Milliseconds that the SDK may take to read what has come before the answer counts as missing. */
const reading = 100;
/** As often as the SDK tries to resume a stream. */
export const resumptions = 2;
/** Bytes of an error's body that are read. */
const errorBody = 64 * 1024;
/** Headers of answers that the SDK looks at. */
const passed = ['content-type', 'location', 'mcp-session-id', 'www-authenticate'] as const;
/** Statuses that go without a body. */
const bodiless: ReadonlySet<number> = new Set([202, 204, 205, 304, 405]);

const broken = (why: string): ToolFailure => new ToolFailure('invalidResponse', `The server ended its answer ${why}`);

/** The requests that the SDK sends, over the gateway's own client: with deadlines, bounds, credentials and hops. */
export function createToolFetch(options: FetchOptions): FetchLike {
  const { http, auth } = options;

  const send = async (url: URL, init: RequestInit, exchange: PendingRequest | undefined): Promise<HttpAnswer> => {
    // Streams that belong to no request are still asked for by whoever opened the session.
    const facts = currentRequest.getStore()?.facts;
    const own = init.signal ?? new AbortController().signal;
    const signal = exchange ? AbortSignal.any([own, exchange.signal]) : own;
    const attempt = async (): Promise<{ answer: HttpAnswer; shown: Record<string, string> }> => {
      const shown = await auth.headers(facts?.credentials?.(), url, signal);
      const answer = await http.request({
        method: init.method ?? 'GET',
        url,
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...factHeaders(facts), ...shown },
        ...(typeof init.body === 'string' && { body: init.body }),
        signal,
        timeout: forever,
        silence: forever,
      });
      return { answer, shown };
    };
    const first = await attempt();
    if (first.answer.status !== 401 || !auth.rejected(first.shown)) return first.answer;
    first.answer.discard();
    return (await attempt()).answer;
  };

  return async (url, init = {}) => {
    const current = currentRequest.getStore();
    const resuming = new Headers(init.headers).has('last-event-id');
    const exchange = init.method === 'POST' || (resuming && current?.connecting === false) ? current : undefined;
    // A request that nobody waits for is not taken up again. The SDK takes 405 for "there is no stream here".
    if (resuming && exchange?.over) return new Response(null, { status: 405 });
    try {
      const answer = await send(new URL(url), init, exchange);
      if (resuming && exchange) noteResumption(exchange, answer.status);
      return await responseOf(answer, exchange, options);
    } catch (thrown) {
      if (resuming && exchange) noteResumption(exchange, 0);
      throw thrown;
    }
  };
}

const factHeaders = (facts: Partial<ToolCallContext> = {}): Record<string, string> => ({
  ...(facts.hops !== undefined && { 'a2a-hops': String(facts.hops) }),
  ...traceOf(facts),
});

/** Attempts to resume that failed, one after the other. */
const failed = new WeakMap<PendingRequest, number>();

function noteResumption(exchange: PendingRequest, status: number): void {
  const attempts = status >= 200 && status < 300 ? 0 : (failed.get(exchange) ?? 0) + 1;
  failed.set(exchange, attempts);
  if (status === 405 || attempts >= resumptions) exchange.fail(broken('early, and it could not be taken up again'));
}

async function responseOf(
  answer: HttpAnswer,
  exchange: PendingRequest | undefined,
  options: FetchOptions,
): Promise<Response> {
  const { status } = answer;
  if (status < 200 || status > 599) {
    answer.discard();
    throw new ToolFailure('invalidResponse', `The server answered with the HTTP status ${status}`);
  }
  const headers = new Headers();
  for (const name of passed) {
    const value = answer.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  if (status < 300 && !bodiless.has(status)) {
    return new Response(ReadableStream.from(watched(answer, exchange, options)), { status, headers });
  }
  const body = await answer.read(errorBody).catch(() => Buffer.alloc(0));
  return new Response(bodiless.has(status) ? null : shortened(body.toString('utf8')), { status, headers });
}

/** A line `id:` of a server-sent event: such a stream can be resumed. */
const eventId = /(?:^|[\r\n])id:/;

/** The body as it comes, as far as it is within bounds. Its end without an answer is told to whoever waits for one. */
async function* watched(
  answer: HttpAnswer,
  exchange: PendingRequest | undefined,
  { limit, onStreamEnd }: FetchOptions,
): AsyncGenerator<Uint8Array, void> {
  const streaming = answer.mediaType === 'text/event-stream';
  const within = streaming ? eventMeter(limit) : totalMeter(limit);
  let resumable = false;
  const request = exchange?.latestId;
  const stop = (failure: ToolFailure): void => {
    if (!exchange) onStreamEnd?.(failure);
    else if (!exchange.awaits(request)) return;
    else if (!resumable || failure.condition === 'tooLarge') exchange.fail(failure);
  };
  try {
    for await (const chunk of answer.chunks()) {
      if (!within(chunk)) throw tooLarge(limit);
      if (streaming && !resumable) resumable = eventId.test(Buffer.from(chunk).toString('latin1'));
      yield chunk;
      // A stream that floods its reader leaves turns for others.
      if (streaming) await immediate();
    }
  } catch (thrown) {
    stop(ToolFailure.from(thrown));
    throw thrown;
  }
  const missing = broken('without a result');
  if (exchange) setTimeout(stop, reading, missing);
  else stop(missing);
}

/** Counts what another side sends. Returns whether it is within bounds. */
export type Meter = (chunk: Uint8Array) => boolean;

/** Of a body as a whole. */
export function totalMeter(limit: number): Meter {
  let size = 0;
  return (chunk) => {
    size += chunk.byteLength;
    return size <= limit;
  };
}

/** Ends of an event in a stream of server-sent events: an empty line, with any kind of line end. */
const ends = ['\n\n', '\r\n\r\n', '\r\r'];

/** Of each event of a stream of server-sent events, which as a whole may go on for ever. */
export function eventMeter(limit: number): Meter {
  let size = 0;
  /** What an end of an event may have begun with. */
  let tail: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const seen = Buffer.concat([tail, chunk]);
    const end = Math.max(
      ...ends.map((mark) => (seen.lastIndexOf(mark) < 0 ? -1 : seen.lastIndexOf(mark) + mark.length)),
    );
    size = end < 0 ? size + chunk.byteLength : seen.byteLength - end;
    tail = seen.subarray(-3);
    return size <= limit;
  };
}
