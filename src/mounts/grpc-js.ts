/** `a2a-gateway/grpc-js`: adds a gateway to a Server of `@grpc/grpc-js`, next to the program's own services. */

import {
  Metadata,
  ResponderBuilder,
  type Server,
  type ServerDuplexStream,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServerUnaryCall,
  type ServiceDefinition,
  type StatusObject,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { A2AError } from '../core/model/errors.ts';
import type { Gateway } from '../gateway/compose/gateway.ts';
import { certificateFrom } from '../transports/listener/client-certificate.ts';
import { metadataOf } from '../transports/rpc/errors.ts';
import { type Mount, MountedCall, type MountedFacts, mountOf, receivedFrom } from '../transports/rpc/mount.ts';
import type { Rpc, RpcsOfPath } from '../transports/rpc/rpc.ts';
import { type AnswerSink, failureOf, headOf, trailersOf } from '../transports/rpc/serve-call.ts';
import { countBody } from '../wire/counts.ts';
import { encode } from '../wire/protobuf.ts';
import { decodeRequest } from '../wire/protobuf-document.ts';

/** A call of any kind; only calls without a stream of requests have `request`. */
type AnyCall = ServerUnaryCall<Buffer, Buffer> & ServerDuplexStream<Buffer, Buffer>;

/** Servers that have a gateway. */
const mounted = new WeakSet<Server>();

/** Calls that the interceptor has seen, by the library's own call: interceptors may pass on a copy of the metadata. */
const admitted = new WeakMap<object, { readonly metadata: Metadata; readonly mountedCall: MountedCall }>();

/**
 * Adds the gateway's services to a server: those of every A2A version, of the knowledge graph and of the admin service.
 *
 * ```ts
 * import { Server, ServerCredentials } from '@grpc/grpc-js';
 * import { createGateway, createReferenceAgent } from 'a2a-gateway';
 * import { addGateway, authentication } from 'a2a-gateway/grpc-js';
 *
 * const gateway = createGateway({ agents: { demo: createReferenceAgent() } });
 * await gateway.start();
 * const server = new Server({ interceptors: [authentication(gateway)] });
 * addGateway(server, gateway);
 * server.bindAsync('0.0.0.0:50051', ServerCredentials.createInsecure(), () => undefined);
 * ```
 *
 * Calls get UNAVAILABLE until the gateway has started, and after it was closed.
 *
 * @throws Error where the server has a gateway, or a service of the same name, already
 */
export function addGateway(server: Server, gateway: Gateway): void {
  const mount = mountOf(gateway);
  if (mounted.has(server)) {
    throw new Error(
      'The server has a gateway already: one gateway serves several agents, a second one needs a Server of its own',
    );
  }
  const services = Map.groupBy(mount.rpcs, ([, [{ api }]]) => api.service);
  const added: ServiceDefinition[] = [];
  for (const [name, rpcs] of services) {
    const definition = Object.fromEntries(rpcs.map(([path, [rpc]]) => [rpc.operation.rpc, methodOf(path, rpc)]));
    const handlers = rpcs.map(([, versions]) => [versions[0].operation.rpc, handlerOf(mount, versions)]);
    try {
      server.addService(definition, Object.fromEntries(handlers) as UntypedServiceImplementation);
    } catch (cause) {
      for (const one of added) server.removeService(one);
      throw new Error(`The server has rpcs of ${name} already, which the gateway serves`, { cause });
    }
    added.push(definition);
  }
  mounted.add(server);
}

const same = (bytes: Buffer): Buffer => bytes;

const methodOf = (path: string, { operation }: Rpc) => ({
  path,
  requestStream: operation.clientStreaming === true,
  responseStream: operation.streaming,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});

/**
 * Returns an interceptor that authenticates callers of the gateway by their metadata, before their messages are read;
 * calls of other services pass. Without it, callers are authenticated after their first message was read.
 */
export function authentication(gateway: Gateway): ServerInterceptor {
  const mount = mountOf(gateway);
  return ({ path }, call) => {
    const versions = mount.rpcs.get(path);
    if (!versions) return new ServerInterceptingCall(call);
    const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, next) => {
      const mountedCall = new MountedCall(mount, versions, factsOf(metadata, call));
      admitted.set(innermost(call), { metadata, mountedCall });
      mountedCall.admit().then(
        () => next(metadata),
        (thrown) => call.sendStatus(statusOf(mountedCall, A2AError.from(thrown), true)),
      );
    });
    const responder = new ResponderBuilder().withStart((next) => next(listener.build()));
    return new ServerInterceptingCall(call, responder.build());
  };
}

type Peer = Pick<ServerInterceptingCallInterface, 'getPeer' | 'getHost' | 'getAuthContext'>;

function factsOf(metadata: Metadata, call: Peer): MountedFacts {
  // Old versions of the library have none.
  const { transportSecurityType, sslPeerCertificate: peer } = call.getAuthContext?.() ?? {};
  return {
    header(name) {
      // The library takes it out.
      if (name === 'content-type') return 'application/grpc';
      const values = metadata.get(name);
      return values.length === 0 ? undefined : values.join(', ');
    },
    headerNames: () => Object.keys(metadata.getMap()),
    host: hostOf(metadata, call),
    remoteAddress: addressOf(call.getPeer()),
    httpVersion: '2.0',
    hasBody: true,
    encrypted: transportSecurityType !== undefined,
    certificate: peer && certificateFrom(peer.raw),
    binding: 'grpc',
  };
}

/** Returns the address without the port; empty for a Unix socket. */
const addressOf = (peer: string): string => (peer === 'unknown' ? '' : peer.replace(/:\d+$/, ''));

/** Returns the host of a call; undefined if its metadata names another one. */
function hostOf(metadata: Metadata, call: Peer): string | undefined {
  const host = call.getHost();
  return metadata.get('host').every((named) => named === host) ? host : undefined;
}

function toMetadata(list: Readonly<Record<string, string | string[]>>): Metadata {
  const metadata = new Metadata();
  for (const [name, values] of Object.entries(list)) {
    for (const value of [values].flat())
      metadata.add(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

function statusOf({ rpc, requestId, notes }: MountedCall, error: A2AError, isWhole: boolean): StatusObject {
  const { 'grpc-status': code, 'grpc-message': text, ...rest } = failureOf(rpc, error, { requestId, notes, isWhole });
  return { code: Number(code), details: decodeURIComponent(String(text)), metadata: toMetadata(rest) };
}

const handlerOf =
  (mount: Mount, versions: RpcsOfPath) =>
  (call: AnyCall, done?: sendUnaryData<Buffer>): void => {
    const inner = innermost((call as { readonly call?: LibraryCall }).call ?? call);
    const known = admitted.get(inner);
    const mountedCall =
      known?.metadata === call.metadata
        ? known.mountedCall
        : new MountedCall(mount, versions, factsOf(call.metadata, call), known?.mountedCall);
    const { api, operation } = mountedCall.rpc;
    const abort = new AbortController();
    const { signal } = abort;
    const cancel = (): void => abort.abort(new A2AError('canceled'));
    call.on('cancelled', cancel);
    if (call.cancelled || inner.cancelled) cancel();
    const serving = mountedCall.serve(answerOf(mountedCall, call, done, abort), signal, {
      deadline() {
        const deadline = Number(call.getDeadline());
        return deadline === Number.POSITIVE_INFINITY ? undefined : deadline;
      },
      read(reading) {
        const decoded = (bytes: Buffer): object => {
          if (bytes.length > reading.limit)
            throw new A2AError('payloadTooLarge', `The message is larger than ${reading.limit} bytes`);
          countBody(reading, bytes.length);
          return decodeRequest(api, operation.request, bytes, reading);
        };
        if (!operation.clientStreaming) return { message: decoded(call.request) };
        return receivedFrom(messagesOf(call, decoded), signal);
      },
    });
    // The library reports the end of every call, and an error costs its stack.
    void serving.then(() => call.off('cancelled', cancel));
  };

/** A call of the library, with members that its types do not have. */
interface LibraryCall {
  readonly nextCall?: LibraryCall;
  readonly cancelled?: boolean;
}

/**
 * Returns the library's own call, below its interceptors. It knows about clients that left before the handler was
 * called.
 */
function innermost(call: object): LibraryCall {
  let inner: LibraryCall = call;
  while (inner.nextCall) inner = inner.nextCall;
  return inner;
}

/** Yields messages. The end of the iteration does not end the call. */
async function* messagesOf(call: AnyCall, decoded: (bytes: Buffer) => object): AsyncIterable<object> {
  for await (const bytes of call.iterator({ destroyOnReturn: false })) yield decoded(bytes);
}

/** @param abort aborted when the call is over for the client, or has failed */
function answerOf(
  mountedCall: MountedCall,
  call: AnyCall,
  done: sendUnaryData<Buffer> | undefined,
  abort: AbortController,
): AnswerSink<Buffer> {
  const { rpc, requestId } = mountedCall;
  const { signal } = abort;
  let hasBegun = false;
  const isOver = (): boolean => signal.aborted;
  const begin = (): void => {
    hasBegun = true;
    const alsoOld = call.metadata.get('x-a2a-extensions').length > 0;
    call.sendMetadata(toMetadata(metadataOf(headOf(rpc, requestId, mountedCall.notes, alsoOld))));
  };
  const trailers = (): Metadata => toMetadata(metadataOf(trailersOf(mountedCall.notes)));
  return {
    called() {},
    encode: (message) => encode(rpc.api, rpc.operation.response, message) as Buffer,
    isOver,
    begin,
    value(message) {
      if (isOver()) return;
      begin();
      done?.(null, message, trailers());
    },
    send: (message) => (call.write(message) ? undefined : drained(call, signal)),
    end: () => void call.end(trailers()),
    fail(error) {
      if (isOver()) return;
      const status = statusOf(mountedCall, error, !hasBegun);
      if (done) done(status as never);
      else call.emit('error', status);
      abort.abort(error);
    },
  };
}

/** Resolves when the client has read the written data, or the call is over. */
const drained = (call: AnyCall, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
