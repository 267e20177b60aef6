import { A2AError } from '../core/model/errors.ts';
import type { KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Peers } from '../core/ports/peers.ts';
import type { Store, StoreBatch, StoreConnections } from '../core/ports/store.ts';
import { SharedClock } from './cluster/clock.ts';
import { figuresOf } from './cluster/figures.ts';
import { singleNode } from './cluster/single-node.ts';
import type { Database } from './database.ts';
import { migrate } from './migrations/run.ts';
import { openParts, retryAfter, type StoreParts } from './parts.ts';
import { secretOf } from './secrets.ts';
import { escapeText } from './text.ts';

export interface SqlStoreOptions {
  /** The database as it may be shown: without a password. */
  readonly shown: string;
  /** Name of this gateway; need not be unique. */
  readonly instance: string;
  readonly logger: Logger | undefined;
  /** Opens the database. Tables need not be there. */
  readonly connect: () => Promise<Database>;
  /** Called after every transaction that wrote events. */
  readonly onBatch?: ((batch: StoreBatch) => void) | undefined;
}

/** The SQL store, over the database that `connect` opens. Most of its methods are methods of one of its parts. */
export class SqlStore implements Store {
  readonly #options: SqlStoreOptions;
  readonly #clock = new SharedClock();
  #opened: StoreParts | undefined;
  #closing = false;
  #onPushed: (key: string, elsewhere?: boolean) => void = () => undefined;

  readonly find = this.#partMethod('reader', 'find');
  readonly lastUse = this.#partMethod('reader', 'lastUse');
  readonly load = this.#partMethod('reader', 'load');
  readonly events = this.#partMethod('reader', 'events');
  readonly latestTurn = this.#partMethod('reader', 'latestTurn');
  readonly positions = this.#partMethod('reader', 'positions');
  readonly list = this.#partMethod('lister', 'list');
  readonly webhookExcess = this.#partMethod('pushConfigs', 'excess');
  readonly getPushConfig = this.#partMethod('pushConfigs', 'get');
  readonly listPushConfigs = this.#partMethod('pushConfigs', 'list');
  readonly listOwnersPushConfigs = this.#partMethod('pushConfigs', 'listOwners');
  readonly deletePushConfig = this.#partMethod('pushConfigs', 'delete');
  readonly claimDeliveries = this.#partMethod('deliveries', 'claim');
  readonly reportDelivery = this.#partMethod('deliveries', 'report');
  readonly releaseDeliveries = this.#partMethod('deliveries', 'release');
  readonly findCall = this.#partMethod('calls', 'findCall');
  readonly claimCall = this.#partMethod('calls', 'claimCall');
  readonly answerCall = this.#partMethod('calls', 'answer');
  readonly releaseCall = this.#partMethod('calls', 'release');
  readonly pin = this.#partMethod('calls', 'pin');
  readonly bindUpstream = this.#partMethod('upstreamIds', 'bindUpstream');
  readonly upstreamOf = this.#partMethod('upstreamIds', 'upstreamOf');
  readonly bindUpstreamContext = this.#partMethod('upstreamIds', 'bindUpstreamContext');
  readonly upstreamContextOf = this.#partMethod('upstreamIds', 'upstreamContextOf');
  readonly upstreamTasksOf = this.#partMethod('upstreamIds', 'upstreamTasksOf');
  readonly ownTasksOf = this.#partMethod('upstreamIds', 'ownTasksOf');
  readonly claimOrphans = this.#partMethod('takeover', 'claim');
  readonly orphanedAgents = this.#partMethod('leases', 'orphanedAgents');

  constructor(options: SqlStoreOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    if (this.#opened) throw new A2AError('internal', 'The store is open already.');
    const began = performance.now();
    const { shown, connect, ...options } = this.#options;
    let database: Database | undefined;
    try {
      database = await connect();
      await migrate(database);
      this.#opened = await openParts({
        ...options,
        database,
        began,
        clock: this.#clock,
        onPushed: (...event) => this.#onPushed(...event),
      });
      this.#closing = false;
    } catch (cause) {
      await database?.close().catch(() => undefined);
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new A2AError('unavailable', `The store ${shown} cannot be opened: ${reason}`, { cause });
    }
  }

  async ping(signal?: AbortSignal): Promise<void> {
    const answer = this.#with(({ database }) => database.check());
    await (signal ? Promise.race([answer, aborted(signal, answer)]) : answer);
  }

  figures: Store['figures'] = () => this.#with(({ database }) => figuresOf(database));

  get connections(): StoreConnections | undefined {
    return this.#opened?.database.connections;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    if (!opened || this.#closing) return;
    this.#closing = true;
    try {
      await opened.appends.idle();
      await opened.knowledge.close();
      await opened.reader.idle();
      await (opened.peers ? opened.peers.close() : opened.leases.withdraw());
    } catch (err) {
      // The other replicas notice by its missing heartbeat.
      this.#options.logger?.debug({ err }, 'the store was closed without withdrawing its heartbeat');
    } finally {
      this.#opened = undefined;
      await opened.database.close();
    }
  }

  now(): number {
    return this.#clock.now();
  }

  append: Store['append'] = (append) => {
    if (!this.#opened || this.#closing) return Promise.reject(notOpen());
    const { events, binding, create } = append;
    if (events.length > 0 || !binding) return this.#opened.appends.append(append);
    if (create) return this.bindUpstream(binding.task, binding.task, binding.upstream);
    return this.#with(({ upstreamIds, leases }) => upstreamIds.bindOwn(binding, leases.instance));
  };

  setDialect: Store['setDialect'] = (key, dialect) =>
    this.#with(async ({ database }) => {
      const row = database.sql.updateTable('task').set({ dialect }).where('key', '=', escapeText(key));
      await row.where('dialect', '<>', dialect).execute();
    });

  putPushConfig: Store['putPushConfig'] = (key, config, dialect, origin = {}) =>
    this.#with(async ({ pushConfigs }) => {
      const excess = await pushConfigs.put(key, config, dialect, origin);
      if (excess === undefined) this.#onPushed(key);
      return excess;
    });

  onPushed(listener: (key: string, elsewhere?: boolean) => void): void {
    this.#onPushed = listener;
  }

  retract: Store['retract'] = (key, call, answer) =>
    this.#with(async ({ calls, appends }) => {
      let removed = false;
      try {
        removed = await calls.retract(key, call, answer);
      } finally {
        // Unless its removal is confirmed, this gateway may own the task without working on it.
        if (removed) appends.forget(key);
        else appends.markUnconfirmed([key]);
      }
      return removed;
    });

  expire: Store['expire'] = (before, limit) =>
    this.#with(async ({ retention, peers }) => {
      await peers?.expire();
      return retention.expire(before, limit);
    });

  get knowledge(): KnowledgeStore {
    if (!this.#opened) throw notOpen();
    return this.#opened.knowledge;
  }

  get crashSafe(): boolean {
    const { database, peers } = this.#opened ?? {};
    return database !== undefined && peers === undefined && !database.failing;
  }

  get peers(): Peers {
    if (!this.#opened) throw notOpen();
    return this.#opened.peers ?? singleNode;
  }

  secret: Store['secret'] = (name) => this.#with(({ database }) => secretOf(database, name));

  /** A method of the store that one of its parts implements. */
  #partMethod<P extends keyof StoreParts, M extends keyof StoreParts[P]>(name: P, method: M): StoreParts[P][M] {
    const call = (...parameters: unknown[]): Promise<unknown> =>
      this.#with((parts) => {
        const part = parts[name] as Record<M, (...parameters: unknown[]) => Promise<unknown>>;
        return part[method](...parameters);
      });
    return call as StoreParts[P][M];
  }

  async #with<T>(use: (parts: StoreParts) => Promise<T>): Promise<T> {
    const opened = this.#opened;
    if (!opened) throw notOpen();
    try {
      return await use(opened);
    } catch (error) {
      throw opened.failure(error);
    }
  }
}

const notOpen = (): A2AError => new A2AError('unavailable', 'The store is not open.', { retryAfter });

/** Rejects with `unavailable` when the signal aborts before `until` settles. */
function aborted(signal: AbortSignal, until: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void =>
      reject(new A2AError('unavailable', 'The store does not answer', { retryAfter, cause: signal.reason }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const done = (): void => signal.removeEventListener('abort', abort);
    until.then(done, done);
  });
}
