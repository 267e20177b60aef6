import type { Struct } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { ownKey, withoutOwnKeys } from '../kernel/metadata.ts';

/** Where v1 metadata keeps what A2A 0.3 and its kin say and v1 has no place for. */
const key = ownKey('a2a-0.3');

/** What the gateway kept in v1 metadata. */
export interface Preserved {
  /** A state that A2A does not know; v1 says that it is unspecified. */
  readonly state?: string;
  /** Of a status update, where it does not follow from the state. */
  readonly final?: boolean;
}

const nothing: Preserved = {};

/** What was kept in a v1 object's metadata. */
export function keptIn(metadata: Struct | undefined): Preserved {
  const preserved = metadata?.[key];
  return isObject(preserved) ? preserved : nothing;
}

/** v1 metadata from what arrived: without keys that are the gateway's own; undefined when there is none. */
export function decodeMetadata(
  metadata: Record<string, unknown> | null | undefined,
  preserved?: Preserved | undefined,
): Struct | undefined {
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  return preserved ? { ...own, [key]: preserved } : own;
}

/** The inverse: without the gateway's own keys; undefined when nothing is left. */
export const encodeMetadata = (metadata: Struct | undefined): Struct | undefined =>
  metadata && withoutOwnKeys(metadata);
