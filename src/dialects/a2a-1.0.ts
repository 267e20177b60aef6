import type { A2AError, ErrorKind } from '../core/errors.ts';
import type { AgentCard, StreamResponse } from '../gen/a2a-v1/types.ts';
import type { Api, Operation } from '../gen/operations.ts';
import type { OperationName, RequestOf, ResponseOf } from '../gen/services.ts';
import { parseAs } from '../wire/validate.ts';
import { v1CardSigning } from './a2a-1.0-signing.ts';
import type { Codec, Dialect, Method, RestFace, StreamShape } from './dialect.ts';
import { errorCodec, errorFromDetails, isObject, jsonRpcErrorStatuses } from './errors.ts';
import { stripper } from './metadata.ts';
import { methodTables } from './methods.ts';
import { jsonRpcRequestCodec } from './request.ts';

/**
 * A2A 1.0: the gateway's own form, so that a conversion is a validation. Built by looping over the operations of `api`:
 * an rpc that is added to the proto is served by every face without an edit here.
 */
export function v1Dialect(api: Api): Dialect {
  const byOperation = new Map(api.operations.map((operation) => [operation.name, methodOf(api, operation)]));
  const methods = [...byOperation.values()];
  const jsonrpc = {
    ...methodTables(methods),
    error: jsonRpcError,
    errorStatuses: jsonRpcErrorStatuses,
    stream: {
      enveloped: true,
      // Named as the official server names it; its clients read the envelope whatever the name.
      error: (error: A2AError, id: unknown) => [
        {
          event: 'error',
          data: JSON.stringify({ jsonrpc: '2.0', id, error: jsonRpcError.encode(error, { losses: new Set() }) }),
        },
      ],
      refusedAsStream: false,
    },
  };
  const routes = api.operations.flatMap((operation) => {
    const method = byOperation.get(operation.name);
    return method ? operation.http.map((rule) => ({ rule, method, requestType: operation.request })) : [];
  });
  const card = stripped<AgentCard>(api, `${api.package}.AgentCard`);
  return {
    name: 'a2a-1.0',
    versions: ['1.0'],
    extensionHeaders: ['A2A-Extensions'],
    jsonrpc,
    rest: { routes, api, mediaType: 'application/a2a+json', error: restError },
    grpc: { service: api.service, api, methods: jsonrpc.methods },
    card: {
      ...card,
      paths: ['/.well-known/agent-card.json'],
      protocolVersion: '1.0',
      signing: v1CardSigning(api),
    },
    // Section 4.3.3. The version lets a receiver tell these bodies from those of older agents.
    push: { mediaType: 'application/a2a+json', body: 'event', headers: { 'a2a-version': '1.0' } },
    types: {
      message: stripped(api, `${api.package}.Message`),
      task: stripped(api, `${api.package}.Task`),
      event: stripped(api, `${api.package}.StreamResponse`),
      card,
      request: jsonRpcRequestCodec(jsonrpc),
      error: jsonRpcError as Codec<unknown, unknown>,
    },
    losses: {},
  };
}

/** Validates what comes in, leaves what goes out as it is. */
function stripped<T>(api: Api, typeName: string): Codec<unknown, T> {
  const strip = stripper(api, typeName);
  return { decode: (wire) => strip(parseAs<T>(api, typeName, wire)), encode: (value) => value };
}

function methodOf(api: Api, operation: Operation): Method {
  const request = stripped<RequestOf<OperationName>>(api, operation.request);
  const response = stripped<ResponseOf<OperationName>>(api, operation.response);
  return {
    name: operation.rpc,
    // An rpc that the core does not know yet is routed all the same; the core says that there is no such operation.
    operation: operation.name as OperationName,
    request: {
      // Methods without parameters may be called without any.
      decode: (wire, cx) => ({ request: request.decode(wire ?? {}, cx) }),
      encode: (decoded) => decoded.request,
    },
    ...(operation.streaming
      ? { stream: streamOf(response as Codec<unknown, StreamResponse>) }
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

const jsonRpcError = errorCodec();

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
const restError: RestFace['error'] = {
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
