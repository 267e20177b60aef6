import type * as v1 from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { historyId } from '../../core/model/ids.ts';
import type * as wire from '../../gen/agentvault-0.2/types.ts';
import {
  carriedState,
  metadata,
  namelessRows,
  nameMessage,
  noteIds,
  ownKey,
  preservedIn,
  preservedMember,
} from '../kernel/metadata.ts';
import { decodeTime as decodeIsoTime } from '../kernel/reader.ts';
import {
  type Codecs,
  described,
  firstByName,
  flat,
  list,
  type Mapping,
  nested,
  oneOf,
  pair,
  type Row,
  record,
  same,
  type Table,
  unreported,
  value,
  whole,
} from '../kernel/record.ts';
import { decodeArtifact, encodeArtifact } from './artifacts.ts';
import { cardTables } from './card-mapping.ts';
import { decodePart, encodePart, isWebUrl } from './parts.ts';

/** Shapes of AgentVault 0.2, with the nulls that real servers write. */

/** Key in v1 metadata for facts of AgentVault that have no place in v1. */
export const key = ownKey('agentvault-0.2');

/** Facts that v1 metadata preserve. */
export interface Preserved {
  /** Set if a client sent the message as `assistant`: it is input to the agent, not the agent's answer. */
  readonly prompt?: true;
  /** The event that carried a message, if there was one. The message is then sent only with that event. */
  readonly event?: 'task_message' | 'task_status';
  /** Set if the message has also arrived with an event of its own, so that it is one of the task's messages. */
  readonly repeats?: true;
  /** Creation time of a task. */
  readonly createdAt?: string;
  /** Time of an artifact's event. */
  readonly timestamp?: string;
}

export const preserved = (metadata: v1.Struct | undefined): Preserved => preservedIn(metadata, key);

/** The client's validator knows six states; any other makes it drop the event or the task. */
const states: Readonly<Record<v1.TaskState, wire.TaskState>> = {
  TASK_STATE_SUBMITTED: 'SUBMITTED',
  TASK_STATE_WORKING: 'WORKING',
  TASK_STATE_INPUT_REQUIRED: 'INPUT_REQUIRED',
  TASK_STATE_COMPLETED: 'COMPLETED',
  TASK_STATE_FAILED: 'FAILED',
  TASK_STATE_CANCELED: 'CANCELED',
  TASK_STATE_AUTH_REQUIRED: 'INPUT_REQUIRED',
  TASK_STATE_REJECTED: 'FAILED',
  TASK_STATE_UNSPECIFIED: 'SUBMITTED',
};
const stateByName = firstByName(states);
const decodeState = (state: wire.TaskState): v1.TaskState => stateByName.get(state) as v1.TaskState;

/** Converts ISO 8601 or seconds since the epoch to UTC with milliseconds. */
export function decodeTime(time: string | number, field: string): string {
  if (typeof time === 'string') return decodeIsoTime(time, field);
  const date = new Date(time * 1_000);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw A2AError.invalidField(field, 'must be a time in seconds since the epoch');
}

/** Returns all text of a message; null if it has none. */
export function textOf({ parts }: v1.Message): string | null {
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  return texts.length === 0 ? null : texts.join('\n');
}

const part = pair<v1.Part, wire.Part>(
  'Part',
  {
    text: { as: 'content' },
    raw: { as: 'content', losses: [''], note: 'wrapped, unless the gateway serves it at a URL' },
    url: { losses: [''], note: 'http and https alone; any other is wrapped' },
    data: { as: 'content', note: 'anything but an object is wrapped' },
    mediaType: { losses: [''], note: 'but of text' },
    filename: { losses: [''], note: 'of files alone' },
  },
  { decode: decodePart, encode: encodePart },
);

/** Row of the role; `system` and `tool` are input to the agent. */
const role = preservedMember<wire.Message, 'role'>(key, 'role', (role) =>
  role === 'system' || role === 'tool' ? role : undefined,
);

const message = record<v1.Message, wire.Message>('Message', {
  ...namelessRows,
  role: oneOf<v1.Role>({ ROLE_USER: 'user', ROLE_AGENT: 'assistant', ROLE_UNSPECIFIED: 'user' }, 'ROLE_USER'),
  parts: list(part),
  metadata: metadata({ preserves: [role], orNull: true }),
});

const artifact = pair<v1.Artifact, wire.Artifact>(
  'Artifact',
  {
    artifactId: { as: 'id' },
    name: { as: 'type', unreportedLosses: [''], note: 'what it is made of, where it has no name' },
    parts: list(part, { as: 'content', unreportedLosses: ['^parts[]'], note: 'as one value, or `url`' }),
    metadata: same,
  },
  { decode: decodeArtifact, encode: encodeArtifact },
);

/** Row of the context: AgentVault knows no contexts, so the task's id is used. */
const contextOf = (name: 'id' | 'taskId'): Row =>
  whole<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>>({
    decode: (wire) => wire[name],
    encode: (v1, { unreported }, _wire, at) => {
      if (v1.contextId !== v1[name]) unreported?.add(`${at}contextId`);
    },
    note: 'the task itself',
    unreportedLosses: [''],
  });

type MessageCodecs = Codecs<{ message: typeof message }>;

/** Whether a message was only the text of a status. */
function isStatusText({ metadata }: v1.Message): boolean {
  const { event, repeats } = preserved(metadata);
  return event === 'task_status' && repeats !== true;
}

/** Returns the history and the current status message, without messages that were only the text of a status. */
function messagesOf({ history = [], status: { message } }: v1.Task): readonly v1.Message[] {
  const isNew = message && !history.some(({ messageId }) => messageId === message.messageId);
  return (isNew ? [...history, message] : history).filter((one) => !isStatusText(one));
}

const task = record<v1.Task, wire.Task>('Task', {
  id: same,
  contextId: contextOf('id'),
  status: whole<v1.Task, wire.Task>({
    decode: ({ state, updatedAt }) => ({ state: decodeState(state), timestamp: decodeTime(updatedAt, 'updatedAt') }),
    encode: ({ status: { message } }, { unreported }, _wire, at) => {
      // Any other current message is one of the messages.
      if (message && isStatusText(message)) unreported?.add(`${at}status.message`);
    },
    note: '`state` and `updatedAt`; its message is one of `messages`',
    unreportedLosses: ['timestamp', 'message'],
  }),
  state: whole({ encode: ({ status }: v1.Task) => states[status.state], note: '`status.state`' }),
  createdAt: whole({
    encode: ({ status }: v1.Task) => status.timestamp ?? timestamp(),
    note: 'when the gateway made it',
  }),
  updatedAt: whole({ encode: ({ status }: v1.Task, _cx, { createdAt }: wire.Task) => status.timestamp ?? createdAt }),
  history: whole<v1.Task, wire.Task>({
    decode: ({ id, messages = [] }, cx, _v1, { message }: MessageCodecs) =>
      messages.length > 0
        ? messages.map((one, at) => nameMessage(message.decode(one, cx), historyId(id, at), id, id))
        : undefined,
    encode: (task, cx, _wire, at, { message }: MessageCodecs) =>
      messagesOf(task).map((one) => {
        noteIds(one, cx, `${at}history.`, task.id, task.id);
        return message.encode(one, cx, `${at}history.`);
      }),
    as: 'messages',
    of: message as Table,
  }),
  artifacts: list(artifact, { orEmpty: true }),
  metadata: metadata({
    preserves: [preservedMember<wire.Task, 'createdAt'>(key, 'createdAt', (time) => decodeTime(time, 'createdAt'))],
    carries: [carriedState(states, ({ state }: wire.Task) => state)],
    orNull: true,
  }),
});

/** A status in the form of an event; the rest of its message, apart from the text, is an event of its own. */
const status = record<v1.TaskStatus, wire.TaskStatusUpdateEvent>('TaskStatus', {
  state: value({
    decode: decodeState,
    encode: (state: v1.TaskState, { losses }, at) => {
      if (decodeState(states[state]) !== state) losses.add(at);
      return states[state];
    },
    losses: [''],
    note: 'six of them; others become the nearest',
  }),
  timestamp: value({ decode: (time: string | number) => decodeTime(time, '') }),
  message: whole({
    encode: ({ message }: v1.TaskStatus) => (message ? textOf(message) : null),
    note: 'its text',
    of: message as Table,
  }),
});

const statusUpdate = record<v1.TaskStatusUpdateEvent, wire.TaskStatusUpdateEvent>('TaskStatusUpdateEvent', {
  taskId: same,
  contextId: contextOf('taskId'),
  status: flat(status),
});

const artifactUpdate = described<v1.TaskArtifactUpdateEvent>('TaskArtifactUpdateEvent', {
  taskId: same,
  contextId: unreported('the task itself'),
  artifact: nested(artifact),
  append: unreported('an artifact is sent whole'),
  lastChunk: unreported('an artifact is sent whole'),
});

/**
 * Event of a stream. A snapshot is split into the task's events, and a message becomes a status with it: neither has an
 * event of its own.
 */
const event = described<v1.StreamResponse>('StreamResponse', {
  task: nested(task, { unreportedLosses: [''] }),
  message: nested(message, { unreportedLosses: [''] }),
  statusUpdate: nested(statusUpdate),
  artifactUpdate: nested(artifactUpdate),
});

const pushConfig = record<v1.TaskPushNotificationConfig, wire.TaskSendParams>('TaskPushNotificationConfig', {
  url: { as: 'webhookUrl' },
});

type PushCodecs = Codecs<{ pushConfig: typeof pushConfig }>;

const configuration = record<v1.SendMessageConfiguration, wire.TaskSendParams>('SendMessageConfiguration', {
  returnImmediately: whole<v1.SendMessageConfiguration, wire.TaskSendParams>({
    // The answer is the id alone, so there is nothing to wait for; the agent's caller waits itself.
    decode: () => true,
    encode: ({ returnImmediately }, { unreported }, _wire, at) => {
      if (returnImmediately !== true) unreported?.add(`${at}returnImmediately`);
    },
    note: 'always',
    unreportedLosses: [''],
  }),
  historyLength: unreported('the caller of the agent cuts the history itself'),
  taskPushNotificationConfig: whole<v1.SendMessageConfiguration, wire.TaskSendParams>({
    decode: (wire, cx, _v1, { pushConfig }: PushCodecs) => (wire.webhookUrl ? pushConfig.decode(wire, cx) : undefined),
    encode: ({ taskPushNotificationConfig: push }, cx, wire, at, { pushConfig }: PushCodecs) => {
      if (!push) return;
      const webhook = pushConfig.encode(push, cx, `${at}taskPushNotificationConfig.`);
      if (isWebUrl(push.url)) Object.assign(wire, webhook);
      else cx.losses.add(`${at}taskPushNotificationConfig`);
    },
    note: 'http and https alone',
    of: pushConfig as Table,
    losses: [''],
  }),
});

const sendMessage = record<v1.SendMessageRequest, wire.TaskSendParams>('SendMessageRequest', {
  id: whole({ encode: ({ message }: v1.SendMessageRequest) => message.taskId, note: '`message.taskId`' }),
  message: nested(message),
  configuration: flat(configuration),
});

const getTask = record<v1.GetTaskRequest, wire.TaskIdParams>('GetTaskRequest', {
  id: same,
  historyLength: unreported('the caller of the agent cuts the history itself'),
});
const cancelTask = record<v1.CancelTaskRequest, wire.TaskIdParams>('CancelTaskRequest', { id: same });
const subscribe = record<v1.SubscribeToTaskRequest, wire.TaskIdParams>('SubscribeToTaskRequest', { id: same });

export const tables = {
  part,
  message,
  artifact,
  task,
  status,
  statusUpdate,
  artifactUpdate,
  event,
  pushConfig,
  configuration,
  sendMessage,
  getTask,
  cancelTask,
  subscribe,
  ...cardTables,
};

export const mapping: Mapping = { tables };
