// Generated from proto/a2a-1.0/lf/a2a/v1/a2a.proto by ts-proto by `npm run generate`. Do not edit.

/* eslint-disable */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { Struct, Value } from "../../../../google/protobuf/struct.ts";
import { fromTimestamp, Timestamp, toTimestamp } from "../../../../google/protobuf/timestamp.ts";

export const protobufPackage = "lf.a2a.v1";

export const protobufFileName = "a2a-1.0/lf/a2a/v1/a2a.proto";

/**
 * Where a task is in its life. COMPLETED, FAILED, CANCELED and REJECTED are final; INPUT_REQUIRED and AUTH_REQUIRED
 * wait for the caller.
 */
export const TaskState = {
  /** TASK_STATE_UNSPECIFIED - Unknown. */
  TASK_STATE_UNSPECIFIED: "TASK_STATE_UNSPECIFIED",
  /** TASK_STATE_SUBMITTED - Accepted, not yet begun. */
  TASK_STATE_SUBMITTED: "TASK_STATE_SUBMITTED",
  /** TASK_STATE_WORKING - Under way. */
  TASK_STATE_WORKING: "TASK_STATE_WORKING",
  /** TASK_STATE_COMPLETED - Ended well. */
  TASK_STATE_COMPLETED: "TASK_STATE_COMPLETED",
  /** TASK_STATE_FAILED - Ended with an error. */
  TASK_STATE_FAILED: "TASK_STATE_FAILED",
  /** TASK_STATE_CANCELED - Stopped before its end. */
  TASK_STATE_CANCELED: "TASK_STATE_CANCELED",
  /** TASK_STATE_INPUT_REQUIRED - Waits for another message. */
  TASK_STATE_INPUT_REQUIRED: "TASK_STATE_INPUT_REQUIRED",
  /** TASK_STATE_REJECTED - The agent declined it. */
  TASK_STATE_REJECTED: "TASK_STATE_REJECTED",
  /** TASK_STATE_AUTH_REQUIRED - Waits for the caller to authenticate. */
  TASK_STATE_AUTH_REQUIRED: "TASK_STATE_AUTH_REQUIRED",
  UNRECOGNIZED: "UNRECOGNIZED",
} as const;

export type TaskState = typeof TaskState[keyof typeof TaskState];

export namespace TaskState {
  export type TASK_STATE_UNSPECIFIED = typeof TaskState.TASK_STATE_UNSPECIFIED;
  export type TASK_STATE_SUBMITTED = typeof TaskState.TASK_STATE_SUBMITTED;
  export type TASK_STATE_WORKING = typeof TaskState.TASK_STATE_WORKING;
  export type TASK_STATE_COMPLETED = typeof TaskState.TASK_STATE_COMPLETED;
  export type TASK_STATE_FAILED = typeof TaskState.TASK_STATE_FAILED;
  export type TASK_STATE_CANCELED = typeof TaskState.TASK_STATE_CANCELED;
  export type TASK_STATE_INPUT_REQUIRED = typeof TaskState.TASK_STATE_INPUT_REQUIRED;
  export type TASK_STATE_REJECTED = typeof TaskState.TASK_STATE_REJECTED;
  export type TASK_STATE_AUTH_REQUIRED = typeof TaskState.TASK_STATE_AUTH_REQUIRED;
  export type UNRECOGNIZED = typeof TaskState.UNRECOGNIZED;
}

export function taskStateFromJSON(object: any): TaskState {
  switch (object) {
    case 0:
    case "TASK_STATE_UNSPECIFIED":
      return TaskState.TASK_STATE_UNSPECIFIED;
    case 1:
    case "TASK_STATE_SUBMITTED":
      return TaskState.TASK_STATE_SUBMITTED;
    case 2:
    case "TASK_STATE_WORKING":
      return TaskState.TASK_STATE_WORKING;
    case 3:
    case "TASK_STATE_COMPLETED":
      return TaskState.TASK_STATE_COMPLETED;
    case 4:
    case "TASK_STATE_FAILED":
      return TaskState.TASK_STATE_FAILED;
    case 5:
    case "TASK_STATE_CANCELED":
      return TaskState.TASK_STATE_CANCELED;
    case 6:
    case "TASK_STATE_INPUT_REQUIRED":
      return TaskState.TASK_STATE_INPUT_REQUIRED;
    case 7:
    case "TASK_STATE_REJECTED":
      return TaskState.TASK_STATE_REJECTED;
    case 8:
    case "TASK_STATE_AUTH_REQUIRED":
      return TaskState.TASK_STATE_AUTH_REQUIRED;
    case -1:
    case "UNRECOGNIZED":
    default:
      return TaskState.UNRECOGNIZED;
  }
}

export function taskStateToNumber(object: TaskState): number {
  switch (object) {
    case TaskState.TASK_STATE_UNSPECIFIED:
      return 0;
    case TaskState.TASK_STATE_SUBMITTED:
      return 1;
    case TaskState.TASK_STATE_WORKING:
      return 2;
    case TaskState.TASK_STATE_COMPLETED:
      return 3;
    case TaskState.TASK_STATE_FAILED:
      return 4;
    case TaskState.TASK_STATE_CANCELED:
      return 5;
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return 6;
    case TaskState.TASK_STATE_REJECTED:
      return 7;
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return 8;
    case TaskState.UNRECOGNIZED:
    default:
      return -1;
  }
}

/** Who speaks in a message. */
export const Role = {
  /** ROLE_UNSPECIFIED - Unknown. */
  ROLE_UNSPECIFIED: "ROLE_UNSPECIFIED",
  /** ROLE_USER - The client. */
  ROLE_USER: "ROLE_USER",
  /** ROLE_AGENT - The agent. */
  ROLE_AGENT: "ROLE_AGENT",
  UNRECOGNIZED: "UNRECOGNIZED",
} as const;

export type Role = typeof Role[keyof typeof Role];

export namespace Role {
  export type ROLE_UNSPECIFIED = typeof Role.ROLE_UNSPECIFIED;
  export type ROLE_USER = typeof Role.ROLE_USER;
  export type ROLE_AGENT = typeof Role.ROLE_AGENT;
  export type UNRECOGNIZED = typeof Role.UNRECOGNIZED;
}

export function roleFromJSON(object: any): Role {
  switch (object) {
    case 0:
    case "ROLE_UNSPECIFIED":
      return Role.ROLE_UNSPECIFIED;
    case 1:
    case "ROLE_USER":
      return Role.ROLE_USER;
    case 2:
    case "ROLE_AGENT":
      return Role.ROLE_AGENT;
    case -1:
    case "UNRECOGNIZED":
    default:
      return Role.UNRECOGNIZED;
  }
}

export function roleToNumber(object: Role): number {
  switch (object) {
    case Role.ROLE_UNSPECIFIED:
      return 0;
    case Role.ROLE_USER:
      return 1;
    case Role.ROLE_AGENT:
      return 2;
    case Role.UNRECOGNIZED:
    default:
      return -1;
  }
}

/** What the caller wants of the answer to a send. */
export interface SendMessageConfiguration {
  /** Media types that the caller can take, such as text/plain. */
  acceptedOutputModes?:
    | string[]
    | undefined;
  /** Registered for the task before work on it begins. */
  taskPushNotificationConfig?:
    | TaskPushNotificationConfig
    | undefined;
  /** How many of the latest messages the returned task may carry; 0 means none. */
  historyLength?:
    | number
    | undefined;
  /** Answer at once instead of waiting for a terminal or interrupted state. */
  returnImmediately?: boolean | undefined;
}

/** A unit of work that an agent has taken on, with its state and all it has produced. */
export interface Task {
  /** Chosen by the server. */
  id?:
    | string
    | undefined;
  /** Groups the tasks and messages of one conversation. */
  contextId?:
    | string
    | undefined;
  /** The present status. */
  status?:
    | TaskStatus
    | undefined;
  /** What the task has produced so far. */
  artifacts?:
    | Artifact[]
    | undefined;
  /** The messages exchanged so far, oldest first. */
  history?:
    | Message[]
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?: { [key: string]: any } | undefined;
}

/** The state of a task at one moment. */
export interface TaskStatus {
  state?:
    | TaskState
    | undefined;
  /** What the agent has to say about this status. */
  message?:
    | Message
    | undefined;
  /** When the status was set. */
  timestamp?: string | undefined;
}

/** One piece of content: text, a file by value or by reference, or structured data. */
export interface Part {
  /** Text. */
  text?:
    | string
    | undefined;
  /** The bytes of a file. */
  raw?:
    | Buffer
    | undefined;
  /** Where a file can be fetched. */
  url?:
    | string
    | undefined;
  /** Any JSON value, null included. */
  data?:
    | any
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?:
    | { [key: string]: any }
    | undefined;
  /** The name of the file. */
  filename?:
    | string
    | undefined;
  /** The media type of the content, such as image/png. */
  mediaType?: string | undefined;
}

/** One turn of the conversation between a client and an agent. */
export interface Message {
  /** Chosen by the sender. */
  messageId?:
    | string
    | undefined;
  /** Groups the tasks and messages of one conversation. */
  contextId?:
    | string
    | undefined;
  /** The task that the message belongs to; absent when it begins a new one. */
  taskId?:
    | string
    | undefined;
  /** Who speaks. */
  role?:
    | Role
    | undefined;
  /** What is said; at least one part. */
  parts?:
    | Part[]
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?:
    | { [key: string]: any }
    | undefined;
  /** URIs of the extensions that this message uses. */
  extensions?:
    | string[]
    | undefined;
  /** Other tasks that give context. */
  referenceTaskIds?: string[] | undefined;
}

/** Something that a task has produced. */
export interface Artifact {
  /** Unique within the task. */
  artifactId?: string | undefined;
  name?: string | undefined;
  description?:
    | string
    | undefined;
  /** The content; at least one part. */
  parts?:
    | Part[]
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?:
    | { [key: string]: any }
    | undefined;
  /** URIs of the extensions that this artifact uses. */
  extensions?: string[] | undefined;
}

/** Tells the watchers of a task that its status has changed. */
export interface TaskStatusUpdateEvent {
  taskId?:
    | string
    | undefined;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string | undefined;
  status?:
    | TaskStatus
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?: { [key: string]: any } | undefined;
}

/** Tells the watchers of a task that an artifact, or a chunk of one, has arrived. */
export interface TaskArtifactUpdateEvent {
  taskId?:
    | string
    | undefined;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string | undefined;
  artifact?:
    | Artifact
    | undefined;
  /** The parts continue the artifact of the same id instead of replacing it. */
  append?:
    | boolean
    | undefined;
  /** Nothing more will be appended to this artifact. */
  lastChunk?:
    | boolean
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?: { [key: string]: any } | undefined;
}

/** How a webhook wants to be authenticated to. */
export interface AuthenticationInfo {
  /** An HTTP authentication scheme, such as Bearer. */
  scheme?:
    | string
    | undefined;
  /** What follows the scheme in the Authorization header. */
  credentials?: string | undefined;
}

/** One address of the agent, with the binding spoken there. */
export interface AgentInterface {
  /** Absolute, for HTTP bindings with scheme. */
  url?:
    | string
    | undefined;
  /** JSONRPC, GRPC, HTTP+JSON or the URI of another binding. */
  protocolBinding?:
    | string
    | undefined;
  /** To be copied into the tenant of every request sent there. */
  tenant?:
    | string
    | undefined;
  /** Major and minor, such as 1.0. */
  protocolVersion?: string | undefined;
}

/** The agent's description of itself: who it is, what it can do, and how to reach it. */
export interface AgentCard {
  name?: string | undefined;
  description?:
    | string
    | undefined;
  /** Where the agent can be reached, the preferred address first. */
  supportedInterfaces?: AgentInterface[] | undefined;
  provider?:
    | AgentProvider
    | undefined;
  /** The version of the agent, not of the protocol. */
  version?: string | undefined;
  documentationUrl?:
    | string
    | undefined;
  /** Optional features. */
  capabilities?:
    | AgentCapabilities
    | undefined;
  /** The ways of authenticating, by name. */
  securitySchemes?:
    | { [key: string]: SecurityScheme }
    | undefined;
  /** Any one of these suffices. */
  securityRequirements?:
    | SecurityRequirement[]
    | undefined;
  /** Media types understood by all skills that do not name their own. */
  defaultInputModes?:
    | string[]
    | undefined;
  /** Media types produced by all skills that do not name their own. */
  defaultOutputModes?: string[] | undefined;
  skills?:
    | AgentSkill[]
    | undefined;
  /** Signatures over the card without this field, canonicalised by RFC 8785. */
  signatures?: AgentCardSignature[] | undefined;
  iconUrl?: string | undefined;
}

export interface AgentCard_SecuritySchemesEntry {
  key?: string | undefined;
  value?: SecurityScheme | undefined;
}

/** The organisation behind the agent. */
export interface AgentProvider {
  url?: string | undefined;
  organization?: string | undefined;
}

/** The optional features that the agent has. */
export interface AgentCapabilities {
  /** The agent streams. */
  streaming?:
    | boolean
    | undefined;
  /** The agent calls webhooks. */
  pushNotifications?:
    | boolean
    | undefined;
  /** Protocol extensions. */
  extensions?:
    | AgentExtension[]
    | undefined;
  /** Authenticated callers can get a fuller card. */
  extendedAgentCard?: boolean | undefined;
}

/** A protocol extension that the agent supports. */
export interface AgentExtension {
  /** Identifies the extension. */
  uri?: string | undefined;
  description?:
    | string
    | undefined;
  /** Callers must follow the extension. */
  required?:
    | boolean
    | undefined;
  /** Configuration, in the extension's own terms. */
  params?: { [key: string]: any } | undefined;
}

/** One thing that the agent is good at. */
export interface AgentSkill {
  id?: string | undefined;
  name?: string | undefined;
  description?:
    | string
    | undefined;
  /** Keywords. */
  tags?:
    | string[]
    | undefined;
  /** Prompts or scenarios that the skill can deal with. */
  examples?:
    | string[]
    | undefined;
  /** Media types understood, instead of the card's default. */
  inputModes?:
    | string[]
    | undefined;
  /** Media types produced, instead of the card's default. */
  outputModes?:
    | string[]
    | undefined;
  /** Any one of these suffices. */
  securityRequirements?: SecurityRequirement[] | undefined;
}

/** A JSON Web Signature (RFC 7515) over the card. */
export interface AgentCardSignature {
  /** The protected header, base64url. */
  protected?:
    | string
    | undefined;
  /** The signature, base64url. */
  signature?:
    | string
    | undefined;
  /** The unprotected header. */
  header?: { [key: string]: any } | undefined;
}

/** A push notification configuration, bound to its task. */
export interface TaskPushNotificationConfig {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
  id?: string | undefined;
  taskId?:
    | string
    | undefined;
  /** Where notifications are sent. */
  url?:
    | string
    | undefined;
  /** Opaque to the server, which sends it along so that the receiver can tell its own. */
  token?: string | undefined;
  authentication?: AuthenticationInfo | undefined;
}

/** A list of strings, where a map needs one as a value. */
export interface StringList {
  list?: string[] | undefined;
}

/** The schemes that must be satisfied together, each with the scopes that it needs. */
export interface SecurityRequirement {
  schemes?: { [key: string]: StringList } | undefined;
}

export interface SecurityRequirement_SchemesEntry {
  key?: string | undefined;
  value?: StringList | undefined;
}

/** One way of authenticating to the agent. */
export interface SecurityScheme {
  apiKeySecurityScheme?: APIKeySecurityScheme | undefined;
  httpAuthSecurityScheme?: HTTPAuthSecurityScheme | undefined;
  oauth2SecurityScheme?: OAuth2SecurityScheme | undefined;
  openIdConnectSecurityScheme?: OpenIdConnectSecurityScheme | undefined;
  mtlsSecurityScheme?: MutualTlsSecurityScheme | undefined;
}

/** An API key in a header, a query parameter or a cookie. */
export interface APIKeySecurityScheme {
  description?:
    | string
    | undefined;
  /** query, header or cookie. */
  location?:
    | string
    | undefined;
  /** The name of the header, query parameter or cookie. */
  name?: string | undefined;
}

/** An HTTP authentication scheme, such as Bearer or Basic. */
export interface HTTPAuthSecurityScheme {
  description?:
    | string
    | undefined;
  /** As in the Authorization header, such as Bearer. */
  scheme?:
    | string
    | undefined;
  /** A hint at the token's format, such as JWT. */
  bearerFormat?: string | undefined;
}

/** OAuth 2.0. */
export interface OAuth2SecurityScheme {
  description?: string | undefined;
  flows?:
    | OAuthFlows
    | undefined;
  /** Where the authorization server's metadata (RFC 8414) is. */
  oauth2MetadataUrl?: string | undefined;
}

/** OpenID Connect. */
export interface OpenIdConnectSecurityScheme {
  description?:
    | string
    | undefined;
  /** The discovery document. */
  openIdConnectUrl?: string | undefined;
}

/** TLS with a client certificate. */
export interface MutualTlsSecurityScheme {
  description?: string | undefined;
}

/** The OAuth 2.0 flow that the agent accepts. */
export interface OAuthFlows {
  authorizationCode?: AuthorizationCodeOAuthFlow | undefined;
  clientCredentials?:
    | ClientCredentialsOAuthFlow
    | undefined;
  /** @deprecated */
  implicit?:
    | ImplicitOAuthFlow
    | undefined;
  /** @deprecated */
  password?: PasswordOAuthFlow | undefined;
  deviceCode?: DeviceCodeOAuthFlow | undefined;
}

/** The authorization code grant. */
export interface AuthorizationCodeOAuthFlow {
  /** The authorization endpoint. */
  authorizationUrl?:
    | string
    | undefined;
  /** The token endpoint. */
  tokenUrl?:
    | string
    | undefined;
  /** The endpoint for refreshing tokens. */
  refreshUrl?:
    | string
    | undefined;
  /** Scopes that can be asked for, with a description of each. */
  scopes?:
    | { [key: string]: string }
    | undefined;
  /** Proof Key for Code Exchange (RFC 7636) is mandatory. */
  pkceRequired?: boolean | undefined;
}

export interface AuthorizationCodeOAuthFlow_ScopesEntry {
  key?: string | undefined;
  value?: string | undefined;
}

/** The client credentials grant. */
export interface ClientCredentialsOAuthFlow {
  /** The token endpoint. */
  tokenUrl?:
    | string
    | undefined;
  /** The endpoint for refreshing tokens. */
  refreshUrl?:
    | string
    | undefined;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: { [key: string]: string } | undefined;
}

export interface ClientCredentialsOAuthFlow_ScopesEntry {
  key?: string | undefined;
  value?: string | undefined;
}

/** The implicit grant, which is deprecated. */
export interface ImplicitOAuthFlow {
  /** The authorization endpoint. */
  authorizationUrl?:
    | string
    | undefined;
  /** The endpoint for refreshing tokens. */
  refreshUrl?:
    | string
    | undefined;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: { [key: string]: string } | undefined;
}

export interface ImplicitOAuthFlow_ScopesEntry {
  key?: string | undefined;
  value?: string | undefined;
}

/** The resource owner password grant, which is deprecated. */
export interface PasswordOAuthFlow {
  /** The token endpoint. */
  tokenUrl?:
    | string
    | undefined;
  /** The endpoint for refreshing tokens. */
  refreshUrl?:
    | string
    | undefined;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: { [key: string]: string } | undefined;
}

export interface PasswordOAuthFlow_ScopesEntry {
  key?: string | undefined;
  value?: string | undefined;
}

/** The device authorization grant (RFC 8628). */
export interface DeviceCodeOAuthFlow {
  /** The device authorization endpoint. */
  deviceAuthorizationUrl?:
    | string
    | undefined;
  /** The token endpoint. */
  tokenUrl?:
    | string
    | undefined;
  /** The endpoint for refreshing tokens. */
  refreshUrl?:
    | string
    | undefined;
  /** Scopes that can be asked for, with a description of each. */
  scopes?: { [key: string]: string } | undefined;
}

export interface DeviceCodeOAuthFlow_ScopesEntry {
  key?: string | undefined;
  value?: string | undefined;
}

/** A message for the agent. */
export interface SendMessageRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?:
    | string
    | undefined;
  /** What to say to the agent. */
  message?: Message | undefined;
  configuration?:
    | SendMessageConfiguration
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?: { [key: string]: any } | undefined;
}

/** Asks for one task. */
export interface GetTaskRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
  id?:
    | string
    | undefined;
  /** How many of the latest messages the returned task may carry; 0 means none. */
  historyLength?: number | undefined;
}

/** Asks for the tasks that match all of the given filters, newest status first. */
export interface ListTasksRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?:
    | string
    | undefined;
  /** Only tasks of this context. */
  contextId?:
    | string
    | undefined;
  /** Only tasks in this state. */
  status?:
    | TaskState
    | undefined;
  /** The most tasks that one page may hold, 1 to 100; 50 when absent. */
  pageSize?:
    | number
    | undefined;
  /** The next_page_token of the page before. */
  pageToken?:
    | string
    | undefined;
  /** How many of the latest messages each returned task may carry; 0 means none. */
  historyLength?:
    | number
    | undefined;
  /** Only tasks whose status was set at this time or later. */
  statusTimestampAfter?:
    | string
    | undefined;
  /** Return artifacts too; left out otherwise. */
  includeArtifacts?: boolean | undefined;
}

/** One page of tasks. */
export interface ListTasksResponse {
  tasks?:
    | Task[]
    | undefined;
  /** Asks for the next page; empty on the last one. */
  nextPageToken?:
    | string
    | undefined;
  /** How large this page could have been. */
  pageSize?:
    | number
    | undefined;
  /** How many tasks match in all. */
  totalSize?: number | undefined;
}

/** Asks the agent to stop working on a task. */
export interface CancelTaskRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
  id?:
    | string
    | undefined;
  /** Free for applications and extensions to use. */
  metadata?: { [key: string]: any } | undefined;
}

/** Asks for one push notification configuration. */
export interface GetTaskPushNotificationConfigRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
  taskId?: string | undefined;
  id?: string | undefined;
}

/** Removes a push notification configuration. */
export interface DeleteTaskPushNotificationConfigRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
  taskId?: string | undefined;
  id?: string | undefined;
}

/** Asks for the events of a task that is under way. */
export interface SubscribeToTaskRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
  id?: string | undefined;
}

/** Asks for the push notification configurations of one task. */
export interface ListTaskPushNotificationConfigsRequest {
  taskId?:
    | string
    | undefined;
  /** The most that one page may hold. */
  pageSize?:
    | number
    | undefined;
  /** The next_page_token of the page before. */
  pageToken?:
    | string
    | undefined;
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
}

/** Asks for the card that only authenticated callers see. */
export interface GetExtendedAgentCardRequest {
  /** Which tenant of the agent is meant; in HTTP the first segment of the path. */
  tenant?: string | undefined;
}

/** The answer to a send: a task, or a message where no task was needed. */
export interface SendMessageResponse {
  task?: Task | undefined;
  message?: Message | undefined;
}

/** One event of a stream. */
export interface StreamResponse {
  task?: Task | undefined;
  message?: Message | undefined;
  statusUpdate?: TaskStatusUpdateEvent | undefined;
  artifactUpdate?: TaskArtifactUpdateEvent | undefined;
}

/** One page of push notification configurations. */
export interface ListTaskPushNotificationConfigsResponse {
  configs?:
    | TaskPushNotificationConfig[]
    | undefined;
  /** Asks for the next page; empty on the last one. */
  nextPageToken?: string | undefined;
}

function createBaseSendMessageConfiguration(): SendMessageConfiguration {
  return {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately: undefined,
  };
}

export const SendMessageConfiguration: MessageFns<SendMessageConfiguration> = {
  encode(message: SendMessageConfiguration, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.acceptedOutputModes !== undefined && message.acceptedOutputModes.length !== 0) {
      for (const v of message.acceptedOutputModes) {
        writer.uint32(10).string(v!);
      }
    }
    if (message.taskPushNotificationConfig !== undefined) {
      TaskPushNotificationConfig.encode(message.taskPushNotificationConfig, writer.uint32(18).fork()).join();
    }
    if (message.historyLength !== undefined) {
      writer.uint32(24).int32(message.historyLength);
    }
    if (message.returnImmediately !== undefined) {
      writer.uint32(32).bool(message.returnImmediately);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SendMessageConfiguration {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSendMessageConfiguration();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.acceptedOutputModes!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.taskPushNotificationConfig = TaskPushNotificationConfig.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.historyLength = reader.int32();
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.returnImmediately = reader.bool();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTask(): Task {
  return { id: undefined, contextId: undefined, status: undefined, artifacts: [], history: [], metadata: undefined };
}

export const Task: MessageFns<Task> = {
  encode(message: Task, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.id !== undefined) {
      writer.uint32(10).string(message.id);
    }
    if (message.contextId !== undefined) {
      writer.uint32(18).string(message.contextId);
    }
    if (message.status !== undefined) {
      TaskStatus.encode(message.status, writer.uint32(26).fork()).join();
    }
    if (message.artifacts !== undefined && message.artifacts.length !== 0) {
      for (const v of message.artifacts) {
        Artifact.encode(v!, writer.uint32(34).fork()).join();
      }
    }
    if (message.history !== undefined && message.history.length !== 0) {
      for (const v of message.history) {
        Message.encode(v!, writer.uint32(42).fork()).join();
      }
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(50).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): Task {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTask();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.status = TaskStatus.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            const el = Artifact.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.artifacts!.push(el);
            }
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            const el = Message.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.history!.push(el);
            }
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskStatus(): TaskStatus {
  return { state: undefined, message: undefined, timestamp: undefined };
}

export const TaskStatus: MessageFns<TaskStatus> = {
  encode(message: TaskStatus, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.state !== undefined) {
      writer.uint32(8).int32(taskStateToNumber(message.state));
    }
    if (message.message !== undefined) {
      Message.encode(message.message, writer.uint32(18).fork()).join();
    }
    if (message.timestamp !== undefined) {
      Timestamp.encode(toTimestamp(message.timestamp), writer.uint32(26).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskStatus {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskStatus();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.state = taskStateFromJSON(reader.int32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.message = Message.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.timestamp = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBasePart(): Part {
  return {
    text: undefined,
    raw: undefined,
    url: undefined,
    data: undefined,
    metadata: undefined,
    filename: undefined,
    mediaType: undefined,
  };
}

export const Part: MessageFns<Part> = {
  encode(message: Part, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.text !== undefined) {
      writer.uint32(10).string(message.text);
    }
    if (message.raw !== undefined) {
      writer.uint32(18).bytes(message.raw);
    }
    if (message.url !== undefined) {
      writer.uint32(26).string(message.url);
    }
    if (message.data !== undefined) {
      Value.encode(Value.wrap(message.data), writer.uint32(34).fork()).join();
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(42).fork()).join();
    }
    if (message.filename !== undefined) {
      writer.uint32(50).string(message.filename);
    }
    if (message.mediaType !== undefined) {
      writer.uint32(58).string(message.mediaType);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): Part {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBasePart();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.text = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.raw = Buffer.from(reader.bytes());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.url = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.data = Value.unwrap(Value.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.filename = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.mediaType = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseMessage(): Message {
  return {
    messageId: undefined,
    contextId: undefined,
    taskId: undefined,
    role: undefined,
    parts: [],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export const Message: MessageFns<Message> = {
  encode(message: Message, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.messageId !== undefined) {
      writer.uint32(10).string(message.messageId);
    }
    if (message.contextId !== undefined) {
      writer.uint32(18).string(message.contextId);
    }
    if (message.taskId !== undefined) {
      writer.uint32(26).string(message.taskId);
    }
    if (message.role !== undefined) {
      writer.uint32(32).int32(roleToNumber(message.role));
    }
    if (message.parts !== undefined && message.parts.length !== 0) {
      for (const v of message.parts) {
        Part.encode(v!, writer.uint32(42).fork()).join();
      }
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(50).fork()).join();
    }
    if (message.extensions !== undefined && message.extensions.length !== 0) {
      for (const v of message.extensions) {
        writer.uint32(58).string(v!);
      }
    }
    if (message.referenceTaskIds !== undefined && message.referenceTaskIds.length !== 0) {
      for (const v of message.referenceTaskIds) {
        writer.uint32(66).string(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): Message {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseMessage();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.messageId = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.role = roleFromJSON(reader.int32());
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            const el = Part.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.parts!.push(el);
            }
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.extensions!.push(el);
            }
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.referenceTaskIds!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseArtifact(): Artifact {
  return {
    artifactId: undefined,
    name: undefined,
    description: undefined,
    parts: [],
    metadata: undefined,
    extensions: [],
  };
}

export const Artifact: MessageFns<Artifact> = {
  encode(message: Artifact, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.artifactId !== undefined) {
      writer.uint32(10).string(message.artifactId);
    }
    if (message.name !== undefined) {
      writer.uint32(18).string(message.name);
    }
    if (message.description !== undefined) {
      writer.uint32(26).string(message.description);
    }
    if (message.parts !== undefined && message.parts.length !== 0) {
      for (const v of message.parts) {
        Part.encode(v!, writer.uint32(34).fork()).join();
      }
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(42).fork()).join();
    }
    if (message.extensions !== undefined && message.extensions.length !== 0) {
      for (const v of message.extensions) {
        writer.uint32(50).string(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): Artifact {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseArtifact();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.artifactId = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.name = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            const el = Part.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.parts!.push(el);
            }
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.extensions!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskStatusUpdateEvent(): TaskStatusUpdateEvent {
  return { taskId: undefined, contextId: undefined, status: undefined, metadata: undefined };
}

export const TaskStatusUpdateEvent: MessageFns<TaskStatusUpdateEvent> = {
  encode(message: TaskStatusUpdateEvent, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.taskId !== undefined) {
      writer.uint32(10).string(message.taskId);
    }
    if (message.contextId !== undefined) {
      writer.uint32(18).string(message.contextId);
    }
    if (message.status !== undefined) {
      TaskStatus.encode(message.status, writer.uint32(26).fork()).join();
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(34).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskStatusUpdateEvent {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskStatusUpdateEvent();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.status = TaskStatus.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskArtifactUpdateEvent(): TaskArtifactUpdateEvent {
  return {
    taskId: undefined,
    contextId: undefined,
    artifact: undefined,
    append: undefined,
    lastChunk: undefined,
    metadata: undefined,
  };
}

export const TaskArtifactUpdateEvent: MessageFns<TaskArtifactUpdateEvent> = {
  encode(message: TaskArtifactUpdateEvent, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.taskId !== undefined) {
      writer.uint32(10).string(message.taskId);
    }
    if (message.contextId !== undefined) {
      writer.uint32(18).string(message.contextId);
    }
    if (message.artifact !== undefined) {
      Artifact.encode(message.artifact, writer.uint32(26).fork()).join();
    }
    if (message.append !== undefined) {
      writer.uint32(32).bool(message.append);
    }
    if (message.lastChunk !== undefined) {
      writer.uint32(40).bool(message.lastChunk);
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(50).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskArtifactUpdateEvent {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskArtifactUpdateEvent();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.artifact = Artifact.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.append = reader.bool();
            continue;
          }
          case 5: {
            if (tag !== 40) {
              break;
            }

            message.lastChunk = reader.bool();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAuthenticationInfo(): AuthenticationInfo {
  return { scheme: undefined, credentials: undefined };
}

export const AuthenticationInfo: MessageFns<AuthenticationInfo> = {
  encode(message: AuthenticationInfo, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.scheme !== undefined) {
      writer.uint32(10).string(message.scheme);
    }
    if (message.credentials !== undefined) {
      writer.uint32(18).string(message.credentials);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AuthenticationInfo {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAuthenticationInfo();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.scheme = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.credentials = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentInterface(): AgentInterface {
  return { url: undefined, protocolBinding: undefined, tenant: undefined, protocolVersion: undefined };
}

export const AgentInterface: MessageFns<AgentInterface> = {
  encode(message: AgentInterface, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.url !== undefined) {
      writer.uint32(10).string(message.url);
    }
    if (message.protocolBinding !== undefined) {
      writer.uint32(18).string(message.protocolBinding);
    }
    if (message.tenant !== undefined) {
      writer.uint32(26).string(message.tenant);
    }
    if (message.protocolVersion !== undefined) {
      writer.uint32(34).string(message.protocolVersion);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentInterface {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentInterface();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.url = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.protocolBinding = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.protocolVersion = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentCard(): AgentCard {
  return {
    name: undefined,
    description: undefined,
    supportedInterfaces: [],
    provider: undefined,
    version: undefined,
    documentationUrl: undefined,
    capabilities: undefined,
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
    iconUrl: undefined,
  };
}

export const AgentCard: MessageFns<AgentCard> = {
  encode(message: AgentCard, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.name !== undefined) {
      writer.uint32(10).string(message.name);
    }
    if (message.description !== undefined) {
      writer.uint32(18).string(message.description);
    }
    if (message.supportedInterfaces !== undefined && message.supportedInterfaces.length !== 0) {
      for (const v of message.supportedInterfaces) {
        AgentInterface.encode(v!, writer.uint32(26).fork()).join();
      }
    }
    if (message.provider !== undefined) {
      AgentProvider.encode(message.provider, writer.uint32(34).fork()).join();
    }
    if (message.version !== undefined) {
      writer.uint32(42).string(message.version);
    }
    if (message.documentationUrl !== undefined) {
      writer.uint32(50).string(message.documentationUrl);
    }
    if (message.capabilities !== undefined) {
      AgentCapabilities.encode(message.capabilities, writer.uint32(58).fork()).join();
    }
    globalThis.Object.entries(message.securitySchemes || {}).forEach(([key, value]: [string, SecurityScheme]) => {
      AgentCard_SecuritySchemesEntry.encode({ key: key as any, value }, writer.uint32(66).fork()).join();
    });
    if (message.securityRequirements !== undefined && message.securityRequirements.length !== 0) {
      for (const v of message.securityRequirements) {
        SecurityRequirement.encode(v!, writer.uint32(74).fork()).join();
      }
    }
    if (message.defaultInputModes !== undefined && message.defaultInputModes.length !== 0) {
      for (const v of message.defaultInputModes) {
        writer.uint32(82).string(v!);
      }
    }
    if (message.defaultOutputModes !== undefined && message.defaultOutputModes.length !== 0) {
      for (const v of message.defaultOutputModes) {
        writer.uint32(90).string(v!);
      }
    }
    if (message.skills !== undefined && message.skills.length !== 0) {
      for (const v of message.skills) {
        AgentSkill.encode(v!, writer.uint32(98).fork()).join();
      }
    }
    if (message.signatures !== undefined && message.signatures.length !== 0) {
      for (const v of message.signatures) {
        AgentCardSignature.encode(v!, writer.uint32(106).fork()).join();
      }
    }
    if (message.iconUrl !== undefined) {
      writer.uint32(114).string(message.iconUrl);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentCard {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentCard();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.name = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const el = AgentInterface.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.supportedInterfaces!.push(el);
            }
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.provider = AgentProvider.decode(reader, reader.uint32());
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.version = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.documentationUrl = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.capabilities = AgentCapabilities.decode(reader, reader.uint32());
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            const entry8 = AgentCard_SecuritySchemesEntry.decode(reader, reader.uint32());
            if (entry8.value !== undefined && entry8.key !== undefined) {
              message.securitySchemes![entry8.key] = entry8.value;
            }
            continue;
          }
          case 9: {
            if (tag !== 74) {
              break;
            }

            const el = SecurityRequirement.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.securityRequirements!.push(el);
            }
            continue;
          }
          case 10: {
            if (tag !== 82) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.defaultInputModes!.push(el);
            }
            continue;
          }
          case 11: {
            if (tag !== 90) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.defaultOutputModes!.push(el);
            }
            continue;
          }
          case 12: {
            if (tag !== 98) {
              break;
            }

            const el = AgentSkill.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.skills!.push(el);
            }
            continue;
          }
          case 13: {
            if (tag !== 106) {
              break;
            }

            const el = AgentCardSignature.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.signatures!.push(el);
            }
            continue;
          }
          case 14: {
            if (tag !== 114) {
              break;
            }

            message.iconUrl = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentCard_SecuritySchemesEntry(): AgentCard_SecuritySchemesEntry {
  return { key: undefined, value: undefined };
}

export const AgentCard_SecuritySchemesEntry: MessageFns<AgentCard_SecuritySchemesEntry> = {
  encode(message: AgentCard_SecuritySchemesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      SecurityScheme.encode(message.value, writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentCard_SecuritySchemesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentCard_SecuritySchemesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = SecurityScheme.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentProvider(): AgentProvider {
  return { url: undefined, organization: undefined };
}

export const AgentProvider: MessageFns<AgentProvider> = {
  encode(message: AgentProvider, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.url !== undefined) {
      writer.uint32(10).string(message.url);
    }
    if (message.organization !== undefined) {
      writer.uint32(18).string(message.organization);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentProvider {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentProvider();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.url = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.organization = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentCapabilities(): AgentCapabilities {
  return { streaming: undefined, pushNotifications: undefined, extensions: [], extendedAgentCard: undefined };
}

export const AgentCapabilities: MessageFns<AgentCapabilities> = {
  encode(message: AgentCapabilities, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.streaming !== undefined) {
      writer.uint32(8).bool(message.streaming);
    }
    if (message.pushNotifications !== undefined) {
      writer.uint32(16).bool(message.pushNotifications);
    }
    if (message.extensions !== undefined && message.extensions.length !== 0) {
      for (const v of message.extensions) {
        AgentExtension.encode(v!, writer.uint32(26).fork()).join();
      }
    }
    if (message.extendedAgentCard !== undefined) {
      writer.uint32(32).bool(message.extendedAgentCard);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentCapabilities {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentCapabilities();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.streaming = reader.bool();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.pushNotifications = reader.bool();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const el = AgentExtension.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.extensions!.push(el);
            }
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.extendedAgentCard = reader.bool();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentExtension(): AgentExtension {
  return { uri: undefined, description: undefined, required: undefined, params: undefined };
}

export const AgentExtension: MessageFns<AgentExtension> = {
  encode(message: AgentExtension, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.uri !== undefined) {
      writer.uint32(10).string(message.uri);
    }
    if (message.description !== undefined) {
      writer.uint32(18).string(message.description);
    }
    if (message.required !== undefined) {
      writer.uint32(24).bool(message.required);
    }
    if (message.params !== undefined) {
      Struct.encode(Struct.wrap(message.params), writer.uint32(34).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentExtension {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentExtension();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.uri = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.required = reader.bool();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.params = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentSkill(): AgentSkill {
  return {
    id: undefined,
    name: undefined,
    description: undefined,
    tags: [],
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  };
}

export const AgentSkill: MessageFns<AgentSkill> = {
  encode(message: AgentSkill, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.id !== undefined) {
      writer.uint32(10).string(message.id);
    }
    if (message.name !== undefined) {
      writer.uint32(18).string(message.name);
    }
    if (message.description !== undefined) {
      writer.uint32(26).string(message.description);
    }
    if (message.tags !== undefined && message.tags.length !== 0) {
      for (const v of message.tags) {
        writer.uint32(34).string(v!);
      }
    }
    if (message.examples !== undefined && message.examples.length !== 0) {
      for (const v of message.examples) {
        writer.uint32(42).string(v!);
      }
    }
    if (message.inputModes !== undefined && message.inputModes.length !== 0) {
      for (const v of message.inputModes) {
        writer.uint32(50).string(v!);
      }
    }
    if (message.outputModes !== undefined && message.outputModes.length !== 0) {
      for (const v of message.outputModes) {
        writer.uint32(58).string(v!);
      }
    }
    if (message.securityRequirements !== undefined && message.securityRequirements.length !== 0) {
      for (const v of message.securityRequirements) {
        SecurityRequirement.encode(v!, writer.uint32(66).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentSkill {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentSkill();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.name = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.tags!.push(el);
            }
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.examples!.push(el);
            }
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.inputModes!.push(el);
            }
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.outputModes!.push(el);
            }
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            const el = SecurityRequirement.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.securityRequirements!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentCardSignature(): AgentCardSignature {
  return { protected: undefined, signature: undefined, header: undefined };
}

export const AgentCardSignature: MessageFns<AgentCardSignature> = {
  encode(message: AgentCardSignature, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.protected !== undefined) {
      writer.uint32(10).string(message.protected);
    }
    if (message.signature !== undefined) {
      writer.uint32(18).string(message.signature);
    }
    if (message.header !== undefined) {
      Struct.encode(Struct.wrap(message.header), writer.uint32(26).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentCardSignature {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentCardSignature();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.protected = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.signature = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.header = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskPushNotificationConfig(): TaskPushNotificationConfig {
  return {
    tenant: undefined,
    id: undefined,
    taskId: undefined,
    url: undefined,
    token: undefined,
    authentication: undefined,
  };
}

export const TaskPushNotificationConfig: MessageFns<TaskPushNotificationConfig> = {
  encode(message: TaskPushNotificationConfig, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.id !== undefined) {
      writer.uint32(18).string(message.id);
    }
    if (message.taskId !== undefined) {
      writer.uint32(26).string(message.taskId);
    }
    if (message.url !== undefined) {
      writer.uint32(34).string(message.url);
    }
    if (message.token !== undefined) {
      writer.uint32(42).string(message.token);
    }
    if (message.authentication !== undefined) {
      AuthenticationInfo.encode(message.authentication, writer.uint32(50).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskPushNotificationConfig {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskPushNotificationConfig();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.url = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.token = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.authentication = AuthenticationInfo.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseStringList(): StringList {
  return { list: [] };
}

export const StringList: MessageFns<StringList> = {
  encode(message: StringList, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.list !== undefined && message.list.length !== 0) {
      for (const v of message.list) {
        writer.uint32(10).string(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): StringList {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseStringList();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.list!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSecurityRequirement(): SecurityRequirement {
  return { schemes: {} };
}

export const SecurityRequirement: MessageFns<SecurityRequirement> = {
  encode(message: SecurityRequirement, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    globalThis.Object.entries(message.schemes || {}).forEach(([key, value]: [string, StringList]) => {
      SecurityRequirement_SchemesEntry.encode({ key: key as any, value }, writer.uint32(10).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SecurityRequirement {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSecurityRequirement();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const entry1 = SecurityRequirement_SchemesEntry.decode(reader, reader.uint32());
            if (entry1.value !== undefined && entry1.key !== undefined) {
              message.schemes![entry1.key] = entry1.value;
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSecurityRequirement_SchemesEntry(): SecurityRequirement_SchemesEntry {
  return { key: undefined, value: undefined };
}

export const SecurityRequirement_SchemesEntry: MessageFns<SecurityRequirement_SchemesEntry> = {
  encode(message: SecurityRequirement_SchemesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      StringList.encode(message.value, writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SecurityRequirement_SchemesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSecurityRequirement_SchemesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = StringList.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSecurityScheme(): SecurityScheme {
  return {
    apiKeySecurityScheme: undefined,
    httpAuthSecurityScheme: undefined,
    oauth2SecurityScheme: undefined,
    openIdConnectSecurityScheme: undefined,
    mtlsSecurityScheme: undefined,
  };
}

export const SecurityScheme: MessageFns<SecurityScheme> = {
  encode(message: SecurityScheme, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.apiKeySecurityScheme !== undefined) {
      APIKeySecurityScheme.encode(message.apiKeySecurityScheme, writer.uint32(10).fork()).join();
    }
    if (message.httpAuthSecurityScheme !== undefined) {
      HTTPAuthSecurityScheme.encode(message.httpAuthSecurityScheme, writer.uint32(18).fork()).join();
    }
    if (message.oauth2SecurityScheme !== undefined) {
      OAuth2SecurityScheme.encode(message.oauth2SecurityScheme, writer.uint32(26).fork()).join();
    }
    if (message.openIdConnectSecurityScheme !== undefined) {
      OpenIdConnectSecurityScheme.encode(message.openIdConnectSecurityScheme, writer.uint32(34).fork()).join();
    }
    if (message.mtlsSecurityScheme !== undefined) {
      MutualTlsSecurityScheme.encode(message.mtlsSecurityScheme, writer.uint32(42).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SecurityScheme {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSecurityScheme();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.apiKeySecurityScheme = APIKeySecurityScheme.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.httpAuthSecurityScheme = HTTPAuthSecurityScheme.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.oauth2SecurityScheme = OAuth2SecurityScheme.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.openIdConnectSecurityScheme = OpenIdConnectSecurityScheme.decode(reader, reader.uint32());
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.mtlsSecurityScheme = MutualTlsSecurityScheme.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAPIKeySecurityScheme(): APIKeySecurityScheme {
  return { description: undefined, location: undefined, name: undefined };
}

export const APIKeySecurityScheme: MessageFns<APIKeySecurityScheme> = {
  encode(message: APIKeySecurityScheme, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.description !== undefined) {
      writer.uint32(10).string(message.description);
    }
    if (message.location !== undefined) {
      writer.uint32(18).string(message.location);
    }
    if (message.name !== undefined) {
      writer.uint32(26).string(message.name);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): APIKeySecurityScheme {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAPIKeySecurityScheme();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.location = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.name = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseHTTPAuthSecurityScheme(): HTTPAuthSecurityScheme {
  return { description: undefined, scheme: undefined, bearerFormat: undefined };
}

export const HTTPAuthSecurityScheme: MessageFns<HTTPAuthSecurityScheme> = {
  encode(message: HTTPAuthSecurityScheme, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.description !== undefined) {
      writer.uint32(10).string(message.description);
    }
    if (message.scheme !== undefined) {
      writer.uint32(18).string(message.scheme);
    }
    if (message.bearerFormat !== undefined) {
      writer.uint32(26).string(message.bearerFormat);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): HTTPAuthSecurityScheme {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseHTTPAuthSecurityScheme();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.scheme = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.bearerFormat = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseOAuth2SecurityScheme(): OAuth2SecurityScheme {
  return { description: undefined, flows: undefined, oauth2MetadataUrl: undefined };
}

export const OAuth2SecurityScheme: MessageFns<OAuth2SecurityScheme> = {
  encode(message: OAuth2SecurityScheme, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.description !== undefined) {
      writer.uint32(10).string(message.description);
    }
    if (message.flows !== undefined) {
      OAuthFlows.encode(message.flows, writer.uint32(18).fork()).join();
    }
    if (message.oauth2MetadataUrl !== undefined) {
      writer.uint32(26).string(message.oauth2MetadataUrl);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): OAuth2SecurityScheme {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseOAuth2SecurityScheme();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.flows = OAuthFlows.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.oauth2MetadataUrl = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseOpenIdConnectSecurityScheme(): OpenIdConnectSecurityScheme {
  return { description: undefined, openIdConnectUrl: undefined };
}

export const OpenIdConnectSecurityScheme: MessageFns<OpenIdConnectSecurityScheme> = {
  encode(message: OpenIdConnectSecurityScheme, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.description !== undefined) {
      writer.uint32(10).string(message.description);
    }
    if (message.openIdConnectUrl !== undefined) {
      writer.uint32(18).string(message.openIdConnectUrl);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): OpenIdConnectSecurityScheme {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseOpenIdConnectSecurityScheme();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.openIdConnectUrl = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseMutualTlsSecurityScheme(): MutualTlsSecurityScheme {
  return { description: undefined };
}

export const MutualTlsSecurityScheme: MessageFns<MutualTlsSecurityScheme> = {
  encode(message: MutualTlsSecurityScheme, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.description !== undefined) {
      writer.uint32(10).string(message.description);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): MutualTlsSecurityScheme {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseMutualTlsSecurityScheme();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.description = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseOAuthFlows(): OAuthFlows {
  return {
    authorizationCode: undefined,
    clientCredentials: undefined,
    implicit: undefined,
    password: undefined,
    deviceCode: undefined,
  };
}

export const OAuthFlows: MessageFns<OAuthFlows> = {
  encode(message: OAuthFlows, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.authorizationCode !== undefined) {
      AuthorizationCodeOAuthFlow.encode(message.authorizationCode, writer.uint32(10).fork()).join();
    }
    if (message.clientCredentials !== undefined) {
      ClientCredentialsOAuthFlow.encode(message.clientCredentials, writer.uint32(18).fork()).join();
    }
    if (message.implicit !== undefined) {
      ImplicitOAuthFlow.encode(message.implicit, writer.uint32(26).fork()).join();
    }
    if (message.password !== undefined) {
      PasswordOAuthFlow.encode(message.password, writer.uint32(34).fork()).join();
    }
    if (message.deviceCode !== undefined) {
      DeviceCodeOAuthFlow.encode(message.deviceCode, writer.uint32(42).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): OAuthFlows {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseOAuthFlows();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.authorizationCode = AuthorizationCodeOAuthFlow.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.clientCredentials = ClientCredentialsOAuthFlow.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.implicit = ImplicitOAuthFlow.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.password = PasswordOAuthFlow.decode(reader, reader.uint32());
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.deviceCode = DeviceCodeOAuthFlow.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAuthorizationCodeOAuthFlow(): AuthorizationCodeOAuthFlow {
  return {
    authorizationUrl: undefined,
    tokenUrl: undefined,
    refreshUrl: undefined,
    scopes: {},
    pkceRequired: undefined,
  };
}

export const AuthorizationCodeOAuthFlow: MessageFns<AuthorizationCodeOAuthFlow> = {
  encode(message: AuthorizationCodeOAuthFlow, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.authorizationUrl !== undefined) {
      writer.uint32(10).string(message.authorizationUrl);
    }
    if (message.tokenUrl !== undefined) {
      writer.uint32(18).string(message.tokenUrl);
    }
    if (message.refreshUrl !== undefined) {
      writer.uint32(26).string(message.refreshUrl);
    }
    globalThis.Object.entries(message.scopes || {}).forEach(([key, value]: [string, string]) => {
      AuthorizationCodeOAuthFlow_ScopesEntry.encode({ key: key as any, value }, writer.uint32(34).fork()).join();
    });
    if (message.pkceRequired !== undefined) {
      writer.uint32(40).bool(message.pkceRequired);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AuthorizationCodeOAuthFlow {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAuthorizationCodeOAuthFlow();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.authorizationUrl = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.tokenUrl = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.refreshUrl = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            const entry4 = AuthorizationCodeOAuthFlow_ScopesEntry.decode(reader, reader.uint32());
            if (entry4.value !== undefined && entry4.key !== undefined) {
              message.scopes![entry4.key] = entry4.value;
            }
            continue;
          }
          case 5: {
            if (tag !== 40) {
              break;
            }

            message.pkceRequired = reader.bool();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAuthorizationCodeOAuthFlow_ScopesEntry(): AuthorizationCodeOAuthFlow_ScopesEntry {
  return { key: undefined, value: undefined };
}

export const AuthorizationCodeOAuthFlow_ScopesEntry: MessageFns<AuthorizationCodeOAuthFlow_ScopesEntry> = {
  encode(message: AuthorizationCodeOAuthFlow_ScopesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      writer.uint32(18).string(message.value);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AuthorizationCodeOAuthFlow_ScopesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAuthorizationCodeOAuthFlow_ScopesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseClientCredentialsOAuthFlow(): ClientCredentialsOAuthFlow {
  return { tokenUrl: undefined, refreshUrl: undefined, scopes: {} };
}

export const ClientCredentialsOAuthFlow: MessageFns<ClientCredentialsOAuthFlow> = {
  encode(message: ClientCredentialsOAuthFlow, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tokenUrl !== undefined) {
      writer.uint32(10).string(message.tokenUrl);
    }
    if (message.refreshUrl !== undefined) {
      writer.uint32(18).string(message.refreshUrl);
    }
    globalThis.Object.entries(message.scopes || {}).forEach(([key, value]: [string, string]) => {
      ClientCredentialsOAuthFlow_ScopesEntry.encode({ key: key as any, value }, writer.uint32(26).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ClientCredentialsOAuthFlow {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseClientCredentialsOAuthFlow();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tokenUrl = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.refreshUrl = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const entry3 = ClientCredentialsOAuthFlow_ScopesEntry.decode(reader, reader.uint32());
            if (entry3.value !== undefined && entry3.key !== undefined) {
              message.scopes![entry3.key] = entry3.value;
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseClientCredentialsOAuthFlow_ScopesEntry(): ClientCredentialsOAuthFlow_ScopesEntry {
  return { key: undefined, value: undefined };
}

export const ClientCredentialsOAuthFlow_ScopesEntry: MessageFns<ClientCredentialsOAuthFlow_ScopesEntry> = {
  encode(message: ClientCredentialsOAuthFlow_ScopesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      writer.uint32(18).string(message.value);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ClientCredentialsOAuthFlow_ScopesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseClientCredentialsOAuthFlow_ScopesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseImplicitOAuthFlow(): ImplicitOAuthFlow {
  return { authorizationUrl: undefined, refreshUrl: undefined, scopes: {} };
}

export const ImplicitOAuthFlow: MessageFns<ImplicitOAuthFlow> = {
  encode(message: ImplicitOAuthFlow, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.authorizationUrl !== undefined) {
      writer.uint32(10).string(message.authorizationUrl);
    }
    if (message.refreshUrl !== undefined) {
      writer.uint32(18).string(message.refreshUrl);
    }
    globalThis.Object.entries(message.scopes || {}).forEach(([key, value]: [string, string]) => {
      ImplicitOAuthFlow_ScopesEntry.encode({ key: key as any, value }, writer.uint32(26).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ImplicitOAuthFlow {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseImplicitOAuthFlow();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.authorizationUrl = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.refreshUrl = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const entry3 = ImplicitOAuthFlow_ScopesEntry.decode(reader, reader.uint32());
            if (entry3.value !== undefined && entry3.key !== undefined) {
              message.scopes![entry3.key] = entry3.value;
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseImplicitOAuthFlow_ScopesEntry(): ImplicitOAuthFlow_ScopesEntry {
  return { key: undefined, value: undefined };
}

export const ImplicitOAuthFlow_ScopesEntry: MessageFns<ImplicitOAuthFlow_ScopesEntry> = {
  encode(message: ImplicitOAuthFlow_ScopesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      writer.uint32(18).string(message.value);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ImplicitOAuthFlow_ScopesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseImplicitOAuthFlow_ScopesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBasePasswordOAuthFlow(): PasswordOAuthFlow {
  return { tokenUrl: undefined, refreshUrl: undefined, scopes: {} };
}

export const PasswordOAuthFlow: MessageFns<PasswordOAuthFlow> = {
  encode(message: PasswordOAuthFlow, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tokenUrl !== undefined) {
      writer.uint32(10).string(message.tokenUrl);
    }
    if (message.refreshUrl !== undefined) {
      writer.uint32(18).string(message.refreshUrl);
    }
    globalThis.Object.entries(message.scopes || {}).forEach(([key, value]: [string, string]) => {
      PasswordOAuthFlow_ScopesEntry.encode({ key: key as any, value }, writer.uint32(26).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): PasswordOAuthFlow {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBasePasswordOAuthFlow();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tokenUrl = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.refreshUrl = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const entry3 = PasswordOAuthFlow_ScopesEntry.decode(reader, reader.uint32());
            if (entry3.value !== undefined && entry3.key !== undefined) {
              message.scopes![entry3.key] = entry3.value;
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBasePasswordOAuthFlow_ScopesEntry(): PasswordOAuthFlow_ScopesEntry {
  return { key: undefined, value: undefined };
}

export const PasswordOAuthFlow_ScopesEntry: MessageFns<PasswordOAuthFlow_ScopesEntry> = {
  encode(message: PasswordOAuthFlow_ScopesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      writer.uint32(18).string(message.value);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): PasswordOAuthFlow_ScopesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBasePasswordOAuthFlow_ScopesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseDeviceCodeOAuthFlow(): DeviceCodeOAuthFlow {
  return { deviceAuthorizationUrl: undefined, tokenUrl: undefined, refreshUrl: undefined, scopes: {} };
}

export const DeviceCodeOAuthFlow: MessageFns<DeviceCodeOAuthFlow> = {
  encode(message: DeviceCodeOAuthFlow, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.deviceAuthorizationUrl !== undefined) {
      writer.uint32(10).string(message.deviceAuthorizationUrl);
    }
    if (message.tokenUrl !== undefined) {
      writer.uint32(18).string(message.tokenUrl);
    }
    if (message.refreshUrl !== undefined) {
      writer.uint32(26).string(message.refreshUrl);
    }
    globalThis.Object.entries(message.scopes || {}).forEach(([key, value]: [string, string]) => {
      DeviceCodeOAuthFlow_ScopesEntry.encode({ key: key as any, value }, writer.uint32(34).fork()).join();
    });
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): DeviceCodeOAuthFlow {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseDeviceCodeOAuthFlow();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.deviceAuthorizationUrl = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.tokenUrl = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.refreshUrl = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            const entry4 = DeviceCodeOAuthFlow_ScopesEntry.decode(reader, reader.uint32());
            if (entry4.value !== undefined && entry4.key !== undefined) {
              message.scopes![entry4.key] = entry4.value;
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseDeviceCodeOAuthFlow_ScopesEntry(): DeviceCodeOAuthFlow_ScopesEntry {
  return { key: undefined, value: undefined };
}

export const DeviceCodeOAuthFlow_ScopesEntry: MessageFns<DeviceCodeOAuthFlow_ScopesEntry> = {
  encode(message: DeviceCodeOAuthFlow_ScopesEntry, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.value !== undefined) {
      writer.uint32(18).string(message.value);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): DeviceCodeOAuthFlow_ScopesEntry {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseDeviceCodeOAuthFlow_ScopesEntry();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSendMessageRequest(): SendMessageRequest {
  return { tenant: undefined, message: undefined, configuration: undefined, metadata: undefined };
}

export const SendMessageRequest: MessageFns<SendMessageRequest> = {
  encode(message: SendMessageRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.message !== undefined) {
      Message.encode(message.message, writer.uint32(18).fork()).join();
    }
    if (message.configuration !== undefined) {
      SendMessageConfiguration.encode(message.configuration, writer.uint32(26).fork()).join();
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(34).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SendMessageRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSendMessageRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.message = Message.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.configuration = SendMessageConfiguration.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseGetTaskRequest(): GetTaskRequest {
  return { tenant: undefined, id: undefined, historyLength: undefined };
}

export const GetTaskRequest: MessageFns<GetTaskRequest> = {
  encode(message: GetTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.id !== undefined) {
      writer.uint32(18).string(message.id);
    }
    if (message.historyLength !== undefined) {
      writer.uint32(24).int32(message.historyLength);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): GetTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseGetTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.historyLength = reader.int32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListTasksRequest(): ListTasksRequest {
  return {
    tenant: undefined,
    contextId: undefined,
    status: undefined,
    pageSize: undefined,
    pageToken: undefined,
    historyLength: undefined,
    statusTimestampAfter: undefined,
    includeArtifacts: undefined,
  };
}

export const ListTasksRequest: MessageFns<ListTasksRequest> = {
  encode(message: ListTasksRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.contextId !== undefined) {
      writer.uint32(18).string(message.contextId);
    }
    if (message.status !== undefined) {
      writer.uint32(24).int32(taskStateToNumber(message.status));
    }
    if (message.pageSize !== undefined) {
      writer.uint32(32).int32(message.pageSize);
    }
    if (message.pageToken !== undefined) {
      writer.uint32(42).string(message.pageToken);
    }
    if (message.historyLength !== undefined) {
      writer.uint32(48).int32(message.historyLength);
    }
    if (message.statusTimestampAfter !== undefined) {
      Timestamp.encode(toTimestamp(message.statusTimestampAfter), writer.uint32(58).fork()).join();
    }
    if (message.includeArtifacts !== undefined) {
      writer.uint32(64).bool(message.includeArtifacts);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListTasksRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListTasksRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.status = taskStateFromJSON(reader.int32());
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.pageSize = reader.int32();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.pageToken = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 48) {
              break;
            }

            message.historyLength = reader.int32();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.statusTimestampAfter = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 8: {
            if (tag !== 64) {
              break;
            }

            message.includeArtifacts = reader.bool();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListTasksResponse(): ListTasksResponse {
  return { tasks: [], nextPageToken: undefined, pageSize: undefined, totalSize: undefined };
}

export const ListTasksResponse: MessageFns<ListTasksResponse> = {
  encode(message: ListTasksResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tasks !== undefined && message.tasks.length !== 0) {
      for (const v of message.tasks) {
        Task.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    if (message.nextPageToken !== undefined) {
      writer.uint32(18).string(message.nextPageToken);
    }
    if (message.pageSize !== undefined) {
      writer.uint32(24).int32(message.pageSize);
    }
    if (message.totalSize !== undefined) {
      writer.uint32(32).int32(message.totalSize);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListTasksResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListTasksResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = Task.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.tasks!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.nextPageToken = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.pageSize = reader.int32();
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.totalSize = reader.int32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseCancelTaskRequest(): CancelTaskRequest {
  return { tenant: undefined, id: undefined, metadata: undefined };
}

export const CancelTaskRequest: MessageFns<CancelTaskRequest> = {
  encode(message: CancelTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.id !== undefined) {
      writer.uint32(18).string(message.id);
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(26).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): CancelTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseCancelTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseGetTaskPushNotificationConfigRequest(): GetTaskPushNotificationConfigRequest {
  return { tenant: undefined, taskId: undefined, id: undefined };
}

export const GetTaskPushNotificationConfigRequest: MessageFns<GetTaskPushNotificationConfigRequest> = {
  encode(message: GetTaskPushNotificationConfigRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.taskId !== undefined) {
      writer.uint32(18).string(message.taskId);
    }
    if (message.id !== undefined) {
      writer.uint32(26).string(message.id);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): GetTaskPushNotificationConfigRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseGetTaskPushNotificationConfigRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.id = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseDeleteTaskPushNotificationConfigRequest(): DeleteTaskPushNotificationConfigRequest {
  return { tenant: undefined, taskId: undefined, id: undefined };
}

export const DeleteTaskPushNotificationConfigRequest: MessageFns<DeleteTaskPushNotificationConfigRequest> = {
  encode(message: DeleteTaskPushNotificationConfigRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.taskId !== undefined) {
      writer.uint32(18).string(message.taskId);
    }
    if (message.id !== undefined) {
      writer.uint32(26).string(message.id);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): DeleteTaskPushNotificationConfigRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseDeleteTaskPushNotificationConfigRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.id = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSubscribeToTaskRequest(): SubscribeToTaskRequest {
  return { tenant: undefined, id: undefined };
}

export const SubscribeToTaskRequest: MessageFns<SubscribeToTaskRequest> = {
  encode(message: SubscribeToTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.id !== undefined) {
      writer.uint32(18).string(message.id);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SubscribeToTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSubscribeToTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.id = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListTaskPushNotificationConfigsRequest(): ListTaskPushNotificationConfigsRequest {
  return { taskId: undefined, pageSize: undefined, pageToken: undefined, tenant: undefined };
}

export const ListTaskPushNotificationConfigsRequest: MessageFns<ListTaskPushNotificationConfigsRequest> = {
  encode(message: ListTaskPushNotificationConfigsRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.taskId !== undefined) {
      writer.uint32(10).string(message.taskId);
    }
    if (message.pageSize !== undefined) {
      writer.uint32(16).int32(message.pageSize);
    }
    if (message.pageToken !== undefined) {
      writer.uint32(26).string(message.pageToken);
    }
    if (message.tenant !== undefined) {
      writer.uint32(34).string(message.tenant);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListTaskPushNotificationConfigsRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListTaskPushNotificationConfigsRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.pageSize = reader.int32();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.pageToken = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseGetExtendedAgentCardRequest(): GetExtendedAgentCardRequest {
  return { tenant: undefined };
}

export const GetExtendedAgentCardRequest: MessageFns<GetExtendedAgentCardRequest> = {
  encode(message: GetExtendedAgentCardRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): GetExtendedAgentCardRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseGetExtendedAgentCardRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSendMessageResponse(): SendMessageResponse {
  return { task: undefined, message: undefined };
}

export const SendMessageResponse: MessageFns<SendMessageResponse> = {
  encode(message: SendMessageResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.task !== undefined) {
      Task.encode(message.task, writer.uint32(10).fork()).join();
    }
    if (message.message !== undefined) {
      Message.encode(message.message, writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SendMessageResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSendMessageResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.task = Task.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.message = Message.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseStreamResponse(): StreamResponse {
  return { task: undefined, message: undefined, statusUpdate: undefined, artifactUpdate: undefined };
}

export const StreamResponse: MessageFns<StreamResponse> = {
  encode(message: StreamResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.task !== undefined) {
      Task.encode(message.task, writer.uint32(10).fork()).join();
    }
    if (message.message !== undefined) {
      Message.encode(message.message, writer.uint32(18).fork()).join();
    }
    if (message.statusUpdate !== undefined) {
      TaskStatusUpdateEvent.encode(message.statusUpdate, writer.uint32(26).fork()).join();
    }
    if (message.artifactUpdate !== undefined) {
      TaskArtifactUpdateEvent.encode(message.artifactUpdate, writer.uint32(34).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): StreamResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseStreamResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.task = Task.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.message = Message.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.statusUpdate = TaskStatusUpdateEvent.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.artifactUpdate = TaskArtifactUpdateEvent.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListTaskPushNotificationConfigsResponse(): ListTaskPushNotificationConfigsResponse {
  return { configs: [], nextPageToken: undefined };
}

export const ListTaskPushNotificationConfigsResponse: MessageFns<ListTaskPushNotificationConfigsResponse> = {
  encode(message: ListTaskPushNotificationConfigsResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.configs !== undefined && message.configs.length !== 0) {
      for (const v of message.configs) {
        TaskPushNotificationConfig.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    if (message.nextPageToken !== undefined) {
      writer.uint32(18).string(message.nextPageToken);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListTaskPushNotificationConfigsResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListTaskPushNotificationConfigsResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = TaskPushNotificationConfig.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.configs!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.nextPageToken = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

export interface MessageFns<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}
