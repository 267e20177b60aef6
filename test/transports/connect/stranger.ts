import { createFileRegistry, type DescMethod, fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type CallOptions, ConnectError, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { api, loadImage } from '../rpc-support.ts';

/** The official client, over services that it knows from the descriptor image alone. */

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, await loadImage()));
const service = registry.getService(api.service);

export const protocols = ['connect+json', 'connect+proto', 'grpc-web+json', 'grpc-web+proto'] as const;
export type Protocol = (typeof protocols)[number];

export interface Seen {
  headers?: Headers;
  trailers?: Headers;
}

export interface ConnectStranger {
  unary(rpc: string, request: object, options?: CallOptions, seen?: Seen): Promise<JsonValue>;
  stream(rpc: string, request: object, options?: CallOptions, seen?: Seen): AsyncIterable<JsonValue>;
}

function methodOf(rpc: string): DescMethod {
  const method = service?.methods.find(({ name }) => name === rpc);
  if (!method) throw new Error(`no rpc ${rpc}`);
  return method;
}

export function connectStranger(baseUrl: string, protocol: Protocol): ConnectStranger {
  const [kind, format] = protocol.split('+');
  const options = {
    baseUrl,
    httpVersion: '1.1',
    useBinaryFormat: format === 'proto',
    jsonOptions: { registry },
  } as const;
  const transport: Transport = kind === 'connect' ? createConnectTransport(options) : createGrpcWebTransport(options);
  return {
    async unary(rpc, request, { signal, timeoutMs, headers } = {}, seen = {}) {
      const method = methodOf(rpc) as DescMethod & { methodKind: 'unary' };
      const message = fromJson(method.input, request as JsonValue, { registry });
      const response = await transport.unary(method, signal, timeoutMs, headers, message);
      seen.headers = response.header;
      seen.trailers = response.trailer;
      return toJson(method.output, response.message, { registry });
    },
    async *stream(rpc, request, { signal, timeoutMs, headers } = {}, seen = {}) {
      const method = methodOf(rpc) as DescMethod & { methodKind: 'server_streaming' };
      const message = fromJson(method.input, request as JsonValue, { registry });
      const input = (async function* () {
        yield message;
      })();
      const response = await transport.stream(method, signal, timeoutMs, headers, input);
      seen.headers = response.header;
      for await (const answer of response.message) yield toJson(method.output, answer, { registry });
      seen.trailers = response.trailer;
    },
  };
}

/** Details of an error as `type` and JSON. */
export function detailsOf(error: unknown): Record<string, JsonValue> {
  const details: Record<string, JsonValue> = {};
  if (!(error instanceof ConnectError)) throw error;
  for (const name of ['google.rpc.ErrorInfo', 'google.rpc.BadRequest']) {
    const desc = registry.getMessage(name);
    if (!desc) continue;
    for (const found of error.findDetails(desc)) details[name] = toJson(desc, found);
  }
  return details;
}
