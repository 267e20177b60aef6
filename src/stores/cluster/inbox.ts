import { sql } from 'kysely';
import type { Logger } from '../../core/ports/logger.ts';
import type { ForwardedRequest } from '../../core/ports/peers.ts';
import type { Database } from '../database.ts';
import { unescapeText } from '../text.ts';
import { unclaimedTimeout } from './outbox.ts';
import type { QuestionTable } from './schema.ts';

export interface PeerInboxOptions {
  readonly database: Database;
  /** This gateway's name in rows. */
  readonly instance: string;
  /** Notifies a replica that its answer is there. */
  readonly onAnswer: (asker: string) => void;
  readonly logger: Logger | undefined;
}

type ClaimedQuestion = Pick<QuestionTable, 'id' | 'asker' | 'key' | 'body'>;

/** Questions claimed by one statement. */
const batch = 100;
/** Attempts to write an answer while the database is unavailable. */
const attempts = 8;

/**
 * Calls that other replicas forward to this one. Each is claimed once, by a statement that only one claimer can win.
 */
export class PeerInbox {
  readonly #options: PeerInboxOptions;
  #answer: ((question: ForwardedRequest) => Promise<string>) | undefined;
  #reading = false;
  #again = false;
  #closed = false;

  constructor(options: PeerInboxOptions) {
    this.#options = options;
  }

  /** As of `Peers.onAsked`. */
  onAsked(answer: (question: ForwardedRequest) => Promise<string>): void {
    this.#answer = answer;
    this.poll();
  }

  /** Claims and answers the open questions. */
  poll(): void {
    if (!this.#answer || this.#closed) return;
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    this.#poll()
      .catch((err: unknown) => {
        this.#options.logger?.debug({ err }, 'the inbox of forwarded calls could not be read');
      })
      .finally(() => {
        this.#reading = false;
        const again = this.#again;
        this.#again = false;
        if (again) this.poll();
      });
  }

  close(): void {
    this.#closed = true;
  }

  async #poll(): Promise<void> {
    const { database, instance } = this.#options;
    const { now } = database.traits;
    for (;;) {
      const rows = await database.sql
        .updateTable('question')
        .set({ taken_at: now })
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('question')
            .select('id')
            .where('addressee', '=', instance)
            .where('taken_at', 'is', null)
            // An older question has timed out, or its asker is dead.
            .where('created_at', '>', sql<number>`${now} - ${sql.lit(unclaimedTimeout)}`)
            .where('asker', 'in', selectFrom('gateway').select('instance'))
            .orderBy('created_at')
            .limit(batch)
            .forUpdate()
            .skipLocked(),
        )
        .returning(['id', 'asker', 'key', 'body'])
        .execute();
      for (const row of rows) void this.#reply(row);
      if (rows.length < batch) return;
    }
  }

  async #reply({ id, asker, key, body }: ClaimedQuestion): Promise<void> {
    const { database, logger, onAnswer: told } = this.#options;
    const db = database.sql;
    try {
      const answer = await this.#answerFor({ key: unescapeText(key), body });
      // No effect if the asker has given up. A missing row tells the asker that there is no answer.
      await this.#persist(() =>
        answer === undefined
          ? db.deleteFrom('question').where('id', '=', id).execute()
          : db.updateTable('question').set({ answer, body: '' }).where('id', '=', id).execute(),
      );
      told(asker);
    } catch (err) {
      logger?.warn({ task: unescapeText(key), err }, 'the answer to a forwarded call could not be written');
    }
  }

  async #answerFor(question: ForwardedRequest): Promise<string | undefined> {
    try {
      return await this.#answer?.(question);
    } catch (err) {
      this.#options.logger?.error({ task: question.key, err }, 'a forwarded call could not be answered');
      return undefined;
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
