import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientBase, ClientConfig, QueryConfig, QueryResult } from 'pg';
import type { Logger } from '../../core/ports/logger.ts';
import type { StoreConnections } from '../../core/ports/store.ts';
import { codeOf, isEnding, isServerError, isStale, queueFull } from './errors.ts';
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
        this.advance(server);
        if (attempt >= this.#servers.length) throw error;
      }
    }
  }
}

/** Connections that are opened at a time: one after a failure, twice as many after each success. */
const mostOpening = 4;

/** Milliseconds between two attempts to connect, where all servers failed: each pause is twice as long, up to the longest. */
const pause = { first: 100, longest: 2_000 } as const;

/** Milliseconds that one attempt may take, where shorter ones timed out. */
const longestAttempt = 30_000;

/** Somebody who waits for a connection. */
interface Waiter {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: unknown) => void;
}

/** An open connection of the pool. */
interface Opened {
  readonly server: PostgresServerAddress;
  readonly generation: number;
  /** Closes it when it was idle for long. */
  idle?: NodeJS.Timeout;
}

/**
 * A pool of connections to the writable server, wherever it is. Every wait has a time-out. When a connection turns out
 * to be broken, it and all that were opened before it are replaced, as they probably lead to the same failed server.
 *
 * Nobody's time-out ends an attempt to connect: a server that takes longer for a connection than callers wait is given
 * twice as long with each attempt, while few attempts are under way, with growing pauses. Otherwise the replicas could keep
 * a server that is short of time from ever finishing one. While attempts fail, only one at a time has that long: one that
 * began while the network swallowed everything is not answered when the network is back, but the next one is.
 */
export class PostgresPool {
  readonly #driver: Driver;
  readonly #settings: PostgresSettings;
  readonly #logger: Logger | undefined;
  readonly #config: ClientConfig;
  readonly #route: ServerRotation;
  readonly #opened = new Map<ClientBase, Opened>();
  /** Opened and unused, the latest last. */
  readonly #idle: Client[] = [];
  /** Those that go on with what has begun come before all others. */
  readonly #urgent = new Set<Waiter>();
  readonly #waiting = new Set<Waiter>();
  /** Attempts under way, and how many there may be. */
  #opening = 0;
  #mostOpening: number = mostOpening;
  /** Consecutive attempts that failed. */
  #failures = 0;
  #lastFailure: unknown;
  #pausing: NodeJS.Timeout | undefined;
  /** Milliseconds that an attempt may take, and when the latest one began. */
  #attempt: number;
  #beganAt = 0;
  /** Whether an attempt is under way that may take longer than the shortest ones, although others failed. */
  #hasPatientAttempt = false;
  /** Backend processes that serve connections of this gateway. */
  readonly #processes = new Set<string>();
  /** Connections of earlier generations are not used any more. */
  #generation = 0;
  #ended = false;

  constructor(driver: Driver, settings: PostgresSettings, logger: Logger | undefined) {
    this.#driver = driver;
    this.#settings = settings;
    this.#logger = logger;
    this.#route = new ServerRotation(settings.servers);
    this.#config = configOf(driver, settings);
    this.#attempt = this.#shortestAttempt;
  }

  /**
   * Runs a statement; retries it once on a new connection when its prepared statement was stale.
   *
   * @param urgent whether it goes before others that wait for a connection
   */
  async query<Row extends object>(statement: QueryConfig, urgent = false): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.acquire(urgent);
      try {
        const result = await client.query<Row>(statement);
        this.release(client);
        return result;
      } catch (error) {
        this.release(client, error);
        // It was not executed: it is safe to send it again.
        if (!isStale(error) || attempt === 2) throw error;
      }
    }
  }

  /** Takes a connection, to be given back by `release`. Rejects when there is none in time, or no server can be reached. */
  acquire(urgent = false): Promise<Client> {
    const idle = this.#takeIdle();
    if (idle) return Promise.resolve(idle);
    if (this.#ended) return Promise.reject(new Error('the pool is closed'));
    const waiting = urgent ? this.#urgent : this.#waiting;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        reject(this.#noConnection());
      }, this.#settings.limits.connect);
      const settle =
        <T>(use: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
          use(value);
        };
      const waiter: Waiter = { resolve: settle(resolve), reject: settle(reject) };
      waiting.add(waiter);
      this.#open();
    });
  }

  /** @param error of a statement: decides whether the connection is reused */
  release(client: Client, error?: unknown): void {
    const opened = this.#opened.get(client);
    if (error !== undefined) {
      const readOnly = codeOf(error) === '25006';
      const broken = !isServerError(error) || isStale(error) || readOnly;
      if (readOnly && opened) this.#route.advance(opened.server);
      if (broken && opened?.generation === this.#generation) this.#generation += 1;
      if (broken || isEnding(error)) this.#destroy(client);
    }
    this.#put(client);
  }

  /**
   * A connection outside the pool to the writable server. Rejects in bounded time when there is none. Its user must
   * watch for `end`.
   */
  dial(): Promise<Client> {
    const { statement } = this.#settings.limits;
    return this.#dial(statement, { query_timeout: statement + 2_000 });
  }

  /**
   * The same for the start, which fails without it: an attempt that times out is followed by longer ones, for half a minute.
   *
   * @param statement milliseconds that each of its statements may take
   */
  dialAtStart(statement: number): Promise<Client> {
    return this.#dialPatiently(statement, { query_timeout: statement + 2_000 });
  }

  async #dialPatiently(statement: number, more?: ClientConfig): Promise<Client> {
    for (const end = performance.now() + longestAttempt; ; ) {
      const before = this.#attempt;
      try {
        return await this.#dial(statement, more);
      } catch (error) {
        if (this.#attempt === before || performance.now() >= end) throw error;
      }
    }
  }

  #dial(statement: number, more?: ClientConfig): Promise<Client> {
    const limit = this.#attempt;
    return this.#route.first(async (server) => {
      const began = performance.now();
      try {
        return await this.#connect(server, statement, limit, more);
      } catch (error) {
        this.#extendAttempts(limit, performance.now() - began);
        throw error;
      }
    });
  }

  /** After a failed attempt: returns whether its time was too short. Then the next ones may take twice as long. */
  #extendAttempts(limit: number, took: number): boolean {
    if (took < limit * 0.9) return false;
    this.#attempt = Math.min(longestAttempt, Math.max(this.#attempt, 2 * limit));
    return true;
  }

  get connections(): StoreConnections {
    const waiting = this.#urgent.size + this.#waiting.size;
    return { open: this.#opened.size, idle: this.#idle.length, waiting };
  }

  /**
   * Opens the first two connections. Rejects when there is no writable server, or when a pooler shares connections between
   * statements.
   */
  async start(): Promise<void> {
    try {
      for (let i = 0; i < 2; i += 1) {
        const client = await this.#dialPatiently(this.#settings.limits.statement);
        this.#add(client, { server: this.#route.current, generation: this.#generation });
      }
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Closes all connections, those in use when they are released. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#pausing);
    this.#rejectAll(new Error('the pool is closed'));
    await Promise.all(this.#idle.splice(0).map((client) => this.#close(client)));
  }

  /** The latest idle connection, without those of earlier generations. */
  #takeIdle(): Client | undefined {
    for (let client = this.#idle.pop(); client; client = this.#idle.pop()) {
      const opened = this.#opened.get(client);
      clearTimeout(opened?.idle);
      if (opened?.generation === this.#generation) return client;
      this.#destroy(client);
    }
    return undefined;
  }

  /** Hands a connection on, or keeps it for a while. */
  #put(client: Client): void {
    const opened = this.#opened.get(client);
    if (opened && opened.generation !== this.#generation) this.#destroy(client);
    else if (opened && this.#ended) void this.#close(client);
    else if (opened) {
      const [waiter] = this.#urgent.size > 0 ? this.#urgent : this.#waiting;
      if (waiter) waiter.resolve(client);
      else {
        this.#idle.push(client);
        opened.idle = setTimeout(() => void this.#close(client), this.#settings.limits.idle).unref();
      }
    }
    this.#open();
  }

  /** Begins as many attempts to connect as may be under way, and as are needed. */
  #open(): void {
    if (this.#ended || this.#pausing) return;
    const { max } = this.#settings.limits;
    for (;;) {
      const waiting = this.#urgent.size + this.#waiting.size;
      // Those under way may lead nowhere: the network may have recovered since they began.
      const areSlow = performance.now() - this.#beganAt >= this.#shortestAttempt / 2;
      const count = this.#opened.size + (areSlow ? 0 : this.#opening);
      const isFull = count >= max || this.#opening >= mostOpening;
      const areEnough = this.#opening >= this.#mostOpening || this.#opening >= waiting;
      if (waiting === 0 || isFull || (areEnough && !areSlow)) return;
      this.#opening += 1;
      this.#beganAt = performance.now();
      const isPatient = this.#failures > 0 && this.#attempt > this.#shortestAttempt && !this.#hasPatientAttempt;
      if (isPatient) this.#hasPatientAttempt = true;
      const limit = this.#failures === 0 || isPatient ? this.#attempt : this.#shortestAttempt;
      void this.#openOne(this.#route.current, limit).finally(() => {
        if (isPatient) this.#hasPatientAttempt = false;
      });
    }
  }

  async #openOne(server: PostgresServerAddress, limit: number): Promise<void> {
    const generation = this.#generation;
    const began = performance.now();
    const next = setTimeout(() => this.#open(), this.#shortestAttempt / 2 + 1).unref();
    let client: Client | undefined;
    let failure: unknown;
    try {
      client = await this.#connect(server, this.#settings.limits.statement, limit);
    } catch (error) {
      failure = error;
    }
    const took = performance.now() - began;
    clearTimeout(next);
    this.#opening -= 1;
    if (!client) {
      const isTimeout = this.#extendAttempts(limit, took);
      this.#logger?.debug({ err: failure, ms: Math.round(took) }, 'a connection to the store could not be opened');
      this.#failed(server, failure, isTimeout);
      return;
    }
    this.#failures = 0;
    this.#lastFailure = undefined;
    this.#mostOpening = Math.min(this.#mostOpening * 2, mostOpening);
    this.#attempt = Math.min(longestAttempt, Math.max(this.#shortestAttempt, 2 * took));
    this.#add(client, { server, generation });
  }

  /** Hands out a new connection, unless another one that was begun beside it has made the pool full. */
  #add(client: Client, opened: Opened): void {
    if (this.#opened.size >= this.#settings.limits.max) {
      client.end().catch(() => undefined);
      return;
    }
    this.#opened.set(client, opened);
    client.once('end', () => this.#gone(client));
    this.#put(client);
  }

  #failed(server: PostgresServerAddress, error: unknown, isTimeout: boolean): void {
    this.#route.advance(server);
    this.#failures += 1;
    this.#lastFailure = error;
    this.#mostOpening = 1;
    const rounds = Math.floor(this.#failures / this.#settings.servers.length);
    if (this.#ended || this.#failures % this.#settings.servers.length !== 0) {
      this.#open();
      return;
    }
    // Connections in use may still be given back, and other attempts may succeed. Who came after a slow attempt had begun
    // has time for another one.
    if (this.#opened.size + this.#opening === 0 && !isTimeout) this.#rejectAll(error);
    // A caller that comes during a pause still gets an attempt.
    const longest = Math.min(pause.longest, this.#settings.limits.connect / 4);
    const bound = Math.min(longest, pause.first * 2 ** Math.min(rounds - 1, 10));
    clearTimeout(this.#pausing);
    this.#pausing = setTimeout(
      () => {
        this.#pausing = undefined;
        this.#open();
      },
      bound * (0.5 + Math.random() / 2),
    ).unref();
  }

  #rejectAll(error: unknown): void {
    for (const waiter of [...this.#urgent, ...this.#waiting]) waiter.reject(error);
  }

  /** Why there was no connection in time. */
  #noConnection(): unknown {
    if (this.#opened.size >= this.#settings.limits.max) return new Error(queueFull);
    return this.#lastFailure ?? new Error('no connection could be opened in time');
  }

  get #shortestAttempt(): number {
    // All servers are tried within the connect time-out.
    const { limits, servers } = this.#settings;
    return Math.max(500, Math.floor(limits.connect / servers.length));
  }

  /** Closes a connection without waiting for the other side. */
  #destroy(client: Client): void {
    this.#gone(client);
    client.connection.stream.destroy();
  }

  #close(client: Client): Promise<void> {
    this.#gone(client);
    return client.end().catch(() => undefined);
  }

  /** A connection is closed, or is about to be. */
  #gone(client: Client): void {
    clearTimeout(this.#opened.get(client)?.idle);
    if (!this.#opened.delete(client)) return;
    const at = this.#idle.indexOf(client);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#open();
  }

  /** @param connectionTimeoutMillis that connecting may take */
  async #connect(
    server: PostgresServerAddress,
    statement: number,
    connectionTimeoutMillis: number,
    more?: ClientConfig,
  ): Promise<Client> {
    const address = addressOf(server, this.#config);
    const client = new this.#driver.Client({ ...this.#config, ...address, connectionTimeoutMillis, ...more });
    // A broken connection rejects its query; without a listener the event would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await this.#initSession(client, statement, connectionTimeoutMillis);
      return client;
    } catch (error) {
      client.end().catch(() => undefined);
      client.connection.stream.destroy();
      throw error;
    }
  }

  async #initSession(client: ClientBase, statement: number, timeout: number): Promise<void> {
    const { idleInTransaction } = this.#settings.limits;
    const values = [String(statement), String(idleInTransaction)];
    // Bounds the wait for the answer; `query_timeout` of a single query is missing in the types.
    const query = { text: sessionStatement, values, query_timeout: timeout } as QueryConfig;
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

/** The configuration of connections, except host and port. Certificate files are read here, once. */
function configOf({ Client: AnyClient, types }: Driver, settings: PostgresSettings): ClientConfig {
  const { connectionString, limits, channelBinding } = settings;
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
    query_timeout: limits.answer,
    keepAlive: true,
    enableChannelBinding: channelBinding,
    types: { getTypeParser } as NonNullable<ClientConfig['types']>,
  };
}

const addressOf = (
  { host, port }: PostgresServerAddress,
  { host: usual, port: usualPort }: ClientConfig,
): ClientConfig => ({
  host: host ?? usual,
  port: port ?? usualPort,
});
