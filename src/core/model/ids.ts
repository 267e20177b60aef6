import { randomUUID } from 'node:crypto';

let prefixTime = -1;
let prefix = '';

/**
 * A UUID of version 7 (RFC 9562 section 5.7): its first 48 bits are the time in milliseconds, so that rows made one
 * after the other lie side by side in the store.
 */
export function newId(now: number = Date.now()): string {
  // Many ids are made in the same millisecond.
  if (now !== prefixTime) {
    prefixTime = now;
    const time = now.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  return prefix + randomUUID().slice(15);
}

/** What a task belongs to. Ids chosen by callers are unique within one owner only. */
export interface TaskOwner {
  readonly agent: string;
  readonly tenant: string;
  readonly principal: string;
}

/** An idempotency key, as one call brings it. */
export interface CallKey {
  /** Whose call it is: a key is unique within one owner only. */
  readonly owner: TaskOwner;
  readonly key: string;
  /** Digest of the request: another request under the same key is refused. */
  readonly digest: string;
  /** Random, made for this call alone: a statement that is repeated recognises its own row by it. */
  readonly nonce: string;
}

/**
 * A task's key in the store. Ids that the gateway makes are unique everywhere and are their own key. An id that the
 * caller chose is unique within its owner only; its key names the owner too. The two can never be equal: one is a
 * UUID, the other a JSON array.
 */
export const taskKey = ({ agent, tenant, principal }: TaskOwner, id: string, chosen: boolean): string =>
  chosen ? JSON.stringify([agent, tenant, principal, id]) : id;

/**
 * Whether an id looks like one that the gateway makes, a UUID of version 7. A caller may choose such an id, too; any
 * other can only be a caller's choice.
 */
export const looksGenerated = (id: string): boolean =>
  id.length === 36 && id[14] === '7' && id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-';
