import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import { unlessAborted } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ForwardedRequest } from '../../core/ports/peers.ts';
import type { Database } from '../database.ts';
import { escapeText, unescapeText } from '../text.ts';
import type { ReplicaNotification } from './notifications.ts';

/** Milliseconds between two polls for answers, in case a notification is lost. */
const pollEvery = 500;
/** Milliseconds after which a call that no replica has claimed expires. */
const unclaimedTimeout = 10_000;
/** Seconds after which a caller may retry: by then another replica has taken over the tasks of a dead one. */
const retryAfter = 10;
/** Calls claimed by one statement. */
const batch = 100;
/** Attempts to write an answer while the database is unavailable. */
const attempts = 8;

export interface ForwardedCallsOptions {
  readonly database: Database;
  /** This gateway's name in rows. */
  readonly instance: string;
  /** Notifies a replica of a call or an answer. */
  readonly notify: (replica: string, what: Omit<ReplicaNotification, 'from'>) => void;
  readonly failure: (error: unknown) => A2AError;
  readonly logger: Logger | undefined;
}

type PendingCall = Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>;

/**
 * Calls that replicas forward to each other. A call is a row, which one replica can claim. The row contains text of callers, and
 * is deleted when the call is answered or given up. Notifications make it fast; polling works without them.
 */
export class ForwardedCalls {
  readonly #database: Database;
  readonly #instance: string;
  readonly #notify: (replica: string, what: Omit<ReplicaNotification, 'from'>) => void;
  readonly #failure: (error: unknown) => A2AError;
  readonly #logger: Logger | undefined;
  /** The outbox: calls of this replica that wait for their answers. */
  readonly #pending = new Map<string, PendingCall>();
  /** Ids of rows to delete. */
  readonly #finished = new Set<string>();
  /** Time when answers were last read from the database. */
  #lastReadAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #handler: ((request: ForwardedRequest) => Promise<string>) | undefined;
  #closed = false;
  readonly #readOutbox = oneAtATime(() => this.#syncOutbox());
  readonly #readInbox = oneAtATime(() => this.#claimInbox());

  constructor({ database, instance, notify, failure, logger }: ForwardedCallsOptions) {
    this.#database = database;
    this.#instance = instance;
    this.#notify = notify;
    this.#failure = failure;
    this.#logger = logger;
  }

  /**
   * The version of the rows, for `StoreWatch`. While a call waits for a replica to claim it, each reading returns another text,
   * so that a failed claim is retried.
   */
  static versionOf({ traits }: Database, instance: string): RawBuilder<unknown> {
    return sql`(select max(${traits.now}) from question where addressee = ${instance} and taken_at is null
      and created_at > ${traits.now} - ${sql.lit(unclaimedTimeout)})`;
  }

  /** Implements `Peers.forward`. */
  async forward(replica: string, { key, body }: ForwardedRequest, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const written = this.#insert(id, replica, key, body).then(
      (isWritten) => {
        if (!isWritten) reject(ownerUnreachable());
        else if (!signal.aborted) {
          this.#pending.set(id, { resolve, reject });
          this.#notify(replica, { asked: true });
          this.#schedulePoll();
        }
      },
      (error: unknown) => reject(this.#failure(error)),
    );
    try {
      return await unlessAborted(promise, signal);
    } finally {
      this.#pending.delete(id);
      // The row is deleted only after its insert; otherwise it would stay.
      void written.then(() => {
        this.#finished.add(id);
        this.pollOutbox();
      });
    }
  }

  /** Inserts the row. Resolves with false if the replica no longer exists. */
  async #insert(id: string, replica: string, key: string, body: string): Promise<boolean> {
    const { numAffectedRows } = await sql`
      insert into question (id, addressee, asker, key, body, created_at)
      select ${id}, instance, ${this.#instance}, ${escapeText(key)}, ${body}, ${this.#database.traits.now} from gateway
      where instance = ${replica}`.execute(this.#database.sql);
    this.#lastReadAt = performance.now();
    return numAffectedRows === 1n;
  }

  /** Reads answers, and deletes the rows of finished calls. */
  async #syncOutbox(): Promise<void> {
    try {
      const ids = [...this.#finished];
      if (ids.length > 0) await this.#deleteRows(ids);
      for (const id of ids) this.#finished.delete(id);
      if (this.#pending.size > 0) await this.#readAnswers([...this.#pending.keys()]);
    } catch (err) {
      this.#logger?.debug({ err }, 'answers to forwarded calls could not be read');
      // An unavailable database is tolerated for as long as it takes to detect a dead replica.
      if (performance.now() - this.#lastReadAt >= unclaimedTimeout) this.#rejectAll(this.#failure(err));
    }
    this.#schedulePoll();
  }

  pollOutbox(): void {
    if (this.#pending.size > 0 || this.#finished.size > 0) this.#readOutbox();
  }

  #schedulePoll(): void {
    clearTimeout(this.#timer);
    if (this.#pending.size === 0 && this.#finished.size === 0) return;
    this.#timer = setTimeout(() => this.pollOutbox(), pollEvery);
    this.#timer.unref();
  }

  async #readAnswers(ids: readonly string[]): Promise<void> {
    const began = performance.now();
    // A call fails when its addressee is dead, or has not claimed it in time.
    const { rows } = await sql<{ id: string; answer: string | null; failed: boolean }>`
      select id, answer, instance is null
        or (taken_at is null and ${this.#database.traits.now} - created_at > ${sql.lit(unclaimedTimeout)}) as failed
      from question left join gateway on instance = addressee where id in (${sql.join(ids)})`.execute(
      this.#database.sql,
    );
    this.#lastReadAt = began;
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const row = found.get(id);
      const call = this.#pending.get(id);
      if (row && row.answer !== null) call?.resolve(row.answer);
      else if (!row || row.failed) call?.reject(ownerUnreachable());
    }
  }

  async #deleteRows(ids: readonly string[]): Promise<void> {
    await sql`delete from question where id in (${sql.join(ids)})`.execute(this.#database.sql);
  }

  #rejectAll(reason: A2AError): void {
    for (const { reject } of this.#pending.values()) reject(reason);
  }

  /** Implements `Peers.onForwarded`. */
  onForwarded(listener: (request: ForwardedRequest) => Promise<string>): void {
    this.#handler = listener;
    this.pollInbox();
  }

  /** Claims and answers the calls that other replicas forwarded to this one. */
  pollInbox(): void {
    if (this.#handler && !this.#closed) this.#readInbox();
  }

  async #claimInbox(): Promise<void> {
    // An older call has timed out, or its asker is dead.
    const claim = sql<Record<'id' | 'asker' | 'key' | 'body', string>>`
    update question set taken_at = ${this.#database.traits.now} where id in (
      select id from question
      where addressee = ${this.#instance} and taken_at is null and created_at > ${this.#database.traits.now} - ${sql.lit(unclaimedTimeout)}
        and asker in (select instance from gateway)
      order by created_at limit ${batch} for update skip locked)
    returning id, asker, key, body`;
    try {
      for (;;) {
        const { rows } = await claim.execute(this.#database.sql);
        for (const { id, asker, key, body } of rows) void this.#reply(id, asker, { key, body });
        if (rows.length < batch) return;
      }
    } catch (err) {
      this.#logger?.debug({ err }, 'the inbox of forwarded calls could not be read');
    }
  }

  async #reply(id: string, asker: string, request: ForwardedRequest): Promise<void> {
    try {
      const asked = async () => this.#handler?.({ ...request, key: unescapeText(request.key) });
      const answer = await asked().catch((err: unknown) => {
        this.#logger?.error({ task: request.key, err }, 'a forwarded call could not be answered');
        return undefined;
      });
      await this.#writeAnswer(id, answer);
      this.#notify(asker, { answered: true });
    } catch (err) {
      this.#logger?.warn({ task: request.key, err }, 'the answer to a forwarded call could not be written');
    }
  }

  /**
   * Writes an answer, with retries while the database is unavailable: the call was executed, and its answer must reach the asker.
   */
  async #writeAnswer(id: string, answer: string | undefined): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // No effect if the asker has given up. A missing row tells the asker that there is no answer.
        if (answer === undefined) await this.#deleteRows([id]);
        else await sql`update question set answer = ${answer}, body = '' where id = ${id}`.execute(this.#database.sql);
        return;
      } catch (error) {
        if (attempt === attempts || this.#closed || !this.#database.isUnavailable(error)) throw error;
        await delay(attempt * 250);
      }
    }
  }

  /** Stops answering, and rejects all pending calls. Resolves when their rows are deleted, or cannot be deleted. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const ids = [...this.#finished, ...this.#pending.keys()];
    this.#rejectAll(new A2AError('unavailable', 'The gateway is stopping'));
    this.#pending.clear();
    if (ids.length > 0) await this.#deleteRows(ids).catch(() => undefined);
  }
}

const ownerUnreachable = (): A2AError =>
  new A2AError('unavailable', 'The replica that owns this task does not answer', { retryAfter });

/** Returns a function that starts `run`, which never rejects. A start during a run causes one more run after it. */
function oneAtATime(run: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const start = (): void => {
    again = running;
    if (running) return;
    running = true;
    void run().finally(() => {
      running = false;
      if (again) start();
    });
  };
  return start;
}
