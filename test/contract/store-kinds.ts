/** The databases that suites of stores run on: a SQLite file and a real PostgreSQL, and SQLite in memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createStore } from '../../src/stores/index.ts';
import { afterTest } from '../support/peer.ts';
import { query, sharedPostgres, silence } from '../support/postgres.ts';
import type { StoreKind, TestDatabase } from './store.suite.ts';

function databaseAt(url: string, silence: TestDatabase['silence']): TestDatabase {
  return {
    url,
    silence,
    async open(instance = 'test') {
      const store = createStore(url, { instance });
      await store.open();
      afterTest(() => store.close());
      return store;
    },
  };
}

/** SQLite in memory, which differs from a file only in how it is opened: the slow tier has it. */
export const inMemory: StoreKind = {
  name: 'SQLite in memory',
  database: async () => databaseAt('memory:', async () => undefined),
};

/** What every suite runs on. */
export const storeKinds: readonly StoreKind[] = [
  {
    name: 'a SQLite file',
    shared: { noticesDeath: true, bytesWritten: async () => bytesOfThisProcess() },
    async database() {
      const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-stores-'));
      afterTest(() => rmSync(folder, { recursive: true, force: true }));
      const path = join(folder, 'new', 'gateway.db');
      return databaseAt(`sqlite:${path}`, async (instance) => {
        const database = new DatabaseSync(path, { timeout: 10_000 });
        const itsHeartbeat = `on gateway when new.instance like '${instance}/%' begin select raise(ignore); end`;
        database.exec(
          `begin immediate;
           update gateway set heartbeat = heartbeat - 60000 where instance like '${instance}/%';
           create trigger silent_update before update ${itsHeartbeat};
           create trigger silent_insert before insert ${itsHeartbeat};
           commit`,
        );
        database.close();
      });
    },
  },
  {
    name: 'PostgreSQL',
    shared: {
      noticesDeath: false,
      async bytesWritten() {
        const [row] = await query(await anyUrl(), "select pg_current_wal_insert_lsn() - '0/0' as bytes");
        return Number(row?.bytes);
      },
    },
    async database({ empty = false } = {}) {
      const server = await sharedPostgres();
      const url = empty ? await server.database() : await server.migrated();
      // A heartbeat that is only old would be waited for while the server is young.
      return databaseAt(url, (instance) => silence(url, instance));
    },
  },
];

let any: Promise<string> | undefined;
const anyUrl = (): Promise<string> => {
  any ??= sharedPostgres().then((server) => server.database());
  return any;
};

/** Bytes that this process has handed to the system to write, which Linux counts. */
function bytesOfThisProcess(): number | undefined {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
