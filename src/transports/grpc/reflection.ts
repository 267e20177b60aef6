import { createFileRegistry, type DescFile, fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { grpcStatus } from '../../core/model/errors.ts';
import { ServerReflectionRequest, ServerReflectionResponse } from '../../gen/proto/grpc/reflection/v1/reflection.ts';
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

/** Answers one request. */
type Reflect = (request: ServerReflectionRequest) => Promise<ServerReflectionResponse>;

/**
 * @param loadImage loads a serialised google.protobuf.FileDescriptorSet of all services, when the first request arrives
 * @param services full names that a listing shows
 */
export function createReflection(loadImage: () => Promise<Uint8Array>, services: readonly string[]): Reflect {
  const listServicesResponse = { service: services.map((name) => ({ name })) };
  let index: Promise<DescriptorIndex> | undefined;
  return async (request) => {
    index ??= loadImage().then(createDescriptorIndex);
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

const filesOrRefusal = (files: Buffer[] | undefined, name: string): ServerReflectionResponse =>
  files
    ? { fileDescriptorResponse: { fileDescriptorProto: files } }
    : refusal(grpcStatus.NOT_FOUND, `Not found: ${name}`);

const refusal = (errorCode: number, errorMessage: string): ServerReflectionResponse => ({
  errorResponse: { errorCode, errorMessage },
});

/** Bytes of a request. */
const maxRequest = 64 * 1024;
/** Milliseconds in which a client must read a response. */
const readTimeout = 30_000;

/** One client's stream of requests, answered one after the other. */
export class ReflectionCall extends GrpcStream {
  readonly #reflect: Reflect;
  #answered: Promise<void> = Promise.resolve();

  constructor(incoming: IncomingCall, reflect: Reflect) {
    super(incoming, maxRequest);
    this.#reflect = reflect;
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
    const request = this.decode(ServerReflectionRequest, message);
    const found = await this.#reflect(request);
    const response = { ...(request.host && { validHost: request.host }), originalRequest: request, ...found };
    if (!this.send(ServerReflectionResponse.encode(response).finish())) await this.drained(readTimeout);
  }

  protected halfClosed(): void {
    void this.#answered.then(() => this.end());
  }
}

type DescriptorIndex = ReturnType<typeof createDescriptorIndex>;

/** Finds serialised descriptor files. Each result is the file that was looked up, followed by its imports. */
function createDescriptorIndex(image: Uint8Array) {
  const set = fromBinary(FileDescriptorSetSchema, image);
  const registry = createFileRegistry(set);
  const bytesOf = new Map(rawFiles(image).map((bytes, index) => [set.file[index]?.name, bytes]));
  const declared = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  for (const desc of registry) {
    declared.set(desc.typeName, desc.file);
    if (desc.kind === 'extension') {
      const message = desc.extendee.typeName;
      const numbers = extensions.get(message) ?? new Map<number, DescFile>();
      extensions.set(message, numbers.set(desc.number, desc.file));
    }
    for (const member of membersOf(desc)) declared.set(`${desc.typeName}.${member}`, desc.file);
  }
  const withImports = (file: DescFile | undefined): Buffer[] | undefined => {
    if (!file) return undefined;
    const all = new Set<DescFile>();
    const visit = (one: DescFile): void => {
      if (all.has(one)) return;
      all.add(one);
      one.dependencies.forEach(visit);
    };
    visit(file);
    return [...all].flatMap(({ proto }) => bytesOf.get(proto.name) ?? []);
  };
  return {
    file: (name: string) => withImports(registry.getFile(name)),
    /** The file that declares a message, enum, service, method, field or enum value, by its full name. */
    fileOf: (symbol: string) => withImports(declared.get(symbol)),
    fileOfExtension: (message: string, number: number) => withImports(extensions.get(message)?.get(number)),
    /** Numbers of the extensions of a message; undefined for an unknown message. */
    extensionsOf: (message: string) =>
      declared.has(message) ? [...(extensions.get(message)?.keys() ?? [])] : undefined,
  };
}

/** Names of the methods, fields, oneofs and enum values of a type. */
function membersOf(desc: object): string[] {
  type Lists = Partial<Record<'methods' | 'fields' | 'oneofs' | 'values', readonly { readonly name: string }[]>>;
  const { methods = [], fields = [], oneofs = [], values = [] } = desc as Lists;
  return [methods, fields, oneofs, values].flat().map(({ name }) => name);
}

/** The files of the set as they were compiled: encoding parsed files again could lose unknown options. */
function rawFiles(image: Uint8Array): Buffer[] {
  const reader = new BinaryReader(image);
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === 2) files.push(Buffer.from(reader.bytes()));
    else reader.skip(type);
  }
  return files;
}
