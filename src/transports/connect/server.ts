import { Reservation } from '../../core/limits/memory-budget.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import { isStream, type ReplyNotes, type StreamReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { longestTimer } from '../../core/model/timing.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { inWireNames } from '../../dialects/kernel/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { encode } from '../../wire/protobuf.ts';
import { isAlreadyRead } from '../http/body.ts';
import type { HttpBinding, HttpBindingOptions } from '../http/context.ts';
import type { Exchange } from '../http/exchange.ts';
import { answerHeaders, mediaTypeOf, sendEmpty, versionOfRequest } from '../http/headers.ts';
import { RequestFacts } from '../http/request-facts.ts';
import { drained } from '../listener/slow-readers.ts';
import { checkHead, createCall, type Rpc, type RpcHead, rpcsOf } from '../rpc/rpc.ts';
import { endIteration, type MessageSink, writeEvents } from '../rpc/stream.ts';
import { acceptable, deadlineOf, fits, readMessage, type WireFormat, wireFormatOf } from './request.ts';
import { type ConnectResponse, createResponse } from './response.ts';

export interface ConnectOptions extends HttpBindingOptions {
  /** Those without a gRPC binding are left out. */
  readonly dialects: readonly WireProtocol[];
  readonly agents: AgentDirectory;
  readonly limits: {
    /** Bytes of a request message, uncompressed. */
    readonly body: number;
    /** Milliseconds that a stream waits for a slow client. Default 30,000. */
    readonly slowReader?: number;
  };
}

/**
 * Connect and gRPC-Web: the services of gRPC for browsers, curl and other clients without HTTP/2. Serves
 * `POST /{service}/{rpc}`: unary calls and server streams, in JSON and protobuf; errors with their details. The agent is the
 * one that the path names before the service, and then the whole `tenant` is its tenant; otherwise `resolveAgent` selects it.
 *
 * Messages are ProtoJSON in memory, so JSON requests are parsed and validated without another conversion.
 */
export function createConnectHandlers(options: ConnectOptions): HttpBinding {
  const rpcs = new Map(rpcsOf(options.dialects).map((rpc) => [rpc.operation.grpcPath, rpc]));
  const services = new Set(rpcs.values().map(({ api }) => api.service));
  const { meters } = options.http;
  const isServicePath = (path: string): boolean => {
    const [, service = '', rpc = ''] = path.split('/', 3);
    return rpc !== '' && services.has(service);
  };
  return {
    handle(exchange) {
      const { req, res, path, requestId, pinned } = exchange;
      if (!isServicePath(path)) return false;
      const rpc = rpcs.get(path);
      const known = wireFormatOf(mediaTypeOf(req));
      // Requests of unknown media types get errors as Connect's own clients expect them.
      const format = known ?? unaryFormat;
      const response = createResponse(exchange, format, rpc?.dialect);
      if (!rpc || (pinned && pinned !== rpc.dialect)) {
        meters.refused(bindingOf(format), 'methodNotFound', exchange);
        response.fail(new A2AError('methodNotFound', 'The service has no such rpc'));
        return Promise.resolve();
      }
      const { streaming } = rpc.operation;
      if (req.method !== 'POST') {
        meters.refused(bindingOf(format), 'verbNotAllowed', exchange);
        sendEmpty(res, 405, [...answerHeaders(requestId, rpc.dialect), 'Allow', 'POST']);
        return Promise.resolve();
      }
      if (!known || !fits(known, streaming)) {
        meters.refused(bindingOf(format), 'contentTypeNotSupported', exchange);
        sendEmpty(res, 415, [...answerHeaders(requestId, rpc.dialect), 'Accept-Post', acceptable(streaming)]);
        return Promise.resolve();
      }
      return new ConnectCall(options, exchange, rpc, format, response).serve();
    },
    /** Answers refused calls of these services in the format of their request. */
    refuse(refused, error) {
      const { req, path } = refused;
      if (!isServicePath(path) || req.method !== 'POST') return false;
      const format = wireFormatOf(mediaTypeOf(req)) ?? unaryFormat;
      meters.refused(bindingOf(format), error.kind, refused);
      createResponse(refused, format, rpcs.get(path)?.dialect).fail(error);
      return Promise.resolve();
    },
  };
}

const unaryFormat = wireFormatOf('application/json') as WireFormat;

const bindingOf = ({ web }: WireFormat): 'grpc-web' | 'connect' => (web ? 'grpc-web' : 'connect');

/** One call. */
class ConnectCall {
  readonly #options: ConnectOptions;
  readonly #exchange: Exchange;
  readonly #rpc: Rpc;
  readonly #format: WireFormat;
  readonly #response: ConnectResponse;
  readonly #abort = new AbortController();
  readonly #reservation: Reservation;
  /** Set while the core handles the call. The core logs its own failures. */
  #inCore = false;
  /** Whether the request was decoded. Later violations have v1 names and must be renamed. */
  #isDecoded = false;

  constructor(options: ConnectOptions, exchange: Exchange, rpc: Rpc, format: WireFormat, response: ConnectResponse) {
    this.#options = options;
    this.#exchange = exchange;
    this.#rpc = rpc;
    this.#format = format;
    this.#response = response;
    this.#reservation = Reservation.for(exchange.res, options.http.budget, exchange.principal);
  }

  /** Never rejects: errors are sent to the client. */
  async serve(): Promise<void> {
    const { req, res } = this.#exchange;
    res.once('close', () => {
      if (!res.writableFinished) this.#abort.abort(new A2AError('canceled'));
    });
    let timer: NodeJS.Timeout | undefined;
    try {
      const deadline = deadlineOf(this.#format, req.headers);
      if (deadline !== undefined) {
        const expire = (): void => this.#end(new A2AError('deadlineExceeded'));
        timer = setTimeout(expire, Math.min(deadline - Date.now(), longestTimer));
      }
      await this.#run(deadline);
    } catch (thrown) {
      const { meters, logger } = this.#options.http;
      const { method, dialect, operation } = this.#rpc;
      const { requestId: request, principal } = this.#exchange;
      const binding = bindingOf(this.#format);
      let error = A2AError.from(thrown);
      if (this.#isDecoded) error = inWireNames(error, method);
      else meters.refused(binding, error.kind, this.#exchange);
      if (!this.#inCore && !this.#response.over) {
        const place = { request, binding, dialect: dialect.name, operation: operation.name };
        logFailure(logger, error, { ...place, principal: principal.id });
      }
      this.#end(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #run(deadline: number | undefined): Promise<void> {
    const { invoke, agents, http, limits, checkOperation } = this.#options;
    const { req, principal, requestId } = this.#exchange;
    const rpc = this.#rpc;
    const reservation = this.#reservation;
    const head = headOf(this.#exchange);
    checkHead(rpc, head);
    checkOperation?.(principal, rpc.method.operation, requestId);
    const isDecoded = isAlreadyRead(req);
    const body = await http.bodies.read(req, reservation);
    const { headers } = req;
    const message = await readMessage(rpc, this.#format, { headers, body, isDecoded }, limits.body, reservation);
    const signal = (): AbortSignal => this.#abort.signal;
    const caller = { binding: bindingOf(this.#format), head, principal, requestId, signal, deadline, reservation };
    const call = createCall(rpc, agents, message, caller);
    const { notes } = call.context;
    this.#response.notes = notes;
    this.#isDecoded = true;
    this.#inCore = true;
    const reply = await invoke(call);
    this.#inCore = false;
    try {
      if (isStream(reply)) {
        await this.#stream(reply, notes);
        return;
      }
      const { method, operation } = rpc;
      if (!method.result) throw new Error(`${operation.grpcPath} streams, but its reply does not`);
      const answer = this.#encode(method.result.encode(reply, notes) as object);
      reservation.release();
      this.#response.value(answer);
    } finally {
      notes.onAnswered?.();
    }
  }

  async #stream(reply: StreamReply, cx: ReplyNotes): Promise<void> {
    const events = reply.events[Symbol.asyncIterator]();
    const { http, limits } = this.#options;
    const { slowReader = 30_000 } = limits;
    const { signal } = this.#abort;
    const response = this.#response;
    const { res } = this.#exchange;
    const sink: MessageSink<Uint8Array | string> = {
      encode: (message) => this.#encode(message),
      isOver: () => response.over,
      begin(flush) {
        response.begin();
        if (flush && !response.over) res.flushHeaders();
      },
      send: (message) => (response.message(message) ? undefined : this.#drained(slowReader)),
      end: () => response.end(),
    };
    const meter = http.meters.streams[bindingOf(this.#format)];
    const endEvents = (): void => endIteration(events);
    signal.addEventListener('abort', endEvents, { once: true });
    try {
      await writeEvents(this.#rpc, events, sink, { cx, reservation: this.#reservation, slowReader, meter });
    } finally {
      signal.removeEventListener('abort', endEvents);
    }
  }

  /** Waits until the client has read what was sent. */
  async #drained(slowReader: number): Promise<void> {
    const { res } = this.#exchange;
    if (await drained(res, slowReader)) return;
    // Without an error message, which the client would not read either.
    this.#options.http.meters.slowReaders += 1;
    res.destroy();
  }

  #encode(message: object): Uint8Array | string {
    const { api, operation } = this.#rpc;
    return this.#format.json ? JSON.stringify(message) : encode(api, operation.response, message);
  }

  #end(error: A2AError): void {
    this.#response.fail(error);
    this.#abort.abort(error);
  }
}

/** The part of the request that selects the agent and fills the call's context. */
function headOf(exchange: Exchange): RpcHead {
  const { req, agent, atRoot } = exchange;
  const headers = new RequestFacts(req);
  return {
    // The version may also be a query parameter.
    header: (name) => (name === 'a2a-version' ? versionOfRequest(exchange) : headers.header(name)),
    host: req.headers.host,
    ...(!atRoot && agent !== '' && { agent }),
  };
}
