import { setTimeout as delay } from 'node:timers/promises';
import { type MemoryBudget, Reservation } from '../core/limits/memory-budget.ts';
import { A2AError } from '../core/model/errors.ts';
import type { TaskOwner } from '../core/model/ids.ts';
import { isTerminal } from '../core/model/lifecycle.ts';
import { isOutage, isUnreadable } from '../core/model/stored-form.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Logger } from '../core/ports/logger.ts';
import { type Delivery, type DeliveryReport, ownWebhooks, type PushOutbox } from '../core/ports/push-store.ts';
import type { TaskStore } from '../core/ports/task-store.ts';
import type { Dialect, PushShape } from '../dialects/kernel/dialect.ts';
import { type LogPosition, type PushBody, readBodies, skipAged } from './bodies.ts';
import type { DeliveryQueues, ReceiverQueue } from './delivery-queues.ts';
import type { AttemptResult, SendNotification } from './sender.ts';

/** Milliseconds between two attempts to store the progress of a delivery while the store is unavailable. */
const storeRetry = 1_000;
/** Milliseconds without a change of state after which a body with the whole task is sent. */
const growth = 1_000;
/** Wait of a delivery for which there was no memory, in milliseconds: `base`, and up to `more` at random. */
const roomRetry = { base: 1_000, more: 1_000 } as const;

/** The body for dialects without push notifications of their own. */
const defaultShape: PushShape = { mediaType: 'application/json', body: { textOf: ({ json }) => json } };

/** One of the gateway's own webhooks, as currently configured. */
export interface OwnWebhook {
  readonly config: Delivery['config'];
  /** Returns the bodies for a task's log, from `reading` to the log's current end. `reading` is updated. */
  bodies(reading: LogPosition): AsyncGenerator<PushBody, void>;
}

/** A report without the position and the number of attempts. */
type Progress = Omit<DeliveryReport, 'cursor' | 'attempts'>;

export interface DeliveryOptions {
  readonly store: PushOutbox & Pick<TaskStore, 'events' | 'loadRecord' | 'now'>;
  /** Returns the dialect with this name, or the gateway's own if that has no push notifications. */
  readonly dialect: (name: string) => Dialect;
  /** Returns the gateway's own webhook for a delivery. Undefined if it no longer exists. */
  readonly own?: ((delivery: Delivery) => Promise<OwnWebhook | undefined>) | undefined;
  /** Returns the reason why the webhooks of a task's owner currently receive nothing. Undefined if they do. */
  readonly refusalFor?: ((owner: TaskOwner) => A2AError | undefined) | undefined;
  readonly send: SendNotification;
  readonly logger: Logger;
  readonly audit: Audit;
  /** Limits the memory for whole tasks that are sent, together with that for responses to calls. */
  readonly budget: MemoryBudget;
  /** Age of an event, in milliseconds, after which a failed attempt makes it a dead letter. */
  readonly maxAge: number;
}

export interface DeliveryDeps {
  readonly options: DeliveryOptions;
  /**
   * Upper bound of the random wait after a failure, in milliseconds. It starts at `base` and doubles with each further
   * failure up to `cap`.
   */
  readonly backoff: { readonly base: number; readonly cap: number };
  readonly queues: DeliveryQueues;
  /** Counts since the start of the gateway; `dead` counts events. */
  readonly counts: { delivered: number; failed: number; dead: number };
  readonly attempts: AbortSignal;
  /** Aborted when the gateway stops: no further attempt begins. */
  readonly stopping: AbortSignal;
}

/** One claimed delivery: sends the events of its task's log in order, until there are no more or an attempt fails. */
export class DeliveryRun {
  delivery: Delivery;
  /** Whether the task may have more events than were read. */
  more = false;
  readonly #deps: DeliveryDeps;
  readonly #queue: ReceiverQueue;
  /** Position up to which the delivery has progressed, as reported to the store. */
  #cursor: number;
  #attempts: number;
  /** Reservation of memory for the whole task. */
  readonly #room: Reservation;
  /** The error of a reservation for which there was no memory. */
  #refusal: A2AError | undefined;

  constructor(delivery: Delivery, queue: ReceiverQueue, deps: DeliveryDeps) {
    this.delivery = delivery;
    this.#queue = queue;
    this.#deps = deps;
    this.#cursor = delivery.cursor;
    this.#attempts = delivery.attempts;
    const { stopping, options } = deps;
    const target = {
      get destroyed() {
        return stopping.aborted;
      },
      once: () => undefined,
    };
    this.#room = new Reservation(options.budget, { id: delivery.owner.principal }, target);
  }

  /**
   * Finishes the delivery. Resolves to whether it was released; if not, the store may still list it as claimed by this
   * gateway. Never rejects.
   */
  async finish(): Promise<boolean> {
    const { stopping } = this.#deps;
    const onStop = (): void => this.#room.close();
    stopping.addEventListener('abort', onStop);
    try {
      await this.#deliver().catch((err: unknown) => {
        if (isUnreadable(err)) return this.#leaveUnreadable(A2AError.from(err).message);
        if (!this.#refusal || err !== this.#refusal) throw err;
        this.#room.close();
        return this.#leaveWithoutRoom(this.#refusal);
      });
      return true;
    } catch (err) {
      this.#logError(err, 'cannot deliver a push notification; trying again later');
      return false;
    } finally {
      stopping.removeEventListener('abort', onStop);
      this.#room.close();
    }
  }

  async #reserve(bytes: number): Promise<void> {
    try {
      await this.#room.reserve(bytes);
    } catch (thrown) {
      this.#refusal = A2AError.from(thrown);
      throw this.#refusal;
    }
  }

  /**
   * Handles a lack of memory. The delivery is retried later, unless the task is larger than any response may be: then
   * its events become dead letters.
   */
  async #leaveWithoutRoom({ kind, metadata }: A2AError): Promise<void> {
    if (kind === 'unavailable')
      return void (await this.#release({ delay: roomRetry.base + Math.random() * roomRetry.more }));
    const record = kind === 'answerTooLarge' ? await this.#deps.options.store.loadRecord(this.delivery.key) : undefined;
    if (!record || record.seq <= this.#cursor) return void (await this.#release({}));
    const failure =
      `the task has ${metadata?.bytes} bytes, and the largest notification that this gateway sends has ` +
      `${metadata?.limitBytes} (limits.buffered, a sixteenth of the heap, or 256 MiB)`;
    await this.#markDead({ seq: this.#cursor + 1, last: record.seq }, { failure, stop: isTerminal(record.state) });
  }

  /**
   * Handles an unreadable task, which the store has recorded. The delivery may continue at another replica, or after
   * the row is repaired.
   */
  async #leaveUnreadable(failure: string): Promise<void> {
    await this.#release({ delay: this.#deps.backoff.cap, failure });
  }

  #logError(err: unknown, message: string): void {
    const { key: task, config, owner } = this.delivery;
    const fields = { task, config: config.id, agent: owner.agent, principal: owner.principal };
    this.#deps.options.logger.error({ ...fields, err }, message);
  }

  async #deliver(): Promise<void> {
    const { store, dialect: dialectOf } = this.#deps.options;
    const { stopping } = this.#deps;
    const { key } = this.delivery;
    const dialect = dialectOf(this.delivery.dialect);
    const isOwn = this.delivery.dialect === ownWebhooks;
    const own = isOwn ? await this.#deps.options.own?.(this.delivery) : undefined;
    if (isOwn && !own) return void (await this.#release({ stop: true }));
    const shape = (own ? undefined : dialect.push) ?? defaultShape;
    if (own) this.delivery = { ...this.delivery, config: own.config };
    const reading: LogPosition = { position: this.#cursor, over: false };
    const pause = (): Promise<void> => {
      this.#room.encoded();
      return this.#sleep(growth);
    };
    const reserve = (bytes: number): Promise<void> => this.#reserve(bytes);
    do {
      this.more = false;
      const bodies = own?.bodies(reading) ?? readBodies({ store, key, dialect, shape, pause, reserve }, reading);
      for await (const body of bodies) {
        if (stopping.aborted) return void (await this.#release({}));
        if (!(await this.#sendBody(body, dialect, shape))) return;
      }
    } while (this.more && !stopping.aborted);
    this.#cursor = reading.position;
    await this.#release({ stop: reading.over });
  }

  /** Sends one body. Returns whether this replica still holds the delivery, and the next body may follow. */
  async #sendBody(body: PushBody, dialect: Dialect, shape: PushShape): Promise<boolean> {
    const { queues, stopping, attempts, options } = this.#deps;
    const text = this.#textOf(body);
    this.#room.encoded();
    const refusal = this.delivery.dialect === ownWebhooks ? undefined : options.refusalFor?.(this.delivery.owner);
    if (refusal) {
      const failure = `the owner of the task may have no webhook: ${refusal.message}`;
      return this.#markDead({ seq: body.first, last: body.last }, { keep: true, failure });
    }
    if (text === undefined) {
      const failure = `the event cannot be encoded in ${dialect.name}`;
      return this.#markDead({ seq: body.first, last: body.last }, { keep: true, failure });
    }
    const slot = await queues.take(this.#queue, performance.now());
    if (!slot) return this.#release(stopping.aborted ? {} : { delay: queues.delayOf(this.#queue, performance.now()) });
    let result: AttemptResult = { kind: 'canceled' };
    try {
      result = await options.send(this.delivery, shape, text, attempts);
    } finally {
      slot.release(result.kind === 'failed' && result.silent === true);
    }
    return this.#settle(body, result);
  }

  #textOf(body: PushBody): string | undefined {
    try {
      return body.text();
    } catch (err) {
      this.#logError(err, 'cannot encode an event for a webhook');
      return undefined;
    }
  }

  async #settle(body: PushBody, result: AttemptResult): Promise<boolean> {
    const { counts } = this.#deps;
    if (result.kind === 'canceled') return this.#release({});
    if (result.kind === 'delivered') {
      counts.delivered += 1;
      this.#cursor = body.done ?? body.last;
      this.#attempts = 0;
      return this.#report(body.ends ? { stop: true } : { keep: true });
    }
    counts.failed += 1;
    this.#attempts += 1;
    if (result.kind === 'failed') return this.#retryLater(body, result);
    // Delivery stops until the configuration is replaced, or an operator retries the dead letters.
    const dead = { seq: body.first, last: body.last };
    if (await this.#report({ stop: true, failure: result.reason, dead })) this.#recordDead(result.reason, dead);
    return false;
  }

  async #retryLater(body: PushBody, result: Extract<AttemptResult, { kind: 'failed' }>): Promise<false> {
    const { backoff, options } = this.#deps;
    const { reason: failure, retryAfter = 0, silent } = result;
    const delayAfter = (attempts: number): number =>
      retryAfter + Math.random() * Math.min(backoff.cap, backoff.base * 2 ** Math.min(attempts - 1, 30));
    const next = delayAfter(this.#attempts);
    const now = options.store.now();
    if (now + next < Math.max(body.at, this.delivery.since) + options.maxAge) {
      return this.#release({ delay: next, failure });
    }
    // A receiver may refuse one event and accept the next. A silent receiver gets none of the events that are too old.
    const { key, since } = this.delivery;
    const oldest = now - options.maxAge;
    const own = { position: body.last, over: body.ends };
    const aged = silent && since <= oldest ? await skipAged(options.store, key, own, oldest) : own;
    await this.#markDead({ seq: body.first, last: aged.position }, { failure, delay: delayAfter(1), stop: aged.over });
    return false;
  }

  /** Turns events into dead letters. Returns whether this replica still holds the delivery. */
  async #markDead(dead: { seq: number; last: number }, report: Progress & { failure: string }): Promise<boolean> {
    this.#cursor = dead.last;
    this.#attempts = 0;
    if (!(await this.#report({ ...report, dead }))) return false;
    this.#recordDead(report.failure, dead);
    return report.keep === true;
  }

  #recordDead(reason: string, { seq, last }: { seq: number; last: number }): void {
    const { owner, receiver } = this.delivery;
    this.#deps.counts.dead += last - seq + 1;
    const event = { event: 'push.dead', reason, principal: owner.principal, agent: owner.agent } as const;
    this.#deps.options.audit({ ...event, target: receiver });
  }

  async #release(progress: Progress): Promise<false> {
    await this.#report(progress);
    return false;
  }

  /**
   * Reports progress. Returns whether this replica held the delivery until now. Waits for a store that is unavailable.
   */
  async #report(progress: Progress): Promise<boolean> {
    const report = { ...progress, cursor: this.#cursor, attempts: this.#attempts };
    for (;;) {
      try {
        return await this.#deps.options.store.reportDelivery(this.delivery, report);
      } catch (thrown) {
        if (!isOutage(thrown) || this.#deps.stopping.aborted) throw thrown;
        await this.#sleep(storeRetry);
      }
    }
  }

  /** Waits. Resolves early if the gateway stops. */
  #sleep(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#deps.stopping }).catch(() => undefined);
  }
}
