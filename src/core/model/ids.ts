import { randomTail } from './crypto.ts';

let prefixTime = -1;
let prefix = '';
/** Ids of this millisecond so far. */
let count = 0;

/**
 * A UUID of version 7 (RFC 9562 section 5.7): it begins with the time, so that new rows are neighbours in indexes. Of the ids
 * of one millisecond, the first 4,096 are in their order (section 6.2, method 1).
 */
export function newId(now: number = Date.now()): string {
  if (now !== prefixTime) {
    prefixTime = now;
    count = 0;
    const time = now.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  const position = (count & 0xfff).toString(16).padStart(3, '0');
  count += 1;
  return prefix + position + randomTail();
}

/** The owner of a task. Ids that callers choose are unique within one owner only. */
export interface TaskOwner {
  readonly agent: string;
  readonly tenant: string;
  readonly principal: string;
}

export interface CallKey {
  /** A key is unique within one owner only. */
  readonly owner: TaskOwner;
  readonly key: string;
  /** Digest of the request: another request under the same key is refused. */
  readonly digest: string;
  /** Random, generated for this call: a repeated statement recognises its own row by it. */
  readonly nonce: string;
}

/**
 * A task's key in the store. A generated id is unique and is the key. An id that the caller chose is unique within its
 * owner only, so that its key is a JSON array with the owner.
 */
export const taskKey = ({ agent, tenant, principal }: TaskOwner, id: string, chosen: boolean): string =>
  chosen ? JSON.stringify([agent, tenant, principal, id]) : id;

/** Whether an id is a UUID of version 7. Callers may choose such ids too; they certainly chose all others. */
export const looksGenerated = (id: string): boolean =>
  id.length === 36 && id[14] === '7' && id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-';

/** Id of a message in a dialect without ids, by its place in the history of its task. */
export const historyId = (taskId: string, at: number): string => `${taskId}/${at}`;
