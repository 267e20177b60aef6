// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto and codegen/schemas/a2a-1.1.json by `npm run generate`. Do not edit.

/** No content (google.protobuf.Empty). */
export type Empty = Record<string, never>;

/**
 * Where a task is in its life. COMPLETED, FAILED, CANCELED and REJECTED are final; INPUT_REQUIRED and AUTH_REQUIRED
 * wait for the caller.
 *
 * A2A 1.0, section 4.1.3.
 */
export type TaskState =
  | 'TASK_STATE_UNSPECIFIED'
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED';

/**
 * Who speaks in a message.
 *
 * A2A 1.0, section 4.1.5.
 */
export type Role = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT';

/** A JSON object (google.protobuf.Struct). */
export interface Struct {
  [k: string]: unknown;
}

/**
 * Defines a security scheme using an API key.
 *
 * A2A 1.0, section 4.5.2.
 */
export interface APIKeySecurityScheme {
  /** An optional description for the security scheme. */
  description?: string;
  /** The location of the API key. Valid values are "query", "header", or "cookie". */
  location: string;
  /** The name of the header, query, or cookie parameter to be used. */
  name: string;
}

/**
 * Defines optional capabilities supported by an agent.
 *
 * A2A 1.0, section 4.4.3.
 */
export interface AgentCapabilities {
  /** Indicates if the agent supports providing an extended agent card when authenticated. */
  extendedAgentCard?: boolean;
  /** A list of protocol extensions supported by the agent. */
  extensions?: AgentExtension[];
  /** Indicates if the agent supports sending push notifications for asynchronous task updates. */
  pushNotifications?: boolean;
  /** Indicates if the agent supports streaming responses. */
  streaming?: boolean;
}

/**
 * A self-describing manifest for an agent. It provides essential
 * metadata including the agent's identity, capabilities, skills, supported
 * communication methods, and security requirements.
 * Next ID: 20
 *
 * A2A 1.0, section 4.4.1.
 */
export interface AgentCard {
  /** A2A Capability set supported by the agent. */
  capabilities: AgentCapabilities;
  /**
   * The set of interaction modes that the agent supports across all skills.
   * This can be overridden per skill. Defined as media types.
   */
  defaultInputModes: string[];
  /** The media types supported as outputs from this agent. */
  defaultOutputModes: string[];
  /**
   * A human-readable description of the agent, assisting users and other agents
   * in understanding its purpose.
   * Example: "Agent that helps users with recipes and cooking."
   */
  description: string;
  /** A URL providing additional documentation about the agent. */
  documentationUrl?: string;
  /** Optional. A URL to an icon for the agent. */
  iconUrl?: string;
  /**
   * A human readable name for the agent.
   * Example: "Recipe Agent"
   */
  name: string;
  /** The service provider of the agent. */
  provider?: AgentProvider;
  /** Security requirements for contacting the agent. */
  securityRequirements?: SecurityRequirement[];
  /** The security scheme details used for authenticating with this agent. */
  securitySchemes?: {
    [k: string]: SecurityScheme;
  };
  /** JSON Web Signatures computed for this `AgentCard`. */
  signatures?: AgentCardSignature[];
  /**
   * Skills represent the abilities of an agent.
   * It is largely a descriptive concept but represents a more focused set of behaviors that the
   * agent is likely to succeed at.
   */
  skills: AgentSkill[];
  /** Ordered list of supported interfaces. The first entry is preferred. */
  supportedInterfaces: AgentInterface[];
  /**
   * The version of the agent.
   * Example: "1.0.0"
   */
  version: string;
}

/**
 * AgentCardSignature represents a JWS signature of an AgentCard.
 * This follows the JSON format of an RFC 7515 JSON Web Signature (JWS).
 *
 * A2A 1.0, section 4.4.7.
 */
export interface AgentCardSignature {
  /** The unprotected JWS header values. */
  header?: Struct;
  /**
   * Required. The protected JWS header for the signature. This is always a
   * base64url-encoded JSON object.
   */
  protected: string;
  /** Required. The computed signature, base64url-encoded. */
  signature: string;
}

/**
 * A declaration of a protocol extension supported by an Agent.
 *
 * A2A 1.0, section 4.4.4.
 */
export interface AgentExtension {
  /** A human-readable description of how this agent uses the extension. */
  description?: string;
  /** Optional. Extension-specific configuration parameters. */
  params?: Struct;
  /** If true, the client must understand and comply with the extension's requirements. */
  required?: boolean;
  /** The unique URI identifying the extension. */
  uri?: string;
}

/**
 * Declares a combination of a target URL, transport and protocol version for interacting with the agent.
 * This allows agents to expose the same functionality over multiple protocol binding mechanisms.
 *
 * A2A 1.0, section 4.4.6.
 */
export interface AgentInterface {
  /**
   * The protocol binding supported at this URL. This is an open form string, to be
   * easily extended for other protocol bindings. The core ones officially
   * supported are `JSONRPC`, `GRPC` and `HTTP+JSON`.
   */
  protocolBinding: string;
  /**
   * The version of the A2A protocol this interface exposes.
   * Use the latest supported minor version per major version.
   * Examples: "0.3", "1.0"
   */
  protocolVersion: string;
  /** Tenant ID to be used in the request when calling the agent. */
  tenant?: string;
  /**
   * The URL where this interface is available. Must be a valid absolute HTTPS URL in production.
   * Example: "https://api.example.com/a2a/v1", "https://grpc.example.com/a2a"
   */
  url: string;
}

/**
 * Represents the service provider of an agent.
 *
 * A2A 1.0, section 4.4.2.
 */
export interface AgentProvider {
  /**
   * The name of the agent provider's organization.
   * Example: "Google"
   */
  organization: string;
  /**
   * A URL for the agent provider's website or relevant documentation.
   * Example: "https://ai.google.dev"
   */
  url: string;
}

/**
 * Represents a distinct capability or function that an agent can perform.
 *
 * A2A 1.0, section 4.4.5.
 */
export interface AgentSkill {
  /** A detailed description of the skill. */
  description: string;
  /** Example prompts or scenarios that this skill can handle. */
  examples?: string[];
  /** A unique identifier for the agent's skill. */
  id: string;
  /** The set of supported input media types for this skill, overriding the agent's defaults. */
  inputModes?: string[];
  /** A human-readable name for the skill. */
  name: string;
  /** The set of supported output media types for this skill, overriding the agent's defaults. */
  outputModes?: string[];
  /** Security schemes necessary for this skill. */
  securityRequirements?: SecurityRequirement[];
  /** A set of keywords describing the skill's capabilities. */
  tags: string[];
}

/**
 * Artifacts represent task outputs.
 *
 * A2A 1.0, section 4.1.7.
 */
export interface Artifact {
  /** Unique identifier (e.g. UUID) for the artifact. It must be unique within a task. */
  artifactId: string;
  /** Optional. A human readable description of the artifact. */
  description?: string;
  /** The URIs of extensions that are present or contributed to this Artifact. */
  extensions?: string[];
  /** Optional. Metadata included with the artifact. */
  metadata?: Struct;
  /** A human readable name for the artifact. */
  name?: string;
  /** The content of the artifact. Must contain at least one part. */
  parts: Part[];
}

/**
 * Defines authentication details, used for push notifications.
 *
 * A2A 1.0, section 4.3.2.
 */
export interface AuthenticationInfo {
  /** Push Notification credentials. Format depends on the scheme (e.g., token for Bearer). */
  credentials?: string;
  /**
   * HTTP Authentication Scheme from the [IANA registry](https://www.iana.org/assignments/http-authschemes/).
   * Examples: `Bearer`, `Basic`, `Digest`.
   * Scheme names are case-insensitive per [RFC 9110 Section 11.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.1).
   */
  scheme: string;
}

/**
 * Defines configuration details for the OAuth 2.0 Authorization Code flow.
 *
 * A2A 1.0, section 4.5.8.
 */
export interface AuthorizationCodeOAuthFlow {
  /** The authorization URL to be used for this flow. */
  authorizationUrl: string;
  /**
   * Indicates if PKCE (RFC 7636) is required for this flow.
   * PKCE should always be used for public clients and is recommended for all clients.
   */
  pkceRequired?: boolean;
  /** The URL to be used for obtaining refresh tokens. */
  refreshUrl?: string;
  /** The available scopes for the OAuth2 security scheme. */
  scopes: {
    [k: string]: string;
  };
  /** The token URL to be used for this flow. */
  tokenUrl: string;
}

/**
 * Represents a request for the `CancelTask` method.
 *
 * A2A 1.0, section 3.1.5.
 */
export interface CancelTaskRequest {
  /** The resource ID of the task to cancel. */
  id: string;
  /** A flexible key-value map for passing additional context or parameters. */
  metadata?: Struct;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Defines configuration details for the OAuth 2.0 Client Credentials flow.
 *
 * A2A 1.0, section 4.5.9.
 */
export interface ClientCredentialsOAuthFlow {
  /** The URL to be used for obtaining refresh tokens. */
  refreshUrl?: string;
  /** The available scopes for the OAuth2 security scheme. */
  scopes: {
    [k: string]: string;
  };
  /** The token URL to be used for this flow. */
  tokenUrl: string;
}

/**
 * Represents a request for the `DeleteTaskPushNotificationConfig` method.
 *
 * A2A 1.0, section 3.1.10.
 */
export interface DeleteTaskPushNotificationConfigRequest {
  /** The resource ID of the configuration to delete. */
  id: string;
  /** The parent task resource ID. */
  taskId: string;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Defines configuration details for the OAuth 2.0 Device Code flow (RFC 8628).
 * This flow is designed for input-constrained devices such as IoT devices,
 * and CLI tools where the user authenticates on a separate device.
 *
 * A2A 1.0, section 4.5.10.
 */
export interface DeviceCodeOAuthFlow {
  /** The device authorization endpoint URL. */
  deviceAuthorizationUrl: string;
  /** The URL to be used for obtaining refresh tokens. */
  refreshUrl?: string;
  /** The available scopes for the OAuth2 security scheme. */
  scopes: {
    [k: string]: string;
  };
  /** The token URL to be used for this flow. */
  tokenUrl: string;
}

/**
 * Represents a request for the `GetExtendedAgentCard` method.
 *
 * A2A 1.0, section 3.1.11.
 */
export interface GetExtendedAgentCardRequest {
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Represents a request for the `GetTaskPushNotificationConfig` method.
 *
 * A2A 1.0, section 3.1.8.
 */
export interface GetTaskPushNotificationConfigRequest {
  /** The resource ID of the configuration to retrieve. */
  id: string;
  /** The parent task resource ID. */
  taskId: string;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Represents a request for the `GetTask` method.
 *
 * A2A 1.0, section 3.1.3.
 */
export interface GetTaskRequest {
  /**
   * Optional. If set, the server SHOULD NOT return until the task's generation
   * is strictly greater than this value, enabling efficient long-polling.
   * The server MAY return earlier (e.g. on timeout) with the current task state.
   * If the task's current generation already exceeds this value the server
   * MUST return immediately.
   * A 64-bit integer in decimal digits.
   */
  currentGeneration?: string;
  /**
   * The maximum number of most recent messages from the task's history to retrieve. An
   * unset value means the client does not impose any limit. A value of zero is
   * a request to not include any messages. The server MUST NOT return more
   * messages than the provided value, but MAY apply a lower limit.
   */
  historyLength?: number;
  /** The resource ID of the task to retrieve. */
  id: string;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Defines a security scheme using HTTP authentication.
 *
 * A2A 1.0, section 4.5.3.
 */
export interface HTTPAuthSecurityScheme {
  /**
   * A hint to the client to identify how the bearer token is formatted (e.g., "JWT").
   * Primarily for documentation purposes.
   */
  bearerFormat?: string;
  /** An optional description for the security scheme. */
  description?: string;
  /**
   * The name of the HTTP Authentication scheme to be used in the Authorization header,
   * as defined in RFC7235 (e.g., "Bearer").
   * This value should be registered in the IANA Authentication Scheme registry.
   */
  scheme: string;
}

/**
 * Deprecated: Use Authorization Code + PKCE instead.
 *
 * A2A 1.0, section 4.5.7.
 */
export interface ImplicitOAuthFlow {
  /**
   * The authorization URL to be used for this flow. This MUST be in the
   * form of a URL. The OAuth2 standard requires the use of TLS
   */
  authorizationUrl?: string;
  /**
   * The URL to be used for obtaining refresh tokens. This MUST be in the
   * form of a URL. The OAuth2 standard requires the use of TLS.
   */
  refreshUrl?: string;
  /**
   * The available scopes for the OAuth2 security scheme. A map between the
   * scope name and a short description for it. The map MAY be empty.
   */
  scopes?: {
    [k: string]: string;
  };
}

/**
 * Represents a request for the `ListTaskPushNotificationConfigs` method.
 *
 * A2A 1.0, section 3.1.9.
 */
export interface ListTaskPushNotificationConfigsRequest {
  /** The maximum number of configurations to return. */
  pageSize?: number;
  /** A page token received from a previous `ListTaskPushNotificationConfigsRequest` call. */
  pageToken?: string;
  /** The parent task resource ID. */
  taskId: string;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Represents a successful response for the `ListTaskPushNotificationConfigs`
 * method.
 *
 * A2A 1.0, section 3.1.9.
 */
export interface ListTaskPushNotificationConfigsResponse {
  /** The list of push notification configurations. */
  configs?: TaskPushNotificationConfig[];
  /** A token to retrieve the next page of results, or empty if there are no more results in the list. */
  nextPageToken?: string;
}

/**
 * Parameters for listing tasks with optional filtering criteria.
 *
 * A2A 1.0, section 3.1.4.
 */
export interface ListTasksRequest {
  /** Filter tasks by context ID to get tasks from a specific conversation or session. */
  contextId?: string;
  /** The maximum number of messages to include in each task's history. */
  historyLength?: number;
  /**
   * Whether to include artifacts in the returned tasks.
   * Defaults to false to reduce payload size.
   */
  includeArtifacts?: boolean;
  /**
   * The maximum number of tasks to return. The service may return fewer than this value.
   * If unspecified, at most 50 tasks will be returned.
   * The minimum value is 1.
   * The maximum value is 100.
   */
  pageSize?: number;
  /**
   * A page token, received from a previous `ListTasks` call.
   * `ListTasksResponse.next_page_token`.
   * Provide this to retrieve the subsequent page.
   */
  pageToken?: string;
  /** Filter tasks by their current status state. */
  status?: TaskState;
  /**
   * Filter tasks which have a status updated after the provided timestamp in ISO 8601 format (e.g., "2023-10-27T10:00:00Z").
   * Only tasks with a status timestamp time greater than or equal to this value will be returned.
   * RFC 3339.
   */
  statusTimestampAfter?: string;
  /** Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Result object for `ListTasks` method containing an array of tasks and pagination information.
 *
 * A2A 1.0, section 3.1.4.
 */
export interface ListTasksResponse {
  /** A token to retrieve the next page of results, or empty if there are no more results in the list. */
  nextPageToken: string;
  /** The page size used for this response. */
  pageSize: number;
  /** Array of tasks matching the specified criteria. */
  tasks: Task[];
  /** Total number of tasks available (before pagination). */
  totalSize: number;
}

/**
 * `Message` is one unit of communication between client and server. It can be
 * associated with a context and/or a task. For server messages, `context_id` must
 * be provided, and `task_id` only if a task was created. For client messages, both
 * fields are optional, with the caveat that if both are provided, they have to
 * match (the `context_id` has to be the one that is set on the task). If only
 * `task_id` is provided, the server will infer `context_id` from it.
 *
 * A2A 1.0, section 4.1.4.
 */
export interface Message {
  /** Optional. The context id of the message. If set, the message will be associated with the given context. */
  contextId?: string;
  /** The URIs of extensions that are present or contributed to this Message. */
  extensions?: string[];
  /** The unique identifier (e.g. UUID) of the message. This is created by the message creator. */
  messageId: string;
  /** Optional. Any metadata to provide along with the message. */
  metadata?: Struct;
  /** Parts is the container of the message content. */
  parts: Part[];
  /** A list of task IDs that this message references for additional context. */
  referenceTaskIds?: string[];
  /** Identifies the sender of the message. */
  role: Role;
  /** Optional. The task id of the message. If set, the message will be associated with the given task. */
  taskId?: string;
}

/**
 * Defines a security scheme using mTLS authentication.
 *
 * A2A 1.0, section 4.5.6.
 */
export interface MutualTlsSecurityScheme {
  /** An optional description for the security scheme. */
  description?: string;
}

/**
 * Defines a security scheme using OAuth 2.0.
 *
 * A2A 1.0, section 4.5.4.
 */
export interface OAuth2SecurityScheme {
  /** An optional description for the security scheme. */
  description?: string;
  /** An object containing configuration information for the supported OAuth 2.0 flows. */
  flows: OAuthFlows;
  /**
   * URL to the OAuth2 authorization server metadata [RFC 8414](https://datatracker.ietf.org/doc/html/rfc8414).
   * TLS is required.
   */
  oauth2MetadataUrl?: string;
}

/**
 * Defines the configuration for the supported OAuth 2.0 flows.
 *
 * A2A 1.0, section 4.5.7.
 */
export interface OAuthFlows {
  /** Configuration for the OAuth Authorization Code flow. */
  authorizationCode?: AuthorizationCodeOAuthFlow;
  /** Configuration for the OAuth Client Credentials flow. */
  clientCredentials?: ClientCredentialsOAuthFlow;
  /** Configuration for the OAuth Device Code flow. */
  deviceCode?: DeviceCodeOAuthFlow;
  /**
   * Deprecated: Use Authorization Code + PKCE instead.
   * @deprecated
   */
  implicit?: ImplicitOAuthFlow;
  /**
   * Deprecated: Use Authorization Code + PKCE or Device Code.
   * @deprecated
   */
  password?: PasswordOAuthFlow;
}

/**
 * Defines a security scheme using OpenID Connect.
 *
 * A2A 1.0, section 4.5.5.
 */
export interface OpenIdConnectSecurityScheme {
  /** An optional description for the security scheme. */
  description?: string;
  /**
   * The [OpenID Connect Discovery URL](https://openid.net/specs/openid-connect-discovery-1_0.html) for the OIDC provider's metadata.
   */
  openIdConnectUrl: string;
}

/**
 * `Part` represents a container for a section of communication content.
 * Parts can be purely textual, some sort of file (image, video, etc) or
 * a structured data blob (i.e. JSON).
 *
 * A2A 1.0, section 4.1.6.
 */
export interface Part {
  /** Arbitrary structured `data` as a JSON value (object, array, string, number, boolean, or null). */
  data?: unknown;
  /** An optional `filename` for the file (e.g., "document.pdf"). */
  filename?: string;
  /**
   * The `media_type` (MIME type) of the part content (e.g., "text/plain", "application/json", "image/png").
   * This field is available for all part types.
   */
  mediaType?: string;
  /** Optional. metadata associated with this part. */
  metadata?: Struct;
  /**
   * The `raw` byte content of a file. In JSON serialization, this is encoded as a base64 string.
   * Base64.
   */
  raw?: string;
  /** The string content of the `text` part. */
  text?: string;
  /** A `url` pointing to the file's content. */
  url?: string;
}

/**
 * Deprecated: Use Authorization Code + PKCE or Device Code.
 *
 * A2A 1.0, section 4.5.7.
 */
export interface PasswordOAuthFlow {
  /**
   * The URL to be used for obtaining refresh tokens. This MUST be in the
   * form of a URL. The OAuth2 standard requires the use of TLS.
   */
  refreshUrl?: string;
  /**
   * The available scopes for the OAuth2 security scheme. A map between the
   * scope name and a short description for it. The map MAY be empty.
   */
  scopes?: {
    [k: string]: string;
  };
  /**
   * The token URL to be used for this flow. This MUST be in the form of a URL.
   * The OAuth2 standard requires the use of TLS.
   */
  tokenUrl?: string;
}

/**
 * Defines the security requirements for an agent.
 *
 * A2A 1.0, section 4.5.
 */
export interface SecurityRequirement {
  /** A map of security schemes to the required scopes. */
  schemes?: {
    [k: string]: StringList;
  };
}

/**
 * Defines a security scheme that can be used to secure an agent's endpoints.
 * This is a discriminated union type based on the OpenAPI 3.2 Security Scheme Object.
 * See: https://spec.openapis.org/oas/v3.2.0.html#security-scheme-object
 *
 * A2A 1.0, section 4.5.1.
 */
export interface SecurityScheme {
  /** API key-based authentication. */
  apiKeySecurityScheme?: APIKeySecurityScheme;
  /** HTTP authentication (Basic, Bearer, etc.). */
  httpAuthSecurityScheme?: HTTPAuthSecurityScheme;
  /** Mutual TLS authentication. */
  mtlsSecurityScheme?: MutualTlsSecurityScheme;
  /** OAuth 2.0 authentication. */
  oauth2SecurityScheme?: OAuth2SecurityScheme;
  /** OpenID Connect authentication. */
  openIdConnectSecurityScheme?: OpenIdConnectSecurityScheme;
}

/**
 * Configuration of a send message request.
 *
 * A2A 1.0, section 3.2.2.
 */
export interface SendMessageConfiguration {
  /**
   * A list of media types the client is prepared to accept for response parts.
   * Agents SHOULD use this to tailor their output.
   */
  acceptedOutputModes?: string[];
  /**
   * The maximum number of most recent messages from the task's history to retrieve in
   * the response. An unset value means the client does not impose any limit. A
   * value of zero is a request to not include any messages. The server MUST NOT
   * return more messages than the provided value, but MAY apply a lower limit.
   */
  historyLength?: number;
  /**
   * Optional. If set, the server MUST reject the request with an appropriate
   * error (HTTP 409 Conflict / gRPC ABORTED) if the task's
   * current generation does not equal this value at the time the message is
   * processed. Use this to implement optimistic concurrency control and
   * prevent lost-update races when multiple clients interact with the same task.
   * A 64-bit integer in decimal digits.
   */
  ifGenerationMatch?: string;
  /**
   * If `true`, the operation returns immediately after creating the task,
   * even if processing is still in progress.
   * If `false` (default), the operation MUST wait until the task reaches a
   * terminal (`COMPLETED`, `FAILED`, `CANCELED`, `REJECTED`) or interrupted
   * (`INPUT_REQUIRED`, `AUTH_REQUIRED`) state before returning.
   */
  returnImmediately?: boolean;
  /**
   * Configuration for the agent to send push notifications for task updates.
   * Task id should be empty when sending this configuration in a `SendMessage` request.
   */
  taskPushNotificationConfig?: TaskPushNotificationConfig;
}

/**
 * Represents a request for the `SendMessage` method.
 *
 * A2A 1.0, section 3.2.1.
 */
export interface SendMessageRequest {
  /** Configuration for the send request. */
  configuration?: SendMessageConfiguration;
  /** The message to send to the agent. */
  message: Message;
  /** A flexible key-value map for passing additional context or parameters. */
  metadata?: Struct;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * Represents the response for the `SendMessage` method.
 *
 * A2A 1.0, section 3.1.1.
 */
export interface SendMessageResponse {
  /** A message from the agent. */
  message?: Message;
  /** The task created or updated by the message. */
  task?: Task;
}

/**
 * A wrapper object used in streaming operations to encapsulate different types of response data.
 *
 * A2A 1.0, section 3.2.3.
 */
export interface StreamResponse {
  /** An event indicating a task artifact update. */
  artifactUpdate?: TaskArtifactUpdateEvent;
  /** A Message object containing a message from the agent. */
  message?: Message;
  /** An event indicating a task status update. */
  statusUpdate?: TaskStatusUpdateEvent;
  /** A Task object containing the current state of the task. */
  task?: Task;
}

/**
 * A list of strings.
 *
 * A2A 1.0, section 4.5.
 */
export interface StringList {
  /** The individual string values. */
  list?: string[];
}

/**
 * Represents a request for the `SubscribeToTask` method.
 *
 * A2A 1.0, section 3.1.6.
 */
export interface SubscribeToTaskRequest {
  /** The resource ID of the task to subscribe to. */
  id: string;
  /** Optional. Tenant ID, provided as a path parameter. */
  tenant?: string;
}

/**
 * `Task` is the core unit of action for A2A. It has a current status
 * and when results are created for the task they are stored in the
 * artifact. If there are multiple turns for a task, these are stored in
 * history.
 *
 * A2A 1.0, section 4.1.1.
 */
export interface Task {
  /** A set of output artifacts for a `Task`. */
  artifacts?: Artifact[];
  /**
   * Unique identifier (e.g. UUID) for the contextual collection of interactions
   * (tasks and messages).
   */
  contextId?: string;
  /**
   * Sequentially increasing counter incremented by exactly 1 by the server
   * on every state-changing mutation to this task (TaskState transition or
   * Artifact addition/update), with each mutation mapping 1:1 to one event.
   * Starts at 1 when the task is created.
   * May be used for event ordering, long-polling, and optimistic concurrency.
   * A 64-bit integer in decimal digits.
   */
  generation?: string;
  /** The history of interactions from a `Task`. */
  history?: Message[];
  /**
   * Unique identifier (e.g. UUID) for the task, generated by the server for a
   * new task.
   */
  id: string;
  /** A key/value object to store custom metadata about a task. */
  metadata?: Struct;
  /** The current status of a `Task`, including `state` and a `message`. */
  status: TaskStatus;
}

/**
 * A task delta where an artifact has been generated.
 *
 * A2A 1.0, section 4.2.2.
 */
export interface TaskArtifactUpdateEvent {
  /**
   * If true, the content of this artifact should be appended to a previously
   * sent artifact with the same ID.
   */
  append?: boolean;
  /** The artifact that was generated or updated. */
  artifact: Artifact;
  /** The ID of the context that this task belongs to. */
  contextId: string;
  /**
   * The task's generation after this artifact update was applied. Clients can
   * use this to detect missed events (a gap in generation values) and to
   * correlate events with a specific task snapshot.
   * A 64-bit integer in decimal digits.
   */
  generation?: string;
  /** If true, this is the final chunk of the artifact. */
  lastChunk?: boolean;
  /** Optional. Metadata associated with the artifact update. */
  metadata?: Struct;
  /** The ID of the task for this artifact. */
  taskId: string;
}

/**
 * A container associating a push notification configuration with a specific task.
 *
 * A2A 1.0, section 4.3.1.
 */
export interface TaskPushNotificationConfig {
  /** Authentication information required to send the notification. */
  authentication?: AuthenticationInfo;
  /**
   * The push notification configuration details.
   * A unique identifier (e.g. UUID) for this push notification configuration.
   */
  id?: string;
  /** The ID of the task this configuration is associated with. */
  taskId?: string;
  /** Optional. Tenant ID. */
  tenant?: string;
  /** A token unique for this task or session. */
  token?: string;
  /** The URL where the notification should be sent. */
  url: string;
}

/**
 * A container for the status of a task
 *
 * A2A 1.0, section 4.1.2.
 */
export interface TaskStatus {
  /** A message associated with the status. */
  message?: Message;
  /** The current state of this task. */
  state: TaskState;
  /**
   * ISO 8601 Timestamp when the status was recorded.
   * Example: "2023-10-27T10:00:00Z"
   * RFC 3339.
   */
  timestamp?: string;
}

/**
 * An event sent by the agent to notify the client of a change in a task's status.
 *
 * A2A 1.0, section 4.2.1.
 */
export interface TaskStatusUpdateEvent {
  /** The ID of the context that the task belongs to. */
  contextId: string;
  /**
   * The task's generation after this update was applied. Clients can use this
   * to detect missed events (a gap in generation values) and to correlate
   * events with a specific task snapshot.
   * A 64-bit integer in decimal digits.
   */
  generation?: string;
  /** Optional. Metadata associated with the task update. */
  metadata?: Struct;
  /** The new status of the task. */
  status: TaskStatus;
  /** The ID of the task that has changed. */
  taskId: string;
}

/** The messages by full name. */
export interface MessageTypes {
  'lf.a2a.v1.SendMessageConfiguration': SendMessageConfiguration;
  'lf.a2a.v1.Task': Task;
  'lf.a2a.v1.TaskStatus': TaskStatus;
  'lf.a2a.v1.Part': Part;
  'lf.a2a.v1.Message': Message;
  'lf.a2a.v1.Artifact': Artifact;
  'lf.a2a.v1.TaskStatusUpdateEvent': TaskStatusUpdateEvent;
  'lf.a2a.v1.TaskArtifactUpdateEvent': TaskArtifactUpdateEvent;
  'lf.a2a.v1.AuthenticationInfo': AuthenticationInfo;
  'lf.a2a.v1.AgentInterface': AgentInterface;
  'lf.a2a.v1.AgentCard': AgentCard;
  'lf.a2a.v1.AgentProvider': AgentProvider;
  'lf.a2a.v1.AgentCapabilities': AgentCapabilities;
  'lf.a2a.v1.AgentExtension': AgentExtension;
  'lf.a2a.v1.AgentSkill': AgentSkill;
  'lf.a2a.v1.AgentCardSignature': AgentCardSignature;
  'lf.a2a.v1.TaskPushNotificationConfig': TaskPushNotificationConfig;
  'lf.a2a.v1.StringList': StringList;
  'lf.a2a.v1.SecurityRequirement': SecurityRequirement;
  'lf.a2a.v1.SecurityScheme': SecurityScheme;
  'lf.a2a.v1.APIKeySecurityScheme': APIKeySecurityScheme;
  'lf.a2a.v1.HTTPAuthSecurityScheme': HTTPAuthSecurityScheme;
  'lf.a2a.v1.OAuth2SecurityScheme': OAuth2SecurityScheme;
  'lf.a2a.v1.OpenIdConnectSecurityScheme': OpenIdConnectSecurityScheme;
  'lf.a2a.v1.MutualTlsSecurityScheme': MutualTlsSecurityScheme;
  'lf.a2a.v1.OAuthFlows': OAuthFlows;
  'lf.a2a.v1.AuthorizationCodeOAuthFlow': AuthorizationCodeOAuthFlow;
  'lf.a2a.v1.ClientCredentialsOAuthFlow': ClientCredentialsOAuthFlow;
  'lf.a2a.v1.ImplicitOAuthFlow': ImplicitOAuthFlow;
  'lf.a2a.v1.PasswordOAuthFlow': PasswordOAuthFlow;
  'lf.a2a.v1.DeviceCodeOAuthFlow': DeviceCodeOAuthFlow;
  'lf.a2a.v1.SendMessageRequest': SendMessageRequest;
  'lf.a2a.v1.GetTaskRequest': GetTaskRequest;
  'lf.a2a.v1.ListTasksRequest': ListTasksRequest;
  'lf.a2a.v1.ListTasksResponse': ListTasksResponse;
  'lf.a2a.v1.CancelTaskRequest': CancelTaskRequest;
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': GetTaskPushNotificationConfigRequest;
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': DeleteTaskPushNotificationConfigRequest;
  'lf.a2a.v1.SubscribeToTaskRequest': SubscribeToTaskRequest;
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': ListTaskPushNotificationConfigsRequest;
  'lf.a2a.v1.GetExtendedAgentCardRequest': GetExtendedAgentCardRequest;
  'lf.a2a.v1.SendMessageResponse': SendMessageResponse;
  'lf.a2a.v1.StreamResponse': StreamResponse;
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': ListTaskPushNotificationConfigsResponse;
}
