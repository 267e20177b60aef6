// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

/** No content (google.protobuf.Empty). */
export type Empty = Record<string, never>;

/**
 * Where a task is in its life. COMPLETED, FAILED, CANCELED and REJECTED are final; INPUT_REQUIRED and AUTH_REQUIRED
 * wait for the caller.
 */
export type TaskState =
  | 'TASK_STATE_UNSPECIFIED'
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELLED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED';

/** Who speaks in a message. */
export type Role = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT';

/** A JSON object (google.protobuf.Struct). */
export interface Struct {
  [k: string]: unknown;
}

/** What the caller wants of the answer to a send. */
export interface SendMessageConfiguration {
  /** Media types that the caller can take, such as text/plain. */
  acceptedOutputModes?: string[];
  /** Registered for the task before work on it begins. */
  pushNotification?: PushNotificationConfig;
  /** How many of the latest messages the returned task may carry; 0 means none. */
  historyLength?: number;
  /** Wait for a terminal or interrupted state before answering. */
  blocking?: boolean;
}

/** A unit of work that an agent has taken on, with its state and all it has produced. */
export interface Task {
  /** Chosen by the server. */
  id?: string;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string;
  /** The present status. */
  status?: TaskStatus;
  /** What the task has produced so far. */
  artifacts?: Artifact[];
  /** The messages exchanged so far, oldest first. */
  history?: Message[];
  /** Free for applications and extensions to use. */
  metadata?: Struct;
}

/** The state of a task at one moment. */
export interface TaskStatus {
  state?: TaskState;
  /** What the agent has to say about this status. JSON calls it message. */
  message?: Message;
  /**
   * When the status was set.
   * RFC 3339.
   */
  timestamp?: string;
}

/** One piece of content: text, a file by value or by reference, or structured data. */
export interface Part {
  /** Text. */
  text?: string;
  file?: FilePart;
  /** Any JSON value, null included. */
  data?: DataPart;
  /** Came after 0.3.0; servers and clients in Python write it. */
  metadata?: Struct;
}

/** A file, by reference or by value. */
export interface FilePart {
  /** Where the file can be fetched. */
  fileWithUri?: string;
  /**
   * The bytes of the file.
   * Base64.
   */
  fileWithBytes?: string;
  /** The media type of the file, such as image/png. */
  mimeType?: string;
  /** Came after 0.3.0; servers and clients in Python write it. */
  name?: string;
}

/** A JSON object as content. */
export interface DataPart {
  data?: Struct;
}

/** One turn of the conversation between a client and an agent. */
export interface Message {
  /** Chosen by the sender. */
  messageId?: string;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string;
  /** The task that the message belongs to; absent when it begins a new one. */
  taskId?: string;
  /** Who speaks. */
  role?: Role;
  /** What is said. */
  content?: Part[];
  /** Free for applications and extensions to use. */
  metadata?: Struct;
  /** URIs of the extensions that this message uses. */
  extensions?: string[];
}

/** Something that a task has produced. */
export interface Artifact {
  /** Unique within the task. */
  artifactId?: string;
  name?: string;
  description?: string;
  /** The content; at least one part. */
  parts?: Part[];
  /** Free for applications and extensions to use. */
  metadata?: Struct;
  /** URIs of the extensions that this artifact uses. */
  extensions?: string[];
}

/** Tells the watchers of a task that its status has changed. */
export interface TaskStatusUpdateEvent {
  taskId?: string;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string;
  status?: TaskStatus;
  /** No more events follow on this stream. */
  final?: boolean;
  /** Free for applications and extensions to use. */
  metadata?: Struct;
}

/** Tells the watchers of a task that an artifact, or a chunk of one, has arrived. */
export interface TaskArtifactUpdateEvent {
  taskId?: string;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string;
  artifact?: Artifact;
  /** The parts continue the artifact of the same id instead of replacing it. */
  append?: boolean;
  /** Nothing more will be appended to this artifact. */
  lastChunk?: boolean;
  /** Free for applications and extensions to use. */
  metadata?: Struct;
}

/** Where and how to deliver push notifications. */
export interface PushNotificationConfig {
  id?: string;
  /** Where notifications are sent. */
  url?: string;
  /** Opaque to the server, which sends it along so that the receiver can tell its own. */
  token?: string;
  authentication?: AuthenticationInfo;
}

/** How a webhook wants to be authenticated to. */
export interface AuthenticationInfo {
  /** HTTP authentication schemes that the webhook accepts, such as Bearer. */
  schemes?: string[];
  /** What follows the scheme in the Authorization header. */
  credentials?: string;
}

/** One address of the agent, with the binding spoken there. */
export interface AgentInterface {
  /** Absolute, for HTTP bindings with scheme. */
  url?: string;
  /** JSONRPC, GRPC or HTTP+JSON. */
  transport?: string;
}

/** The agent's description of itself: who it is, what it can do, and how to reach it. */
export interface AgentCard {
  name?: string;
  description?: string;
  url?: string;
  provider?: AgentProvider;
  /** The version of the agent, not of the protocol. */
  version?: string;
  documentationUrl?: string;
  /** Optional features. */
  capabilities?: AgentCapabilities;
  /** The ways of authenticating, by name. */
  securitySchemes?: {
    [k: string]: SecurityScheme;
  };
  /** Any one of these suffices. */
  security?: Security[];
  /** Media types understood by all skills that do not name their own. */
  defaultInputModes?: string[];
  /** Media types produced by all skills that do not name their own. */
  defaultOutputModes?: string[];
  skills?: AgentSkill[];
  /** Authenticated callers can get a fuller card. */
  supportsAuthenticatedExtendedCard?: boolean;
  /** The transport at url; JSONRPC when empty. */
  preferredTransport?: string;
  /** Further addresses of the same agent. */
  additionalInterfaces?: AgentInterface[];
  /** The version of the protocol spoken at url. */
  protocolVersion?: string;
  /** Signatures over the card without this field, canonicalised by RFC 8785. */
  signatures?: AgentCardSignature[];
  /** Came after 0.3.0; servers and clients in Python write it. */
  iconUrl?: string;
}

/** The organisation behind the agent. */
export interface AgentProvider {
  url?: string;
  organization?: string;
}

/** The optional features that the agent has. */
export interface AgentCapabilities {
  /** The agent streams. */
  streaming?: boolean;
  /** The agent calls webhooks. */
  pushNotifications?: boolean;
  /** Protocol extensions. */
  extensions?: AgentExtension[];
}

/** A protocol extension that the agent supports. */
export interface AgentExtension {
  /** Identifies the extension. */
  uri?: string;
  description?: string;
  /** Callers must follow the extension. */
  required?: boolean;
  /** Configuration, in the extension's own terms. */
  params?: Struct;
}

/** One thing that the agent is good at. */
export interface AgentSkill {
  id?: string;
  name?: string;
  description?: string;
  /** Keywords. */
  tags?: string[];
  /** Prompts or scenarios that the skill can deal with. */
  examples?: string[];
  /** Media types understood, instead of the card's default. */
  inputModes?: string[];
  /** Media types produced, instead of the card's default. */
  outputModes?: string[];
  /** Any one of these suffices. */
  security?: Security[];
}

/** A JSON Web Signature (RFC 7515) over the card. */
export interface AgentCardSignature {
  /** The protected header, base64url. */
  protected: string;
  /** The signature, base64url. */
  signature: string;
  /** The unprotected header. */
  header?: Struct;
}

/** A push notification configuration, bound to its task. */
export interface TaskPushNotificationConfig {
  /** tasks/{id}/pushNotificationConfigs/{config}. */
  name?: string;
  pushNotificationConfig?: PushNotificationConfig;
}

/** A list of strings, where a map needs one as a value. */
export interface StringList {
  list?: string[];
}

/** The schemes that must be satisfied together, each with the scopes that it needs. */
export interface Security {
  schemes?: {
    [k: string]: StringList;
  };
}

/** One way of authenticating to the agent. */
export interface SecurityScheme {
  apiKeySecurityScheme?: APIKeySecurityScheme;
  httpAuthSecurityScheme?: HTTPAuthSecurityScheme;
  oauth2SecurityScheme?: OAuth2SecurityScheme;
  openIdConnectSecurityScheme?: OpenIdConnectSecurityScheme;
  mtlsSecurityScheme?: MutualTlsSecurityScheme;
}

/** An API key in a header, a query parameter or a cookie. */
export interface APIKeySecurityScheme {
  description?: string;
  /** query, header or cookie. */
  location?: string;
  /** The name of the header, query parameter or cookie. */
  name?: string;
}

/** An HTTP authentication scheme, such as Bearer or Basic. */
export interface HTTPAuthSecurityScheme {
  description?: string;
  /** As in the Authorization header, such as Bearer. */
  scheme?: string;
  /** A hint at the token's format, such as JWT. */
  bearerFormat?: string;
}

/** OAuth 2.0. */
export interface OAuth2SecurityScheme {
  description?: string;
  flows?: OAuthFlows;
  /** Where the authorization server's metadata (RFC 8414) is. */
  oauth2MetadataUrl?: string;
}

/** OpenID Connect. */
export interface OpenIdConnectSecurityScheme {
  description?: string;
  /** The discovery document. */
  openIdConnectUrl?: string;
}

/** TLS with a client certificate. */
export interface MutualTlsSecurityScheme {
  description?: string;
}

/** The OAuth 2.0 flow that the agent accepts. */
export interface OAuthFlows {
  authorizationCode?: AuthorizationCodeOAuthFlow;
  clientCredentials?: ClientCredentialsOAuthFlow;
  implicit?: ImplicitOAuthFlow;
  password?: PasswordOAuthFlow;
}

/** The authorization code grant. */
export interface AuthorizationCodeOAuthFlow {
  /** The authorization endpoint. */
  authorizationUrl?: string;
  /** The token endpoint. */
  tokenUrl?: string;
  /** The endpoint for refreshing tokens. */
  refreshUrl?: string;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: {
    [k: string]: string;
  };
}

/** The client credentials grant. */
export interface ClientCredentialsOAuthFlow {
  /** The token endpoint. */
  tokenUrl?: string;
  /** The endpoint for refreshing tokens. */
  refreshUrl?: string;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: {
    [k: string]: string;
  };
}

/** The implicit grant, which is deprecated. */
export interface ImplicitOAuthFlow {
  /** The authorization endpoint. */
  authorizationUrl?: string;
  /** The endpoint for refreshing tokens. */
  refreshUrl?: string;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: {
    [k: string]: string;
  };
}

/** The resource owner password grant, which is deprecated. */
export interface PasswordOAuthFlow {
  /** The token endpoint. */
  tokenUrl?: string;
  /** The endpoint for refreshing tokens. */
  refreshUrl?: string;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: {
    [k: string]: string;
  };
}

/** A message for the agent. */
export interface SendMessageRequest {
  /** What to say to the agent. JSON calls it message. */
  message: Message;
  configuration?: SendMessageConfiguration;
  /** Free for applications and extensions to use. */
  metadata?: Struct;
}

/** Asks for one task. */
export interface GetTaskRequest {
  /** tasks/{id}. */
  name: string;
  /** How many of the latest messages the returned task may carry; 0 means none. */
  historyLength?: number;
}

/** Asks the agent to stop working on a task. */
export interface CancelTaskRequest {
  /** tasks/{id}. */
  name?: string;
}

/** Asks for one push notification configuration. */
export interface GetTaskPushNotificationConfigRequest {
  /** tasks/{id}/pushNotificationConfigs/{config}. */
  name?: string;
}

/** Removes a push notification configuration. */
export interface DeleteTaskPushNotificationConfigRequest {
  /** tasks/{id}/pushNotificationConfigs/{config}. */
  name?: string;
}

/** Registers a push notification configuration. */
export interface CreateTaskPushNotificationConfigRequest {
  /** tasks/{id}. */
  parent: string;
  configId: string;
  config: TaskPushNotificationConfig;
}

/** Asks for the events of a task that is under way. */
export interface TaskSubscriptionRequest {
  /** tasks/{id}. */
  name?: string;
}

/** Asks for the push notification configurations of one task. */
export interface ListTaskPushNotificationConfigRequest {
  /** tasks/{id}. */
  parent?: string;
  /** The most that one page may hold. */
  pageSize?: number;
  /** The next_page_token of the page before. */
  pageToken?: string;
}

/** Asks for the agent's card. */
export interface GetAgentCardRequest {}
/** The answer to a send: a task, or a message where no task was needed. */
export interface SendMessageResponse {
  task?: Task;
  /** JSON calls it message. */
  message?: Message;
}

/** One event of a stream. */
export interface StreamResponse {
  task?: Task;
  /** JSON calls it message. */
  message?: Message;
  statusUpdate?: TaskStatusUpdateEvent;
  artifactUpdate?: TaskArtifactUpdateEvent;
}

/** One page of push notification configurations. */
export interface ListTaskPushNotificationConfigResponse {
  configs?: TaskPushNotificationConfig[];
  /** Asks for the next page; empty on the last one. */
  nextPageToken?: string;
}

/** The messages by full name. */
export interface MessageTypes {
  'a2a.v1.SendMessageConfiguration': SendMessageConfiguration;
  'a2a.v1.Task': Task;
  'a2a.v1.TaskStatus': TaskStatus;
  'a2a.v1.Part': Part;
  'a2a.v1.FilePart': FilePart;
  'a2a.v1.DataPart': DataPart;
  'a2a.v1.Message': Message;
  'a2a.v1.Artifact': Artifact;
  'a2a.v1.TaskStatusUpdateEvent': TaskStatusUpdateEvent;
  'a2a.v1.TaskArtifactUpdateEvent': TaskArtifactUpdateEvent;
  'a2a.v1.PushNotificationConfig': PushNotificationConfig;
  'a2a.v1.AuthenticationInfo': AuthenticationInfo;
  'a2a.v1.AgentInterface': AgentInterface;
  'a2a.v1.AgentCard': AgentCard;
  'a2a.v1.AgentProvider': AgentProvider;
  'a2a.v1.AgentCapabilities': AgentCapabilities;
  'a2a.v1.AgentExtension': AgentExtension;
  'a2a.v1.AgentSkill': AgentSkill;
  'a2a.v1.AgentCardSignature': AgentCardSignature;
  'a2a.v1.TaskPushNotificationConfig': TaskPushNotificationConfig;
  'a2a.v1.StringList': StringList;
  'a2a.v1.Security': Security;
  'a2a.v1.SecurityScheme': SecurityScheme;
  'a2a.v1.APIKeySecurityScheme': APIKeySecurityScheme;
  'a2a.v1.HTTPAuthSecurityScheme': HTTPAuthSecurityScheme;
  'a2a.v1.OAuth2SecurityScheme': OAuth2SecurityScheme;
  'a2a.v1.OpenIdConnectSecurityScheme': OpenIdConnectSecurityScheme;
  'a2a.v1.MutualTlsSecurityScheme': MutualTlsSecurityScheme;
  'a2a.v1.OAuthFlows': OAuthFlows;
  'a2a.v1.AuthorizationCodeOAuthFlow': AuthorizationCodeOAuthFlow;
  'a2a.v1.ClientCredentialsOAuthFlow': ClientCredentialsOAuthFlow;
  'a2a.v1.ImplicitOAuthFlow': ImplicitOAuthFlow;
  'a2a.v1.PasswordOAuthFlow': PasswordOAuthFlow;
  'a2a.v1.SendMessageRequest': SendMessageRequest;
  'a2a.v1.GetTaskRequest': GetTaskRequest;
  'a2a.v1.CancelTaskRequest': CancelTaskRequest;
  'a2a.v1.GetTaskPushNotificationConfigRequest': GetTaskPushNotificationConfigRequest;
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': DeleteTaskPushNotificationConfigRequest;
  'a2a.v1.CreateTaskPushNotificationConfigRequest': CreateTaskPushNotificationConfigRequest;
  'a2a.v1.TaskSubscriptionRequest': TaskSubscriptionRequest;
  'a2a.v1.ListTaskPushNotificationConfigRequest': ListTaskPushNotificationConfigRequest;
  'a2a.v1.GetAgentCardRequest': GetAgentCardRequest;
  'a2a.v1.SendMessageResponse': SendMessageResponse;
  'a2a.v1.StreamResponse': StreamResponse;
  'a2a.v1.ListTaskPushNotificationConfigResponse': ListTaskPushNotificationConfigResponse;
}
