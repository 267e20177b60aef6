import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from '../../core/ports/logger.ts';
import type { NotificationConnection, TaskFlags } from '../database.ts';
import type { createFollowers, ReplicaNotice, WrittenTask } from './followers.ts';

/** Milliseconds between two statements that notify. The first one after a pause is sent at once. */
const pause = 5;
/** Milliseconds without notifications after a statement that failed. */
const afterFailure = 1_000;
/** Maximum of queued tasks. Polling finds the others. */
const maxWaiting = 20_000;
/** Milliseconds until a lost connection is reopened: at first, and at most. */
const retry = { first: 50, most: 5_000 } as const;
/** Milliseconds between two probes of the connection: one that only listens does not notice that it is dead. */
const probeEvery = 10_000;

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

export interface NotificationsOptions {
  readonly open: (onEnd: () => void) => Promise<NotificationConnection>;
  /** Secret part of the channel names. */
  readonly secret: string;
  readonly instance: string;
  readonly followers: ReturnType<typeof createFollowers>;
  /** Called with each notification from another replica. */
  readonly onMessage: (notice: ReplicaNotification) => void;
  /** Called when the connection is back after a gap in which notifications may have been lost. */
  readonly onGap: () => void;
  /** Called with a task whose events no other replica delivers to webhooks. */
  readonly undelivered: (key: string) => void;
  readonly logger: Logger | undefined;
}

/**
 * Sends notifications to other replicas, each on its own channel, and receives theirs, over one connection with LISTEN
 * and NOTIFY. Nothing depends on it: polling finds what a lost notification reported.
 */
export class Notifications {
  readonly #options: NotificationsOptions;
  #connection: NotificationConnection | undefined;
  /** Queued writes. */
  #waiting = new Map<string, WrittenTask>();
  #direct = new Map<string, ReplicaNotification>();
  #sending = false;
  #lastSentAt = 0;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /** Starts to listen. Resolves also when that is not possible for now. */
  async open(): Promise<void> {
    this.#probeTimer = setInterval(() => this.#probe(), probeEvery);
    this.#probeTimer.unref();
    await this.#connect();
  }

  /** Queues a notification that a task was written. */
  written(key: string, seq: number, { pushed, followed }: TaskFlags): void {
    const before = this.#waiting.get(key);
    if (!this.#connection || (!before && this.#waiting.size >= maxWaiting)) return;
    this.#waiting.set(key, {
      seq,
      pushed: pushed || before?.pushed === true,
      followed: followed || before?.followed === true,
    });
    this.#schedule();
  }

  /** Queues a notification for one replica. */
  direct(instance: string, what: Omit<ReplicaNotification, 'from'>): void {
    if (this.#closed) return;
    this.#direct.set(instance, { from: this.#options.instance, ...this.#direct.get(instance), ...what });
    this.#schedule();
  }

  /** Sends a last notification, and closes the connection. */
  async close(lastTo: () => Promise<readonly string[]>): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#probeTimer);
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    const { instance, secret, logger } = this.#options;
    try {
      const payload = JSON.stringify({ from: instance, left: true } satisfies ReplicaNotification);
      await notify(
        connection,
        (await lastTo()).map((other) => [channelOf(secret, other), payload]),
      );
    } catch (err) {
      logger?.debug({ err }, 'a notification could not be sent');
    } finally {
      await connection.close();
    }
  }

  /** One statement at a time, with a pause between two in which notifications collect. */
  #schedule(): void {
    if (this.#sending || this.#closed) return;
    this.#sending = true;
    const wait = this.#lastSentAt + pause - performance.now();
    if (wait > 0) setTimeout(() => void this.#send(), wait);
    else setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    let rest = 0;
    try {
      if (this.#connection) await this.#sendOver(this.#connection);
    } catch (err) {
      rest = afterFailure;
      this.#options.logger?.debug({ err }, 'a notification could not be sent');
    }
    this.#lastSentAt = performance.now() + rest;
    this.#sending = false;
    // Without a connection, direct notifications wait until there is one.
    if (this.#connection && (this.#waiting.size > 0 || this.#direct.size > 0)) this.#schedule();
  }

  async #sendOver(connection: NotificationConnection): Promise<void> {
    const { instance, secret, followers, undelivered } = this.#options;
    const [written, direct] = [this.#waiting, this.#direct];
    this.#waiting = new Map();
    this.#direct = new Map();
    const messages: Message[] = [];
    for (const [to, notification] of direct) messages.push([channelOf(secret, to), JSON.stringify(notification)]);
    if (written.size > 0) {
      const recipients = await followers.recipientsOf(written, (statement) => connection.run(statement));
      for (const [to, notice] of recipients.notices) {
        for (const payload of payloadsOf(instance, notice)) messages.push([channelOf(secret, to), payload]);
      }
      for (const key of recipients.undelivered) undelivered(key);
    }
    await notify(connection, messages);
  }

  async #connect(): Promise<void> {
    const { open, instance, secret, onMessage, onGap, logger } = this.#options;
    const again = this.#attempts > 0;
    let connection: NotificationConnection | undefined;
    let over = false;
    try {
      connection = await open(() => {
        over = true;
        if (this.#connection === connection) this.#lost();
      });
      connection.onNotification((_, payload) => {
        const notification = parseNotification(payload);
        if (notification) onMessage(notification);
      });
      await connection.run({ text: `listen ${channelOf(secret, instance)}` });
    } catch (err) {
      await connection?.close();
      this.#retry(err);
      return;
    }
    if (this.#closed || over) {
      await connection.close();
      if (!this.#closed) this.#retry(undefined);
      return;
    }
    this.#connection = connection;
    this.#attempts = 0;
    if (again) {
      logger?.info({}, 'replica notifications arrive again');
      onGap();
    }
    if (this.#direct.size > 0) this.#schedule();
  }

  #lost(): void {
    this.#connection = undefined;
    this.#waiting.clear();
    this.#retry(undefined);
  }

  #retry(err: unknown): void {
    if (this.#closed) return;
    if (this.#attempts === 0) {
      this.#options.logger?.warn({ err }, 'replica notifications are not arriving; falling back to polling');
    }
    const longest = Math.min(retry.most, retry.first * 2 ** Math.min(this.#attempts, 10));
    this.#attempts += 1;
    this.#timer = setTimeout(() => void this.#connect(), longest * (0.5 + Math.random() / 2));
    this.#timer.unref();
  }

  #probe(): void {
    // A dead connection ends, which is handled there.
    this.#connection?.run({ text: 'select 1' }).catch(() => undefined);
  }
}

type Message = readonly [channel: string, payload: string];

async function notify(connection: NotificationConnection, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  const text = 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) as n(c, p)';
  const values = [messages.map(([channel]) => channel), messages.map(([, payload]) => payload)];
  await connection.run({ name: 'a2a_notify', text, values });
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
