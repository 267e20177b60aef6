import { sql } from 'kysely';
import type { Logger } from '../../core/ports/logger.ts';
import type { ForwardedRequest } from '../../core/ports/peers.ts';
import type { Database } from '../database.ts';
import type { QuestionTable } from '../schema.ts';
import { unescapeText } from '../text.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { unclaimedTimeout } from './outbox.ts';

export interface PeerInboxOptions {
  readonly database: Database;
  /** This gateway's name in rows. */
  readonly instance: string;
  /** Notifies a replica that its answer is there. */
  readonly onAnswer: (asker: string) => void;
  readonly logger: Logger | undefined;
}

type ClaimedCall = Pick<QuestionTable, 'id' | 'asker' | 'key' | 'body'>;

/** Calls claimed by one statement. */
const batch = 100;
/** Attempts to write an answer while the database is unavailable. */
const attempts = 8;

/**
 * Calls that other replicas forward to this one. Each is claimed once, by a statement that only one claimer can win.
 */
export class PeerInbox {
  readonly #options: PeerInboxOptions;
  readonly #poll = oneAtATime(() => this.#claimAll());
  #handler: ((request: ForwardedRequest) => Promise<string>) | undefined;
  #closed = false;

  constructor(options: PeerInboxOptions) {
    this.#options = options;
  }

  /** As of `Peers.onForwarded`. */
  onForwarded(handler: (request: ForwardedRequest) => Promise<string>): void {
    this.#handler = handler;
    this.poll();
  }

  /** Claims and answers the open calls. */
  poll(): void {
    if (this.#handler && !this.#closed) this.#poll();
  }

  close(): void {
    this.#closed = true;
  }

  async #claimAll(): Promise<void> {
    const { database, instance, logger } = this.#options;
    const { now } = database.traits;
    // An older call has timed out, or its asker is dead.
    const claim = sql<ClaimedCall>`
      update question set taken_at = ${now} where id in (
        select id from question
        where addressee = ${instance} and taken_at is null and created_at > ${now} - ${sql.lit(unclaimedTimeout)}
          and asker in (select instance from gateway)
        order by created_at limit ${batch} for update skip locked)
      returning id, asker, key, body`;
    try {
      for (;;) {
        const { rows } = await claim.execute(database.sql);
        for (const row of rows) void this.#reply(row);
        if (rows.length < batch) return;
      }
    } catch (err) {
      logger?.debug({ err }, 'the inbox of forwarded calls could not be read');
    }
  }

  async #reply({ id, asker, key: escaped, body }: ClaimedCall): Promise<void> {
    const { database, logger, onAnswer } = this.#options;
    const { sql: db } = database;
    const key = unescapeText(escaped);
    try {
      const answer = await this.#handler?.({ key, body }).catch((err: unknown) => {
        logger?.error({ task: key, err }, 'a forwarded call could not be answered');
      });
      // No effect if the asker has given up. A missing row tells the asker that there is no answer.
      await this.#persist(() =>
        answer === undefined
          ? db.deleteFrom('question').where('id', '=', id).execute()
          : db.updateTable('question').set({ answer, body: '' }).where('id', '=', id).execute(),
      );
      onAnswer(asker);
    } catch (err) {
      logger?.warn({ task: key, err }, 'the answer to a forwarded call could not be written');
    }
  }

  /**
   * Retries the write: the call was executed, so its answer should reach the asker although the database is briefly
   * unavailable.
   */
  async #persist(write: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await write();
        return;
      } catch (error) {
        if (attempt === attempts || this.#closed || !this.#options.database.isUnavailable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * 250));
      }
    }
  }
}
