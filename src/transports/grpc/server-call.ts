import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutgoingHttpHeaders } from 'node:http2';
import type { Authenticate, CallerFacts, CheckOperation } from '../../core/limits/admission.ts';
import type { CountLimits } from '../../core/limits/counts.ts';
import { loopTurns } from '../../core/limits/loop-turns.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import type { Call, CallContext, Invoke, LoggedEvent, Reply, ReplyNotes, StreamReply } from '../../core/model/call.ts';
import { isStream } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { ClientCertificate, Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { ActiveObserver, AdmittedRpc } from '../../core/ports/exchange-observer.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Meters, StreamMeter } from '../../core/telemetry/meters.ts';
import { inWireNames } from '../../dialects/kernel/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { encode } from '../../wire/protobuf.ts';
import { decodeRequest } from '../../wire/protobuf-document.ts';
import { readingOf, requestIdOf } from '../http/call-head.ts';
import { metadataOf } from '../rpc/errors.ts';
import { RequestStream } from '../rpc/request-stream.ts';
import { checkHead, createCall, type Rpc, type RpcHead } from '../rpc/rpc.ts';
import { encodeReply, failureOf, headOf, trailersOf } from '../rpc/serve-call.ts';
import { endIteration, type MessageSink, type StreamWriting, writeEvents } from '../rpc/stream.ts';
import { GrpcStream, type IncomingCall } from './grpc-stream.ts';

/** Dependencies that all calls of a server share. */
export interface CallDependencies {
  /** Dialects; those without a gRPC binding are left out. */
  readonly dialects: readonly WireProtocol[];
  readonly invoke: Invoke;
  /** Called before the message is decoded. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly authenticate: Authenticate;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  readonly meters: Meters;
  /** Counter of the streams of this binding. */
  readonly meter: StreamMeter;
  /** Observes the calls whose callers are known. Default: no observer. */
  readonly observer?: ActiveObserver | undefined;
  readonly limits: {
    /** Bytes of a request message. */
    readonly body: number;
    /** Parts, keys and values of a request message. Default: `requestCounts`. */
    readonly counts?: CountLimits;
  };
  /** Milliseconds that a stream waits for a slow client. */
  readonly slowReader: number;
  readonly arrived: ArrivedCalls;
}

/**
 * Serves the calls that arrived in one turn of the event loop together, at its end. Their answers then leave together, too:
 * reading all connections, then serving, then writing costs a quarter less CPU than all three for each call, since
 * every step finds its code in the processor's caches, and a client on the same machine is woken once.
 */
export class ArrivedCalls {
  #calls: ServerCall[] = [];

  add(call: ServerCall): void {
    if (this.#calls.push(call) === 1) setImmediate(this.#serve);
  }

  // Bound, so that calls are not served in the context of the first one.
  readonly #serve = AsyncLocalStorage.bind((): void => {
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) call.serve();
  });
}

/** A call of an A2A rpc. The caller is authenticated by the headers before the message is read. */
export class ServerCall extends GrpcStream implements CallerFacts, RpcHead {
  readonly hasBody = true;
  readonly binding = 'grpc';
  readonly requestId: string;
  readonly #rpc: Rpc;
  readonly #server: CallDependencies;
  #abort: AbortController | undefined;
  #principal: Principal | undefined;
  #message: Buffer | undefined;
  /** The messages after the first one of a client that streams. Undefined until the first one has arrived. */
  #requests: RequestStream | undefined;
  #notes: ReplyNotes | undefined;
  #events: AsyncIterator<LoggedEvent> | undefined;
  /** Set while the core handles the call. The core logs its own failures. */
  #inCore = false;
  /** Whether the request was valid. A failure before that is counted as a refused request. */
  #called = false;

  constructor(incoming: IncomingCall, rpc: Rpc, server: CallDependencies) {
    super(incoming, server.limits.body);
    this.#rpc = rpc;
    this.#server = server;
    this.requestId = requestIdOf(this);
  }

  get path(): string {
    return this.#rpc.operation.grpcPath;
  }

  get encrypted(): boolean {
    return this.connection.encrypted;
  }

  get certificate(): ClientCertificate | undefined {
    return this.connection.certificate;
  }

  start(): void {
    try {
      const principal = this.#server.authenticate(this);
      if (principal instanceof Promise) {
        principal.then((found) => this.#admit(found)).catch((thrown) => this.#refuse(thrown));
      } else {
        this.#admit(principal);
      }
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #admit(principal: Principal): void {
    if (this.over) return;
    this.#principal = principal;
    this.countFor(principal);
    checkHead(this.#rpc, this, this.#server.dialects);
    this.startDeadline();
    this.#server.observer?.active?.grpc(this.#admitted(principal));
    this.read();
  }

  #admitted(principal: Principal): AdmittedRpc {
    const { path, requestId, target: stream } = this;
    const headers = () => Object.fromEntries(this.headerNames().map((name) => [name, this.header(name)]));
    return { principal, requestId, path, headers, stream };
  }

  /**
   * A client that streams has to end each message that it begins. Between messages it may wait as long as it reads answers. If
   * the only answer comes at the end, the wait for the next message is limited.
   */
  override isLate(due: number): boolean {
    const requests = this.#requests;
    if (!requests) return super.isLate(due);
    const since = this.partialSince ?? (this.#rpc.operation.streaming ? undefined : requests.waitingSince);
    return since !== undefined && since <= due;
  }

  protected received(message: Buffer): Promise<void> | undefined {
    const { api, operation } = this.#rpc;
    const { limits } = this.#server;
    if (this.#requests) {
      return this.#requests.push(() => decodeRequest(api, operation.request, message, readingOf(this, limits)));
    }
    if (this.#message) this.fail(new A2AError('unimplemented', 'The call has more than one request message'));
    else this.#message = message;
    if (operation.clientStreaming && !this.over) this.#further();
    return undefined;
  }

  protected halfClosed(): void {
    if (this.#rpc.operation.clientStreaming) this.#further().end();
    else if (this.#message) this.#server.arrived.add(this);
    else this.fail(new A2AError('unimplemented', 'The call has no request message'));
  }

  /**
   * The messages of a client that streams, after the first one. The call is served when the first message has arrived, or the
   * client has ended without one.
   */
  #further(): RequestStream {
    if (!this.#requests) this.#server.arrived.add(this);
    this.#requests ??= new RequestStream();
    return this.#requests;
  }

  /** Decodes the message and makes the call, unless the client has gone away. */
  serve(): void {
    const message = this.#message;
    this.#message = undefined;
    // Large messages that arrived together are decoded one by one, and others are served in between.
    const turn = message && loopTurns.takeFor(message.length);
    if (turn) void turn.then(() => this.#serve(message));
    else this.#serve(message);
  }

  #serve(message: Buffer | undefined): void {
    if (this.over) return;
    try {
      const call = this.#callOf(message);
      const { context } = call;
      const { reservation } = this;
      if (reservation) {
        reservation.sent = message;
        reservation.head = this;
      }
      this.#notes = context.notes;
      this.#inCore = true;
      this.#called = true;
      // Not awaited: a stream may be open for hours, and this frame would keep the call in memory.
      this.#server.invoke(call).then(
        (reply) => this.#reply(reply, context),
        (thrown) => this.#refuse(this.#renamed(thrown)),
      );
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #callOf(message: Buffer | undefined): Call {
    const { api, operation, method } = this.#rpc;
    const { requestId, deadline } = this;
    const principal = this.#principal as Principal;
    this.#server.checkOperation?.(principal, method.operation, requestId);
    const facts = { binding: 'grpc', head: this, principal, requestId, deadline } as const;
    const caller = { ...facts, signal: () => this.#signal(), requests: this.#requests };
    const decoded = message && decodeRequest(api, operation.request, message, readingOf(this, this.#server.limits));
    return createCall(this.#rpc, this.#server.agents, decoded, caller);
  }

  /** The signal of the call. Created on demand, because most calls need none. */
  #signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.over) this.#abort.abort(new A2AError('canceled'));
    }
    return this.#abort.signal;
  }

  #reply(reply: Reply, context: CallContext): void {
    this.#inCore = false;
    const notes = this.#notes;
    try {
      if (isStream(reply)) {
        const { slowReader, meter } = this.#server;
        this.#stream(reply, { notes: context.notes, reservation: context.reservation, slowReader, meter }).then(
          () => notes?.onAnswered?.(),
          (thrown) => this.#failed(thrown, notes),
        );
        return;
      }
      if (this.over) return;
      const { api, operation } = this.#rpc;
      const encoded = encodeReply(this.#rpc, reply, context, (message) => encode(api, operation.response, message));
      if (encoded instanceof Promise) {
        encoded.then(
          (message) => this.#answer(message, notes),
          (thrown) => this.#failed(thrown, notes),
        );
      } else this.#answer(encoded, notes);
    } catch (thrown) {
      this.#failed(thrown, notes);
    }
  }

  #answer(message: Uint8Array, notes: ReplyNotes | undefined): void {
    this.answer(message, this.#head(), this.#trailers());
    this.#forget();
    notes?.onAnswered?.();
  }

  #failed(thrown: unknown, notes: ReplyNotes | undefined): void {
    notes?.onAnswered?.(A2AError.from(thrown));
    this.#refuse(this.#renamed(thrown));
  }

  async #stream(reply: StreamReply, writing: StreamWriting): Promise<void> {
    const { slowReader } = writing;
    const { api, operation } = this.#rpc;
    const events = reply.events[Symbol.asyncIterator]();
    if (this.over) {
      endIteration(events);
      return;
    }
    this.#events = events;
    const sink: MessageSink<Uint8Array> = {
      encode: (message) => encode(api, operation.response, message),
      isOver: () => this.over,
      begin: () => this.begin(this.#head()),
      send: (message) => (this.send(message) ? undefined : this.drained(slowReader)),
      end: () => {
        this.end(this.#trailers());
        this.#forget();
      },
    };
    await writeEvents(this.#rpc, events, sink, writing);
    this.#events = undefined;
  }

  #head(): string[] {
    // Callers that use the name of the header in 0.3 also get that one.
    return headOf(this.#rpc, this.requestId, this.#notes, this.header('x-a2a-extensions') !== undefined);
  }

  #trailers(): OutgoingHttpHeaders | undefined {
    const trailers = trailersOf(this.#notes);
    return trailers.length === 0 ? undefined : metadataOf(trailers);
  }

  protected override errorHeaders(error: A2AError, isWhole: boolean): OutgoingHttpHeaders {
    return failureOf(this.#rpc, error, { requestId: this.requestId, notes: this.#notes, isWhole });
  }

  /** Renames the fields of violations to their names in the caller's dialect. */
  #renamed(thrown: unknown): A2AError {
    return inWireNames(A2AError.from(thrown), this.#rpc.method);
  }

  /** Ends the call with an error, and logs it if it is an internal one. */
  #refuse(thrown: unknown): void {
    if (this.over) return;
    const error = A2AError.from(thrown);
    if (!this.#inCore) {
      const { operation, dialect } = this.#rpc;
      const place = { request: this.requestId, binding: 'grpc', dialect: dialect.name, operation: operation.name };
      logFailure(this.#server.logger, error, { ...place, principal: this.#principal?.id });
    }
    this.fail(error);
  }

  protected override aborted(reason: A2AError): void {
    const { requestId } = this;
    if (!this.#called) {
      const { operation, dialect } = this.#rpc;
      const known = { operation: operation.name, dialect: dialect.name, address: this.remoteAddress, res: this.target };
      this.#server.meters.refused('grpc', reason, { requestId, principal: this.#principal, ...known });
    }
    this.#abort?.abort(reason);
    this.#requests?.fail(reason);
    endIteration(this.#events);
    this.#events = undefined;
    this.#forget();
  }

  /** Node keeps ended HTTP/2 streams in memory for a while, so that the data of the call is released at once. */
  #forget(): void {
    this.#requests?.fail(new A2AError('canceled'));
    this.#requests = undefined;
    this.#abort = undefined;
    this.#message = undefined;
    this.#notes = undefined;
    if (this.reservation) {
      this.reservation.sent = undefined;
      this.reservation.head = undefined;
    }
    this.reservation = undefined;
    this.#principal = undefined;
  }
}
