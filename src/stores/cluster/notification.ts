import { createHash } from 'node:crypto';
import type { ReplicaNotice } from './followers.ts';

/**
 * What a gateway tells another one by NOTIFY, as JSON text. All of it is a hint: what is true is in the tables, where
 * the other one looks.
 */
export interface ReplicaNotification {
  /** The instance that says so. */
  readonly from: string;
  /** Tasks that were written, with the positions of their last events. */
  readonly written?: readonly (readonly [key: string, seq: number])[];
  /** Tasks with events for webhooks. */
  readonly pushed?: readonly string[];
  /** It has taken its leave, and left tasks behind. */
  readonly left?: true;
  /** There are questions for the gateway that hears this. */
  readonly asked?: true;
  /** There are answers for the gateway that hears this. */
  readonly answered?: true;
}

/** Bytes of a payload: PostgreSQL takes fewer than 8,000. */
const maxBytes = 7_900;

/**
 * The channel of a gateway. The server's channels are one space for all schemas of a database, and open to all its users:
 * the store's own secret tells this store's from any other's.
 */
export const channelOf = (secret: string, instance: string): string =>
  `a2a_${createHash('sha256').update(`${secret} ${instance}`).digest('hex').slice(0, 40)}`;

/** Payloads for one gateway, each short enough. A key that does not fit by itself is left out: it is found by looking. */
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

/** What a payload says; undefined when no gateway wrote it. */
export function parseNotification(payload: string): ReplicaNotification | undefined {
  try {
    const notice = JSON.parse(payload) as ReplicaNotification | null;
    return typeof notice === 'object' && typeof notice?.from === 'string' ? notice : undefined;
  } catch {
    return undefined;
  }
}
