import type { Struct } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { ownKey } from '../kernel/metadata.ts';

/** Where v1 metadata keeps what the PHP SDK says and v1 has no place for. */
const key = ownKey('a2a-php-0.3');

/** What the gateway kept in v1 metadata. */
export interface Preserved {
  /** Of a message: a role that A2A does not know. */
  readonly role?: string;
  /** Of a request: parameters that A2A does not know, such as `from`. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Of a status update: that it came as a message. */
  readonly event?: 'message';
}

const nothing: Preserved = {};

/** What was kept in a v1 object's metadata. */
export function keptIn(metadata: Struct | undefined): Preserved {
  const preserved = metadata?.[key];
  return isObject(preserved) ? preserved : nothing;
}

/** Keeps something in a v1 object's metadata. */
export function keep(object: { metadata?: Struct }, preserved: Preserved): void {
  object.metadata = { ...object.metadata, [key]: preserved };
}
