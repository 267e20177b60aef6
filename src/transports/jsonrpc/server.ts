import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CheckOperation } from '../../core/limits/admission.ts';
import { Reservation } from '../../core/limits/reservation.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import {
  type Call,
  type CallContext,
  type Invoke,
  isStream,
  ownerOf,
  type Reply,
  type ReplyNotes,
  type StreamReply,
} from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext, DecodedRequest, StreamShape } from '../../dialects/kernel/codec.ts';
import { detect, likelyDialect } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { inWireNames } from '../../dialects/kernel/fields.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { JsonRpcBinding, Method, WireProtocol } from '../../dialects/kernel/wire.ts';
import { type RpcId, readRpcRequest, rpcError, rpcResult, rpcResultHead } from '../../wire/jsonrpc.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { HttpContext } from '../http/context.ts';
import type { StreamFraming } from '../http/event-stream.ts';
import type { Exchange, ExchangeHandler, RefusalHandler, RefusedExchange } from '../http/exchange.ts';
import {
  answerHeaders,
  contextOf,
  errorHeaders,
  isJsonType,
  mediaTypeOf,
  newNotes,
  send,
  sendEmpty,
  versionOfRequest,
} from '../http/headers.ts';
import { mountOf } from '../http/request-facts.ts';

export interface JsonRpcServerOptions {
  readonly dialects: Dialects;
  readonly invoke: Invoke;
  /** Asked before parameters are read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly http: HttpContext;
  /** Name of the dialect in which this caller last used a task, for method names that several dialects share. */
  readonly recall?: (exchange: Exchange, taskId: string) => Promise<string | undefined>;
  /** The card of the exchange's agent as a dialect writes it, for methods that answer with it on the spot. */
  readonly card: (exchange: Exchange, dialect: Dialect) => unknown;
}

/** How an answer is to be written: set step by step, so that an error at any step finds what is known by then. */
interface Answering {
  readonly exchange: Pick<Exchange, 'req' | 'res' | 'requestId' | 'agent' | 'principal'>;
  dialect: WireProtocol;
  id: RpcId;
  notification: boolean;
  method: Method | undefined;
  /** Whether the request was read: what is found faulty from then on is told in the names of v1. */
  read: boolean;
  /** Whether it has become a call: what fails before is a request that was refused. */
  called: boolean;
  notes: ReplyNotes | undefined;
}

const mediaType = 'application/json';

/** The two halves of the binding. */
export interface JsonRpcServer {
  readonly handle: ExchangeHandler;
  readonly refuse: RefusalHandler;
}

/** JSON-RPC of every dialect: POST at an agent's base. */
export function createJsonRpcServer(options: JsonRpcServerOptions): JsonRpcServer {
  const isOurs = ({ path, req }: RefusedExchange) => path === '' && req.method === 'POST';
  return {
    handle: (exchange) => isOurs(exchange) && serve(options, exchange),
    refuse: (refused, error) => isOurs(refused) && refuse(options, refused, error),
  };
}

async function serve(options: JsonRpcServerOptions, exchange: Exchange): Promise<void> {
  const { dialects, invoke, http, recall } = options;
  const version = versionOfRequest(exchange);
  const hints = { pinned: exchange.pinned, version, base: mountOf(exchange.req) + exchange.base };
  const answering: Answering = {
    exchange,
    dialect: likelyDialect(dialects, hints),
    id: null,
    notification: false,
    method: undefined,
    read: false,
    called: false,
    notes: undefined,
  };
  try {
    const type = mediaTypeOf(exchange.req);
    const foreign = type !== undefined && !isJsonType(type);
    const { budget } = http;
    const reservation = Reservation.for(exchange.res, budget, exchange.principal);
    const body = await http.bodies.readJson(exchange.req, reservation).catch((thrown: unknown) => {
      throw foreign && A2AError.from(thrown).kind === 'parse' ? notJson(type) : thrown;
    });
    const request = readRpcRequest(body);
    const asked = { ...hints, method: request.method ?? '', params: request.params, id: request.id };
    answering.id = request.id ?? null;
    if (foreign || request.error) {
      answering.dialect = likelyDialect(dialects, request.method === undefined ? hints : asked);
      answering.method = answering.dialect.jsonrpc?.methods.get(asked.method);
      throw request.error ?? notJson(type as string);
    }
    const detecting = detect(dialects, recall ? { ...asked, recall: (task) => recall(exchange, task) } : asked);
    const detected = detecting instanceof Promise ? await detecting : detecting;
    answering.dialect = detected.dialect;
    if (detected.error) throw detected.error;
    if (detected.local) {
      const { dialect: speaker, local } = detected;
      answering.notification = request.id === undefined;
      return answerOnTheSpot(answering, local({ card: () => options.card(exchange, speaker) }));
    }
    const { dialect, method } = detected;
    answering.method = method;
    const notes = newNotes();
    answering.notes = notes;
    options.checkOperation?.(exchange.principal, method.operation, exchange.requestId);
    const decoded = decodeParams(method, request.params, notes);
    answering.read = true;
    // One that is refused before anything happened is answered under id null, as the official servers do.
    answering.notification = request.id === undefined;
    const streaming = method.stream !== undefined;
    const facts = { binding: 'jsonrpc', dialect, semantics: decoded.semantics, streaming, notes, budget } as const;
    const context = contextOf(exchange, facts);
    const call = { operation: method.operation, request: decoded.request, context } as Call;
    answering.called = true;
    const reply = await invoke(call);
    try {
      await answer(http, answering, method, call, reply);
    } finally {
      // A stream tells itself when it is over.
      if (answering.notification || !isStream(reply)) notes.onAnswered?.();
    }
  } catch (thrown) {
    fail(http, answering, A2AError.from(thrown));
  }
}

/** What is missing as a whole is called `params`, which is all that its caller knows it by. */
function decodeParams(method: Method, params: unknown, notes: ReplyNotes): DecodedRequest {
  try {
    return method.request.decode(params, notes);
  } catch (thrown) {
    const { violations = [] } = thrown instanceof A2AError ? thrown : {};
    if (params !== undefined || violations[0]?.field !== '') throw thrown;
    throw A2AError.invalidParams('params is required', [{ field: 'params', description: 'is required' }]);
  }
}

function answerOnTheSpot({ exchange, dialect, id, notification }: Answering, result: unknown): void {
  const { res, requestId } = exchange;
  const headers = answerHeaders(requestId, dialect);
  if (notification) sendEmpty(res, 204, headers);
  else send(res, 200, headers, mediaType, rpcResult(id, JSON.stringify(result)));
}

/** The notes themselves, but for dialects and methods that need to know more. */
function encodingContext(
  { files }: HttpContext,
  { exchange, dialect }: Answering,
  call: Call,
  reply: Reply,
): CodecContext {
  const { notes } = call.context;
  const before = isStream(reply) ? reply.priorTask : undefined;
  const hosts = dialect.jsonrpc?.filesByUrl ? files : undefined;
  if (!before && !hosts) return notes;
  return {
    losses: notes.losses,
    ...(before && { before }),
    ...(hosts && { fileUrl: hosts.urlsFor(exchange, ownerOf(call)) }),
  };
}

async function answer(
  http: HttpContext,
  answering: Answering,
  method: Method,
  call: Call,
  reply: Reply,
): Promise<void> {
  const { exchange, dialect, id, notification, notes } = answering;
  const { res, requestId } = exchange;
  if (notification) {
    if (isStream(reply)) await reply.events[Symbol.asyncIterator]().return?.();
    sendEmpty(res, 204, answerHeaders(requestId, dialect, notes));
    return;
  }
  const cx = encodingContext(http, answering, call, reply);
  if (isStream(reply)) {
    const { stream } = method;
    const face = dialect.jsonrpc;
    if (!stream || !face) throw new Error(`${method.name} does not stream, but its reply does`);
    const after = startOf(reply, call.context);
    const told = { meter: http.meters.streams.jsonrpc, onEnd: () => notes?.onAnswered?.() };
    const { reservation } = call.context;
    const framing = { ...framingOf(face, method, stream, cx, id, after), ...told, ...(reservation && { reservation }) };
    await http.streams.serve(res, reply.events, framing, () => answerHeaders(requestId, dialect, notes));
    return;
  }
  if (!method.result) throw new Error(`${method.name} only streams, but its reply does not`);
  const { result: shape } = method;
  const ready = shape.verbatim ? reply.json : undefined;
  const result = rpcResult(id, ready ?? JSON.stringify(shape.encode(reply, cx)));
  call.context.reservation?.release();
  send(res, 200, answerHeaders(requestId, dialect, notes), mediaType, result);
}

/** Position after which a stream begins. */
const startOf = ({ after }: StreamReply, { replay }: CallContext): number =>
  after ?? (typeof replay === 'object' ? replay.after : 0);

/** On its own, so that a stream keeps what it needs and not the whole call. */
const framingOf = (
  face: JsonRpcBinding,
  method: Method,
  stream: StreamShape,
  cx: CodecContext,
  id: RpcId,
  after: number,
): StreamFraming => ({
  encoder: stream.encoder(cx),
  ...(stream.atOnce && { atOnce: true }),
  ...(face.stream.enveloped && { head: rpcResultHead(id), tail: '}' }),
  ...(face.stream.withoutIds && { withoutIds: true }),
  error: (error) => face.stream.error(inWireNames(error, method), id),
  after,
});

/** An error in the words of a dialect, and the headers that it brings with it. */
function inDialect(
  dialect: WireProtocol,
  thrown: A2AError,
  { headers }: Pick<IncomingMessage, 'headers'>,
  method?: Method,
): { error: A2AError; headers: string[] } {
  const tell = thrown.kind === 'unauthenticated' ? dialect.jsonrpc?.unauthenticated : undefined;
  if (!tell) return { error: thrown, headers: errorHeaders(thrown) };
  const given = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  const { challenge, message = thrown.message } = tell(given, method?.name);
  const { kind, metadata } = thrown;
  return { error: new A2AError(kind, message, { metadata }), headers: errorHeaders(thrown, challenge) };
}

function fail(http: HttpContext, answering: Answering, thrown: A2AError): void {
  const { exchange, dialect, notification, method, read, called, notes } = answering;
  const { req, res, requestId } = exchange;
  if (!called) http.meters.refused('jsonrpc', thrown.kind, exchange);
  const place = { request: requestId, binding: 'jsonrpc', dialect: dialect.name, operation: method?.operation };
  logFailure(http.logger, thrown, { ...place, principal: exchange.principal.id });
  const named = method && read ? inWireNames(thrown, method) : thrown;
  const { error, headers: own } = inDialect(dialect, named, req, method);
  const headers = [...answerHeaders(requestId, dialect, notes), ...own];
  if (notification) {
    sendEmpty(res, 204, headers);
    return;
  }
  sendFailure(exchange, answering, error, headers);
}

/** An error in the words of its dialect, in the form in which clients of the method read it. */
function sendFailure(
  { req, res }: Pick<Exchange, 'req' | 'res'>,
  { dialect, method, id }: Pick<Answering, 'dialect' | 'method' | 'id'>,
  error: A2AError,
  headers: string[],
): void {
  const face = dialect.jsonrpc;
  const inStead = method?.result?.fromError?.(error);
  if (inStead !== undefined) {
    send(res, 200, headers, mediaType, rpcResult(id, JSON.stringify(inStead)));
    return;
  }
  if (face && method?.stream && !method.result && readsStreamsOnly(face, req)) {
    const first = face.stream.withoutIds ? {} : { id: 0 };
    const frames = face.stream.error(error, id).map((frame) => encodeSse({ ...first, ...frame }));
    send(res, 200, [...headers, 'Cache-Control', 'no-cache'], 'text/event-stream', frames.join(''));
    return;
  }
  sendError(res, face, id, error, headers, method?.stream && !method.result);
}

/** Whether this client reads the errors of a stream from event streams only. */
const readsStreamsOnly = ({ stream }: JsonRpcBinding, { headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  stream.refusedAsStream || stream.refusedAsStreamTo?.test(headers['user-agent'] ?? '') === true;

/** @param refused whether it is a stream that is refused */
function sendError(
  res: ServerResponse,
  face: JsonRpcBinding | undefined,
  id: RpcId,
  error: A2AError,
  headers: string[],
  refused = false,
): void {
  const wire = face?.error.encode(error, { losses: new Set() }) ?? { code: error.row.jsonrpc, message: error.message };
  const { http } = error.row;
  const told = face?.errorStatuses.has(http) || (refused && face?.stream.refusalStatuses?.has(http));
  const status = told ? http : 200;
  send(res, status, headers, mediaType, rpcError(id, wire));
}

const notJson = (type: string): A2AError =>
  new A2AError('contentTypeNotSupported', `The body must be application/json, not ${type.slice(0, 100)}`);

/**
 * Answers what is refused before a dialect is known. Where there is nothing, an unknown agent say, the body is read, so
 * that the answer bears the request's id. Of callers who are not let in it is read only where it is small and there
 * already: to them too the answer comes under the request's id and in its dialect, since their clients find it by these.
 */
async function refuse(
  { dialects, http }: JsonRpcServerOptions,
  refused: RefusedExchange,
  thrown: A2AError,
): Promise<void> {
  const { req, res, pinned, requestId } = refused;
  http.meters.refused('jsonrpc', thrown.kind, refused);
  const version = versionOfRequest(refused);
  const hints = { pinned, version };
  let dialect = likelyDialect(dialects, hints);
  let id: RpcId = null;
  let method: Method | undefined;
  const { http: status } = thrown.row;
  if (status === 404 || status === 401 || status === 403) {
    // What cannot be read has no id to answer under.
    const { bodies, budget } = http;
    const reservation = Reservation.for(res, budget, { id: req.socket.remoteAddress ?? '' });
    const reading = status === 404 ? bodies.readJson(req, reservation).catch(() => undefined) : bodies.readRefused(req);
    const { id: given, method: name, params } = readRpcRequest(await reading);
    id = given ?? null;
    dialect = likelyDialect(dialects, { ...hints, params, id, ...(name !== undefined && { method: name }) });
    method = dialect.jsonrpc?.methods.get(name ?? '');
  }
  const { error, headers: own } = inDialect(dialect, thrown, req, method);
  const headers = [...answerHeaders(requestId, dialect), ...own];
  const face = dialect.jsonrpc;
  if (error.kind !== 'agentNotFound') return sendFailure(refused, { dialect, method, id }, error, headers);
  // Not a JSON-RPC matter alone: there is nothing at this URL.
  const wire = face?.error.encode(error, { losses: new Set() });
  return send(res, error.row.http, headers, mediaType, rpcError(id, wire));
}
