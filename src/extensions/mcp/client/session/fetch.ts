import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as immediate } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../../core/model/json.ts';
import type { HttpAnswer } from '../../../../net/http-exchange.ts';
import { webResponse } from '../../../../net/web-response.ts';
import { ToolFailure, tooLarge } from '../failures.ts';
import { sendToServer, type ToolNet } from '../net.ts';
import type { ToolCall, ToolCallContext } from '../tool-server.ts';

/** A request to an MCP server that is not answered yet. */
export interface PendingCall {
  readonly facts: ToolCallContext | undefined;
  /** Whether it opens the session: streams that it opens outlive it. */
  readonly opens: boolean;
  readonly bodies: AbortSignal;
  /** Answers a request of the server. */
  readonly onAsk?: ToolCall['onAsk'];
  /** Called with a log message of the tool. */
  readonly onLog?: ((text: string) => void) | undefined;
  /** Takes the task that the request has become, a result that the SDK does not know. */
  readonly onTask?: (task: JsonObject) => void;
  /** How many questions of it wait for an answer. */
  asking: number;
  /** Why its answer broke off, which the SDK does not tell. */
  broken?: ToolFailure;
  fail(failure: ToolFailure): void;
}

/** The current request, for what the SDK calls on its behalf. */
export const currentCall: AsyncLocalStorage<PendingCall> = new AsyncLocalStorage();

/** Settings of the SDK's requests. */
export interface FetchOptions {
  readonly net: ToolNet;
  /** Bytes of one answer, or of one event of a stream, at the most. */
  readonly limit: number;
  /** Called when a stream that belongs to no request ends or breaks. */
  readonly onStreamEnd?: (failure: ToolFailure) => void;
}

/** Disables time-outs: requests have deadlines of their own, and streams may be silent. Milliseconds. */
const noTimeout = 2 ** 31 - 1;
const maxErrorBody = 64 * 1024;

/** A fetch for the SDK, on the gateway's HTTP client: with limits, credentials and hops. */
export function createToolFetch(options: FetchOptions): FetchLike {
  return async (input, { method = 'GET', headers: given, body, signal: own } = {}) => {
    const current = currentCall.getStore();
    const headers = new Headers(given);
    const resumes = headers.has('last-event-id') && current?.opens === false;
    const call = method === 'POST' || resumes ? current : undefined;
    // Streams without a request use the credentials of the request that opened the session.
    const answer = await sendToServer(options.net, current?.facts, {
      method,
      url: new URL(input),
      headers: Object.fromEntries(headers),
      ...(typeof body === 'string' && { body }),
      signal: AbortSignal.any([own, call?.bodies].flatMap((signal) => signal ?? [])),
      timeout: noTimeout,
      silence: noTimeout,
    });
    const { status } = answer;
    if (status < 200 || status > 599) {
      answer.discard();
      throw new ToolFailure('invalidResponse', `The server answered with HTTP status ${status}`);
    }
    if (status < 300) return webResponse(answer, limitedBody(answer, call, options));
    return webResponse(answer, [await answer.read(maxErrorBody).catch(() => Buffer.alloc(0))]);
  };
}

/** Limits a body, and keeps the reason if it breaks off. */
async function* limitedBody(
  answer: HttpAnswer,
  call: PendingCall | undefined,
  { limit, onStreamEnd }: FetchOptions,
): AsyncGenerator<Uint8Array, void> {
  const streaming = answer.mediaType === 'text/event-stream';
  const within = streaming ? eventMeter(limit) : totalMeter(limit);
  try {
    for await (const chunk of answer.chunks()) {
      if (!within(chunk)) throw tooLarge(limit);
      yield chunk;
      // Yields to other work, because a stream may send faster than it is processed.
      if (streaming) await immediate();
    }
  } catch (thrown) {
    const failure = ToolFailure.from(thrown);
    if (call) call.broken = failure;
    else onStreamEnd?.(failure);
    // Otherwise the SDK resumes the stream, which goes on with the same event.
    if (failure.condition === 'tooLarge') call?.fail(failure);
    throw thrown;
  }
  if (!call) onStreamEnd?.(new ToolFailure('connection', 'The server ended its stream'));
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
