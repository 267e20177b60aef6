import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Authenticate, CallerFacts, CheckOperation } from '../../core/limits/admission.ts';
import type { Reservation } from '../../core/limits/reservation.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import type { Call, Invoke, LoggedEvent, Reply, ReplyNotes, StreamReply, UnaryReply } from '../../core/model/call.ts';
import { isStream } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { withSignal } from '../../core/model/lazy-signal.ts';
import type { ClientCertificate, Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import { inWireNames } from '../../dialects/kernel/fields.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import { headerLimits, listHeader, requestIdOf } from '../http/call-head.ts';
import type { Http2Connection } from '../listener/http2-compat.ts';
import type { StatusOfError } from '../rpc/errors.ts';
import { checkHead, createCall, headerText, type Rpc, type RpcCallOptions, type RpcHead } from '../rpc/rpc.ts';
import { eventEncoder } from '../rpc/stream.ts';
import { GrpcStream } from './grpc-stream.ts';

/** What all calls of a server share. */
export interface CallDependencies {
  readonly invoke: Invoke;
  readonly checkOperation: CheckOperation | undefined;
  readonly authenticate: Authenticate;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  readonly meters: Meters;
  readonly limits: {
    /** Bytes of a request message. */
    readonly body: number;
  };
  /** Milliseconds that a stream waits for a client which does not read. */
  readonly slowReader: number;
  /** Told of every call whose stream is closed. */
  readonly left: (call: GrpcStream) => void;
}

const ignore = (): void => {};

/** One call of one of our rpcs: the caller is judged from the headers, before any of its message is read. */
export class ServerCall extends GrpcStream implements CallerFacts, RpcHead {
  readonly hasBody = true;
  readonly requestId: string;
  readonly #rpc: Rpc;
  readonly #serving: CallDependencies;
  #abort: AbortController | undefined;
  #principal: Principal | undefined;
  #message: Buffer | undefined;
  #notes: ReplyNotes | undefined;
  #reservation: Reservation | undefined;
  #events: AsyncIterator<LoggedEvent> | undefined;
  /** Set while the core is busy with the call; the core logs its own failures. */
  #inCore = false;
  /** Whether it has become a call: what fails before is a request that was refused. */
  #called = false;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Http2Connection,
    rpc: Rpc,
    serving: CallDependencies,
  ) {
    super(stream, headers, connection, serving.limits.body);
    this.#rpc = rpc;
    this.#serving = serving;
    this.requestId = requestIdOf(this);
  }

  get encrypted(): boolean {
    return this.connection.encrypted;
  }

  get certificate(): ClientCertificate | undefined {
    return this.connection.certificate;
  }

  start(): void {
    try {
      const principal = this.#serving.authenticate(this);
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
    this.#reservation = this.reservationFor(principal);
    checkHead(this.#rpc, this);
    this.startDeadline();
    this.read();
  }

  protected override admit(size: number): void {
    this.#reservation?.reserveRequest(size);
  }

  protected received(message: Buffer): void {
    if (this.#message) this.fail(new A2AError('invalidRequest', 'The call has more than one request message'));
    else this.#message = message;
  }

  protected halfClosed(): void {
    if (this.#message) this.#serve(this.#message);
    else this.fail(new A2AError('invalidRequest', 'The call has no request message'));
  }

  #serve(message: Buffer): void {
    this.#message = undefined;
    try {
      const call = this.#callOf(message);
      this.#notes = call.context.notes;
      this.#inCore = true;
      this.#called = true;
      // A stream may wait for hours, and then holds on to nothing of its beginning.
      this.#serving.invoke(call).then(
        (reply) => this.#reply(reply),
        (thrown) => this.#refuse(this.#named(thrown)),
      );
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #callOf(message: Buffer): Call {
    const { api, operation, method } = this.#rpc;
    const principal = this.#principal as Principal;
    this.#serving.checkOperation?.(principal, method.operation, this.requestId);
    const facts = {
      binding: 'grpc' as const,
      head: this,
      principal,
      reservation: this.#reservation as Reservation,
      requestId: this.requestId,
      deadline: this.deadline,
    };
    const caller = withSignal<RpcCallOptions>(facts, () => this.#signal());
    return createCall(this.#rpc, this.#serving.agents, decode(api, operation.request, message), caller);
  }

  /** Made when somebody listens for the call's end; most calls end without. */
  #signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.over) this.#abort.abort(new A2AError('canceled'));
    }
    return this.#abort.signal;
  }

  #reply(reply: Reply): void {
    this.#inCore = false;
    const notes = this.#notes;
    try {
      if (isStream(reply)) {
        this.#stream(reply)
          .catch((thrown) => this.#refuse(this.#named(thrown)))
          .finally(() => notes?.onAnswered?.());
        return;
      }
      this.#answer(reply);
    } catch (thrown) {
      this.#refuse(thrown);
    }
    notes?.onAnswered?.();
  }

  #answer(reply: UnaryReply): void {
    if (this.over) return;
    const { api, operation, method } = this.#rpc;
    if (!method.result) throw new Error(`${operation.grpcPath} streams, but its reply does not`);
    const bytes = encode(api, operation.response, method.result.encode(reply, this.#notes as ReplyNotes) as object);
    this.#reservation?.release();
    this.answer(bytes, this.#head(), this.#trailers());
    this.#forget();
  }

  async #stream(reply: StreamReply): Promise<void> {
    const { slowReader, meters } = this.#serving;
    const encodeEvent = eventEncoder(this.#rpc, this.#notes as ReplyNotes);
    const events = reply.events[Symbol.asyncIterator]();
    this.#events = events;
    const meter = meters.streams.grpc;
    meter.open += 1;
    meter.begun += 1;
    try {
      if (this.over) return;
      if (this.#rpc.method.stream?.atOnce) this.begin(this.#head());
      // What refuses the stream does so before its first event, and is then an error like any other.
      let step = await events.next();
      if (this.over) return;
      const reservation = this.#reservation;
      let reserving = step.done ? undefined : reservation?.reserve(step.value.json.length, Date.now() + slowReader);
      if (reserving) await reserving;
      if (this.over) return;
      if (!this.#rpc.method.stream?.atOnce) this.begin(this.#head());
      while (!step.done) {
        for (const bytes of encodeEvent(step.value)) {
          reservation?.release();
          if (!this.send(bytes)) await this.drained(slowReader);
        }
        reservation?.release();
        reservation?.drained();
        meter.events += 1;
        if (this.over) return;
        step = await events.next();
        if (this.over) return;
        reserving = step.done ? undefined : reservation?.reserve(step.value.json.length, Date.now() + slowReader);
        if (reserving) await reserving;
        if (this.over) return;
      }
      this.#events = undefined;
      for (const bytes of encodeEvent.end()) this.send(bytes);
      this.end(this.#trailers());
      this.#forget();
    } finally {
      meter.open -= 1;
      this.#release();
    }
  }

  #head(): OutgoingHttpHeaders {
    const headers = this.#answerHeaders();
    const extensions = this.#notes?.extensions;
    if (extensions && extensions.size > 0) {
      const uris = headerText([...extensions].join(', '));
      for (const name of this.#rpc.extensionHeaders) headers[name] = uris;
      // Callers who know it by the name of 0.3 find it there in v1, too.
      if (this.header('x-a2a-extensions') !== undefined) headers['x-a2a-extensions'] = uris;
    }
    return headers;
  }

  #answerHeaders(): OutgoingHttpHeaders {
    const { version } = this.#rpc;
    return version === undefined
      ? { 'x-request-id': this.requestId }
      : { 'x-request-id': this.requestId, 'a2a-version': version };
  }

  #trailers(): OutgoingHttpHeaders | undefined {
    const losses = this.#notes?.losses;
    return losses && losses.size > 0 ? { 'a2a-gateway-loss': listHeader(losses, headerLimits.losses) } : undefined;
  }

  protected override get tellError(): StatusOfError {
    return this.#rpc.statusOfError;
  }

  protected errorHeaders(): OutgoingHttpHeaders {
    return { ...this.#answerHeaders(), ...this.#trailers() };
  }

  /** What is found faulty in a request that was read, in the names that its caller knows. */
  #named(thrown: unknown): A2AError {
    return inWireNames(A2AError.from(thrown), this.#rpc.method);
  }

  /** Ends the call with an error, which is logged when it is the server's own. */
  #refuse(thrown: unknown): void {
    if (this.over) return;
    const error = A2AError.from(thrown);
    if (!this.#inCore) {
      const { operation, dialect } = this.#rpc;
      const place = { request: this.requestId, binding: 'grpc', dialect: dialect.name, operation: operation.name };
      logFailure(this.#serving.logger, error, { ...place, principal: this.#principal?.id });
    }
    this.fail(error);
  }

  protected aborted(reason: A2AError): void {
    if (!this.#called)
      this.#serving.meters.refused('grpc', reason.kind, { requestId: this.requestId, principal: this.#principal });
    this.#abort?.abort(reason);
    this.#release();
    this.#forget();
  }

  protected left(): void {
    this.#serving.left(this);
  }

  /** HTTP/2 streams stay in memory for a while after their end; what they were about need not. */
  #forget(): void {
    this.#abort = undefined;
    this.#message = undefined;
    this.#notes = undefined;
    this.#reservation = undefined;
    this.#principal = undefined;
  }

  /** Lets go of the stream's source. */
  #release(): void {
    const events = this.#events;
    this.#events = undefined;
    events?.return?.()?.then(undefined, ignore);
  }
}
