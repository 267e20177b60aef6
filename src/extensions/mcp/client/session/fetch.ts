import { setImmediate as immediate } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { traceOf } from '../../../../core/telemetry/trace-context.ts';
import type { HttpClient } from '../../../../net/http-client.ts';
import type { HttpAnswer } from '../../../../net/http-exchange.ts';
import type { OutboundAuth } from '../../../../net/outbound-auth.ts';
import { shortened, ToolFailure, tooLarge } from '../failures.ts';
import type { ToolCallContext } from '../tool-server.ts';
import { currentRequest, type PendingRequest } from './pending-request.ts';

/** Settings of the SDK's requests. */
export interface FetchOptions {
  readonly http: HttpClient;
  readonly auth: OutboundAuth;
  /** Bytes of one answer, or of one event of a stream, at the most. */
  readonly limit: number;
  /** Called when a stream that belongs to no request ends or breaks. */
  readonly onStreamEnd?: (failure: ToolFailure) => void;
}

/** Disables time-outs: requests have deadlines of their own, and streams may be silent. Milliseconds. */
const noTimeout = 2 ** 31 - 1;
/** Milliseconds that the SDK gets to read a body before its answer counts as missing. */
const readTime = 100;
/** How often the SDK tries to resume a stream. */
export const maxResumptions = 2;
/** Bytes of an error's body at the most. */
const maxErrorBody = 64 * 1024;
/** Response headers that the SDK reads. */
const sdkHeaders = ['content-type', 'location', 'mcp-session-id', 'www-authenticate'] as const;
/** Statuses without a body. */
const noBodyStatuses: ReadonlySet<number> = new Set([202, 204, 205, 304, 405]);

const broken = (why: string): ToolFailure => new ToolFailure('invalidResponse', `The server ended its answer ${why}`);

/** A fetch for the SDK, on the gateway's HTTP client: with deadlines, limits, credentials and hops. */
export function createToolFetch(options: FetchOptions): FetchLike {
  const { http, auth } = options;

  const send = async (url: URL, init: RequestInit, pending: PendingRequest | undefined): Promise<HttpAnswer> => {
    // Streams without a request use the credentials of the request that opened the session.
    const { hops, credentials, ...caller }: Partial<ToolCallContext> = currentRequest.getStore()?.facts ?? {};
    const own = init.signal ?? new AbortController().signal;
    const signal = pending ? AbortSignal.any([own, pending.signal]) : own;
    for (let isFirst = true; ; isFirst = false) {
      const shown = await auth.headers(credentials?.(), url, signal);
      const answer = await http.request({
        method: init.method ?? 'GET',
        url,
        headers: {
          ...Object.fromEntries(new Headers(init.headers)),
          ...(hops !== undefined && { 'a2a-hops': String(hops) }),
          ...traceOf(caller),
          ...shown,
        },
        ...(typeof init.body === 'string' && { body: init.body }),
        signal,
        timeout: noTimeout,
        silence: noTimeout,
      });
      if (!isFirst || answer.status !== 401 || !auth.rejected(shown)) return answer;
      answer.discard();
    }
  };

  return async (url, init = {}) => {
    const current = currentRequest.getStore();
    const resuming = new Headers(init.headers).has('last-event-id');
    const pending = init.method === 'POST' || (resuming && current?.connecting === false) ? current : undefined;
    // The stream of a finished request is not resumed. The SDK takes 405 for "no stream here".
    if (resuming && pending?.over) return new Response(null, { status: 405 });
    try {
      const answer = await send(new URL(url), init, pending);
      if (resuming && pending) noteResumption(pending, answer.status);
      return await responseOf(answer, pending, options);
    } catch (thrown) {
      if (resuming && pending) noteResumption(pending, 0);
      throw thrown;
    }
  };
}

/** Consecutive failed attempts to resume. */
const failedResumptions = new WeakMap<PendingRequest, number>();

function noteResumption(pending: PendingRequest, status: number): void {
  const attempts = status >= 200 && status < 300 ? 0 : (failedResumptions.get(pending) ?? 0) + 1;
  failedResumptions.set(pending, attempts);
  if (status === 405 || attempts >= maxResumptions) pending.fail(broken('early, and could not be resumed'));
}

async function responseOf(
  answer: HttpAnswer,
  pending: PendingRequest | undefined,
  options: FetchOptions,
): Promise<Response> {
  const { status } = answer;
  if (status < 200 || status > 599) {
    answer.discard();
    throw new ToolFailure('invalidResponse', `The server answered with HTTP status ${status}`);
  }
  const headers = new Headers();
  for (const name of sdkHeaders) {
    const value = answer.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  if (status < 300 && !noBodyStatuses.has(status)) {
    return new Response(ReadableStream.from(limitedBody(answer, pending, options)), { status, headers });
  }
  const body = await answer.read(maxErrorBody).catch(() => Buffer.alloc(0));
  return new Response(noBodyStatuses.has(status) ? null : shortened(body.toString('utf8')), { status, headers });
}

/** An `id:` line of a server-sent event: its stream can be resumed. */
const eventId = /(?:^|[\r\n])id:/;

/** Limits a body, and fails the request if the body ends without its answer. */
async function* limitedBody(
  answer: HttpAnswer,
  pending: PendingRequest | undefined,
  { limit, onStreamEnd }: FetchOptions,
): AsyncGenerator<Uint8Array, void> {
  const streaming = answer.mediaType === 'text/event-stream';
  const within = streaming ? eventMeter(limit) : totalMeter(limit);
  let resumable = false;
  const request = pending?.latestId;
  const stop = (failure: ToolFailure): void => {
    if (!pending) onStreamEnd?.(failure);
    else if (!pending.awaits(request)) return;
    else if (!resumable || failure.condition === 'tooLarge') pending.fail(failure);
  };
  try {
    for await (const chunk of answer.chunks()) {
      if (!within(chunk)) throw tooLarge(limit);
      if (streaming && !resumable) resumable = eventId.test(Buffer.from(chunk).toString('latin1'));
      yield chunk;
      // Yields to other work, because a stream may send faster than it is processed.
      if (streaming) await immediate();
    }
  } catch (thrown) {
    stop(ToolFailure.from(thrown));
    throw thrown;
  }
  const missing = broken('without a result');
  if (pending) setTimeout(stop, readTime, missing);
  else stop(missing);
}

/** Counts received bytes. Returns whether they are within the limit. */
type Meter = (chunk: Uint8Array) => boolean;

/** Limits a body as a whole. */
export function totalMeter(limit: number): Meter {
  let size = 0;
  return (chunk) => {
    size += chunk.byteLength;
    return size <= limit;
  };
}

/** The end of a server-sent event: an empty line, with any kind of line end. */
const eventEnds = ['\n\n', '\r\n\r\n', '\r\r'];

/** Limits each event of a stream of server-sent events; the whole stream is unlimited. */
export function eventMeter(limit: number): Meter {
  let size = 0;
  /** The last bytes, which may be the beginning of an event's end. */
  let tail: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const seen = Buffer.concat([tail, chunk]);
    const end = Math.max(
      ...eventEnds.map((mark) => (seen.lastIndexOf(mark) < 0 ? -1 : seen.lastIndexOf(mark) + mark.length)),
    );
    size = end < 0 ? size + chunk.byteLength : seen.byteLength - end;
    tail = seen.subarray(-3);
    return size <= limit;
  };
}
