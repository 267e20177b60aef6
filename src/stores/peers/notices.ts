import { createHash } from 'node:crypto';

/**
 * What gateways tell each other by NOTIFY, as JSON text. All of it is a hint: what is true is in the tables, where
 * whoever is told looks.
 */
export interface Notice {
  /** The instance that says so. */
  readonly from: string;
  /** Tasks that were written, with the positions of their last events. */
  readonly written?: readonly (readonly [key: string, seq: number])[];
  /** Which of them have events for somebody's webhook. */
  readonly pushed?: readonly string[];
  /** It has taken its leave. */
  readonly left?: true;
  /** Not everything that should have been was told. */
  readonly lost?: true;
  /** There are questions for who hears this. */
  readonly asked?: true;
  /** There are answers for who hears this. */
  readonly answered?: true;
}

/** Bytes of a payload: PostgreSQL takes fewer than 8,000. */
const maxBytes = 7_900;

/**
 * A channel's name. The server's channels are one space for all schemas of a database, and open to all its users: the
 * store's own secret tells this store's from any other's.
 *
 * @param instance the gateway whose channel it is; absent: that of all
 */
export const channelOf = (secret: string, instance = ''): string =>
  `a2a_${createHash('sha256').update(`${secret} ${instance}`).digest('hex').slice(0, 40)}`;

/** What was written, by key. */
export interface Written {
  readonly seq: number;
  readonly pushed: boolean;
}

/** Payloads that say what was written, each short enough. A key that does not fit by itself is only told as lost. */
export function payloadsOf(from: string, written: ReadonlyMap<string, Written>): string[] {
  const payloads: string[] = [];
  const empty = Buffer.byteLength(JSON.stringify({ from, written: [], pushed: [], lost: true }));
  let told: [string, number][] = [];
  let pushes: string[] = [];
  let bytes = empty;
  let lost = false;
  const close = (): void => {
    if (told.length === 0 && !lost) return;
    const notice: Notice = {
      from,
      ...(told.length > 0 && { written: told }),
      ...(pushes.length > 0 && { pushed: pushes }),
      ...(lost && { lost }),
    };
    payloads.push(JSON.stringify(notice));
    told = [];
    pushes = [];
    bytes = empty;
    lost = false;
  };
  for (const [key, { seq, pushed }] of written) {
    const name = Buffer.byteLength(JSON.stringify(key)) + 1;
    const more = name + `[,${seq}],`.length + (pushed ? name : 0);
    if (empty + more > maxBytes) {
      lost = true;
      continue;
    }
    if (bytes + more > maxBytes) close();
    told.push([key, seq]);
    if (pushed) pushes.push(key);
    bytes += more;
  }
  close();
  return payloads;
}

/** What a payload says; undefined when no gateway wrote it. */
export function noticeOf(payload: string): Notice | undefined {
  try {
    const notice = JSON.parse(payload) as Notice | null;
    return typeof notice === 'object' && typeof notice?.from === 'string' ? notice : undefined;
  } catch {
    return undefined;
  }
}
