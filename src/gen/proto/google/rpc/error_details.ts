// Generated from proto/google/rpc/error_details.proto by ts-proto by `npm run generate`. Do not edit.

/* eslint-disable */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

export const protobufPackage = "google.rpc";

export const protobufFileName = "google/rpc/error_details.proto";

/** The error details that the gateway sends and understands. Written from the published field numbers. */

/** The reason of an error, for programs to read. */
export interface ErrorInfo {
  /** In capitals, unique within the domain, such as TASK_NOT_FOUND. */
  reason?: string | undefined;
  domain?: string | undefined;
  metadata?: { [key: string]: string } | undefined;
}

export interface ErrorInfo_MetadataEntry {
  key?: string | undefined;
  value?: string | undefined;
}

/** What is wrong with a request. */
export interface BadRequest {
  fieldViolations?: BadRequest_FieldViolation[] | undefined;
}

/** One offending field. */
export interface BadRequest_FieldViolation {
  /** A path such as message.parts[0].text. */
  field?: string | undefined;
  description?: string | undefined;
}

function createBaseErrorInfo(): ErrorInfo {
  return { reason: undefined, domain: undefined, metadata: {} };
}

export const ErrorInfo: MessageFns<ErrorInfo> = {
  encode(message: ErrorInfo, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.reason !== undefined) {
      writer.uint32(10).string(message.reason);
    }
    if (message.domain !== undefined) {
      writer.uint32(18).string(message.domain);
    }
    globalThis.Object.entries(message.metadata || {}).forEach(([key, value]: [string, string]) => {
      ErrorInfo_MetadataEntry.encode({ key: key as any, value }, writer.uint32(26).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ErrorInfo {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseErrorInfo();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.reason = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.domain = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const entry3 = ErrorInfo_MetadataEntry.decode(reader, reader.uint32());
            if (entry3.value !== undefined && entry3.key !== undefined) {
              message.metadata![entry3.key] = entry3.value;
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

function createBaseErrorInfo_MetadataEntry(): ErrorInfo_MetadataEntry {
  return { key: undefined, value: undefined };
}

export const ErrorInfo_MetadataEntry: MessageFns<ErrorInfo_MetadataEntry> = {
  encode(message: ErrorInfo_MetadataEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      writer.uint32(18).string(message.value);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ErrorInfo_MetadataEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseErrorInfo_MetadataEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = reader.string();
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

function createBaseBadRequest(): BadRequest {
  return { fieldViolations: [] };
}

export const BadRequest: MessageFns<BadRequest> = {
  encode(message: BadRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.fieldViolations !== undefined && message.fieldViolations.length !== 0) {
      for (const v of message.fieldViolations) {
        BadRequest_FieldViolation.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): BadRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseBadRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = BadRequest_FieldViolation.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.fieldViolations!.push(el);
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

function createBaseBadRequest_FieldViolation(): BadRequest_FieldViolation {
  return { field: undefined, description: undefined };
}

export const BadRequest_FieldViolation: MessageFns<BadRequest_FieldViolation> = {
  encode(message: BadRequest_FieldViolation, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.field !== undefined) {
      writer.uint32(10).string(message.field);
    }
    if (message.description !== undefined) {
      writer.uint32(18).string(message.description);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): BadRequest_FieldViolation {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseBadRequest_FieldViolation();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.field = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.description = reader.string();
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
