import type * as v1 from '../../core/model/a2a.ts';
import { newId } from '../../core/model/ids.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import type * as wire from '../../gen/a2a-0.3/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { metadata, ownKey, type Preserve } from '../kernel/metadata.ts';
import { decodeTime } from '../kernel/reader.ts';
import {
  type Codecs,
  constant,
  list,
  type Mapping,
  nested,
  oneOf,
  orEmpty,
  pair,
  type Row,
  record,
  same,
  type Table,
  value,
  whole,
} from '../kernel/record.ts';
import { decodeEvent, encodeEvent, type WireEvent } from './events.ts';
import { states } from './names.ts';
import { decodePart, encodePart } from './parts.ts';

/** The shapes of A2A 0.3 over JSON-RPC, which A2A 0.2 has too. */

/** Key in v1 metadata for facts of A2A 0.3 that have no place in v1. */
export const key = ownKey('a2a-0.3');

export const stateNames: ReadonlySet<string> = new Set(Object.values(states));

interface Stated {
  readonly status: { state: string };
}

/** A state that A2A does not have, which is unspecified in v1. */
const state: Preserve<{ readonly status: v1.TaskStatus }, Stated> = {
  key,
  name: 'state',
  read: ({ status }, v1) =>
    v1.status.state !== 'TASK_STATE_UNSPECIFIED' || stateNames.has(status.state) ? undefined : status.state,
  write: ({ status }, v1, name: string) => {
    if (v1.status.state === 'TASK_STATE_UNSPECIFIED') status.state = name;
  },
};

/** Whether a status update with this state is the last of its stream. */
export const isLast = ({ untilOver }: CodecContext, state: v1.TaskState): boolean =>
  untilOver ? isTerminal(state) : isResting(state);

/** `final`, if it does not follow from the state. */
export const final: Preserve<v1.TaskStatusUpdateEvent, { final?: boolean | null }> = {
  key,
  name: 'final',
  read: ({ final }, { status }, cx) =>
    typeof final === 'boolean' && final !== isLast(cx, status.state) ? final : undefined,
  write: (wire, _v1, final: boolean) => {
    wire.final = final;
  },
};

const plainMetadata = metadata();

const part = pair<v1.Part, wire.Part>(
  'Part',
  {
    text: same,
    raw: { as: 'file.bytes' },
    url: { as: 'file.uri' },
    data: { note: 'anything but an object is wrapped, and marked in the metadata' },
    mediaType: { as: 'file.mimeType', losses: [''], note: 'of files alone' },
    filename: { as: 'file.name', losses: [''], note: 'of files alone' },
    metadata: same,
  },
  { decode: decodePart, encode: encodePart },
);

const message = record<v1.Message, wire.Message>('Message', {
  kind: constant('message'),
  messageId: { made: newId, note: 'created where there is none' },
  role: oneOf<v1.Role>({ ROLE_USER: 'user', ROLE_AGENT: 'agent', ROLE_UNSPECIFIED: 'agent' }),
  parts: list(part),
  contextId: same,
  taskId: same,
  referenceTaskIds: same,
  extensions: same,
  metadata: plainMetadata,
});

const artifact = record<v1.Artifact, wire.Artifact>('Artifact', {
  artifactId: same,
  parts: list(part),
  name: same,
  description: same,
  extensions: same,
  metadata: plainMetadata,
});

const status = record<v1.TaskStatus, wire.TaskStatus>('TaskStatus', {
  state: oneOf<v1.TaskState>(states, 'TASK_STATE_UNSPECIFIED'),
  message: nested(message),
  timestamp: value({ decode: (time: string) => decodeTime(time, '') }),
});

const task = record<v1.Task, wire.Task>('Task', {
  kind: constant('task'),
  id: same,
  contextId: orEmpty,
  status: nested(status),
  artifacts: list(artifact),
  history: list(message),
  metadata: metadata({ preserves: [state] }),
});

const statusUpdate = record<v1.TaskStatusUpdateEvent, wire.TaskStatusUpdateEvent>('TaskStatusUpdateEvent', {
  kind: constant('status-update'),
  taskId: same,
  contextId: orEmpty,
  status: nested(status),
  final: whole({
    encode: ({ status }: v1.TaskStatusUpdateEvent, cx) => isLast(cx, status.state),
    note: 'whether the stream ends with it',
  }),
  metadata: metadata({ preserves: [state, final] }),
});

const artifactUpdate = record<v1.TaskArtifactUpdateEvent, wire.TaskArtifactUpdateEvent>('TaskArtifactUpdateEvent', {
  kind: constant('artifact-update'),
  taskId: same,
  contextId: orEmpty,
  artifact: nested(artifact),
  append: same,
  lastChunk: same,
  metadata: plainMetadata,
});

const event = pair<v1.StreamResponse, WireEvent>(
  'StreamResponse',
  {
    task: nested(task),
    message: nested(message),
    statusUpdate: nested(statusUpdate),
    artifactUpdate: nested(artifactUpdate),
  },
  { decode: decodeEvent, encode: encodeEvent },
);

/** Authentication of a webhook: v1 has one scheme, A2A 0.3 a list. Without a scheme there is no authentication. */
export const authentication = pair<
  v1.AuthenticationInfo | undefined,
  { schemes?: string[]; credentials?: string | null }
>(
  'AuthenticationInfo',
  { scheme: { as: 'schemes', note: 'the first of the list' }, credentials: same },
  {
    decode: ({ schemes: [scheme] = [], credentials }) =>
      scheme ? (credentials ? { scheme, credentials } : { scheme }) : undefined,
    encode: (v1) => {
      const { scheme, credentials } = v1 as v1.AuthenticationInfo;
      return credentials === undefined ? { schemes: [scheme] } : { schemes: [scheme], credentials };
    },
  },
);

const pushConfig = record<v1.TaskPushNotificationConfig, wire.PushNotificationConfig>('TaskPushNotificationConfig', {
  url: same,
  id: same,
  token: same,
  authentication: nested(authentication),
});

type PushCodecs = Codecs<{
  pushConfig: typeof pushConfig;
  taskPushConfig: Table<v1.TaskPushNotificationConfig, unknown>;
}>;

const taskPushConfig = record<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>(
  'TaskPushNotificationConfig',
  {
    taskId: orEmpty,
    pushNotificationConfig: whole<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>({
      decode: ({ pushNotificationConfig }, cx, v1, { pushConfig }: PushCodecs) =>
        void Object.assign(v1, pushConfig.decode(pushNotificationConfig, cx)),
      encode: ({ taskId: _, ...config }, cx, _wire, at, { pushConfig }: PushCodecs) =>
        pushConfig.encode(config, cx, at),
      covers: ['id', 'url', 'token', 'authentication'],
    }),
  },
);

/** A length of 0 means the whole history here, and no history in v1. */
const historyLength: Row = value({
  decode: (length: number | null) => length || undefined,
  encode: (length: number, { losses }, at) => {
    if (length === 0) losses.add(at);
    return length;
  },
  note: '0 is the whole history, as the SDKs for Java, JavaScript and Python have it',
  losses: [''],
});

const configuration = record<v1.SendMessageConfiguration, wire.MessageSendConfiguration>('SendMessageConfiguration', {
  // Always written: servers differ in how they read a configuration without it.
  returnImmediately: whole<v1.SendMessageConfiguration, wire.MessageSendConfiguration>({
    decode: ({ blocking }) => (blocking === false ? true : undefined),
    encode: ({ returnImmediately }) => returnImmediately !== true,
    note: 'inverted; waiting is the default',
    as: 'blocking',
  }),
  acceptedOutputModes: same,
  historyLength,
  taskPushNotificationConfig: nested(pushConfig, { as: 'pushNotificationConfig' }),
});

const sendMessage = record<v1.SendMessageRequest, wire.MessageSendParams>('SendMessageRequest', {
  message: nested(message),
  configuration: nested(configuration),
  metadata: plainMetadata,
});

const getTask = record<v1.GetTaskRequest, wire.TaskQueryParams>('GetTaskRequest', { id: same, historyLength });
const cancelTask = record<v1.CancelTaskRequest, wire.TaskIdParams>('CancelTaskRequest', {
  id: same,
  metadata: plainMetadata,
});
const subscribe = record<v1.SubscribeToTaskRequest, wire.TaskIdParams>('SubscribeToTaskRequest', { id: same });

/** A configuration without an id has the id of its task, as on real servers; older agents know no other. */
const getPush = record<v1.GetTaskPushNotificationConfigRequest, wire.TaskPushNotificationConfigParams>(
  'GetTaskPushNotificationConfigRequest',
  {
    taskId: { as: 'id' },
    id: whole<v1.GetTaskPushNotificationConfigRequest, wire.TaskPushNotificationConfigParams>({
      decode: ({ id, pushNotificationConfigId }) => pushNotificationConfigId || id,
      encode: ({ id, taskId }) => (id === taskId ? undefined : id),
      note: "the task's id where there is none",
      as: 'pushNotificationConfigId',
    }),
  },
);
const deletePush: typeof getPush = {
  type: 'DeleteTaskPushNotificationConfigRequest',
  rows: {
    ...getPush.rows,
    id: { ...getPush.rows.id, whole: { ...getPush.rows.id?.whole, encode: ({ id }: { id: string }) => id } },
  },
};
const listPush = record<v1.ListTaskPushNotificationConfigsRequest, wire.TaskIdParams>(
  'ListTaskPushNotificationConfigsRequest',
  { taskId: { as: 'id' } },
);
const pushList = pair<v1.ListTaskPushNotificationConfigsResponse, unknown[]>(
  'ListTaskPushNotificationConfigsResponse',
  { configs: list(taskPushConfig, { note: 'the list alone' }) },
  {
    decode: (configs, cx, { taskPushConfig }: PushCodecs) => ({
      configs: configs.map((config) => taskPushConfig.decode(config, cx)),
    }),
    encode: ({ configs = [] }, cx, at, { taskPushConfig }: PushCodecs) =>
      configs.map((config) => taskPushConfig.encode(config, cx, at)),
  },
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
};

export const mapping: Mapping = { tables };
