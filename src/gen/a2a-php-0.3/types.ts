// Generated from codegen/schemas/a2a-php-0.3.json by `npm run generate`. Do not edit.

/** Result of tasks/pushNotificationConfig/list. */
export type TaskPushNotificationConfigs = TaskPushNotificationConfig[];

/** A file, within the message or elsewhere. */
export interface File {
  /** Base64. It goes before any reference. */
  bytes?: string | null;
  uri?: string | null;
  /** Alias of uri. */
  url?: string | null;
  /** Alias of uri. */
  href?: string | null;
  mimeType?: string | null;
  name?: string | null;
}

/**
 * One piece of a message or of an artifact. Without kind and type it is recognized by its shape, otherwise it is a text.
 */
export interface Part {
  /** text, file or data. */
  kind?: string | null;
  /** Alias of kind. */
  type?: string | null;
  /** What is no string becomes one. */
  text?: string | number | boolean | null;
  /** Alias of text. */
  content?: unknown;
  file?: File | null;
  /** PHP knows no difference between the two where they are empty. */
  data?: Record<string, unknown> | unknown[] | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** One turn of a conversation. */
export interface Message {
  kind?: string | null;
  /** Required by the server; made up where it is left out, as its document has it. */
  messageId?: string | null;
  /** user or agent by convention; any text is accepted. */
  role: string;
  parts?: Part[] | null;
  contextId?: string | null;
  taskId?: string | null;
  referenceTaskIds?: string[] | null;
  extensions?: string[] | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** The state of a task, and what the agent says about it. */
export interface TaskStatus {
  /** The states of A2A 0.3, and other spellings of them. Another name is read as unknown. */
  state: string;
  message?: Message | null;
  /** ISO 8601; UTC where no offset is given. */
  timestamp?: string | null;
}

/** Output of a task. */
export interface Artifact {
  artifactId: string;
  parts?: Part[] | null;
  name?: string | null;
  description?: string | null;
  extensions?: string[] | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** A unit of work. */
export interface Task {
  kind?: string | null;
  id: string;
  contextId?: string | null;
  status: TaskStatus;
  artifacts?: Artifact[] | null;
  history?: Message[] | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** A change of the state. */
export interface TaskStatusUpdateEvent {
  kind?: string | null;
  taskId: string;
  contextId?: string | null;
  status: TaskStatus;
  /** Whether the stream ends here. */
  final?: boolean | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** A new artifact, or a chunk of one. */
export interface TaskArtifactUpdateEvent {
  kind?: string | null;
  taskId: string;
  contextId?: string | null;
  artifact: Artifact;
  append?: boolean | null;
  lastChunk?: boolean | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** How the webhook is authenticated at. */
export interface PushNotificationAuthenticationInfo {
  schemes: string[];
  credentials?: string | null;
}

/** A webhook. */
export interface PushNotificationConfig {
  url: string;
  /** A label: a task has one configuration, which is found by the task. */
  id?: string | null;
  token?: string | null;
  authentication?: PushNotificationAuthenticationInfo | null;
}

/** Result of tasks/pushNotificationConfig/set and …/get. */
export interface TaskPushNotificationConfig {
  taskId: string;
  /** Null where there is none. */
  pushNotificationConfig?: PushNotificationConfig | null;
}

/** Parameters of message/send and message/stream. Whatever else stands there is the caller's own. */
export interface MessageSendParams {
  message: Message;
  /** As in A2A 0.3. */
  configuration?: Record<string, unknown> | unknown[] | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
  /** Who calls; unknown where it is left out. */
  from?: unknown;
}

/** Parameters of tasks/send. Whatever else stands there is the caller's own. */
export interface TaskSendParams {
  /** The caller's choice: the task is made, or goes on. */
  id: string;
  message: Message;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
  /** A label of the caller's. */
  sessionId?: unknown;
  /** Not heeded. */
  pushNotification?: unknown;
  /** Not heeded. */
  historyLength?: unknown;
}

/** Parameters of tasks/get. */
export interface TaskQueryParams {
  id?: string | null;
  /** Alias of id. */
  taskId?: string | null;
  /** The newest so many messages; all where it is 0. */
  historyLength?: number | string | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/**
 * Parameters of the other methods that are about one task. tasks/pushNotificationConfig/list is about all of them where none is named.
 */
export interface TaskIdParams {
  id?: string | null;
  /** Alias of id. */
  taskId?: string | null;
  /** PHP writes an empty object as an empty list. */
  metadata?: Record<string, unknown> | unknown[] | null;
}

/** Parameters of tasks/pushNotificationConfig/set. */
export interface SetPushNotificationConfigParams {
  taskId?: string | null;
  /** Alias of taskId. */
  id?: string | null;
  pushNotificationConfig: PushNotificationConfig;
}
