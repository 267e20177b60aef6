import type { Message, Struct, TaskState, TaskStatus } from '../../core/model/a2a.ts';
import { sha256 } from '../../core/model/crypto.ts';
import { fieldsKey } from '../../core/model/fold.ts';
import { contentIdAt, newId } from '../../core/model/ids.ts';
import { isObject } from '../../core/model/json.ts';
import { ownPrefix, withoutOwnKeys } from '../../core/model/own-metadata.ts';
import { answerKey, questionKey } from '../../core/model/question.ts';
import { unansweredKey } from '../../core/model/turns.ts';
import { unreadKey } from '../../core/model/unread.ts';
import type { Api, Field } from '../../gen/api.ts';
import type { Codec, CodecContext } from './codec.ts';
import { firstByName, type Row, value, whole } from './record.ts';
import { type Change, type Rewrite, rewrites } from './rewrite.ts';

/** Returns the metadata key for facts of a dialect that have no place in v1. */
export const ownKey = (dialect: string): string => ownPrefix + dialect;

/**
 * The gateway's own keys that answers of another gateway may have: the question, the author of an answer, unread
 * pieces, messages that were not worked on, and fields of a task that updates cannot express.
 */
export const keysOfResults: ReadonlySet<string> = new Set([
  questionKey,
  answerKey,
  unreadKey,
  unansweredKey,
  fieldsKey,
]);

/** A fact that has no place on one side, and that the metadata of the other side preserve. */
export interface Preserve<V1 = never, Wire = never> {
  /** The gateway's own key, whose value has the fact under its name. */
  readonly key: string;
  readonly name: string;
  /** Reads the fact; undefined if v1 has it. */
  read(wire: Wire, v1: V1, cx: CodecContext): unknown;
  /** Restores the fact. */
  write(wire: Wire, v1: V1, fact: never): void;
}

/** Returns a preserved member of the wire that has values without a place in v1. */
export const preservedMember = <Wire, Name extends keyof Wire & string>(
  key: string,
  name: Name,
  read: (value: Wire[Name]) => unknown,
): Preserve<object, Wire> => ({
  key,
  name,
  read: (wire) => read(wire[name]),
  write: (wire, _v1, fact) => {
    wire[name] = fact;
  },
});

type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/** Returns the facts under one of the gateway's own keys. */
export function preservedIn(metadata: Metadata, key: string): Readonly<Record<string, unknown>> {
  const preserved = metadata?.[key];
  return isObject(preserved) ? preserved : nothing;
}

const nothing = {};

/** Returns metadata with facts added under one of the gateway's own keys. */
export const preserving = (metadata: Metadata, key: string, facts: object): Struct => ({
  ...metadata,
  [key]: { ...preservedIn(metadata, key), ...facts },
});

interface MetadataOptions {
  /** Facts of the wire that metadata of v1 preserve. */
  readonly preserves?: readonly Preserve[];
  /** Facts of v1 that metadata on the wire carry. */
  readonly carries?: readonly Preserve[];
  /** Null is written if there are none. */
  readonly orNull?: true;
  /** The member of the wire. Default: `metadata` as it stands. */
  metadataOf?(wire: never): Metadata;
}

/** Returns the row for metadata, without the gateway's own keys and with the facts under them. */
export function metadata({ preserves = [], carries = [], orNull, metadataOf }: MetadataOptions = {}): Row {
  const plainRow = value<Struct, Struct>({
    decode: (metadataOfWire) => withoutOwnKeys(metadataOfWire),
    encode: (metadataOfWire) => withoutOwnKeys(metadataOfWire),
  });
  if (preserves.length === 0 && carries.length === 0 && !orNull && !metadataOf) return plainRow;
  return whole<{ metadata?: Struct }, { metadata?: Metadata }>({
    decode: (wire, cx, v1) => {
      const metadataOfWire = metadataOf ? metadataOf(wire as never) : wire.metadata;
      if (metadataOfWire) putBack(carries, metadataOfWire, v1, wire);
      return withFacts(
        (metadataOfWire ? withoutOwnKeys(metadataOfWire) : undefined) as Struct | undefined,
        preserves,
        wire,
        v1,
        cx,
      );
    },
    encode: (v1, cx, wire) => {
      const { metadata: all } = v1;
      if (all) putBack(preserves, all, wire, v1);
      const own = withFacts(all && withoutOwnKeys(all), carries, v1, wire, cx);
      return own === undefined && orNull ? null : own;
    },
    ...(carries.length === 0 && !orNull && { ifThere: true }),
    ...(preserves.length > 0 && {
      note: `v1 preserves ${preserves.map(({ name }) => `\`${name}\``).join(', ')} under a key of the gateway's own`,
    }),
  });
}

/** Returns the other side's metadata, with the facts that have no place there. */
function withFacts(
  metadata: Struct | undefined,
  facts: readonly Preserve[],
  from: object,
  to: object,
  cx: CodecContext,
): Struct | undefined {
  let all = metadata;
  for (let i = 0; i < facts.length; i++) {
    const { key, name, read } = facts[i] as Preserve;
    const fact = read(from as never, to as never, cx);
    if (fact !== undefined) all = preserving(all, key, { [name]: fact });
  }
  return all;
}

/** Restores facts from metadata to their places. */
function putBack(facts: readonly Preserve[], metadata: Metadata, into: object, from: object): void {
  for (let i = 0; i < facts.length; i++) {
    const { key, name, write } = facts[i] as Preserve;
    const fact = preservedIn(metadata, key)[name];
    if (fact !== undefined) write(into as never, from as never, fact as never);
  }
}

/**
 * Preserves the state of v1 if its name in a dialect is shared with another one.
 *
 * @param names of the states, as for `oneOf`
 */
export function carriedState<Wire>(
  names: Readonly<Record<TaskState, string>>,
  nameIn: (wire: Wire) => string,
): Preserve<Wire, { readonly status: TaskStatus }> {
  const byName = firstByName(names);
  return {
    key: ownKey('a2a-1.0'),
    name: 'state',
    read: ({ status: { state } }) => (byName.get(names[state]) === state ? undefined : state),
    write: ({ status }, wire, state: TaskState) => {
      if (Object.hasOwn(names, state) && names[state] === nameIn(wire)) status.state = state;
    },
  };
}

/** Removes the gateway's own keys from a canonical message; returns the same object when it has none. */
export type Strip = <T>(value: T) => T;

/**
 * Removes the gateway's own metadata keys, except `keptKeys`, from messages of a type, wherever they can have
 * metadata.
 */
export function stripper({ fields }: Api, typeName: string, keptKeys?: ReadonlySet<string>): Strip {
  const withoutOwn: Change = (metadataOfWire) =>
    isObject(metadataOfWire) ? withoutOwnKeys(metadataOfWire, keptKeys) : metadataOfWire;
  const changeOf = ({ kind, jsonName }: Field): Change | undefined =>
    kind === 'struct' && jsonName === 'metadata' ? withoutOwn : undefined;
  // Determined at the first message: a gateway never reads most types.
  let rewrite: Rewrite | false | undefined;
  return (value) => {
    rewrite ??= rewrites(fields, changeOf)(typeName) ?? false;
    return rewrite ? rewrite.of(value) : value;
  };
}

/** Messages of dialects in which they have no ids, and do not name their task and context. */

const ofOwner: Row = whole({ note: "the enclosing object's" }, { unreportedLosses: [''] });

/** Rows of such messages. The code that reads a message gives it an id. */
export const namelessRows = {
  messageId: { unreported: true, made: () => '', note: 'made up' },
  taskId: ofOwner,
  contextId: ofOwner,
} as const;

/** Names a message that was read; returns it. */
export function nameMessage(message: Message, messageId: string, taskId?: string, contextId?: string): Message {
  message.messageId = messageId;
  if (taskId !== undefined) message.taskId = taskId;
  if (contextId !== undefined) message.contextId = contextId;
  return message;
}

/**
 * Notes which ids of a message differ from those of the enclosing object.
 *
 * @param at path of the message for losses, with its dot
 */
export function noteIds(
  message: Message | undefined,
  { unreported }: CodecContext,
  at: string,
  taskId?: string,
  contextId?: string,
): void {
  if (!unreported || !message) return;
  if (message.taskId !== taskId) unreported.add(`${at}taskId`);
  if (message.contextId !== contextId) unreported.add(`${at}contextId`);
}

const digestOf = (facts: unknown): string => sha256(JSON.stringify(facts)).slice(0, 22);

/** Returns the id of a message that arrived without one although its dialect has ids. */
export const contentId = (message: unknown): string => contentIdAt(digestOf(message));

/**
 * Ids of the messages of one stream, made of facts about them, including their time: an agent that repeats the stream
 * gives them equal ids again. Equal messages have different ids, in their order.
 */
export class ContentIds {
  readonly #counts = new Map<string, number>();

  of(...facts: readonly unknown[]): string {
    const content = digestOf(facts);
    const at = this.#counts.get(content) ?? 0;
    this.#counts.set(content, at + 1);
    return contentIdAt(content, at);
  }
}

/** Returns the codec of a message that stands alone. */
export const namelessMessage = ({ decode, encode }: Codec<unknown, Message>): Codec<unknown, Message> => ({
  decode: (wire, cx) => nameMessage(decode(wire, cx), newId()),
  encode: (message, cx) => {
    noteIds(message, cx, '');
    return encode(message, cx);
  },
});
