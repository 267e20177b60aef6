import { A2AError, grpcStatus } from '../../core/model/errors.ts';
import { ServerReflectionRequest, ServerReflectionResponse } from '../../gen/proto/grpc/reflection/v1/reflection.ts';
import { createDescriptorIndex, type DescriptorIndex } from './descriptor-index.ts';
import { GrpcStream, type IncomingCall } from './grpc-stream.ts';

/**
 * gRPC's server reflection (grpc.reflection.v1, and v1alpha, whose messages are the same). Tools such as grpcurl call it to
 * list services. Descriptor files are sent as they were compiled, including their options.
 */

/** The services under which it is registered. Each has one rpc. */
export const reflectionServices: readonly string[] = [
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];

export const reflectionRpc = 'ServerReflectionInfo';

/** What all calls of the service share. */
export interface Reflection {
  /** Full names that a listing shows. */
  readonly services: readonly string[];
  readonly descriptors: () => Promise<DescriptorIndex>;
}

/**
 * @param loadImage loads a serialised FileDescriptorSet of all services, when the first request arrives
 * @param services full names that a listing shows
 */
export function createReflection(loadImage: () => Promise<Uint8Array>, services: readonly string[]): Reflection {
  let index: Promise<DescriptorIndex> | undefined;
  return {
    services,
    descriptors: () => {
      index ??= loadImage().then(createDescriptorIndex);
      return index;
    },
  };
}

/** Bytes of a request. */
const maxRequest = 64 * 1024;
/** Milliseconds in which a client must read a response. */
const readTimeout = 30_000;

/** One client's stream of requests, answered one after the other. */
export class ReflectionCall extends GrpcStream {
  readonly #reflection: Reflection;
  #answered: Promise<void> = Promise.resolve();

  constructor(incoming: IncomingCall, reflection: Reflection) {
    super(incoming, maxRequest);
    this.#reflection = reflection;
  }

  /** Clients keep the stream open between requests. */
  override get arriving(): boolean {
    return false;
  }

  start(): void {
    this.begin({});
    this.read();
  }

  protected received(message: Buffer): void {
    // Requests are not buffered for a client that does not read the responses.
    this.pause();
    this.#answered = this.#answered
      .then(() => this.#answer(message))
      .then(
        () => this.resume(),
        (thrown) => this.fail(thrown),
      );
  }

  async #answer(message: Buffer): Promise<void> {
    let request: ServerReflectionRequest;
    try {
      request = ServerReflectionRequest.decode(message);
    } catch (error) {
      throw new A2AError('parse', 'Invalid protobuf message', { cause: error });
    }
    const found = responseTo(request, await this.#reflection.descriptors(), this.#reflection.services);
    const response = { ...(request.host && { validHost: request.host }), originalRequest: request, ...found };
    if (!this.send(ServerReflectionResponse.encode(response).finish())) await this.drained(readTimeout);
  }

  protected halfClosed(): void {
    void this.#answered.then(() => this.end());
  }
}

function responseTo(
  request: ServerReflectionRequest,
  descriptors: DescriptorIndex,
  services: readonly string[],
): ServerReflectionResponse {
  const { fileByFilename, fileContainingSymbol, fileContainingExtension, allExtensionNumbersOfType: type } = request;
  if (request.listServices !== undefined) {
    return { listServicesResponse: { service: services.map((name) => ({ name })) } };
  }
  if (type !== undefined) {
    const extensionNumber = descriptors.extensionsOf(type);
    if (!extensionNumber) return refusal(grpcStatus.NOT_FOUND, `No such message: ${type}`);
    return { allExtensionNumbersResponse: { baseTypeName: type, extensionNumber } };
  }
  if (fileByFilename !== undefined) return filesOrRefusal(descriptors.file(fileByFilename), fileByFilename);
  if (fileContainingSymbol !== undefined) {
    return filesOrRefusal(descriptors.fileOf(fileContainingSymbol), fileContainingSymbol);
  }
  if (fileContainingExtension !== undefined) {
    const { containingType = '', extensionNumber = 0 } = fileContainingExtension;
    return filesOrRefusal(descriptors.fileOfExtension(containingType, extensionNumber), containingType);
  }
  return refusal(grpcStatus.INVALID_ARGUMENT, 'The request has no message_request');
}

const filesOrRefusal = (files: Buffer[] | undefined, name: string): ServerReflectionResponse =>
  files
    ? { fileDescriptorResponse: { fileDescriptorProto: files } }
    : refusal(grpcStatus.NOT_FOUND, `Not found: ${name}`);

const refusal = (errorCode: number, errorMessage: string): ServerReflectionResponse => ({
  errorResponse: { errorCode, errorMessage },
});
