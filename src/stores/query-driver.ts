import { type DatabaseConnection, type Dialect, DummyDriver, Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** Kysely over a function that runs single statements. Transactions would mix with the statements of other calls. */
export function kyselyOver(
  dialect: Omit<Dialect, 'createDriver'>,
  executeQuery: DatabaseConnection['executeQuery'],
): Kysely<Tables> {
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery() {
      throw new TypeError('Results are read whole.');
    },
  };
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => connection,
    async beginTransaction() {
      throw new TypeError('Use Database.transaction or Database.transact.');
    },
  });
  return new Kysely({ dialect: { ...dialect, createDriver: () => driver } });
}
