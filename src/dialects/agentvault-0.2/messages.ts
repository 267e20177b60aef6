import type { Message, Part, Role, Struct } from '../../core/model/a2a.ts';
import { newId } from '../../core/model/ids.ts';
import { isObject } from '../../core/model/json.ts';
import type { Message as VaultMessage, Part as VaultPart, Role as VaultRole } from '../../gen/agentvault-0.2/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { ownKey, withoutOwnKeys } from '../kernel/metadata.ts';
import { decodePart, encodePart } from './content.ts';

/** Where v1 metadata keeps what AgentVault says and v1 has no place for. */
const vaultKey = ownKey('agentvault-0.2');
/** Where AgentVault metadata keeps what v1 says and AgentVault has no word for. */
const v1Key = ownKey('a2a-1.0');

type Metadata = Record<string, unknown>;

/** What the gateway kept in v1 metadata. */
export interface Preserved {
  /** `system` or `tool`. */
  readonly role?: VaultRole;
  /** A client sent it as `assistant`: it is input to the agent, and nothing that the agent said. */
  readonly prompt?: true;
  /** The event that a message came by, where it came by one: it goes out by the same alone. */
  readonly event?: 'task_message' | 'task_status';
  /** It came by an event of its own before, so that it is one of the task's messages. */
  readonly repeats?: true;
  readonly createdAt?: string;
  /** Of an artifact's event. */
  readonly timestamp?: string;
  /** An artifact with neither content nor URL. */
  readonly empty?: true;
}

/** What was kept in a v1 object's metadata. */
export const preserved = (metadata: Struct | undefined): Preserved => ofKey(metadata, vaultKey);

/** The v1 state that an AgentVault task's metadata names beside the state that the client can read. */
export const v1Facts = (metadata: Metadata | null | undefined): { readonly state?: unknown } => ofKey(metadata, v1Key);

function ofKey(metadata: Metadata | null | undefined, key: string): object {
  const value = metadata?.[key];
  return isObject(value) ? value : {};
}

/** v1 metadata from a dialect's, with what is to be kept. */
export function decodeMetadata(metadata: Metadata | null | undefined, keep: Preserved = {}): { metadata?: Struct } {
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  const hasOwn = own !== undefined && Object.keys(own).length > 0;
  if (Object.keys(keep).length === 0) return hasOwn ? { metadata: own } : {};
  return { metadata: { ...(hasOwn && own), [vaultKey]: keep } };
}

/** The inverse: null where there is none, as real servers write it. */
export function encodeMetadata(metadata: Struct | undefined, facts?: { readonly state: string }): Metadata | null {
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  if (facts) return { ...own, [v1Key]: facts };
  return own && Object.keys(own).length > 0 ? own : null;
}

const roles: Readonly<Record<Role, VaultRole>> = {
  ROLE_UNSPECIFIED: 'user',
  ROLE_USER: 'user',
  ROLE_AGENT: 'assistant',
};

/** `system` and `tool` are input to the agent; which of them it was is kept. */
const decodedRoles: Readonly<Record<VaultRole, Role>> = {
  user: 'ROLE_USER',
  assistant: 'ROLE_AGENT',
  system: 'ROLE_USER',
  tool: 'ROLE_USER',
};

/** A message as answers carry it, with the nulls that real servers write. */
export interface WrittenMessage extends VaultMessage {
  metadata: Metadata | null;
}

/**
 * A message as answers carry it. AgentVault's messages have no ids, of their own or others': nobody who reads them can
 * miss one.
 *
 * @param at path of the message for losses, with its dot; '' at the root
 * @param taskId task that the surrounding object names
 * @param contextId what readers take for its context
 */
export function encodeMessage(
  message: Message,
  cx: CodecContext,
  at: string,
  taskId?: string,
  contextId?: string,
): WrittenMessage {
  cx.unreported?.add(`${at}messageId`);
  if (message.contextId !== contextId) cx.unreported?.add(`${at}contextId`);
  if (message.taskId !== taskId) cx.unreported?.add(`${at}taskId`);
  if (message.extensions) cx.losses.add(`${at}extensions`);
  if (message.referenceTaskIds) cx.losses.add(`${at}referenceTaskIds`);
  const { role = roles[message.role] } = preserved(message.metadata);
  const parts = message.parts.map((part) => encodePart(part, cx, `${at}parts`, taskId));
  return { role, parts, metadata: encodeMetadata(message.metadata) };
}

/**
 * A message that was validated before.
 *
 * @param ids what the surrounding object says of it; a message id is made up where none is given
 */
export function decodeMessage(message: VaultMessage, ids: Partial<Message> = {}, keep: Preserved = {}): Message {
  const { role } = message;
  const special = role === 'system' || role === 'tool';
  return {
    messageId: newId(),
    ...ids,
    role: decodedRoles[role],
    parts: message.parts.map(decodePart),
    ...decodeMetadata(message.metadata, special ? { ...keep, role } : keep),
  };
}

/**
 * A message that a client sends, which may have any role (AgentVault's MCP pattern, section 3).
 *
 * @param ids what the surrounding object says of it
 */
export const decodePrompt = (message: VaultMessage, ids: Partial<Message>): Message =>
  decodeMessage(message, ids, message.role === 'assistant' ? { prompt: true } : {});

/** A message as requests carry it: real clients leave out what is null. */
export function withoutNulls({ role, parts, metadata }: WrittenMessage): VaultMessage {
  const written = parts.map((part) => Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)));
  return { role, parts: written as unknown as VaultPart[], ...(metadata && { metadata }) };
}

/** All text of a message; null when it has none. */
export function textOf(parts: readonly Part[]): string | null {
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  return texts.length === 0 ? null : texts.join('\n');
}
