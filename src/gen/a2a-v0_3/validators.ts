// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';
import * as is from './guards.ts';

const TaskState = c.once(() => c.names(['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELLED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED']));
const Role = c.once(() => c.names(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']));

const SendMessageConfiguration = c.once(() =>
  c.message({
    acceptedOutputModes: c.optional(c.list(c.text, c.isString)),
    pushNotification: c.optional(PushNotificationConfig()),
    historyLength: c.optional(c.int32),
    blocking: c.optional(c.bool),
  }),
);

const Task = c.once(() =>
  c.message({
    id: c.optional(c.text),
    contextId: c.optional(c.text),
    status: c.optional(TaskStatus()),
    artifacts: c.optional(c.list(Artifact(), is.isArtifact)),
    history: c.optional(c.list(Message(), is.isMessage)),
    metadata: c.optional(c.struct),
  }),
);

const TaskStatus = c.once(() =>
  c.message({
    state: c.optional(TaskState()),
    message: c.optional(Message()),
    timestamp: c.optional(c.timestamp),
  }),
);

const Part = c.once(() =>
  c.message({
    text: c.optional(c.text),
    file: c.optional(FilePart()),
    data: c.optional(DataPart()),
    metadata: c.optional(c.struct),
  }, [{ name: 'part', members: ['text', 'file', 'data'], required: true }]),
);

const FilePart = c.once(() =>
  c.message({
    fileWithUri: c.optional(c.text),
    fileWithBytes: c.optional(c.bytes),
    mimeType: c.optional(c.text),
    name: c.optional(c.text),
  }, [{ name: 'file', members: ['fileWithUri', 'fileWithBytes'], required: true }]),
);

const DataPart = c.once(() =>
  c.message({
    data: c.optional(c.struct),
  }),
);

const Message = c.once(() =>
  c.message({
    messageId: c.optional(c.text),
    contextId: c.optional(c.text),
    taskId: c.optional(c.text),
    role: c.optional(Role()),
    content: c.optional(c.list(Part(), is.isPart)),
    metadata: c.optional(c.struct),
    extensions: c.optional(c.list(c.text, c.isString)),
  }),
);

const Artifact = c.once(() =>
  c.message({
    artifactId: c.optional(c.text),
    name: c.optional(c.text),
    description: c.optional(c.text),
    parts: c.optional(c.list(Part(), is.isPart)),
    metadata: c.optional(c.struct),
    extensions: c.optional(c.list(c.text, c.isString)),
  }),
);

const TaskStatusUpdateEvent = c.once(() =>
  c.message({
    taskId: c.optional(c.text),
    contextId: c.optional(c.text),
    status: c.optional(TaskStatus()),
    final: c.optional(c.bool),
    metadata: c.optional(c.struct),
  }),
);

const TaskArtifactUpdateEvent = c.once(() =>
  c.message({
    taskId: c.optional(c.text),
    contextId: c.optional(c.text),
    artifact: c.optional(Artifact()),
    append: c.optional(c.bool),
    lastChunk: c.optional(c.bool),
    metadata: c.optional(c.struct),
  }),
);

const PushNotificationConfig = c.once(() =>
  c.message({
    id: c.optional(c.text),
    url: c.optional(c.text),
    token: c.optional(c.text),
    authentication: c.optional(AuthenticationInfo()),
  }),
);

const AuthenticationInfo = c.once(() =>
  c.message({
    schemes: c.optional(c.list(c.text, c.isString)),
    credentials: c.optional(c.text),
  }),
);

const AgentInterface = c.once(() =>
  c.message({
    url: c.optional(c.text),
    transport: c.optional(c.text),
  }),
);

const AgentCard = c.once(() =>
  c.message({
    name: c.optional(c.text),
    description: c.optional(c.text),
    url: c.optional(c.text),
    provider: c.optional(AgentProvider()),
    version: c.optional(c.text),
    documentationUrl: c.optional(c.text),
    capabilities: c.optional(AgentCapabilities()),
    securitySchemes: c.optional(c.map(SecurityScheme(), is.isSecurityScheme)),
    security: c.optional(c.list(Security(), is.isSecurity)),
    defaultInputModes: c.optional(c.list(c.text, c.isString)),
    defaultOutputModes: c.optional(c.list(c.text, c.isString)),
    skills: c.optional(c.list(AgentSkill(), is.isAgentSkill)),
    supportsAuthenticatedExtendedCard: c.optional(c.bool),
    preferredTransport: c.optional(c.text),
    additionalInterfaces: c.optional(c.list(AgentInterface(), is.isAgentInterface)),
    protocolVersion: c.optional(c.text),
    signatures: c.optional(c.list(AgentCardSignature(), is.isAgentCardSignature)),
    iconUrl: c.optional(c.text),
  }),
);

const AgentProvider = c.once(() =>
  c.message({
    url: c.optional(c.text),
    organization: c.optional(c.text),
  }),
);

const AgentCapabilities = c.once(() =>
  c.message({
    streaming: c.optional(c.bool),
    pushNotifications: c.optional(c.bool),
    extensions: c.optional(c.list(AgentExtension(), is.isAgentExtension)),
  }),
);

const AgentExtension = c.once(() =>
  c.message({
    uri: c.optional(c.text),
    description: c.optional(c.text),
    required: c.optional(c.bool),
    params: c.optional(c.struct),
  }),
);

const AgentSkill = c.once(() =>
  c.message({
    id: c.optional(c.text),
    name: c.optional(c.text),
    description: c.optional(c.text),
    tags: c.optional(c.list(c.text, c.isString)),
    examples: c.optional(c.list(c.text, c.isString)),
    inputModes: c.optional(c.list(c.text, c.isString)),
    outputModes: c.optional(c.list(c.text, c.isString)),
    security: c.optional(c.list(Security(), is.isSecurity)),
  }),
);

const AgentCardSignature = c.once(() =>
  c.message({
    protected: c.someText,
    signature: c.someText,
    header: c.optional(c.struct),
  }),
);

const TaskPushNotificationConfig = c.once(() =>
  c.message({
    name: c.optional(c.text),
    pushNotificationConfig: c.optional(PushNotificationConfig()),
  }),
);

const StringList = c.once(() =>
  c.message({
    list: c.optional(c.list(c.text, c.isString)),
  }),
);

const Security = c.once(() =>
  c.message({
    schemes: c.optional(c.map(StringList(), is.isStringList)),
  }),
);

const SecurityScheme = c.once(() =>
  c.message({
    apiKeySecurityScheme: c.optional(APIKeySecurityScheme()),
    httpAuthSecurityScheme: c.optional(HTTPAuthSecurityScheme()),
    oauth2SecurityScheme: c.optional(OAuth2SecurityScheme()),
    openIdConnectSecurityScheme: c.optional(OpenIdConnectSecurityScheme()),
    mtlsSecurityScheme: c.optional(MutualTlsSecurityScheme()),
  }, [{ name: 'scheme', members: ['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme', 'openIdConnectSecurityScheme', 'mtlsSecurityScheme'], required: false }]),
);

const APIKeySecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    location: c.optional(c.text),
    name: c.optional(c.text),
  }),
);

const HTTPAuthSecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    scheme: c.optional(c.text),
    bearerFormat: c.optional(c.text),
  }),
);

const OAuth2SecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    flows: c.optional(OAuthFlows()),
    oauth2MetadataUrl: c.optional(c.text),
  }),
);

const OpenIdConnectSecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
    openIdConnectUrl: c.optional(c.text),
  }),
);

const MutualTlsSecurityScheme = c.once(() =>
  c.message({
    description: c.optional(c.text),
  }),
);

const OAuthFlows = c.once(() =>
  c.message({
    authorizationCode: c.optional(AuthorizationCodeOAuthFlow()),
    clientCredentials: c.optional(ClientCredentialsOAuthFlow()),
    implicit: c.optional(ImplicitOAuthFlow()),
    password: c.optional(PasswordOAuthFlow()),
  }, [{ name: 'flow', members: ['authorizationCode', 'clientCredentials', 'implicit', 'password'], required: false }]),
);

const AuthorizationCodeOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.optional(c.text),
    tokenUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text, c.isString)),
  }),
);

const ClientCredentialsOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text, c.isString)),
  }),
);

const ImplicitOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text, c.isString)),
  }),
);

const PasswordOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text, c.isString)),
  }),
);

const SendMessageRequest = c.once(() =>
  c.message({
    message: Message(),
    configuration: c.optional(SendMessageConfiguration()),
    metadata: c.optional(c.struct),
  }),
);

const GetTaskRequest = c.once(() =>
  c.message({
    name: c.someText,
    historyLength: c.optional(c.int32),
  }),
);

const CancelTaskRequest = c.once(() =>
  c.message({
    name: c.optional(c.text),
  }),
);

const GetTaskPushNotificationConfigRequest = c.once(() =>
  c.message({
    name: c.optional(c.text),
  }),
);

const DeleteTaskPushNotificationConfigRequest = c.once(() =>
  c.message({
    name: c.optional(c.text),
  }),
);

const CreateTaskPushNotificationConfigRequest = c.once(() =>
  c.message({
    parent: c.someText,
    configId: c.text,
    config: TaskPushNotificationConfig(),
  }),
);

const TaskSubscriptionRequest = c.once(() =>
  c.message({
    name: c.optional(c.text),
  }),
);

const ListTaskPushNotificationConfigRequest = c.once(() =>
  c.message({
    parent: c.optional(c.text),
    pageSize: c.optional(c.int32),
    pageToken: c.optional(c.text),
  }),
);

const GetAgentCardRequest = c.once(() =>
  c.message({
  }),
);

const SendMessageResponse = c.once(() =>
  c.message({
    task: c.optional(Task()),
    message: c.optional(Message()),
  }, [{ name: 'payload', members: ['task', 'message'], required: true }]),
);

const StreamResponse = c.once(() =>
  c.message({
    task: c.optional(Task()),
    message: c.optional(Message()),
    statusUpdate: c.optional(TaskStatusUpdateEvent()),
    artifactUpdate: c.optional(TaskArtifactUpdateEvent()),
  }, [{ name: 'payload', members: ['task', 'message', 'statusUpdate', 'artifactUpdate'], required: true }]),
);

const ListTaskPushNotificationConfigResponse = c.once(() =>
  c.message({
    configs: c.optional(c.list(TaskPushNotificationConfig(), is.isTaskPushNotificationConfig)),
    nextPageToken: c.optional(c.text),
  }),
);

/** Schemas of `a2a.v1` by full message name. */
export const schemas: Readonly<Record<string, () => c.Schema>> = {
  'a2a.v1.SendMessageConfiguration': SendMessageConfiguration,
  'a2a.v1.Task': Task,
  'a2a.v1.TaskStatus': TaskStatus,
  'a2a.v1.Part': Part,
  'a2a.v1.FilePart': FilePart,
  'a2a.v1.DataPart': DataPart,
  'a2a.v1.Message': Message,
  'a2a.v1.Artifact': Artifact,
  'a2a.v1.TaskStatusUpdateEvent': TaskStatusUpdateEvent,
  'a2a.v1.TaskArtifactUpdateEvent': TaskArtifactUpdateEvent,
  'a2a.v1.PushNotificationConfig': PushNotificationConfig,
  'a2a.v1.AuthenticationInfo': AuthenticationInfo,
  'a2a.v1.AgentInterface': AgentInterface,
  'a2a.v1.AgentCard': AgentCard,
  'a2a.v1.AgentProvider': AgentProvider,
  'a2a.v1.AgentCapabilities': AgentCapabilities,
  'a2a.v1.AgentExtension': AgentExtension,
  'a2a.v1.AgentSkill': AgentSkill,
  'a2a.v1.AgentCardSignature': AgentCardSignature,
  'a2a.v1.TaskPushNotificationConfig': TaskPushNotificationConfig,
  'a2a.v1.StringList': StringList,
  'a2a.v1.Security': Security,
  'a2a.v1.SecurityScheme': SecurityScheme,
  'a2a.v1.APIKeySecurityScheme': APIKeySecurityScheme,
  'a2a.v1.HTTPAuthSecurityScheme': HTTPAuthSecurityScheme,
  'a2a.v1.OAuth2SecurityScheme': OAuth2SecurityScheme,
  'a2a.v1.OpenIdConnectSecurityScheme': OpenIdConnectSecurityScheme,
  'a2a.v1.MutualTlsSecurityScheme': MutualTlsSecurityScheme,
  'a2a.v1.OAuthFlows': OAuthFlows,
  'a2a.v1.AuthorizationCodeOAuthFlow': AuthorizationCodeOAuthFlow,
  'a2a.v1.ClientCredentialsOAuthFlow': ClientCredentialsOAuthFlow,
  'a2a.v1.ImplicitOAuthFlow': ImplicitOAuthFlow,
  'a2a.v1.PasswordOAuthFlow': PasswordOAuthFlow,
  'a2a.v1.SendMessageRequest': SendMessageRequest,
  'a2a.v1.GetTaskRequest': GetTaskRequest,
  'a2a.v1.CancelTaskRequest': CancelTaskRequest,
  'a2a.v1.GetTaskPushNotificationConfigRequest': GetTaskPushNotificationConfigRequest,
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': DeleteTaskPushNotificationConfigRequest,
  'a2a.v1.CreateTaskPushNotificationConfigRequest': CreateTaskPushNotificationConfigRequest,
  'a2a.v1.TaskSubscriptionRequest': TaskSubscriptionRequest,
  'a2a.v1.ListTaskPushNotificationConfigRequest': ListTaskPushNotificationConfigRequest,
  'a2a.v1.GetAgentCardRequest': GetAgentCardRequest,
  'a2a.v1.SendMessageResponse': SendMessageResponse,
  'a2a.v1.StreamResponse': StreamResponse,
  'a2a.v1.ListTaskPushNotificationConfigResponse': ListTaskPushNotificationConfigResponse,
};

/** Validators of `a2a.v1` by full message name. */
export const validators: Readonly<Record<string, Validator>> = {
  'google.protobuf.Empty': c.validator(c.isObject, () => c.struct),
  'a2a.v1.SendMessageConfiguration': c.validator(is.isSendMessageConfiguration, SendMessageConfiguration),
  'a2a.v1.Task': c.validator(is.isTask, Task),
  'a2a.v1.TaskStatus': c.validator(is.isTaskStatus, TaskStatus),
  'a2a.v1.Part': c.validator(is.isPart, Part),
  'a2a.v1.FilePart': c.validator(is.isFilePart, FilePart),
  'a2a.v1.DataPart': c.validator(is.isDataPart, DataPart),
  'a2a.v1.Message': c.validator(is.isMessage, Message),
  'a2a.v1.Artifact': c.validator(is.isArtifact, Artifact),
  'a2a.v1.TaskStatusUpdateEvent': c.validator(is.isTaskStatusUpdateEvent, TaskStatusUpdateEvent),
  'a2a.v1.TaskArtifactUpdateEvent': c.validator(is.isTaskArtifactUpdateEvent, TaskArtifactUpdateEvent),
  'a2a.v1.PushNotificationConfig': c.validator(is.isPushNotificationConfig, PushNotificationConfig),
  'a2a.v1.AuthenticationInfo': c.validator(is.isAuthenticationInfo, AuthenticationInfo),
  'a2a.v1.AgentInterface': c.validator(is.isAgentInterface, AgentInterface),
  'a2a.v1.AgentCard': c.validator(is.isAgentCard, AgentCard),
  'a2a.v1.AgentProvider': c.validator(is.isAgentProvider, AgentProvider),
  'a2a.v1.AgentCapabilities': c.validator(is.isAgentCapabilities, AgentCapabilities),
  'a2a.v1.AgentExtension': c.validator(is.isAgentExtension, AgentExtension),
  'a2a.v1.AgentSkill': c.validator(is.isAgentSkill, AgentSkill),
  'a2a.v1.AgentCardSignature': c.validator(is.isAgentCardSignature, AgentCardSignature),
  'a2a.v1.TaskPushNotificationConfig': c.validator(is.isTaskPushNotificationConfig, TaskPushNotificationConfig),
  'a2a.v1.StringList': c.validator(is.isStringList, StringList),
  'a2a.v1.Security': c.validator(is.isSecurity, Security),
  'a2a.v1.SecurityScheme': c.validator(is.isSecurityScheme, SecurityScheme),
  'a2a.v1.APIKeySecurityScheme': c.validator(is.isAPIKeySecurityScheme, APIKeySecurityScheme),
  'a2a.v1.HTTPAuthSecurityScheme': c.validator(is.isHTTPAuthSecurityScheme, HTTPAuthSecurityScheme),
  'a2a.v1.OAuth2SecurityScheme': c.validator(is.isOAuth2SecurityScheme, OAuth2SecurityScheme),
  'a2a.v1.OpenIdConnectSecurityScheme': c.validator(is.isOpenIdConnectSecurityScheme, OpenIdConnectSecurityScheme),
  'a2a.v1.MutualTlsSecurityScheme': c.validator(is.isMutualTlsSecurityScheme, MutualTlsSecurityScheme),
  'a2a.v1.OAuthFlows': c.validator(is.isOAuthFlows, OAuthFlows),
  'a2a.v1.AuthorizationCodeOAuthFlow': c.validator(is.isAuthorizationCodeOAuthFlow, AuthorizationCodeOAuthFlow),
  'a2a.v1.ClientCredentialsOAuthFlow': c.validator(is.isClientCredentialsOAuthFlow, ClientCredentialsOAuthFlow),
  'a2a.v1.ImplicitOAuthFlow': c.validator(is.isImplicitOAuthFlow, ImplicitOAuthFlow),
  'a2a.v1.PasswordOAuthFlow': c.validator(is.isPasswordOAuthFlow, PasswordOAuthFlow),
  'a2a.v1.SendMessageRequest': c.validator(is.isSendMessageRequest, SendMessageRequest),
  'a2a.v1.GetTaskRequest': c.validator(is.isGetTaskRequest, GetTaskRequest),
  'a2a.v1.CancelTaskRequest': c.validator(is.isCancelTaskRequest, CancelTaskRequest),
  'a2a.v1.GetTaskPushNotificationConfigRequest': c.validator(is.isGetTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest),
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': c.validator(is.isDeleteTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest),
  'a2a.v1.CreateTaskPushNotificationConfigRequest': c.validator(is.isCreateTaskPushNotificationConfigRequest, CreateTaskPushNotificationConfigRequest),
  'a2a.v1.TaskSubscriptionRequest': c.validator(is.isTaskSubscriptionRequest, TaskSubscriptionRequest),
  'a2a.v1.ListTaskPushNotificationConfigRequest': c.validator(is.isListTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigRequest),
  'a2a.v1.GetAgentCardRequest': c.validator(is.isGetAgentCardRequest, GetAgentCardRequest),
  'a2a.v1.SendMessageResponse': c.validator(is.isSendMessageResponse, SendMessageResponse),
  'a2a.v1.StreamResponse': c.validator(is.isStreamResponse, StreamResponse),
  'a2a.v1.ListTaskPushNotificationConfigResponse': c.validator(is.isListTaskPushNotificationConfigResponse, ListTaskPushNotificationConfigResponse),
};
