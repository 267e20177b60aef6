// Generated from codegen/schemas/a2a-0.3.json by `npm run generate`. Do not edit.

/** One piece of a message or of an artifact. */
export type Part = TextPart | FilePart | DataPart;

/** Who speaks. */
export type Role = 'user' | 'agent';

/**
 * Where a task is in its life: submitted, working, input-required, auth-required, completed, failed, canceled, rejected or unknown. Another name is read as unknown.
 */
export type TaskState = string;

/** Result of tasks/pushNotificationConfig/list. */
export type TaskPushNotificationConfigs = TaskPushNotificationConfig[];

/** A way to authenticate, as in OpenAPI 3. */
export type SecurityScheme =
  | APIKeySecurityScheme
  | HTTPAuthSecurityScheme
  | OAuth2SecurityScheme
  | OpenIdConnectSecurityScheme
  | MutualTLSSecurityScheme;

/** Text. */
export interface TextPart {
  /** Told by the shape where it is left out. */
  kind?: 'text';
  text: string;
  metadata?: Record<string, unknown> | null;
}

/** A file within the message. */
export interface FileWithBytes {
  /** Base64. */
  bytes: string;
  mimeType?: string | null;
  name?: string | null;
}

/** A file elsewhere. */
export interface FileWithUri {
  uri: string;
  mimeType?: string | null;
  name?: string | null;
}

/** A file elsewhere, as some clients write it; no writer is to. */
export interface FileWithUrl {
  url: string;
  mimeType?: string | null;
  name?: string | null;
}

/** A file. */
export interface FilePart {
  /** Told by the shape where it is left out. */
  kind?: 'file';
  file: FileWithBytes | FileWithUri | FileWithUrl;
  metadata?: Record<string, unknown> | null;
}

/** A JSON object. */
export interface DataPart {
  /** Told by the shape where it is left out. */
  kind?: 'data';
  /** An object, by the document; some clients send arrays. */
  data: Record<string, unknown> | unknown[];
  metadata?: Record<string, unknown> | null;
}

/** One turn of a conversation. */
export interface Message {
  /** Told by the shape where it is left out. */
  kind?: 'message';
  /** Required by the document; made up where a client leaves it out. */
  messageId?: string | null;
  role: Role;
  parts: Part[];
  contextId?: string | null;
  taskId?: string | null;
  referenceTaskIds?: string[] | null;
  /** URIs. */
  extensions?: string[] | null;
  metadata?: Record<string, unknown> | null;
}

/** The state of a task, and what the agent says about it. */
export interface TaskStatus {
  state: TaskState;
  message?: Message | null;
  /** ISO 8601; UTC where no offset is given. */
  timestamp?: string | null;
}

/** Output of a task. */
export interface Artifact {
  artifactId: string;
  parts: Part[];
  name?: string | null;
  description?: string | null;
  /** URIs. */
  extensions?: string[] | null;
  metadata?: Record<string, unknown> | null;
}

/** A unit of work. */
export interface Task {
  /** Told by the shape where it is left out. */
  kind?: 'task';
  id: string;
  contextId?: string | null;
  status: TaskStatus;
  artifacts?: Artifact[] | null;
  history?: Message[] | null;
  metadata?: Record<string, unknown> | null;
}

/** A change of the state. */
export interface TaskStatusUpdateEvent {
  /** Told by the shape where it is left out. */
  kind?: 'status-update';
  taskId: string;
  contextId?: string | null;
  status: TaskStatus;
  /** Whether the stream ends here. */
  final?: boolean | null;
  metadata?: Record<string, unknown> | null;
}

/** A new artifact, or a chunk of one. */
export interface TaskArtifactUpdateEvent {
  /** Told by the shape where it is left out. */
  kind?: 'artifact-update';
  taskId: string;
  contextId?: string | null;
  artifact: Artifact;
  append?: boolean | null;
  lastChunk?: boolean | null;
  metadata?: Record<string, unknown> | null;
}

/** How the webhook is authenticated at. */
export interface PushNotificationAuthenticationInfo {
  schemes: string[];
  credentials?: string | null;
}

/** A webhook. */
export interface PushNotificationConfig {
  url: string;
  /** The id of the task where it is left out. */
  id?: string | null;
  token?: string | null;
  authentication?: PushNotificationAuthenticationInfo | null;
}

/** Parameters and result of tasks/pushNotificationConfig/set, and result of …/get. */
export interface TaskPushNotificationConfig {
  taskId: string;
  pushNotificationConfig: PushNotificationConfig;
}

/** How a message is to be answered. */
export interface MessageSendConfiguration {
  /** Media types. */
  acceptedOutputModes?: string[] | null;
  /** Whether the answer waits until the task rests; true where it is left out. */
  blocking?: boolean | null;
  historyLength?: number | null;
  pushNotificationConfig?: PushNotificationConfig | null;
}

/** Parameters of message/send and message/stream. */
export interface MessageSendParams {
  message: Message;
  configuration?: MessageSendConfiguration | null;
  metadata?: Record<string, unknown> | null;
}

/** Parameters of tasks/get. */
export interface TaskQueryParams {
  id: string;
  historyLength?: number | null;
  metadata?: Record<string, unknown> | null;
}

/** Parameters of tasks/cancel, tasks/resubscribe and tasks/pushNotificationConfig/list. */
export interface TaskIdParams {
  id: string;
  metadata?: Record<string, unknown> | null;
}

/** Parameters of tasks/pushNotificationConfig/get and …/delete. */
export interface TaskPushNotificationConfigParams {
  /** The task. */
  id: string;
  /** The id of the task where it is left out. */
  pushNotificationConfigId?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** Who provides an agent. */
export interface AgentProvider {
  organization: string;
  url?: string | null;
}

/** An extension of the protocol that an agent supports. */
export interface AgentExtension {
  uri: string;
  description?: string | null;
  required?: boolean | null;
  params?: Record<string, unknown> | null;
}

/** What an agent can do. */
export interface AgentCapabilities {
  streaming?: boolean | null;
  pushNotifications?: boolean | null;
  stateTransitionHistory?: boolean | null;
  /** Of the knowledge graph extension. */
  knowledgeGraph?: boolean | null;
  knowledgeGraphQueryLanguages?: string[] | null;
  extensions?: AgentExtension[] | null;
}

/** A URL and the transport that is spoken there. */
export interface AgentInterface {
  url: string;
  /** JSONRPC, GRPC, HTTP+JSON, or another name. */
  transport: string;
}

/** A flow of OAuth 2.0. */
export interface AuthorizationCodeOAuthFlow {
  authorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string | null;
  /** Texts by scope. */
  scopes: Record<string, unknown>;
}

/** A flow of OAuth 2.0. */
export interface ClientCredentialsOAuthFlow {
  tokenUrl: string;
  refreshUrl?: string | null;
  /** Texts by scope. */
  scopes: Record<string, unknown>;
}

/** A flow of OAuth 2.0. */
export interface ImplicitOAuthFlow {
  authorizationUrl: string;
  refreshUrl?: string | null;
  /** Texts by scope. */
  scopes: Record<string, unknown>;
}

/** A flow of OAuth 2.0. */
export interface PasswordOAuthFlow {
  tokenUrl: string;
  refreshUrl?: string | null;
  /** Texts by scope. */
  scopes: Record<string, unknown>;
}

/** The flows of one scheme. */
export interface OAuthFlows {
  authorizationCode?: AuthorizationCodeOAuthFlow | null;
  clientCredentials?: ClientCredentialsOAuthFlow | null;
  implicit?: ImplicitOAuthFlow | null;
  password?: PasswordOAuthFlow | null;
}

/** An API key. */
export interface APIKeySecurityScheme {
  type: 'apiKey';
  description?: string | null;
  in: 'cookie' | 'header' | 'query';
  name: string;
}

/** HTTP authentication. */
export interface HTTPAuthSecurityScheme {
  type: 'http';
  description?: string | null;
  scheme: string;
  bearerFormat?: string | null;
}

/** OAuth 2.0. */
export interface OAuth2SecurityScheme {
  type: 'oauth2';
  description?: string | null;
  flows: OAuthFlows;
  oauth2MetadataUrl?: string | null;
}

/** OpenID Connect. */
export interface OpenIdConnectSecurityScheme {
  type: 'openIdConnect';
  description?: string | null;
  openIdConnectUrl: string;
}

/** Mutual TLS. */
export interface MutualTLSSecurityScheme {
  type: 'mutualTLS';
  description?: string | null;
}

/** One skill of an agent. */
export interface AgentSkill {
  id: string;
  name: string;
  /** Required by the document. */
  description?: string | null;
  /** Required by the document. */
  tags?: string[] | null;
  examples?: string[] | null;
  inputModes?: string[] | null;
  outputModes?: string[] | null;
  /** Scopes by scheme; one of the objects is to be met. */
  security?: Record<string, unknown>[] | null;
}

/** A signature of the card (RFC 7515). */
export interface AgentCardSignature {
  protected: string;
  signature: string;
  header?: Record<string, unknown> | null;
}

/** What an agent says about itself. */
export interface AgentCard {
  protocolVersion: string;
  name: string;
  description: string;
  url: string;
  /** JSONRPC where it is left out. */
  preferredTransport?: string | null;
  additionalInterfaces?: AgentInterface[] | null;
  iconUrl?: string | null;
  provider?: AgentProvider | null;
  version: string;
  documentationUrl?: string | null;
  capabilities: AgentCapabilities;
  /** SecurityScheme by name. */
  securitySchemes?: Record<string, unknown> | null;
  /** Scopes by scheme; one of the objects is to be met. */
  security?: Record<string, unknown>[] | null;
  /** Media types. */
  defaultInputModes: string[];
  /** Media types. */
  defaultOutputModes: string[];
  skills: AgentSkill[];
  supportsAuthenticatedExtendedCard?: boolean | null;
  signatures?: AgentCardSignature[] | null;
}
