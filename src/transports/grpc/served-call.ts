import { Metadata, ServerInterceptingCall, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Authenticate, CallerFacts } from '../../core/admission.ts';
import type { Invoke, LoggedEvent, Principal, ReplyNotes, StreamReply, UnaryReply } from '../../core/call.ts';
import { isStream } from '../../core/call.ts';
import { A2AError } from '../../core/errors.ts';
import type { AgentDirectory, Logger } from '../../core/ports.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import { checkHead, headerText, lossHeader, makeCall, type Rpc, type RpcHead, requestIdOf } from '../rpc.ts';
import { eventEncoder } from '../rpc-stream.ts';
import type { Linked, OpenCalls } from './open-calls.ts';
import { statusOf } from './status.ts';

/** What all calls of a server share. */
export interface Serving {
  readonly invoke: Invoke;
  readonly authenticate: Authenticate;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  /** Bytes of a stream that may wait for the client before its source is held back. */
  readonly highWater: number;
  /** Milliseconds that a stream waits for a client which does not read. */
  readonly slowReader: number;
  /** Calls under way. */
  readonly open: OpenCalls<ServedCall>;
}

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

const ignore = (): void => {};

/**
 * One gRPC call, from its metadata to its status.
 *
 * It stands where grpc-js has its interceptors, and answers there: a handler behind them would be given the message
 * decoded already, before anybody knows who sends it, and would pay for a Node stream per call, which costs more than
 * the rest of the call. Here the caller is judged from the metadata before the message is read, messages stay bytes
 * until they are needed, and the events of one tick leave in one write.
 */
export class ServedCall extends ServerInterceptingCall implements Listener, CallerFacts, RpcHead, Linked<ServedCall> {
  before: ServedCall | undefined;
  after: ServedCall | undefined;
  readonly hasBody = true;
  readonly encrypted: boolean;
  /** The caller's own where it has a usable one. */
  requestId = '';
  /** When it began: milliseconds since the epoch. */
  readonly began: number = Date.now();
  readonly #wire: ServerInterceptingCallInterface;
  readonly #rpc: Rpc;
  readonly #serving: Serving;
  #abort: AbortController | undefined;
  #metadata: Metadata | undefined;
  #principal: Principal | undefined;
  #message: Uint8Array | undefined;
  #served = false;
  /** A status was sent, or the client is gone: nothing more can be said. */
  #over = false;
  #notes: ReplyNotes | undefined;
  #events: AsyncIterator<LoggedEvent> | undefined;
  #unsent = 0;
  #wake: (() => void) | undefined;

  constructor(wire: ServerInterceptingCallInterface, rpc: Rpc, serving: Serving, encrypted: boolean) {
    super(wire);
    this.#wire = wire;
    this.#rpc = rpc;
    this.#serving = serving;
    this.encrypted = encrypted;
  }

  /** Called by grpc-js with its own handler's listener, in whose place this call listens. */
  override start(): void {
    this.#wire.start(this);
  }

  get host(): string | undefined {
    return this.#wire.getHost();
  }

  get remoteAddress(): string {
    return this.#wire.getConnectionInfo().remoteAddress ?? '';
  }

  header(name: string): string | undefined {
    // grpc-js checks it, and takes it out.
    if (name === 'content-type') return 'application/grpc';
    if (name === 'host') return this.host;
    const values = this.#metadata?.get(name) ?? [];
    if (values.length <= 1) return typeof values[0] === 'string' ? values[0] : undefined;
    return values.filter((value) => typeof value === 'string').join(', ');
  }

  /** Whether it still waits for its message. */
  get arriving(): boolean {
    return !this.#served;
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.#metadata = metadata;
    this.requestId = requestIdOf(this);
    // Not earlier: a call whose stream is gone by now is never told of its end.
    this.#serving.open.add(this);
    try {
      const principal = this.#serving.authenticate(this);
      if (principal instanceof Promise)
        principal.then(
          (found) => this.#admit(found),
          (thrown) => this.fail(thrown),
        );
      else this.#admit(principal);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  #admit(principal: Principal): void {
    this.#principal = principal;
    try {
      checkHead(this.#rpc, this);
      this.#wire.startRead();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  onReceiveMessage(message: Uint8Array): void {
    if (this.#message) {
      this.fail(new A2AError('invalidRequest', 'The call has more than one request message'));
      return;
    }
    this.#message = message;
    this.#wire.startRead();
  }

  onReceiveHalfClose(): void {
    this.#served = true;
    if (this.#message) void this.#serve(this.#message);
    else this.fail(new A2AError('invalidRequest', 'The call has no request message'));
  }

  /** Comes after every call: when its status is sent, when its deadline passes, when the client goes away. */
  onCancel(): void {
    this.#serving.open.delete(this);
    if (this.#over) return;
    const late = Date.now() >= Number(this.#wire.getDeadline());
    this.#quit(new A2AError(late ? 'deadlineExceeded' : 'canceled'));
  }

  async #serve(message: Uint8Array): Promise<void> {
    const { agents, invoke } = this.#serving;
    let inCore = false;
    try {
      const { api, operation } = this.#rpc;
      const deadline = this.#wire.getDeadline() as number;
      const abort = new AbortController();
      this.#abort = abort;
      const call = makeCall(this.#rpc, agents, decode(api, operation.request, message), {
        head: this,
        principal: this.#principal as Principal,
        requestId: this.requestId,
        signal: abort.signal,
        deadline: deadline === Number.POSITIVE_INFINITY ? undefined : deadline,
      });
      this.#message = undefined;
      this.#notes = call.context.notes;
      inCore = true;
      const reply = await invoke(call);
      inCore = false;
      if (isStream(reply)) await this.#stream(reply);
      else this.#answer(reply);
    } catch (thrown) {
      // The core logs its own failures.
      this.fail(thrown, !inCore);
    }
  }

  #answer(reply: UnaryReply): void {
    if (this.#over) return;
    const { api, operation, method } = this.#rpc;
    if (!method.result) throw new Error(`${operation.grpcPath} streams, but its reply does not`);
    const bytes = encode(api, operation.response, method.result.encode(reply, this.#notes as ReplyNotes) as object);
    this.#wire.sendMetadata(this.#head());
    this.#wire.sendMessage(bytes, ignore);
    this.#end();
  }

  async #stream(reply: StreamReply): Promise<void> {
    const encodeEvent = eventEncoder(this.#rpc, this.#notes as ReplyNotes);
    const events = reply.events[Symbol.asyncIterator]();
    this.#events = events;
    try {
      if (this.#over) return;
      // Whatever refuses the stream does so before its first event, and is then an error like any other.
      let step = await events.next();
      if (this.#over) return;
      this.#wire.sendMetadata(this.#head());
      while (!step.done) {
        for (const bytes of encodeEvent(step.value)) {
          const drained = this.#send(bytes);
          if (drained) await drained;
        }
        if (this.#over) return;
        step = await events.next();
        if (this.#over) return;
      }
      this.#events = undefined;
      for (const bytes of encodeEvent.end()) this.#send(bytes)?.catch(ignore);
      this.#end();
    } finally {
      this.#release();
    }
  }

  /** A promise when so much is under way that the client should read first. Rejects when it does not. */
  #send(bytes: Uint8Array): Promise<void> | undefined {
    const { highWater, slowReader } = this.#serving;
    this.#unsent += bytes.length;
    if (this.#unsent < highWater || this.#over) {
      this.#wire.sendMessage(bytes, ignore);
      return undefined;
    }
    this.#unsent = 0;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#wake = undefined;
        reject(new A2AError('tooManyRequests', 'The stream is read too slowly; subscribe again to go on'));
      }, slowReader);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      // Written in order: when this message is out, so are all before it.
      this.#wire.sendMessage(bytes, this.#wake);
    });
  }

  #head(): Metadata {
    const metadata = new Metadata();
    metadata.set('x-request-id', this.requestId);
    if (this.#rpc.version !== undefined) metadata.set('a2a-version', this.#rpc.version);
    const extensions = this.#notes?.extensions;
    if (extensions && extensions.size > 0) {
      const uris = headerText([...extensions].join(', '));
      metadata.set('a2a-extensions', uris);
      // Clients of 0.3 know it by this name.
      if (this.header('x-a2a-extensions') !== undefined) metadata.set('x-a2a-extensions', uris);
    }
    return metadata;
  }

  #end(): void {
    const metadata = this.#trailers();
    this.#forget();
    this.#wire.sendStatus({ code: 0, details: 'OK', metadata });
  }

  #trailers(): Metadata | null {
    const losses = this.#notes?.losses;
    if (!losses || losses.size === 0) return null;
    const metadata = new Metadata();
    metadata.set('a2a-gateway-loss', lossHeader(losses));
    return metadata;
  }

  /**
   * Ends the call with an error, unless it has ended.
   *
   * @param log whether the failure is logged here when it is the server's own
   */
  fail(thrown: unknown, log = true): void {
    if (this.#over) return;
    const error = A2AError.from(thrown);
    if (log && error.row.http >= 500) {
      const { operation, dialect } = this.#rpc;
      const fields = { request: this.requestId, dialect: dialect.name, rpc: operation.rpc, err: error.cause ?? error };
      this.#serving.logger.error(fields, 'a call failed');
    }
    const metadata = this.#trailers() ?? new Metadata();
    metadata.set('x-request-id', this.requestId);
    if (this.#rpc.version !== undefined) metadata.set('a2a-version', this.#rpc.version);
    this.#quit(error);
    this.#wire.sendStatus(statusOf(error, metadata));
  }

  /** Ends it from this side, whoever wants it ended. */
  #quit(reason: A2AError): void {
    this.#abort?.abort(reason);
    this.#wake?.();
    this.#release();
    this.#forget();
  }

  /**
   * Nothing more can be said. HTTP/2 streams, and calls with them, stay in memory for a while after their end; what
   * they were about need not.
   */
  #forget(): void {
    this.#over = true;
    this.#abort = undefined;
    this.#metadata = undefined;
    this.#message = undefined;
    this.#notes = undefined;
    this.#principal = undefined;
  }

  /** Lets go of the stream's source. */
  #release(): void {
    const events = this.#events;
    this.#events = undefined;
    events?.return?.()?.then(undefined, ignore);
  }
}
