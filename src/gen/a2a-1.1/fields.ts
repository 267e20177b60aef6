// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto and codegen/schemas/a2a-1.1.json and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { FieldTables } from '../api.ts';

/** Messages and enums of `lf.a2a.v1`. */
export const fields: FieldTables = {
  messages: {
    'google.protobuf.Empty': { fields: [], oneofs: [] },
    'lf.a2a.v1.SendMessageConfiguration': {
      fields: [
        { jsonName: 'acceptedOutputModes', protoName: 'accepted_output_modes', number: 1, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'taskPushNotificationConfig', protoName: 'task_push_notification_config', number: 2, kind: 'message', type: 'lf.a2a.v1.TaskPushNotificationConfig', presence: true },
        { jsonName: 'historyLength', protoName: 'history_length', number: 3, kind: 'scalar', type: 'int32', presence: true },
        { jsonName: 'returnImmediately', protoName: 'return_immediately', number: 4, kind: 'scalar', type: 'bool' },
        { jsonName: 'ifGenerationMatch', protoName: 'if_generation_match', number: 5, kind: 'scalar', type: 'int64', presence: true, since: '1.1' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.Task': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'status', protoName: 'status', number: 3, kind: 'message', type: 'lf.a2a.v1.TaskStatus', presence: true, required: true },
        { jsonName: 'artifacts', protoName: 'artifacts', number: 4, kind: 'message', type: 'lf.a2a.v1.Artifact', repeated: true },
        { jsonName: 'history', protoName: 'history', number: 5, kind: 'message', type: 'lf.a2a.v1.Message', repeated: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'generation', protoName: 'generation', number: 7, kind: 'scalar', type: 'int64', added: true, since: '1.1' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.TaskStatus': {
      fields: [
        { jsonName: 'state', protoName: 'state', number: 1, kind: 'enum', type: 'lf.a2a.v1.TaskState', required: true, defaulted: true },
        { jsonName: 'message', protoName: 'message', number: 2, kind: 'message', type: 'lf.a2a.v1.Message', presence: true },
        { jsonName: 'timestamp', protoName: 'timestamp', number: 3, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.Part': {
      fields: [
        { jsonName: 'text', protoName: 'text', number: 1, kind: 'scalar', type: 'string', presence: true, oneof: 'content' },
        { jsonName: 'raw', protoName: 'raw', number: 2, kind: 'bytes', type: 'bytes', presence: true, oneof: 'content' },
        { jsonName: 'url', protoName: 'url', number: 3, kind: 'scalar', type: 'string', presence: true, oneof: 'content' },
        { jsonName: 'data', protoName: 'data', number: 4, kind: 'value', type: 'google.protobuf.Value', presence: true, oneof: 'content' },
        { jsonName: 'metadata', protoName: 'metadata', number: 5, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'filename', protoName: 'filename', number: 6, kind: 'scalar', type: 'string' },
        { jsonName: 'mediaType', protoName: 'media_type', number: 7, kind: 'scalar', type: 'string' },
      ],
      oneofs: [{ name: 'content', members: ['text', 'raw', 'url', 'data'], required: true }],
    },
    'lf.a2a.v1.Message': {
      fields: [
        { jsonName: 'messageId', protoName: 'message_id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'role', protoName: 'role', number: 4, kind: 'enum', type: 'lf.a2a.v1.Role', required: true },
        { jsonName: 'parts', protoName: 'parts', number: 5, kind: 'message', type: 'lf.a2a.v1.Part', repeated: true, required: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'extensions', protoName: 'extensions', number: 7, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'referenceTaskIds', protoName: 'reference_task_ids', number: 8, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.Artifact': {
      fields: [
        { jsonName: 'artifactId', protoName: 'artifact_id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'name', protoName: 'name', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'parts', protoName: 'parts', number: 4, kind: 'message', type: 'lf.a2a.v1.Part', repeated: true, required: true, defaulted: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 5, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'extensions', protoName: 'extensions', number: 6, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.TaskStatusUpdateEvent': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'status', protoName: 'status', number: 3, kind: 'message', type: 'lf.a2a.v1.TaskStatus', presence: true, required: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'generation', protoName: 'generation', number: 5, kind: 'scalar', type: 'int64', added: true, since: '1.1' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.TaskArtifactUpdateEvent': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'artifact', protoName: 'artifact', number: 3, kind: 'message', type: 'lf.a2a.v1.Artifact', presence: true, required: true },
        { jsonName: 'append', protoName: 'append', number: 4, kind: 'scalar', type: 'bool' },
        { jsonName: 'lastChunk', protoName: 'last_chunk', number: 5, kind: 'scalar', type: 'bool' },
        { jsonName: 'metadata', protoName: 'metadata', number: 6, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
        { jsonName: 'generation', protoName: 'generation', number: 7, kind: 'scalar', type: 'int64', added: true, since: '1.1' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AuthenticationInfo': {
      fields: [
        { jsonName: 'scheme', protoName: 'scheme', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'credentials', protoName: 'credentials', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentInterface': {
      fields: [
        { jsonName: 'url', protoName: 'url', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'protocolBinding', protoName: 'protocol_binding', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'tenant', protoName: 'tenant', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'protocolVersion', protoName: 'protocol_version', number: 4, kind: 'scalar', type: 'string', required: true, defaulted: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentCard': {
      fields: [
        { jsonName: 'name', protoName: 'name', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'description', protoName: 'description', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'supportedInterfaces', protoName: 'supported_interfaces', number: 3, kind: 'message', type: 'lf.a2a.v1.AgentInterface', repeated: true, required: true, defaulted: true },
        { jsonName: 'provider', protoName: 'provider', number: 4, kind: 'message', type: 'lf.a2a.v1.AgentProvider', presence: true },
        { jsonName: 'version', protoName: 'version', number: 5, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'documentationUrl', protoName: 'documentation_url', number: 6, kind: 'scalar', type: 'string', presence: true },
        { jsonName: 'capabilities', protoName: 'capabilities', number: 7, kind: 'message', type: 'lf.a2a.v1.AgentCapabilities', presence: true, required: true },
        { jsonName: 'securitySchemes', protoName: 'security_schemes', number: 8, kind: 'map', type: 'lf.a2a.v1.SecurityScheme', valueKind: 'message' },
        { jsonName: 'securityRequirements', protoName: 'security_requirements', number: 9, kind: 'message', type: 'lf.a2a.v1.SecurityRequirement', repeated: true },
        { jsonName: 'defaultInputModes', protoName: 'default_input_modes', number: 10, kind: 'scalar', type: 'string', repeated: true, required: true, defaulted: true },
        { jsonName: 'defaultOutputModes', protoName: 'default_output_modes', number: 11, kind: 'scalar', type: 'string', repeated: true, required: true, defaulted: true },
        { jsonName: 'skills', protoName: 'skills', number: 12, kind: 'message', type: 'lf.a2a.v1.AgentSkill', repeated: true, required: true, defaulted: true },
        { jsonName: 'signatures', protoName: 'signatures', number: 13, kind: 'message', type: 'lf.a2a.v1.AgentCardSignature', repeated: true },
        { jsonName: 'iconUrl', protoName: 'icon_url', number: 14, kind: 'scalar', type: 'string', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentProvider': {
      fields: [
        { jsonName: 'url', protoName: 'url', number: 1, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'organization', protoName: 'organization', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentCapabilities': {
      fields: [
        { jsonName: 'streaming', protoName: 'streaming', number: 1, kind: 'scalar', type: 'bool', presence: true },
        { jsonName: 'pushNotifications', protoName: 'push_notifications', number: 2, kind: 'scalar', type: 'bool', presence: true },
        { jsonName: 'extensions', protoName: 'extensions', number: 3, kind: 'message', type: 'lf.a2a.v1.AgentExtension', repeated: true },
        { jsonName: 'extendedAgentCard', protoName: 'extended_agent_card', number: 4, kind: 'scalar', type: 'bool', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentExtension': {
      fields: [
        { jsonName: 'uri', protoName: 'uri', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'description', protoName: 'description', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'required', protoName: 'required', number: 3, kind: 'scalar', type: 'bool' },
        { jsonName: 'params', protoName: 'params', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentSkill': {
      fields: [
        { jsonName: 'id', protoName: 'id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'name', protoName: 'name', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'description', protoName: 'description', number: 3, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'tags', protoName: 'tags', number: 4, kind: 'scalar', type: 'string', repeated: true, required: true, defaulted: true },
        { jsonName: 'examples', protoName: 'examples', number: 5, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'inputModes', protoName: 'input_modes', number: 6, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'outputModes', protoName: 'output_modes', number: 7, kind: 'scalar', type: 'string', repeated: true },
        { jsonName: 'securityRequirements', protoName: 'security_requirements', number: 8, kind: 'message', type: 'lf.a2a.v1.SecurityRequirement', repeated: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.AgentCardSignature': {
      fields: [
        { jsonName: 'protected', protoName: 'protected', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'signature', protoName: 'signature', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'header', protoName: 'header', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.TaskPushNotificationConfig': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'id', protoName: 'id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'url', protoName: 'url', number: 4, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'token', protoName: 'token', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'authentication', protoName: 'authentication', number: 6, kind: 'message', type: 'lf.a2a.v1.AuthenticationInfo', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.StringList': {
      fields: [
        { jsonName: 'list', protoName: 'list', number: 1, kind: 'scalar', type: 'string', repeated: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.SecurityRequirement': {
      fields: [
        { jsonName: 'schemes', protoName: 'schemes', number: 1, kind: 'map', type: 'lf.a2a.v1.StringList', valueKind: 'message' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.SecurityScheme': {
      fields: [
        { jsonName: 'apiKeySecurityScheme', protoName: 'api_key_security_scheme', number: 1, kind: 'message', type: 'lf.a2a.v1.APIKeySecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'httpAuthSecurityScheme', protoName: 'http_auth_security_scheme', number: 2, kind: 'message', type: 'lf.a2a.v1.HTTPAuthSecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'oauth2SecurityScheme', protoName: 'oauth2_security_scheme', number: 3, kind: 'message', type: 'lf.a2a.v1.OAuth2SecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'openIdConnectSecurityScheme', protoName: 'open_id_connect_security_scheme', number: 4, kind: 'message', type: 'lf.a2a.v1.OpenIdConnectSecurityScheme', presence: true, oneof: 'scheme' },
        { jsonName: 'mtlsSecurityScheme', protoName: 'mtls_security_scheme', number: 5, kind: 'message', type: 'lf.a2a.v1.MutualTlsSecurityScheme', presence: true, oneof: 'scheme' },
      ],
      oneofs: [{ name: 'scheme', members: ['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme', 'openIdConnectSecurityScheme', 'mtlsSecurityScheme'], required: false }],
    },
    'lf.a2a.v1.APIKeySecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'location', protoName: 'location', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'name', protoName: 'name', number: 3, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.HTTPAuthSecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'scheme', protoName: 'scheme', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'bearerFormat', protoName: 'bearer_format', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.OAuth2SecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'flows', protoName: 'flows', number: 2, kind: 'message', type: 'lf.a2a.v1.OAuthFlows', presence: true, required: true },
        { jsonName: 'oauth2MetadataUrl', protoName: 'oauth2_metadata_url', number: 3, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.OpenIdConnectSecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'openIdConnectUrl', protoName: 'open_id_connect_url', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.MutualTlsSecurityScheme': {
      fields: [
        { jsonName: 'description', protoName: 'description', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.OAuthFlows': {
      fields: [
        { jsonName: 'authorizationCode', protoName: 'authorization_code', number: 1, kind: 'message', type: 'lf.a2a.v1.AuthorizationCodeOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'clientCredentials', protoName: 'client_credentials', number: 2, kind: 'message', type: 'lf.a2a.v1.ClientCredentialsOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'implicit', protoName: 'implicit', number: 3, kind: 'message', type: 'lf.a2a.v1.ImplicitOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'password', protoName: 'password', number: 4, kind: 'message', type: 'lf.a2a.v1.PasswordOAuthFlow', presence: true, oneof: 'flow' },
        { jsonName: 'deviceCode', protoName: 'device_code', number: 5, kind: 'message', type: 'lf.a2a.v1.DeviceCodeOAuthFlow', presence: true, oneof: 'flow' },
      ],
      oneofs: [{ name: 'flow', members: ['authorizationCode', 'clientCredentials', 'implicit', 'password', 'deviceCode'], required: false }],
    },
    'lf.a2a.v1.AuthorizationCodeOAuthFlow': {
      fields: [
        { jsonName: 'authorizationUrl', protoName: 'authorization_url', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 4, kind: 'map', type: 'string', valueKind: 'scalar', required: true, defaulted: true },
        { jsonName: 'pkceRequired', protoName: 'pkce_required', number: 5, kind: 'scalar', type: 'bool' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.ClientCredentialsOAuthFlow': {
      fields: [
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 3, kind: 'map', type: 'string', valueKind: 'scalar', required: true, defaulted: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.ImplicitOAuthFlow': {
      fields: [
        { jsonName: 'authorizationUrl', protoName: 'authorization_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 3, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.PasswordOAuthFlow': {
      fields: [
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 3, kind: 'map', type: 'string', valueKind: 'scalar' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.DeviceCodeOAuthFlow': {
      fields: [
        { jsonName: 'deviceAuthorizationUrl', protoName: 'device_authorization_url', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'tokenUrl', protoName: 'token_url', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'refreshUrl', protoName: 'refresh_url', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'scopes', protoName: 'scopes', number: 4, kind: 'map', type: 'string', valueKind: 'scalar', required: true, defaulted: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.SendMessageRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'message', protoName: 'message', number: 2, kind: 'message', type: 'lf.a2a.v1.Message', presence: true, required: true },
        { jsonName: 'configuration', protoName: 'configuration', number: 3, kind: 'message', type: 'lf.a2a.v1.SendMessageConfiguration', presence: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 4, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.GetTaskRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'id', protoName: 'id', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'historyLength', protoName: 'history_length', number: 3, kind: 'scalar', type: 'int32', presence: true },
        { jsonName: 'currentGeneration', protoName: 'current_generation', number: 4, kind: 'scalar', type: 'int64', presence: true, since: '1.1' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.ListTasksRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'contextId', protoName: 'context_id', number: 2, kind: 'scalar', type: 'string' },
        { jsonName: 'status', protoName: 'status', number: 3, kind: 'enum', type: 'lf.a2a.v1.TaskState' },
        { jsonName: 'pageSize', protoName: 'page_size', number: 4, kind: 'scalar', type: 'int32', presence: true },
        { jsonName: 'pageToken', protoName: 'page_token', number: 5, kind: 'scalar', type: 'string' },
        { jsonName: 'historyLength', protoName: 'history_length', number: 6, kind: 'scalar', type: 'int32', presence: true },
        { jsonName: 'statusTimestampAfter', protoName: 'status_timestamp_after', number: 7, kind: 'timestamp', type: 'google.protobuf.Timestamp', presence: true },
        { jsonName: 'includeArtifacts', protoName: 'include_artifacts', number: 8, kind: 'scalar', type: 'bool', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.ListTasksResponse': {
      fields: [
        { jsonName: 'tasks', protoName: 'tasks', number: 1, kind: 'message', type: 'lf.a2a.v1.Task', repeated: true, required: true, defaulted: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string', required: true, defaulted: true },
        { jsonName: 'pageSize', protoName: 'page_size', number: 3, kind: 'scalar', type: 'int32', required: true, defaulted: true },
        { jsonName: 'totalSize', protoName: 'total_size', number: 4, kind: 'scalar', type: 'int32', required: true, defaulted: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.CancelTaskRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'id', protoName: 'id', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'metadata', protoName: 'metadata', number: 3, kind: 'struct', type: 'google.protobuf.Struct', presence: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.GetTaskPushNotificationConfigRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'id', protoName: 'id', number: 3, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'taskId', protoName: 'task_id', number: 2, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'id', protoName: 'id', number: 3, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.SubscribeToTaskRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
        { jsonName: 'id', protoName: 'id', number: 2, kind: 'scalar', type: 'string', required: true },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': {
      fields: [
        { jsonName: 'taskId', protoName: 'task_id', number: 1, kind: 'scalar', type: 'string', required: true },
        { jsonName: 'pageSize', protoName: 'page_size', number: 2, kind: 'scalar', type: 'int32' },
        { jsonName: 'pageToken', protoName: 'page_token', number: 3, kind: 'scalar', type: 'string' },
        { jsonName: 'tenant', protoName: 'tenant', number: 4, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.GetExtendedAgentCardRequest': {
      fields: [
        { jsonName: 'tenant', protoName: 'tenant', number: 1, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
    'lf.a2a.v1.SendMessageResponse': {
      fields: [
        { jsonName: 'task', protoName: 'task', number: 1, kind: 'message', type: 'lf.a2a.v1.Task', presence: true, oneof: 'payload' },
        { jsonName: 'message', protoName: 'message', number: 2, kind: 'message', type: 'lf.a2a.v1.Message', presence: true, oneof: 'payload' },
      ],
      oneofs: [{ name: 'payload', members: ['task', 'message'], required: true }],
    },
    'lf.a2a.v1.StreamResponse': {
      fields: [
        { jsonName: 'task', protoName: 'task', number: 1, kind: 'message', type: 'lf.a2a.v1.Task', presence: true, oneof: 'payload' },
        { jsonName: 'message', protoName: 'message', number: 2, kind: 'message', type: 'lf.a2a.v1.Message', presence: true, oneof: 'payload' },
        { jsonName: 'statusUpdate', protoName: 'status_update', number: 3, kind: 'message', type: 'lf.a2a.v1.TaskStatusUpdateEvent', presence: true, oneof: 'payload' },
        { jsonName: 'artifactUpdate', protoName: 'artifact_update', number: 4, kind: 'message', type: 'lf.a2a.v1.TaskArtifactUpdateEvent', presence: true, oneof: 'payload' },
      ],
      oneofs: [{ name: 'payload', members: ['task', 'message', 'statusUpdate', 'artifactUpdate'], required: true }],
    },
    'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': {
      fields: [
        { jsonName: 'configs', protoName: 'configs', number: 1, kind: 'message', type: 'lf.a2a.v1.TaskPushNotificationConfig', repeated: true },
        { jsonName: 'nextPageToken', protoName: 'next_page_token', number: 2, kind: 'scalar', type: 'string' },
      ],
      oneofs: [],
    },
  },
  enums: {
    'lf.a2a.v1.TaskState': {
      TASK_STATE_UNSPECIFIED: 0,
      TASK_STATE_SUBMITTED: 1,
      TASK_STATE_WORKING: 2,
      TASK_STATE_COMPLETED: 3,
      TASK_STATE_FAILED: 4,
      TASK_STATE_CANCELED: 5,
      TASK_STATE_INPUT_REQUIRED: 6,
      TASK_STATE_REJECTED: 7,
      TASK_STATE_AUTH_REQUIRED: 8,
    },
    'lf.a2a.v1.Role': {
      ROLE_UNSPECIFIED: 0,
      ROLE_USER: 1,
      ROLE_AGENT: 2,
    },
  },
};
