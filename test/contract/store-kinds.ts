/** The databases that suites of stores run on. SQLite in memory differs from a file only in how it is opened. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../src/core/ports/store.ts';
import type { Database } from '../../src/stores/database.ts';
import { createStore } from '../../src/stores/index.ts';
import { openPostgres } from '../../src/stores/postgres/database.ts';
import { openSqlite } from '../../src/stores/sqlite/database.ts';
import { createSqlStore } from '../../src/stores/store.ts';
import { WorldAtOnce } from '../simulation/world/at-once.ts';
import { SharedDatabase } from '../simulation/world/database.ts';
import { Host } from '../simulation/world/hosts.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { query, sharedPostgres, silence } from '../support/postgres.ts';
import type { StoreKind, TestDatabase } from './store.suite.ts';

function databaseAt(url: string, rest: Pick<TestDatabase, 'silence' | 'read'>): TestDatabase {
  return {
    url,
    ...rest,
    async open(instance = 'test', options = {}) {
      const store = createStore(url, { instance, ...options });
      await store.open();
      afterTest(() => store.close());
      return store;
    },
  };
}

/** Makes gateways of a name appear silent in SQLite, from a minute ago on. */
function silencing(instance: string): string[] {
  const itsHeartbeat = `on gateway when new.instance like '${instance}/%' begin select raise(ignore); end`;
  return [
    `update gateway set heartbeat = heartbeat - 60000 where instance like '${instance}/%'`,
    `create trigger silent_update before update ${itsHeartbeat}`,
    `create trigger silent_insert before insert ${itsHeartbeat}`,
  ];
}

/** The simulated database, which several stores share as they share PostgreSQL. */
export const simulatedKind: StoreKind = {
  name: 'the simulated database',
  noticesDeath: false,
  isInProcess: true,
  bytesWritten: async () => undefined,
  async database() {
    const shared = await SharedDatabase.open(new WorldAtOnce());
    return {
      url: '',
      async open(instance = 'test', options = {}) {
        const host = new Host(instance, '');
        const store = createSqlStore({
          shown: 'simulated',
          instance,
          ...options,
          connect: async () => shared.connect(host),
        });
        await store.open();
        afterTest(() => store.close());
        return store;
      },
      silence: (instance) => shared.execute(silencing(instance)),
      read: (text) => shared.read(text),
    };
  },
};

/** Stores for every suite. */
export const storeKinds: readonly StoreKind[] = [
  {
    name: 'a SQLite file',
    noticesDeath: true,
    bytesWritten: async () => bytesOfThisProcess(),
    async database() {
      const folder = newFolder();
      const path = join(folder, 'new', 'gateway.db');
      const use = <T>(run: (database: DatabaseSync) => T): T => {
        const database = new DatabaseSync(path, { timeout: paced(10_000) });
        try {
          return run(database);
        } finally {
          database.close();
        }
      };
      return databaseAt(`sqlite:${path}`, {
        silence: async (instance) =>
          use((database) => database.exec(['begin immediate', ...silencing(instance), 'commit'].join(';'))),
        read: async (text) => use((database) => database.prepare(text).all()),
      });
    },
  },
  {
    name: 'PostgreSQL',
    noticesDeath: false,
    async bytesWritten() {
      const [row] = await query(await anyUrl(), "select pg_current_wal_insert_lsn() - '0/0' as bytes");
      return Number(row?.bytes);
    },
    async database({ empty = false } = {}) {
      const server = await sharedPostgres();
      const url = empty ? await server.database() : await server.migrated();
      // A heartbeat that is only old would be waited for while the server is young.
      return databaseAt(url, { silence: (instance) => silence(url, instance), read: (text) => query(url, text) });
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

/** Open an empty database each, for tests of what is in the tables. */
export const emptyDatabases: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: () => openSqlite({ path: ':memory:', flush: false }),
  PostgreSQL: async () => openPostgres(await (await sharedPostgres()).database(), undefined),
};

/** A store on a database that is open, or on one in memory: closed after the test, with its database. */
export async function openStoreOn(
  opening: Database | Promise<Database> = openSqlite({ path: ':memory:', flush: false }),
): Promise<{ store: Store; database: Database }> {
  const database = await opening;
  const store = createSqlStore({ shown: 'test', instance: 'test', connect: async () => database });
  await store.open();
  afterTest(() => store.close());
  return { store, database };
}
