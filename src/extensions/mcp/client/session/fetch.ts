import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as immediate } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../../core/model/json.ts';
import type { HttpAnswer } from '../../../../net/http-exchange.ts';
import { webResponse } from '../../../../net/web-response.ts';
import { ToolFailure, tooLarge } from '../failures.ts';
import { sendToServer, type ToolNet } from '../net.ts';
import type { ToolCall, ToolCallContext } from '../tool-server.ts';
import { EventBlocks, fieldsOf, isEventText } from './event-text.ts';
import type { Message, MessageReader, SentRequest } from './messages.ts';

/** A request to an MCP server that has not been answered. */
export interface PendingCall {
  readonly facts: ToolCallContext | undefined;
  /** Whether the request opens the session. Streams that it opens outlast it. */
  readonly opens: boolean;
  readonly bodies: AbortSignal;
  /** Answers a request from the server. */
  readonly onAsk?: ToolCall['onAsk'];
  /** Called with each log message of the tool. */
  readonly onLog?: ((text: string) => void) | undefined;
  /** Receives the server's result unchanged and unchecked by the SDK. */
  readonly onResult?: (result: JsonObject) => void;
  /** Number of requests from the server that wait for a response. */
  asking: number;
  /** Reason why the response broke off. The SDK does not report it. */
  broken?: ToolFailure;
  fail(failure: ToolFailure): void;
}

/** The current request, for functions that the SDK calls on its behalf. */
export const currentCall: AsyncLocalStorage<PendingCall> = new AsyncLocalStorage();

/** The message being sent; undefined for a response. `id` is undefined for a notification. */
export const currentMessage: AsyncLocalStorage<SentRequest | undefined> = new AsyncLocalStorage();

/** Options for the SDK's requests. */
export interface FetchOptions {
  readonly net: ToolNet;
  /** Maximum bytes of a response or, in a stream, of an event. */
  readonly limit: number;
  readonly reader: MessageReader;
  /** Called when a stream that belongs to no request ends or breaks. */
  readonly onStreamEnd?: (failure: ToolFailure) => void;
  /** Receives responses from the body of a POST that the SDK does not read. */
  readonly deliver?: (message: Message) => void;
}

/** Effectively disables time-outs, in milliseconds: requests have separate deadlines, and streams may be silent. */
const noTimeout = 2 ** 31 - 1;
const maxErrorBody = 64 * 1024;
/** Bytes at the beginning of a body that suffice to recognize its format. */
const maxHead = 4_096;

/**
 * Creates a fetch function for the SDK on top of the gateway's HTTP client. It adds limits, credentials and hop counts,
 * and converts responses to a form that the SDK reads.
 */
export function createToolFetch(options: FetchOptions): FetchLike {
  /** Open streams that answer no request; the response to a request may arrive over one of them. */
  const listening = { count: 0 };
  return async (input, { method = 'GET', headers: given, body, signal: own } = {}) => {
    const current = currentCall.getStore();
    const message = currentMessage.getStore();
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
    const exchange = { answer, method, message, call, request: message?.id === undefined ? undefined : message };
    if (status >= 400) return refused(exchange, options);
    if (status >= 300) return redirected(exchange);
    return answered(exchange, options, listening);
  };
}

/** A response to a request of the SDK, with information about that request. */
interface Exchange {
  readonly answer: HttpAnswer;
  readonly method: string;
  readonly message: SentRequest | undefined;
  readonly call: PendingCall | undefined;
  /** The message, if it is a request. Undefined: no response is expected. */
  readonly request: SentRequest | undefined;
}

/** Handles a response with an HTTP error status. Its body may contain the result of a call that has run. */
async function refused({ answer, method, message, call, request }: Exchange, options: FetchOptions): Promise<Response> {
  const { status } = answer;
  const { reader, limit, deliver } = options;
  const text = await answer.read(request ? limit : maxErrorBody).then(String, () => '');
  // The response to a notification does not say whether the server handled it.
  if (message && !request && !denies(status)) return accepted(202);
  const found = request && method === 'POST' ? reader.readRefusal(text, request) : undefined;
  if (!found || !answersCall(status, found, call?.opens === false)) return asItIs(answer, text);
  const given = reader.handOver(found);
  return deliver ? delivered([given], deliver) : jsonOf([given], answer);
}

/**
 * Handles a redirect. The SDK follows it within the origin if the method is preserved, which is safe: nothing has run
 * at the old address.
 */
function redirected({ answer, method }: Exchange): Response {
  const { status, headers } = answer;
  answer.discard();
  const isMoved = method === 'POST' && (status === 301 || status === 302);
  const location = headers.location === undefined ? {} : { location: headers.location };
  return new Response(null, { status: isMoved ? 307 : status, headers: location });
}

/** Converts a successful response to a form that the SDK reads, whatever its content type says. */
async function answered(
  { answer, method, request, call }: Exchange,
  options: FetchOptions,
  listening: { count: number },
): Promise<Response> {
  const { reader, deliver } = options;
  const { status, mediaType } = answer;
  if (method === 'DELETE') return webResponse(answer);
  if (method === 'POST' && (!request || status === 202)) {
    answer.discard();
    return accepted(status === 202 ? 202 : 200);
  }
  const isDeclared = mediaType === eventStream;
  // A stream from the server may be silent for a long time.
  const { head, body } = method === 'POST' || !isDeclared ? await peeked(answer.chunks()) : unread(answer);
  const isEvents = isEventText(head) || (isDeclared && !/^\s*[{[]/.test(head));
  // An HTML page or another document at the server's URL.
  if (method !== 'POST' && !isEvents) {
    answer.discard();
    return accepted(405);
  }
  const limited = limitedBody(body, isEvents, call, options);
  if (isEvents) {
    const onEnd = (): void => {
      listening.count -= request ? 0 : 1;
    };
    listening.count += request ? 0 : 1;
    const resumes = deliver === undefined;
    return responseOf(answer, eventStream, readEvents(limited, { reader, request, resumes, onEnd }));
  }
  const text = await textOf(limited);
  if (text.trim() === '' && listening.count > 0) return accepted(202);
  const messages = reader.read(text, request);
  if (messages.length === 0) return asItIs(answer, text);
  return deliver ? delivered(messages, deliver) : jsonOf(messages, answer);
}

const eventStream = 'text/event-stream';

/** Whether a status concerns the caller and not the called resource. */
const denies = (status: number): boolean => status === 401 || status === 403;

/** Statuses that concern the session or the endpoint. */
const aboutSession: ReadonlySet<number> = new Set([400, 404, 405, 410]);

/**
 * Whether the body of an error response answers a call, whose tool may have run. While a session is being opened,
 * statuses show what kind of server it is.
 */
const answersCall = (status: number, { result }: Message, isCall: boolean): boolean =>
  result !== undefined || (isCall && !denies(status) && !aboutSession.has(status));

const accepted = (status: 200 | 202 | 405): Response => new Response(null, { status });

/** Returns the first bytes of a body together with the whole body, which is read further only as it is consumed. */
async function peeked(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: string; readonly body: AsyncIterable<Uint8Array> }> {
  const chunks = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let head = '';
  for (let size = 0; head.trim() === '' && size < maxHead; ) {
    const { value, done } = await chunks.next();
    if (done) break;
    first.push(value);
    size += value.byteLength;
    head = Buffer.concat(first).toString('utf8', 0, maxHead);
  }
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { head: head.replace(/^\uFEFF/, ''), body: body() };
}

const unread = (answer: HttpAnswer): Awaited<ReturnType<typeof peeked>> => ({ head: '', body: answer.chunks() });

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

interface EventReading {
  readonly reader: MessageReader;
  readonly request: SentRequest | undefined;
  /** Whether the SDK resumes a broken stream, from the last event with an id and data. */
  readonly resumes: boolean;
  onEnd(): void;
}

/**
 * Rewrites a stream as events whose data are messages that the SDK reads. Keep-alive events and other noise are
 * omitted.
 */
async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  { reader, request, resumes, onEnd }: EventReading,
): AsyncGenerator<Uint8Array, void> {
  const blocks = new EventBlocks();
  const written = (block: string): Buffer => {
    const { name, data, others } = fieldsOf(block);
    const messages = data === undefined ? [] : reader.read(data, request);
    const [last = null, ...before] = messages.toReversed();
    // Events of other kinds, such as the `endpoint` event of MCP 2024-11-05, are passed to the SDK unchanged.
    if (last === null && name !== '' && name !== 'message') return Buffer.from(`${block}\n\n`);
    const lines = before.toReversed().map((message) => `data: ${JSON.stringify(message)}\n\n`);
    const ending = [...others];
    if (last) ending.push(`data: ${JSON.stringify(last)}`);
    else if (resumes && others.some((line) => line.startsWith('id: '))) ending.push('data:');
    // If nothing remains of an event, a comment takes its place and keeps the connection alive.
    return Buffer.from(`${lines.join('')}${ending.length > 0 ? ending.join('\n') : ':'}\n\n`);
  };
  try {
    for await (const chunk of body) for (const block of blocks.push(chunk)) yield written(block);
    // Some servers end the stream without the blank line after the last event.
    const rest = blocks.end();
    if (rest.trim() !== '') yield written(rest);
  } finally {
    onEnd();
  }
}

/** Returns the response with another body and the media type of that body. */
function responseOf(
  { status, headers: given }: HttpAnswer,
  mediaType: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Response {
  const headers = new Headers({ 'content-type': mediaType });
  const session = given['mcp-session-id'];
  if (typeof session === 'string') headers.set('mcp-session-id', session);
  return new Response(ReadableStream.from(body) as ReadableStream, { status, headers });
}

function jsonOf(messages: readonly Message[], answer: HttpAnswer): Response {
  const [only] = messages;
  const text = JSON.stringify(messages.length === 1 ? only : messages);
  const ok = { status: 200, headers: answer.headers } as HttpAnswer;
  return responseOf(ok, 'application/json', [Buffer.from(text)]);
}

function delivered(messages: readonly Message[], deliver: (message: Message) => void): Response {
  for (const message of messages) deliver(message);
  return accepted(202);
}

const asItIs = (answer: HttpAnswer, text: string): Response => webResponse(answer, [Buffer.from(text)]);

/** Limits a body, and records the reason if it breaks off. */
async function* limitedBody(
  body: AsyncIterable<Uint8Array>,
  streaming: boolean,
  call: PendingCall | undefined,
  { limit, onStreamEnd }: FetchOptions,
): AsyncGenerator<Uint8Array, void> {
  const within = streaming ? eventMeter(limit) : totalMeter(limit);
  try {
    for await (const chunk of body) {
      if (!within(chunk)) throw tooLarge(limit);
      yield chunk;
      // Yields to other work, because a stream may arrive faster than it is processed.
      if (streaming) await immediate();
    }
  } catch (thrown) {
    const failure = ToolFailure.from(thrown);
    if (call) call.broken = failure;
    else onStreamEnd?.(failure);
    // Otherwise the SDK would resume the stream at the same event.
    if (failure.condition === 'tooLarge') call?.fail(failure);
    throw thrown;
  }
  if (!call) onStreamEnd?.(new ToolFailure('connection', 'The server ended its stream'));
}

/** Counts received bytes. Returns whether they are within the limit. */
type Meter = (chunk: Uint8Array) => boolean;

/** Creates a meter that limits a whole body. */
export function totalMeter(limit: number): Meter {
  let size = 0;
  return (chunk) => {
    size += chunk.byteLength;
    return size <= limit;
  };
}

/** Ends of a server-sent event: an empty line, with every kind of line break. */
const eventEnds = ['\n\n', '\r\n\r\n', '\r\r'];

/** Creates a meter that limits each server-sent event. The whole stream is unlimited. */
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
