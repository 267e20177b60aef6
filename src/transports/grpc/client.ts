import type { CallContext, LoggedEvent, Reply, UnaryReply } from '../../core/model/call.ts';
import { A2AError, grpcStatus } from '../../core/model/errors.ts';
import type { FrameHeaders, LatestAnswer } from '../../core/model/frames.ts';
import { decodeResult } from '../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import { isA2AStatus, statusName, unpackError } from '../../dialects/kernel/rpc-status.ts';
import type { Api } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { withFacts } from '../../net/nothing-ran.ts';
import { type OnWire, WireLog } from '../../net/wire-log.ts';
import { encode } from '../../wire/protobuf.ts';
import { decodeAnswer } from '../../wire/protobuf-document.ts';
import {
  type ClientOptions,
  type ClientTransport,
  contextHeaders,
  defaultMaxAnswer,
  defaultSilence,
  defaultTimeout,
  dueOf,
  isLate,
  readReplyHeaders,
  userAgent,
} from '../outbound/http-transport.ts';
import { decodeResponse } from '../outbound/response-body.ts';
import { closing, ReceivedEvent, startOf } from '../outbound/response-stream.ts';
import { type OutgoingCall, prepareCall, rpcsByOperation } from '../rpc/client.ts';
import { headerText } from '../rpc/rpc.ts';
import { messageDecoder } from '../rpc/stream.ts';
import { GrpcChannel, type GrpcChannelOptions } from './channel.ts';
import { ClientStream, type OutgoingRpc } from './client-stream.ts';
import { logged, withFrames } from './wire.ts';

/**
 * `url`: `https` and `grpcs` mean TLS, `http` and `grpc` none. A `host:port` means TLS on port 443 or when `tls` is given.
 * Paths are ignored.
 */
export interface GrpcClientOptions extends ClientOptions {
  readonly tls?: ClientTls;
  /** Milliseconds to connect, TLS included. Default 10,000. */
  readonly connectTimeout?: number;
  /** Checks the addresses of the host. Default: they are not checked, because the operator chose the target. */
  readonly guard?: UrlGuard | undefined;
  /** Gets the data that is sent and received, with messages as JSON. */
  readonly onWire?: OnWire;
}

/**
 * A client of an agent's gRPC interface, over one HTTP/2 connection that is opened on demand, or several if the server takes few
 * calls at a time.
 *
 * Its `invoke` rejects with the agent's A2AError; `unsupportedOperation` when the dialect has no such rpc;
 * `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded`; `invalidAgentResponse` for an invalid answer.
 * It also rejects for a stream that is refused before its first event, if the server waits for this event, as A2A servers
 * do.
 *
 * @throws A2AError `invalidParams` for an invalid URL; TypeError when the dialect has no gRPC binding
 */
export function createGrpcClient(options: GrpcClientOptions): ClientTransport {
  const { dialect, headers, timeout = defaultTimeout, maxAnswer = defaultMaxAnswer } = options;
  const { silence = defaultSilence, connectTimeout = 10_000, guard, tls, onWire } = options;
  const rpcs = rpcsByOperation(dialect);
  const wire = onWire && new WireLog(onWire);
  const channel = new GrpcChannel({ ...readTarget(options), connectTimeout, guard, tls, wire });
  return {
    async invoke(call) {
      const outgoing = prepareCall(rpcs, call, options);
      const { context } = call;
      const given = headers?.(context) ?? {};
      const credentials = given instanceof Promise ? await given : given;
      const all = { ...contextHeaders(context, dialect), ...credentials };
      const plain = rpcOf(outgoing, { context, channel, headers: all, timeout, silence, maxAnswer });
      const { path, headers: sent, message: body } = plain;
      const request = { method: 'POST', url: { pathname: path, search: '' }, headers: sent, body };
      context.notes.exchange = { request, credentials, answer: undefined };
      const shown = wire ? withFrames(plain, logged(outgoing, wire)) : plain;
      const rpc = context.attempt ? withFrames(shown, context.attempt.frames()) : shown;
      return outgoing.rpc.operation.streaming ? stream(rpc, outgoing, context) : unary(rpc, outgoing);
    },
    close: () => channel.close(),
  };
}

/** Throws A2AError `invalidParams`. */
function readTarget({ url, tls }: GrpcClientOptions): Pick<GrpcChannelOptions, 'host' | 'port' | 'secure'> {
  const scheme = /^(https?|grpcs?):\/\//i.exec(url)?.[1]?.toLowerCase();
  const address = scheme === undefined ? url : url.slice(scheme.length + 3);
  const { hostname: host } = URL.parse(`http://${address}`) ?? {};
  if (!host || (scheme === undefined && url.includes('://'))) {
    throw A2AError.invalidParams(`${url} is not a valid address for gRPC: use host:port, or an http or https URL`);
  }
  // The text as written, because a parsed URL has no port if it is the default of its scheme.
  const port = /^[^/?#]*:(\d+)(?:[/?#]|$)/.exec(address)?.[1];
  const secure = scheme === undefined ? port === '443' || tls !== undefined : scheme.endsWith('s');
  return { host, port: Number(port ?? (secure ? 443 : 80)), secure };
}

/** Parts with which a call is sent. */
interface Sending extends Pick<OutgoingRpc, 'channel' | 'headers' | 'silence' | 'maxAnswer'> {
  readonly context: CallContext;
  /** Time limit in milliseconds. */
  readonly timeout: number;
}

function rpcOf(
  { rpc, message }: OutgoingCall,
  { context, channel, headers, timeout, silence, maxAnswer }: Sending,
): OutgoingRpc {
  const { api, dialect, method, operation } = rpc;
  const { target } = channel;
  const now = Date.now();
  const deadline = Math.min(now + timeout, dueOf(context));
  const sent: Record<string, string> = { 'user-agent': userAgent };
  // A server ends a stream at the deadline that it is sent, so the time for the beginning is not sent.
  const known = operation.streaming ? (context.deadline ?? Number.POSITIVE_INFINITY) : deadline;
  if (known < Number.POSITIVE_INFINITY) sent['grpc-timeout'] = grpcTimeout(known - now);
  for (const name in headers) sent[name] = headerText(headers[name] as string);
  const late = (): A2AError =>
    isLate(context)
      ? new A2AError('deadlineExceeded')
      : new A2AError('upstreamTimeout', `${target} did not answer within ${timeout} ms`);
  return {
    channel,
    path: operation.grpcPath,
    headers: sent,
    message: encode(api, operation.request, message),
    signal: context.signal,
    maxAnswer,
    deadline,
    silence,
    late,
    silent: () => new A2AError('upstreamTimeout', `${target} did not send anything within ${silence} ms`),
    onHeaders: (received) => {
      const { exchange } = context.notes;
      if (exchange) exchange.answer = answerOf(exchange.answer, received);
      readReplyHeaders({ headers: received }, context);
    },
    toError(status, { trailersOnly, http }) {
      // Without details it need not be the agent's own, but may come from a proxy or its library.
      if (status.details.length === 0 && status.code === grpcStatus.DEADLINE_EXCEEDED) return late();
      if (status.details.length === 0 && status.code === grpcStatus.UNAVAILABLE) {
        return new A2AError('upstreamUnreachable', `cannot reach ${target}: ${status.message}`);
      }
      const error = unpackError(status, (name) => dialect.grpc?.kindOf?.(name, method.operation));
      return withFacts(error, {
        isA2A: isA2AStatus(status),
        ...(http !== undefined && { http }),
        ...(trailersOnly && { trailersOnly: statusName(status.code) }),
      });
    },
  };
}

/** The answer with further headers, of which the second ones are trailers. */
const answerOf = (before: LatestAnswer | undefined, received: FrameHeaders): LatestAnswer =>
  before
    ? { status: before.status, headers: before.headers, trailers: received }
    : { status: Number(received[':status'] ?? 200), headers: received };

/** A `grpc-timeout`: at most eight digits and a unit. */
const grpcTimeout = (ms: number): string => (ms < 1e8 ? `${Math.ceil(ms)}m` : `${Math.ceil(ms / 1_000)}S`);

/** A call with one message as its answer. */
class UnaryCall extends ClientStream {
  readonly #answer = Promise.withResolvers<Buffer>();
  #message: Buffer | undefined;

  /** Sends the call. Resolves with the message. */
  answer(): Promise<Buffer> {
    this.start();
    return this.#answer.promise;
  }

  protected received(message: Buffer): void {
    if (this.#message) this.fail(miscounted('more than one message'));
    this.#message = message;
  }

  protected ended(error?: A2AError): void {
    if (error) this.#answer.reject(error);
    else if (this.#message) this.#answer.resolve(this.#message);
    else this.#answer.reject(miscounted('no message'));
  }
}

/** The status is gRPC's own. The kind says that the agent has the operation, and may have done its work. */
const miscounted = (number: string): A2AError =>
  new A2AError('invalidAgentResponse', `The agent answered with ${number}`, { rpcStatus: 'UNIMPLEMENTED' });

async function unary(rpc: OutgoingRpc, { rpc: { api, operation, method }, cx }: OutgoingCall): Promise<UnaryReply> {
  const message = await new UnaryCall(rpc).answer();
  const { result } = method;
  if (!result) throw new TypeError(`${method.name} has no result`);
  return decodeResponse(() => decodeResult(result, answerIn(message, api, operation, cx), cx)) as UnaryReply;
}

/** The ProtoJSON of a message. Unreadable parts are left out, and the next event names it. */
function answerIn(bytes: Buffer, api: Api, { response }: Operation, { salvage }: CodecContext): object {
  const { message, unread } = decodeAnswer(api, response, bytes, salvage !== undefined);
  if (unread.length > 0) salvage?.name(unread);
  return message;
}

/** Unread messages, and their bytes, at which reading from the connection is paused. */
const highWater = { messages: 64, bytes: 256 * 1024 } as const;

/** A call with a stream of messages as its answer. */
class StreamingCall extends ClientStream {
  readonly #beginning = Promise.withResolvers<void>();
  #messages: Buffer[] = [];
  #bytes = 0;
  #error: A2AError | undefined;
  #reader: PromiseWithResolvers<void> | undefined;

  /** Sends the call. Resolves with the headers, which A2A servers send with the first event, or with an empty stream. */
  begin(): Promise<void> {
    this.start();
    return this.#beginning.promise;
  }

  /** The messages; throws the error that ends the call. To be iterated once; ending the iteration cancels the call. */
  async *messages(): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        const messages = this.#messages;
        this.#messages = [];
        this.#bytes = 0;
        yield* messages;
        if (this.#messages.length > 0) continue;
        if (this.#error) throw this.#error;
        if (this.over) return;
        this.#reader = Promise.withResolvers();
        this.resume();
        await this.#reader.promise;
      }
    } finally {
      this.cancel();
    }
  }

  cancel(): void {
    if (!this.over) this.fail(new A2AError('canceled'));
  }

  protected override begun(): void {
    this.beginStream();
    this.#beginning.resolve();
  }

  protected received(message: Buffer): void {
    this.#bytes += message.length;
    if (this.#messages.push(message) > highWater.messages || this.#bytes > highWater.bytes) this.pause();
    this.#reader?.resolve();
  }

  protected ended(error?: A2AError): void {
    this.#error = error;
    if (error) this.#beginning.reject(error);
    else this.#beginning.resolve();
    this.#reader?.resolve();
  }
}

async function stream(rpc: OutgoingRpc, outgoing: OutgoingCall, context: CallContext): Promise<Reply> {
  const call = new StreamingCall(rpc);
  await call.begin();
  return { events: closing(readEvents(call, outgoing, context), () => call.cancel()) };
}

async function* readEvents(
  call: StreamingCall,
  { rpc, cx }: OutgoingCall,
  context: CallContext,
): AsyncGenerator<LoggedEvent, undefined> {
  const { api, operation } = rpc;
  const decodeMessage = messageDecoder(rpc, cx);
  // gRPC does not number events.
  let seq = startOf(context);
  try {
    for await (const bytes of call.messages()) {
      const events = decodeResponse(() => decodeMessage(answerIn(bytes, api, operation, cx)));
      for (const event of events) yield new ReceivedEvent(++seq, event);
      if (cx.salvage?.over) return undefined;
    }
  } catch (thrown) {
    context.notes.onStreamFailed?.(A2AError.from(thrown));
    throw thrown;
  }
  for (const event of cx.salvage?.end() ?? []) yield new ReceivedEvent(++seq, event);
  return undefined;
}
