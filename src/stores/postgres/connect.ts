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

/**
 * Statement for connections where each transaction may run in another session, whose settings are those of the role.
 */
const sharedSessionStatement = "select current_setting('transaction_read_only') as read_only";

/** Milliseconds for connecting, for a statement on the server, and for the wait for its answer. */
type ConnectionLimits = Pick<PostgresSettings['limits'], 'connect' | 'statement' | 'answer'>;

/** Opens a connection to a server. Rejects in bounded time if the server does not accept writes. */
export type Connect = (server: PostgresServerAddress, limits: ConnectionLimits) => Promise<Client>;

export function createConnect(driver: Driver, settings: PostgresSettings): Connect {
  const config = configOf(driver, settings);
  /** Backend processes that serve connections of this gateway. */
  const processes = new Set<string>();

  async function initSession(client: ClientBase, { statement, connect }: ConnectionLimits): Promise<void> {
    const values = [String(statement), String(settings.limits.idleInTransaction)];
    const session = settings.shared ? { text: sharedSessionStatement } : { text: sessionStatement, values };
    // Bounds the wait for the answer; `query_timeout` of a single query is missing in the types.
    const query: QueryConfig & { query_timeout: number } = { ...session, query_timeout: connect };
    const [row] = (await client.query<{ read_only: string; process: string }>(query)).rows;
    if (row?.read_only === 'on') throw new Error('the server is read-only');
    if (settings.shared) return;
    const process = row?.process ?? '';
    // A pooler switches connections between statements: prepared statements of one gateway would reach another's. A
    // connection that was just closed may still be in the set.
    if (processes.has(process)) await delay(100);
    if (processes.has(process)) {
      throw new Error(
        'the pooler shares connections between clients; set PgBouncer to pool_mode = session, or add pool_mode=transaction to the store',
      );
    }
    processes.add(process);
    client.once('end', () => processes.delete(process));
  }

  return async (server, limits) => {
    const timeouts = { connectionTimeoutMillis: limits.connect, query_timeout: limits.answer };
    const named = new driver.Client({ ...config, ...server, ...timeouts });
    const client = settings.shared ? withoutNames(named) : named;
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

/**
 * Removes the names of a client's statements: a pooler may send each transaction to a server connection that does not have the
 * named statement.
 */
function withoutNames(client: Client): Client {
  const query: (...parameters: unknown[]) => unknown = client.query.bind(client);
  const unnamed = (statement: QueryConfig | string, ...rest: unknown[]): unknown =>
    query(typeof statement === 'string' ? statement : { ...statement, name: undefined }, ...rest);
  return Object.assign(client, { query: unnamed });
}

/** The configuration of connections, as far as an address does not override it. Certificate files are read here, once. */
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
