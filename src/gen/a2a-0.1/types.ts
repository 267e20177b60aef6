// Generated from codegen/schemas/a2a-0.1.json by `npm run generate`. Do not edit.

/** One piece of a message or an artifact. Told apart by shape where `type` is left out. */
export type Part = TextPart | FilePart | DataPart;

/** Who speaks. */
export type Role = 'user' | 'agent';

/** Where a task is in its life. */
export type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'canceled' | 'failed' | 'unknown';

/** Text. */
export interface TextPart {
  type?: 'text' | null;
  text: string;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** A file, inline or by reference. */
export interface FileContent {
  name?: string | null;
  mimeType?: string | null;
  /** Base64. Either this or `uri` is there; an empty one counts as missing. */
  bytes?: string | null;
  uri?: string | null;
}

/** A file. */
export interface FilePart {
  type?: 'file' | null;
  file: FileContent;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** A JSON object. */
export interface DataPart {
  type?: 'data' | null;
  data: Record<string, unknown>;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** One turn of a conversation. It has no id. */
export interface Message {
  role: Role;
  parts: Part[];
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** A state, when the task came into it, and what the agent says of it. */
export interface TaskStatus {
  state: TaskState;
  message?: Message | null;
  /** ISO 8601, in UTC where no offset is given. */
  timestamp?: string | null;
}

/** Output of a task, or a chunk of it. It has no id, but a place among the task's artifacts. */
export interface Artifact {
  name?: string | null;
  description?: string | null;
  parts: Part[];
  /** 0 when left out. */
  index?: number | null;
  /** Whether the parts are to be added to those that the artifact has. */
  append?: boolean | null;
  /** Whether the artifact is complete with this. */
  lastChunk?: boolean | null;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** A unit of work. */
export interface Task {
  id: string;
  sessionId?: string | null;
  status: TaskStatus;
  artifacts?: Artifact[] | null;
  history?: Message[] | null;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** What a stream says of the task's status. */
export interface TaskStatusUpdateEvent {
  id: string;
  status: TaskStatus;
  /** Whether the stream ends with this. */
  final?: boolean | null;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** What a stream says of an artifact. */
export interface TaskArtifactUpdateEvent {
  id: string;
  artifact: Artifact;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** How a webhook's caller authenticates. It may say more than is described here. */
export interface AuthenticationInfo {
  schemes: string[];
  credentials?: string | null;
}

/** Where updates are to be posted. */
export interface PushNotificationConfig {
  url: string;
  token?: string | null;
  authentication?: AuthenticationInfo | null;
}

/** A task's push configuration; parameters and result of tasks/pushNotification/set. */
export interface TaskPushNotificationConfig {
  id: string;
  pushNotificationConfig: PushNotificationConfig;
}

/** Parameters of tasks/cancel and tasks/pushNotification/get. */
export interface TaskIdParams {
  /** The task, by the id that the client chose for it. */
  id: string;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** Parameters of tasks/get and tasks/resubscribe. */
export interface TaskQueryParams {
  /** The task, by the id that the client chose for it. */
  id: string;
  /** How many of the latest messages are wanted; none when left out. */
  historyLength?: number | null;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** Parameters of tasks/send and tasks/sendSubscribe. */
export interface TaskSendParams {
  /** The task, by the id that the client chose for it. */
  id: string;
  sessionId?: string | null;
  message: Message;
  /** Known to the Python samples only. */
  acceptedOutputModes?: string[] | null;
  pushNotification?: PushNotificationConfig | null;
  /** How many of the latest messages are wanted; none when left out. */
  historyLength?: number | null;
  /** Anything. */
  metadata?: Record<string, unknown> | null;
}

/** Who runs an agent. */
export interface AgentProvider {
  organization: string;
  url?: string | null;
}

/** What an agent can do besides. */
export interface AgentCapabilities {
  streaming?: boolean | null;
  pushNotifications?: boolean | null;
  stateTransitionHistory?: boolean | null;
  /** Of the knowledge graph extension. */
  knowledgeGraph?: boolean | null;
  knowledgeGraphQueryLanguages?: string[] | null;
}

/** How callers authenticate. */
export interface AgentAuthentication {
  schemes: string[];
  credentials?: string | null;
}

/** Something that an agent can do. */
export interface AgentSkill {
  id: string;
  name: string;
  description?: string | null;
  tags?: string[] | null;
  examples?: string[] | null;
  inputModes?: string[] | null;
  outputModes?: string[] | null;
}

/** What an agent says of itself. */
export interface AgentCard {
  name: string;
  description?: string | null;
  url: string;
  provider?: AgentProvider | null;
  version: string;
  documentationUrl?: string | null;
  capabilities: AgentCapabilities;
  authentication?: AgentAuthentication | null;
  /** Media types, or the bare word `text`, which is meant when left out. */
  defaultInputModes?: string[] | null;
  /** Media types, or the bare word `text`, which is meant when left out. */
  defaultOutputModes?: string[] | null;
  skills: AgentSkill[];
}
