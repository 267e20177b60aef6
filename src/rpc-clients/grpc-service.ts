import {
  type CallOptions,
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  type ClientOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type MethodDefinition,
  makeGenericClientConstructor,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { FieldTables } from '../gen/api.ts';
import { decodeRaw, encode } from '../wire/protobuf.ts';

/**
 * Types of an rpc's request and response; if it streams, `response` is the type of each event, and `request` of each
 * message.
 */
interface Rpc {
  readonly request: unknown;
  readonly response: unknown;
  readonly streaming: boolean;
  readonly clientStreaming?: boolean;
}

/** The method of an rpc that answers with one message. */
export interface UnaryMethod<Q, R> {
  (request: Q, callback: (error: ServiceError | null, response: R) => void): ClientUnaryCall;
  (request: Q, metadata: Metadata, callback: (error: ServiceError | null, response: R) => void): ClientUnaryCall;
  (
    request: Q,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: R) => void,
  ): ClientUnaryCall;
}

/** The method of an rpc that answers with a stream. */
export interface StreamingMethod<Q, R> {
  (request: Q, options?: Partial<CallOptions>): ClientReadableStream<R>;
  (request: Q, metadata?: Metadata, options?: Partial<CallOptions>): ClientReadableStream<R>;
}

/** The method of an rpc that takes a stream. */
export interface WritingMethod<Q, R> {
  (callback: (error: ServiceError | null, response: R) => void): ClientWritableStream<Q>;
  (metadata: Metadata, callback: (error: ServiceError | null, response: R) => void): ClientWritableStream<Q>;
  (
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: R) => void,
  ): ClientWritableStream<Q>;
}

/** The method of an rpc that takes a stream and answers with one. */
export interface DuplexMethod<Q, R> {
  (options?: Partial<CallOptions>): ClientDuplexStream<Q, R>;
  (metadata?: Metadata, options?: Partial<CallOptions>): ClientDuplexStream<Q, R>;
}

/** Selects one of four types, by the streams of an rpc. */
type ByStreams<M extends Rpc, Unary, Streaming, Writing, Duplex> = M extends { readonly clientStreaming: true }
  ? M['streaming'] extends true
    ? Duplex
    : Writing
  : M['streaming'] extends true
    ? Streaming
    : Unary;

type MethodOf<M extends Rpc, Q = M['request'], R = M['response']> = ByStreams<
  M,
  UnaryMethod<Q, R>,
  StreamingMethod<Q, R>,
  WritingMethod<Q, R>,
  DuplexMethod<Q, R>
>;

type HandlerOf<M extends Rpc, Q = M['request'], R = M['response']> = ByStreams<
  M,
  handleUnaryCall<Q, R>,
  handleServerStreamingCall<Q, R>,
  handleClientStreamingCall<Q, R>,
  handleBidiStreamingCall<Q, R>
>;

/** The methods of a client, by rpc. */
export type Methods<Rpcs> = { [K in keyof Rpcs]: Rpcs[K] extends Rpc ? MethodOf<Rpcs[K]> : never };

/** Handlers that a server of the library needs. */
export type Handlers<Rpcs> = UntypedServiceImplementation & {
  [K in keyof Rpcs]: Rpcs[K] extends Rpc ? HandlerOf<Rpcs[K]> : never;
};

/** A service in the library's form. */
export type Service<Rpcs> = {
  readonly [K in keyof Rpcs]: Rpcs[K] extends Rpc ? MethodDefinition<Rpcs[K]['request'], Rpcs[K]['response']> : never;
};

/** Generated facts of an rpc: its method, its path, and the full names of its messages. */
interface RpcRow {
  readonly name: string;
  readonly path: string;
  readonly request: string;
  readonly response: string;
  readonly streaming: boolean;
  readonly clientStreaming?: boolean;
}

/** Returns a service for the library: its messages are those of `fields`, with bytes as buffers. */
export function serviceOf<Rpcs>(fields: FieldTables, rpcs: readonly RpcRow[]): Service<Rpcs> {
  const serialize = (type: string) => (message: object) => encode({ fields }, type, message) as Buffer<ArrayBuffer>;
  const deserialize = (type: string) => (bytes: Buffer) => decodeRaw({ fields }, type, bytes);
  const methods = rpcs.map(({ name, path, request, response, streaming, clientStreaming = false }) => {
    const definition: MethodDefinition<object, object> = {
      path,
      requestStream: clientStreaming,
      responseStream: streaming,
      requestSerialize: serialize(request),
      requestDeserialize: deserialize(request),
      responseSerialize: serialize(response),
      responseDeserialize: deserialize(response),
    };
    return [name, definition];
  });
  return Object.fromEntries(methods);
}

export interface ClientClass<C extends Client, Rpcs> {
  new (address: string, credentials: ChannelCredentials, options?: Partial<ClientOptions>): C;
  readonly service: Service<Rpcs>;
  readonly serviceName: string;
}

/** @param name full name of the service */
export const clientClass = <C extends Client, Rpcs>(service: Service<Rpcs>, name: string): ClientClass<C, Rpcs> =>
  makeGenericClientConstructor(service as never, name) as unknown as ClientClass<C, Rpcs>;
