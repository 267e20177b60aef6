import type * as v1 from '../../core/model/a2a.ts';
import { newId } from '../../core/model/ids.ts';
import type * as wire from '../../gen/a2a-0.1/types.ts';
import { authentication, final, isLast } from '../a2a-0.3/mapping.ts';
import { carriedState, metadata, namelessRows, ownKey, type Preserve } from '../kernel/metadata.ts';
import { decodeTime } from '../kernel/reader.ts';
import {
  type Codecs,
  described,
  flat,
  list,
  type Mapping,
  nested,
  oneOf,
  pair,
  type Row,
  record,
  same,
  unreported,
  value,
  whole,
} from '../kernel/record.ts';
import { cardTables, decodeModes } from './card-mapping.ts';
import { decodePart, encodePart } from './parts.ts';

/** The shapes of A2A 0.1. `names.ts` adds ids of messages and the positions of artifacts, which they lack. */

/** Key in v1 metadata for facts of A2A 0.1 that have no place in v1. */
export const key = ownKey('a2a-0.1');

/** Readers know seven states; any other makes them refuse the task. */
const states: Readonly<Record<v1.TaskState, wire.TaskState>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'input-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_REJECTED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
};
const state = carriedState(states, ({ status }: Pick<wire.Task, 'status'>) => status.state);

const plainMetadata = metadata();

const part = pair<v1.Part, wire.Part>(
  'Part',
  {
    text: same,
    raw: { as: 'file.bytes' },
    url: { as: 'file.uri', losses: [''], note: 'but an empty one' },
    data: { note: 'anything but an object is wrapped, and marked in the metadata' },
    mediaType: { as: 'file.mimeType', losses: [''], note: 'of files alone' },
    filename: { as: 'file.name', losses: [''], note: 'of files alone' },
    metadata: same,
  },
  { decode: decodePart, encode: encodePart },
);

/** Row of the parts. v1 requires at least one part. */
const parts: Row = list(part, { orEmpty: true, made: () => [{ text: '' }] });

/** Notes that a message had no parts. */
const empty: Preserve<object, { parts: wire.Part[] }> = {
  key,
  name: 'empty',
  read: ({ parts }) => parts.length === 0 || undefined,
  write: (wire) => {
    wire.parts = [];
  },
};

const message = record<v1.Message, wire.Message>('Message', {
  ...namelessRows,
  role: { ...oneOf<v1.Role>({ ROLE_USER: 'user', ROLE_AGENT: 'agent', ROLE_UNSPECIFIED: 'user' }), required: true },
  parts,
  metadata: metadata({ preserves: [empty] }),
});

const artifact = record<v1.Artifact, wire.Artifact>('Artifact', {
  artifactId: whole({ decode: () => '', note: 'follows from `index`', unreportedLosses: [''] }),
  name: same,
  description: same,
  parts,
  metadata: metadata({ preserves: [empty] }),
});

const status = record<v1.TaskStatus, wire.TaskStatus>('TaskStatus', {
  state: { ...oneOf<v1.TaskState>(states), required: true },
  message: nested(message),
  timestamp: value({ decode: (time: string) => decodeTime(time, '') }),
});

const task = record<v1.Task, wire.Task>('Task', {
  id: same,
  contextId: { as: 'sessionId' },
  status: nested(status),
  artifacts: list(artifact),
  // The Python server writes it in any case.
  history: list(message, { orEmpty: true }),
  metadata: metadata({ carries: [state] }),
});

/** Session of an event: events do not contain it. */
const noContext: Row = { unreported: true, made: () => '' };

const statusUpdate = record<v1.TaskStatusUpdateEvent, wire.TaskStatusUpdateEvent>('TaskStatusUpdateEvent', {
  taskId: { as: 'id' },
  contextId: noContext,
  status: nested(status),
  final: whole({
    encode: ({ status }: v1.TaskStatusUpdateEvent, cx) => isLast(cx, status.state),
    note: 'whether the stream ends with it',
  }),
  metadata: metadata({ preserves: [{ ...final, key }], carries: [state] }),
});

const artifactUpdate = record<v1.TaskArtifactUpdateEvent, wire.TaskArtifactUpdateEvent>('TaskArtifactUpdateEvent', {
  taskId: { as: 'id' },
  contextId: noContext,
  artifact: nested(artifact),
  append: whole({ note: 'of the artifact', as: 'artifact.append' }),
  lastChunk: whole({ note: 'of the artifact', as: 'artifact.lastChunk' }),
  metadata: plainMetadata,
});

/** Streams hold neither tasks nor messages: a task becomes its artifacts and its status, a message a completed status. */
const event = described<v1.StreamResponse>('StreamResponse', {
  task: nested(task, { unreportedLosses: [''] }),
  message: nested(message, { unreportedLosses: [''] }),
  statusUpdate: nested(statusUpdate),
  artifactUpdate: nested(artifactUpdate),
});

const pushConfig = record<v1.TaskPushNotificationConfig, wire.PushNotificationConfig>('TaskPushNotificationConfig', {
  id: whole({ note: "the task's", unreportedLosses: [''] }),
  taskId: unreported("the enclosing object's"),
  url: same,
  token: same,
  authentication: nested(authentication),
});

type PushCodecs = Codecs<{ pushConfig: typeof pushConfig }>;

/** The only configuration of a task. */
const taskPushConfig = record<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>(
  'TaskPushNotificationConfig',
  {
    taskId: { as: 'id', orEmpty: true },
    pushNotificationConfig: whole<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>({
      decode: ({ id, pushNotificationConfig }, cx, v1, { pushConfig }: PushCodecs) =>
        void Object.assign(v1, id && { id }, pushConfig.decode(pushNotificationConfig, cx)),
      encode: ({ taskId = '', id = '', ...config }, cx, _wire, at, { pushConfig }: PushCodecs) => {
        if (id !== taskId) cx.unreported?.add(`${at}id`);
        return pushConfig.encode(config, cx, at);
      },
      covers: ['id', 'url', 'token', 'authentication'],
    }),
  },
);

/** Largest history length: A2A 0.1 requests all messages by a number that no task reaches. */
const wholeHistory = 1_000_000_000;

/** Number of messages. If it is absent, v1 means all messages, A2A 0.1 none. */
const historyLength: Row = whole<v1.GetTaskRequest, Pick<wire.TaskQueryParams, 'historyLength'>>({
  decode: ({ historyLength: length }) => (length === wholeHistory ? undefined : (length ?? 0)),
  encode: ({ historyLength: length }) => (length === 0 ? undefined : (length ?? wholeHistory)),
  note: 'none where it is left out',
});

const configuration = record<v1.SendMessageConfiguration, wire.TaskSendParams>('SendMessageConfiguration', {
  acceptedOutputModes: value({ decode: decodeModes }),
  taskPushNotificationConfig: nested(pushConfig, { as: 'pushNotification' }),
  historyLength,
  returnImmediately: unreported('the caller of the agent waits for it, or not'),
});

const sendMessage = record<v1.SendMessageRequest, wire.TaskSendParams>('SendMessageRequest', {
  id: whole({
    // Agents generate no ids.
    encode: ({ message: { taskId } }: v1.SendMessageRequest, { unreported }) => {
      if (!taskId) unreported?.add('message.taskId');
      return taskId || newId();
    },
    note: '`message.taskId`; made up where there is none',
  }),
  sessionId: whole({
    encode: ({ message: { contextId } }: v1.SendMessageRequest) => contextId || undefined,
    note: '`message.contextId`',
  }),
  message: nested(message),
  configuration: flat(configuration),
  metadata: plainMetadata,
});

const getTask = record<v1.GetTaskRequest, wire.TaskQueryParams>('GetTaskRequest', { id: same, historyLength });
const cancelTask = record<v1.CancelTaskRequest, wire.TaskIdParams>('CancelTaskRequest', {
  id: same,
  metadata: plainMetadata,
});
const subscribe = record<v1.SubscribeToTaskRequest, wire.TaskQueryParams>('SubscribeToTaskRequest', { id: same });
const getPush = record<v1.GetTaskPushNotificationConfigRequest, wire.TaskIdParams>(
  'GetTaskPushNotificationConfigRequest',
  {
    taskId: { as: 'id' },
    id: whole<v1.GetTaskPushNotificationConfigRequest, wire.TaskIdParams>({
      decode: ({ id }) => id,
      encode: ({ taskId, id }, { unreported }, _wire, at) => {
        if (id !== taskId) unreported?.add(`${at}id`);
      },
      note: "the task's",
      unreportedLosses: [''],
    }),
  },
);

export const tables = {
  part,
  message,
  artifact,
  status,
  task,
  statusUpdate,
  artifactUpdate,
  event,
  authentication,
  pushConfig,
  taskPushConfig,
  configuration,
  sendMessage,
  getTask,
  cancelTask,
  subscribe,
  getPush,
  ...cardTables,
};

export const mapping: Mapping = { tables, sparse: true };
