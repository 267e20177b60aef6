// Generated from proto/grpc/reflection/v1/reflection.proto by ts-proto by `npm run generate`. Do not edit.

/* eslint-disable */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

export const protobufPackage = "grpc.reflection.v1";

export const protobufFileName = "grpc/reflection/v1/reflection.proto";

/** Server reflection of gRPC, which describes itself too. Written from the published field numbers. */

export interface ServerReflectionRequest {
  host?: string | undefined;
  fileByFilename?: string | undefined;
  fileContainingSymbol?: string | undefined;
  fileContainingExtension?: ExtensionRequest | undefined;
  allExtensionNumbersOfType?: string | undefined;
  listServices?: string | undefined;
}

export interface ExtensionRequest {
  containingType?: string | undefined;
  extensionNumber?: number | undefined;
}

export interface ServerReflectionResponse {
  validHost?: string | undefined;
  originalRequest?: ServerReflectionRequest | undefined;
  fileDescriptorResponse?: FileDescriptorResponse | undefined;
  allExtensionNumbersResponse?: ExtensionNumberResponse | undefined;
  listServicesResponse?: ListServiceResponse | undefined;
  errorResponse?: ErrorResponse | undefined;
}

export interface FileDescriptorResponse {
  /** Serialised google.protobuf.FileDescriptorProto messages. */
  fileDescriptorProto?: Buffer[] | undefined;
}

export interface ExtensionNumberResponse {
  baseTypeName?: string | undefined;
  extensionNumber?: number[] | undefined;
}

export interface ListServiceResponse {
  service?: ServiceResponse[] | undefined;
}

export interface ServiceResponse {
  name?: string | undefined;
}

export interface ErrorResponse {
  errorCode?: number | undefined;
  errorMessage?: string | undefined;
}

function createBaseServerReflectionRequest(): ServerReflectionRequest {
  return {
    host: undefined,
    fileByFilename: undefined,
    fileContainingSymbol: undefined,
    fileContainingExtension: undefined,
    allExtensionNumbersOfType: undefined,
    listServices: undefined,
  };
}

export const ServerReflectionRequest: MessageFns<ServerReflectionRequest> = {
  encode(message: ServerReflectionRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.host !== undefined) {
      writer.uint32(10).string(message.host);
    }
    if (message.fileByFilename !== undefined) {
      writer.uint32(26).string(message.fileByFilename);
    }
    if (message.fileContainingSymbol !== undefined) {
      writer.uint32(34).string(message.fileContainingSymbol);
    }
    if (message.fileContainingExtension !== undefined) {
      ExtensionRequest.encode(message.fileContainingExtension, writer.uint32(42).fork()).join();
    }
    if (message.allExtensionNumbersOfType !== undefined) {
      writer.uint32(50).string(message.allExtensionNumbersOfType);
    }
    if (message.listServices !== undefined) {
      writer.uint32(58).string(message.listServices);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ServerReflectionRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseServerReflectionRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.host = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.fileByFilename = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.fileContainingSymbol = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.fileContainingExtension = ExtensionRequest.decode(reader, reader.uint32());
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.allExtensionNumbersOfType = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.listServices = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseExtensionRequest(): ExtensionRequest {
  return { containingType: undefined, extensionNumber: undefined };
}

export const ExtensionRequest: MessageFns<ExtensionRequest> = {
  encode(message: ExtensionRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.containingType !== undefined) {
      writer.uint32(10).string(message.containingType);
    }
    if (message.extensionNumber !== undefined) {
      writer.uint32(16).int32(message.extensionNumber);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ExtensionRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseExtensionRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.containingType = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.extensionNumber = reader.int32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseServerReflectionResponse(): ServerReflectionResponse {
  return {
    validHost: undefined,
    originalRequest: undefined,
    fileDescriptorResponse: undefined,
    allExtensionNumbersResponse: undefined,
    listServicesResponse: undefined,
    errorResponse: undefined,
  };
}

export const ServerReflectionResponse: MessageFns<ServerReflectionResponse> = {
  encode(message: ServerReflectionResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.validHost !== undefined) {
      writer.uint32(10).string(message.validHost);
    }
    if (message.originalRequest !== undefined) {
      ServerReflectionRequest.encode(message.originalRequest, writer.uint32(18).fork()).join();
    }
    if (message.fileDescriptorResponse !== undefined) {
      FileDescriptorResponse.encode(message.fileDescriptorResponse, writer.uint32(34).fork()).join();
    }
    if (message.allExtensionNumbersResponse !== undefined) {
      ExtensionNumberResponse.encode(message.allExtensionNumbersResponse, writer.uint32(42).fork()).join();
    }
    if (message.listServicesResponse !== undefined) {
      ListServiceResponse.encode(message.listServicesResponse, writer.uint32(50).fork()).join();
    }
    if (message.errorResponse !== undefined) {
      ErrorResponse.encode(message.errorResponse, writer.uint32(58).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ServerReflectionResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseServerReflectionResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.validHost = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.originalRequest = ServerReflectionRequest.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.fileDescriptorResponse = FileDescriptorResponse.decode(reader, reader.uint32());
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.allExtensionNumbersResponse = ExtensionNumberResponse.decode(reader, reader.uint32());
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.listServicesResponse = ListServiceResponse.decode(reader, reader.uint32());
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.errorResponse = ErrorResponse.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseFileDescriptorResponse(): FileDescriptorResponse {
  return { fileDescriptorProto: [] };
}

export const FileDescriptorResponse: MessageFns<FileDescriptorResponse> = {
  encode(message: FileDescriptorResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.fileDescriptorProto !== undefined && message.fileDescriptorProto.length !== 0) {
      for (const v of message.fileDescriptorProto) {
        writer.uint32(10).bytes(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): FileDescriptorResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseFileDescriptorResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = Buffer.from(reader.bytes());
            if (el !== undefined) {
              message.fileDescriptorProto!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseExtensionNumberResponse(): ExtensionNumberResponse {
  return { baseTypeName: undefined, extensionNumber: [] };
}

export const ExtensionNumberResponse: MessageFns<ExtensionNumberResponse> = {
  encode(message: ExtensionNumberResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.baseTypeName !== undefined) {
      writer.uint32(10).string(message.baseTypeName);
    }
    if (message.extensionNumber !== undefined && message.extensionNumber.length !== 0) {
      writer.uint32(18).fork();
      for (const v of message.extensionNumber) {
        writer.int32(v);
      }
      writer.join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ExtensionNumberResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseExtensionNumberResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.baseTypeName = reader.string();
            continue;
          }
          case 2: {
            if (tag === 16) {
              message.extensionNumber!.push(reader.int32());

              continue;
            }

            if (tag === 18) {
              const end2 = reader.uint32() + reader.pos;
              while (reader.pos < end2) {
                message.extensionNumber!.push(reader.int32());
              }

              continue;
            }

            break;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListServiceResponse(): ListServiceResponse {
  return { service: [] };
}

export const ListServiceResponse: MessageFns<ListServiceResponse> = {
  encode(message: ListServiceResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.service !== undefined && message.service.length !== 0) {
      for (const v of message.service) {
        ServiceResponse.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListServiceResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListServiceResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = ServiceResponse.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.service!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseServiceResponse(): ServiceResponse {
  return { name: undefined };
}

export const ServiceResponse: MessageFns<ServiceResponse> = {
  encode(message: ServiceResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.name !== undefined) {
      writer.uint32(10).string(message.name);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ServiceResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseServiceResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.name = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseErrorResponse(): ErrorResponse {
  return { errorCode: undefined, errorMessage: undefined };
}

export const ErrorResponse: MessageFns<ErrorResponse> = {
  encode(message: ErrorResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.errorCode !== undefined) {
      writer.uint32(8).int32(message.errorCode);
    }
    if (message.errorMessage !== undefined) {
      writer.uint32(18).string(message.errorMessage);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ErrorResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseErrorResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.errorCode = reader.int32();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.errorMessage = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

export interface MessageFns<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}
