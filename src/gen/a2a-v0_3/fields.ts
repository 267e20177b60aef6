// Generated from proto/a2a/v1/a2a.proto and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { FieldTables } from '../api.ts';

/** Messages and enums of `a2a.v1`. */
export const fields: FieldTables = {
  messages: {
    'google.protobuf.Empty': { fields: [], oneofs: [] },
    'a2a.v1.SendMessageConfiguration': {
      fields: [
        { jsonName: 'acceptedOutputModes', protoName: 'accepted_output_modes', number: 1, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'pushNotification', protoName: 'push_notification', number: 2, kind: 'message', type: 'a2a.v1.PushNotificationConfig', presence: true },
        { jsonName: 'historyLength', protoName: 'history_length', number: 3, kind: 'scalar', type: 'int32' },
        { jsonName: 'blocking', protoName: 'blocking', number: 4, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'a2a.v1.Task': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'status', protoName: 'status', number: 3, kind: 'message', type: 'a2a.v1.TaskStatus', presence: true },
        { jsonName: 'artifacts', protoName: 'artifacts', number: 4, kind: 'message', type: 'a2a.v1.Artifact', repeated: true },
        { jsonName: 'history', protoName: 'history', number: 5, kind: 'message', type: 'a2a.v1.Message', repeated: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.TaskStatus': {
      fields: [
        { jsonName: 'state', protoName: 'state', number: 1, kind: 'enum', type: 'a2a.v1.TaskState' },
        { jsonName: 'message', protoName: 'update', number: 2, kind: 'message', type: 'a2a.v1.Message', presence: true },
        { jsonName: 'timestamp', protoName: 'timestamp', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.Part': {
      fields: [
        { jsonName: 'text', protoName: 'text', number: 1, kind: 'scalar', type: 'string', presence: true, oneof: 'part' },
        { jsonName: 'file', protoName: 'file', number: 2, kind: 'message', type: 'a2a.v1.FilePart', presence: true, oneof: 'part' },
        { jsonName: 'data', protoName: 'data', number: 3, kind: 'message', type: 'a2a.v1.DataPart', presence: true, oneof: 'part' },
        { jsonName: 'metadata', protoName: 'metadata', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [{ name: 'part', members: ['text', 'file', 'data'], required: true }],
    },
    'a2a.v1.FilePart': {
      fields: [
        { jsonName: 'fileWithUri', protoName: 'file_with_uri', number: 1, kind: 'scalar', type: 'string', presence: true, oneof: 'file' },
        { jsonName: 'fileWithBytes', protoName: 'file_with_bytes', number: 2, kind: 'bytes', type: 'bytes', presence: true, oneof: 'file' },
        { jsonName: 'mimeType', protoName: 'mime_type', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'name', protoName: 'name', number: 4, kind: 'scalar', type: 'string' },
      ],
      oneofs: [{ name: 'file', members: ['fileWithUri', 'fileWithBytes'], required: true }],
    },
    'a2a.v1.DataPart': {
      fields: [
        { jsonName: 'data', protoName: 'data', number: 1, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.Message': {
      fields: [
        { jsonName: 'messageId', protoName: 'message_id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'role', protoName: 'role', number: 4, kind: 'enum', type: 'a2a.v1.Role' },
        { jsonName: 'content', protoName: 'content', number: 5, kind: 'message', type: 'a2a.v1.Part', repeated: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'extensions', protoName: 'extensions', number: 7, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2a.v1.Artifact': {
      fields: [
        { jsonName: 'artifactId', protoName: 'artifact_id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'name', protoName: 'name', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 4, kind: 'scalar', type: 'string' },
        { jsonName: 'parts', protoName: 'parts', number: 5, kind: 'message', type: 'a2a.v1.Part', repeated: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'extensions', protoName: 'extensions', number: 7, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2a.v1.TaskStatusUpdateEvent': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'status', protoName: 'status', number: 3, kind: 'message', type: 'a2a.v1.TaskStatus', presence: true },
        { jsonName: 'final', protoName: 'final', number: 4, kind: 'scalar', type: 'bool' },
        { jsonName: 'metadata', protoName: 'metadata', number: 5, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.TaskArtifactUpdateEvent': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'artifact', protoName: 'artifact', number: 3, kind: 'message', type: 'a2a.v1.Artifact', presence: true },
        { jsonName: 'append', protoName: 'append', number: 4, kind: 'scalar', type: 'bool' },
        { jsonName: 'lastChunk', protoName: 'last_chunk', number: 5, kind: 'scalar', type: 'bool' },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.PushNotificationConfig': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'url', protoName: 'url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'token', protoName: 'token', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'authentication', protoName: 'authentication', number: 4, kind: 'message', type: 'a2a.v1.AuthenticationInfo', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.AuthenticationInfo': {
      fields: [
        { jsonName: 'schemes', protoName: 'schemes', number: 1, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'credentials', protoName: 'credentials', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentInterface': {
      fields: [
        { jsonName: 'url', protoName: 'url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'transport', protoName: 'transport', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentCard': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'url', protoName: 'url', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'provider', protoName: 'provider', number: 4, kind: 'message', type: 'a2a.v1.AgentProvider', presence: true },
        { jsonName: 'version', protoName: 'version', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'documentationUrl', protoName: 'documentation_url', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'capabilities', protoName: 'capabilities', number: 7, kind: 'message', type: 'a2a.v1.AgentCapabilities', presence: true },
        { jsonName: 'securitySchemes', protoName: 'security_schemes', number: 8, kind: 'map', type: 'a2a.v1.SecurityScheme', valueKind: 'message' },
        { jsonName: 'security', protoName: 'security', number: 9, kind: 'message', type: 'a2a.v1.Security', repeated: true },
        { jsonName: 'defaultInputModes', protoName: 'default_input_modes', number: 10, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'defaultOutputModes', protoName: 'default_output_modes', number: 11, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'skills', protoName: 'skills', number: 12, kind: 'message', type: 'a2a.v1.AgentSkill', repeated: true },
        { jsonName: 'supportsAuthenticatedExtendedCard', protoName: 'supports_authenticated_extended_card', number: 13, kind: 'scalar', type: 'bool' },
        { jsonName: 'preferredTransport', protoName: 'preferred_transport', number: 14, kind: 'scalar', type: 'string' },
        { jsonName: 'additionalInterfaces', protoName: 'additional_interfaces', number: 15, kind: 'message', type: 'a2a.v1.AgentInterface', repeated: true },
        { jsonName: 'protocolVersion', protoName: 'protocol_version', number: 16, kind: 'scalar', type: 'string' },
        { jsonName: 'signatures', protoName: 'signatures', number: 17, kind: 'message', type: 'a2a.v1.AgentCardSignature', repeated: true },
        { jsonName: 'iconUrl', protoName: 'icon_url', number: 18, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentProvider': {
      fields: [
        { jsonName: 'url', protoName: 'url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'organization', protoName: 'organization', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentCapabilities': {
      fields: [
        { jsonName: 'streaming', protoName: 'streaming', number: 1, kind: 'scalar', type: 'bool' },
        { jsonName: 'pushNotifications', protoName: 'push_notifications', number: 2, kind: 'scalar', type: 'bool' },
        { jsonName: 'extensions', protoName: 'extensions', number: 3, kind: 'message', type: 'a2a.v1.AgentExtension', repeated: true },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentExtension': {
      fields: [
        { jsonName: 'uri', protoName: 'uri', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'required', protoName: 'required', number: 3, kind: 'scalar', type: 'bool' },
        { jsonName: 'params', protoName: 'params', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentSkill': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'name', protoName: 'name', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'tags', protoName: 'tags', number: 4, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'examples', protoName: 'examples', number: 5, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'inputModes', protoName: 'input_modes', number: 6, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'outputModes', protoName: 'output_modes', number: 7, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'security', protoName: 'security', number: 8, kind: 'message', type: 'a2a.v1.Security', repeated: true },
      ],
      oneofs: [],
    },
    'a2a.v1.AgentCardSignature': {
      fields: [
        { jsonName: 'protected', protoName: 'protected', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'signature', protoName: 'signature', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'header', protoName: 'header', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.TaskPushNotificationConfig': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'pushNotificationConfig', protoName: 'push_notification_config', number: 2, kind: 'message', type: 'a2a.v1.PushNotificationConfig', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.StringList': {
      fields: [
        { jsonName: 'list', protoName: 'list', number: 1, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'a2a.v1.Security': {
      fields: [
        { jsonName: 'schemes', protoName: 'schemes', number: 1, kind: 'map', type: 'a2a.v1.StringList', valueKind: 'message' },
      ],
      oneofs: [],
    },
    'a2a.v1.SecurityScheme': {
      fields: [
        { jsonName: 'apiKeySecurityScheme', protoName: 'api_key_security_scheme', number: 1, kind: 'message', type: 'a2a.v1.APIKeySecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'httpAuthSecurityScheme', protoName: 'http_auth_security_scheme', number: 2, kind: 'message', type: 'a2a.v1.HTTPAuthSecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'oauth2SecurityScheme', protoName: 'oauth2_security_scheme', number: 3, kind: 'message', type: 'a2a.v1.OAuth2SecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'openIdConnectSecurityScheme', protoName: 'open_id_connect_security_scheme', number: 4, kind: 'message', type: 'a2a.v1.OpenIdConnectSecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'mtlsSecurityScheme', protoName: 'mtls_security_scheme', number: 5, kind: 'message', type: 'a2a.v1.MutualTlsSecurityScheme', presence: true, oneof: 'scheme' },
      ],
      oneofs: [{ name: 'scheme', members: ['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme', 'openIdConnectSecurityScheme', 'mtlsSecurityScheme'], required: false }],
    },
    'a2a.v1.APIKeySecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'location', protoName: 'location', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'name', protoName: 'name', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.HTTPAuthSecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'scheme', protoName: 'scheme', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'bearerFormat', protoName: 'bearer_format', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.OAuth2SecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'flows', protoName: 'flows', number: 2, kind: 'message', type: 'a2a.v1.OAuthFlows', presence: true },
        { jsonName: 'oauth2MetadataUrl', protoName: 'oauth2_metadata_url', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.OpenIdConnectSecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'openIdConnectUrl', protoName: 'open_id_connect_url', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.MutualTlsSecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.OAuthFlows': {
      fields: [
        { jsonName: 'authorizationCode', protoName: 'authorization_code', number: 1, kind: 'message', type: 'a2a.v1.AuthorizationCodeOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'clientCredentials', protoName: 'client_credentials', number: 2, kind: 'message', type: 'a2a.v1.ClientCredentialsOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'implicit', protoName: 'implicit', number: 3, kind: 'message', type: 'a2a.v1.ImplicitOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'password', protoName: 'password', number: 4, kind: 'message', type: 'a2a.v1.PasswordOAuthFlow', presence: true, oneof: 'flow' },
      ],
      oneofs: [{ name: 'flow', members: ['authorizationCode', 'clientCredentials', 'implicit', 'password'], required: false }],
    },
    'a2a.v1.AuthorizationCodeOAuthFlow': {
      fields: [
        { jsonName: 'authorizationUrl', protoName: 'authorization_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 4, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'a2a.v1.ClientCredentialsOAuthFlow': {
      fields: [
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 3, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'a2a.v1.ImplicitOAuthFlow': {
      fields: [
        { jsonName: 'authorizationUrl', protoName: 'authorization_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 3, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'a2a.v1.PasswordOAuthFlow': {
      fields: [
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 3, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'a2a.v1.SendMessageRequest': {
      fields: [
        { jsonName: 'message', protoName: 'request', number: 1, kind: 'message', type: 'a2a.v1.Message', presence: true, required: true },
        { jsonName: 'configuration', protoName: 'configuration', number: 2, kind: 'message', type: 'a2a.v1.SendMessageConfiguration', presence: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'a2a.v1.GetTaskRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'historyLength', protoName: 'history_length', number: 2, kind: 'scalar', type: 'int32' },
      ],
      oneofs: [],
    },
    'a2a.v1.CancelTaskRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.GetTaskPushNotificationConfigRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.DeleteTaskPushNotificationConfigRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.CreateTaskPushNotificationConfigRequest': {
      fields: [
        { jsonName: 'parent', protoName: 'parent', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'configId', protoName: 'config_id', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'config', protoName: 'config', number: 3, kind: 'message', type: 'a2a.v1.TaskPushNotificationConfig', presence: true, required: true },
      ],
      oneofs: [],
    },
    'a2a.v1.TaskSubscriptionRequest': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.ListTaskPushNotificationConfigRequest': {
      fields: [
        { jsonName: 'parent', protoName: 'parent', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 2, kind: 'scalar', type: 'int32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'a2a.v1.GetAgentCardRequest': {
      fields: [],
      oneofs: [],
    },
    'a2a.v1.SendMessageResponse': {
      fields: [
        { jsonName: 'task', protoName: 'task', number: 1, kind: 'message', type: 'a2a.v1.Task', presence: true, oneof: 'payload' },
        { jsonName: 'message', protoName: 'msg', number: 2, kind: 'message', type: 'a2a.v1.Message', presence: true, oneof: 'payload' },
      ],
      oneofs: [{ name: 'payload', members: ['task', 'message'], required: true }],
    },
    'a2a.v1.StreamResponse': {
      fields: [
        { jsonName: 'task', protoName: 'task', number: 1, kind: 'message', type: 'a2a.v1.Task', presence: true, oneof: 'payload' },
        { jsonName: 'message', protoName: 'msg', number: 2, kind: 'message', type: 'a2a.v1.Message', presence: true, oneof: 'payload' },
        { jsonName: 'statusUpdate', protoName: 'status_update', number: 3, kind: 'message', type: 'a2a.v1.TaskStatusUpdateEvent', presence: true, oneof: 'payload' },
        { jsonName: 'artifactUpdate', protoName: 'artifact_update', number: 4, kind: 'message', type: 'a2a.v1.TaskArtifactUpdateEvent', presence: true, oneof: 'payload' },
      ],
      oneofs: [{ name: 'payload', members: ['task', 'message', 'statusUpdate', 'artifactUpdate'], required: true }],
    },
    'a2a.v1.ListTaskPushNotificationConfigResponse': {
      fields: [
        { jsonName: 'configs', protoName: 'configs', number: 1, kind: 'message', type: 'a2a.v1.TaskPushNotificationConfig', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
  },
  enums: {
    'a2a.v1.TaskState': {
      TASK_STATE_UNSPECIFIED: 0,
      TASK_STATE_SUBMITTED: 1,
      TASK_STATE_WORKING: 2,
      TASK_STATE_COMPLETED: 3,
      TASK_STATE_FAILED: 4,
      TASK_STATE_CANCELLED: 5,
      TASK_STATE_INPUT_REQUIRED: 6,
      TASK_STATE_REJECTED: 7,
      TASK_STATE_AUTH_REQUIRED: 8,
    },
    'a2a.v1.Role': {
      ROLE_UNSPECIFIED: 0,
      ROLE_USER: 1,
      ROLE_AGENT: 2,
    },
  },
};
