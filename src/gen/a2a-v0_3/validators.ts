// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

const TaskState = c.once(() => c.names(['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELLED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED']));
const Role = c.once(() => c.names(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']));

const SendMessageConfiguration = c.once(() =>
  c.message({
    acceptedOutputModes: c.optional(c.list(c.text)),
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
    artifacts: c.optional(c.list(Artifact())),
    history: c.optional(c.list(Message())),
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
  }, [{ name: 'part', members: ['text', 'file', 'data'], required: true }]),
);

const FilePart = c.once(() =>
  c.message({
    fileWithUri: c.optional(c.text),
    fileWithBytes: c.optional(c.bytes),
    mimeType: c.optional(c.text),
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
    content: c.optional(c.list(Part())),
    metadata: c.optional(c.struct),
    extensions: c.optional(c.list(c.text)),
  }),
);

const Artifact = c.once(() =>
  c.message({
    artifactId: c.optional(c.text),
    name: c.optional(c.text),
    description: c.optional(c.text),
    parts: c.optional(c.list(Part())),
    metadata: c.optional(c.struct),
    extensions: c.optional(c.list(c.text)),
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
    schemes: c.optional(c.list(c.text)),
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
    securitySchemes: c.optional(c.map(SecurityScheme())),
    security: c.optional(c.list(Security())),
    defaultInputModes: c.optional(c.list(c.text)),
    defaultOutputModes: c.optional(c.list(c.text)),
    skills: c.optional(c.list(AgentSkill())),
    supportsAuthenticatedExtendedCard: c.optional(c.bool),
    preferredTransport: c.optional(c.text),
    additionalInterfaces: c.optional(c.list(AgentInterface())),
    protocolVersion: c.optional(c.text),
    signatures: c.optional(c.list(AgentCardSignature())),
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
    extensions: c.optional(c.list(AgentExtension())),
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
    tags: c.optional(c.list(c.text)),
    examples: c.optional(c.list(c.text)),
    inputModes: c.optional(c.list(c.text)),
    outputModes: c.optional(c.list(c.text)),
    security: c.optional(c.list(Security())),
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
    list: c.optional(c.list(c.text)),
  }),
);

const Security = c.once(() =>
  c.message({
    schemes: c.optional(c.map(StringList())),
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
    scopes: c.optional(c.map(c.text)),
  }),
);

const ClientCredentialsOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text)),
  }),
);

const ImplicitOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text)),
  }),
);

const PasswordOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.optional(c.text),
    refreshUrl: c.optional(c.text),
    scopes: c.optional(c.map(c.text)),
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
    configs: c.optional(c.list(TaskPushNotificationConfig())),
    nextPageToken: c.optional(c.text),
  }),
);

/** Validators of `a2a.v1` by full message name. */
export const validators: Readonly<Record<string, Validator>> = {
  'google.protobuf.Empty': c.struct,
  get 'a2a.v1.SendMessageConfiguration'() {
    return SendMessageConfiguration();
  },
  get 'a2a.v1.Task'() {
    return Task();
  },
  get 'a2a.v1.TaskStatus'() {
    return TaskStatus();
  },
  get 'a2a.v1.Part'() {
    return Part();
  },
  get 'a2a.v1.FilePart'() {
    return FilePart();
  },
  get 'a2a.v1.DataPart'() {
    return DataPart();
  },
  get 'a2a.v1.Message'() {
    return Message();
  },
  get 'a2a.v1.Artifact'() {
    return Artifact();
  },
  get 'a2a.v1.TaskStatusUpdateEvent'() {
    return TaskStatusUpdateEvent();
  },
  get 'a2a.v1.TaskArtifactUpdateEvent'() {
    return TaskArtifactUpdateEvent();
  },
  get 'a2a.v1.PushNotificationConfig'() {
    return PushNotificationConfig();
  },
  get 'a2a.v1.AuthenticationInfo'() {
    return AuthenticationInfo();
  },
  get 'a2a.v1.AgentInterface'() {
    return AgentInterface();
  },
  get 'a2a.v1.AgentCard'() {
    return AgentCard();
  },
  get 'a2a.v1.AgentProvider'() {
    return AgentProvider();
  },
  get 'a2a.v1.AgentCapabilities'() {
    return AgentCapabilities();
  },
  get 'a2a.v1.AgentExtension'() {
    return AgentExtension();
  },
  get 'a2a.v1.AgentSkill'() {
    return AgentSkill();
  },
  get 'a2a.v1.AgentCardSignature'() {
    return AgentCardSignature();
  },
  get 'a2a.v1.TaskPushNotificationConfig'() {
    return TaskPushNotificationConfig();
  },
  get 'a2a.v1.StringList'() {
    return StringList();
  },
  get 'a2a.v1.Security'() {
    return Security();
  },
  get 'a2a.v1.SecurityScheme'() {
    return SecurityScheme();
  },
  get 'a2a.v1.APIKeySecurityScheme'() {
    return APIKeySecurityScheme();
  },
  get 'a2a.v1.HTTPAuthSecurityScheme'() {
    return HTTPAuthSecurityScheme();
  },
  get 'a2a.v1.OAuth2SecurityScheme'() {
    return OAuth2SecurityScheme();
  },
  get 'a2a.v1.OpenIdConnectSecurityScheme'() {
    return OpenIdConnectSecurityScheme();
  },
  get 'a2a.v1.MutualTlsSecurityScheme'() {
    return MutualTlsSecurityScheme();
  },
  get 'a2a.v1.OAuthFlows'() {
    return OAuthFlows();
  },
  get 'a2a.v1.AuthorizationCodeOAuthFlow'() {
    return AuthorizationCodeOAuthFlow();
  },
  get 'a2a.v1.ClientCredentialsOAuthFlow'() {
    return ClientCredentialsOAuthFlow();
  },
  get 'a2a.v1.ImplicitOAuthFlow'() {
    return ImplicitOAuthFlow();
  },
  get 'a2a.v1.PasswordOAuthFlow'() {
    return PasswordOAuthFlow();
  },
  get 'a2a.v1.SendMessageRequest'() {
    return SendMessageRequest();
  },
  get 'a2a.v1.GetTaskRequest'() {
    return GetTaskRequest();
  },
  get 'a2a.v1.CancelTaskRequest'() {
    return CancelTaskRequest();
  },
  get 'a2a.v1.GetTaskPushNotificationConfigRequest'() {
    return GetTaskPushNotificationConfigRequest();
  },
  get 'a2a.v1.DeleteTaskPushNotificationConfigRequest'() {
    return DeleteTaskPushNotificationConfigRequest();
  },
  get 'a2a.v1.CreateTaskPushNotificationConfigRequest'() {
    return CreateTaskPushNotificationConfigRequest();
  },
  get 'a2a.v1.TaskSubscriptionRequest'() {
    return TaskSubscriptionRequest();
  },
  get 'a2a.v1.ListTaskPushNotificationConfigRequest'() {
    return ListTaskPushNotificationConfigRequest();
  },
  get 'a2a.v1.GetAgentCardRequest'() {
    return GetAgentCardRequest();
  },
  get 'a2a.v1.SendMessageResponse'() {
    return SendMessageResponse();
  },
  get 'a2a.v1.StreamResponse'() {
    return StreamResponse();
  },
  get 'a2a.v1.ListTaskPushNotificationConfigResponse'() {
    return ListTaskPushNotificationConfigResponse();
  },
};
