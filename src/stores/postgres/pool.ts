import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientBase, ClientConfig, Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg';
import type { Logger } from '../../core/ports/logger.ts';
import type { StoreConnections } from '../../core/ports/store.ts';
import { codeOf, isEnding, isQueueFull, isServerError, isStale } from './errors.ts';
import type { PostgresServerAddress, PostgresSettings } from './url.ts';

/** node-postgres itself, which is loaded with the first PostgreSQL store. */
type Driver = typeof import('pg')['default'];

/** A server that answers and takes no writes: a standby, or one that was told not to. */
class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
}

/** A pooler that gives connections away between statements: what one gateway prepares, another one would run. */
class SharedConnection extends Error {
  override readonly name = 'SharedConnection';
}

/** The oid of bigint, which pg leaves as text. What the store keeps in it is below 2^53. */
const bigint = 20;

/**
 * Settings of a session, by a statement: poolers such as PgBouncer refuse them among the parameters of the start. What
 * it answers says whether this is the server that takes writes, and which of its processes serves the connection.
 */
const sessionStatement = `select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),
  current_setting('transaction_read_only') as read_only, concat(pg_backend_pid(), pg_postmaster_start_time()) as process`;

interface SessionRow {
  readonly read_only: string;
  readonly process: string;
}

/** How the servers of the database are reached: one at a time, the next one when that one is of no use. */
class ServerRotation {
  readonly #servers: PostgresSettings['servers'];
  #at = 0;

  constructor(servers: PostgresSettings['servers']) {
    this.#servers = servers;
  }

  get length(): number {
    return this.#servers.length;
  }

  get current(): PostgresServerAddress {
    return this.#servers[this.#at] ?? this.#servers[0];
  }

  /** Another one is tried from now on, unless one has been chosen meanwhile. */
  advance(server: PostgresServerAddress): void {
    if (this.current === server) this.#at = (this.#at + 1) % this.#servers.length;
  }
}

/** What is known of a connection. */
interface ConnectionOrigin {
  readonly server: PostgresServerAddress;
  readonly generation: number;
}

/**
 * Connections to the server that takes writes, wherever it is. Each wait has an end; a connection that was of no use
 * is not used again, and neither are those that were made before it, as the reason is likely theirs too.
 */
export class PostgresPool {
  readonly #driver: Driver;
  readonly #settings: PostgresSettings;
  readonly #config: ClientConfig;
  readonly #route: ServerRotation;
  readonly #pool: Pool;
  readonly #origins = new WeakMap<ClientBase, ConnectionOrigin>();
  /** The server's processes that serve connections of this gateway. */
  readonly #processes = new Set<string>();
  /** Connections of an earlier one are not used any more. */
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
    // The pool makes clients by itself: each one goes where the route leads at that moment.
    class RoutedClient extends driver.Client {
      constructor() {
        const server = route.current;
        super({ ...settled, ...addressOf(server, settled) });
        origins.set(this, { server, generation: generation() });
        // A connection that breaks says so to whoever uses it; the event alone must not end the process.
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

  /** Runs a statement; once more on a new connection when what the old one had prepared did not fit any more. */
  async query<Row extends object>(statement: QueryConfig): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.acquire();
      try {
        const result = await client.query<Row>(statement);
        client.release();
        return result;
      } catch (error) {
        this.release(client, error);
        // It was refused before it began: it is safe to send it again.
        if (!isStale(error) || attempt === 2) throw error;
      }
    }
  }

  /** A connection for one user, to be given back by `release`. */
  async acquire(): Promise<PoolClient> {
    for (let attempt = 1; ; attempt += 1) {
      const server = this.#route.current;
      try {
        return await this.#fresh();
      } catch (error) {
        if (isQueueFull(error)) throw error;
        this.#route.advance(server);
        if (attempt >= this.#route.length) throw error;
      }
    }
  }

  /** @param error what a statement failed with: whether the connection is used again depends on it. */
  release(client: PoolClient, error?: unknown): void {
    if (error === undefined) {
      client.release();
      return;
    }
    const origin = this.#origins.get(client);
    const readOnly = codeOf(error) === '25006';
    const doubtful = !isServerError(error) || isStale(error) || readOnly;
    if (readOnly && origin) this.#route.advance(origin.server);
    if (doubtful && origin?.generation === this.#generation) this.#generation += 1;
    if (doubtful || isEnding(error)) destroy(client);
    else client.release();
  }

  /**
   * A connection outside of the pool, to the server that takes writes. Rejects when there is none, in bounded time. Its
   * errors are its user's to notice, by `end`.
   *
   * @param statement milliseconds that each of its statements may take
   */
  async dial(statement: number = this.#settings.limits.statement): Promise<Client> {
    for (let attempt = 1; ; attempt += 1) {
      const server = this.#route.current;
      const reach = addressOf(server, this.#config);
      const client = new this.#driver.Client({ ...this.#config, ...reach, query_timeout: statement + 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await this.#initSession(client, statement);
        return client;
      } catch (error) {
        client.end().catch(() => undefined);
        this.#route.advance(server);
        if (attempt >= this.#route.length) throw error;
      }
    }
  }

  get connections(): StoreConnections {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { open, idle, waiting };
  }

  /** Rejects when there is no server that takes writes, or a pooler in between that shares its connections. */
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

  /** Passes over the connections that are not to be used any more. */
  async #fresh(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (this.#origins.get(client)?.generation === this.#generation) return client;
      destroy(client);
    }
  }

  async #initSession(client: ClientBase, statement: number): Promise<void> {
    const { connect, idleInTransaction } = this.#settings.limits;
    const values = [String(statement), String(idleInTransaction)];
    // What is bounded here is the answer; `query_timeout` of a single query is not in the types.
    const query = { text: sessionStatement, values, query_timeout: connect } as QueryConfig;
    const [row] = (await client.query<SessionRow>(query)).rows;
    if (row?.read_only === 'on') throw new ReadOnlyServer('the server takes no writes');
    const process = row?.process ?? '';
    // One that has just been closed may have made room for this one.
    if (this.#processes.has(process)) await delay(100);
    if (this.#processes.has(process)) {
      throw new SharedConnection('a pooler shares its connections; PgBouncer must be set to pool_mode = session');
    }
    this.#processes.add(process);
    client.once('end', () => this.#processes.delete(process));
  }
}

/** Closes a connection without waiting for the other side, which may not be there any more. */
function destroy(client: PoolClient): void {
  client.release(true);
  client.connection.stream.destroy();
}

/** Everything about a connection but where it goes. Files of certificates are read here, once. */
function configOf({ Client: AnyClient, types }: Driver, settings: PostgresSettings): ClientConfig {
  const { connectionString, limits, channelBinding, servers } = settings;
  const { user, password, database, host, port, ssl } = new AnyClient({ connectionString });
  const asked = new URL(connectionString).searchParams;
  const getTypeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
    oid === bigint ? Number : types.getTypeParser(oid, format as 'text');
  return {
    user,
    database,
    password,
    host,
    port,
    ssl,
    application_name: asked.get('application_name') ?? 'a2a-gateway',
    options: asked.get('options') ?? undefined,
    // All servers are tried in the time in which a connection is waited for.
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
