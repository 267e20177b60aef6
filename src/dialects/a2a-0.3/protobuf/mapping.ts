import type * as v1 from '../../../core/model/a2a.ts';
import { newId } from '../../../core/model/ids.ts';
import type * as wire from '../../../gen/a2a-v0_3/types.ts';
import type { CodecContext } from '../../kernel/codec.ts';
import { metadata, type Preserve } from '../../kernel/metadata.ts';
import {
  type Codecs,
  list,
  type Mapping,
  missing,
  nested,
  orEmpty,
  pair,
  type Row,
  record,
  required,
  same,
  type Table,
  value,
  whole,
} from '../../kernel/record.ts';
import { decodeInterfaces, plainInterfaces, type WireInterfaces } from '../card-interfaces.ts';
import { interfacesOf, preservedIn, published } from '../card-mapping.ts';
import { authentication, isLast, key } from '../mapping.ts';
import { configIdsIn, configName, taskIdIn, taskName } from './names.ts';
import { decodePart, encodePart } from './parts.ts';

/** The shapes of A2A 0.3 in protobuf, with members in the proto's order, as all its printers write them. */

/** `final`, where it does not follow from the state. */
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
    raw: { as: 'file.fileWithBytes', note: 'some SDKs write base64 text in place of the bytes' },
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
    taskId: whole<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>(
      {
        decode: ({ name }, cx) => (name ? configIdsIn(name, 'name').taskId : cx.taskId),
        encode: ({ taskId = '', id = '' }) => configName(taskId, id),
        note: '`tasks/{taskId}/pushNotificationConfigs/{id}`',
      },
      { as: 'name' },
    ),
    pushNotificationConfig: whole<v1.TaskPushNotificationConfig, wire.TaskPushNotificationConfig>(
      {
        decode: ({ name, pushNotificationConfig }, cx, v1, { pushConfig }: PushCodecs) => {
          if (!pushNotificationConfig?.url) throw missing('pushNotificationConfig.url');
          const named = name ? { id: configIdsIn(name, 'name').id } : {};
          Object.assign(v1, named, pushConfig.decode(pushNotificationConfig, cx));
        },
        encode: ({ taskId: _, ...config }, cx, _wire, at, { pushConfig }: PushCodecs) =>
          pushConfig.encode(config, cx, at),
      },
      { covers: ['id', 'url', 'token', 'authentication'] },
    ),
  },
);

/** In the proto, 0 is no limit, and in v1 it is no history. */
const historyLength: Row = value(
  {
    decode: (length: number | undefined) => length || undefined,
    encode: (length: number, { losses }, at) => {
      if (length === 0) losses.add(at);
      return length || undefined;
    },
    note: '0 is no limit',
  },
  { losses: [''] },
);

/**
 * `blocking` has no presence in the proto: false and absent are the same on the wire, over HTTP+JSON too, since printers
 * of ProtoJSON omit false. A configuration without it therefore means an answer at once: the JavaScript client writes this
 * for `blocking: false` and the Python client for polling (both write `blocking: true` otherwise), and native servers in
 * both languages read it so. Without a configuration the call waits, as natively in JavaScript. Native servers in Python
 * do not wait then, so a call that waits is always written with `blocking: true`.
 */
const configuration = record<v1.SendMessageConfiguration, wire.SendMessageConfiguration>('SendMessageConfiguration', {
  acceptedOutputModes: same,
  taskPushNotificationConfig: nested(pushConfig, { as: 'pushNotification' }),
  historyLength,
  returnImmediately: whole<v1.SendMessageConfiguration, wire.SendMessageConfiguration>(
    {
      decode: ({ blocking }) => !blocking || undefined,
      encode: ({ returnImmediately }) => !returnImmediately || undefined,
      note: 'inverted',
    },
    { as: 'blocking' },
  ),
});

type ConfigurationCodecs = Codecs<{ configuration: typeof configuration }>;

const sendMessage = record<v1.SendMessageRequest, wire.SendMessageRequest>('SendMessageRequest', {
  message: nested(message),
  configuration: whole<v1.SendMessageRequest, wire.SendMessageRequest>(
    {
      decode: ({ configuration: given }, cx, _v1, { configuration }: ConfigurationCodecs) => {
        const decoded = given && configuration.decode(given, cx);
        return decoded && Object.keys(decoded).length > 0 ? decoded : undefined;
      },
      encode: ({ configuration: given = {} }, cx, _wire, at, { configuration }: ConfigurationCodecs) =>
        configuration.encode(given, cx, `${at}configuration.`),
    },
    { of: configuration as Table },
  ),
  metadata: plainMetadata,
});

const taskNamed: Row = value(
  { decode: (name: string | undefined) => taskIdIn(name, ''), encode: taskName, note: '`tasks/{id}`' },
  { as: 'name' },
);
const getTask = record<v1.GetTaskRequest, wire.GetTaskRequest>('GetTaskRequest', { id: taskNamed, historyLength });
const cancelTask = record<v1.CancelTaskRequest, wire.CancelTaskRequest>('CancelTaskRequest', { id: taskNamed });
const subscribe = record<v1.SubscribeToTaskRequest, wire.TaskSubscriptionRequest>('SubscribeToTaskRequest', {
  id: taskNamed,
});

const getPush = record<v1.GetTaskPushNotificationConfigRequest, wire.GetTaskPushNotificationConfigRequest>(
  'GetTaskPushNotificationConfigRequest',
  {
    taskId: whole<v1.GetTaskPushNotificationConfigRequest, wire.GetTaskPushNotificationConfigRequest>(
      {
        decode: ({ name }) => configIdsIn(name, 'name').taskId,
        encode: ({ taskId, id }) => configName(taskId, id),
        note: '`tasks/{taskId}/pushNotificationConfigs/{id}`',
      },
      { as: 'name' },
    ),
    id: whole<object, wire.GetTaskPushNotificationConfigRequest>(
      { decode: ({ name }) => configIdsIn(name, 'name').id },
      { as: 'name' },
    ),
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

const provider = record<v1.AgentProvider, wire.AgentProvider>('AgentProvider', { url: same, organization: same });

const extension = record<v1.AgentExtension, wire.AgentExtension>('AgentExtension', {
  uri: same,
  description: same,
  required: same,
  params: same,
});

type ExtensionCodecs = Codecs<{ readonly extension: typeof extension }>;

const capabilities = record<v1.AgentCapabilities, wire.AgentCapabilities>('AgentCapabilities', {
  streaming: same,
  pushNotifications: same,
  extensions: whole<v1.AgentCapabilities, wire.AgentCapabilities>(
    {
      decode: ({ extensions }, cx, _v1, { extension }: ExtensionCodecs) =>
        someOf(published(extensions).map((one) => extension.decode(one, cx))),
      encode: ({ extensions }, cx, _wire, at, { extension }: ExtensionCodecs) =>
        someOf(published(extensions).map((one) => extension.encode(one, cx, `${at}extensions.`))),
    },
    { of: extension as never, list: true },
  ),
  extendedAgentCard: whole({ note: 'of the card' }, { as: 'supportsAuthenticatedExtendedCard' }),
});

const someOf = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

const skill = record<v1.AgentSkill, wire.AgentSkill>('AgentSkill', {
  id: same,
  name: same,
  description: same,
  tags: orEmpty,
  examples: same,
  inputModes: same,
  outputModes: same,
  securityRequirements: { as: 'security' },
});

/**
 * The card has security as v1, and interfaces as 0.3 over JSON-RPC. Encoded, it has what the strict model of the Python SDK
 * demands, even empty: its client over HTTP+JSON reads this card with the model of the other one.
 */
const card = record<v1.AgentCard, wire.AgentCard>('AgentCard', {
  protocolVersion: whole({
    encode: ({ capabilities }: v1.AgentCard) => (preservedIn(capabilities).protocolVersion ?? '0.3.0') || undefined,
  }),
  name: same,
  description: same,
  supportedInterfaces: whole<v1.AgentCard, wire.AgentCard>(
    {
      decode: (card) => callable(plainInterfaces(interfacesIn(card))),
      encode: ({ supportedInterfaces, capabilities }, cx, wire) => {
        const { interfaces } = preservedIn(capabilities);
        Object.assign(wire, interfacesOf(supportedInterfaces, interfaces, callable, '0.3', cx));
      },
      note: 'with `preferredTransport` and `additionalInterfaces`; those of this version',
    },
    { as: 'url', losses: [''] },
  ),
  iconUrl: same,
  provider: nested(provider),
  version: same,
  documentationUrl: same,
  capabilities: nested(capabilities, { orEmpty: true }),
  securitySchemes: value({ encode: encodeSchemes, note: 'without PKCE and the flow for devices' }, { losses: [''] }),
  securityRequirements: { as: 'security' },
  defaultInputModes: orEmpty,
  defaultOutputModes: orEmpty,
  skills: list(skill, { orEmpty: true }),
  supportsAuthenticatedExtendedCard: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ supportsAuthenticatedExtendedCard: supported }, _cx, { capabilities }) => {
      if (supported) capabilities.extendedAgentCard = true;
    },
    encode: ({ capabilities }) => capabilities.extendedAgentCard || undefined,
  }),
});

/** The interfaces of a card in the form of the other shape. */
export const interfacesIn = ({ url = '', preferredTransport, additionalInterfaces }: wire.AgentCard) => ({
  url,
  ...(preferredTransport && { preferredTransport }),
  ...(additionalInterfaces && {
    additionalInterfaces: additionalInterfaces.map(({ url = '', transport = '' }) => ({ url, transport })),
  }),
});

/** v1's list, of the interfaces that can be called. */
const callable = (interfaces: WireInterfaces): v1.AgentInterface[] =>
  decodeInterfaces(interfaces, '0.3').filter(({ protocolBinding }) => protocolBinding !== '');

type Schemes = NonNullable<v1.AgentCard['securitySchemes']>;

function encodeSchemes(schemes: Schemes, cx: CodecContext, at: string): Schemes {
  const encoded: Schemes = {};
  for (const [name, scheme] of Object.entries(schemes)) {
    const { oauth2SecurityScheme: oauth2 } = scheme;
    encoded[name] = oauth2 ? { oauth2SecurityScheme: { ...oauth2, flows: encodeFlows(oauth2.flows, cx, at) } } : scheme;
  }
  return encoded;
}

/** The flows without what came after 0.3: the flow for devices, and whether PKCE is required. */
function encodeFlows(
  { authorizationCode, deviceCode, ...flows }: v1.OAuthFlows,
  cx: CodecContext,
  at: string,
): v1.OAuthFlows {
  if (deviceCode || authorizationCode?.pkceRequired) cx.losses.add(at);
  if (!authorizationCode) return flows;
  const { pkceRequired: _, ...flow } = authorizationCode;
  return { authorizationCode: flow };
}

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
  provider,
  extension,
  capabilities,
  skill,
  card,
};

export const mapping: Mapping = { tables, sparse: true };
