import type * as v1 from '../../../core/model/a2a.ts';
import { newId } from '../../../core/model/ids.ts';
import type * as wire from '../../../gen/a2a-v0_3/types.ts';
import { metadata, type Preserve } from '../../kernel/metadata.ts';
import {
  type Codecs,
  list,
  type Mapping,
  missing,
  nested,
  pair,
  type Row,
  record,
  required,
  same,
  type Table,
  value,
  whole,
} from '../../kernel/record.ts';
import { authentication, isLast, key } from '../mapping.ts';
import { cardTables } from './card-mapping.ts';
import { configIdsIn, configName, taskIdIn, taskName } from './names.ts';
import { decodePart, encodePart } from './parts.ts';

/** Shapes of A2A 0.3 in protobuf, with members in the proto's order, as all its printers write them. */

/** `final`, if it does not follow from the state. */
const final: Preserve<v1.TaskStatusUpdateEvent, wire.TaskStatusUpdateEvent> = {
  key,
  name: 'final',
  read: ({ final = false }, { status }, cx) => (final === isLast(cx, status.state) ? undefined : final),
  write: (update, _v1, final: boolean) => {
    if (final) update.final = true;
    else delete update.final;
  },
};

const plainMetadata = metadata();

const part = pair<v1.Part, wire.Part>(
  'Part',
  {
    text: same,
    raw: {
      as: 'file.fileWithBytes',
      losses: [''],
      note: 'some SDKs use base64 text in place of the bytes; software that is not recognized gets bytes, and may not read them',
    },
    url: { as: 'file.fileWithUri' },
    data: { as: 'data.data', note: 'anything but an object is wrapped, and marked in the metadata' },
    mediaType: { as: 'file.mimeType', losses: [''], note: 'of files alone' },
    filename: { as: 'file.name', losses: [''], note: 'of files alone, for software that reads it' },
    metadata: { losses: [''], note: 'for software that reads them' },
  },
  { decode: decodePart, encode: encodePart },
);

const message = record<v1.Message, wire.Message>('Message', {
  messageId: { made: newId, note: 'created where there is none' },
  contextId: same,
  taskId: same,
  role: value({
    decode: (role: v1.Role | undefined) => role ?? 'ROLE_UNSPECIFIED',
    encode: (role: v1.Role) => (role === 'ROLE_UNSPECIFIED' ? undefined : role),
  }),
  parts: list(part, { as: 'content' }),
  metadata: plainMetadata,
  extensions: same,
});

const artifact = record<v1.Artifact, wire.Artifact>('Artifact', {
  artifactId: required,
  name: same,
  description: same,
  parts: list(part),
  metadata: plainMetadata,
  extensions: same,
});

const status = record<v1.TaskStatus, wire.TaskStatus>('TaskStatus', {
  state: value({
    decode: (state: wire.TaskState = 'TASK_STATE_UNSPECIFIED') =>
      state === 'TASK_STATE_CANCELLED' ? 'TASK_STATE_CANCELED' : state,
    encode: (state: v1.TaskState): wire.TaskState | undefined => {
      if (state === 'TASK_STATE_CANCELED') return 'TASK_STATE_CANCELLED';
      return state === 'TASK_STATE_UNSPECIFIED' ? undefined : state;
    },
    note: '`TASK_STATE_CANCELED` is `TASK_STATE_CANCELLED`',
  }),
  message: nested(message),
  timestamp: same,
});

const task = record<v1.Task, wire.Task>('Task', {
  id: required,
  contextId: same,
  status: nested(status, { orEmpty: true }),
  artifacts: list(artifact),
  history: list(message),
  metadata: plainMetadata,
});

const empty: Row = { made: () => '' };

const statusUpdate = record<v1.TaskStatusUpdateEvent, wire.TaskStatusUpdateEvent>('TaskStatusUpdateEvent', {
  taskId: required,
  contextId: empty,
  status: nested(status, { orEmpty: true }),
  final: whole<v1.TaskStatusUpdateEvent, object>({
    encode: ({ status }, cx) => isLast(cx, status.state) || undefined,
    note: 'whether the stream ends with it',
  }),
  metadata: metadata({ preserves: [final] }),
});

const artifactUpdate = record<v1.TaskArtifactUpdateEvent, wire.TaskArtifactUpdateEvent>('TaskArtifactUpdateEvent', {
  taskId: required,
  contextId: empty,
  artifact: nested(artifact, required),
  append: same,
  lastChunk: same,
  metadata: plainMetadata,
});

const event = record<v1.StreamResponse, wire.StreamResponse>('StreamResponse', {
  task: nested(task),
  message: nested(message),
  statusUpdate: nested(statusUpdate),
  artifactUpdate: nested(artifactUpdate),
});

const sent = record<v1.SendMessageResponse, wire.SendMessageResponse>('SendMessageResponse', {
  task: nested(task),
  message: nested(message),
});

const pushConfig = record<v1.TaskPushNotificationConfig, wire.PushNotificationConfig>('TaskPushNotificationConfig', {
  id: same,
  url: required,
  token: same,
  authentication: nested(authentication),
});

type PushCodecs = Codecs<{ pushConfig: typeof pushConfig }>;

/** A configuration with the id of its task. Some servers write names without an id. */
const taskPushConfig = record<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>(
  'TaskPushNotificationConfig',
  {
    taskId: whole<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>({
      decode: ({ name }, cx) => (name ? configIdsIn(name, 'name').taskId : cx.taskId),
      encode: ({ taskId = '', id = '' }) => configName(taskId, id),
      note: '`tasks/{taskId}/pushNotificationConfigs/{id}`',
      as: 'name',
    }),
    pushNotificationConfig: whole<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>({
      decode: ({ name, pushNotificationConfig }, cx, v1, { pushConfig }: PushCodecs) => {
        if (!pushNotificationConfig?.url) throw missing('pushNotificationConfig.url');
        const named = name ? { id: configIdsIn(name, 'name').id } : {};
        Object.assign(v1, named, pushConfig.decode(pushNotificationConfig, cx));
      },
      encode: ({ taskId: _, ...config }, cx, _wire, at, { pushConfig }: PushCodecs) =>
        pushConfig.encode(config, cx, at),
      covers: ['id', 'url', 'token', 'authentication'],
    }),
  },
);

/** In the proto, 0 means no limit; in v1 it means no history. */
const historyLength: Row = value({
  decode: (length: number | undefined) => length || undefined,
  encode: (length: number, { losses }, at) => {
    if (length === 0) losses.add(at);
    return length || undefined;
  },
  note: '0 is no limit',
  losses: [''],
});

/**
 * `blocking` has no presence in the proto: false and absent are equal on the wire, over HTTP+JSON too, since printers
 * of ProtoJSON omit false. A configuration without it therefore means an immediate answer: the JavaScript client writes
 * this for `blocking: false` and the Python client for polling (both write `blocking: true` otherwise), and native
 * servers in both languages read it so. Without a configuration the call waits, as natively in JavaScript. Native
 * servers in Python do not wait then, so a call that waits is always written with `blocking: true`.
 */
const configuration = record<v1.SendMessageConfiguration, wire.SendMessageConfiguration>('SendMessageConfiguration', {
  acceptedOutputModes: same,
  taskPushNotificationConfig: nested(pushConfig, { as: 'pushNotification' }),
  historyLength,
  returnImmediately: whole<v1.SendMessageConfiguration, wire.SendMessageConfiguration>({
    decode: ({ blocking }) => !blocking || undefined,
    encode: ({ returnImmediately }) => !returnImmediately || undefined,
    note: 'inverted',
    as: 'blocking',
  }),
});

type ConfigurationCodecs = Codecs<{ configuration: typeof configuration }>;

const sendMessage = record<v1.SendMessageRequest, wire.SendMessageRequest>('SendMessageRequest', {
  message: nested(message),
  configuration: whole<v1.SendMessageRequest, wire.SendMessageRequest>({
    decode: ({ configuration: given }, cx, _v1, { configuration }: ConfigurationCodecs) => {
      const decoded = given && configuration.decode(given, cx);
      return decoded && Object.keys(decoded).length > 0 ? decoded : undefined;
    },
    encode: ({ configuration: given = {} }, cx, _wire, at, { configuration }: ConfigurationCodecs) =>
      configuration.encode(given, cx, `${at}configuration.`),
    of: configuration,
  }),
  metadata: plainMetadata,
});

const taskNamed: Row = value({
  decode: (name: string | undefined) => taskIdIn(name, ''),
  encode: taskName,
  note: '`tasks/{id}`',
  as: 'name',
});
const getTask = record<v1.GetTaskRequest, wire.GetTaskRequest>('GetTaskRequest', { id: taskNamed, historyLength });
const cancelTask = record<v1.CancelTaskRequest, wire.CancelTaskRequest>('CancelTaskRequest', { id: taskNamed });
const subscribe = record<v1.SubscribeToTaskRequest, wire.TaskSubscriptionRequest>('SubscribeToTaskRequest', {
  id: taskNamed,
});

const getPush = record<v1.GetTaskPushNotificationConfigRequest, wire.GetTaskPushNotificationConfigRequest>(
  'GetTaskPushNotificationConfigRequest',
  {
    taskId: whole<v1.GetTaskPushNotificationConfigRequest, wire.GetTaskPushNotificationConfigRequest>({
      decode: ({ name }) => configIdsIn(name, 'name').taskId,
      encode: ({ taskId, id }) => configName(taskId, id),
      note: '`tasks/{taskId}/pushNotificationConfigs/{id}`',
      as: 'name',
    }),
    id: whole<object, wire.GetTaskPushNotificationConfigRequest>({
      decode: ({ name }) => configIdsIn(name, 'name').id,
      as: 'name',
    }),
  },
);
const deletePush: Table<v1.DeleteTaskPushNotificationConfigRequest, wire.DeleteTaskPushNotificationConfigRequest> = {
  type: 'DeleteTaskPushNotificationConfigRequest',
  rows: getPush.rows,
};
const listPush = record<v1.ListTaskPushNotificationConfigsRequest, wire.ListTaskPushNotificationConfigRequest>(
  'ListTaskPushNotificationConfigsRequest',
  { taskId: { ...taskNamed, as: 'parent' }, pageSize: same, pageToken: same },
);
const pushList = record<v1.ListTaskPushNotificationConfigsResponse, wire.ListTaskPushNotificationConfigResponse>(
  'ListTaskPushNotificationConfigsResponse',
  { configs: list(taskPushConfig, { orEmpty: true }), nextPageToken: same },
);
const extendedCard = record<v1.GetExtendedAgentCardRequest, object>('GetExtendedAgentCardRequest', {});

export const tables = {
  part,
  message,
  artifact,
  status,
  task,
  statusUpdate,
  artifactUpdate,
  event,
  sent,
  authentication,
  pushConfig,
  taskPushConfig,
  configuration,
  sendMessage,
  getTask,
  cancelTask,
  subscribe,
  getPush,
  deletePush,
  listPush,
  pushList,
  extendedCard,
  ...cardTables,
};

export const mapping: Mapping = { tables, sparse: true };
