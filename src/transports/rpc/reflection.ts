import { grpcStatus } from '../../core/model/errors.ts';
import type { DescriptorIndex } from './descriptor-index.ts';

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

export const reflectionRequest = 'grpc.reflection.v1.ServerReflectionRequest';
export const reflectionResponse = 'grpc.reflection.v1.ServerReflectionResponse';

/** A grpc.reflection.v1.ServerReflectionRequest. */
export interface ReflectionRequest {
  readonly host?: string;
  readonly fileByFilename?: string;
  readonly fileContainingSymbol?: string;
  readonly fileContainingExtension?: { readonly containingType?: string; readonly extensionNumber?: number };
  readonly allExtensionNumbersOfType?: string;
  readonly listServices?: string;
}

/** Answers one request with the `message_response` of a grpc.reflection.v1.ServerReflectionResponse. */
export type Reflector = (request: ReflectionRequest) => Promise<object>;

/**
 * @param loadImage loads a serialised google.protobuf.FileDescriptorSet of all services, when the first request arrives
 * @param services full names that a listing shows
 */
export function createReflection(loadImage: () => Promise<Uint8Array>, services: readonly string[]): Reflector {
  const listServicesResponse = { service: services.map((name) => ({ name })) };
  let index: Promise<DescriptorIndex> | undefined;
  return async (request) => {
    index ??= indexOf(loadImage);
    const { fileByFilename: file, fileContainingSymbol: symbol, fileContainingExtension: extension } = request;
    const { listServices, allExtensionNumbersOfType: type } = request;
    const descriptors = await index;
    if (listServices !== undefined) return { listServicesResponse };
    if (type !== undefined) {
      const extensionNumber = descriptors.extensionsOf(type);
      if (!extensionNumber) return refusal(grpcStatus.NOT_FOUND, `No such message: ${type}`);
      return { allExtensionNumbersResponse: { baseTypeName: type, extensionNumber } };
    }
    if (file !== undefined) return filesOrRefusal(descriptors.file(file), file);
    if (symbol !== undefined) return filesOrRefusal(descriptors.fileOf(symbol), symbol);
    if (extension === undefined) return refusal(grpcStatus.INVALID_ARGUMENT, 'The request has no message_request');
    const { containingType = '', extensionNumber = 0 } = extension;
    return filesOrRefusal(descriptors.fileOfExtension(containingType, extensionNumber), containingType);
  };
}

/** Loads the reader of descriptors, which is large, and the image. */
async function indexOf(loadImage: () => Promise<Uint8Array>): Promise<DescriptorIndex> {
  const { createDescriptorIndex } = await import('./descriptor-index.ts');
  return createDescriptorIndex(await loadImage());
}

const filesOrRefusal = (files: Buffer[] | undefined, name: string): object =>
  files
    ? { fileDescriptorResponse: { fileDescriptorProto: files } }
    : refusal(grpcStatus.NOT_FOUND, `Not found: ${name}`);

const refusal = (errorCode: number, errorMessage: string): object => ({
  errorResponse: { errorCode, errorMessage },
});

/** Bytes of a request. */
export const maxReflectionRequest = 64 * 1024;

/** The response to one request, as ProtoJSON with bytes. */
export async function reflectOn(reflect: Reflector, request: ReflectionRequest): Promise<object> {
  const found = await reflect(request);
  return { ...(request.host && { validHost: request.host }), originalRequest: request, ...found };
}
