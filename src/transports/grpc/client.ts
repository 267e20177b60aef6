import {
  ChannelCredentials,
  Client,
  type ClientReadableStream,
  connectivityState,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { CallContext, LoggedEvent, Reply, UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { Status } from '../../gen/proto/google/rpc/status.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { describeNetworkError, markUnsent } from '../../net/network-errors.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import {
  type ClientOptions,
  type ClientTransport,
  contextHeaders,
  defaultTimeout,
  readReplyHeaders,
  userAgent,
} from '../outbound/http-transport.ts';
import { decodeResponse } from '../outbound/response-body.ts';
import { closing, ReceivedEvent, startOf } from '../outbound/response-stream.ts';
import { type OutgoingCall, prepareCall, rpcsByOperation } from '../rpc/client.ts';
import { unpackError } from '../rpc/errors.ts';
import { headerText } from '../rpc/rpc.ts';
import { messageDecoder } from '../rpc/stream.ts';
import { guardedChannel } from './guarded-resolver.ts';

/**
 * `url`: `https` and `grpcs` mean TLS, `http` and `grpc` none. A `host:port` means TLS on port 443 or when `tls` is given.
 * Paths are ignored.
 */
export interface GrpcClientOptions extends ClientOptions {
  /** A client certificate, and authorities to trust. */
  readonly tls?: Partial<ClientTls>;
  /** Milliseconds to connect, TLS included. Default 10,000. */
  readonly connectTimeout?: number;
  /** Judges the addresses of the host. Default: none, for targets that the operator chose. */
  readonly guard?: UrlGuard | undefined;
}

/** Bytes of one message. */
const maxMessage = 16 << 20;

/**
 * A client of an agent's gRPC interface, over one HTTP/2 connection that is opened on demand.
 *
 * Its `invoke` rejects with the agent's A2AError; `unsupportedOperation` when the dialect has no such rpc;
 * `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded`; `invalidAgentResponse` for an invalid answer.
 * It also rejects for a stream that is refused before its first event, if the server waits for this event, as A2A servers
 * do.
 *
 * @throws A2AError `invalidParams` for an invalid URL; TypeError when the dialect has no gRPC binding
 */
export function createGrpcClient(options: GrpcClientOptions): ClientTransport {
  const { dialect, headers, timeout = defaultTimeout, connectTimeout = 10_000, guard } = options;
  const rpcs = rpcsByOperation(dialect);
  const { target, secure } = readTarget(options);
  const { ca = null, key = null, cert = null } = options.tls ?? {};
  const credentials = secure ? ChannelCredentials.createSsl(ca, key, cert) : ChannelCredentials.createInsecure();
  const channel = guard ? guardedChannel(target, guard) : { target, options: {} };
  const client = new Client(channel.target, credentials, {
    ...channel.options,
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
      const outgoing = prepareCall(rpcs, call, options);
      const { context } = call;
      if (context.signal.aborted) throw canceled(context);
      const metadata = new Metadata();
      const all = { ...contextHeaders(context, dialect), ...(await headers?.(context)) };
      for (const [name, value] of Object.entries(all)) metadata.set(name, headerText(value));
      const sending: Sending = { ...outgoing, context, client, target, metadata, timeout, connectTimeout };
      return outgoing.rpc.operation.streaming ? stream(sending) : unary(sending);
    },
    close: () => client.close(),
  };
}

/** Throws A2AError `invalidParams`. */
function readTarget({ url, tls }: GrpcClientOptions): { readonly target: string; readonly secure: boolean } {
  const scheme = /^(https?|grpcs?):\/\//i.exec(url)?.[1]?.toLowerCase();
  const address = scheme === undefined ? url : url.slice(scheme.length + 3);
  const { hostname } = URL.parse(`http://${address}`) ?? {};
  if (!hostname || (scheme === undefined && url.includes('://'))) {
    throw A2AError.invalidParams(`${url} is not a valid address for gRPC: use host:port, or an http or https URL`);
  }
  // As it is written, because a parsed URL has no port where it is the default of its scheme.
  const port = /^[^/?#]*:(\d+)(?:[/?#]|$)/.exec(address)?.[1];
  const secure = scheme === undefined ? port === '443' || tls !== undefined : scheme.endsWith('s');
  return { target: `${hostname}:${port ?? (secure ? 443 : 80)}`, secure };
}

/** One call, and what it is sent with. */
interface Sending extends OutgoingCall {
  readonly context: CallContext;
  readonly client: Client;
  readonly target: string;
  readonly metadata: Metadata;
  readonly timeout: number;
  readonly connectTimeout: number;
}

/**
 * Cancels a call whose connection is neither made nor refused in time, because grpc-js would wait until the call's
 * deadline. The returned function ends the watch, and says whether the call was canceled.
 */
function watchConnection({ client, connectTimeout }: Sending, call: { cancel(): void }): () => boolean {
  const channel = client.getChannel();
  if (channel.getConnectivityState(false) === connectivityState.READY) return () => false;
  let isCanceled = false;
  const timer = setTimeout(() => {
    // In the idle state there was a connection, which takes no new calls but may still have this one.
    isCanceled = channel.getConnectivityState(false) === connectivityState.CONNECTING;
    if (isCanceled) call.cancel();
  }, connectTimeout);
  return () => {
    clearTimeout(timer);
    return isCanceled;
  };
}

const noConnection = ({ target, connectTimeout }: Sending): A2AError =>
  markUnsent(new A2AError('upstreamUnreachable', `${target} did not accept a connection within ${connectTimeout} ms`));

const identity = (bytes: Buffer): Buffer => bytes;

function bytesOf({ rpc, message }: Sending): Buffer {
  const bytes = encode(rpc.api, rpc.operation.request, message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** When the answer, or the beginning of a stream, must have arrived: milliseconds since the epoch. */
const deadlineOf = ({ timeout, context }: Sending): number =>
  Math.min(Date.now() + timeout, context.deadline ?? Number.POSITIVE_INFINITY);

function unary(sending: Sending): Promise<UnaryReply> {
  const { client, metadata, rpc, context, cx } = sending;
  const { api, operation, method } = rpc;
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, answer?: Buffer): void => {
      context.signal.removeEventListener('abort', abort);
      const isUnconnected = stopWatching();
      if (error) {
        reject(isUnconnected ? noConnection(sending) : errorOf(error, sending));
        return;
      }
      try {
        const decoded = () => method.result?.decode(decode(api, operation.response, answer as Buffer), cx);
        resolve(decodeResponse(decoded) as UnaryReply);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const options = { deadline: deadlineOf(sending) };
    const path = operation.grpcPath;
    const call = client.makeUnaryRequest(path, identity, identity, bytesOf(sending), metadata, options, done);
    const stopWatching = watchConnection(sending, call);
    const abort = (): void => call.cancel();
    context.signal.addEventListener('abort', abort);
    call.once('metadata', (head: Metadata) => readNotes(head, context));
    call.once('status', (end) => readNotes(end.metadata, context));
  });
}

async function stream(sending: Sending): Promise<Reply> {
  const { client, metadata, context, rpc } = sending;
  const path = rpc.operation.grpcPath;
  const call = client.makeServerStreamRequest(path, identity, identity, bytesOf(sending), metadata);
  // The iteration reports errors. Without this listener they would be thrown when there is no iteration.
  call.on('error', () => {});
  call.once('status', (end) => readNotes(end.metadata, context));
  const abort = (): void => call.cancel();
  context.signal.addEventListener('abort', abort);
  call.once('close', () => context.signal.removeEventListener('abort', abort));
  await begun(call, sending);
  return { events: closing(readEvents(call, sending), abort) };
}

/** Waits for the headers, which A2A servers send with the first event. */
function begun(call: ClientReadableStream<Buffer>, sending: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const expire = (): void => {
      isLate = true;
      call.cancel();
    };
    const timer = setTimeout(expire, deadlineOf(sending) - Date.now());
    const stopWatching = watchConnection(sending, call);
    const settle = (error?: ServiceError): void => {
      clearTimeout(timer);
      call.off('metadata', onMetadata);
      call.off('error', settle);
      call.off('status', onStatus);
      if (stopWatching()) reject(noConnection(sending));
      else if (isLate) reject(timeoutError(sending));
      else if (error) reject(errorOf(error, sending));
      else resolve();
    };
    const onMetadata = (head: Metadata): void => {
      readNotes(head, sending.context);
      settle();
    };
    // A stream may end without headers and messages.
    const onStatus = (): void => settle();
    call.once('metadata', onMetadata);
    call.once('error', settle);
    call.once('status', onStatus);
  });
}

async function* readEvents(
  call: ClientReadableStream<Buffer>,
  sending: Sending,
): AsyncGenerator<LoggedEvent, undefined> {
  const { rpc, cx, context } = sending;
  const { api, operation } = rpc;
  const decodeMessage = messageDecoder(rpc, cx);
  // gRPC does not number events.
  let seq = startOf(context);
  try {
    for await (const bytes of call) {
      const events = decodeResponse(() => decodeMessage(decode(api, operation.response, bytes as Buffer)));
      for (const event of events) yield new ReceivedEvent(++seq, event);
    }
  } catch (thrown) {
    throw thrown instanceof A2AError ? thrown : errorOf(thrown as ServiceError, sending);
  } finally {
    call.cancel();
  }
}

const canceled = ({ signal }: CallContext): A2AError => new A2AError('canceled', undefined, { cause: signal.reason });

const timeoutError = ({ target, timeout, context: { deadline } }: Sending): A2AError =>
  deadline !== undefined && deadline <= Date.now()
    ? new A2AError('deadlineExceeded')
    : new A2AError('upstreamTimeout', `${target} did not answer within ${timeout} ms`);

/** The error for a status, whether it is the agent's or grpc-js's own. */
function errorOf(error: ServiceError, sending: Sending): A2AError {
  const { context, target, rpc } = sending;
  if (context.signal.aborted) return canceled(context);
  const packed = error.metadata?.get('grpc-status-details-bin')[0];
  const received = Buffer.isBuffer(packed) ? readStatus(packed) : undefined;
  if (received === undefined && error.code === status.DEADLINE_EXCEEDED) return timeoutError(sending);
  const { details: message = '' } = error;
  if (received === undefined && error.code === status.UNAVAILABLE) {
    const isLocal = /^(No connection established|Connection dropped)/.test(message);
    const reason = isLocal ? describeNetworkError({ code: /\bE[A-Z]{4,}\b/.exec(message)?.[0] }) : message;
    const unreachable = new A2AError('upstreamUnreachable', `cannot reach ${target}: ${reason}`, { cause: error });
    return hadNoConnection(error) ? markUnsent(unreachable) : unreachable;
  }
  const details = (received?.details ?? []).map(({ typeUrl = '', value = Buffer.alloc(0) }) => ({ typeUrl, value }));
  const { dialect, method } = rpc;
  const statusOf = { code: error.code ?? status.UNKNOWN, message: received?.message || message, details };
  return unpackError(statusOf, (name) => dialect.grpc?.kindOf?.(name, method.operation));
}

/** Whether grpc-js itself reports that the call had no connection. Statuses that were received have metadata. */
const hadNoConnection = ({ details, metadata }: ServiceError): boolean =>
  /^(No connection established|Name resolution failed)/.test(details) && Object.keys(metadata.getMap()).length === 0;

function readStatus(bytes: Buffer): Status | undefined {
  try {
    return Status.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Copies activated extensions and losses from metadata or trailers to the notes. */
function readNotes(metadata: Metadata, context: CallContext): void {
  const names = ['a2a-extensions', 'x-a2a-extensions', 'a2a-gateway-loss'];
  const headers = Object.fromEntries(names.map((name) => [name, metadata.get(name).map(String).join(',')]));
  readReplyHeaders({ headers }, context);
}
