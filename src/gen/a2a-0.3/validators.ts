// Generated from codegen/schemas/a2a-0.3.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

const TextPart = c.once(() =>
  c.message({
    kind: c.optional(c.names(['text'])),
    text: c.text,
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const FileWithBytes = c.once(() =>
  c.message({
    bytes: c.text,
    mimeType: c.optional(c.nullable(c.text)),
    name: c.optional(c.nullable(c.text)),
  }),
);

const FileWithUri = c.once(() =>
  c.message({
    uri: c.text,
    mimeType: c.optional(c.nullable(c.text)),
    name: c.optional(c.nullable(c.text)),
  }),
);

const FileWithUrl = c.once(() =>
  c.message({
    url: c.text,
    mimeType: c.optional(c.nullable(c.text)),
    name: c.optional(c.nullable(c.text)),
  }),
);

const FilePart = c.once(() =>
  c.message({
    kind: c.optional(c.names(['file'])),
    file: c.anyOf('FileWithBytes or FileWithUri or FileWithUrl', c.lazy(FileWithBytes), c.lazy(FileWithUri), c.lazy(FileWithUrl)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const DataPart = c.once(() =>
  c.message({
    kind: c.optional(c.names(['data'])),
    data: c.anyOf('an object or an array', c.struct, c.list(c.value)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const Part = c.once(() => c.anyOf('TextPart or FilePart or DataPart', c.lazy(TextPart), c.lazy(FilePart), c.lazy(DataPart)));

const Role = c.once(() => c.names(['user', 'agent']));

const Message = c.once(() =>
  c.message({
    kind: c.optional(c.names(['message'])),
    messageId: c.optional(c.nullable(c.text)),
    role: c.lazy(Role),
    parts: c.list(c.lazy(Part)),
    contextId: c.optional(c.nullable(c.text)),
    taskId: c.optional(c.nullable(c.text)),
    referenceTaskIds: c.optional(c.nullable(c.list(c.text))),
    extensions: c.optional(c.nullable(c.list(c.text))),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskState = c.once(() => c.someText);

const TaskStatus = c.once(() =>
  c.message({
    state: c.lazy(TaskState),
    message: c.optional(c.nullable(c.lazy(Message))),
    timestamp: c.optional(c.nullable(c.text)),
  }),
);

const Artifact = c.once(() =>
  c.message({
    artifactId: c.someText,
    parts: c.list(c.lazy(Part)),
    name: c.optional(c.nullable(c.text)),
    description: c.optional(c.nullable(c.text)),
    extensions: c.optional(c.nullable(c.list(c.text))),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const Task = c.once(() =>
  c.message({
    kind: c.optional(c.names(['task'])),
    id: c.someText,
    contextId: c.optional(c.nullable(c.text)),
    status: c.lazy(TaskStatus),
    artifacts: c.optional(c.nullable(c.list(c.lazy(Artifact)))),
    history: c.optional(c.nullable(c.list(c.lazy(Message)))),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskStatusUpdateEvent = c.once(() =>
  c.message({
    kind: c.optional(c.names(['status-update'])),
    taskId: c.someText,
    contextId: c.optional(c.nullable(c.text)),
    status: c.lazy(TaskStatus),
    final: c.optional(c.nullable(c.bool)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskArtifactUpdateEvent = c.once(() =>
  c.message({
    kind: c.optional(c.names(['artifact-update'])),
    taskId: c.someText,
    contextId: c.optional(c.nullable(c.text)),
    artifact: c.lazy(Artifact),
    append: c.optional(c.nullable(c.bool)),
    lastChunk: c.optional(c.nullable(c.bool)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const PushNotificationAuthenticationInfo = c.once(() =>
  c.message({
    schemes: c.list(c.text),
    credentials: c.optional(c.nullable(c.text)),
  }),
);

const PushNotificationConfig = c.once(() =>
  c.message({
    url: c.text,
    id: c.optional(c.nullable(c.text)),
    token: c.optional(c.nullable(c.text)),
    authentication: c.optional(c.nullable(c.lazy(PushNotificationAuthenticationInfo))),
  }),
);

const TaskPushNotificationConfig = c.once(() =>
  c.message({
    taskId: c.text,
    pushNotificationConfig: c.lazy(PushNotificationConfig),
  }),
);

const TaskPushNotificationConfigs = c.once(() => c.list(c.lazy(TaskPushNotificationConfig)));

const MessageSendConfiguration = c.once(() =>
  c.message({
    acceptedOutputModes: c.optional(c.nullable(c.list(c.text))),
    blocking: c.optional(c.nullable(c.bool)),
    historyLength: c.optional(c.nullable(c.int32)),
    pushNotificationConfig: c.optional(c.nullable(c.lazy(PushNotificationConfig))),
  }),
);

const MessageSendParams = c.once(() =>
  c.message({
    message: c.lazy(Message),
    configuration: c.optional(c.nullable(c.lazy(MessageSendConfiguration))),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskQueryParams = c.once(() =>
  c.message({
    id: c.text,
    historyLength: c.optional(c.nullable(c.int32)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskIdParams = c.once(() =>
  c.message({
    id: c.text,
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskPushNotificationConfigParams = c.once(() =>
  c.message({
    id: c.text,
    pushNotificationConfigId: c.optional(c.nullable(c.text)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const AgentProvider = c.once(() =>
  c.message({
    organization: c.text,
    url: c.optional(c.nullable(c.text)),
  }),
);

const AgentExtension = c.once(() =>
  c.message({
    uri: c.text,
    description: c.optional(c.nullable(c.text)),
    required: c.optional(c.nullable(c.bool)),
    params: c.optional(c.nullable(c.struct)),
  }),
);

const AgentCapabilities = c.once(() =>
  c.message({
    streaming: c.optional(c.nullable(c.bool)),
    pushNotifications: c.optional(c.nullable(c.bool)),
    stateTransitionHistory: c.optional(c.nullable(c.bool)),
    knowledgeGraph: c.optional(c.nullable(c.bool)),
    knowledgeGraphQueryLanguages: c.optional(c.nullable(c.list(c.text))),
    extensions: c.optional(c.nullable(c.list(c.lazy(AgentExtension)))),
  }),
);

const AgentInterface = c.once(() =>
  c.message({
    url: c.text,
    transport: c.text,
  }),
);

const AuthorizationCodeOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.text,
    tokenUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const ClientCredentialsOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const ImplicitOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const PasswordOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const OAuthFlows = c.once(() =>
  c.message({
    authorizationCode: c.optional(c.nullable(c.lazy(AuthorizationCodeOAuthFlow))),
    clientCredentials: c.optional(c.nullable(c.lazy(ClientCredentialsOAuthFlow))),
    implicit: c.optional(c.nullable(c.lazy(ImplicitOAuthFlow))),
    password: c.optional(c.nullable(c.lazy(PasswordOAuthFlow))),
  }),
);

const APIKeySecurityScheme = c.once(() =>
  c.message({
    type: c.names(['apiKey']),
    description: c.optional(c.nullable(c.text)),
    in: c.names(['cookie', 'header', 'query']),
    name: c.text,
  }),
);

const HTTPAuthSecurityScheme = c.once(() =>
  c.message({
    type: c.names(['http']),
    description: c.optional(c.nullable(c.text)),
    scheme: c.text,
    bearerFormat: c.optional(c.nullable(c.text)),
  }),
);

const OAuth2SecurityScheme = c.once(() =>
  c.message({
    type: c.names(['oauth2']),
    description: c.optional(c.nullable(c.text)),
    flows: c.lazy(OAuthFlows),
    oauth2MetadataUrl: c.optional(c.nullable(c.text)),
  }),
);

const OpenIdConnectSecurityScheme = c.once(() =>
  c.message({
    type: c.names(['openIdConnect']),
    description: c.optional(c.nullable(c.text)),
    openIdConnectUrl: c.text,
  }),
);

const MutualTLSSecurityScheme = c.once(() =>
  c.message({
    type: c.names(['mutualTLS']),
    description: c.optional(c.nullable(c.text)),
  }),
);

const SecurityScheme = c.once(() => c.anyOf('APIKeySecurityScheme or HTTPAuthSecurityScheme or OAuth2SecurityScheme or OpenIdConnectSecurityScheme or MutualTLSSecurityScheme', c.lazy(APIKeySecurityScheme), c.lazy(HTTPAuthSecurityScheme), c.lazy(OAuth2SecurityScheme), c.lazy(OpenIdConnectSecurityScheme), c.lazy(MutualTLSSecurityScheme)));

const AgentSkill = c.once(() =>
  c.message({
    id: c.text,
    name: c.text,
    description: c.optional(c.nullable(c.text)),
    tags: c.optional(c.nullable(c.list(c.text))),
    examples: c.optional(c.nullable(c.list(c.text))),
    inputModes: c.optional(c.nullable(c.list(c.text))),
    outputModes: c.optional(c.nullable(c.list(c.text))),
    security: c.optional(c.nullable(c.list(c.struct))),
  }),
);

const AgentCardSignature = c.once(() =>
  c.message({
    protected: c.text,
    signature: c.text,
    header: c.optional(c.nullable(c.struct)),
  }),
);

const AgentCard = c.once(() =>
  c.message({
    protocolVersion: c.pattern('^0\\.3(?:\\.|$)'),
    name: c.text,
    description: c.text,
    url: c.text,
    preferredTransport: c.optional(c.nullable(c.text)),
    additionalInterfaces: c.optional(c.nullable(c.list(c.lazy(AgentInterface)))),
    iconUrl: c.optional(c.nullable(c.text)),
    provider: c.optional(c.nullable(c.lazy(AgentProvider))),
    version: c.text,
    documentationUrl: c.optional(c.nullable(c.text)),
    capabilities: c.lazy(AgentCapabilities),
    securitySchemes: c.optional(c.nullable(c.struct)),
    security: c.optional(c.nullable(c.list(c.struct))),
    defaultInputModes: c.list(c.text),
    defaultOutputModes: c.list(c.text),
    skills: c.list(c.lazy(AgentSkill)),
    supportsAuthenticatedExtendedCard: c.optional(c.nullable(c.bool)),
    signatures: c.optional(c.nullable(c.list(c.lazy(AgentCardSignature)))),
  }),
);

/** Validators by definition; each is built when it is first used. */
export const validators = {
  get TextPart() {
    return TextPart();
  },
  get FileWithBytes() {
    return FileWithBytes();
  },
  get FileWithUri() {
    return FileWithUri();
  },
  get FileWithUrl() {
    return FileWithUrl();
  },
  get FilePart() {
    return FilePart();
  },
  get DataPart() {
    return DataPart();
  },
  get Part() {
    return Part();
  },
  get Role() {
    return Role();
  },
  get Message() {
    return Message();
  },
  get TaskState() {
    return TaskState();
  },
  get TaskStatus() {
    return TaskStatus();
  },
  get Artifact() {
    return Artifact();
  },
  get Task() {
    return Task();
  },
  get TaskStatusUpdateEvent() {
    return TaskStatusUpdateEvent();
  },
  get TaskArtifactUpdateEvent() {
    return TaskArtifactUpdateEvent();
  },
  get PushNotificationAuthenticationInfo() {
    return PushNotificationAuthenticationInfo();
  },
  get PushNotificationConfig() {
    return PushNotificationConfig();
  },
  get TaskPushNotificationConfig() {
    return TaskPushNotificationConfig();
  },
  get TaskPushNotificationConfigs() {
    return TaskPushNotificationConfigs();
  },
  get MessageSendConfiguration() {
    return MessageSendConfiguration();
  },
  get MessageSendParams() {
    return MessageSendParams();
  },
  get TaskQueryParams() {
    return TaskQueryParams();
  },
  get TaskIdParams() {
    return TaskIdParams();
  },
  get TaskPushNotificationConfigParams() {
    return TaskPushNotificationConfigParams();
  },
  get AgentProvider() {
    return AgentProvider();
  },
  get AgentExtension() {
    return AgentExtension();
  },
  get AgentCapabilities() {
    return AgentCapabilities();
  },
  get AgentInterface() {
    return AgentInterface();
  },
  get AuthorizationCodeOAuthFlow() {
    return AuthorizationCodeOAuthFlow();
  },
  get ClientCredentialsOAuthFlow() {
    return ClientCredentialsOAuthFlow();
  },
  get ImplicitOAuthFlow() {
    return ImplicitOAuthFlow();
  },
  get PasswordOAuthFlow() {
    return PasswordOAuthFlow();
  },
  get OAuthFlows() {
    return OAuthFlows();
  },
  get APIKeySecurityScheme() {
    return APIKeySecurityScheme();
  },
  get HTTPAuthSecurityScheme() {
    return HTTPAuthSecurityScheme();
  },
  get OAuth2SecurityScheme() {
    return OAuth2SecurityScheme();
  },
  get OpenIdConnectSecurityScheme() {
    return OpenIdConnectSecurityScheme();
  },
  get MutualTLSSecurityScheme() {
    return MutualTLSSecurityScheme();
  },
  get SecurityScheme() {
    return SecurityScheme();
  },
  get AgentSkill() {
    return AgentSkill();
  },
  get AgentCardSignature() {
    return AgentCardSignature();
  },
  get AgentCard() {
    return AgentCard();
  },
} satisfies Readonly<Record<string, Validator>>;
