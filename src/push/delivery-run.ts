import { A2AError } from '../core/model/errors.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Delivery, DeliveryReport, PushOutbox } from '../core/ports/push-store.ts';
import type { TaskStore } from '../core/ports/task-store.ts';
import type { Dialect, PushShape } from '../dialects/kernel/dialect.ts';
import type { AttemptResult } from './attempt-result.ts';
import { type LogPosition, type PushBody, readBodies, skipAged } from './bodies.ts';
import type { DeliveryQueues, ReceiverQueue } from './delivery-queues.ts';
import type { SendNotification } from './sender.ts';

/** Milliseconds between two attempts to write down how far a delivery has come, while the store is away. */
const storeRetry = 1_000;
/** Milliseconds that an agent may go on before what it says without a change of state is told as a whole task. */
const growth = 1_000;

/** For dialects that have none of their own. */
const plainShape: PushShape = { mediaType: 'application/json', body: 'event' };

/** What is reported beside how far a delivery has come. */
type Progress = Omit<DeliveryReport, 'cursor' | 'attempts'>;

/** How long failed attempts are repeated, and how long is waited between them. */
export interface RetryRules {
  /** Milliseconds: events older than that are given up when an attempt fails. */
  readonly maxAge: number;
  /** Milliseconds: the longest wait after the first failure; it doubles with each further one, up to `cap`. */
  readonly base: number;
  readonly cap: number;
}

/** Counted from the start of the gateway. */
export interface PushCounts {
  delivered: number;
  failed: number;
  /** Events that were given up. */
  dead: number;
}

export interface DeliveryRunDeps {
  readonly store: PushOutbox & Pick<TaskStore, 'events' | 'now'>;
  /** The dialect with this name; the gateway's own where it has no push notifications. */
  readonly dialect: (name: string) => Dialect;
  readonly send: SendNotification;
  readonly queues: DeliveryQueues;
  readonly rules: RetryRules;
  readonly counts: PushCounts;
  readonly logger: Logger;
  readonly audit: Audit;
  /** Aborts attempts under way. */
  readonly signal: AbortSignal;
  /** Whether the gateway stops: nothing new is begun. */
  readonly stopping: () => boolean;
  /** Resolves after so many milliseconds, or when the gateway stops. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** One delivery in hand: sends what its task's log holds for it, event after event, until there is no more or it fails. */
export class DeliveryRun {
  readonly delivery: Delivery;
  /** Whether the task may have got more events than were read. */
  more = false;
  readonly #deps: DeliveryRunDeps;
  readonly #queue: ReceiverQueue;
  /** How far it has come, as the store knows it. */
  #cursor: number;
  #attempts: number;

  constructor(delivery: Delivery, queue: ReceiverQueue, deps: DeliveryRunDeps) {
    this.delivery = delivery;
    this.#queue = queue;
    this.#deps = deps;
    this.#cursor = delivery.cursor;
    this.#attempts = delivery.attempts;
  }

  /** Resolves when the delivery is no longer in this gateway's hands. Never rejects. */
  async finish(): Promise<void> {
    const { logger } = this.#deps;
    try {
      await this.#deliver();
    } catch (err) {
      // Whoever looks for what is left finds it.
      logger.error({ ...this.#logFields, err }, 'a push notification could not be handled');
    }
  }

  /** What the log says of the delivery. */
  get #logFields(): object {
    const { key: task, config, owner } = this.delivery;
    return { task, config: config.id, agent: owner.agent, principal: owner.principal };
  }

  async #deliver(): Promise<void> {
    const { store, dialect, sleep } = this.#deps;
    const { key, dialect: name } = this.delivery;
    const speaking = dialect(name);
    const shape = speaking.push ?? plainShape;
    const reading: LogPosition = { position: this.#cursor, over: false };
    const options = { store, key, dialect: speaking, shape, pause: () => sleep(growth) };
    do {
      this.more = false;
      for await (const body of readBodies(options, reading)) {
        if (this.#deps.stopping()) {
          await this.#release({});
          return;
        }
        if (!(await this.#sendBody(body, speaking, shape))) return;
      }
    } while (this.more && !this.#deps.stopping());
    this.#cursor = reading.position;
    await this.#release({ stop: reading.over });
  }

  /** Whether the delivery is still in this gateway's hands, and the next body may follow. */
  async #sendBody(body: PushBody, dialect: Dialect, shape: PushShape): Promise<boolean> {
    const { queues: lanes, stopping, send, signal } = this.#deps;
    const text = this.#textOf(body);
    if (text === undefined) {
      const failure = `the event cannot be told in ${dialect.name}`;
      return this.#markDead({ seq: body.first, last: body.last }, { keep: true, failure });
    }
    const slot = await lanes.take(this.#queue, Date.now());
    if (!slot) return this.#release(stopping() ? {} : { delay: lanes.delayOf(this.#queue, Date.now()) });
    let result: AttemptResult = { kind: 'canceled' };
    try {
      result = await send(this.delivery, shape, text, signal);
    } finally {
      slot.release(result.kind === 'failed' && result.silent === true);
    }
    return this.#settle(body, result);
  }

  #textOf(body: PushBody): string | undefined {
    try {
      return body.text();
    } catch (err) {
      this.#deps.logger.error({ ...this.#logFields, err }, 'an event cannot be told in its dialect');
      return undefined;
    }
  }

  #settle(body: PushBody, result: AttemptResult): Promise<boolean> {
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
    return result.kind === 'refused' ? this.#stop(body, result.reason) : this.#failed(body, result);
  }

  /** Nothing more is delivered until the configuration is replaced, or somebody asks for what was given up. */
  async #stop({ first, last }: PushBody, failure: string): Promise<boolean> {
    const dead = { seq: first, last };
    if (await this.#report({ stop: true, failure, dead })) this.#recordDead(failure, last - first + 1);
    return false;
  }

  async #failed(body: PushBody, result: Extract<AttemptResult, { kind: 'failed' }>): Promise<false> {
    const { rules, store } = this.#deps;
    const { reason: failure, retryAfter = 0 } = result;
    const delay = (attempts: number): number =>
      retryAfter + Math.random() * Math.min(rules.cap, rules.base * 2 ** Math.min(attempts - 1, 30));
    const next = delay(this.#attempts);
    const deadline = Math.max(body.at, this.delivery.since) + rules.maxAge;
    if (store.now() + next < deadline) {
      await this.#release({ delay: next, failure });
      return false;
    }
    // A receiver may refuse one event and take the next, which gets attempts of its own; one that is not there cannot.
    const given = { position: body.last, over: body.ends };
    const aged = result.silent ? await this.#aged(given) : given;
    await this.#markDead({ seq: body.first, last: aged.position }, { failure, delay: delay(1), stop: aged.over });
    return false;
  }

  /** How far events are too old. */
  #aged(after: LogPosition): Promise<LogPosition> | LogPosition {
    const { store, rules } = this.#deps;
    const { key, since } = this.delivery;
    const oldest = store.now() - rules.maxAge;
    return since > oldest ? after : skipAged(store, key, after, oldest);
  }

  /** Passes over events. Whether the delivery is still in this gateway's hands. */
  async #markDead(dead: { seq: number; last: number }, report: Progress & { failure: string }): Promise<boolean> {
    this.#cursor = dead.last;
    this.#attempts = 0;
    if (!(await this.#report({ ...report, dead }))) return false;
    this.#recordDead(report.failure, dead.last - dead.seq + 1);
    return report.keep === true;
  }

  #recordDead(reason: string, events: number): void {
    const { counts, audit } = this.#deps;
    const { owner, receiver } = this.delivery;
    counts.dead += events;
    audit({ event: 'push.dead', reason, principal: owner.principal, agent: owner.agent, target: receiver });
  }

  async #release(progress: Progress): Promise<false> {
    await this.#report(progress);
    return false;
  }

  /** Whether the delivery was this gateway's until now. A store that is away is waited for. */
  async #report(progress: Progress): Promise<boolean> {
    const { store, stopping, sleep } = this.#deps;
    const report = { ...progress, cursor: this.#cursor, attempts: this.#attempts };
    for (;;) {
      try {
        return await store.reportDelivery(this.delivery, report);
      } catch (thrown) {
        if (A2AError.from(thrown).kind !== 'unavailable' || stopping()) throw thrown;
        await sleep(storeRetry);
      }
    }
  }
}
