import { A2AError } from '../core/model/errors.ts';
import { isTerminal } from '../core/model/lifecycle.ts';
import { unlessAborted } from '../core/model/timing.ts';
import type { Store } from '../core/ports/store.ts';
import type { Append } from '../core/ports/task-store.ts';
import { SharedClock } from './cluster/clock.ts';
import { figuresOf, replicasOf } from './cluster/figures.ts';
import { singleNode } from './cluster/shared-store-peers.ts';
import { DamagedRowList } from './damaged-rows.ts';
import type { Database } from './database.ts';
import { cannotOpen, notOpen, retryAfter } from './failure.ts';
import { migrate } from './migrations/run.ts';
import { methodsOf } from './part-methods.ts';
import { openParts, type StoreOptions, type StoreParts, secretOf } from './parts.ts';

export type { StoreOptions } from './parts.ts';

export interface SqlStoreOptions extends StoreOptions {
  /** URL of the database without a password, which may be shown. */
  readonly shown: string;
  /** Opens the database. Its tables need not exist yet. */
  readonly connect: () => Promise<Database>;
}

/** The SQL store, over the database that `connect` opens. Most of its methods are methods of one of its parts. */
export function createSqlStore(options: SqlStoreOptions): Store {
  const life = new StoreLife(options);
  const { damaged, clock, requireOpen } = life;
  return {
    damaged,
    now: clock.now,

    ...methodsOf(requireOpen, 'reader', 'find', 'lastUse', 'load', 'findRecord', 'loadRecord', 'logBytes'),
    ...methodsOf(requireOpen, 'reader', 'events', 'latestTurn', 'turnRequest', 'positions'),
    ...methodsOf(requireOpen, 'lister', 'list'),
    ...methodsOf(requireOpen, 'search', 'searchTasks', 'changedTasks', 'countWaiting', 'overviewOf'),
    ...methodsOf(requireOpen, 'pushConfigs', 'webhookExcess', 'getPushConfig', 'deletePushConfig'),
    ...methodsOf(requireOpen, 'pushConfigs', 'listPushConfigs', 'listOwnersPushConfigs'),
    ...methodsOf(requireOpen, 'deliveries', 'claimDeliveries', 'reportDelivery', 'releaseDeliveries'),
    ...methodsOf(requireOpen, 'undelivered', 'listUndelivered', 'retryUndelivered', 'countDead'),
    ...methodsOf(requireOpen, 'calls', 'findCall', 'claimCall', 'answerCall', 'releaseCall', 'pin'),
    ...methodsOf(requireOpen, 'upstreamIds', 'upstreamOf', 'bindUpstreamContext', 'upstreamContextOf'),
    ...methodsOf(requireOpen, 'upstreamIds', 'upstreamTasksOf', 'ownTasksOf'),
    ...methodsOf(requireOpen, 'states', 'readState', 'writeState'),
    ...methodsOf(requireOpen, 'modes', 'agentModes', 'setAgentMode'),
    ...methodsOf(requireOpen, 'takeover', 'claimOrphans'),
    ...methodsOf(requireOpen, 'leases', 'orphanedAgents'),
    ...methodsOf(requireOpen, 'combined', 'setDialect', 'putPushConfig', 'retract', 'expire'),

    open: () => life.open(),
    close: () => life.close(),
    ping: (signal) => life.ping(signal),
    secret: (name) => life.secret(name),
    append: life.append,
    onPushed: (listener) => life.onPushed(listener),
    extend: (open) => life.use(({ extensions }) => extensions.open(open)),
    backUp: () => life.use(async ({ database }) => database.backUp()),
    figures: () => life.use(({ database }) => figuresOf(database)),
    replicas: () => life.use(({ database, leases }) => replicasOf(database, leases.instance, damaged)),

    get connections() {
      return life.opened?.database.connections;
    },
    get crashSafe() {
      return life.opened !== undefined && !life.opened.database.failing;
    },
    get peers() {
      return requireOpen().peers ?? singleNode;
    },
    get topics() {
      return requireOpen().topics;
    },
  };
}

/** Called with a task that has events for webhooks. @param elsewhere whether another replica wrote them */
type PushedListener = (key: string, elsewhere?: boolean) => void;

/** The life cycle of a SQL store: opens its parts over the database, and closes them. */
class StoreLife {
  readonly clock = new SharedClock();
  readonly damaged: DamagedRowList;
  readonly #options: SqlStoreOptions;
  readonly #secrets = new Map<string, Promise<string>>();
  #onPushed: PushedListener = () => undefined;
  #closing = false;
  /** The parts, until the store is closed. */
  opened: StoreParts | undefined;

  constructor(options: SqlStoreOptions) {
    this.#options = options;
    this.damaged = new DamagedRowList(options.logger);
  }

  readonly requireOpen = (): StoreParts => {
    if (!this.opened) throw notOpen();
    return this.opened;
  };

  /** Runs `use` with the parts. Rejects with the store's error after an error of the database. */
  async use<T>(use: (parts: StoreParts) => Promise<T>): Promise<T> {
    const parts = this.requireOpen();
    try {
      return await use(parts);
    } catch (error) {
      throw parts.failure(error);
    }
  }

  async open(): Promise<void> {
    if (this.opened) throw new A2AError('internal', 'The store is open already.');
    const { shown, connect, ...options } = this.#options;
    const { clock, damaged } = this;
    const began = performance.now();
    let database: Database | undefined;
    try {
      database = await connect();
      await migrate(database, { logger: options.logger, damaged });
      const onPushed: PushedListener = (...event) => this.#onPushed(...event);
      this.opened = await openParts({ ...options, database, damaged, began, clock, onPushed });
      this.#closing = false;
    } catch (cause) {
      await database?.close().catch(() => undefined);
      throw cannotOpen(shown, cause);
    }
  }

  async close(): Promise<void> {
    if (!this.opened || this.#closing) return;
    this.#closing = true;
    this.#secrets.clear();
    const { appends, extensions, reader, peers, leases, database, indexer, watch } = this.opened;
    watch.close();
    try {
      await indexer?.close();
      await appends.idle();
      await extensions.close();
      await reader.idle();
      await (peers ? peers.close() : leases.withdraw());
    } catch (err) {
      // The other replicas notice the missing heartbeat.
      this.#options.logger?.debug({ err }, 'the store was closed without withdrawing its heartbeat');
    } finally {
      this.opened = undefined;
      await database.close();
    }
  }

  /** Appends events, which are durable when the promise resolves. Nothing is appended while the store closes. */
  readonly append = (append: Append): Promise<void> => {
    if (!this.opened || this.#closing) return Promise.reject(notOpen());
    const { key, events, upstream } = append;
    if (endsUnfolded(append)) {
      return this.use(async ({ reader, appends }) => {
        await reader.keepOpening(key);
        await appends.append(append);
      });
    }
    if (events.length > 0 || !upstream) return this.opened.appends.append(append);
    return this.use(({ upstreamIds, leases }) => upstreamIds.bindOwn(key, upstream, leases.instance));
  };

  async ping(signal: AbortSignal | undefined): Promise<void> {
    const answer = this.use(({ database }) => database.check());
    if (!signal) return answer;
    await unlessAborted(answer, signal).catch((cause: unknown) => {
      if (cause !== signal.reason) throw cause;
      throw new A2AError('unavailable', 'The store does not answer', { retryAfter, cause });
    });
  }

  onPushed(listener: PushedListener): void {
    this.#onPushed = listener;
  }

  secret(name: string): Promise<string> {
    const { damaged } = this;
    const known = this.#secrets.get(name) ?? this.use(({ database }) => secretOf(database, name, damaged));
    this.#secrets.set(name, known);
    known.catch(() => this.#secrets.delete(name));
    return known;
  }
}

/** Whether a task ends without a snapshot, with an event that is not the whole task. */
const endsUnfolded = ({ create, status, snapshot, events }: Append): boolean => {
  if (create || !status || !isTerminal(status.state) || snapshot || events.length === 0) return false;
  const { task } = events.at(-1)?.event ?? {};
  // A `task` event keeps a history or artifacts that it lacks.
  return !task?.history || !task.artifacts;
};
