import type { ServiceDefinition } from '@grpc/grpc-js';

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** What differs between the services of one server. */
export interface DefinitionOptions {
  /** Of request messages; by default they stay bytes. */
  readonly decode?: (bytes: Buffer) => unknown;
  readonly requestStream?: (rpc: string) => boolean;
  readonly responseStream: (rpc: string) => boolean;
}

/** A service as grpc-js registers it. Responses are bytes. */
export function definitionOf(service: string, rpcs: readonly string[], options: DefinitionOptions): ServiceDefinition {
  const { decode = (bytes) => bytes, requestStream = () => false, responseStream } = options;
  return Object.fromEntries(
    rpcs.map((rpc) => [
      rpc,
      {
        path: `/${service}/${rpc}`,
        requestStream: requestStream(rpc),
        responseStream: responseStream(rpc),
        requestSerialize: asIs,
        requestDeserialize: decode,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    ]),
  );
}
