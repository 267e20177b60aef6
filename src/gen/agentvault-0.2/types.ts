// Generated from codegen/schemas/agentvault-0.2.json by `npm run generate`. Do not edit.

/** One piece of a message. Told apart by shape where `type` is left out. */
export type Part = TextPart | FilePart | DataPart;

/** Who speaks. */
export type Role = 'user' | 'assistant' | 'system' | 'tool';

/** Where a task is in its life. */
export type TaskState = 'SUBMITTED' | 'WORKING' | 'INPUT_REQUIRED' | 'COMPLETED' | 'FAILED' | 'CANCELED';

/** Text. */
export interface TextPart {
  type?: 'text';
  content: string;
}

/** A file, by reference; there is no inline form. */
export interface FilePart {
  type?: 'file';
  /** http or https. */
  url: string;
  mediaType?: string | null;
  filename?: string | null;
}

/** A JSON object. */
export interface DataPart {
  type?: 'data';
  content: Record<string, unknown>;
  /** application/json when left out. */
  mediaType?: string | null;
}

/** One turn of a conversation. */
export interface Message {
  role: Role;
  parts: Part[];
  /** Anything; `mcp_context` by convention holds context of the Model Context Protocol. */
  metadata?: Record<string, unknown> | null;
}

/** Output of a task: one value, or where it is to be found. */
export interface Artifact {
  id: string;
  /** A label, such as `log`. */
  type: string;
  /** Any JSON. */
  content?: unknown;
  url?: string | null;
  mediaType?: string | null;
  /** Anything; `mcp_context` by convention holds context of the Model Context Protocol. */
  metadata?: Record<string, unknown> | null;
}

/** A unit of work. */
export interface Task {
  id: string;
  state: TaskState;
  /** ISO 8601, in UTC where no offset is given, or seconds since the epoch. */
  createdAt: string | number;
  /** ISO 8601, in UTC where no offset is given, or seconds since the epoch. */
  updatedAt: string | number;
  messages?: Message[];
  artifacts?: Artifact[];
  /** Anything; `mcp_context` by convention holds context of the Model Context Protocol. */
  metadata?: Record<string, unknown> | null;
}

/** Parameters of tasks/send. */
export interface TaskSendParams {
  /** The task to continue; a new one when absent or null. */
  id?: string | null;
  message: Message;
  /** Where updates are to be posted. */
  webhookUrl?: string | null;
}

/** Result of tasks/send. */
export interface TaskSendResult {
  id: string;
}

/** Parameters of tasks/get, tasks/cancel and tasks/sendSubscribe. */
export interface TaskIdParams {
  id: string;
}

/** Result of tasks/cancel. */
export interface TaskCancelResult {
  /** Whether the cancellation was accepted; true when left out. */
  success?: boolean;
  message?: string | null;
}

/** Payload of the event task_status. */
export interface TaskStatusUpdateEvent {
  taskId: string;
  state: TaskState;
  /** ISO 8601, in UTC where no offset is given, or seconds since the epoch. */
  timestamp: string | number;
  message?: string | null;
}

/** Payload of the event task_message. */
export interface TaskMessageEvent {
  taskId: string;
  message: Message;
  /** ISO 8601, in UTC where no offset is given, or seconds since the epoch. */
  timestamp: string | number;
}

/** Payload of the event task_artifact. */
export interface TaskArtifactUpdateEvent {
  taskId: string;
  artifact: Artifact;
  /** ISO 8601, in UTC where no offset is given, or seconds since the epoch. */
  timestamp: string | number;
}

/** Payload of the event error. */
export interface StreamError {
  /** A code in snake_case. */
  error: string;
  message?: string;
}

/** Who provides an agent. */
export interface AgentProvider {
  name: string;
  url?: string | null;
  support_contact?: string | null;
}

/** The trusted execution environment of an agent. */
export interface TeeDetails {
  type: string;
  attestationEndpoint?: string | null;
  publicKey?: string | null;
  description?: string | null;
}

/** What an agent can do. */
export interface AgentCapabilities {
  a2aVersion: string;
  mcpVersion?: string | null;
  /** Of `text`, `file`, `data`. */
  supportedMessageParts?: string[] | null;
  /** Of the knowledge graph extension. */
  knowledgeGraph?: boolean | null;
  knowledgeGraphQueryLanguages?: string[] | null;
  teeDetails?: TeeDetails | null;
  supportsPushNotifications?: boolean | null;
}

/** One way to authenticate. */
export interface AgentAuthentication {
  scheme: 'apiKey' | 'bearer' | 'oauth2' | 'none';
  description?: string | null;
  /** Required for `oauth2`. */
  tokenUrl?: string | null;
  scopes?: string[] | null;
  service_identifier?: string | null;
}

/** One skill of an agent. */
export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  input_schema?: Record<string, unknown> | null;
  output_schema?: Record<string, unknown> | null;
}

/** What an agent says about itself. */
export interface AgentCard {
  schemaVersion: string;
  humanReadableId: string;
  agentVersion: string;
  name: string;
  description: string;
  url: string;
  provider: AgentProvider;
  capabilities: AgentCapabilities;
  authSchemes: AgentAuthentication[];
  skills?: AgentSkill[] | null;
  tags?: string[] | null;
  privacyPolicyUrl?: string | null;
  termsOfServiceUrl?: string | null;
  iconUrl?: string | null;
  lastUpdated?: string | null;
}
