import {
  createFileRegistry,
  type DescService,
  fromBinary,
  fromJson,
  type JsonObject,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { image } from './descriptors.ts';
import { decodeSse } from './sse.ts';

/** Clients of the knowledge graph extension over every binding, none of them ours. */

type Json = Record<string, unknown>;

/** An error in the words of the extension. */
export class Refused extends Error {
  readonly reason: string;
  readonly status: number | string;

  constructor(reason: string, status: number | string, message: string) {
    super(message);
    this.reason = reason;
    this.status = status;
  }
}

/** One way to ask for what an agent knows. Everything rejects with `Refused`. */
export interface KnowledgeClient {
  query(params: Json): Promise<Json>;
  update(params: Json): Promise<Json>;
  /** Resolves when the subscription is established. */
  subscribe(params: Json, after?: number): Promise<AsyncIterator<Json>>;
}

const reasonIn = (details: unknown): string =>
  ((details as Json[] | undefined) ?? [])
    .map(({ reason }) => reason)
    .find((reason) => typeof reason === 'string') as string;

const post = (url: string, body: Json, headers: Record<string, string>): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function* read(response: Response): AsyncGenerator<Json> {
  for await (const { data } of decodeSse(response.body as unknown as AsyncIterable<Uint8Array>)) {
    if (data !== '') yield JSON.parse(data) as Json;
  }
}

/** The frames of an answer. Leaving them closes the connection, also before the first. */
function framesOf(response: Response, unwrap: (frame: Json) => Json): AsyncIterator<Json> {
  const frames = read(response);
  let begun = false;
  return {
    async next() {
      begun = true;
      const step = await frames.next();
      return step.done ? step : { done: false, value: unwrap(step.value) };
    },
    async return() {
      if (begun) return frames.return(undefined);
      await response.body?.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** JSON-RPC at a URL; every answer must have the request's id. */
export function overJsonRpc(url: string, headers: Record<string, string> = {}): KnowledgeClient {
  const call = (method: string, params: Json, more = {}) =>
    post(url, { jsonrpc: '2.0', id: 'request-1', method: `knowledge/${method}`, params }, { ...headers, ...more });
  const result = (answer: Json, status: number): Json => {
    if (answer.id !== 'request-1' || answer.jsonrpc !== '2.0')
      throw new Error(`not the answer: ${JSON.stringify(answer)}`);
    const error = answer.error as { message: string; data: unknown } | undefined;
    if (error) throw new Refused(reasonIn(error.data), status, error.message);
    return answer.result as Json;
  };
  const unary = async (method: string, params: Json): Promise<Json> => {
    const response = await call(method, params);
    return result((await response.json()) as Json, response.status);
  };
  return {
    query: (params) => unary('query', params),
    update: (params) => unary('update', params),
    async subscribe(params, after) {
      const response = await call('subscribe', params, after === undefined ? {} : { 'last-event-id': String(after) });
      if (response.headers.get('content-type') !== 'text/event-stream') {
        return result((await response.json()) as Json, response.status) as never;
      }
      return framesOf(response, (answer) => result(answer, response.status));
    },
  };
}

/** HTTP+JSON below a URL. */
export function overRest(url: string, headers: Record<string, string> = {}): KnowledgeClient {
  const call = async (verb: string, params: Json, more = {}): Promise<Response> => {
    const response = await post(`${url}/knowledge:${verb}`, params, { ...headers, ...more });
    if (response.status === 200) return response;
    const { error } = (await response.json()) as { error: { message: string; details: unknown } };
    throw new Refused(reasonIn(error.details), response.status, error.message);
  };
  const unary = async (verb: string, params: Json): Promise<Json> => (await call(verb, params)).json() as Promise<Json>;
  return {
    query: (params) => unary('query', params),
    update: (params) => unary('update', params),
    async subscribe(params, after) {
      return framesOf(
        await call('subscribe', params, after === undefined ? {} : { 'last-event-id': String(after) }),
        (event) => event,
      );
    },
  };
}

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
const service = registry.getService('a2agateway.knowledge.v1.KnowledgeService') as DescService;

/** The bindings of protobuf, by connect-es. */
export const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect, JSON': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false, jsonOptions: { registry } }),
  'Connect, binary': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'gRPC-Web': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
};

/** The `KnowledgeService` over one of them; the agent is named by metadata. */
export function overConnectEs(transport: Transport, agent: string, more: Record<string, string> = {}): KnowledgeClient {
  const client = createClient(service, transport) as unknown as Record<string, (...args: unknown[]) => unknown>;
  const method = (name: string) => service.method[name] as DescService['methods'][number];
  const call = (name: string, params: Json, options: object) =>
    client[name]?.(fromJson(method(name).input, params as JsonObject), options);
  const jsonOf = (name: string, value: unknown): Json =>
    toJson(method(name).output, value as never, { registry }) as Json;
  const headers = { 'a2a-agent': agent, ...more };
  const refuse = (thrown: unknown): never => {
    const error = ConnectError.from(thrown);
    const info = error.findDetails(registry.getMessage('google.rpc.ErrorInfo') as never)[0] as unknown as {
      reason?: string;
    };
    throw new Refused(info?.reason ?? '', error.code, error.rawMessage);
  };
  const unary = async (name: string, params: Json): Promise<Json> => {
    try {
      return jsonOf(name, await call(name, params, { headers }));
    } catch (thrown) {
      return refuse(thrown);
    }
  };
  return {
    query: (params) => unary('query', params),
    update: (params) => unary('update', params),
    async subscribe(params, after) {
      const end = new AbortController();
      const begun = Promise.withResolvers<void>();
      const stream = call('subscribe', params, {
        headers: { ...headers, ...(after !== undefined && { 'last-event-id': String(after) }) },
        signal: end.signal,
        onHeader: () => begun.resolve(),
      }) as AsyncIterable<unknown>;
      const events = stream[Symbol.asyncIterator]();
      let first: Promise<IteratorResult<unknown>> | undefined = events.next();
      first.catch(begun.reject);
      await begun.promise.catch(refuse);
      return {
        async next() {
          const step = await (first ?? events.next()).catch(refuse);
          first = undefined;
          return step.done ? { done: true, value: undefined } : { done: false, value: jsonOf('subscribe', step.value) };
        },
        async return() {
          end.abort();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
