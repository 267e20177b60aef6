import {
  type CallOptions,
  ChannelCredentials,
  Client,
  type ClientReadableStream,
  type ClientUnaryCall,
  connectivityState,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { Call, CallContext, LoggedEvent, Quirks, Reply, UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { Status } from '../../gen/proto/google/rpc/status.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { describeNetworkError, markUnsent } from '../../net/network-errors.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import { type ClientTransport, contextHeaders, readReplyHeaders, userAgent } from '../outbound/http-transport.ts';
import { decodeResponse } from '../outbound/response-body.ts';
import { ReceivedEvent } from '../outbound/response-stream.ts';
import { type OutgoingCall, prepareCall, rpcsByOperation } from '../rpc/client.ts';
import { unpackError } from '../rpc/errors.ts';
import { headerText, type Rpc } from '../rpc/rpc.ts';
import { messageDecoder } from '../rpc/stream.ts';
import { guardedChannel } from './guarded-resolver.ts';

export interface GrpcClientOptions {
  /**
   * Where the service is: `https` and `grpcs` mean TLS, `http` and `grpc` none; a bare `host:port` means TLS on port 443
   * or when `tls` is given. Paths count for nothing in gRPC.
   */
  readonly url: string;
  /** The generation that the agent speaks; it must have a protobuf face. */
  readonly dialect: WireProtocol;
  /** Metadata of each call, such as credentials, the names in lower case. */
  readonly headers?: (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;
  /** Authorities and a certificate of its own, in PEM. */
  readonly tls?: { readonly ca?: Buffer; readonly key?: Buffer; readonly cert?: Buffer };
  /** Milliseconds that an answer, or the beginning of a stream, may take. Default 330,000. */
  readonly timeout?: number;
  /** Milliseconds to connect, TLS included. Default 10,000. */
  readonly connectTimeout?: number;
  /** Bytes of one message. Default 16 MiB. */
  readonly maxMessage?: number;
  /** Refuse a request of which the dialect cannot say all. Default false. */
  readonly strict?: boolean;
  /** What is known by now of the agent's software. Default: nothing. */
  readonly quirks?: () => Quirks;
  /** Judges what the host resolves to. Default: none; whoever gives the URL decides where to. */
  readonly guard?: UrlGuard | undefined;
}

/**
 * A client of an agent's gRPC interface, over one HTTP/2 connection that is made when it is needed.
 *
 * Its `invoke` rejects with the A2AError that the agent told; with `unsupportedOperation` when the dialect has no such
 * rpc; with `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded` as the network has it; with
 * `invalidAgentResponse` when the answer cannot be made sense of. A stream that is refused before its first event
 * rejects at once where the server waits for the first event, as A2A servers do.
 *
 * @throws A2AError `invalidParams` for a URL that cannot be called; TypeError when the dialect has no protobuf face
 */
export function createGrpcClient(options: GrpcClientOptions): ClientTransport {
  const { dialect, headers, timeout = 330_000, connectTimeout = 10_000, maxMessage = 16 << 20 } = options;
  const rpcs = rpcsByOperation(dialect);
  const { target, secure } = readTarget(options);
  const { ca = null, key = null, cert = null } = options.tls ?? {};
  const credentials = secure ? ChannelCredentials.createSsl(ca, key, cert) : ChannelCredentials.createInsecure();
  const place = options.guard ? guardedChannel(target, options.guard) : { target, options: {} };
  const client = new Client(place.target, credentials, {
    ...place.options,
    'grpc.primary_user_agent': userAgent,
    'grpc.max_receive_message_length': maxMessage,
    'grpc.max_send_message_length': -1,
    'grpc.enable_retries': 0,
    'grpc.enable_channelz': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
  });
  return {
    async invoke(call) {
      const going = prepareCall(rpcs, call, options);
      if (call.context.signal.aborted) throw canceled(call.context);
      const metadata = new Metadata();
      const all = { ...contextHeaders(call.context, dialect), ...(await headers?.(call.context)) };
      for (const [name, value] of Object.entries(all)) metadata.set(name, headerText(value));
      const wire: Wire = { rpc: going.rpc, client, target, metadata, timeout, connectTimeout };
      return going.rpc.operation.streaming ? stream(wire, going, call) : unary(wire, going, call);
    },
    close: () => client.close(),
  };
}

/** @throws A2AError `invalidParams` */
function readTarget({ url, tls }: GrpcClientOptions): { readonly target: string; readonly secure: boolean } {
  const scheme = /^(https?|grpcs?):\/\//i.exec(url)?.[1]?.toLowerCase();
  const bare = scheme === undefined ? url : url.slice(scheme.length + 3);
  // The scheme decides which port is meant where none is given.
  const { hostname, port } = URL.parse(`http://${bare}`) ?? {};
  if (!hostname || (scheme === undefined && url.includes('://'))) {
    throw A2AError.invalidParams(
      `${url} is not an address that gRPC can call; write host:port, or a http or https URL`,
    );
  }
  const asked = /^[^/]*:443(\/|$)/.test(bare);
  const secure = scheme === undefined ? asked || tls !== undefined : scheme.endsWith('s');
  return { target: `${hostname}:${port || (secure ? 443 : 80)}`, secure };
}

/** What a call is sent with. */
interface Wire {
  readonly rpc: Rpc;
  readonly client: Client;
  readonly target: string;
  readonly metadata: Metadata;
  readonly timeout: number;
  readonly connectTimeout: number;
}

/**
 * grpc-js waits as long as the call may take for a connection that is neither made nor refused. Returns what ends the
 * watch, and says whether it was in vain.
 */
function watchConnection({ client, connectTimeout }: Wire, call: { cancel(): void }): () => boolean {
  const channel = client.getChannel();
  if (channel.getConnectivityState(false) === connectivityState.READY) return () => false;
  let vain = false;
  const timer = setTimeout(() => {
    // Idle means that there was a connection, which takes no new calls; this one may still be on it.
    vain = channel.getConnectivityState(false) === connectivityState.CONNECTING;
    if (vain) call.cancel();
  }, connectTimeout);
  return () => {
    clearTimeout(timer);
    return vain;
  };
}

const noConnection = ({ target, connectTimeout }: Wire): A2AError =>
  markUnsent(new A2AError('upstreamUnreachable', `${target} did not accept a connection within ${connectTimeout} ms`));

const asIs = (bytes: Buffer): Buffer => bytes;

function bytesOf({ rpc, message }: OutgoingCall): Buffer {
  const bytes = encode(rpc.api, rpc.operation.request, message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** When the answer must be there: milliseconds since the epoch. */
const latest = ({ timeout }: Wire, { deadline }: CallContext): number =>
  Math.min(Date.now() + timeout, deadline ?? Number.POSITIVE_INFINITY);

function unary(wire: Wire, going: OutgoingCall, { context }: Call): Promise<UnaryReply> {
  const { client, metadata } = wire;
  const { api, operation, method } = going.rpc;
  return new Promise((resolve, reject) => {
    const options: CallOptions = { deadline: latest(wire, context) };
    const done = (error: ServiceError | null, answer?: Buffer): void => {
      context.signal.removeEventListener('abort', abort);
      const vain = watched();
      if (error) {
        reject(vain ? noConnection(wire) : errorOf(error, wire, context));
        return;
      }
      try {
        const decoded = () => method.result?.decode(decode(api, operation.response, answer as Buffer), going.cx);
        resolve(decodeResponse(decoded) as UnaryReply);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const path = operation.grpcPath;
    const call: ClientUnaryCall = client.makeUnaryRequest(path, asIs, asIs, bytesOf(going), metadata, options, done);
    const watched = watchConnection(wire, call);
    const abort = (): void => call.cancel();
    context.signal.addEventListener('abort', abort);
    call.once('metadata', (head: Metadata) => takeNotes(head, context));
    call.once('status', (end) => takeNotes(end.metadata, context));
  });
}

async function stream(wire: Wire, going: OutgoingCall, { context }: Call): Promise<Reply> {
  const { client, metadata } = wire;
  const path = going.rpc.operation.grpcPath;
  const call = client.makeServerStreamRequest(path, asIs, asIs, bytesOf(going), metadata);
  // An error reaches whoever iterates; this listener keeps it from being thrown when nobody does.
  call.on('error', () => {});
  call.once('status', (end) => takeNotes(end.metadata, context));
  const abort = (): void => call.cancel();
  context.signal.addEventListener('abort', abort);
  call.once('close', () => context.signal.removeEventListener('abort', abort));
  await begun(call, wire, context);
  return { events: eventsOf(call, wire, going, context) };
}

/** Until the headers are there, which A2A servers send with the first event; the answer's time is bounded as any. */
function begun(call: ClientReadableStream<Buffer>, wire: Wire, context: CallContext): Promise<void> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      call.cancel();
    }, latest(wire, context) - Date.now());
    const watched = watchConnection(wire, call);
    const settle = (error?: ServiceError): void => {
      clearTimeout(timer);
      call.off('metadata', onMetadata);
      call.off('error', settle);
      call.off('status', onStatus);
      if (watched()) reject(noConnection(wire));
      else if (late) reject(tooLate(wire, context));
      else if (error) reject(errorOf(error, wire, context));
      else resolve();
    };
    const onMetadata = (head: Metadata): void => {
      takeNotes(head, context);
      settle();
    };
    // A stream may end well with neither headers nor messages.
    const onStatus = (): void => settle();
    call.once('metadata', onMetadata);
    call.once('error', settle);
    call.once('status', onStatus);
  });
}

/** Ending the iteration, also before it began, ends the call. */
function eventsOf(
  call: ClientReadableStream<Buffer>,
  wire: Wire,
  going: OutgoingCall,
  context: CallContext,
): AsyncIterableIterator<LoggedEvent> {
  const events = generate(call, wire, going, context);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => events.next(),
    return() {
      call.cancel();
      return events.return(undefined);
    },
  };
}

async function* generate(
  call: ClientReadableStream<Buffer>,
  wire: Wire,
  { rpc, cx }: OutgoingCall,
  context: CallContext,
): AsyncGenerator<LoggedEvent, undefined> {
  const { api, operation } = rpc;
  const decodeMessage = messageDecoder(rpc, cx);
  // gRPC has no place for an event's number: they are counted from where the stream is taken up.
  let seq = typeof context.replay === 'object' ? context.replay.after : 0;
  try {
    for await (const bytes of call) {
      const events = decodeResponse(() => decodeMessage(decode(api, operation.response, bytes as Buffer)));
      for (const event of events) yield new ReceivedEvent(++seq, event);
    }
  } catch (thrown) {
    throw thrown instanceof A2AError ? thrown : errorOf(thrown as ServiceError, wire, context);
  } finally {
    call.cancel();
  }
}

const canceled = ({ signal }: CallContext): A2AError => new A2AError('canceled', undefined, { cause: signal.reason });

const tooLate = ({ target, timeout }: Wire, { deadline }: CallContext): A2AError =>
  deadline !== undefined && deadline <= Date.now()
    ? new A2AError('deadlineExceeded')
    : new A2AError('upstreamTimeout', `${target} did not answer within ${timeout} ms`);

/** The error that a status means, whether the agent sent it or grpc-js found out by itself. */
function errorOf(error: ServiceError, wire: Wire, context: CallContext): A2AError {
  if (context.signal.aborted) return canceled(context);
  const packed = error.metadata?.get('grpc-status-details-bin')[0];
  const told = Buffer.isBuffer(packed) ? readStatus(packed) : undefined;
  if (told === undefined && error.code === status.DEADLINE_EXCEEDED) return tooLate(wire, context);
  const { details: message = '' } = error;
  if (told === undefined && error.code === status.UNAVAILABLE) {
    const local = /^(No connection established|Connection dropped)/.test(message);
    const reason = local ? describeNetworkError({ code: /\bE[A-Z]{4,}\b/.exec(message)?.[0] }) : message;
    const unreachable = new A2AError('upstreamUnreachable', `cannot reach ${wire.target}: ${reason}`, { cause: error });
    return foundNoConnection(error) ? markUnsent(unreachable) : unreachable;
  }
  const details = (told?.details ?? []).map(({ typeUrl = '', value = Buffer.alloc(0) }) => ({ typeUrl, value }));
  const { dialect, method } = wire.rpc;
  return unpackError({ code: error.code ?? status.UNKNOWN, message: told?.message || message, details }, (name) =>
    dialect.grpc?.kindOf?.(name, method.operation),
  );
}

/** Whether grpc-js itself said that there was no connection to send the call over: what comes over the wire has metadata. */
const foundNoConnection = ({ details, metadata }: ServiceError): boolean =>
  /^(No connection established|Name resolution failed)/.test(details) && Object.keys(metadata.getMap()).length === 0;

function readStatus(bytes: Buffer): Status | undefined {
  try {
    return Status.decode(bytes);
  } catch {
    return undefined;
  }
}

/** What the other side tells in metadata and trailers. */
function takeNotes(metadata: Metadata, context: CallContext): void {
  const header = (name: string) => ({ [name]: metadata.get(name).map(String).join(',') });
  const headers = { ...header('a2a-extensions'), ...header('x-a2a-extensions'), ...header('a2a-gateway-loss') };
  readReplyHeaders({ headers }, context);
}
