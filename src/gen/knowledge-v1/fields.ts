// Generated from proto/a2agateway/knowledge/v1/knowledge.proto and codegen/schemas/knowledge.json and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { FieldTables } from '../api.ts';

/** Messages and enums of `a2agateway.knowledge.v1`. */
export const fields: FieldTables = {
  messages: {
    'google.protobuf.Empty': { fields: [], oneofs: [] },
    'a2agateway.knowledge.v1.KGSubject': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'type', protoName: 'type', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KGPredicate': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KGObject': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'value', protoName: 'value', number: 2, kind: 'value', type: 'google.protobuf.Value', presence: true },
        { jsonName: 'type', protoName: 'type', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KGStatement': {
      fields: [
        { jsonName: 'subject', protoName: 'subject', number: 1, kind: 'message', type: 'a2agateway.knowledge.v1.KGSubject', presence: true, required: true },
        { jsonName: 'predicate', protoName: 'predicate', number: 2, kind: 'message', type: 'a2agateway.knowledge.v1.KGPredicate', presence: true, required: true },
        { jsonName: 'object', protoName: 'object', number: 3, kind: 'message', type: 'a2agateway.knowledge.v1.KGObject', presence: true, required: true },
        { jsonName: 'graph', protoName: 'graph', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'certainty', protoName: 'certainty', number: 5, kind: 'scalar', type: 'double', presence: true, finite: true },
        { jsonName: 'provenance', protoName: 'provenance', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeGraphPatch': {
      fields: [
        { jsonName: 'op', protoName: 'op', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'statement', protoName: 'statement', number: 2, kind: 'message', type: 'a2agateway.knowledge.v1.KGStatement', presence: true, required: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeQueryParams': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'query', protoName: 'query', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'queryLanguage', protoName: 'query_language', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'variables', protoName: 'variables', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'taskId', protoName: 'task_id', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'sessionId', protoName: 'session_id', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'requiredCertainty', protoName: 'required_certainty', number: 7, kind: 'scalar', type: 'double', presence: true, finite: true },
        { jsonName: 'maxAgeSeconds', protoName: 'max_age_seconds', number: 8, kind: 'scalar', type: 'uint32', presence: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 9, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': {
      fields: [
        { jsonName: 'data', protoName: 'data', number: 1, kind: 'value', type: 'google.protobuf.Value', presence: true },
        { jsonName: 'queryMetadata', protoName: 'query_metadata', number: 2, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeUpdateParams': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'mutations', protoName: 'mutations', number: 2, kind: 'message', type: 'a2agateway.knowledge.v1.KnowledgeGraphPatch', repeated: true, required: true },
        { jsonName: 'taskId', protoName: 'task_id', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'sessionId', protoName: 'session_id', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'sourceAgentId', protoName: 'source_agent_id', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'justification', protoName: 'justification', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'metadata', protoName: 'metadata', number: 7, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': {
      fields: [
        { jsonName: 'success', protoName: 'success', number: 1, kind: 'scalar', type: 'bool', presence: true, required: true },
        { jsonName: 'statementsAffected', protoName: 'statements_affected', number: 2, kind: 'scalar', type: 'uint32', presence: true },
        { jsonName: 'affectedIds', protoName: 'affected_ids', number: 3, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'verificationStatus', protoName: 'verification_status', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'verificationDetails', protoName: 'verification_details', number: 5, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeSubscribeParams': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'subscriptionQuery', protoName: 'subscription_query', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'queryLanguage', protoName: 'query_language', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'variables', protoName: 'variables', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'taskId', protoName: 'task_id', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'sessionId', protoName: 'session_id', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'metadata', protoName: 'metadata', number: 7, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': {
      fields: [
        { jsonName: 'op', protoName: 'op', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'statement', protoName: 'statement', number: 2, kind: 'message', type: 'a2agateway.knowledge.v1.KGStatement', presence: true, required: true },
        { jsonName: 'changeId', protoName: 'change_id', number: 3, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'timestamp', protoName: 'timestamp', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'changeMetadata', protoName: 'change_metadata', number: 5, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.QueryErrors': {
      fields: [
        { jsonName: 'errors', protoName: 'errors', number: 1, kind: 'message', type: 'a2agateway.knowledge.v1.QueryErrors.QueryError', repeated: true, required: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.QueryErrors.Location': {
      fields: [
        { jsonName: 'line', protoName: 'line', number: 1, kind: 'scalar', type: 'uint32', required: true },
        { jsonName: 'column', protoName: 'column', number: 2, kind: 'scalar', type: 'uint32', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.knowledge.v1.QueryErrors.QueryError': {
      fields: [
        { jsonName: 'message', protoName: 'message', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'locations', protoName: 'locations', number: 2, kind: 'message', type: 'a2agateway.knowledge.v1.QueryErrors.Location', repeated: true },
        { jsonName: 'path', protoName: 'path', number: 3, kind: 'value', type: 'google.protobuf.Value', repeated: true },
      ],
      oneofs: [],
    },
  },
  enums: {
  },
};
