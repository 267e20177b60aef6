import type { DatabaseConnection, Driver } from 'kysely';

type Execute = DatabaseConnection['executeQuery'];

/**
 * A Kysely driver over a function that runs single statements. It has no transactions: statements of other calls would
 * get into one that awaits.
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
