import { createHash } from 'node:crypto';
import type { ReplicaNotice } from './followers.ts';

/**
 * A notification from one replica to another by NOTIFY, as JSON text. It is only a hint: the tables are authoritative.
 */
export interface ReplicaNotification {
  /** The sender. */
  readonly from: string;
  /** Tasks that were written, with the positions of their last events. */
  readonly written?: readonly (readonly [key: string, seq: number])[];
  /** Tasks with events for webhooks. */
  readonly pushed?: readonly string[];
  /** The sender has stopped, and left tasks to take over. */
  readonly left?: true;
  /** The receiver has questions in its inbox. */
  readonly asked?: true;
  /** The receiver has answers in its outbox. */
  readonly answered?: true;
}

/** Bytes of a payload: PostgreSQL's limit is 8,000. */
const maxBytes = 7_900;

/**
 * The channel of a replica. Channels are shared by all schemas and users of a database: the store's secret keeps
 * different stores apart.
 */
export const channelOf = (secret: string, instance: string): string =>
  `a2a_${createHash('sha256').update(`${secret} ${instance}`).digest('hex').slice(0, 40)}`;

/**
 * Splits a notice into payloads below the limit. A key that is too long for a payload is left out: polling finds it.
 */
export function payloadsOf(from: string, { written, pushed }: ReplicaNotice): string[] {
  const payloads: string[] = [];
  const empty = Buffer.byteLength(JSON.stringify({ from, written: [], pushed: [] }));
  let writes: [string, number][] = [];
  let pushes: string[] = [];
  let bytes = empty;
  const close = (): void => {
    if (writes.length + pushes.length === 0) return;
    const notice: ReplicaNotification = {
      from,
      ...(writes.length > 0 && { written: writes }),
      ...(pushes.length > 0 && { pushed: pushes }),
    };
    payloads.push(JSON.stringify(notice));
    writes = [];
    pushes = [];
    bytes = empty;
  };
  const add = (item: string | [string, number], put: () => void): void => {
    const more = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (empty + more > maxBytes) return;
    if (bytes + more > maxBytes) close();
    put();
    bytes += more;
  };
  for (const each of written) add(each, () => writes.push(each));
  for (const key of pushed) add(key, () => pushes.push(key));
  close();
  return payloads;
}

/** Parses a payload; undefined if it is none of a replica. */
export function parseNotification(payload: string): ReplicaNotification | undefined {
  try {
    const notice = JSON.parse(payload) as ReplicaNotification | null;
    return typeof notice === 'object' && typeof notice?.from === 'string' ? notice : undefined;
  } catch {
    return undefined;
  }
}
