import { performance } from 'node:perf_hooks';
import type { Logger } from '../../core/ports/logger.ts';
import type { TaskFlags } from '../database.ts';
import type { Channel, ChannelMessage, OpenChannel } from './channel.ts';
import type { createFollowers, ReplicaNotice, WrittenTask } from './followers.ts';

/** Milliseconds between two sends. The first notifications after a pause are sent at once. */
const pause = 5;
/** Milliseconds without notifications after a failure. */
const afterFailure = 1_000;
/** Largest number of queued tasks. Others are found by polling. */
const maxWaiting = 20_000;
/** Milliseconds until a lost channel is reopened: at first, and at most. */
const retry = { first: 50, most: 5_000 } as const;

/** A notification between replicas, as JSON text. The tables are authoritative. */
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
  /** Names of topics with rows that the sender has written. */
  readonly topics?: readonly string[];
}

export interface NotificationsOptions {
  readonly open: OpenChannel;
  /** The store's secret, which its replicas share. */
  readonly secret: string;
  readonly instance: string;
  readonly followers: ReturnType<typeof createFollowers>;
  /** Called with each notification from another replica. */
  readonly onMessage: (notice: ReplicaNotification) => void;
  /** Called when the channel is back after a gap in which notifications may have been lost. */
  readonly onGap: () => void;
  /** Called with a task whose events are not delivered to webhooks by any other replica. */
  readonly undelivered: (key: string) => void;
  readonly logger: Logger | undefined;
}

/**
 * Sends notifications to other replicas over a channel, and receives theirs. They only save time: polling finds the changes of a
 * lost notification.
 */
export class Notifications {
  readonly #options: NotificationsOptions;
  #channel: Channel | undefined;
  /** Queued writes. */
  #waiting = new Map<string, WrittenTask>();
  #direct = new Map<string, ReplicaNotification>();
  #sending = false;
  #lastSentAt = 0;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /** Queues a notification that a task was written. */
  written(key: string, seq: number, { pushed, followed }: TaskFlags): void {
    const before = this.#waiting.get(key);
    if (!this.#channel || (!before && this.#waiting.size >= maxWaiting)) return;
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
    const before = this.#direct.get(instance);
    const topics = new Set([...(before?.topics ?? []), ...(what.topics ?? [])]);
    const both = { from: this.#options.instance, ...before, ...what };
    this.#direct.set(instance, topics.size > 0 ? { ...both, topics: [...topics] } : both);
    this.#schedule();
  }

  /** Whether the channel is open, so that notifications arrive as far as is known. */
  get isOpen(): boolean {
    return this.#channel !== undefined;
  }

  /** Sends a last notification, and closes the channel. */
  async close(lastTo: () => Promise<readonly string[]>): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const channel = this.#channel;
    this.#channel = undefined;
    if (!channel) return;
    const { instance, logger } = this.#options;
    try {
      const payload = JSON.stringify({ from: instance, left: true } satisfies ReplicaNotification);
      const recipients = await lastTo();
      if (recipients.length > 0) await channel.publish(recipients.map((other) => [other, payload]));
    } catch (err) {
      logger?.debug({ err }, 'a notification could not be sent');
    } finally {
      await channel.close();
    }
  }

  /** Schedules the next send. One send runs at a time, with a pause before the next in which notifications collect. */
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
      if (this.#channel) await this.#sendOver(this.#channel);
    } catch (err) {
      rest = afterFailure;
      this.#options.logger?.debug({ err }, 'a notification could not be sent');
    }
    this.#lastSentAt = performance.now() + rest;
    this.#sending = false;
    // Without a channel, direct notifications wait for the next one.
    if (this.#channel && (this.#waiting.size > 0 || this.#direct.size > 0)) this.#schedule();
  }

  async #sendOver(channel: Channel): Promise<void> {
    const { instance, followers, undelivered } = this.#options;
    const written = this.#waiting;
    const direct = this.#direct;
    this.#waiting = new Map();
    this.#direct = new Map();
    const messages: ChannelMessage[] = [];
    for (const [to, notification] of direct) messages.push([to, JSON.stringify(notification)]);
    if (written.size > 0) {
      const recipients = await followers.recipientsOf(written);
      for (const [to, notice] of recipients.notices) {
        for (const payload of payloadsOf(instance, notice, channel.maxBytes)) messages.push([to, payload]);
      }
      for (const key of recipients.undelivered) undelivered(key);
    }
    if (messages.length > 0) await channel.publish(messages);
  }

  /** Opens the channel. Also resolves if that is not possible at the moment. */
  async open(): Promise<void> {
    const { open, secret, instance, onMessage, onGap, logger } = this.#options;
    const again = this.#attempts > 0;
    let channel: Channel | undefined;
    let lost: { readonly reason: unknown } | undefined;
    try {
      channel = await open({
        secret,
        instance,
        onMessage: (payload) => {
          const notification = parseNotification(payload);
          if (notification && notification.from !== instance) onMessage(notification);
        },
        onEnd: (reason) => {
          lost = { reason };
          if (channel && this.#channel === channel) this.#lost(reason);
        },
      });
    } catch (err) {
      this.#retry(err);
      return;
    }
    if (this.#closed || lost) {
      await channel.close();
      this.#retry(lost?.reason);
      return;
    }
    this.#channel = channel;
    this.#attempts = 0;
    if (again) {
      logger?.info({}, 'replica notifications arrive again');
      onGap();
    }
    if (this.#direct.size > 0) this.#schedule();
  }

  #lost(reason: unknown): void {
    this.#channel = undefined;
    this.#waiting.clear();
    this.#retry(reason);
  }

  #retry(err: unknown): void {
    if (this.#closed) return;
    if (this.#attempts === 0) {
      this.#options.logger?.warn({ err }, 'replica notifications are not arriving; falling back to polling');
    }
    const longest = Math.min(retry.most, retry.first * 2 ** Math.min(this.#attempts, 10));
    this.#attempts += 1;
    this.#timer = setTimeout(() => void this.open(), longest * (0.5 + Math.random() / 2));
    this.#timer.unref();
  }
}

/** Splits a notice into payloads below the limit. Leaves out a key that is too long for a payload; polling finds its changes. */
export function payloadsOf(from: string, { written, pushed }: ReplicaNotice, maxBytes: number): string[] {
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

const isText = (value: unknown): boolean => typeof value === 'string';
const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is);
const isWrite = (value: unknown): boolean => Array.isArray(value) && isText(value[0]) && Number.isSafeInteger(value[1]);

/** Parses a payload; undefined if it was not sent by a replica. */
export function parseNotification(payload: string): ReplicaNotification | undefined {
  try {
    const { from, written = [], pushed = [], topics = [], ...rest } = JSON.parse(payload) ?? {};
    if (!isText(from) || !isListOf(written, isWrite) || !isListOf(pushed, isText)) return undefined;
    if (!isListOf(topics, isText)) return undefined;
    return { ...rest, from, written, pushed, topics };
  } catch {
    return undefined;
  }
}
