import type { StreamResponse } from '../../core/model/a2a.ts';
import type { ErrorKind } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Api } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import { parseAs } from '../../wire/validate.ts';
import type { Codec, StreamShape } from './codec.ts';
import { errorCodec, errorFromDetails, jsonRpcErrorStatuses } from './errors.ts';
import { stripper } from './metadata.ts';
import { methodTables } from './methods.ts';
import type { GrpcBinding, JsonRpcBinding, Method, RestBinding } from './wire.ts';

/** What there is to say of a service that its proto does not. */
export interface BindingOptions {
  /** What an operation is called over JSON-RPC. Default: like its rpc. */
  readonly methodName?: (operation: Operation) => string;
  readonly mediaType: string;
  /** Name of the event that tells of an error in a stream; absent: it bears none. */
  readonly errorEvent?: string;
  /** Streams whose first event may be long in coming. Default false. */
  readonly atOnce?: boolean;
  /** HTTP statuses that a stream is refused with over JSON-RPC, besides those of all errors. */
  readonly refusalStatuses?: ReadonlySet<number>;
  /** The `User-Agent` of clients that read errors of a stream over JSON-RPC from event streams only. */
  readonly refusedAsStreamTo?: RegExp;
}

/** A service over every binding. */
export interface ServiceBindings {
  readonly jsonrpc: JsonRpcBinding;
  readonly rest: RestBinding;
  readonly grpc: GrpcBinding;
}

/**
 * The faces of a service that is spoken as the gateway keeps it, so that a conversion is a validation. Made by looping
 * over the operations of `api`: an rpc that is added to the proto is served by every face without an edit here.
 */
export function bindingsOf(api: Api, options: BindingOptions): ServiceBindings {
  const byOperation = new Map(api.operations.map((operation) => [operation.name, methodOf(api, operation, options)]));
  const { mediaType, errorEvent, refusalStatuses, refusedAsStreamTo } = options;
  const jsonrpc: JsonRpcBinding = {
    ...methodTables([...byOperation.values()]),
    error: jsonRpcError,
    errorStatuses: jsonRpcErrorStatuses,
    stream: {
      enveloped: true,
      error: (error, id) => {
        const told = jsonRpcError.encode(error, { losses: new Set() });
        return [
          { ...(errorEvent && { event: errorEvent }), data: JSON.stringify({ jsonrpc: '2.0', id, error: told }) },
        ];
      },
      refusedAsStream: false,
      ...(refusedAsStreamTo && { refusedAsStreamTo }),
      ...(refusalStatuses && { refusalStatuses }),
    },
  };
  const routes = api.operations.flatMap((operation) => {
    const method = byOperation.get(operation.name);
    return method ? operation.http.map((rule) => ({ rule, method, requestType: operation.request })) : [];
  });
  const byRpc = api.operations.map(({ name, rpc }) => [rpc, byOperation.get(name) as Method] as const);
  return {
    jsonrpc,
    // The example of an error in A2A 1.0.1 section 11.6 has this type, and the SDK for Go reads no other.
    rest: { routes, api, mediaType, errorMediaType: 'application/json', error: restError },
    grpc: { service: api.service, api, methods: new Map(byRpc) },
  };
}

/** Validates what comes in and takes the gateway's own metadata out of it; leaves what goes out as it is. */
export function stripped<T>(api: Api, typeName: string): Codec<unknown, T> {
  const strip = stripper(api, typeName);
  return {
    decode: (wire, { keepsOwn }) => {
      const value = parseAs<T>(api, typeName, wire);
      return keepsOwn ? value : strip(value);
    },
    encode: (value) => value,
  };
}

function methodOf(api: Api, operation: Operation, { methodName, atOnce }: BindingOptions): Method {
  const request = stripped<RequestOf<OperationName>>(api, operation.request);
  const response = stripped<ResponseOf<OperationName>>(api, operation.response);
  return {
    name: methodName?.(operation) ?? operation.rpc,
    // An rpc that the core does not know yet is routed all the same; the core says that there is no such operation.
    operation: operation.name as OperationName,
    request: {
      // Methods without parameters may be called without any.
      decode: (wire, cx) => ({ request: request.decode(wire ?? {}, cx) }),
      encode: (decoded) => decoded.request,
    },
    ...(operation.streaming
      ? { stream: { ...streamOf(response as Codec<unknown, StreamResponse>), ...(atOnce && { atOnce }) } }
      : {
          result: {
            decode: (wire, cx) => ({ value: response.decode(wire, cx) }),
            encode: ({ value }) => value,
            verbatim: true,
          },
        }),
  };
}

/** Every event is on the wire as the log holds it: stringified once, for all readers. */
function streamOf(response: Codec<unknown, StreamResponse>): StreamShape {
  return {
    encoder: () => ({ encode: (event) => [{ data: event.json }] }),
    decoder: (cx) => ({ decode: ({ data }) => [response.decode(data, cx)] }),
    event: response,
  };
}

/** Errors over JSON-RPC as in A2A 1.0: `data` is the list of details (1.0.1 section 9.5). */
export const jsonRpcError: ReturnType<typeof errorCodec> = errorCodec({}, (error) => error.details());

/** Kinds of errors that come without details, from something in between that is not an A2A server. */
const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
  400: 'invalidParams',
  401: 'unauthenticated',
  403: 'permissionDenied',
  404: 'routeNotFound',
  405: 'verbNotAllowed',
  408: 'requestTimeout',
  413: 'payloadTooLarge',
  422: 'invalidParams',
  429: 'tooManyRequests',
  501: 'unsupportedOperation',
  502: 'upstreamUnreachable',
  503: 'unavailable',
  504: 'upstreamTimeout',
};

/** A2A 1.0.1 section 11.6: the JSON form of google.rpc.Status below `error`, with the HTTP status as its code. */
const restError: RestBinding['error'] = {
  encode: (error) => {
    const { http: status, grpc } = error.row;
    const body = { error: { code: status, status: grpc, message: error.message, details: error.details() } };
    return { status, body };
  },
  decode: (wire) => {
    const { status, body } = wire as { status: number; body: unknown };
    const told = isObject(body) && isObject(body.error) ? body.error : {};
    const fallback = kindsByStatus[status] ?? (status < 500 ? 'invalidRequest' : 'internal');
    return errorFromDetails(told.details, fallback, told.message);
  },
};
