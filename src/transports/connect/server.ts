import type { CallContext, ReplyNotes, UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { longestTimer } from '../../core/model/timing.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import { encode } from '../../wire/protobuf.ts';
import { isAlreadyRead } from '../http/body.ts';
import { readingOf } from '../http/call-head.ts';
import type { HttpBinding, HttpBindingOptions } from '../http/context.ts';
import type { Exchange, RefusedExchange } from '../http/exchange.ts';
import {
  answerHeaders,
  encodeAnswer,
  mediaTypeOf,
  refuseGrpcOverHttp1,
  sendEmpty,
  versionOfRequest,
} from '../http/headers.ts';
import { drained } from '../listener/slow-readers.ts';
import { RequestStream } from '../rpc/request-stream.ts';
import { type Rpc, type RpcHead, rpcOfVersion, rpcsByPath } from '../rpc/rpc.ts';
import { type AnswerSink, type Received, type RpcServer, serveCall } from '../rpc/serve-call.ts';
import {
  acceptable,
  type ConnectFormat,
  connectFormatOf,
  deadlineOf,
  fits,
  readMessage,
  readMessages,
  roomAround,
} from './request.ts';
import { ConnectResponse } from './response.ts';

export interface ConnectServerOptions extends HttpBindingOptions, Omit<RpcServer, 'http'> {}

/**
 * Connect and gRPC-Web: the services of gRPC for browsers, curl and other clients without HTTP/2. Serves
 * `POST /{service}/{rpc}`: unary calls and server streams, in JSON and protobuf; errors with their details. The agent is the
 * one that the path names before the service, and then the whole `tenant` is its tenant; otherwise `resolveAgent` selects it.
 *
 * Messages are ProtoJSON in memory, so JSON requests are parsed and validated without another conversion.
 */
export function createConnectHandlers(options: ConnectServerOptions): HttpBinding {
  const { handle, refuse } = new ConnectHandlers(options);
  return { names: ['connect', 'grpc-web'], bindingOf, handle, refuse };
}

class ConnectHandlers {
  readonly #options: ConnectServerOptions;
  readonly #meters: Meters;
  readonly #rpcs: ReturnType<typeof rpcsByPath>;
  readonly #services: ReadonlySet<string>;

  constructor(options: ConnectServerOptions) {
    this.#options = options;
    this.#meters = options.http.meters;
    this.#rpcs = rpcsByPath(options.dialects);
    this.#services = new Set(this.#rpcs.values().map(([{ api }]) => api.service));
  }

  readonly handle = (exchange: Exchange): false | Promise<void> => {
    if (!this.#isServicePath(exchange.path)) return false;
    const rpc = this.#rpcOf(exchange);
    const known = connectFormatOf(mediaTypeOf(exchange.req));
    // Requests of unknown media types get errors as Connect's own clients expect them.
    const format = known ?? unaryFormat;
    const response = new ConnectResponse(exchange, format, rpc?.dialect);
    if (!rpc) {
      this.#meters.refused(bindingOfFormat(format), 'methodNotFound', exchange);
      response.fail(new A2AError('methodNotFound', 'The service has no such rpc'));
      return Promise.resolve();
    }
    if (this.#refuseForm(exchange, rpc, known)) return Promise.resolve();
    return new ConnectCall(this.#options, exchange, rpc, format, response).serve();
  };

  /** Answers refused calls in the format of their request, even for services that do not exist. */
  readonly refuse = (refused: RefusedExchange, error: A2AError): false | Promise<void> => {
    const { req, path } = refused;
    const known = connectFormatOf(mediaTypeOf(req));
    const format = known ?? unaryFormat;
    // Plain JSON may be meant for HTTP+JSON.
    const isCall = known && (format !== unaryFormat || req.headers['connect-protocol-version'] !== undefined);
    if (req.method !== 'POST' || !(isCall || this.#isServicePath(path))) return false;
    this.#meters.refused(bindingOfFormat(format), error, refused);
    new ConnectResponse(refused, format, this.#rpcOf(refused)?.dialect).fail(error);
    return Promise.resolve();
  };

  #isServicePath(path: string): boolean {
    const end = path.indexOf('/', 1);
    return end > 0 && end + 1 < path.length && path[end + 1] !== '/' && this.#services.has(path.slice(1, end));
  }

  #rpcOf(exchange: RefusedExchange): Rpc | undefined {
    const { path, pinned } = exchange;
    const versions = this.#rpcs.get(path);
    if (!versions || !pinned) return versions && rpcOfVersion(versions, versionOfRequest(exchange));
    return versions.find(({ dialect }) => dialect === pinned);
  }

  /** Refuses a request whose method, media type or version of HTTP does not suit its rpc. */
  #refuseForm(exchange: Exchange, { operation, dialect }: Rpc, known: ConnectFormat | undefined): boolean {
    const { req, res, requestId } = exchange;
    const binding = bindingOfFormat(known ?? unaryFormat);
    if (req.method !== 'POST') {
      this.#meters.refused(binding, 'verbNotAllowed', exchange);
      sendEmpty(res, 405, [...answerHeaders(requestId, dialect), 'Allow', 'POST']);
      return true;
    }
    if (!known || !fits(known, operation)) {
      this.#meters.refused(binding, 'contentTypeNotSupported', exchange);
      const headers = [...answerHeaders(requestId, dialect), 'Accept-Post', acceptable(operation)];
      if (!refuseGrpcOverHttp1(exchange, headers)) sendEmpty(res, 415, headers);
      return true;
    }
    if (operation.clientStreaming && operation.streaming && req.httpVersionMajor < 2) {
      // Clients of HTTP/1.1 read no answer before they have sent all; Connect prescribes the status.
      this.#meters.refused(binding, 'methodNotFound', exchange);
      sendEmpty(res, 505, answerHeaders(requestId, dialect));
      return true;
    }
    return false;
  }
}

const unaryFormat = connectFormatOf('application/json') as ConnectFormat;

const isRpcPath = (path: string): boolean => /^\/[A-Za-z]\w*(?:\.\w+)+\/\w+$/.test(path);

const bindingOf: NonNullable<HttpBinding['bindingOf']> = (path, contentType) =>
  isRpcPath(path) ? { name: contentType.startsWith('application/grpc-web') ? 'grpc-web' : 'connect' } : undefined;

const bindingOfFormat = ({ web }: ConnectFormat): 'grpc-web' | 'connect' => (web ? 'grpc-web' : 'connect');

/** One call. */
class ConnectCall implements AnswerSink<Uint8Array | string> {
  readonly #server: ConnectServerOptions;
  readonly #exchange: Exchange;
  readonly #rpc: Rpc;
  readonly #format: ConnectFormat;
  readonly #response: ConnectResponse;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    server: ConnectServerOptions,
    exchange: Exchange,
    rpc: Rpc,
    format: ConnectFormat,
    response: ConnectResponse,
  ) {
    this.#server = server;
    this.#exchange = exchange;
    this.#rpc = rpc;
    this.#format = format;
    this.#response = response;
  }

  /** Never rejects: errors are sent to the client. */
  async serve(): Promise<void> {
    const { res, principal, requestId } = this.#exchange;
    const { clientStreaming } = this.#rpc.operation;
    res.once('close', () => {
      if (!res.writableFinished) this.#abort.abort(new A2AError('canceled'));
    });
    await serveCall(this.#server, this.#rpc, {
      binding: bindingOfFormat(this.#format),
      head: headOf(this.#exchange),
      principal,
      requestId,
      from: this.#exchange,
      signal: () => this.#abort.signal,
      deadline: () => this.#startDeadline(),
      read: async () => (clientStreaming ? this.#readRequests() : { message: await this.#readOne() }),
      answer: this,
    });
    clearTimeout(this.#timer);
  }

  called(notes: ReplyNotes): void {
    this.#response.notes = notes;
  }

  readonly encode = (message: object): Uint8Array | string => {
    const { api, operation } = this.#rpc;
    return this.#format.json ? JSON.stringify(message) : encode(api, operation.response, message);
  };

  encodeReply(reply: UnaryReply, context: CallContext): string | Promise<string> | undefined {
    if (!this.#format.json) return undefined;
    const { method, operation } = this.#rpc;
    if (!method.result) throw new Error(`${operation.grpcPath} streams, but its reply does not`);
    return encodeAnswer(method.result, reply, context.notes, context);
  }

  isOver(): boolean {
    return this.#response.over;
  }

  begin(flush: boolean): void {
    this.#response.begin();
    if (flush && !this.#response.over) this.#exchange.res.flushHeaders();
  }

  value(message: Uint8Array | string): void {
    this.#response.value(message);
  }

  send(message: Uint8Array | string): Promise<void> | undefined {
    return this.#response.message(message) ? undefined : this.#whenRead();
  }

  end(): void {
    this.#response.end();
  }

  fail(error: A2AError): void {
    this.#response.fail(error);
    this.#abort.abort(error);
  }

  #startDeadline(): number | undefined {
    const deadline = deadlineOf(this.#format, this.#exchange.req.headers);
    if (deadline === undefined) return undefined;
    const expire = (): void => this.fail(new A2AError('deadlineExceeded'));
    this.#timer = setTimeout(expire, Math.min(deadline - Date.now(), longestTimer));
    return deadline;
  }

  /** Waits until the client has read what was sent. */
  async #whenRead(): Promise<void> {
    const { http, limits } = this.#server;
    const { res } = this.#exchange;
    if (await drained(res, limits.slowReader ?? 30_000)) return;
    // Ended without an error message, which the client would not read either.
    http.meters.slowReaders += 1;
    res.destroy();
  }

  get #reading() {
    return readingOf(this.#exchange.facts, this.#server.limits);
  }

  async #readOne(): Promise<unknown> {
    const { http, limits } = this.#server;
    const { req } = this.#exchange;
    const { headers } = req;
    const isUncoded = isAlreadyRead(req);
    const body = await http.bodies.read(this.#exchange, {
      more: roomAround(this.#format, limits.body),
      asSent: !this.#format.enveloped,
    });
    return readMessage(this.#rpc, this.#format, { headers, body, isUncoded }, this.#reading);
  }

  /** Reads the messages of a client that streams, in the background. */
  async #readRequests(): Promise<Received> {
    const { req, res } = this.#exchange;
    const { signal } = this.#abort;
    const requests = new RequestStream();
    const messages = { ...this.#reading, bodies: this.#server.http.bodies, isOver: () => this.#response.over };
    readMessages(this.#rpc, this.#format, req, requests, messages).catch((thrown) => {
      const error = A2AError.from(thrown);
      requests.fail(error);
      // Otherwise the reader of the first message gets it.
      if (this.#response.notes) this.fail(error);
    });
    signal.addEventListener('abort', () => requests.fail(A2AError.from(signal.reason)), { once: true });
    res.once('close', () => requests.fail(new A2AError('canceled')));
    const { value: message } = await requests.next();
    return { message, requests };
  }
}

/** The part of the request that selects the agent and fills the call's context. */
function headOf(exchange: Exchange): RpcHead {
  const { req, agent, atRoot } = exchange;
  return {
    // The version may also be a query parameter.
    header: (name) => (name === 'a2a-version' ? versionOfRequest(exchange) : exchange.facts.header(name)),
    reservation: exchange.facts.reservation,
    host: req.headers.host,
    ...(!atRoot && agent !== '' && { agent }),
  };
}
