import type { Client, ClientBase, QueryConfig, QueryResult } from 'pg';
import type { Logger } from '../../core/ports/logger.ts';
import type { StoreConnections } from '../../core/ports/store.ts';
import type { Connect } from './connect.ts';
import { codeOf, isEnding, isServerError, isStale, queueFull } from './errors.ts';
import { answerMargin, type PostgresServerAddress, type PostgresSettings } from './url.ts';

/** Largest number of connections that are opened at the same time: one after a failure, twice as many after each success. */
const mostOpening = 4;

/** Milliseconds between two attempts to connect after all servers failed. Each pause is twice as long, up to the longest. */
const pause = { first: 100, longest: 2_000 } as const;

/** Milliseconds that one attempt may take after shorter ones have timed out. */
const longestAttempt = 30_000;

/** A caller that waits for a connection. */
interface Waiter {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: unknown) => void;
}

/** An open connection of the pool. */
interface Opened {
  readonly server: PostgresServerAddress;
  readonly generation: number;
  /** Timer that closes the connection when it has been idle for long. */
  idle?: NodeJS.Timeout;
}

/**
 * A pool of connections to whichever server is writable. Every wait has a time-out. When a connection turns out to be broken, it
 * and all connections that were opened before it are replaced, because they probably lead to the same failed server.
 *
 * A caller's time-out never ends an attempt to connect. A server that needs longer for a connection than callers wait gets twice
 * as long with each attempt, while few attempts run, with growing pauses; otherwise the replicas could keep an overloaded server
 * from ever finishing an attempt. While attempts fail, only one at a time gets that long: an attempt that began while the network
 * lost all packets is never answered, but the next one is.
 */
export class PostgresPool {
  readonly #connect: Connect;
  readonly #settings: PostgresSettings;
  readonly #logger: Logger | undefined;
  /** Index of the server in use. When it fails, the next one is used. */
  #at = 0;
  readonly #opened = new Map<ClientBase, Opened>();
  /** Connections that are open and unused, the latest last. */
  readonly #idle: Client[] = [];
  /** Waiters that continue work that has begun; they come before all others. */
  readonly #urgent = new Set<Waiter>();
  readonly #waiting = new Set<Waiter>();
  /** Attempts in progress, and their largest number. */
  #opening = 0;
  #mostOpening: number = mostOpening;
  /** Number of consecutive attempts that failed. */
  #failures = 0;
  #lastFailure: unknown;
  #pausing: NodeJS.Timeout | undefined;
  /** Milliseconds that an attempt may take, and the time when the latest one began. */
  #attempt: number;
  #beganAt = 0;
  /** Whether an attempt with a long time limit is in progress although others failed. */
  #hasLongAttempt = false;
  /** Number of the current generation. Connections of earlier ones are no longer used. */
  #generation = 0;
  #ended = false;

  constructor(connect: Connect, settings: PostgresSettings, logger: Logger | undefined) {
    this.#connect = connect;
    this.#settings = settings;
    this.#logger = logger;
    this.#attempt = this.#shortestAttempt;
  }

  /**
   * Runs a statement; retries it once on a new connection if its prepared statement was stale.
   *
   * @param urgent whether it gets a connection before others that wait
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
        // The statement was not executed, so it is safe to send it again.
        if (!isStale(error) || attempt === 2) throw error;
      }
    }
  }

  /**
   * Takes a connection, which must be returned with `release`. Rejects if none is free in time, or if no server can be reached.
   */
  acquire(urgent = false): Promise<Client> {
    const idle = this.#takeIdle();
    if (idle) return Promise.resolve(idle);
    if (this.#ended) return Promise.reject(new Error('the pool is closed'));
    const waiting = urgent ? this.#urgent : this.#waiting;
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        if (waiting.delete(waiter)) reject(this.#noConnection());
      };
      // Answers that arrived while the event loop was busy are read first: they may release a connection.
      const timer = setTimeout(() => setImmediate(expire), this.#settings.limits.connect);
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

  /** @param error error of a statement, which decides whether the connection is reused */
  release(client: Client, error?: unknown): void {
    const opened = this.#opened.get(client);
    if (error !== undefined) {
      const readOnly = codeOf(error) === '25006';
      const broken = !isServerError(error) || isStale(error) || readOnly;
      if (readOnly && opened) this.#leave(opened.server);
      if (broken && opened?.generation === this.#generation) this.#generation += 1;
      if (broken || isEnding(error)) this.#destroy(client);
    }
    this.#put(client);
  }

  /**
   * A connection outside the pool to the first server that is writable, beginning with the current one. Rejects in bounded time
   * if there is none. Its user must watch for `end`.
   *
   * @param statement milliseconds that each of its statements may take. Default: as for all statements
   */
  async dial(statement?: number): Promise<Client> {
    const { limits, servers } = this.#settings;
    const own = statement === undefined ? {} : { statement, answer: statement + answerMargin };
    const connect = this.#attempt;
    for (let left = servers.length - 1; ; left -= 1) {
      const server = this.#server;
      const began = performance.now();
      try {
        return await this.#connect(server, { ...limits, ...own, connect });
      } catch (error) {
        this.#extendAttempts(connect, performance.now() - began);
        this.#leave(server);
        if (left === 0) throw error;
      }
    }
  }

  /**
   * Dials at the start of the store, which fails without a connection. An attempt that times out is followed by longer ones for
   * half a minute.
   */
  async dialAtStart(statement?: number): Promise<Client> {
    for (const end = performance.now() + longestAttempt; ; ) {
      const before = this.#attempt;
      try {
        return await this.dial(statement);
      } catch (error) {
        if (this.#attempt === before || performance.now() >= end) throw error;
      }
    }
  }

  get #server(): PostgresServerAddress {
    return this.#settings.servers[this.#at] ?? this.#settings.servers[0];
  }

  /** Switches to the next server, unless another caller has done so already. */
  #leave(server: PostgresServerAddress): void {
    if (this.#server === server) this.#at = (this.#at + 1) % this.#settings.servers.length;
  }

  /**
   * Called after a failed attempt. Returns whether its time limit was too short; the next attempts may then take twice as long.
   */
  #extendAttempts(limit: number, took: number): boolean {
    if (took < limit * 0.9) return false;
    this.#attempt = Math.min(longestAttempt, Math.max(this.#attempt, 2 * limit));
    return true;
  }

  /** Whether a pooler may give each transaction of a connection another one of the server. */
  get isShared(): boolean {
    return this.#settings.shared;
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
        const client = await this.dialAtStart();
        this.#add(client, { server: this.#server, generation: this.#generation });
      }
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Closes all connections. Those in use are closed when they are released. */
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

  /** Begins as many attempts to connect as are permitted and needed. */
  #open(): void {
    if (this.#ended || this.#pausing) return;
    const { max } = this.#settings.limits;
    for (;;) {
      const waiting = this.#urgent.size + this.#waiting.size;
      // Attempts in progress may lead nowhere: the network may have recovered since they began.
      const areSlow = performance.now() - this.#beganAt >= this.#shortestAttempt / 2;
      const count = this.#opened.size + (areSlow ? 0 : this.#opening);
      const isFull = count >= max || this.#opening >= mostOpening;
      const areEnough = this.#opening >= this.#mostOpening || this.#opening >= waiting;
      if (waiting === 0 || isFull || (areEnough && !areSlow)) return;
      this.#opening += 1;
      this.#beganAt = performance.now();
      const isLong = this.#failures > 0 && this.#attempt > this.#shortestAttempt && !this.#hasLongAttempt;
      if (isLong) this.#hasLongAttempt = true;
      const limit = this.#failures === 0 || isLong ? this.#attempt : this.#shortestAttempt;
      void this.#openOne(this.#server, limit).finally(() => {
        if (isLong) this.#hasLongAttempt = false;
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
      client = await this.#connect(server, { ...this.#settings.limits, connect: limit });
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

  /** Hands out a new connection, unless the pool has become full in the meantime. */
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
    this.#leave(server);
    this.#failures += 1;
    this.#lastFailure = error;
    this.#mostOpening = 1;
    const rounds = Math.floor(this.#failures / this.#settings.servers.length);
    if (this.#ended || this.#failures % this.#settings.servers.length !== 0) {
      this.#open();
      return;
    }
    // Connections in use may still be returned, and other attempts may succeed. Callers that arrived after a slow attempt had
    // begun have time for another one.
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

  /** The error of a caller that got no connection in time. */
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

  /** Removes a connection that is closed, or is about to be closed. */
  #gone(client: Client): void {
    clearTimeout(this.#opened.get(client)?.idle);
    if (!this.#opened.delete(client)) return;
    const at = this.#idle.indexOf(client);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#open();
  }
}
