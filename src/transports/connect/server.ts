import { Reservation } from '../../core/limits/memory-budget.ts';
import { A2AError } from '../../core/model/errors.ts';
import { longestTimer } from '../../core/model/timing.ts';
import { encode } from '../../wire/protobuf.ts';
import { isAlreadyRead } from '../http/body.ts';
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
import { type ConnectResponse, createResponse } from './response.ts';

export interface ConnectServerOptions extends HttpBindingOptions, Omit<RpcServer, 'http'> {}

/**
 * Connect and gRPC-Web: the services of gRPC for browsers, curl and other clients without HTTP/2. Serves
 * `POST /{service}/{rpc}`: unary calls and server streams, in JSON and protobuf; errors with their details. The agent is the
 * one that the path names before the service, and then the whole `tenant` is its tenant; otherwise `resolveAgent` selects it.
 *
 * Messages are ProtoJSON in memory, so JSON requests are parsed and validated without another conversion.
 */
export function createConnectHandlers(options: ConnectServerOptions): HttpBinding {
  const rpcs = rpcsByPath(options.dialects);
  const services = new Set(rpcs.values().map(([{ api }]) => api.service));
  const rpcOf = (exchange: RefusedExchange): Rpc | undefined => {
    const { path, pinned } = exchange;
    const versions = rpcs.get(path);
    if (!versions || !pinned) return versions && rpcOfVersion(versions, versionOfRequest(exchange));
    return versions.find(({ dialect }) => dialect === pinned);
  };
  const { meters } = options.http;
  const isServicePath = (path: string): boolean => {
    const [, service = '', rpc = ''] = path.split('/', 3);
    return rpc !== '' && services.has(service);
  };
  return {
    handle(exchange) {
      const { req, res, path, requestId } = exchange;
      if (!isServicePath(path)) return false;
      const rpc = rpcOf(exchange);
      const known = connectFormatOf(mediaTypeOf(req));
      // Requests of unknown media types get errors as Connect's own clients expect them.
      const format = known ?? unaryFormat;
      const response = createResponse(exchange, format, rpc?.dialect);
      if (!rpc) {
        meters.refused(bindingOf(format), 'methodNotFound', exchange);
        response.fail(new A2AError('methodNotFound', 'The service has no such rpc'));
        return Promise.resolve();
      }
      const { operation } = rpc;
      if (req.method !== 'POST') {
        meters.refused(bindingOf(format), 'verbNotAllowed', exchange);
        sendEmpty(res, 405, [...answerHeaders(requestId, rpc.dialect), 'Allow', 'POST']);
        return Promise.resolve();
      }
      if (!known || !fits(known, operation)) {
        meters.refused(bindingOf(format), 'contentTypeNotSupported', exchange);
        const headers = [...answerHeaders(requestId, rpc.dialect), 'Accept-Post', acceptable(operation)];
        if (!refuseGrpcOverHttp1(exchange, headers)) sendEmpty(res, 415, headers);
        return Promise.resolve();
      }
      if (operation.clientStreaming && operation.streaming && req.httpVersionMajor < 2) {
        // Clients of HTTP/1.1 read no answer before they have sent all; Connect prescribes the status.
        meters.refused(bindingOf(format), 'methodNotFound', exchange);
        sendEmpty(res, 505, answerHeaders(requestId, rpc.dialect));
        return Promise.resolve();
      }
      return serve(options, exchange, rpc, format, response);
    },
    /** Answers refused calls in the format of their request, also those of services that do not exist. */
    refuse(refused, error) {
      const { req, path } = refused;
      const known = connectFormatOf(mediaTypeOf(req));
      const format = known ?? unaryFormat;
      // Plain JSON may be for HTTP+JSON.
      const isCall = known && (format !== unaryFormat || req.headers['connect-protocol-version'] !== undefined);
      if (req.method !== 'POST' || !(isCall || isServicePath(path))) return false;
      meters.refused(bindingOf(format), error, refused);
      createResponse(refused, format, rpcOf(refused)?.dialect).fail(error);
      return Promise.resolve();
    },
  };
}

const unaryFormat = connectFormatOf('application/json') as ConnectFormat;

const bindingOf = ({ web }: ConnectFormat): 'grpc-web' | 'connect' => (web ? 'grpc-web' : 'connect');

/** Serves one call. Never rejects: errors are sent to the client. */
async function serve(
  server: ConnectServerOptions,
  exchange: Exchange,
  rpc: Rpc,
  format: ConnectFormat,
  response: ConnectResponse,
): Promise<void> {
  const { req, res, principal, requestId } = exchange;
  const { http, limits } = server;
  const { slowReader = 30_000 } = limits;
  const reservation = Reservation.for(res, http.budget, principal);
  const reading = { reservation, limit: limits.body, counts: limits.counts };
  const abort = new AbortController();
  const { signal } = abort;
  const end = (error: A2AError): void => {
    response.fail(error);
    abort.abort(error);
  };

  /** Waits until the client has read what was sent. */
  async function whenRead(): Promise<void> {
    if (await drained(res, slowReader)) return;
    // Without an error message, which the client would not read either.
    http.meters.slowReaders += 1;
    res.destroy();
  }

  async function readOne(): Promise<unknown> {
    const { headers } = req;
    const isUncoded = isAlreadyRead(req);
    const body = await http.bodies.read(req, {
      reservation,
      more: roomAround(format, limits.body),
      asSent: !format.enveloped,
    });
    return readMessage(rpc, format, { headers, body, isUncoded }, reading);
  }

  /** Reads the messages of a client that streams, in the background. */
  async function readRequests(): Promise<Received> {
    const requests = new RequestStream();
    const messages = { ...reading, bodies: http.bodies, isOver: () => response.over };
    readMessages(rpc, format, req, requests, messages).catch((thrown) => {
      const error = A2AError.from(thrown);
      requests.fail(error);
      // Otherwise the reader of the first message gets it.
      if (response.notes) end(error);
    });
    signal.addEventListener('abort', () => requests.fail(A2AError.from(signal.reason)), { once: true });
    res.once('close', () => requests.fail(new A2AError('canceled')));
    const { value: message } = await requests.next();
    return { message, requests };
  }

  const answer: AnswerSink<Uint8Array | string> = {
    called(notes) {
      response.notes = notes;
    },
    encode: (message) => (format.json ? JSON.stringify(message) : encode(rpc.api, rpc.operation.response, message)),
    ...(format.json && {
      encodeReply(reply, notes) {
        if (!rpc.method.result) throw new Error(`${rpc.operation.grpcPath} streams, but its reply does not`);
        return encodeAnswer(rpc.method.result, reply, notes, reservation);
      },
    }),
    isOver: () => response.over,
    begin(flush) {
      response.begin();
      if (flush && !response.over) res.flushHeaders();
    },
    value: response.value,
    send: (message) => (response.message(message) ? undefined : whenRead()),
    end: response.end,
    fail: end,
  };
  res.once('close', () => {
    if (!res.writableFinished) abort.abort(new A2AError('canceled'));
  });
  let timer: NodeJS.Timeout | undefined;
  await serveCall(server, rpc, {
    binding: bindingOf(format),
    head: headOf(exchange),
    principal,
    requestId,
    reservation,
    from: exchange,
    signal: () => signal,
    deadline() {
      const deadline = deadlineOf(format, req.headers);
      if (deadline === undefined) return undefined;
      const expire = (): void => end(new A2AError('deadlineExceeded'));
      timer = setTimeout(expire, Math.min(deadline - Date.now(), longestTimer));
      return deadline;
    },
    read: async () => (rpc.operation.clientStreaming ? readRequests() : { message: await readOne() }),
    answer,
  });
  clearTimeout(timer);
}

/** The part of the request that selects the agent and fills the call's context. */
function headOf(exchange: Exchange): RpcHead {
  const { req, agent, atRoot } = exchange;
  return {
    // The version may also be a query parameter.
    header: (name) => (name === 'a2a-version' ? versionOfRequest(exchange) : exchange.facts.header(name)),
    host: req.headers.host,
    ...(!atRoot && agent !== '' && { agent }),
  };
}
