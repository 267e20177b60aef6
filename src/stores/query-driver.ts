import type { DatabaseConnection, Driver } from 'kysely';

/** Runs a statement on whatever connection there is for it. */
type Execute = DatabaseConnection['executeQuery'];

/**
 * Kysely's side of a database whose connections are handed out elsewhere, statement by statement. Transactions are not
 * Kysely's: one that awaits would take in what others do meanwhile.
 */
export class QueryDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(executeQuery: Execute) {
    this.#connection = { executeQuery, streamQuery };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new TypeError('Transactions go through Database.atomically.');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

const streamQuery: DatabaseConnection['streamQuery'] = () => {
  throw new TypeError('Results are read whole.');
};
