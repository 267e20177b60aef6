import { createHash } from 'node:crypto';
import type { ReplicaNotice } from './followers.ts';

/** A notification between replicas by NOTIFY, as JSON text. The tables are authoritative. */
export interface ReplicaNotification {
  /** The sender. */
  readonly from: string;
  /** Tasks that were written, with the positions of their last events. */
  readonly written?: readonly (readonly [key: string, seq: number])[];
  /** Tasks with events for webhooks. */
  readonly pushed?: readonly string[];
  /** The sender has stopped, and left tasks to take over. */
  readonly left?: true;
  /** Calls were forwarded to the receiver. */
  readonly asked?: true;
  /** Calls of the receiver were answered. */
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

/** Splits a notice into payloads below the limit. Leaves out a key that is too long for one: polling finds it. */
export function payloadsOf(from: string, { written, pushed }: ReplicaNotice): string[] {
  const emptyBytes = Buffer.byteLength(JSON.stringify({ from, written: [], pushed: [] }));
  const notices: { readonly written: [string, number][]; readonly pushed: string[] }[] = [];
  let bytes = maxBytes;
  const add = (item: string | [string, number]): void => {
    const more = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (emptyBytes + more > maxBytes) return;
    if (bytes + more > maxBytes) {
      notices.push({ written: [], pushed: [] });
      bytes = emptyBytes;
    }
    bytes += more;
    const notice = notices.at(-1);
    if (typeof item === 'string') notice?.pushed.push(item);
    else notice?.written.push(item);
  };
  for (const write of written) add(write);
  for (const key of pushed) add(key);
  return notices.map((notice) => JSON.stringify({ from, ...notice } satisfies ReplicaNotification));
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
