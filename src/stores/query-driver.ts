import type { DatabaseConnection, Driver } from 'kysely';

const nothing = async (): Promise<void> => undefined;

/**
 * A Kysely driver over a function that runs single statements. It has no transactions: statements of other calls would
 * get into one that awaits.
 */
export function queryDriver(executeQuery: DatabaseConnection['executeQuery']): Driver {
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery() {
      throw new TypeError('Results are read whole.');
    },
  };
  return {
    init: nothing,
    acquireConnection: async () => connection,
    async beginTransaction() {
      throw new TypeError('Use Database.transaction or Database.transact.');
    },
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
}
