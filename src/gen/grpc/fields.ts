// Generated from proto/google/protobuf/any.proto, proto/google/rpc/status.proto, proto/google/rpc/error_details.proto, proto/grpc/health/v1/health.proto, proto/grpc/reflection/v1/reflection.proto by `npm run generate`. Do not edit.

import type { FieldTables } from '../api.ts';

/** Messages and enums of `google.protobuf`, `google.rpc`, `grpc.health.v1`, `grpc.reflection.v1`. */
export const fields: FieldTables = {
  messages: {
    'google.protobuf.Empty': { fields: [], oneofs: [] },
    'google.protobuf.Any': {
      fields: [
        { jsonName: 'typeUrl', protoName: 'type_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'value', protoName: 'value', number: 2, kind: 'bytes', type: 'bytes' },
      ],
      oneofs: [],
    },
    'google.rpc.Status': {
      fields: [
        { jsonName: 'code', protoName: 'code', number: 1, kind: 'scalar', type: 'int32' },
        { jsonName: 'message', protoName: 'message', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'details', protoName: 'details', number: 3, kind: 'message', type: 'google.protobuf.Any', repeated: true },
      ],
      oneofs: [],
    },
    'google.rpc.ErrorInfo': {
      fields: [
        { jsonName: 'reason', protoName: 'reason', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'domain', protoName: 'domain', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'metadata', protoName: 'metadata', number: 3, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'google.rpc.BadRequest': {
      fields: [
        { jsonName: 'fieldViolations', protoName: 'field_violations', number: 1, kind: 'message', type: 'google.rpc.BadRequest.FieldViolation', repeated: true },
      ],
      oneofs: [],
    },
    'google.rpc.BadRequest.FieldViolation': {
      fields: [
        { jsonName: 'field', protoName: 'field', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'grpc.health.v1.HealthCheckRequest': {
      fields: [
        { jsonName: 'service', protoName: 'service', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'grpc.health.v1.HealthCheckResponse': {
      fields: [
        { jsonName: 'status', protoName: 'status', number: 1, kind: 'enum', type: 'grpc.health.v1.HealthCheckResponse.ServingStatus' },
      ],
      oneofs: [],
    },
    'grpc.health.v1.HealthListRequest': {
      fields: [],
      oneofs: [],
    },
    'grpc.health.v1.HealthListResponse': {
      fields: [
        { jsonName: 'statuses', protoName: 'statuses', number: 1, kind: 'map', type: 'grpc.health.v1.HealthCheckResponse', valueKind: 'message' },
      ],
      oneofs: [],
    },
    'grpc.reflection.v1.ServerReflectionRequest': {
      fields: [
        { jsonName: 'host', protoName: 'host', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'fileByFilename', protoName: 'file_by_filename', number: 3, kind: 'scalar', type: 'string', presence: true, oneof: 'message_request' },
        { jsonName: 'fileContainingSymbol', protoName: 'file_containing_symbol', number: 4, kind: 'scalar', type: 'string', presence: true, oneof: 'message_request' },
        { jsonName: 'fileContainingExtension', protoName: 'file_containing_extension', number: 5, kind: 'message', type: 'grpc.reflection.v1.ExtensionRequest', presence: true, oneof: 'message_request' },
        { jsonName: 'allExtensionNumbersOfType', protoName: 'all_extension_numbers_of_type', number: 6, kind: 'scalar', type: 'string', presence: true, oneof: 'message_request' },
        { jsonName: 'listServices', protoName: 'list_services', number: 7, kind: 'scalar', type: 'string', presence: true, oneof: 'message_request' },
      ],
      oneofs: [{ name: 'message_request', members: ['fileByFilename', 'fileContainingSymbol', 'fileContainingExtension', 'allExtensionNumbersOfType', 'listServices'], required: false }],
    },
    'grpc.reflection.v1.ExtensionRequest': {
      fields: [
        { jsonName: 'containingType', protoName: 'containing_type', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'extensionNumber', protoName: 'extension_number', number: 2, kind: 'scalar', type: 'int32' },
      ],
      oneofs: [],
    },
    'grpc.reflection.v1.ServerReflectionResponse': {
      fields: [
        { jsonName: 'validHost', protoName: 'valid_host', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'originalRequest', protoName: 'original_request', number: 2, kind: 'message', type: 'grpc.reflection.v1.ServerReflectionRequest', presence: true },
        { jsonName: 'fileDescriptorResponse', protoName: 'file_descriptor_response', number: 4, kind: 'message', type: 'grpc.reflection.v1.FileDescriptorResponse', presence: true, oneof: 'message_response' },
        { jsonName: 'allExtensionNumbersResponse', protoName: 'all_extension_numbers_response', number: 5, kind: 'message', type: 'grpc.reflection.v1.ExtensionNumberResponse', presence: true, oneof: 'message_response' },
        { jsonName: 'listServicesResponse', protoName: 'list_services_response', number: 6, kind: 'message', type: 'grpc.reflection.v1.ListServiceResponse', presence: true, oneof: 'message_response' },
        { jsonName: 'errorResponse', protoName: 'error_response', number: 7, kind: 'message', type: 'grpc.reflection.v1.ErrorResponse', presence: true, oneof: 'message_response' },
      ],
      oneofs: [{ name: 'message_response', members: ['fileDescriptorResponse', 'allExtensionNumbersResponse', 'listServicesResponse', 'errorResponse'], required: false }],
    },
    'grpc.reflection.v1.FileDescriptorResponse': {
      fields: [
        { jsonName: 'fileDescriptorProto', protoName: 'file_descriptor_proto', number: 1, kind: 'bytes', type: 'bytes', repeated: true },
      ],
      oneofs: [],
    },
    'grpc.reflection.v1.ExtensionNumberResponse': {
      fields: [
        { jsonName: 'baseTypeName', protoName: 'base_type_name', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'extensionNumber', protoName: 'extension_number', number: 2, kind: 'scalar', type: 'int32', repeated: true },
      ],
      oneofs: [],
    },
    'grpc.reflection.v1.ListServiceResponse': {
      fields: [
        { jsonName: 'service', protoName: 'service', number: 1, kind: 'message', type: 'grpc.reflection.v1.ServiceResponse', repeated: true },
      ],
      oneofs: [],
    },
    'grpc.reflection.v1.ServiceResponse': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'grpc.reflection.v1.ErrorResponse': {
      fields: [
        { jsonName: 'errorCode', protoName: 'error_code', number: 1, kind: 'scalar', type: 'int32' },
        { jsonName: 'errorMessage', protoName: 'error_message', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
  },
  enums: {
    'grpc.health.v1.HealthCheckResponse.ServingStatus': {
      UNKNOWN: 0,
      SERVING: 1,
      NOT_SERVING: 2,
      SERVICE_UNKNOWN: 3,
    },
  },
};
