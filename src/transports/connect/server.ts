import type { IncomingMessage } from 'node:http';
import type { CheckOperation } from '../../core/limits/admission.ts';
import { Reservation } from '../../core/limits/reservation.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import type { BindingKind, Invoke, ReplyNotes, StreamReply } from '../../core/model/call.ts';
import { isStream } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { inWireNames } from '../../dialects/kernel/fields.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { encode } from '../../wire/protobuf.ts';
import { isConsumed } from '../http/consumed-body.ts';
import type { HttpContext } from '../http/context.ts';
import type { Exchange, ExchangeHandler, RefusalHandler } from '../http/exchange.ts';
import { answerHeaders, mediaTypeOf, sendEmpty, versionOfRequest } from '../http/headers.ts';
import { readTimeoutFor } from '../listener/slow-readers.ts';
import { checkHead, createCall, type Rpc, type RpcHead, rpcsOf } from '../rpc/rpc.ts';
import { messageEncoder } from '../rpc/stream.ts';
import { deadlineOf, readMessage } from './request.ts';
import { ConnectResponse } from './response.ts';
import { acceptable, fits, type WireFormat, wireFormatOf } from './wire-format.ts';

export interface ConnectOptions {
  /** Those without a protobuf face are passed over. */
  readonly dialects: readonly WireProtocol[];
  readonly invoke: Invoke;
  /** Asked before parameters are read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly agents: AgentDirectory;
  readonly http: HttpContext;
  readonly limits: {
    /** Bytes of a request message, uncompressed. */
    readonly body: number;
    /** Milliseconds that a stream waits for a client which does not read. Default 30,000. */
    readonly slowReader?: number;
  };
}

export interface ConnectHandlers {
  /** Serves `POST /{service}/{rpc}`. */
  readonly handle: ExchangeHandler;
  /** Answers calls of our services that were turned away, in their own shape. */
  readonly refuse: RefusalHandler;
}

/**
 * Connect and gRPC-Web over HTTP/1.1: the same services as gRPC, for browsers, curl and whoever has no HTTP/2. Unary
 * calls and server streams, in JSON and protobuf; errors with their details. The agent is the one that the path names
 * before the service, with the whole `tenant` as its tenant; else `resolveAgent` says which.
 *
 * Messages are ProtoJSON in memory, so that JSON, in these protocols too, is parsed once, validated, and that is all.
 */
export function createConnectHandlers(options: ConnectOptions): ConnectHandlers {
  const rpcs = new Map(rpcsOf(options.dialects).map((rpc) => [rpc.operation.grpcPath, rpc]));
  const services = new Set(rpcs.values().map(({ api }) => api.service));
  const isOurs = (path: string): boolean => {
    const [, service = '', rpc = ''] = path.split('/', 3);
    return rpc !== '' && services.has(service);
  };
  return {
    handle(exchange) {
      const { req, res, path, requestId, pinned } = exchange;
      if (!isOurs(path)) return false;
      const rpc = rpcs.get(path);
      // A request that cannot be told to be one of ours is answered as Connect's own clients expect it.
      const shape = wireFormatOf(mediaTypeOf(req)) ?? unary;
      const answer = new ConnectResponse(res, shape, requestId, rpc?.dialect);
      const { meters } = options.http;
      if (!rpc || (pinned && pinned !== rpc.dialect)) {
        meters.refused(bindingOf(shape), 'methodNotFound', exchange);
        answer.fail(new A2AError('methodNotFound', 'The service has no such rpc'));
        return Promise.resolve();
      }
      const { streaming } = rpc.operation;
      if (req.method !== 'POST') {
        meters.refused(bindingOf(shape), 'verbNotAllowed', exchange);
        sendEmpty(res, 405, [...answerHeaders(requestId, rpc.dialect), 'Allow', 'POST']);
        return Promise.resolve();
      }
      if (!fits(shape, streaming) || wireFormatOf(mediaTypeOf(req)) === undefined) {
        meters.refused(bindingOf(shape), 'contentTypeNotSupported', exchange);
        sendEmpty(res, 415, [...answerHeaders(requestId, rpc.dialect), 'Accept-Post', acceptable(streaming)]);
        return Promise.resolve();
      }
      return new ConnectCall(options, exchange, rpc, shape, answer).serve();
    },
    refuse(refused, error) {
      if (!isOurs(refused.path) || refused.req.method !== 'POST') return false;
      const shape = wireFormatOf(mediaTypeOf(refused.req)) ?? unary;
      options.http.meters.refused(bindingOf(shape), error.kind, refused);
      new ConnectResponse(refused.res, shape, refused.requestId, rpcs.get(refused.path)?.dialect).fail(error);
      return Promise.resolve();
    },
  };
}

const unary = wireFormatOf('application/json') as WireFormat;

const bindingOf = ({ web }: WireFormat): BindingKind => (web ? 'grpc-web' : 'connect');

/** The longest that a timer can wait. */
const maxTimer = 2 ** 31 - 1;

/** One call over HTTP/1.1. */
class ConnectCall {
  readonly #options: ConnectOptions;
  readonly #exchange: Exchange;
  readonly #rpc: Rpc;
  readonly #shape: WireFormat;
  readonly #answer: ConnectResponse;
  readonly #abort = new AbortController();
  readonly #reservation: Reservation;
  /** Set while the core is busy with the call; the core logs its own failures. */
  #inCore = false;
  /** Whether the request was read: what is found faulty from then on is told in the names of v1. */
  #read = false;

  constructor(options: ConnectOptions, exchange: Exchange, rpc: Rpc, shape: WireFormat, answer: ConnectResponse) {
    this.#options = options;
    this.#exchange = exchange;
    this.#rpc = rpc;
    this.#shape = shape;
    this.#answer = answer;
    this.#reservation = Reservation.for(exchange.res, options.http.budget, exchange.principal);
  }

  /** Never rejects: whatever goes wrong is told to the client. */
  async serve(): Promise<void> {
    const { req, res } = this.#exchange;
    res.once('close', () => {
      if (!res.writableFinished) this.#abort.abort(new A2AError('canceled'));
    });
    let timer: NodeJS.Timeout | undefined;
    try {
      const deadline = deadlineOf(this.#shape, req.headers);
      if (deadline !== undefined) {
        const expire = (): void => this.#end(new A2AError('deadlineExceeded'));
        timer = setTimeout(expire, Math.min(deadline - Date.now(), maxTimer));
      }
      await this.#run(deadline);
    } catch (thrown) {
      const told = A2AError.from(thrown);
      if (!this.#read) this.#options.http.meters.refused(bindingOf(this.#shape), told.kind, this.#exchange);
      const error = this.#read ? inWireNames(told, this.#rpc.method) : told;
      if (!this.#inCore && !this.#answer.over) this.#log(error);
      this.#end(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #run(deadline: number | undefined): Promise<void> {
    const { invoke, agents, http, limits } = this.#options;
    const { req, principal, requestId } = this.#exchange;
    const head = headOf(this.#exchange);
    checkHead(this.#rpc, head);
    this.#options.checkOperation?.(principal, this.#rpc.method.operation, requestId);
    const decoded = isConsumed(req);
    const body = await http.bodies.read(req, this.#reservation);
    const message = await readMessage(
      this.#rpc,
      this.#shape,
      req.headers,
      body,
      limits.body,
      decoded,
      this.#reservation,
    );
    const { signal } = this.#abort;
    const binding = bindingOf(this.#shape);
    const reservation = this.#reservation;
    const caller = { binding, head, principal, requestId, signal, deadline, reservation };
    const call = createCall(this.#rpc, agents, message, caller);
    const { notes } = call.context;
    this.#answer.notes = notes;
    this.#read = true;
    this.#inCore = true;
    const reply = await invoke(call);
    this.#inCore = false;
    try {
      if (isStream(reply)) {
        await this.#stream(reply, notes);
        return;
      }
      const { method, operation } = this.#rpc;
      if (!method.result) throw new Error(`${operation.grpcPath} streams, but its reply does not`);
      const message = this.#encode(method.result.encode(reply, notes) as object);
      this.#reservation.release();
      this.#answer.value(message);
    } finally {
      notes.onAnswered?.();
    }
  }

  async #stream(reply: StreamReply, notes: ReplyNotes): Promise<void> {
    const encodeEvent = messageEncoder(this.#rpc, notes);
    const events = reply.events[Symbol.asyncIterator]();
    const { slowReader = 30_000 } = this.#options.limits;
    const { signal } = this.#abort;
    const release = (): void => void events.return?.()?.then(undefined, () => {});
    signal.addEventListener('abort', release, { once: true });
    const meter = this.#options.http.meters.streams[bindingOf(this.#shape)];
    meter.open += 1;
    meter.begun += 1;
    try {
      if (this.#rpc.method.stream?.atOnce) this.#answer.beginAtOnce();
      // Waited for before the headers, so that what was activated can be told in them.
      for (let step = await events.next(); !step.done && !this.#answer.over; step = await events.next()) {
        const reserving = this.#reservation.reserve(step.value.json.length, Date.now() + slowReader);
        if (reserving) await reserving;
        this.#answer.begin();
        for (const message of encodeEvent(step.value)) await this.#send(this.#encode(message));
        // What is no part of the stream needs no room.
        this.#reservation.release();
        meter.events += 1;
      }
      for (const message of encodeEvent.end()) await this.#send(this.#encode(message));
      this.#answer.end();
    } finally {
      meter.open -= 1;
      signal.removeEventListener('abort', release);
      release();
    }
  }

  #send(message: Uint8Array | string): Promise<void> | undefined {
    this.#answer.begin();
    this.#reservation.release();
    if (this.#answer.message(message)) return undefined;
    const { res } = this.#exchange;
    const { slowReader = 30_000 } = this.#options.limits;
    return new Promise((resolve) => {
      // A client that does not read would not read an error either.
      const cut = (): void => {
        this.#options.http.meters.slowReaders += 1;
        res.destroy();
      };
      const timer = setTimeout(cut, readTimeoutFor(res.writableLength, slowReader));
      const go = (): void => {
        clearTimeout(timer);
        res.off('drain', go);
        res.off('close', go);
        resolve();
      };
      res.on('drain', go);
      res.on('close', go);
    });
  }

  #encode(message: object): Uint8Array | string {
    const { api, operation } = this.#rpc;
    return this.#shape.json ? JSON.stringify(message) : encode(api, operation.response, message);
  }

  #end(error: A2AError): void {
    this.#answer.fail(error);
    this.#abort.abort(error);
  }

  #log(error: A2AError): void {
    const { dialect, operation } = this.#rpc;
    const { requestId, principal } = this.#exchange;
    const place = { request: requestId, binding: bindingOf(this.#shape), dialect: dialect.name };
    const { logger } = this.#options.http;
    logFailure(logger, error, { ...place, operation: operation.name, principal: principal.id });
  }
}

/** What the rules for agents and contexts need of the request. */
function headOf(exchange: Exchange): RpcHead {
  const { req, agent, atRoot } = exchange;
  return {
    // A version may be a query parameter, too.
    header: (name) => (name === 'a2a-version' ? versionOfRequest(exchange) : headerOf(req, name)),
    host: req.headers.host,
    ...(!atRoot && agent !== '' && { agent }),
  };
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}
