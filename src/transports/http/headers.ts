import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseInTurns, writeInTurns } from '../../core/limits/large-json.ts';
import { isLarge, loopTurns } from '../../core/limits/loop-turns.ts';
import type { CallContext, ReplyNotes, UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import type { Method, WireProtocol } from '../../dialects/kernel/wire.ts';
import { type CallFacts, createContext, extensionList, lossList } from './call-head.ts';
import { acceptedCodings } from './decompress.ts';
import type { Exchange, RefusedExchange } from './exchange.ts';

/** Reading a call's request headers, and sending responses with the headers of its answer. */

/** `A2A-Version`: the header, or the query parameter of that name in any case. An empty value counts as absent. */
export function versionOfRequest({ facts, query }: Pick<Exchange, 'facts' | 'query'>): string | undefined {
  const header = facts.header('a2a-version')?.trim();
  if (header) return header;
  if (!/a2a-version=/i.test(query)) return undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name.toLowerCase() === 'a2a-version' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** The part of a call's context that the method and the path determine. */
interface HttpCallFacts extends Pick<CallFacts, 'binding' | 'dialect' | 'semantics' | 'streaming' | 'notes'> {
  readonly tenant?: string;
}

/**
 * The context of a call. Its signal aborts when the client disconnects before the answer is sent.
 *
 * @throws A2AError `invalidRequest` when the call has passed too many gateways
 */
export function contextOf(
  { res, facts: head, requestId, agent, principal }: Exchange,
  { tenant = '', binding, dialect, semantics, streaming, notes }: HttpCallFacts,
): CallContext {
  const all = { requestId, agent, tenant, principal, binding, dialect, semantics, streaming, notes };
  return createContext(head, all, () => disconnectSignal(res));
}

/** Aborts when the client disconnects before the answer is sent. */
function disconnectSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!res.writableFinished) controller.abort(new A2AError('canceled'));
  };
  if (res.destroyed) onClose();
  else res.on('close', onClose);
  return controller.signal;
}

/** The headers of every answer to a call, as a flat list of names and values. */
export function answerHeaders(requestId: string, dialect: WireProtocol | undefined, notes?: ReplyNotes): string[] {
  const headers = ['X-Request-Id', requestId];
  const version = dialect?.versions[0];
  if (version !== undefined) headers.push('A2A-Version', version);
  if (notes?.headers) headers.push(...notes.headers);
  if (!notes || (notes.extensions.size === 0 && notes.losses.size === 0)) return headers;
  const extensions = extensionList(notes);
  if (extensions !== '') {
    for (const name of dialect?.extensionHeaders ?? ['A2A-Extensions']) headers.push(name, extensions);
  }
  const losses = lossList(notes);
  if (losses !== '') headers.push('A2A-Gateway-Loss', losses);
  return headers;
}

/**
 * The headers of an error.
 *
 * @param challenge value of `WWW-Authenticate`, for unauthenticated callers and those whose token lacks a scope
 */
export function errorHeaders(error: A2AError, challenge = error.challenge ?? 'Bearer realm="a2a-gateway"'): string[] {
  const headers: string[] = [];
  if (error.kind === 'unauthenticated' || error.challenge !== undefined) headers.push('WWW-Authenticate', challenge);
  if (error.retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))));
  if (error.kind === 'codingNotSupported') headers.push('Accept-Encoding', acceptedCodings);
  return headers;
}

/** The JSON text of an answer. A large one is parsed, converted and written in several turns of the event loop. */
export function encodeAnswer(
  result: NonNullable<Method['result']>,
  reply: UnaryReply,
  cx: CodecContext,
  { reservation }: Pick<CallContext, 'reservation'>,
): string | Promise<string> {
  const text = result.textOf?.(reply);
  if (text === undefined && reservation && isLarge(reservation.bytes)) {
    return encodeLarge(result, reply, cx).finally(() => reservation.release());
  }
  const json = text ?? JSON.stringify(result.encode(reply, cx));
  reservation?.release();
  return json;
}

async function encodeLarge(result: NonNullable<Method['result']>, reply: UnaryReply, cx: CodecContext) {
  const whole = await withValue(reply);
  await loopTurns.takeFor(Number.POSITIVE_INFINITY);
  return writeInTurns(loopTurns, result.encode(whole, cx));
}

/**
 * Encodes an answer, and releases its memory, because the connection holds it from then on. Returns a promise only for a large
 * answer, which is parsed in several turns of the event loop.
 */
export function encodeInTurns<Out>(
  reply: UnaryReply,
  { reservation }: Pick<CallContext, 'reservation'>,
  encode: (reply: UnaryReply) => Out,
): Out | Promise<Out> {
  if (reply.json !== undefined && isLarge(reservation?.bytes ?? 0)) {
    return withValue(reply).then((whole) => encodeInTurns(whole, { reservation }, encode));
  }
  const encoded = encode(reply);
  reservation?.release();
  return encoded;
}

/** A large reply with its value. If the reply is text, the text is parsed in several turns of the event loop. */
async function withValue(reply: UnaryReply): Promise<UnaryReply> {
  const { json, facts, taskFacts } = reply;
  if (json === undefined) return reply;
  const value = (await parseInTurns(loopTurns, json)) as UnaryReply['value'];
  return { value, ...(facts && { facts }), ...(taskFacts && { taskFacts }) };
}

/** Sends a complete response, without its body for HEAD. Does nothing when the client is gone or a response has begun. */
export function send(
  res: ServerResponse,
  status: number,
  headers: string[],
  mediaType: string,
  body: string | Buffer,
): void {
  if (res.headersSent || res.destroyed) return;
  headers.push('Content-Type', mediaType, 'Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(status, headers);
  res.end(body);
}

/** Sends a response without a body. */
export function sendEmpty(res: ServerResponse, status: number, headers: string[]): void {
  if (res.headersSent || res.destroyed) return;
  if (status !== 204 && status !== 304) headers.push('Content-Length', '0');
  res.writeHead(status, headers);
  res.end();
}

/** The request's media type in lower case, without parameters; undefined when it has no `Content-Type`. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['content-type'];
  if (given === undefined) return undefined;
  const end = given.indexOf(';');
  return (end < 0 ? given : given.slice(0, end)).trim().toLowerCase();
}

/** Whether a media type is gRPC's, with any codec; gRPC-Web has media types of its own. */
const isGrpcType = (mediaType = ''): boolean => /^application\/grpc(?:\+|$)/.test(mediaType);

/**
 * Answers a gRPC call over HTTP/1.1. Its clients often show only the status line. Returns false for any other request, which it
 * leaves untouched.
 */
export function refuseGrpcOverHttp1({ req, res }: RefusedExchange, headers: readonly string[]): boolean {
  if (req.httpVersionMajor > 1 || !isGrpcType(mediaTypeOf(req))) return false;
  res.statusMessage = 'gRPC needs HTTP/2';
  const text =
    'gRPC needs HTTP/2, and this request came over HTTP/1.1. Let the client, and every proxy on the way, speak HTTP/2: ' +
    'with TLS by ALPN (h2), without TLS by prior knowledge (h2c). Or call over Connect or gRPC-Web, which need no HTTP/2.\n';
  send(res, 415, [...headers], 'text/plain; charset=utf-8', text);
  return true;
}

/** Whether a media type is `application/json` or has the suffix `+json`. */
export const isJsonType = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^application\/[\w.-]+\+json$/.test(mediaType);

const json = 'application/json';

/**
 * The media type of an answer: the binding's own or `application/json`, whichever the client prefers (RFC 9110 section 12.5.1).
 * Both have the same content, so clients that accept neither get the usual one.
 *
 * @param accept the request's header
 * @param own the media type of the binding
 * @param usual the type for clients that do not name the other one. Default: the binding's own
 */
export function answerType(accept: string | undefined, own: string, usual = own): string {
  // Most clients name no type, or accept any.
  if (own === json || !accept?.toLowerCase().includes(usual === own ? json : own)) return usual;
  const weights = new Map<string, number>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (!weights.has(type)) weights.set(type, weight >= 0 && weight <= 1 ? weight : 0);
  }
  const weightOfOwn = weightOf(own, weights);
  const weightOfJson = weightOf(json, weights);
  if (weightOfOwn === 0 && weightOfJson === 0) return usual;
  return weightOfJson > weightOfOwn ? json : own;
}

/** Whether `Accept-Encoding` lists a coding with a weight above zero. */
export const accepts = ({ headers }: IncomingMessage, wanted: string): boolean =>
  String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .some((listed) => {
      const [coding = '', weight = 'q=1'] = listed.split(';').map((part) => part.trim());
      return coding === wanted && Number(weight.replace(/^q=/, '')) > 0;
    });

/** Subtracted from the weight of less precise ranges, so that of equal weights the precise one is preferred. */
const imprecision = 1e-4;

/** The weight of the most precise range that contains a type; 0 when there is none. */
function weightOf(type: string, weights: ReadonlyMap<string, number>): number {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  const rank = ranges.findIndex((range) => weights.has(range));
  return rank < 0 ? 0 : (weights.get(ranges[rank] as string) as number) - rank * imprecision;
}

/** Sends an error in the HTTP+JSON format of a dialect; without one, in the format of A2A 1.0.1 section 11.6. */
export function sendRestError(
  { req, res, requestId }: RefusedExchange,
  dialect: WireProtocol | undefined,
  error: A2AError,
  notes?: ReplyNotes,
): void {
  const headers = answerHeaders(requestId, dialect, notes);
  if (!dialect?.rest) {
    sendError(res, error, headers);
    return;
  }
  const { mediaType, errorMediaType = mediaType } = dialect.rest;
  const { status, body } = dialect.rest.error.encode(error, { losses: new Set() });
  const type = answerType(req.headers.accept, mediaType, errorMediaType);
  send(res, status, [...headers, ...errorHeaders(error)], type, JSON.stringify(body));
}

/** Sends an error in the format of A2A 1.0.1 section 11.6, for requests that belong to no dialect. */
export function sendError(res: ServerResponse, error: A2AError, headers: readonly string[] = []): void {
  const { http, grpc } = error.row;
  const body = { error: { code: http, status: grpc, message: error.message, details: error.details() } };
  send(res, http, [...errorHeaders(error), ...headers], 'application/json', JSON.stringify(body));
}

/** Serves the requests for one page. False for any other request, which it leaves untouched. */
export type PageHandler = (req: IncomingMessage, res: ServerResponse) => boolean;

/** Whether a request is for a path, with or without a query. */
export const isPath = ({ url = '' }: IncomingMessage, path: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === '?');

/** A document that clients may have cached. */
interface CacheableDocument {
  readonly body: Buffer;
  readonly mediaType: string;
  readonly etag: string;
  /** Time of the last change, in milliseconds. Absent: only the tag counts. */
  readonly modified?: number;
}

/** Answers GET and HEAD with a document, or with 304 when the client has it. */
export function sendDocument(
  req: IncomingMessage,
  res: ServerResponse,
  { body, mediaType, etag, modified }: CacheableDocument,
  headers: string[],
): void {
  headers.push('ETag', etag);
  if (isUnchanged(req, etag, modified)) sendEmpty(res, 304, headers);
  else send(res, 200, headers, mediaType, body);
}

/** A strong ETag. */
export const etagOf = (body: Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/** Whether the client's copy is current. `If-Modified-Since` counts only without `If-None-Match` (RFC 9110 section 13.2.2). */
function isUnchanged({ headers }: IncomingMessage, etag: string, modified: number | undefined): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  }
  return modified !== undefined && Date.parse(headers['if-modified-since'] ?? '') >= modified;
}
