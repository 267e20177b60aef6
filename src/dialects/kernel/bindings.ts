import type { StreamResponse } from '../../core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Api } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import { parseAs } from '../../wire/validate.ts';
import type { Codec, StreamShape } from './codec.ts';
import { errorCodec, errorFrames, errorFromDetails, jsonRpcErrorStatuses, kindOfStatus } from './errors.ts';
import { keysOfResults, stripper } from './metadata.ts';
import { methodTables } from './methods.ts';
import type { FieldNames, GrpcBinding, JsonRpcBinding, Method, RestBinding, WireProtocol } from './wire.ts';

type StreamOptions = Pick<JsonRpcBinding['stream'], 'refusedAsStreamTo' | 'refusalStatuses'>;

/** Codecs for the types of a service. */
export interface WireCodecs {
  request(type: string): Codec<unknown, RequestOf<OperationName>>;
  result(type: string): NonNullable<Method['result']>;
  stream(type: string): StreamShape;
  /** Returns wire names of a request's fields that have another name on the wire, by path. */
  names?(type: string): FieldNames | undefined;
}

/** Facts about a service's bindings that its proto does not contain. */
export interface BindingOptions extends StreamOptions, Pick<StreamShape, 'atOnce'>, Pick<RestBinding, 'demands'> {
  /** Codecs of the types. Default: values are sent in the form in memory. */
  readonly codecs?: WireCodecs;
  /** Returns the name of an operation over JSON-RPC. Default: the rpc's name. */
  readonly methodName?: (operation: Operation) => string;
  readonly mediaType: string;
  /** Name of the event for an error in a stream. Default: none. */
  readonly errorEvent?: string;
  /** Errors whose code or status has another meaning in another service. */
  readonly errors?: OwnErrors;
}

/**
 * Returns the bindings of a service whose wire format is nearly the canonical form: incoming values are validated. They
 * follow the operations of `api`: an rpc that is added to the proto is served over every binding without an edit here.
 */
export function bindingsOf(
  api: Api,
  {
    codecs = sameCodecs(api),
    methodName,
    mediaType,
    errorEvent,
    errors = {},
    atOnce,
    demands,
    ...streamOptions
  }: BindingOptions,
): Required<Pick<WireProtocol, 'jsonrpc' | 'rest' | 'grpc'>> {
  // `data` is the list of details (A2A 1.0.1 section 9.5).
  const error = errorCodec({}, { dataOf: (thrown) => thrown.details(), read: errors.jsonrpc ?? {} });
  const methods = api.operations.map((operation) => {
    const method = methodOf(codecs, operation, methodName?.(operation) ?? operation.rpc);
    return method.stream && atOnce ? { ...method, stream: { ...method.stream, atOnce } } : method;
  });
  // Bindings with one body per request know the names of streaming rpcs, and refuse them.
  const ofOneBody = methods.map((method, at) => (api.operations[at]?.clientStreaming ? refusing(method) : method));
  return {
    jsonrpc: {
      ...methodTables(ofOneBody),
      error,
      errorStatuses: jsonRpcErrorStatuses,
      stream: {
        enveloped: true,
        error: errorFrames(error, errorEvent),
        refusedAsStream: false,
        ...streamOptions,
      },
    },
    rest: {
      routes: routesOf(api, ofOneBody),
      api,
      mediaType,
      ...(demands && { demands }),
      // The example of an error in A2A 1.0.1 section 11.6 has this type, and the SDK for Go reads no other.
      errorMediaType: 'application/json',
      error: restErrorOf(errors),
    },
    grpc: {
      service: api.service,
      api,
      kindOf: (status, operation) => errors.grpc?.(status, operation),
      methods: new Map(api.operations.map(({ rpc }, index) => [rpc, methods[index] as Method])),
    },
  };
}

/** @param methods in the order of the operations */
const routesOf = (api: Api, methods: readonly Method[]): RestBinding['routes'] =>
  api.operations.flatMap(({ http, request: requestType }, index) =>
    http.map((rule) => ({ rule, method: methods[index] as Method, requestType })),
  );

/**
 * Returns a codec that validates incoming values and removes the gateway's own metadata except the `keptKeys`;
 * outgoing values stay unchanged.
 */
export function stripped<T>(api: Api, typeName: string, keptKeys?: ReadonlySet<string>): Codec<unknown, T> {
  const strip = stripper(api, typeName, keptKeys);
  return {
    decode: (wire, { keepsOwn }) => {
      const value = parseAs<T>(api, typeName, wire);
      return keepsOwn ? value : strip(value);
    },
    encode: (value) => value,
  };
}

/** Returns codecs of a service whose wire format is the canonical form. */
export const sameCodecs = (api: Api): WireCodecs => ({
  request: (type) => stripped(api, type),
  result: (type) => resultOf(stripped(api, type, keysOfResults)),
  stream: (type) => streamOf(stripped(api, type, keysOfResults)),
});

function methodOf(codecs: WireCodecs, operation: Operation, name: string): Method {
  const request = codecs.request(operation.request);
  const names = Object.entries(codecs.names?.(operation.request) ?? {});
  return {
    name,
    ...(names.length > 0 && { fields: pathsOnWire(names) }),
    // An rpc that the core does not know yet is routed too; the core refuses it.
    operation: operation.name as OperationName,
    request: {
      // Methods without parameters may be called without any.
      decode: (wire, cx) => ({ request: request.decode(wire ?? {}, cx) }),
      encode: (decoded, cx) => request.encode(decoded.request, cx),
    },
    ...(operation.streaming
      ? { stream: codecs.stream(operation.response) }
      : { result: codecs.result(operation.response) }),
  };
}

/** Returns wire names of fields with another name, by path. */
function pathsOnWire(names: readonly (readonly [path: string, name: string])[]): FieldNames {
  const onWire = (path: string): string => {
    const steps = path.split('.').slice(0, -1);
    const last = path.split('.').at(-1) ?? '';
    const own = names.find(([other]) => other === path)?.[1] ?? last;
    return steps.length === 0 ? own : `${onWire(steps.join('.'))}.${own}`;
  };
  return Object.fromEntries(names.map(([path]) => [path, onWire(path)]));
}

/** Returns the codec of an answer whose existing JSON text is sent unchanged. */
const resultOf = (response: Codec<unknown, ResponseOf<OperationName>>): NonNullable<Method['result']> => ({
  decode: (wire, cx) => ({ value: response.decode(wire, cx) }),
  encode: ({ value }) => value,
  textOf: ({ json }) => json,
});

/** Returns a method of a binding that cannot carry a stream of requests: it refuses every call. */
const refusing = (method: Method): Method => ({
  ...method,
  request: {
    ...method.request,
    decode: () => {
      throw streamsRequests(method.name);
    },
  },
});

/** Returns the error for a call of a client-streaming rpc over a binding other than gRPC, gRPC-Web and Connect. */
const streamsRequests = (name: string): A2AError =>
  new A2AError('methodNotFound', `${name} takes a stream of messages, which only gRPC, gRPC-Web and Connect can carry`);

/** Returns a stream whose events are sent as logged: stringified once, for all readers. */
const streamOf = (response: Codec<unknown, StreamResponse>): StreamShape => ({
  encoder: () => ({ encode: (event) => [{ data: event.json }] }),
  decoder: (cx) => ({ decode: ({ data }) => [response.decode(data, cx)] }),
  isEvent: ({ data }) => isObject(data),
  event: { decode: response.decode, encode: ({ event }) => event },
});

/** Kinds for codes and statuses of one service, for errors without a reason. */
export interface OwnErrors {
  readonly jsonrpc?: Readonly<Record<number, ErrorKind>>;
  readonly http?: Readonly<Record<number, ErrorKind>>;
  readonly grpc?: NonNullable<GrpcBinding['kindOf']>;
}

/** A2A 1.0.1 section 11.6: the JSON form of google.rpc.Status below `error`, with the HTTP status as its code. */
const restErrorOf = ({ http: own }: OwnErrors): RestBinding['error'] => ({
  encode: (error) => {
    const { http: status, grpc } = error.row;
    const body = { error: { code: status, status: grpc, message: error.message, details: error.details() } };
    return { status, body };
  },
  decode: (wire) => {
    const { status, body } = wire as { status: number; body: unknown };
    const { details, message } = isObject(body) && isObject(body.error) ? body.error : {};
    return errorFromDetails(details, kindOfStatus(status, own), message);
  },
});
