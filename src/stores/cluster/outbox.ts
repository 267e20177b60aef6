import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ForwardedRequest } from '../../core/ports/peers.ts';
import type { Database } from '../database.ts';
import { escapeText } from '../text.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** Milliseconds between two polls for answers, in case a notification is lost. */
const pollEvery = 500;
/** Milliseconds after which a question that no replica has claimed expires. */
export const unclaimedTimeout = 10_000;
/** Seconds after which a caller may try again: by then another replica has taken over a dead one's tasks. */
const retryAfter = 10;

export interface PeerOutboxOptions {
  readonly database: Database;
  /** This gateway's name in rows. */
  readonly instance: string;
  /** Notifies a replica that it has a question. */
  readonly onQuestion: (addressee: string) => void;
  readonly failure: (error: unknown) => A2AError;
  readonly logger: Logger | undefined;
}

interface PendingQuestion {
  readonly resolve: (answer: string) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Calls that this gateway forwards to other replicas. A question is a row, which is deleted when it is answered or
 * given up: rows contain what callers wrote. Notifications make it fast; polling finds answers without them.
 */
export class PeerOutbox {
  readonly #options: PeerOutboxOptions;
  readonly #pending = new Map<string, PendingQuestion>();
  /** Ids of rows to delete. */
  readonly #done = new Set<string>();
  readonly #poll = oneAtATime(() => this.#read());
  #timer: NodeJS.Timeout | undefined;
  /** When the questions were last read from the database. */
  #lastReadAt = 0;

  constructor(options: PeerOutboxOptions) {
    this.#options = options;
  }

  /** As of `Peers.forward`. */
  async forward(addressee: string, { key, body }: ForwardedRequest, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const written = this.#write(id, addressee, key, body).then(
      (isWritten) => {
        if (!isWritten) reject(ownerUnreachable());
        else if (!signal.aborted) {
          this.#pending.set(id, { resolve, reject });
          this.#options.onQuestion(addressee);
          this.#schedulePoll();
        }
      },
      (error: unknown) => reject(this.#options.failure(error)),
    );
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#pending.delete(id);
      // Delete the row only after its insert, or it would stay.
      void written.then(() => {
        this.#done.add(id);
        this.poll();
      });
    }
  }

  /** Reads answers, and deletes finished questions. */
  poll(): void {
    if (this.#pending.size > 0 || this.#done.size > 0) this.#poll();
  }

  /** Rejects all pending calls. Resolves when their rows are deleted, or cannot be. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const ids = [...this.#done, ...this.#pending.keys()];
    for (const { reject } of this.#pending.values()) reject(new A2AError('unavailable', 'The gateway is stopping'));
    this.#pending.clear();
    if (ids.length > 0) await this.#delete(ids).catch(() => undefined);
  }

  async #write(id: string, addressee: string, key: string, body: string): Promise<boolean> {
    const { database, instance } = this.#options;
    const { numAffectedRows } = await sql`
      insert into question (id, addressee, asker, key, body, created_at)
      select ${id}, instance, ${instance}, ${escapeText(key)}, ${body}, ${database.traits.now} from gateway
      where instance = ${addressee}`.execute(database.sql);
    this.#lastReadAt = performance.now();
    return numAffectedRows === 1n;
  }

  async #read(): Promise<void> {
    try {
      const done = [...this.#done];
      if (done.length > 0) await this.#delete(done);
      for (const id of done) this.#done.delete(id);
      if (this.#pending.size > 0) await this.#readAnswers([...this.#pending.keys()]);
    } catch (err) {
      this.#failed(err);
    }
    this.#schedulePoll();
  }

  async #readAnswers(ids: readonly string[]): Promise<void> {
    const { sql: db, traits } = this.#options.database;
    const began = performance.now();
    const rows = await db
      .selectFrom('question')
      .leftJoin('gateway', 'gateway.instance', 'question.addressee')
      .select(['id', 'answer', 'taken_at', 'gateway.instance as owner'])
      .select(sql<number>`${traits.now} - created_at`.as('age'))
      .where('id', 'in', ids)
      .execute();
    this.#lastReadAt = began;
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const row = found.get(id);
      const pending = this.#pending.get(id);
      if (row && row.answer !== null) pending?.resolve(row.answer);
      else if (!row?.owner || (row.taken_at === null && row.age > unclaimedTimeout)) {
        pending?.reject(ownerUnreachable());
      }
    }
  }

  async #delete(ids: readonly string[]): Promise<void> {
    await this.#options.database.sql.deleteFrom('question').where('id', 'in', ids).execute();
  }

  /** An unavailable database is tolerated for as long as it takes to detect a dead replica. */
  #failed(err: unknown): void {
    this.#options.logger?.debug({ err }, 'answers to forwarded calls could not be read');
    if (performance.now() - this.#lastReadAt < unclaimedTimeout) return;
    for (const { reject } of this.#pending.values()) reject(this.#options.failure(err));
  }

  #schedulePoll(): void {
    clearTimeout(this.#timer);
    if (this.#pending.size === 0 && this.#done.size === 0) return;
    this.#timer = setTimeout(() => this.poll(), pollEvery);
    this.#timer.unref();
  }
}

const ownerUnreachable = (): A2AError =>
  new A2AError('unavailable', 'The replica that owns this task does not answer', { retryAfter });
