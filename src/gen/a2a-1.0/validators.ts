// Generated from proto/a2a-1.0/lf/a2a/v1/a2a.proto and codegen/schemas/a2a-1.0.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';
import * as is from './guards.ts';

const TaskState = c.once(() => c.names(['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED']));
const Role = c.once(() => c.names(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']));
const someRole = c.once(() => c.names(['ROLE_USER', 'ROLE_AGENT']));

const APIKeySecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    location: c.someText,
    name: c.someText,
  }),
);

const AgentCapabilities = c.once(() =>
  c.message({
    extendedAgentCard: c.optional(c.bool),
    extensions: c.optional(c.list(AgentExtension(), is.isAgentExtension)),
    pushNotifications: c.optional(c.bool),
    streaming: c.optional(c.bool),
  }),
);

const AgentCard = c.once(() =>
  c.message({
    capabilities: AgentCapabilities(),
    defaultInputModes: c.list(c.text, c.isString),
    defaultOutputModes: c.list(c.text, c.isString),
    description: c.text,
    documentationUrl: c.optional(c.text),
    iconUrl: c.optional(c.text),
    name: c.someText,
    provider: c.optional(AgentProvider()),
    securityRequirements: c.optional(c.list(SecurityRequirement(), is.isSecurityRequirement)),
    securitySchemes: c.optional(c.map(SecurityScheme(), is.isSecurityScheme)),
    signatures: c.optional(c.list(AgentCardSignature(), is.isAgentCardSignature)),
    skills: c.list(AgentSkill(), is.isAgentSkill),
    supportedInterfaces: c.list(AgentInterface(), is.isAgentInterface),
    version: c.text,
  }),
);

const AgentCardSignature = c.once(() =>
  c.message({
    header: c.optional(c.struct),
    protected: c.someText,
    signature: c.someText,
  }),
);

const AgentExtension = c.once(() =>
  c.message({
    description: c.optional(c.text),
    params: c.optional(c.struct),
    required: c.optional(c.bool),
    uri: c.optional(c.text),
  }),
);

const AgentInterface = c.once(() =>
  c.message({
    protocolBinding: c.someText,
    protocolVersion: c.text,
    tenant: c.optional(c.text),
    url: c.someText,
  }),
);

const AgentProvider = c.once(() =>
  c.message({
    organization: c.text,
    url: c.text,
  }),
);

const AgentSkill = c.once(() =>
  c.message({
    description: c.text,
    examples: c.optional(c.list(c.text, c.isString)),
    id: c.someText,
    inputModes: c.optional(c.list(c.text, c.isString)),
    name: c.text,
    outputModes: c.optional(c.list(c.text, c.isString)),
    securityRequirements: c.optional(c.list(SecurityRequirement(), is.isSecurityRequirement)),
    tags: c.list(c.text, c.isString),
  }),
);

const Artifact = c.once(() =>
  c.message({
    artifactId: c.someText,
    description: c.optional(c.text),
    extensions: c.optional(c.list(c.text, c.isString)),
    metadata: c.optional(c.struct),
    name: c.optional(c.text),
    parts: c.list(Part(), is.isPart),
  }),
);

const AuthenticationInfo = c.once(() =>
  c.message({
    credentials: c.optional(c.text),
    scheme: c.someText,
  }),
);

const AuthorizationCodeOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.someText,
    pkceRequired: c.optional(c.bool),
    refreshUrl: c.optional(c.text),
    scopes: c.map(c.text, c.isString),
    tokenUrl: c.someText,
  }),
);

const CancelTaskRequest = c.once(() =>
  c.message({
    id: c.someText,
    metadata: c.optional(c.struct),
    tenant: c.optional(c.text),
  }),
);

const ClientCredentialsOAuthFlow = c.once(() =>
  c.message({
    refreshUrl: c.optional(c.text),
    scopes: c.map(c.text, c.isString),
    tokenUrl: c.someText,
  }),
);

const DeleteTaskPushNotificationConfigRequest = c.once(() =>
  c.message({
    id: c.someText,
    taskId: c.someText,
    tenant: c.optional(c.text),
  }),
);

const DeviceCodeOAuthFlow = c.once(() =>
  c.message({
    deviceAuthorizationUrl: c.someText,
    refreshUrl: c.optional(c.text),
    scopes: c.map(c.text, c.isString),
    tokenUrl: c.someText,
  }),
);

const GetExtendedAgentCardRequest = c.once(() =>
  c.message({
    tenant: c.optional(c.text),
  }),
);

const GetTaskPushNotificationConfigRequest = c.once(() =>
  c.message({
    id: c.someText,
    taskId: c.someText,
    tenant: c.optional(c.text),
  }),
);

const GetTaskRequest = c.once(() =>
  c.message({
    historyLength: c.optional(c.int32),
    id: c.someText,
    tenant: c.optional(c.text),
  }),
);

const HTTPAuthSecurityScheme = c.once(() =>
  c.message({
    bearerFormat: c.optional(c.text),
    description: c.optional(c.text),
    scheme: c.someText,
  }),
);

const ImplicitOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text, c.isString)),
  }),
);

const ListTaskPushNotificationConfigsRequest = c.once(() =>
  c.message({
    pageSize: c.optional(c.int32),
    pageToken: c.optional(c.text),
    taskId: c.someText,
    tenant: c.optional(c.text),
  }),
);

const ListTaskPushNotificationConfigsResponse = c.once(() =>
  c.message({
    configs: c.optional(c.list(TaskPushNotificationConfig(), is.isTaskPushNotificationConfig)),
    nextPageToken: c.optional(c.text),
  }),
);

const ListTasksRequest = c.once(() =>
  c.message({
    contextId: c.optional(c.text),
    historyLength: c.optional(c.int32),
    includeArtifacts: c.optional(c.bool),
    pageSize: c.optional(c.int32),
    pageToken: c.optional(c.text),
    status: c.optional(TaskState()),
    statusTimestampAfter: c.optional(c.timestamp),
    tenant: c.optional(c.text),
  }),
);

const ListTasksResponse = c.once(() =>
  c.message({
    nextPageToken: c.text,
    pageSize: c.int32,
    tasks: c.list(Task(), is.isTask),
    totalSize: c.int32,
  }),
);

const Message = c.once(() =>
  c.message({
    contextId: c.optional(c.text),
    extensions: c.optional(c.list(c.text, c.isString)),
    messageId: c.someText,
    metadata: c.optional(c.struct),
    parts: c.someOf(Part(), is.isPart),
    referenceTaskIds: c.optional(c.list(c.text, c.isString)),
    role: someRole(),
    taskId: c.optional(c.text),
  }),
);

const MutualTlsSecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
  }),
);

const OAuth2SecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    flows: OAuthFlows(),
    oauth2MetadataUrl: c.optional(c.text),
  }),
);

const OAuthFlows = c.once(() =>
  c.message({
    authorizationCode: c.optional(AuthorizationCodeOAuthFlow()),
    clientCredentials: c.optional(ClientCredentialsOAuthFlow()),
    deviceCode: c.optional(DeviceCodeOAuthFlow()),
    implicit: c.optional(ImplicitOAuthFlow()),
    password: c.optional(PasswordOAuthFlow()),
  }, [{ name: 'flow', members: ['authorizationCode', 'clientCredentials', 'implicit', 'password', 'deviceCode'], required: false }]),
);

const OpenIdConnectSecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    openIdConnectUrl: c.someText,
  }),
);

const Part = c.once(() =>
  c.message({
    data: c.optional(c.value),
    filename: c.optional(c.text),
    mediaType: c.optional(c.text),
    metadata: c.optional(c.struct),
    raw: c.optional(c.bytes),
    text: c.optional(c.text),
    url: c.optional(c.text),
  }, [{ name: 'content', members: ['text', 'raw', 'url', 'data'], required: true }]),
);

const PasswordOAuthFlow = c.once(() =>
  c.message({
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text, c.isString)),
    tokenUrl: c.optional(c.text),
  }),
);

const SecurityRequirement = c.once(() =>
  c.message({
    schemes: c.optional(c.map(StringList(), is.isStringList)),
  }),
);

const SecurityScheme = c.once(() =>
  c.message({
    apiKeySecurityScheme: c.optional(APIKeySecurityScheme()),
    httpAuthSecurityScheme: c.optional(HTTPAuthSecurityScheme()),
    mtlsSecurityScheme: c.optional(MutualTlsSecurityScheme()),
    oauth2SecurityScheme: c.optional(OAuth2SecurityScheme()),
    openIdConnectSecurityScheme: c.optional(OpenIdConnectSecurityScheme()),
  }, [{ name: 'scheme', members: ['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme', 'openIdConnectSecurityScheme', 'mtlsSecurityScheme'], required: false }]),
);

const SendMessageConfiguration = c.once(() =>
  c.message({
    acceptedOutputModes: c.optional(c.list(c.text, c.isString)),
    historyLength: c.optional(c.int32),
    returnImmediately: c.optional(c.bool),
    taskPushNotificationConfig: c.optional(TaskPushNotificationConfig()),
  }),
);

const SendMessageRequest = c.once(() =>
  c.message({
    configuration: c.optional(SendMessageConfiguration()),
    message: Message(),
    metadata: c.optional(c.struct),
    tenant: c.optional(c.text),
  }),
);

const SendMessageResponse = c.once(() =>
  c.message({
    message: c.optional(Message()),
    task: c.optional(Task()),
  }, [{ name: 'payload', members: ['task', 'message'], required: true }]),
);

const StreamResponse = c.once(() =>
  c.message({
    artifactUpdate: c.optional(TaskArtifactUpdateEvent()),
    message: c.optional(Message()),
    statusUpdate: c.optional(TaskStatusUpdateEvent()),
    task: c.optional(Task()),
  }, [{ name: 'payload', members: ['task', 'message', 'statusUpdate', 'artifactUpdate'], required: true }]),
);

const StringList = c.once(() =>
  c.message({
    list: c.optional(c.list(c.text, c.isString)),
  }),
);

const SubscribeToTaskRequest = c.once(() =>
  c.message({
    id: c.someText,
    tenant: c.optional(c.text),
  }),
);

const Task = c.once(() =>
  c.message({
    artifacts: c.optional(c.list(Artifact(), is.isArtifact)),
    contextId: c.optional(c.text),
    history: c.optional(c.list(Message(), is.isMessage)),
    id: c.someText,
    metadata: c.optional(c.struct),
    status: TaskStatus(),
  }),
);

const TaskArtifactUpdateEvent = c.once(() =>
  c.message({
    append: c.optional(c.bool),
    artifact: Artifact(),
    contextId: c.text,
    lastChunk: c.optional(c.bool),
    metadata: c.optional(c.struct),
    taskId: c.someText,
  }),
);

const TaskPushNotificationConfig = c.once(() =>
  c.message({
    authentication: c.optional(AuthenticationInfo()),
    id: c.optional(c.text),
    taskId: c.optional(c.text),
    tenant: c.optional(c.text),
    token: c.optional(c.text),
    url: c.someText,
  }),
);

const TaskStatus = c.once(() =>
  c.message({
    message: c.optional(Message()),
    state: TaskState(),
    timestamp: c.optional(c.timestamp),
  }),
);

const TaskStatusUpdateEvent = c.once(() =>
  c.message({
    contextId: c.text,
    metadata: c.optional(c.struct),
    status: TaskStatus(),
    taskId: c.someText,
  }),
);

/** Schemas of `lf.a2a.v1` by full message name. */
export const schemas: Readonly<Record<string, () => c.Schema>> = {
  'lf.a2a.v1.SendMessageConfiguration': SendMessageConfiguration,
  'lf.a2a.v1.Task': Task,
  'lf.a2a.v1.TaskStatus': TaskStatus,
  'lf.a2a.v1.Part': Part,
  'lf.a2a.v1.Message': Message,
  'lf.a2a.v1.Artifact': Artifact,
  'lf.a2a.v1.TaskStatusUpdateEvent': TaskStatusUpdateEvent,
  'lf.a2a.v1.TaskArtifactUpdateEvent': TaskArtifactUpdateEvent,
  'lf.a2a.v1.AuthenticationInfo': AuthenticationInfo,
  'lf.a2a.v1.AgentInterface': AgentInterface,
  'lf.a2a.v1.AgentCard': AgentCard,
  'lf.a2a.v1.AgentProvider': AgentProvider,
  'lf.a2a.v1.AgentCapabilities': AgentCapabilities,
  'lf.a2a.v1.AgentExtension': AgentExtension,
  'lf.a2a.v1.AgentSkill': AgentSkill,
  'lf.a2a.v1.AgentCardSignature': AgentCardSignature,
  'lf.a2a.v1.TaskPushNotificationConfig': TaskPushNotificationConfig,
  'lf.a2a.v1.StringList': StringList,
  'lf.a2a.v1.SecurityRequirement': SecurityRequirement,
  'lf.a2a.v1.SecurityScheme': SecurityScheme,
  'lf.a2a.v1.APIKeySecurityScheme': APIKeySecurityScheme,
  'lf.a2a.v1.HTTPAuthSecurityScheme': HTTPAuthSecurityScheme,
  'lf.a2a.v1.OAuth2SecurityScheme': OAuth2SecurityScheme,
  'lf.a2a.v1.OpenIdConnectSecurityScheme': OpenIdConnectSecurityScheme,
  'lf.a2a.v1.MutualTlsSecurityScheme': MutualTlsSecurityScheme,
  'lf.a2a.v1.OAuthFlows': OAuthFlows,
  'lf.a2a.v1.AuthorizationCodeOAuthFlow': AuthorizationCodeOAuthFlow,
  'lf.a2a.v1.ClientCredentialsOAuthFlow': ClientCredentialsOAuthFlow,
  'lf.a2a.v1.ImplicitOAuthFlow': ImplicitOAuthFlow,
  'lf.a2a.v1.PasswordOAuthFlow': PasswordOAuthFlow,
  'lf.a2a.v1.DeviceCodeOAuthFlow': DeviceCodeOAuthFlow,
  'lf.a2a.v1.SendMessageRequest': SendMessageRequest,
  'lf.a2a.v1.GetTaskRequest': GetTaskRequest,
  'lf.a2a.v1.ListTasksRequest': ListTasksRequest,
  'lf.a2a.v1.ListTasksResponse': ListTasksResponse,
  'lf.a2a.v1.CancelTaskRequest': CancelTaskRequest,
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': GetTaskPushNotificationConfigRequest,
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': DeleteTaskPushNotificationConfigRequest,
  'lf.a2a.v1.SubscribeToTaskRequest': SubscribeToTaskRequest,
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': ListTaskPushNotificationConfigsRequest,
  'lf.a2a.v1.GetExtendedAgentCardRequest': GetExtendedAgentCardRequest,
  'lf.a2a.v1.SendMessageResponse': SendMessageResponse,
  'lf.a2a.v1.StreamResponse': StreamResponse,
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': ListTaskPushNotificationConfigsResponse,
};

/** Validators of `lf.a2a.v1` by full message name. */
export const validators: Readonly<Record<string, Validator>> = {
  'google.protobuf.Empty': c.validator(c.isObject, () => c.struct),
  'lf.a2a.v1.SendMessageConfiguration': c.validator(is.isSendMessageConfiguration, SendMessageConfiguration),
  'lf.a2a.v1.Task': c.validator(is.isTask, Task),
  'lf.a2a.v1.TaskStatus': c.validator(is.isTaskStatus, TaskStatus),
  'lf.a2a.v1.Part': c.validator(is.isPart, Part),
  'lf.a2a.v1.Message': c.validator(is.isMessage, Message),
  'lf.a2a.v1.Artifact': c.validator(is.isArtifact, Artifact),
  'lf.a2a.v1.TaskStatusUpdateEvent': c.validator(is.isTaskStatusUpdateEvent, TaskStatusUpdateEvent),
  'lf.a2a.v1.TaskArtifactUpdateEvent': c.validator(is.isTaskArtifactUpdateEvent, TaskArtifactUpdateEvent),
  'lf.a2a.v1.AuthenticationInfo': c.validator(is.isAuthenticationInfo, AuthenticationInfo),
  'lf.a2a.v1.AgentInterface': c.validator(is.isAgentInterface, AgentInterface),
  'lf.a2a.v1.AgentCard': c.validator(is.isAgentCard, AgentCard),
  'lf.a2a.v1.AgentProvider': c.validator(is.isAgentProvider, AgentProvider),
  'lf.a2a.v1.AgentCapabilities': c.validator(is.isAgentCapabilities, AgentCapabilities),
  'lf.a2a.v1.AgentExtension': c.validator(is.isAgentExtension, AgentExtension),
  'lf.a2a.v1.AgentSkill': c.validator(is.isAgentSkill, AgentSkill),
  'lf.a2a.v1.AgentCardSignature': c.validator(is.isAgentCardSignature, AgentCardSignature),
  'lf.a2a.v1.TaskPushNotificationConfig': c.validator(is.isTaskPushNotificationConfig, TaskPushNotificationConfig),
  'lf.a2a.v1.StringList': c.validator(is.isStringList, StringList),
  'lf.a2a.v1.SecurityRequirement': c.validator(is.isSecurityRequirement, SecurityRequirement),
  'lf.a2a.v1.SecurityScheme': c.validator(is.isSecurityScheme, SecurityScheme),
  'lf.a2a.v1.APIKeySecurityScheme': c.validator(is.isAPIKeySecurityScheme, APIKeySecurityScheme),
  'lf.a2a.v1.HTTPAuthSecurityScheme': c.validator(is.isHTTPAuthSecurityScheme, HTTPAuthSecurityScheme),
  'lf.a2a.v1.OAuth2SecurityScheme': c.validator(is.isOAuth2SecurityScheme, OAuth2SecurityScheme),
  'lf.a2a.v1.OpenIdConnectSecurityScheme': c.validator(is.isOpenIdConnectSecurityScheme, OpenIdConnectSecurityScheme),
  'lf.a2a.v1.MutualTlsSecurityScheme': c.validator(is.isMutualTlsSecurityScheme, MutualTlsSecurityScheme),
  'lf.a2a.v1.OAuthFlows': c.validator(is.isOAuthFlows, OAuthFlows),
  'lf.a2a.v1.AuthorizationCodeOAuthFlow': c.validator(is.isAuthorizationCodeOAuthFlow, AuthorizationCodeOAuthFlow),
  'lf.a2a.v1.ClientCredentialsOAuthFlow': c.validator(is.isClientCredentialsOAuthFlow, ClientCredentialsOAuthFlow),
  'lf.a2a.v1.ImplicitOAuthFlow': c.validator(is.isImplicitOAuthFlow, ImplicitOAuthFlow),
  'lf.a2a.v1.PasswordOAuthFlow': c.validator(is.isPasswordOAuthFlow, PasswordOAuthFlow),
  'lf.a2a.v1.DeviceCodeOAuthFlow': c.validator(is.isDeviceCodeOAuthFlow, DeviceCodeOAuthFlow),
  'lf.a2a.v1.SendMessageRequest': c.validator(is.isSendMessageRequest, SendMessageRequest),
  'lf.a2a.v1.GetTaskRequest': c.validator(is.isGetTaskRequest, GetTaskRequest),
  'lf.a2a.v1.ListTasksRequest': c.validator(is.isListTasksRequest, ListTasksRequest),
  'lf.a2a.v1.ListTasksResponse': c.validator(is.isListTasksResponse, ListTasksResponse),
  'lf.a2a.v1.CancelTaskRequest': c.validator(is.isCancelTaskRequest, CancelTaskRequest),
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': c.validator(is.isGetTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest),
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': c.validator(is.isDeleteTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest),
  'lf.a2a.v1.SubscribeToTaskRequest': c.validator(is.isSubscribeToTaskRequest, SubscribeToTaskRequest),
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': c.validator(is.isListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsRequest),
  'lf.a2a.v1.GetExtendedAgentCardRequest': c.validator(is.isGetExtendedAgentCardRequest, GetExtendedAgentCardRequest),
  'lf.a2a.v1.SendMessageResponse': c.validator(is.isSendMessageResponse, SendMessageResponse),
  'lf.a2a.v1.StreamResponse': c.validator(is.isStreamResponse, StreamResponse),
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': c.validator(is.isListTaskPushNotificationConfigsResponse, ListTaskPushNotificationConfigsResponse),
};
