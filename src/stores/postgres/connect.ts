import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientBase, ClientConfig, QueryConfig } from 'pg';
import type { PostgresServerAddress, PostgresSettings } from './url.ts';

/** The module `pg`, which is loaded with the first PostgreSQL store. */
type Driver = typeof import('pg')['default'];

/** The oid of bigint, which pg leaves as text. The store's values are below 2^53. */
const bigint = 20;

/**
 * Initialises a session by a statement: poolers such as PgBouncer reject settings in start-up parameters. The result
 * says whether the server is writable, and which backend process serves the connection.
 */
const sessionStatement = `select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),
  current_setting('transaction_read_only') as read_only, concat(pg_backend_pid(), pg_postmaster_start_time()) as process`;

/** Milliseconds that connecting may take, that the server gives a statement, and after which its answer is given up. */
type ConnectionLimits = Pick<PostgresSettings['limits'], 'connect' | 'statement' | 'answer'>;

/** Opens a connection to a server. Rejects in bounded time where the server does not accept writes. */
export type Connect = (server: PostgresServerAddress, limits: ConnectionLimits) => Promise<Client>;

export function createConnect(driver: Driver, settings: PostgresSettings): Connect {
  const config = configOf(driver, settings);
  /** Backend processes that serve connections of this gateway. */
  const processes = new Set<string>();

  async function initSession(client: ClientBase, { statement, connect }: ConnectionLimits): Promise<void> {
    const values = [String(statement), String(settings.limits.idleInTransaction)];
    // Bounds the wait for the answer; `query_timeout` of a single query is missing in the types.
    const query = { text: sessionStatement, values, query_timeout: connect } as QueryConfig;
    const [row] = (await client.query<{ read_only: string; process: string }>(query)).rows;
    if (row?.read_only === 'on') throw new Error('the server is read-only');
    const process = row?.process ?? '';
    // A pooler switches connections between statements: prepared statements of one gateway would reach another's. A
    // connection that was just closed may still be in the set.
    if (processes.has(process)) await delay(100);
    if (processes.has(process)) {
      throw new Error('the pooler shares connections between clients; set PgBouncer to pool_mode = session');
    }
    processes.add(process);
    client.once('end', () => processes.delete(process));
  }

  return async (server, limits) => {
    const timeouts = { connectionTimeoutMillis: limits.connect, query_timeout: limits.answer };
    const client = new driver.Client({ ...config, ...server, ...timeouts });
    // A broken connection rejects its query; without a listener the event would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await initSession(client, limits);
      return client;
    } catch (error) {
      client.end().catch(() => undefined);
      client.connection.stream.destroy();
      throw error;
    }
  };
}

/** The configuration of connections, where an address does not say otherwise. Certificate files are read here, once. */
function configOf({ Client: AnyClient, types }: Driver, settings: PostgresSettings): ClientConfig {
  const { connectionString, channelBinding } = settings;
  const { user, password, database, host, port, ssl } = new AnyClient({ connectionString });
  const parameters = new URL(connectionString).searchParams;
  const getTypeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
    oid === bigint ? Number : types.getTypeParser(oid, format as 'text');
  return {
    user,
    database,
    password,
    host,
    port,
    ssl,
    application_name: parameters.get('application_name') ?? 'a2a-gateway',
    options: parameters.get('options') ?? undefined,
    keepAlive: true,
    enableChannelBinding: channelBinding,
    types: { getTypeParser } as NonNullable<ClientConfig['types']>,
  };
}
