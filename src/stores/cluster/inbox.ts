import { sql } from 'kysely';
import type { Logger } from '../../core/ports/logger.ts';
import type { ForwardedRequest } from '../../core/ports/peers.ts';
import type { Database } from '../database.ts';
import { unescapeText } from '../text.ts';
import { unclaimedTimeout } from './outbox.ts';
import type { QuestionTable } from './schema.ts';

export interface PeerInboxOptions {
  readonly database: Database;
  /** This gateway, as rows name it. */
  readonly instance: string;
  /** Tells a gateway that there is an answer for it. */
  readonly onAnswer: (asker: string) => void;
  readonly logger: Logger | undefined;
}

type ClaimedQuestion = Pick<QuestionTable, 'id' | 'asker' | 'key' | 'body'>;

/** Questions taken up with one statement. */
const batch = 100;
/** How often an answer is written until the database takes it. */
const attempts = 8;

/** What this gateway is asked by others: each question is taken up once, by a statement that only one can win. */
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

  /** Takes up the questions that there are. */
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
            // Whoever asked has given it up by then, or is dead.
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
      // Without an effect when it is not waited for any more. Who waits for a row that is gone is told so.
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

  /** What was done must not stay untold because the database is away for a moment. */
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
