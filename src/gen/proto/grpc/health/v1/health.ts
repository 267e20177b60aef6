// Generated from proto/grpc/health/v1/health.proto by ts-proto by `npm run generate`. Do not edit.

/* eslint-disable */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

export const protobufPackage = "grpc.health.v1";

export const protobufFileName = "grpc/health/v1/health.proto";

/** The health service of gRPC, for reflection. Written from the published field numbers. */

export interface HealthCheckRequest {
  /** Full name of a service; empty for the server as a whole. */
  service?: string | undefined;
}

export interface HealthCheckResponse {
  status?: HealthCheckResponse_ServingStatus | undefined;
}

export const HealthCheckResponse_ServingStatus = {
  UNKNOWN: "UNKNOWN",
  SERVING: "SERVING",
  NOT_SERVING: "NOT_SERVING",
  SERVICE_UNKNOWN: "SERVICE_UNKNOWN",
  UNRECOGNIZED: "UNRECOGNIZED",
} as const;

export type HealthCheckResponse_ServingStatus =
  typeof HealthCheckResponse_ServingStatus[keyof typeof HealthCheckResponse_ServingStatus];

export namespace HealthCheckResponse_ServingStatus {
  export type UNKNOWN = typeof HealthCheckResponse_ServingStatus.UNKNOWN;
  export type SERVING = typeof HealthCheckResponse_ServingStatus.SERVING;
  export type NOT_SERVING = typeof HealthCheckResponse_ServingStatus.NOT_SERVING;
  export type SERVICE_UNKNOWN = typeof HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN;
  export type UNRECOGNIZED = typeof HealthCheckResponse_ServingStatus.UNRECOGNIZED;
}

export function healthCheckResponse_ServingStatusFromJSON(object: any): HealthCheckResponse_ServingStatus {
  switch (object) {
    case 0:
    case "UNKNOWN":
      return HealthCheckResponse_ServingStatus.UNKNOWN;
    case 1:
    case "SERVING":
      return HealthCheckResponse_ServingStatus.SERVING;
    case 2:
    case "NOT_SERVING":
      return HealthCheckResponse_ServingStatus.NOT_SERVING;
    case 3:
    case "SERVICE_UNKNOWN":
      return HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN;
    case -1:
    case "UNRECOGNIZED":
    default:
      return HealthCheckResponse_ServingStatus.UNRECOGNIZED;
  }
}

export function healthCheckResponse_ServingStatusToNumber(object: HealthCheckResponse_ServingStatus): number {
  switch (object) {
    case HealthCheckResponse_ServingStatus.UNKNOWN:
      return 0;
    case HealthCheckResponse_ServingStatus.SERVING:
      return 1;
    case HealthCheckResponse_ServingStatus.NOT_SERVING:
      return 2;
    case HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN:
      return 3;
    case HealthCheckResponse_ServingStatus.UNRECOGNIZED:
    default:
      return -1;
  }
}

export interface HealthListRequest {
}

export interface HealthListResponse {
  statuses?: { [key: string]: HealthCheckResponse } | undefined;
}

export interface HealthListResponse_StatusesEntry {
  key?: string | undefined;
  value?: HealthCheckResponse | undefined;
}

function createBaseHealthCheckRequest(): HealthCheckRequest {
  return { service: undefined };
}

export const HealthCheckRequest: MessageFns<HealthCheckRequest> = {
  encode(message: HealthCheckRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.service !== undefined) {
      writer.uint32(10).string(message.service);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): HealthCheckRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseHealthCheckRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.service = reader.string();
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

function createBaseHealthCheckResponse(): HealthCheckResponse {
  return { status: undefined };
}

export const HealthCheckResponse: MessageFns<HealthCheckResponse> = {
  encode(message: HealthCheckResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.status !== undefined) {
      writer.uint32(8).int32(healthCheckResponse_ServingStatusToNumber(message.status));
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): HealthCheckResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseHealthCheckResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.status = healthCheckResponse_ServingStatusFromJSON(reader.int32());
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

function createBaseHealthListRequest(): HealthListRequest {
  return {};
}

export const HealthListRequest: MessageFns<HealthListRequest> = {
  encode(_: HealthListRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): HealthListRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseHealthListRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
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

function createBaseHealthListResponse(): HealthListResponse {
  return { statuses: {} };
}

export const HealthListResponse: MessageFns<HealthListResponse> = {
  encode(message: HealthListResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    globalThis.Object.entries(message.statuses || {}).forEach(([key, value]: [string, HealthCheckResponse]) => {
      HealthListResponse_StatusesEntry.encode({ key: key as any, value }, writer.uint32(10).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): HealthListResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseHealthListResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const entry1 = HealthListResponse_StatusesEntry.decode(reader, reader.uint32());
            if (entry1.value !== undefined && entry1.key !== undefined) {
              message.statuses![entry1.key] = entry1.value;
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

function createBaseHealthListResponse_StatusesEntry(): HealthListResponse_StatusesEntry {
  return { key: undefined, value: undefined };
}

export const HealthListResponse_StatusesEntry: MessageFns<HealthListResponse_StatusesEntry> = {
  encode(message: HealthListResponse_StatusesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      HealthCheckResponse.encode(message.value, writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): HealthListResponse_StatusesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseHealthListResponse_StatusesEntry();
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

            message.value = HealthCheckResponse.decode(reader, reader.uint32());
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
