import { performance } from 'node:perf_hooks';
import type { Logger } from '../../core/ports/logger.ts';
import type { NotificationConnection, TaskFlags } from '../database.ts';
import type { Followers, WrittenTask } from './followers.ts';
import { channelOf, parseNotification, payloadsOf, type ReplicaNotification } from './notification.ts';

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

export interface NotificationsOptions {
  readonly open: (onEnd: () => void) => Promise<NotificationConnection>;
  /** Secret part of the channel names. */
  readonly secret: string;
  readonly instance: string;
  readonly followers: Followers;
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
 * and NOTIFY. Nothing depends on it: polling finds what a lost notification said.
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
    const line = this.#connection;
    this.#connection = undefined;
    if (!line) return;
    const { instance, secret, logger } = this.#options;
    try {
      const word = JSON.stringify({ from: instance, left: true } satisfies ReplicaNotification);
      const channels = (await lastTo()).map((other) => channelOf(secret, other));
      await notify(
        line,
        channels,
        channels.map(() => word),
      );
    } catch (err) {
      logger?.debug({ err }, 'a notification could not be sent');
    } finally {
      await line.close();
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
    const line = this.#connection;
    let rest = 0;
    try {
      if (line) await this.#sendOver(line);
    } catch (err) {
      rest = afterFailure;
      this.#options.logger?.debug({ err }, 'a notification could not be sent');
    }
    this.#lastSentAt = performance.now() + rest;
    this.#sending = false;
    // Without a connection, direct notifications wait until there is one.
    if (this.#connection && (this.#waiting.size > 0 || this.#direct.size > 0)) this.#schedule();
  }

  async #sendOver(line: NotificationConnection): Promise<void> {
    const { instance, secret, followers, undelivered } = this.#options;
    const [written, direct] = [this.#waiting, this.#direct];
    this.#waiting = new Map();
    this.#direct = new Map();
    const channels: string[] = [];
    const payloads: string[] = [];
    const add = (to: string, ...told: string[]): void => {
      channels.push(...told.map(() => channelOf(secret, to)));
      payloads.push(...told);
    };
    for (const [to, notice] of direct) add(to, JSON.stringify(notice));
    if (written.size > 0) {
      const recipients = await followers.recipientsOf(written, (statement) => line.run(statement));
      for (const [to, told] of recipients.told) add(to, ...payloadsOf(instance, told));
      for (const key of recipients.undelivered) undelivered(key);
    }
    await notify(line, channels, payloads);
  }

  async #connect(): Promise<void> {
    const { open, instance, secret, onMessage: onNotice, onGap, logger } = this.#options;
    const again = this.#attempts > 0;
    let line: NotificationConnection | undefined;
    let over = false;
    try {
      line = await open(() => {
        over = true;
        if (this.#connection === line) this.#lost();
      });
      line.onNotification((_, payload) => {
        const notice = parseNotification(payload);
        if (notice) onNotice(notice);
      });
      await line.run({ text: `listen ${channelOf(secret, instance)}` });
    } catch (err) {
      await line?.close();
      this.#retry(err);
      return;
    }
    if (this.#closed || over) {
      await line.close();
      if (!this.#closed) this.#retry(undefined);
      return;
    }
    this.#connection = line;
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

async function notify(
  line: NotificationConnection,
  channels: readonly string[],
  payloads: readonly string[],
): Promise<void> {
  if (channels.length === 0) return;
  const text = 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) as n(c, p)';
  await line.run({ name: 'a2a_notify', text, values: [channels, payloads] });
}
