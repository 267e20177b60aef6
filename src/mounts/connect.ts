/**
 * `a2a-gateway/connect`: adds a gateway to the routes of a ConnectRouter (`@connectrpc/connect`), next to the program's
 * own.
 */

import type { IncomingMessage } from 'node:http';
import type { DescMethod, Message } from '@bufbuild/protobuf';
// Imported as a whole, since version 1 has other names: a program that has it gets an error that names the version.
import * as protobuf from '@bufbuild/protobuf';
import {
  type Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import { A2AError, grpcStatus } from '../core/model/errors.ts';
import type { Gateway } from '../gateway/compose/gateway.ts';
import { image } from '../gen/canonical-image.ts';
import { image as shared } from '../gen/image.ts';
import { errorHeaders } from '../transports/http/headers.ts';
import { certificateOf, isEncrypted } from '../transports/listener/client-certificate.ts';
import { descriptorsIn } from '../transports/rpc/descriptor-set.ts';
import { headerMessage, packDetails } from '../transports/rpc/errors.ts';
import { type Mount, MountedCall, type MountedFacts, mountOf, receivedFrom } from '../transports/rpc/mount.ts';
import { RequestStream } from '../transports/rpc/request-stream.ts';
import { type AnswerSink, headOf, trailersOf } from '../transports/rpc/serve-call.ts';
import { checkRequest } from '../wire/json-body.ts';

/** Options of an adapter of Connect, as far as they concern the routes. */
interface AdapterOptions extends ConnectRouterOptions {
  contextValues?: (req: never) => ContextValues;
}

const requestKey = createContextKey<IncomingMessage | undefined>(undefined);
const callKey = createContextKey<MountedCall | undefined>(undefined);

/**
 * Adds a request to the values of its call, by which the gateway knows its connection: the network address and the
 * client certificate. Only needed if `connectRoutes` is called within routes of the program's own.
 *
 * ```ts
 * import { createServer } from 'node:http';
 * import type { ConnectRouter } from '@connectrpc/connect';
 * import { connectNodeAdapter } from '@connectrpc/connect-node';
 * import { createGateway, createReferenceAgent } from 'a2a-gateway';
 * import { connectRoutes, contextValues } from 'a2a-gateway/connect';
 *
 * const gateway = createGateway({ agents: { demo: createReferenceAgent() } });
 * await gateway.start();
 * const routes = (router: ConnectRouter): void => {
 *   // Routes of the program's own come here: router.service(Own, { … })
 *   connectRoutes(gateway)(router);
 * };
 * createServer(connectNodeAdapter({ routes, contextValues })).listen(8080);
 * ```
 *
 * @param req of Node, Express or Fastify
 */
export function contextValues(req: object, values: ContextValues = createContextValues()): ContextValues {
  return values.set(requestKey, ('raw' in req ? req.raw : req) as IncomingMessage);
}

/**
 * Returns the gateway's services, for `routes` of connectNodeAdapter, fastifyConnectPlugin and other adapters of
 * Connect. Callers are authenticated before a message is read; this needs Connect 2.2 or later.
 *
 * ```ts
 * import { createServer } from 'node:http';
 * import { connectNodeAdapter } from '@connectrpc/connect-node';
 * import { createGateway, createReferenceAgent } from 'a2a-gateway';
 * import { connectRoutes } from 'a2a-gateway/connect';
 *
 * const gateway = createGateway({ agents: { demo: createReferenceAgent() } });
 * await gateway.start();
 * createServer(connectNodeAdapter({ routes: connectRoutes(gateway) })).listen(8080);
 * ```
 *
 * @throws Error if the router already has a route of the gateway's, and if the program has version 1 of Connect
 */
export function connectRoutes(gateway: Gateway): (router: ConnectRouter) => void {
  if (!('createFileRegistry' in protobuf)) {
    throw new Error(
      'a2a-gateway/connect needs version 2 of Connect, and this program has version 1: ' +
        'npm install @connectrpc/connect@2 @bufbuild/protobuf@2, and version 2 of the adapter, such as @connectrpc/connect-node@2',
    );
  }
  const mount = mountOf(gateway);
  // Adapters call it as a method of their options.
  return function routes(this: AdapterOptions | undefined, router: ConnectRouter): void {
    const adapter = this ?? {};
    const { contextValues: values } = adapter;
    adapter.contextValues = (req) => contextValues(req, values?.call(adapter, req));
    const taken = router.handlers.find(({ requestPath }) => mount.rpcs.has(requestPath));
    if (taken) throw new Error(`The router has ${taken.requestPath} already: one gateway serves several agents`);
    const set = Buffer.concat([Buffer.from(shared, 'base64'), Buffer.from(image, 'base64')]);
    const registry = protobuf.createFileRegistry(descriptorsIn(set));
    const services = Map.groupBy(mount.rpcs, ([, [{ api }]]) => api.service);
    for (const [name, rpcs] of services) {
      const service = registry.getService(name);
      if (!service) continue;
      const methods = rpcs.flatMap(
        ([, [{ operation }]]) => service.methods.find((one) => one.name === operation.rpc) ?? [],
      );
      const handlers = methods.map((method) => [method.localName, handlerOf(mount, method, { registry })]);
      router.service(service, Object.fromEntries(handlers) as ServiceImpl<typeof service>, {
        // Options of a service replace those of its router.
        ...protocolsOf(adapter),
        async requestGate(context) {
          await adapter.requestGate?.(context);
          const call = callOf(mount, context);
          context.values.set(callKey, call);
          await call.admit().catch((thrown) => Promise.reject(errorOf(call, A2AError.from(thrown))));
        },
      });
    }
  };
}

const protocolsOf = ({ connect = true, grpc = true, grpcWeb = true }: AdapterOptions) => ({ connect, grpc, grpcWeb });

function callOf(mount: Mount, context: HandlerContext): MountedCall {
  const versions = mount.rpcs.get(`/${context.service.typeName}/${context.method.name}`);
  if (!versions) throw new A2AError('methodNotFound');
  return new MountedCall(mount, versions, factsOf(context));
}

/** A name or address, perhaps with a port: no other part of a URL. */
const isHost = /^[^@/?#\\]+$/;

function factsOf({ requestHeader, requestMethod, protocolName, url, values }: HandlerContext): MountedFacts {
  const req = values.get(requestKey);
  const { protocol, host, pathname } = new URL(url);
  const named = requestHeader.get('host');
  return {
    header: (name) => requestHeader.get(name) ?? undefined,
    headerNames: () => [...requestHeader.keys()],
    host:
      named === null || (isHost.test(named) && URL.parse(`${protocol}//${named}`)?.host === host) ? host : undefined,
    remoteAddress: req?.socket.remoteAddress ?? '',
    httpVersion: req?.httpVersion ?? '2.0',
    hasBody: requestMethod !== 'GET',
    encrypted: req ? isEncrypted(req.socket) : protocol === 'https:',
    certificate: req && certificateOf(req.socket),
    path: pathname,
    binding: protocolName === 'grpc' || protocolName === 'grpc-web' ? protocolName : 'connect',
  };
}

type JsonOptions = Parameters<typeof protobuf.toJson>[2] & Parameters<typeof protobuf.fromJson>[2];

/** Returns the handler of a method of any kind: one answer is handled like a stream of one. */
function handlerOf(mount: Mount, method: DescMethod, options: JsonOptions) {
  const answers = (request: Message | AsyncIterable<Message>, context: HandlerContext): RequestStream => {
    const call = context.values.get(callKey) ?? callOf(mount, context);
    const { signal } = context;
    const sent = new RequestStream();
    const leave = (): void => sent.fail(ConnectError.from(signal.reason));
    signal.addEventListener('abort', leave, { once: true });
    const serving = call.serve(
      answerOf(call, context, sent, (json) => protobuf.fromJson(method.output, json as never, options)),
      signal,
      {
        deadline() {
          const left = context.timeoutMs();
          return left === undefined ? undefined : Date.now() + left;
        },
        read({ counts }) {
          const decoded = (message: Message): unknown => {
            const json = protobuf.toJson(method.input, message, options);
            checkRequest(json, counts);
            return json;
          };
          if (!(Symbol.asyncIterator in request)) return { message: decoded(request) };
          return receivedFrom(mapped(request, decoded), signal);
        },
      },
    );
    // The library aborts the signal of every call at its end, and an error costs its stack.
    void serving.then(() => signal.removeEventListener('abort', leave));
    return sent;
  };
  if (method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming') return answers;
  return async (request: Message | AsyncIterable<Message>, context: HandlerContext) =>
    (await answers(request, context).next()).value;
}

async function* mapped<T>(messages: AsyncIterable<Message>, convert: (message: Message) => T): AsyncIterable<T> {
  for await (const message of messages) yield convert(message);
}

function answerOf(
  call: MountedCall,
  { responseHeader, responseTrailer, requestHeader, signal }: HandlerContext,
  sent: RequestStream,
  encode: (json: object) => Message,
): AnswerSink<Message> {
  const begin = (): void => {
    addTo(responseHeader, headOf(call.rpc, call.requestId, call.notes, requestHeader.has('x-a2a-extensions')));
  };
  const end = (): void => {
    addTo(responseTrailer, trailersOf(call.notes));
    sent.end();
  };
  return {
    called() {},
    encode,
    isOver: () => signal.aborted,
    begin,
    value(message) {
      begin();
      void sent.push(() => message);
      end();
    },
    send: (message) => sent.push(() => message),
    end,
    fail: (error) => sent.fail(errorOf(call, error)),
  };
}

function addTo(headers: Headers, list: readonly string[]): void {
  for (let i = 0; i < list.length; i += 2) headers.append(list[i] as string, list[i + 1] as string);
}

function errorOf({ rpc, requestId, notes }: MountedCall, error: A2AError): ConnectError {
  const { status, message, details = packDetails(error) } = rpc.statusOfError(error);
  const metadata = new Headers();
  addTo(metadata, [...headOf(rpc, requestId, { headers: notes?.headers ?? [] }), ...errorHeaders(error)]);
  addTo(metadata, trailersOf(notes));
  const connectError = new ConnectError(headerMessage(message), grpcStatus[status] as Code, metadata);
  connectError.details = details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value: new Uint8Array(value),
  }));
  return connectError;
}
