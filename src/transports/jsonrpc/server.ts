import type { IncomingMessage } from 'node:http';
import { logFailure } from '../../core/middleware/logging.ts';
import type { Task } from '../../core/model/a2a.ts';
import {
  type Call,
  type CallContext,
  isStream,
  ownerOf,
  type ReplyNotes,
  type StreamReply,
  type UnaryReply,
} from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext, DecodedRequest } from '../../dialects/kernel/codec.ts';
import { type Detected, type DetectInput, type Dialects, detect, likelyDialect } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { inWireNames } from '../../dialects/kernel/errors.ts';
import { noteLostDigits } from '../../dialects/kernel/number-losses.ts';
import type { JsonRpcBinding, Method, WireProtocol } from '../../dialects/kernel/wire.ts';
import { ExcessiveRequestError } from '../../wire/counts.ts';
import { type RpcId, readRpcRequest, rpcError, rpcResult, rpcResultHead } from '../../wire/jsonrpc.ts';
import { encodeSse } from '../../wire/sse.ts';
import { newNotes } from '../http/call-head.ts';
import type { HttpBinding, HttpBindingOptions, HttpContext } from '../http/context.ts';
import { framingOf, type StreamFraming } from '../http/event-stream.ts';
import type { Exchange, RefusedExchange } from '../http/exchange.ts';
import {
  answerHeaders,
  contextOf,
  encodeAnswer,
  errorHeaders,
  isJsonType,
  mediaTypeOf,
  send,
  sendEmpty,
  versionOfRequest,
} from '../http/headers.ts';
import { mountOf } from '../http/request-facts.ts';
import { noAgentNamed } from '../http/request-target.ts';

interface JsonRpcServerOptions extends HttpBindingOptions {
  readonly dialects: Dialects;
  /** Name of the dialect in which this caller last used a task, for method names that several dialects share. */
  readonly recall?: (exchange: Exchange, taskId: string) => Promise<string | undefined>;
  /** The card of the exchange's agent in a dialect, for methods that return it. */
  readonly card: (exchange: Exchange, dialect: Dialect) => unknown;
}

/** Facts needed for an answer, set step by step, so that an error at any step finds those known by then. */
interface Answering {
  readonly exchange: RefusedExchange;
  dialect: WireProtocol;
  id: RpcId;
  notification: boolean;
  method?: Method | undefined;
  notes?: ReplyNotes;
}

const mediaType = 'application/json';

/** Serves JSON-RPC of every dialect: POST at an agent's base. */
export function createJsonRpcServer(options: JsonRpcServerOptions): HttpBinding {
  const isOurs = ({ path, req }: RefusedExchange) => path === '' && req.method === 'POST';
  const binding = { name: 'jsonrpc', ofDefaultAgent: true } as const;
  return {
    names: [binding.name],
    bindingOf: (path) => (path === '' ? binding : undefined),
    handle: (exchange) => isOurs(exchange) && serve(options, exchange),
    refuse: (refused, error) => isOurs(refused) && refuse(options, refused, error),
  };
}

async function serve(options: JsonRpcServerOptions, exchange: Exchange): Promise<void> {
  const { dialects, invoke, http, recall } = options;
  const { req, pinned } = exchange;
  const hints: Hints = { pinned, version: versionOfRequest(exchange), base: mountOf(req) + exchange.base };
  const begun: Begun = { exchange, id: null, notification: false, isDecoded: false, isCall: false };
  try {
    const type = mediaTypeOf(req);
    const isForeign = type !== undefined && !isJsonType(type);
    const reading = http.bodies.readJson(exchange, true);
    const body = await (isForeign ? reading.catch((thrown: unknown) => refuseForeign(type, thrown)) : reading);
    const request = readRpcRequest(body);
    const requested: DetectInput = {
      ...hints,
      method: request.method ?? '',
      params: request.params,
      id: request.id,
      recall: recall && ((task) => recall(exchange, task)),
    };
    begun.id = request.id ?? null;
    if (isForeign || request.error) {
      begun.dialect = likelyDialect(dialects, request.method === undefined ? hints : requested);
      begun.method = begun.dialect.jsonrpc?.methods.get(requested.method);
      throw request.error ?? notJson(type as string);
    }
    const detecting = detect(dialects, requested);
    const detected = detecting instanceof Promise ? await detecting : detecting;
    begun.dialect = detected.dialect;
    const answering = begun as Answering & Begun;
    const call = prepareCall(options, answering, detected, request, body);
    if (!call) return;
    const method = answering.method as Method;
    const reply = await invoke(call);
    try {
      if (isStream(reply)) await stream(http, answering, method, call, reply);
      else if (answering.notification) sendNothing(answering);
      else {
        const json = encodeResult(http, answering, method, call, reply);
        sendResult(answering, typeof json === 'string' ? json : await json);
      }
    } finally {
      // For a stream, the framing does this at its end.
      if (answering.notification || !isStream(reply)) call.context.notes.onAnswered?.();
    }
  } catch (thrown) {
    fail(options, begun, hints, A2AError.from(thrown));
  }
}

/** Facts about a request that do not need its body. */
type Hints = Pick<DetectInput, 'pinned' | 'version' | 'base'>;

/** A request that is being served. Its dialect is detected, or guessed if the request fails before. */
interface Begun extends Omit<Answering, 'dialect' | 'exchange'>, Partial<Pick<Answering, 'dialect'>> {
  readonly exchange: Exchange;
  /** Whether the request was decoded. Later violations have v1 names and must be renamed. */
  isDecoded: boolean;
  /** Whether the request became a call. Earlier failures are counted as refused requests. */
  isCall: boolean;
}

/** The call of a request; undefined if it was already answered. */
function prepareCall(
  options: JsonRpcServerOptions,
  answering: Answering & Begun,
  detected: Detected,
  request: ReturnType<typeof readRpcRequest>,
  body: unknown,
): Call | undefined {
  const { http } = options;
  const { exchange } = answering;
  if (exchange.agent === '' && !detected.dialect.ofGateway) {
    const error = noAgentNamed();
    http.meters.refused('jsonrpc', error, exchange);
    sendAgentNotFound(answering, error);
    return undefined;
  }
  if (detected.error) throw detected.error;
  if (detected.local) {
    const { dialect, local } = detected;
    answering.notification = request.id === undefined;
    if (answering.notification) sendNothing(answering);
    else sendResult(answering, JSON.stringify(local({ card: () => options.card(exchange, dialect) })));
    return undefined;
  }
  const { dialect, method } = detected;
  answering.method = method;
  const notes = newNotes();
  answering.notes = notes;
  options.checkOperation?.(exchange.principal, method.operation, exchange.requestId);
  const { request: decoded, semantics } = decodeParams(method, request.params, notes);
  noteLostDigits(body, decoded, notes);
  answering.isDecoded = true;
  // An earlier error is answered under id null, as the official servers do.
  answering.notification = request.id === undefined;
  const streaming = method.stream !== undefined;
  const context = contextOf(exchange, { binding: 'jsonrpc', dialect, semantics, streaming, notes });
  const call = { operation: method.operation, request: decoded, context } as Call;
  answering.isCall = true;
  return call;
}

/** Answers a request that has failed, with the facts that are known by then. */
function fail({ dialects, http }: JsonRpcServerOptions, begun: Begun, hints: Hints, error: A2AError): void {
  // The request was refused before it was parsed, but its id and method were found.
  if (error instanceof ExcessiveRequestError) Object.assign(begun, likelyAnswering(dialects, error.envelope, hints));
  const answering = Object.assign(begun, { dialect: begun.dialect ?? likelyDialect(dialects, hints) });
  const { dialect, method, exchange } = answering;
  const known = { operation: method?.operation, dialect: dialect.name };
  if (!begun.isCall) http.meters.refused('jsonrpc', error, { ...exchange, ...known });
  const place = {
    request: exchange.requestId,
    binding: 'jsonrpc',
    dialect: dialect.name,
    operation: method?.operation,
  };
  logFailure(http.logger, error, { ...place, principal: exchange.principal.id });
  sendFailure(answering, method && begun.isDecoded ? inWireNames(error, method) : error);
}

/** Decodes parameters. If they are missing, the violation names `params`, because they have no other name. */
function decodeParams(method: Method, params: unknown, notes: ReplyNotes): DecodedRequest {
  try {
    return method.request.decode(params, notes);
  } catch (thrown) {
    const { violations = [] } = thrown instanceof A2AError ? thrown : {};
    if (params !== undefined || violations[0]?.field !== '') throw thrown;
    throw A2AError.invalidParams('params is required', [{ field: 'params', description: 'is required' }]);
  }
}

function sendResult({ exchange, dialect, id, notes }: Answering, json: string): void {
  const { res, requestId } = exchange;
  send(res, 200, answerHeaders(requestId, dialect, notes), mediaType, rpcResult(id, json));
}

/** Answers a notification. */
function sendNothing({ exchange, dialect, notes }: Answering): void {
  sendEmpty(exchange.res, 204, answerHeaders(exchange.requestId, dialect, notes));
}

/**
 * The notes themselves, except for dialects and methods that need more.
 *
 * @param before the task at the position where a stream begins
 */
function encodingContext(
  { files }: HttpContext,
  { exchange, dialect }: Answering,
  call: Call,
  before?: Task,
): CodecContext {
  const { notes, agent } = call.context;
  const urls = dialect.jsonrpc?.filesByUrl ? files : undefined;
  if (!before && !urls) return notes;
  return {
    losses: notes.losses,
    ...(before && { before }),
    ...(urls && { fileUrl: urls.urlsFor({ req: exchange.req, agent }, ownerOf(call)) }),
  };
}

function encodeResult(http: HttpContext, answering: Answering, method: Method, call: Call, reply: UnaryReply) {
  const { result } = method;
  if (!result) throw new Error(`${method.name} only streams, but its reply does not`);
  return encodeAnswer(result, reply, encodingContext(http, answering, call), call.context);
}

async function stream(
  http: HttpContext,
  answering: Answering,
  method: Method,
  call: Call,
  reply: StreamReply,
): Promise<void> {
  const { exchange, dialect, id, notification, notes } = answering;
  const { res, requestId } = exchange;
  if (notification) {
    await reply.events[Symbol.asyncIterator]().return?.();
    sendNothing(answering);
    return;
  }
  if (!dialect.jsonrpc) throw new Error(`${dialect.name} has no JSON-RPC binding`);
  const cx = encodingContext(http, answering, call, reply.priorTask);
  const framing = {
    ...rpcFraming(dialect.jsonrpc, method, cx, id, reply, call.context),
    meter: http.meters.streamsOf('jsonrpc'),
  };
  await http.streams.serve(res, reply.events, framing, () => answerHeaders(requestId, dialect, notes));
}

/** A separate function, because its closure must not keep more than the stream needs. */
function rpcFraming(
  { stream }: JsonRpcBinding,
  method: Method,
  cx: CodecContext,
  id: RpcId,
  reply: StreamReply,
  context: CallContext,
): Omit<StreamFraming, 'meter'> {
  if (!method.stream) throw new Error(`${method.name} does not stream, but its reply does`);
  return {
    ...framingOf(method.stream, cx, reply, context),
    ...(stream.enveloped && { head: rpcResultHead(id), tail: '}' }),
    ...(stream.withoutIds && { withoutIds: true }),
    error: (error) => stream.error(inWireNames(error, method), id),
  };
}

/** An error in the wording of the dialect, with its headers. */
function inDialect(
  { jsonrpc }: WireProtocol,
  error: A2AError,
  { headers }: Pick<IncomingMessage, 'headers'>,
  method?: Method,
): { error: A2AError; headers: string[] } {
  const hasCredentials = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  const unauthenticated = error.kind === 'unauthenticated' && jsonrpc?.unauthenticated?.(hasCredentials, method?.name);
  if (!unauthenticated) return { error, headers: errorHeaders(error) };
  const { challenge, message = error.message } = unauthenticated;
  const { kind, metadata } = error;
  return { error: new A2AError(kind, message, { metadata }), headers: errorHeaders(error, challenge) };
}

/** Sends an error in the format that clients of the method expect. */
function sendFailure({ exchange, dialect, method, id, notification, notes }: Answering, failure: A2AError): void {
  const { req, res, requestId } = exchange;
  const { error, headers: own } = inDialect(dialect, failure, req, method);
  const headers = [...answerHeaders(requestId, dialect, notes), ...own];
  if (notification) {
    sendEmpty(res, 204, headers);
    return;
  }
  const result = method?.result?.fromError?.(error);
  if (result !== undefined) {
    send(res, 200, headers, mediaType, rpcResult(id, JSON.stringify(result)));
    return;
  }
  const binding = dialect.jsonrpc;
  const streamsOnly = method?.stream !== undefined && !method.result;
  if (binding && streamsOnly && readsStreamsOnly(binding, req)) {
    const first = binding.stream.withoutIds ? {} : { id: 0 };
    const frames = binding.stream.error(error, id).map((frame) => encodeSse({ ...first, ...frame }));
    send(res, 200, [...headers, 'Cache-Control', 'no-cache'], 'text/event-stream', frames.join(''));
    return;
  }
  const { http } = error.row;
  const hasStatus = binding?.errorStatuses.has(http) || (streamsOnly && binding?.stream.refusalStatuses?.has(http));
  send(res, hasStatus ? http : 200, headers, mediaType, errorText(binding, id, error));
}

function errorText(binding: JsonRpcBinding | undefined, id: RpcId, error: A2AError): string {
  const { message, row } = error;
  return rpcError(id, binding?.error.encode(error, { losses: new Set() }) ?? { code: row.jsonrpc, message });
}

/** Whether this client reads errors of a stream only from event streams. */
const readsStreamsOnly = ({ stream }: JsonRpcBinding, { headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  stream.refusedAsStream || stream.refusedAsStreamTo?.test(headers['user-agent'] ?? '') === true;

/** Refuses a body that is not JSON. If its type is not JSON either, the error is about the type. */
function refuseForeign(type: string, thrown: unknown): never {
  throw A2AError.from(thrown).kind === 'parse' ? notJson(type) : thrown;
}

const notJson = (type: string): A2AError =>
  new A2AError('contentTypeNotSupported', `The body must be application/json, not ${type.slice(0, 100)}`);

/**
 * Returns the facts for answering a request that is refused before it is read: its id, and the dialect of its method.
 */
function likelyAnswering(
  dialects: Dialects,
  body: unknown,
  hints: Hints,
): Pick<Answering, 'id' | 'dialect' | 'method'> {
  const { id = null, method, params } = readRpcRequest(body);
  const dialect = likelyDialect(dialects, { ...hints, params, id, ...(method !== undefined && { method }) });
  return { id, dialect, method: dialect.jsonrpc?.methods.get(method ?? '') };
}

/**
 * Answers an exchange that is refused before its dialect is known. Clients match answers by the request's id, so for unknown
 * agents the body is read; for callers without valid credentials only if it is small and has arrived.
 */
async function refuse(
  { dialects, http }: JsonRpcServerOptions,
  exchange: RefusedExchange,
  error: A2AError,
): Promise<void> {
  const { req, pinned } = exchange;
  http.meters.refused('jsonrpc', error, exchange);
  const hints = { pinned, version: versionOfRequest(exchange) };
  const answering: Answering = { exchange, dialect: likelyDialect(dialects, hints), id: null, notification: false };
  const { http: status } = error.row;
  if (status === 404 || status === 401 || status === 403) {
    const { bodies } = http;
    bodies.countFor(exchange);
    // A body that cannot be read has no id.
    const reading = status === 404 ? bodies.readJson(exchange).catch(() => undefined) : bodies.readRefused(req);
    Object.assign(answering, likelyAnswering(dialects, await reading, hints));
  }
  if (error.kind === 'agentNotFound') sendAgentNotFound(answering, error);
  else sendFailure(answering, error);
}

/** Answers for an unknown agent with HTTP 404: the URL does not exist, which is more than an error of JSON-RPC. */
function sendAgentNotFound({ exchange, dialect, id }: Answering, error: A2AError): void {
  const headers = [...answerHeaders(exchange.requestId, dialect), ...errorHeaders(error)];
  send(exchange.res, error.row.http, headers, mediaType, errorText(dialect.jsonrpc, id, error));
}
