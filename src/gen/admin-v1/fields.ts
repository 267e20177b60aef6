// Generated from proto/a2agateway/admin/v1/admin.proto and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { FieldTables } from '../api.ts';

/** Messages and enums of `a2agateway.admin.v1`. */
export const fields: FieldTables = {
  messages: {
    'google.protobuf.Empty': { fields: [], oneofs: [] },
    'a2agateway.admin.v1.AgentStatus': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'title', protoName: 'title', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'kind', protoName: 'kind', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'mode', protoName: 'mode', number: 5, kind: 'enum', type: 'a2agateway.admin.v1.AgentMode' },
        { jsonName: 'modeChangedAt', protoName: 'mode_changed_at', number: 6, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'modeChangedBy', protoName: 'mode_changed_by', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'state', protoName: 'state', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'url', protoName: 'url', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 11, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'breaker', protoName: 'breaker', number: 13, kind: 'scalar', type: 'string' },
        { jsonName: 'calls', protoName: 'calls', number: 14, kind: 'scalar', type: 'double' },
        { jsonName: 'failedCalls', protoName: 'failed_calls', number: 15, kind: 'scalar', type: 'double' },
        { jsonName: 'latencyMedianMs', protoName: 'latency_median_ms', number: 16, kind: 'scalar', type: 'double', presence: true },
        { jsonName: 'latencyP95Ms', protoName: 'latency_p95_ms', number: 17, kind: 'scalar', type: 'double', presence: true },
        { jsonName: 'cardReadAt', protoName: 'card_read_at', number: 18, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'liveTasks', protoName: 'live_tasks', number: 19, kind: 'scalar', type: 'uint32' },
        { jsonName: 'knowledge', protoName: 'knowledge', number: 20, kind: 'scalar', type: 'bool' },
        { jsonName: 'isDefault', protoName: 'is_default', number: 21, kind: 'scalar', type: 'bool' },
        { jsonName: 'queryLanguages', protoName: 'query_languages', number: 22, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'lastHour', protoName: 'last_hour', number: 23, kind: 'message', type: 'a2agateway.admin.v1.AgentActivity', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AgentActivity': {
      fields: [
        { jsonName: 'tasksEnded', protoName: 'tasks_ended', number: 1, kind: 'scalar', type: 'double' },
        { jsonName: 'tasksFailed', protoName: 'tasks_failed', number: 2, kind: 'scalar', type: 'double' },
        { jsonName: 'calls', protoName: 'calls', number: 3, kind: 'scalar', type: 'double' },
        { jsonName: 'failedCalls', protoName: 'failed_calls', number: 4, kind: 'scalar', type: 'double' },
        { jsonName: 'latencyP95Ms', protoName: 'latency_p95_ms', number: 5, kind: 'scalar', type: 'double', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListAgentsRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListAgentsResponse': {
      fields: [
        { jsonName: 'agents', protoName: 'agents', number: 1, kind: 'message', type: 'a2agateway.admin.v1.AgentStatus', repeated: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 2, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GetAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AgentDetails': {
      fields: [
        { jsonName: 'status', protoName: 'status', number: 1, kind: 'message', type: 'a2agateway.admin.v1.AgentStatus', presence: true, required: true },
        { jsonName: 'cards', protoName: 'cards', number: 2, kind: 'message', type: 'a2agateway.admin.v1.DialectCard', repeated: true },
        { jsonName: 'upstreamCard', protoName: 'upstream_card', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'upstreamSignature', protoName: 'upstream_signature', number: 4, kind: 'message', type: 'a2agateway.admin.v1.CardSignature', presence: true },
        { jsonName: 'findings', protoName: 'findings', number: 5, kind: 'message', type: 'a2agateway.admin.v1.CardFinding', repeated: true },
        { jsonName: 'copies', protoName: 'copies', number: 6, kind: 'message', type: 'a2agateway.admin.v1.AgentCopy', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AgentCopy': {
      fields: [
        { jsonName: 'url', protoName: 'url', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'state', protoName: 'state', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'breaker', protoName: 'breaker', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'outstanding', protoName: 'outstanding', number: 5, kind: 'scalar', type: 'uint32' },
        { jsonName: 'leftOut', protoName: 'left_out', number: 7, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.DialectCard': {
      fields: [
        { jsonName: 'dialect', protoName: 'dialect', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'path', protoName: 'path', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'card', protoName: 'card', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'bytes', protoName: 'bytes', number: 4, kind: 'scalar', type: 'double' },
        { jsonName: 'signature', protoName: 'signature', number: 5, kind: 'message', type: 'a2agateway.admin.v1.CardSignature', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CardSignature': {
      fields: [
        { jsonName: 'verdict', protoName: 'verdict', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'keyIds', protoName: 'key_ids', number: 2, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'reason', protoName: 'reason', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CardFinding': {
      fields: [
        { jsonName: 'severity', protoName: 'severity', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'dialect', protoName: 'dialect', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'field', protoName: 'field', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'message', protoName: 'message', number: 4, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'section', protoName: 'section', number: 5, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.SetAgentModeRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'mode', protoName: 'mode', number: 2, kind: 'enum', type: 'a2agateway.admin.v1.AgentMode', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.FindTasksRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'tenant', protoName: 'tenant', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'id', protoName: 'id', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'states', protoName: 'states', number: 6, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'changedAfter', protoName: 'changed_after', number: 7, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'changedBefore', protoName: 'changed_before', number: 8, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'pageSize', protoName: 'page_size', number: 9, kind: 'scalar', type: 'uint32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'parents', protoName: 'parents', number: 11, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'text', protoName: 'text', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 13, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 14, kind: 'scalar', type: 'string' },
        { jsonName: 'root', protoName: 'root', number: 15, kind: 'scalar', type: 'string' },
        { jsonName: 'gateways', protoName: 'gateways', number: 16, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.FindTasksResponse': {
      fields: [
        { jsonName: 'tasks', protoName: 'tasks', number: 1, kind: 'message', type: 'a2agateway.admin.v1.TaskSummary', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'missing', protoName: 'missing', number: 3, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GroupTasksRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'tenant', protoName: 'tenant', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'id', protoName: 'id', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'states', protoName: 'states', number: 6, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'changedAfter', protoName: 'changed_after', number: 7, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'changedBefore', protoName: 'changed_before', number: 8, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'parents', protoName: 'parents', number: 9, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'text', protoName: 'text', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 11, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'by', protoName: 'by', number: 13, kind: 'enum', type: 'a2agateway.admin.v1.TaskGrouping' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 14, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GroupTasksResponse': {
      fields: [
        { jsonName: 'groups', protoName: 'groups', number: 1, kind: 'message', type: 'a2agateway.admin.v1.TaskGroup', repeated: true },
        { jsonName: 'tasks', protoName: 'tasks', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'complete', protoName: 'complete', number: 3, kind: 'scalar', type: 'bool' },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 4, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.TaskGroup': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'state', protoName: 'state', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'count', protoName: 'count', number: 4, kind: 'scalar', type: 'uint32' },
        { jsonName: 'latestKey', protoName: 'latest_key', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'latestAt', protoName: 'latest_at', number: 6, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'contextId', protoName: 'context_id', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'preview', protoName: 'preview', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'agents', protoName: 'agents', number: 9, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'principals', protoName: 'principals', number: 10, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.TaskSummary': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'id', protoName: 'id', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'contextId', protoName: 'context_id', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'agent', protoName: 'agent', number: 4, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'tenant', protoName: 'tenant', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'state', protoName: 'state', number: 7, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'stateChangedAt', protoName: 'state_changed_at', number: 8, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'createdAt', protoName: 'created_at', number: 9, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'updatedAt', protoName: 'updated_at', number: 10, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'lastPosition', protoName: 'last_position', number: 11, kind: 'scalar', type: 'uint32' },
        { jsonName: 'dialect', protoName: 'dialect', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'replica', protoName: 'replica', number: 13, kind: 'scalar', type: 'string' },
        { jsonName: 'parent', protoName: 'parent', number: 14, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 15, kind: 'scalar', type: 'string' },
        { jsonName: 'preview', protoName: 'preview', number: 16, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 17, kind: 'scalar', type: 'string' },
        { jsonName: 'root', protoName: 'root', number: 18, kind: 'scalar', type: 'string' },
        { jsonName: 'cost', protoName: 'cost', number: 19, kind: 'scalar', type: 'double' },
        { jsonName: 'gateway', protoName: 'gateway', number: 20, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.WatchTasksRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'states', protoName: 'states', number: 3, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'changedAfter', protoName: 'changed_after', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'dialect', protoName: 'dialect', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 6, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.InspectTaskRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.TaskDetails': {
      fields: [
        { jsonName: 'summary', protoName: 'summary', number: 1, kind: 'message', type: 'a2agateway.admin.v1.TaskSummary', presence: true, required: true },
        { jsonName: 'task', protoName: 'task', number: 2, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'bytes', protoName: 'bytes', number: 3, kind: 'scalar', type: 'double' },
        { jsonName: 'upstreamTaskId', protoName: 'upstream_task_id', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'upstreamContextId', protoName: 'upstream_context_id', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'pushConfigs', protoName: 'push_configs', number: 6, kind: 'struct', type: 'google.protobuf.Struct', repeated: true },
        { jsonName: 'traceId', protoName: 'trace_id', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'path', protoName: 'path', number: 8, kind: 'message', type: 'a2agateway.admin.v1.TreeStep', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.TreeStep': {
      fields: [
        { jsonName: 'gateway', protoName: 'gateway', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'agent', protoName: 'agent', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'task', protoName: 'task', number: 3, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListTaskEventsRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'after', protoName: 'after', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 3, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListTaskEventsResponse': {
      fields: [
        { jsonName: 'events', protoName: 'events', number: 1, kind: 'message', type: 'a2agateway.admin.v1.TaskLogEvent', repeated: true },
        { jsonName: 'lastPosition', protoName: 'last_position', number: 2, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.TaskLogEvent': {
      fields: [
        { jsonName: 'position', protoName: 'position', number: 1, kind: 'scalar', type: 'uint32', required: true },
        { jsonName: 'time', protoName: 'time', number: 2, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'event', protoName: 'event', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true, required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.FollowTaskRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'after', protoName: 'after', number: 2, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.StopTaskRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AnswerTaskRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'parts', protoName: 'parts', number: 2, kind: 'struct', type: 'google.protobuf.Struct', repeated: true, required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListQuestionsRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'mine', protoName: 'mine', number: 4, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListQuestionsResponse': {
      fields: [
        { jsonName: 'questions', protoName: 'questions', number: 1, kind: 'message', type: 'a2agateway.admin.v1.Question', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.Question': {
      fields: [
        { jsonName: 'task', protoName: 'task', number: 1, kind: 'message', type: 'a2agateway.admin.v1.TaskSummary', presence: true, required: true },
        { jsonName: 'text', protoName: 'text', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'schema', protoName: 'schema', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'by', protoName: 'by', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'until', protoName: 'until', number: 5, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'generation', protoName: 'generation', number: 6, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'for', protoName: 'for', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'otherwise', protoName: 'otherwise', number: 8, kind: 'value', type: 'google.protobuf.Value', presence: true },
        { jsonName: 'remind', protoName: 'remind', number: 9, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'asks', protoName: 'asks', number: 10, kind: 'message', type: 'a2agateway.admin.v1.CallAsk', repeated: true },
        { jsonName: 'message', protoName: 'message', number: 11, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CallAsk': {
      fields: [
        { jsonName: 'by', protoName: 'by', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'of', protoName: 'of', number: 3, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'delegate', protoName: 'delegate', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'quorum', protoName: 'quorum', number: 5, kind: 'scalar', type: 'uint32' },
        { jsonName: 'given', protoName: 'given', number: 6, kind: 'message', type: 'a2agateway.admin.v1.CallAgreement', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CallAgreement': {
      fields: [
        { jsonName: 'by', protoName: 'by', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'way', protoName: 'way', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'at', protoName: 'at', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AnswerQuestionRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'parts', protoName: 'parts', number: 2, kind: 'struct', type: 'google.protobuf.Struct', repeated: true, required: true },
        { jsonName: 'generation', protoName: 'generation', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListDeliveriesRequest': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListDeliveriesResponse': {
      fields: [
        { jsonName: 'deliveries', protoName: 'deliveries', number: 1, kind: 'message', type: 'a2agateway.admin.v1.DeliveryStatus', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.DeliveryStatus': {
      fields: [
        { jsonName: 'state', protoName: 'state', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'taskKey', protoName: 'task_key', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 3, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'configId', protoName: 'config_id', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'agent', protoName: 'agent', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'receiver', protoName: 'receiver', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'firstPosition', protoName: 'first_position', number: 9, kind: 'scalar', type: 'uint32' },
        { jsonName: 'lastPosition', protoName: 'last_position', number: 10, kind: 'scalar', type: 'uint32' },
        { jsonName: 'attempts', protoName: 'attempts', number: 11, kind: 'scalar', type: 'uint32' },
        { jsonName: 'reason', protoName: 'reason', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'time', protoName: 'time', number: 13, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RetryDeliveriesRequest': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'receiver', protoName: 'receiver', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RetryDeliveriesResponse': {
      fields: [
        { jsonName: 'retried', protoName: 'retried', number: 1, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListCallsRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'operation', protoName: 'operation', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'failed', protoName: 'failed', number: 6, kind: 'scalar', type: 'bool' },
        { jsonName: 'error', protoName: 'error', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'requestId', protoName: 'request_id', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'text', protoName: 'text', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'after', protoName: 'after', number: 11, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'before', protoName: 'before', number: 12, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'pageSize', protoName: 'page_size', number: 13, kind: 'scalar', type: 'uint32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 14, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListCallsResponse': {
      fields: [
        { jsonName: 'calls', protoName: 'calls', number: 1, kind: 'message', type: 'a2agateway.admin.v1.CallSummary', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 3, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'completeSince', protoName: 'complete_since', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CallSummary': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'time', protoName: 'time', number: 2, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'replica', protoName: 'replica', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'address', protoName: 'address', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'agent', protoName: 'agent', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'tenant', protoName: 'tenant', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'operation', protoName: 'operation', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'status', protoName: 'status', number: 11, kind: 'scalar', type: 'string' },
        { jsonName: 'error', protoName: 'error', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 13, kind: 'scalar', type: 'string' },
        { jsonName: 'durationMs', protoName: 'duration_ms', number: 14, kind: 'scalar', type: 'double', presence: true },
        { jsonName: 'events', protoName: 'events', number: 15, kind: 'scalar', type: 'uint32' },
        { jsonName: 'losses', protoName: 'losses', number: 16, kind: 'scalar', type: 'uint32' },
        { jsonName: 'lossPaths', protoName: 'loss_paths', number: 17, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'taskId', protoName: 'task_id', number: 18, kind: 'scalar', type: 'string' },
        { jsonName: 'taskKey', protoName: 'task_key', number: 19, kind: 'scalar', type: 'string' },
        { jsonName: 'requestId', protoName: 'request_id', number: 20, kind: 'scalar', type: 'string' },
        { jsonName: 'traceId', protoName: 'trace_id', number: 21, kind: 'scalar', type: 'string' },
        { jsonName: 'policy', protoName: 'policy', number: 22, kind: 'scalar', type: 'string' },
        { jsonName: 'refusedBy', protoName: 'refused_by', number: 23, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.WatchCallsRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'operation', protoName: 'operation', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'failed', protoName: 'failed', number: 6, kind: 'scalar', type: 'bool' },
        { jsonName: 'error', protoName: 'error', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'requestId', protoName: 'request_id', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'text', protoName: 'text', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'after', protoName: 'after', number: 11, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CallEvent': {
      fields: [
        { jsonName: 'call', protoName: 'call', number: 1, kind: 'message', type: 'a2agateway.admin.v1.CallSummary', presence: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 2, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GetMetricsRequest': {
      fields: [
        { jsonName: 'names', protoName: 'names', number: 1, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'agent', protoName: 'agent', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'after', protoName: 'after', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'before', protoName: 'before', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'step', protoName: 'step', number: 5, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GetMetricsResponse': {
      fields: [
        { jsonName: 'times', protoName: 'times', number: 1, kind: 'timestamp', type: 'google.protobuf.Timestamp', repeated: true },
        { jsonName: 'step', protoName: 'step', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'series', protoName: 'series', number: 3, kind: 'message', type: 'a2agateway.admin.v1.MetricSeries', repeated: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 4, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.MetricSeries': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'labels', protoName: 'labels', number: 2, kind: 'map', type: 'string', valueKind: 'scalar' },
        { jsonName: 'values', protoName: 'values', number: 3, kind: 'value', type: 'google.protobuf.Value', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RecordRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'taskKey', protoName: 'task_key', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'calls', protoName: 'calls', number: 4, kind: 'scalar', type: 'uint32' },
        { jsonName: 'seconds', protoName: 'seconds', number: 5, kind: 'scalar', type: 'uint32' },
        { jsonName: 'stop', protoName: 'stop', number: 6, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RecordResponse': {
      fields: [
        { jsonName: 'recording', protoName: 'recording', number: 1, kind: 'message', type: 'a2agateway.admin.v1.Recording', presence: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 2, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.Recording': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'agent', protoName: 'agent', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'taskKey', protoName: 'task_key', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'calls', protoName: 'calls', number: 5, kind: 'scalar', type: 'uint32' },
        { jsonName: 'recorded', protoName: 'recorded', number: 6, kind: 'scalar', type: 'uint32' },
        { jsonName: 'dropped', protoName: 'dropped', number: 7, kind: 'scalar', type: 'uint32' },
        { jsonName: 'started', protoName: 'started', number: 8, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'until', protoName: 'until', number: 9, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'ended', protoName: 'ended', number: 10, kind: 'scalar', type: 'bool' },
        { jsonName: 'startedBy', protoName: 'started_by', number: 11, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListRecordsRequest': {
      fields: [
        { jsonName: 'recording', protoName: 'recording', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListRecordsResponse': {
      fields: [
        { jsonName: 'records', protoName: 'records', number: 1, kind: 'message', type: 'a2agateway.admin.v1.RecordedCall', repeated: true },
        { jsonName: 'recordings', protoName: 'recordings', number: 2, kind: 'message', type: 'a2agateway.admin.v1.Recording', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 4, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RecordedCall': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'recordings', protoName: 'recordings', number: 2, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'time', protoName: 'time', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'replica', protoName: 'replica', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'address', protoName: 'address', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'agent', protoName: 'agent', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'operation', protoName: 'operation', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'error', protoName: 'error', number: 11, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 12, kind: 'scalar', type: 'string' },
        { jsonName: 'durationMs', protoName: 'duration_ms', number: 13, kind: 'scalar', type: 'double', presence: true },
        { jsonName: 'taskId', protoName: 'task_id', number: 14, kind: 'scalar', type: 'string' },
        { jsonName: 'taskKey', protoName: 'task_key', number: 15, kind: 'scalar', type: 'string' },
        { jsonName: 'requestId', protoName: 'request_id', number: 16, kind: 'scalar', type: 'string' },
        { jsonName: 'traceId', protoName: 'trace_id', number: 17, kind: 'scalar', type: 'string' },
        { jsonName: 'client', protoName: 'client', number: 18, kind: 'message', type: 'a2agateway.admin.v1.WireExchange', presence: true },
        { jsonName: 'request', protoName: 'request', number: 19, kind: 'scalar', type: 'string' },
        { jsonName: 'reply', protoName: 'reply', number: 20, kind: 'scalar', type: 'string' },
        { jsonName: 'events', protoName: 'events', number: 21, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'eventCount', protoName: 'event_count', number: 22, kind: 'scalar', type: 'uint32' },
        { jsonName: 'requestLosses', protoName: 'request_losses', number: 23, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'replyLosses', protoName: 'reply_losses', number: 24, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'attempts', protoName: 'attempts', number: 25, kind: 'message', type: 'a2agateway.admin.v1.RecordedAttempt', repeated: true },
        { jsonName: 'moreAttempts', protoName: 'more_attempts', number: 26, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RecordedAttempt': {
      fields: [
        { jsonName: 'time', protoName: 'time', number: 1, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'durationMs', protoName: 'duration_ms', number: 2, kind: 'scalar', type: 'double', presence: true },
        { jsonName: 'agent', protoName: 'agent', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'operation', protoName: 'operation', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'dialect', protoName: 'dialect', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'binding', protoName: 'binding', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'url', protoName: 'url', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'exchanges', protoName: 'exchanges', number: 8, kind: 'message', type: 'a2agateway.admin.v1.WireExchange', repeated: true },
        { jsonName: 'error', protoName: 'error', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'reason', protoName: 'reason', number: 10, kind: 'scalar', type: 'string' },
        { jsonName: 'losses', protoName: 'losses', number: 11, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.WireExchange': {
      fields: [
        { jsonName: 'request', protoName: 'request', number: 1, kind: 'message', type: 'a2agateway.admin.v1.WireFrame', presence: true },
        { jsonName: 'answer', protoName: 'answer', number: 2, kind: 'message', type: 'a2agateway.admin.v1.WireFrame', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.WireFrame': {
      fields: [
        { jsonName: 'head', protoName: 'head', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'headers', protoName: 'headers', number: 2, kind: 'message', type: 'a2agateway.admin.v1.WireHeader', repeated: true },
        { jsonName: 'text', protoName: 'text', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'base64', protoName: 'base64', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'trailers', protoName: 'trailers', number: 5, kind: 'message', type: 'a2agateway.admin.v1.WireHeader', repeated: true },
        { jsonName: 'size', protoName: 'size', number: 6, kind: 'scalar', type: 'uint64' },
        { jsonName: 'cut', protoName: 'cut', number: 7, kind: 'scalar', type: 'uint64' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.WireHeader': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'value', protoName: 'value', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListCallersRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListCallersResponse': {
      fields: [
        { jsonName: 'callers', protoName: 'callers', number: 1, kind: 'message', type: 'a2agateway.admin.v1.CallerStatus', repeated: true },
        { jsonName: 'since', protoName: 'since', number: 2, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 3, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CallerStatus': {
      fields: [
        { jsonName: 'principal', protoName: 'principal', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'calls', protoName: 'calls', number: 2, kind: 'scalar', type: 'double' },
        { jsonName: 'failedCalls', protoName: 'failed_calls', number: 3, kind: 'scalar', type: 'double' },
        { jsonName: 'lastUsedAt', protoName: 'last_used_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'lastOperation', protoName: 'last_operation', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'lastAgent', protoName: 'last_agent', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'lastDialect', protoName: 'last_dialect', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'lastBinding', protoName: 'last_binding', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'configured', protoName: 'configured', number: 9, kind: 'scalar', type: 'bool' },
        { jsonName: 'scopes', protoName: 'scopes', number: 10, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListReplicasRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListReplicasResponse': {
      fields: [
        { jsonName: 'replicas', protoName: 'replicas', number: 1, kind: 'message', type: 'a2agateway.admin.v1.ReplicaStatus', repeated: true },
        { jsonName: 'lost', protoName: 'lost', number: 2, kind: 'message', type: 'a2agateway.admin.v1.LostReplica', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.LostReplica': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'host', protoName: 'host', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'pid', protoName: 'pid', number: 3, kind: 'scalar', type: 'uint32' },
        { jsonName: 'version', protoName: 'version', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'startedAt', protoName: 'started_at', number: 5, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'aliveAt', protoName: 'alive_at', number: 6, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'draining', protoName: 'draining', number: 7, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AcknowledgeReplicasRequest': {
      fields: [
        { jsonName: 'ids', protoName: 'ids', number: 1, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.AcknowledgeReplicasResponse': {
      fields: [
        { jsonName: 'ids', protoName: 'ids', number: 1, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ReplicaStatus': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'host', protoName: 'host', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'pid', protoName: 'pid', number: 3, kind: 'scalar', type: 'uint32' },
        { jsonName: 'startedAt', protoName: 'started_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'heartbeatAt', protoName: 'heartbeat_at', number: 5, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'alive', protoName: 'alive', number: 6, kind: 'scalar', type: 'bool' },
        { jsonName: 'isThis', protoName: 'is_this', number: 7, kind: 'scalar', type: 'bool' },
        { jsonName: 'tasks', protoName: 'tasks', number: 8, kind: 'scalar', type: 'uint32' },
        { jsonName: 'version', protoName: 'version', number: 9, kind: 'scalar', type: 'string' },
        { jsonName: 'heartbeatLagMs', protoName: 'heartbeat_lag_ms', number: 10, kind: 'scalar', type: 'double' },
        { jsonName: 'draining', protoName: 'draining', number: 11, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.WatchStatusRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.GatewayStatus': {
      fields: [
        { jsonName: 'time', protoName: 'time', number: 1, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'replica', protoName: 'replica', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'version', protoName: 'version', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'draining', protoName: 'draining', number: 4, kind: 'scalar', type: 'bool' },
        { jsonName: 'store', protoName: 'store', number: 5, kind: 'message', type: 'a2agateway.admin.v1.StoreStatus', presence: true, required: true },
        { jsonName: 'others', protoName: 'others', number: 6, kind: 'message', type: 'a2agateway.admin.v1.ReplicaStatus', repeated: true },
        { jsonName: 'eventLoopLagP99Ms', protoName: 'event_loop_lag_p99_ms', number: 7, kind: 'scalar', type: 'double', presence: true },
        { jsonName: 'configActiveSince', protoName: 'config_active_since', number: 8, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'waitingTasks', protoName: 'waiting_tasks', number: 9, kind: 'scalar', type: 'uint32', presence: true },
        { jsonName: 'knowledge', protoName: 'knowledge', number: 10, kind: 'scalar', type: 'bool' },
        { jsonName: 'stops', protoName: 'stops', number: 11, kind: 'scalar', type: 'uint32' },
        { jsonName: 'damagedRows', protoName: 'damaged_rows', number: 12, kind: 'message', type: 'a2agateway.admin.v1.DamagedRow', repeated: true },
        { jsonName: 'waitingForInput', protoName: 'waiting_for_input', number: 13, kind: 'scalar', type: 'uint32', presence: true },
        { jsonName: 'deadLetters', protoName: 'dead_letters', number: 14, kind: 'scalar', type: 'uint32', presence: true },
        { jsonName: 'lostReplicas', protoName: 'lost_replicas', number: 15, kind: 'scalar', type: 'uint32', presence: true },
        { jsonName: 'waitingCards', protoName: 'waiting_cards', number: 16, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.DamagedRow': {
      fields: [
        { jsonName: 'table', protoName: 'table', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'key', protoName: 'key', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 3, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'noticedAt', protoName: 'noticed_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.StoreStatus': {
      fields: [
        { jsonName: 'state', protoName: 'state', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'since', protoName: 'since', number: 2, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'reason', protoName: 'reason', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListGenerationsRequest': {
      fields: [
        { jsonName: 'generation', protoName: 'generation', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'principal', protoName: 'principal', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'agent', protoName: 'agent', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 4, kind: 'scalar', type: 'int32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 5, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListGenerationsResponse': {
      fields: [
        { jsonName: 'uses', protoName: 'uses', number: 1, kind: 'message', type: 'a2agateway.admin.v1.GenerationUse', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'generations', protoName: 'generations', number: 3, kind: 'message', type: 'a2agateway.admin.v1.GenerationSummary', repeated: true },
        { jsonName: 'since', protoName: 'since', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'uncountedCalls', protoName: 'uncounted_calls', number: 5, kind: 'scalar', type: 'double' },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 6, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GenerationUse': {
      fields: [
        { jsonName: 'generation', protoName: 'generation', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'principal', protoName: 'principal', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'agent', protoName: 'agent', number: 3, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'binding', protoName: 'binding', number: 4, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'calls', protoName: 'calls', number: 5, kind: 'scalar', type: 'double' },
        { jsonName: 'newWork', protoName: 'new_work', number: 6, kind: 'scalar', type: 'double' },
        { jsonName: 'wouldBeRefused', protoName: 'would_be_refused', number: 7, kind: 'scalar', type: 'double' },
        { jsonName: 'refused', protoName: 'refused', number: 8, kind: 'scalar', type: 'double' },
        { jsonName: 'firstAt', protoName: 'first_at', number: 9, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'lastAt', protoName: 'last_at', number: 10, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'lost', protoName: 'lost', number: 11, kind: 'message', type: 'a2agateway.admin.v1.LostField', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.LostField': {
      fields: [
        { jsonName: 'path', protoName: 'path', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'agentDialect', protoName: 'agent_dialect', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'count', protoName: 'count', number: 3, kind: 'scalar', type: 'double' },
        { jsonName: 'lastAt', protoName: 'last_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GenerationSummary': {
      fields: [
        { jsonName: 'generation', protoName: 'generation', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'callers', protoName: 'callers', number: 2, kind: 'scalar', type: 'double' },
        { jsonName: 'calls', protoName: 'calls', number: 3, kind: 'scalar', type: 'double' },
        { jsonName: 'newWork', protoName: 'new_work', number: 4, kind: 'scalar', type: 'double' },
        { jsonName: 'wouldBeRefused', protoName: 'would_be_refused', number: 5, kind: 'scalar', type: 'double' },
        { jsonName: 'refused', protoName: 'refused', number: 6, kind: 'scalar', type: 'double' },
        { jsonName: 'lastAt', protoName: 'last_at', number: 7, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'sunset', protoName: 'sunset', number: 8, kind: 'message', type: 'a2agateway.admin.v1.Sunset', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.Sunset': {
      fields: [
        { jsonName: 'since', protoName: 'since', number: 1, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'on', protoName: 'on', number: 2, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'mode', protoName: 'mode', number: 3, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'link', protoName: 'link', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'refuses', protoName: 'refuses', number: 5, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListLossesRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListLossesResponse': {
      fields: [
        { jsonName: 'losses', protoName: 'losses', number: 1, kind: 'message', type: 'a2agateway.admin.v1.LossCount', repeated: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 2, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.LossCount': {
      fields: [
        { jsonName: 'dialect', protoName: 'dialect', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'path', protoName: 'path', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'count', protoName: 'count', number: 3, kind: 'scalar', type: 'double' },
        { jsonName: 'lastAt', protoName: 'last_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'lastAgent', protoName: 'last_agent', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'ofAgent', protoName: 'of_agent', number: 6, kind: 'scalar', type: 'bool' },
        { jsonName: 'lastPrincipal', protoName: 'last_principal', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'lastTask', protoName: 'last_task', number: 8, kind: 'scalar', type: 'string' },
        { jsonName: 'lastRequestId', protoName: 'last_request_id', number: 9, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListRefusedUpdatesRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListRefusedUpdatesResponse': {
      fields: [
        { jsonName: 'updates', protoName: 'updates', number: 1, kind: 'message', type: 'a2agateway.admin.v1.RefusedUpdate', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RefusedUpdate': {
      fields: [
        { jsonName: 'time', protoName: 'time', number: 1, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true, required: true },
        { jsonName: 'agent', protoName: 'agent', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'principal', protoName: 'principal', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'verificationStatus', protoName: 'verification_status', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'verificationDetails', protoName: 'verification_details', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'mutations', protoName: 'mutations', number: 6, kind: 'struct', type: 'google.protobuf.Struct', repeated: true },
        { jsonName: 'proposed', protoName: 'proposed', number: 7, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.GetConfigRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ActiveConfig': {
      fields: [
        { jsonName: 'settings', protoName: 'settings', number: 1, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'file', protoName: 'file', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'activeSince', protoName: 'active_since', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'reloadable', protoName: 'reloadable', number: 4, kind: 'scalar', type: 'bool' },
        { jsonName: 'refused', protoName: 'refused', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'refusedAt', protoName: 'refused_at', number: 6, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ReloadConfigRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ReloadConfigResponse': {
      fields: [
        { jsonName: 'added', protoName: 'added', number: 1, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'changed', protoName: 'changed', number: 2, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'removed', protoName: 'removed', number: 3, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'endedStreams', protoName: 'ended_streams', number: 4, kind: 'scalar', type: 'uint32' },
        { jsonName: 'restart', protoName: 'restart', number: 5, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.BackUpStoreRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.BackupChunk': {
      fields: [
        { jsonName: 'data', protoName: 'data', number: 1, kind: 'bytes', type: 'bytes' },
        { jsonName: 'size', protoName: 'size', number: 2, kind: 'scalar', type: 'int64' },
        { jsonName: 'sha256', protoName: 'sha256', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RegisterAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'url', protoName: 'url', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'dialect', protoName: 'dialect', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'transport', protoName: 'transport', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'leaseSeconds', protoName: 'lease_seconds', number: 5, kind: 'scalar', type: 'uint32' },
        { jsonName: 'title', protoName: 'title', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'skills', protoName: 'skills', number: 8, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RegisterCatalogRequest': {
      fields: [
        { jsonName: 'catalog', protoName: 'catalog', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'leaseSeconds', protoName: 'lease_seconds', number: 2, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RegisterCatalogResponse': {
      fields: [
        { jsonName: 'registered', protoName: 'registered', number: 1, kind: 'message', type: 'a2agateway.admin.v1.CatalogAgent', repeated: true },
        { jsonName: 'skipped', protoName: 'skipped', number: 2, kind: 'message', type: 'a2agateway.admin.v1.SkippedAgent', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CatalogAgent': {
      fields: [
        { jsonName: 'identifier', protoName: 'identifier', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'name', protoName: 'name', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.SkippedAgent': {
      fields: [
        { jsonName: 'identifier', protoName: 'identifier', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListRegistrationsRequest': {
      fields: [
        { jsonName: 'agent', protoName: 'agent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 2, kind: 'scalar', type: 'int32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'removed', protoName: 'removed', number: 4, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListRegistrationsResponse': {
      fields: [
        { jsonName: 'registrations', protoName: 'registrations', number: 1, kind: 'message', type: 'a2agateway.admin.v1.RegisteredAgent', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RegisteredAgent': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'owner', protoName: 'owner', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'registeredAt', protoName: 'registered_at', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'leaseSeconds', protoName: 'lease_seconds', number: 4, kind: 'scalar', type: 'uint32' },
        { jsonName: 'expiresAt', protoName: 'expires_at', number: 5, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'active', protoName: 'active', number: 6, kind: 'scalar', type: 'bool' },
        { jsonName: 'problem', protoName: 'problem', number: 7, kind: 'scalar', type: 'string' },
        { jsonName: 'revisions', protoName: 'revisions', number: 8, kind: 'message', type: 'a2agateway.admin.v1.CardRevision', repeated: true },
        { jsonName: 'removedAt', protoName: 'removed_at', number: 9, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'removedBy', protoName: 'removed_by', number: 10, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.CardRevision': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'state', protoName: 'state', number: 2, kind: 'enum', type: 'a2agateway.admin.v1.RevisionState' },
        { jsonName: 'seenAt', protoName: 'seen_at', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'decidedAt', protoName: 'decided_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'decidedBy', protoName: 'decided_by', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'differences', protoName: 'differences', number: 6, kind: 'message', type: 'a2agateway.admin.v1.Difference', repeated: true },
        { jsonName: 'offeredBy', protoName: 'offered_by', number: 7, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.Difference': {
      fields: [
        { jsonName: 'path', protoName: 'path', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'before', protoName: 'before', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'after', protoName: 'after', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RenewAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ApproveAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'revision', protoName: 'revision', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reject', protoName: 'reject', number: 3, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RemoveAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'forget', protoName: 'forget', number: 2, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RemoveAgentResponse': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.StopCallerRequest': {
      fields: [
        { jsonName: 'principal', protoName: 'principal', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ResumeCallerRequest': {
      fields: [
        { jsonName: 'principal', protoName: 'principal', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.EraseCallerRequest': {
      fields: [
        { jsonName: 'principal', protoName: 'principal', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'again', protoName: 'again', number: 2, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.Erasure': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'state', protoName: 'state', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'begunBy', protoName: 'begun_by', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'begunAt', protoName: 'begun_at', number: 4, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'endedAt', protoName: 'ended_at', number: 5, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'erased', protoName: 'erased', number: 6, kind: 'message', type: 'a2agateway.admin.v1.ErasedThings', repeated: true },
        { jsonName: 'remaining', protoName: 'remaining', number: 7, kind: 'message', type: 'a2agateway.admin.v1.RemainingThings', repeated: true },
        { jsonName: 'missingReplicas', protoName: 'missing_replicas', number: 8, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ErasedThings': {
      fields: [
        { jsonName: 'kind', protoName: 'kind', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'count', protoName: 'count', number: 2, kind: 'scalar', type: 'uint32' },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.RemainingThings': {
      fields: [
        { jsonName: 'kind', protoName: 'kind', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'count', protoName: 'count', number: 2, kind: 'scalar', type: 'uint32' },
        { jsonName: 'ids', protoName: 'ids', number: 3, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.StopAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ResumeAgentRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.StopRootRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ResumeRootRequest': {
      fields: [
        { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListStopsRequest': {
      fields: [],
      oneofs: [],
    },
    'a2agateway.admin.v1.ListStopsResponse': {
      fields: [
        { jsonName: 'stops', protoName: 'stops', number: 1, kind: 'message', type: 'a2agateway.admin.v1.Stop', repeated: true },
      ],
      oneofs: [],
    },
    'a2agateway.admin.v1.Stop': {
      fields: [
        { jsonName: 'kind', protoName: 'kind', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'subject', protoName: 'subject', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'reason', protoName: 'reason', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'stoppedBy', protoName: 'stopped_by', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'stoppedAt', protoName: 'stopped_at', number: 5, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'missing', protoName: 'missing', number: 6, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
  },
  enums: {
    'a2agateway.admin.v1.AgentMode': {
      AGENT_MODE_UNSPECIFIED: 0,
      AGENT_MODE_ENABLED: 1,
      AGENT_MODE_DRAINING: 2,
      AGENT_MODE_DISABLED: 3,
    },
    'a2agateway.admin.v1.TaskGrouping': {
      TASK_GROUPING_UNSPECIFIED: 0,
      TASK_GROUPING_REASON: 1,
      TASK_GROUPING_CONTEXT: 2,
    },
    'a2agateway.admin.v1.RevisionState': {
      REVISION_STATE_UNSPECIFIED: 0,
      REVISION_STATE_WAITING: 1,
      REVISION_STATE_APPROVED: 2,
      REVISION_STATE_FORMER: 3,
      REVISION_STATE_REFUSED: 4,
    },
  },
};
