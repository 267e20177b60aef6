import type { Struct } from '../../core/model/a2a.ts';
import { isObject } from '../kernel/errors.ts';
import { ownKey, withoutOwnKeys } from '../kernel/metadata.ts';

/** Where v1 metadata keeps what A2A 0.3 and its kin say and v1 has no place for. */
const key = ownKey('a2a-0.3');

/** What the gateway kept in v1 metadata. */
export interface Kept {
  /** A state that A2A does not know; v1 says that it is unspecified. */
  readonly state?: string;
  /** Of a status update, where it does not follow from the state. */
  readonly final?: boolean;
}

const nothing: Kept = {};

/** What was kept in a v1 object's metadata. */
export function keptIn(metadata: Struct | undefined): Kept {
  const kept = metadata?.[key];
  return isObject(kept) ? kept : nothing;
}

/** v1 metadata from what arrived: without keys that are the gateway's own; undefined when there is none. */
export function decodeMetadata(
  metadata: Record<string, unknown> | null | undefined,
  kept?: Kept | undefined,
): Struct | undefined {
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  return kept ? { ...own, [key]: kept } : own;
}

/** The inverse: without the gateway's own keys; undefined when nothing is left. */
export const encodeMetadata = (metadata: Struct | undefined): Struct | undefined =>
  metadata && withoutOwnKeys(metadata);
