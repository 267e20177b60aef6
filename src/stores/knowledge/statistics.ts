import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** Statements below which any plan will do. */
const small = 1_000;

/** Tables whose indexes are told apart by what the database knows of their columns. */
const tables = ['knowledge_statement', 'knowledge_term', 'knowledge_type'] as const;

/**
 * Has the database look at the tables again when a space has doubled, where it plans by what it has seen of them: its own
 * rounds come a minute late, and until then it would take an index for as good as any other.
 */
export class Statistics {
  readonly #database: Database;
  #seen = small / 2;
  #looking: Promise<unknown> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param statements how many a space has now */
  grown(statements: number): void {
    if (!this.#database.traits.plansByStatistics || this.#looking || statements < 2 * this.#seen) return;
    this.#seen = statements;
    this.#looking = this.#look()
      // It is done again at its own time.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async idle(): Promise<void> {
    await this.#looking;
  }

  async #look(): Promise<void> {
    for (const table of tables) await sql`analyze ${sql.table(table)}`.execute(this.#database.sql);
  }
}
