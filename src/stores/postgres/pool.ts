import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientBase, ClientConfig, Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg';
import type { Logger } from '../../core/ports/logger.ts';
import type { StoreConnections } from '../../core/ports/store.ts';
import { codeOf, isEnding, isQueueFull, isServerError, isStale } from './errors.ts';
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

/** The servers of the database, of which one is used at a time; the next one when that one fails. */
class ServerRotation {
  readonly #servers: PostgresSettings['servers'];
  #at = 0;

  constructor(servers: PostgresSettings['servers']) {
    this.#servers = servers;
  }

  get current(): PostgresServerAddress {
    return this.#servers[this.#at] ?? this.#servers[0];
  }

  /** Switches to the next server, unless another caller has done so already. */
  advance(server: PostgresServerAddress): void {
    if (this.current === server) this.#at = (this.#at + 1) % this.#servers.length;
  }

  /** Connects to the first server for which that succeeds, beginning with the current one. */
  async first<T>(connect: (server: PostgresServerAddress) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const server = this.current;
      try {
        return await connect(server);
      } catch (error) {
        if (isQueueFull(error)) throw error;
        this.advance(server);
        if (attempt >= this.#servers.length) throw error;
      }
    }
  }
}

/**
 * A pool of connections to the writable server, wherever it is. Every wait has a time-out. When a connection turns out
 * to be broken, it and all that were opened before it are replaced, as they probably lead to the same failed server.
 */
export class PostgresPool {
  readonly #driver: Driver;
  readonly #settings: PostgresSettings;
  readonly #config: ClientConfig;
  readonly #route: ServerRotation;
  readonly #pool: Pool;
  readonly #origins = new WeakMap<ClientBase, { server: PostgresServerAddress; generation: number }>();
  /** Backend processes that serve connections of this gateway. */
  readonly #processes = new Set<string>();
  /** Connections of earlier generations are not used any more. */
  #generation = 0;

  constructor(driver: Driver, settings: PostgresSettings, logger: Logger | undefined) {
    this.#driver = driver;
    this.#settings = settings;
    this.#route = new ServerRotation(settings.servers);
    const { limits } = settings;
    this.#config = configOf(driver, settings);
    const route = this.#route;
    const origins = this.#origins;
    const generation = (): number => this.#generation;
    const settled = this.#config;
    // The pool creates clients by itself: each one connects to the server that is current then.
    class RoutedClient extends driver.Client {
      constructor() {
        const server = route.current;
        super({ ...settled, ...addressOf(server, settled) });
        origins.set(this, { server, generation: generation() });
        // A broken connection rejects its query; without a listener the event would end the process.
        this.on('error', () => undefined);
      }
    }
    this.#pool = new driver.Pool({
      Client: RoutedClient,
      max: limits.max,
      connectionTimeoutMillis: limits.connect,
      idleTimeoutMillis: limits.idle,
      onConnect: (client) => this.#initSession(client, limits.statement),
    } satisfies PoolConfig);
    this.#pool.on('error', (err) => logger?.debug({ err }, 'a connection to the store was lost'));
  }

  /** Runs a statement; retries it once on a new connection when its prepared statement was stale. */
  async query<Row extends object>(statement: QueryConfig): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.acquire();
      try {
        const result = await client.query<Row>(statement);
        client.release();
        return result;
      } catch (error) {
        this.release(client, error);
        // It was not executed: it is safe to send it again.
        if (!isStale(error) || attempt === 2) throw error;
      }
    }
  }

  /** Takes a connection, to be given back by `release`. Skips connections of earlier generations. */
  acquire(): Promise<PoolClient> {
    return this.#route.first(async () => {
      for (;;) {
        const client = await this.#pool.connect();
        if (this.#origins.get(client)?.generation === this.#generation) return client;
        destroy(client);
      }
    });
  }

  /** @param error of a statement: decides whether the connection is reused */
  release(client: PoolClient, error?: unknown): void {
    if (error === undefined) {
      client.release();
      return;
    }
    const origin = this.#origins.get(client);
    const readOnly = codeOf(error) === '25006';
    const broken = !isServerError(error) || isStale(error) || readOnly;
    if (readOnly && origin) this.#route.advance(origin.server);
    if (broken && origin?.generation === this.#generation) this.#generation += 1;
    if (broken || isEnding(error)) destroy(client);
    else client.release();
  }

  /**
   * A connection outside the pool to the writable server. Rejects in bounded time when there is none. Its user must
   * watch for `end`.
   *
   * @param statement milliseconds that each of its statements may take
   */
  dial(statement: number = this.#settings.limits.statement): Promise<Client> {
    return this.#route.first(async (server) => {
      const address = addressOf(server, this.#config);
      const client = new this.#driver.Client({ ...this.#config, ...address, query_timeout: statement + 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await this.#initSession(client, statement);
        return client;
      } catch (error) {
        client.end().catch(() => undefined);
        throw error;
      }
    });
  }

  get connections(): StoreConnections {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { open, idle, waiting };
  }

  /** Rejects when there is no writable server, or when a pooler shares connections between statements. */
  async verify(): Promise<void> {
    const clients = [await this.dial()];
    try {
      clients.push(await this.dial());
    } finally {
      for (const client of clients) await client.end().catch(() => undefined);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #initSession(client: ClientBase, statement: number): Promise<void> {
    const { connect, idleInTransaction } = this.#settings.limits;
    const values = [String(statement), String(idleInTransaction)];
    // Bounds the wait for the answer; `query_timeout` of a single query is missing in the types.
    const query = { text: sessionStatement, values, query_timeout: connect } as QueryConfig;
    const [row] = (await client.query<{ read_only: string; process: string }>(query)).rows;
    if (row?.read_only === 'on') throw new Error('the server is read-only');
    const process = row?.process ?? '';
    // A pooler switches connections between statements: prepared statements of one gateway would reach another's. A
    // connection that was just closed may still be in the set.
    if (this.#processes.has(process)) await delay(100);
    if (this.#processes.has(process)) {
      throw new Error('the pooler shares connections between clients; set PgBouncer to pool_mode = session');
    }
    this.#processes.add(process);
    client.once('end', () => this.#processes.delete(process));
  }
}

/** Closes a connection without waiting for the other side. */
function destroy(client: PoolClient): void {
  client.release(true);
  client.connection.stream.destroy();
}

/** The configuration of connections, except host and port. Certificate files are read here, once. */
function configOf({ Client: AnyClient, types }: Driver, settings: PostgresSettings): ClientConfig {
  const { connectionString, limits, channelBinding, servers } = settings;
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
    // All servers are tried within the connect time-out.
    connectionTimeoutMillis: Math.max(500, Math.floor(limits.connect / servers.length)),
    query_timeout: limits.answer,
    keepAlive: true,
    enableChannelBinding: channelBinding,
    types: { getTypeParser } as NonNullable<PoolConfig['types']>,
  };
}

const addressOf = (
  { host, port }: PostgresServerAddress,
  { host: usual, port: usualPort }: ClientConfig,
): ClientConfig => ({
  host: host ?? usual,
  port: port ?? usualPort,
});
