import type { Struct } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { ownKey, withoutOwnKeys } from '../kernel/metadata.ts';

/** Where v1 metadata keeps what A2A 0.1 says and v1 has no place for. */
const legacyKey = ownKey('a2a-0.1');
/** Where metadata of A2A 0.1 keeps what v1 says and A2A 0.1 has no word for. */
const v1Key = ownKey('a2a-1.0');

type Metadata = Record<string, unknown>;

/** What the gateway keeps in v1 metadata. */
export interface Preserved {
  /** Of a message or an artifact: it has no parts at all. */
  readonly empty?: true;
  /** Of an artifact: its place, where it is not the one that it would get anyway. */
  readonly index?: number;
  /** Of an artifact within a task, where A2A 0.1 leaves what is said of chunks. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  /** Of a status update, where it is not what the state says. */
  readonly final?: boolean;
}

/** What the gateway keeps in metadata of A2A 0.1. */
export interface Facts {
  /** Of a task or a status update: the v1 name of the state. */
  readonly state?: string;
  /** Of a data part: the data is what its only member `value` holds. */
  readonly value?: true;
}

const nothing = {};

function ofKey(metadata: Metadata | null | undefined, key: string): object {
  const value = metadata?.[key];
  return isObject(value) ? value : nothing;
}

/** What was kept in a v1 object's metadata. */
export const preserved = (metadata: Struct | undefined): Preserved => ofKey(metadata, legacyKey);

/** What another gateway kept in metadata of A2A 0.1. */
export const factsIn = (metadata: Metadata | null | undefined): Facts => ofKey(metadata, v1Key);

/** v1 metadata, with what is to be kept; undefined when there is nothing. */
export function decodeMetadata(metadata: Metadata | null | undefined, keep?: Preserved): Struct | undefined {
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  return keep ? { ...own, [legacyKey]: keep } : own;
}

/** The inverse. */
export function encodeMetadata(metadata: Struct | undefined, facts?: Facts): Metadata | undefined {
  const own = metadata && withoutOwnKeys(metadata);
  return facts ? { ...own, [v1Key]: facts } : own;
}
