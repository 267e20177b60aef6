import type * as v1 from '../../core/model/a2a.ts';
import type * as wire from '../../gen/a2a-php-0.3/types.ts';
import { encodeEvent, type WireEvent } from '../a2a-0.3/events.ts';
import { tables as a2a03, final, stateNames } from '../a2a-0.3/mapping.ts';
import { metadata, ownKey, preservedMember } from '../kernel/metadata.ts';
import {
  type Codecs,
  type Mapping,
  pair,
  type Row,
  spellingOf,
  type Table,
  value,
  variation,
  whole,
} from '../kernel/record.ts';
import { decodePart, encodePart } from './parts.ts';
import { decodeEvent, decodeHistoryLength, objectOf, taskIdOf } from './read.ts';

/**
 * Shapes of A2A 0.3 with any role, with data that may be a list, with empty lists for empty objects, and only with
 * states that the SDK's readers know.
 */

/** Key in v1 metadata for facts of the PHP SDK that have no place in v1. */
export const key = ownKey('a2a-php-0.3');

/** A role that A2A does not know. */
const role = preservedMember<wire.Message, 'role'>(key, 'role', (role) =>
  role === 'user' || role === 'agent' ? undefined : role,
);

/** Other spellings of the states, in lower case. */
const stateAliases: Readonly<Record<string, string>> = {
  cancelled: 'canceled',
  input_required: 'input-required',
  awaiting_input: 'input-required',
  'awaiting-input': 'input-required',
  auth_required: 'auth-required',
  authentication_required: 'auth-required',
  'authentication-required': 'auth-required',
  received: 'submitted',
  'in-progress': 'working',
  in_progress: 'working',
  processing: 'working',
  error: 'failed',
  done: 'completed',
  success: 'completed',
  processed: 'completed',
};

/** Returns the name of a state in A2A 0.3; an unknown name is `unknown`. */
function stateName(name: string): string {
  if (stateNames.has(name)) return name;
  const lower = name.toLowerCase();
  if (stateNames.has(lower)) return lower;
  return Object.hasOwn(stateAliases, lower) ? (stateAliases[lower] as string) : 'unknown';
}

const state03 = a2a03.status.rows.state?.of as {
  decode(name: string): v1.TaskState;
  encode(state: v1.TaskState): string;
  note?: string;
};

/** PHP writes an empty object as an empty list. */
const metadataOf = ({ metadata }: { metadata?: v1.Struct | readonly unknown[] | null }): v1.Struct | undefined =>
  objectOf(metadata, 'metadata');
const plainMetadata: Row = metadata({ metadataOf });

type PushCodecs = Codecs<{ readonly pushConfig: Table<v1.TaskPushNotificationConfig, unknown> }>;

/** A task has one configuration, which is found by the task's id. */
const onlyId: Row = whole<v1.GetTaskPushNotificationConfigRequest, { id: string }>({
  decode: ({ id }) => id,
  encode: ({ taskId, id }, { losses, unreported }, _wire, at) => {
    if (id !== taskId) (id ? losses : unreported)?.add(`${at}id`);
  },
  note: "the task's",
  losses: [''],
});

/** Size of a page: the SDK's list has no pages. */
const wholePage = 100;

const varied = variation(a2a03, {
  part: { ...a2a03.part, pair: { decode: decodePart, encode: encodePart } } as unknown as Table<v1.Part, never>,
  message: {
    parts: { ...a2a03.message.rows.parts, orEmpty: true },
    role: value({
      decode: (name: string) => (/^(?:agent|assistant)$/.test(spellingOf(name)) ? 'ROLE_AGENT' : 'ROLE_USER'),
      encode: (role: string) => (role === 'ROLE_USER' ? 'user' : 'agent'),
      note: '`assistant` is read as `agent`, any other role as `user`',
    }),
    metadata: metadata({ preserves: [role], metadataOf }),
  },
  artifact: { parts: { ...a2a03.artifact.rows.parts, orEmpty: true }, metadata: plainMetadata },
  status: {
    state: value({
      ...state03,
      decode: (name: string) => state03.decode(stateName(name)),
      note: `${state03.note}; other spellings are read`,
    }),
  },
  task: { metadata: plainMetadata },
  statusUpdate: { metadata: metadata({ preserves: [final], metadataOf }) },
  artifactUpdate: { metadata: plainMetadata },
  sendMessage: { metadata: plainMetadata },
  cancelTask: { metadata: plainMetadata },
  getTask: {
    historyLength: whole<v1.GetTaskRequest, wire.TaskQueryParams>({
      decode: ({ historyLength }) => decodeHistoryLength(historyLength),
      encode: ({ historyLength }, { losses }, _wire, at) => {
        if (historyLength === undefined || historyLength > 0) return historyLength;
        losses.add(`${at}historyLength`);
        return undefined;
      },
      note: "0 is none for callers; agents are not sent it, because the SDK's server answers with all",
      losses: [''],
    }),
  },
  taskPushConfig: {
    pushNotificationConfig: whole<v1.TaskPushNotificationConfig, Required<wire.TaskPushNotificationConfig>>({
      decode: ({ taskId, pushNotificationConfig }, cx, v1, { pushConfig }: PushCodecs) =>
        void Object.assign(v1, pushConfig.decode(pushNotificationConfig, cx), {
          id: pushNotificationConfig?.id || taskId,
        }),
      encode: ({ taskId, id, ...config }, cx, _wire, at, { pushConfig }: PushCodecs) =>
        pushConfig.encode(id === undefined || id === taskId ? config : { ...config, id }, cx, at),
      covers: ['id', 'url', 'token', 'authentication'],
    }),
  },
  getPush: { id: onlyId },
  deletePush: { id: onlyId },
  listPush: {
    taskId: whole<v1.ListTaskPushNotificationConfigsRequest, { id?: string }>({
      decode: (wire) => taskIdOf(wire) ?? '',
      encode: ({ taskId }) => taskId || undefined,
      as: 'id',
    }),
    pageSize: whole<v1.ListTaskPushNotificationConfigsRequest, object>({
      decode: () => wholePage,
      encode: ({ pageSize }, { losses, unreported }, _wire, at) => {
        if (pageSize !== wholePage) (pageSize === undefined ? unreported : losses)?.add(`${at}pageSize`);
      },
      note: 'there are no pages',
      losses: [''],
    }),
  },
});

type Varied = typeof varied;

export const tables: Omit<Varied, 'event'> & { readonly event: Table<v1.StreamResponse, WireEvent> } = {
  ...varied,
  event: pair<v1.StreamResponse, WireEvent>('StreamResponse', varied.event.rows, {
    decode: decodeEvent,
    encode: encodeEvent,
  }),
};

export const mapping: Mapping = { tables };
