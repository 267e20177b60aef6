import type { TaskPushNotificationConfig } from '../core/model/a2a.ts';
import type { UpstreamTask } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import type { CallKey, TaskOwner } from '../core/model/ids.ts';
import type { ReadBudget } from '../core/model/memory.ts';
import type { KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Peers } from '../core/ports/peers.ts';
import type {
  Delivery,
  DeliveryQuery,
  DeliveryReport,
  PushConfigPage,
  PushConfigPageRequest,
  PushOrigin,
  WebhookBounds,
  WebhookExcess,
} from '../core/ports/push-store.ts';
import type { Store, StoreBatch, StoreConnections, StoreFigures } from '../core/ports/store.ts';
import type {
  Append,
  EventPage,
  KnownCall,
  StoredTask,
  TaskListRequest,
  TaskPage,
  TaskRecord,
} from '../core/ports/task-store.ts';
import type { BoundTask } from '../core/ports/upstream-ids.ts';
import { SharedClock } from './cluster/clock.ts';
import { figuresOf } from './cluster/figures.ts';
import { heartbeat, Leases } from './cluster/leases.ts';
import { SharedStorePeers } from './cluster/shared-store-peers.ts';
import { singleNode } from './cluster/single-node.ts';
import type { Database } from './database.ts';
import { SqlKnowledge } from './knowledge/store.ts';
import { migrate } from './migrations/run.ts';
import { PageTokens } from './page-token.ts';
import { PushConfigs } from './push/configs.ts';
import { PushDeliveries } from './push/outbox.ts';
import { secretOf } from './secrets.ts';
import { AppendQueue, unconfirmedFor } from './tasks/append-queue.ts';
import { IdempotencyKeys } from './tasks/idempotency-keys.ts';
import { TaskLister } from './tasks/lister.ts';
import { TaskReader } from './tasks/reader.ts';
import { Retention } from './tasks/retention.ts';
import { UpstreamIdTables } from './tasks/upstream-ids.ts';
import { escapeText, unescapeText } from './text.ts';

export interface SqlStoreOptions {
  /** The database as it may be shown: without a password. */
  readonly shown: string;
  /** Name of this gateway; need not be unique. */
  readonly instance: string;
  readonly logger: Logger | undefined;
  /** Opens the database. Tables need not be there. */
  readonly connect: () => Promise<Database>;
  /** Told of every transaction that wrote events. */
  readonly onBatch?: ((batch: StoreBatch) => void) | undefined;
}

/** Everything that there is once the database is open. */
interface Opened {
  readonly database: Database;
  readonly appends: AppendQueue;
  readonly reader: TaskReader;
  readonly lister: TaskLister;
  readonly pushConfigs: PushConfigs;
  readonly outbox: PushDeliveries;
  readonly calls: IdempotencyKeys;
  readonly upstreamIds: UpstreamIdTables;
  readonly leases: Leases;
  readonly retention: Retention;
  readonly knowledge: SqlKnowledge;
  /** Undefined: the store is this gateway's alone. */
  readonly peers: SharedStorePeers | undefined;
}

/** The one SQL store, over whichever database `connect` opens. */
export class SqlStore implements Store {
  readonly #options: SqlStoreOptions;
  readonly #clock = new SharedClock();
  #opened: Opened | undefined;
  #closing = false;
  #claiming: Promise<unknown> = Promise.resolve();
  /** Until when tasks may become this gateway's without its knowing. */
  #unsureUntil = 0;
  #pushed: (key: string, elsewhere?: boolean) => void = () => undefined;

  constructor(options: SqlStoreOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    if (this.#opened) throw new A2AError('internal', 'The store is open already.');
    const began = performance.now();
    let database: Database | undefined;
    try {
      database = await this.#options.connect();
      await migrate(database);
      this.#opened = await this.#assemble(database, began);
      this.#closing = false;
    } catch (cause) {
      await database?.close().catch(() => undefined);
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new A2AError('unavailable', `The store ${this.#options.shown} cannot be opened: ${reason}`, { cause });
    }
  }

  async ping(signal?: AbortSignal): Promise<void> {
    const answer = this.#with(({ database }) => database.check());
    await (signal ? Promise.race([answer, aborted(signal, answer)]) : answer);
  }

  figures(): Promise<StoreFigures> {
    return this.#with(({ database }) => figuresOf(database));
  }

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
      // The others will notice without it.
      this.#options.logger?.debug({ err }, 'the store was closed without taking leave of the database');
    } finally {
      this.#opened = undefined;
      await opened.database.close();
    }
  }

  now(): number {
    return this.#clock.now();
  }

  append(append: Append): Promise<void> {
    if (!this.#opened || this.#closing) return Promise.reject(closed());
    const { events, binding: bound, create } = append;
    if (events.length > 0 || !bound) return this.#opened.appends.append(append);
    if (create) return this.bindUpstream(bound.task, bound.task, bound.upstream);
    return this.#with(({ upstreamIds, leases }) => upstreamIds.bindOwn(bound, leases.instance));
  }

  find(owner: TaskOwner, id: string, room?: ReadBudget): Promise<StoredTask | undefined> {
    return this.#with(({ reader }) => reader.find(owner, id, room));
  }

  lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined> {
    return this.#with(({ reader }) => reader.lastUse(owner, id));
  }

  setDialect(key: string, dialect: string): Promise<void> {
    return this.#with(async ({ database }) => {
      const row = database.sql.updateTable('task').set({ dialect }).where('key', '=', escapeText(key));
      await row.where('dialect', '<>', dialect).execute();
    });
  }

  load(key: string): Promise<StoredTask | undefined> {
    return this.#with(({ reader }) => reader.load(key));
  }

  events(key: string, after: number, limit: number, room?: ReadBudget): Promise<EventPage> {
    return this.#with(({ reader }) => reader.events(key, after, limit, room));
  }

  latestTurn(key: string): Promise<number> {
    return this.#with(({ reader }) => reader.latestTurn(key));
  }

  positions(keys: readonly string[]): Promise<Map<string, number>> {
    return this.#with(({ reader }) => reader.positions(keys));
  }

  list(owner: TaskOwner, request: TaskListRequest, room?: ReadBudget): Promise<TaskPage> {
    return this.#with(({ lister }) => lister.list(owner, request, room));
  }

  putPushConfig(
    key: string,
    config: TaskPushNotificationConfig & { id: string },
    dialect: string,
    origin: PushOrigin = {},
  ): Promise<WebhookExcess | undefined> {
    return this.#with(async ({ pushConfigs }) => {
      const excess = await pushConfigs.put(key, config, dialect, origin);
      if (excess === undefined) this.#pushed(key);
      return excess;
    });
  }

  webhookExcess(
    principal: string,
    task: { readonly key: string; readonly id: string } | undefined,
    bounds: WebhookBounds,
  ): Promise<WebhookExcess | undefined> {
    return this.#with(({ pushConfigs }) => pushConfigs.excess(principal, task, bounds));
  }

  getPushConfig(key: string, id: string): Promise<TaskPushNotificationConfig | undefined> {
    return this.#with(({ pushConfigs }) => pushConfigs.get(key, id));
  }

  listPushConfigs(key: string, page: PushConfigPageRequest, room?: ReadBudget): Promise<PushConfigPage> {
    return this.#with(({ pushConfigs }) => pushConfigs.list(key, page, room));
  }

  listOwnersPushConfigs(owner: TaskOwner, page: PushConfigPageRequest, room?: ReadBudget): Promise<PushConfigPage> {
    return this.#with(({ pushConfigs }) => pushConfigs.listOwners(owner, page, room));
  }

  deletePushConfig(key: string, id: string): Promise<boolean> {
    return this.#with(({ pushConfigs }) => pushConfigs.delete(key, id));
  }

  onPushed(listener: (key: string, elsewhere?: boolean) => void): void {
    this.#pushed = listener;
  }

  claimDeliveries(query: DeliveryQuery): Promise<Delivery[]> {
    return this.#with(({ outbox }) => outbox.claim(query));
  }

  reportDelivery(delivery: Delivery, report: DeliveryReport): Promise<boolean> {
    return this.#with(({ outbox }) => outbox.report(delivery, report));
  }

  releaseDeliveries(isHeld: (key: string, id: string, lease: number) => boolean): Promise<void> {
    return this.#with(({ outbox }) => outbox.release(isHeld));
  }

  findCall(owner: TaskOwner, key: string): Promise<KnownCall | undefined> {
    return this.#with(({ calls }) => calls.findCall(owner, key));
  }

  claimCall(call: CallKey, instead?: string): Promise<KnownCall | undefined> {
    return this.#with(({ calls }) => calls.claimCall(call, instead));
  }

  answerCall(call: CallKey, answer: string): Promise<void> {
    return this.#with(({ calls }) => calls.answer(call, answer));
  }

  releaseCall(call: CallKey): Promise<void> {
    return this.#with(({ calls }) => calls.release(call));
  }

  pin(key: string): Promise<boolean> {
    return this.#with(({ calls }) => calls.pin(key));
  }

  retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    return this.#with(async ({ calls, appends }) => {
      let removed = false;
      try {
        removed = await calls.retract(key, call, answer);
      } finally {
        // Unless it is known to be gone, the task may be this gateway's, with nobody at work on it.
        if (removed) appends.forget(key);
        else appends.markUnconfirmed([key]);
      }
      return removed;
    });
  }

  bindUpstream(owner: TaskOwner, task: BoundTask, there: UpstreamTask): Promise<void> {
    return this.#with(({ upstreamIds }) => upstreamIds.bindUpstream(owner, task, there));
  }

  upstreamOf(key: string): Promise<UpstreamTask | undefined> {
    return this.#with(({ upstreamIds }) => upstreamIds.upstreamOf(key));
  }

  bindUpstreamContext(owner: TaskOwner, contextId: string, there: string): Promise<void> {
    return this.#with(({ upstreamIds }) => upstreamIds.bindUpstreamContext(owner, contextId, there));
  }

  upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined> {
    return this.#with(({ upstreamIds }) => upstreamIds.upstreamContextOf(owner, contextId));
  }

  upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    return this.#with(({ upstreamIds }) => upstreamIds.upstreamTasksOf(owner, ids));
  }

  ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    return this.#with(({ upstreamIds }) => upstreamIds.ownTasksOf(owner, ids));
  }

  claimOrphans(limit: number, agents?: readonly string[]): Promise<StoredTask[]> {
    // One after the other: what the first is about to hand out must not seem to be nobody's to the second.
    const claimed = this.#claiming.then(() => this.#with((opened) => this.#claim(opened, limit, agents)));
    this.#claiming = claimed.catch(() => undefined);
    return claimed;
  }

  orphanedAgents(): Promise<string[]> {
    return this.#with(({ leases }) => leases.orphanedAgents());
  }

  expire(before: number, limit: number): Promise<number> {
    return this.#with(async ({ retention, peers }) => {
      await peers?.expire();
      return retention.expire(before, limit);
    });
  }

  get knowledge(): KnowledgeStore {
    if (!this.#opened) throw closed();
    return this.#opened.knowledge;
  }

  get crashSafe(): boolean {
    const { database, peers } = this.#opened ?? {};
    return database !== undefined && peers === undefined && !database.failing;
  }

  get peers(): Peers {
    if (!this.#opened) throw closed();
    return this.#opened.peers ?? singleNode;
  }

  secret(name: string): Promise<string> {
    return this.#with(({ database }) => secretOf(database, name));
  }

  async #claim(
    { database, leases, reader, appends }: Opened,
    limit: number,
    agents: readonly string[] | undefined,
  ): Promise<StoredTask[]> {
    const began = performance.now();
    if (began < this.#unsureUntil) appends.markUnknownUnconfirmed(await leases.owned());
    const doubtful = appends.unconfirmed(limit);
    const rows = await leases.claim(limit, doubtful, agents).catch((error: unknown) => {
      // Where only the answer is lost, some tasks are this gateway's by now, or will be in a moment.
      this.#unsureUntil = performance.now() + unconfirmedFor;
      throw error;
    });
    const keys = rows.map(({ key }) => unescapeText(key));
    // A page that is not full has all that could be seen.
    if (keys.length < limit) appends.notFound(doubtful);
    // This gateway's from here on, but nobody's concern until they are handed out.
    appends.markUnconfirmed(keys);
    const claimed: StoredTask[] = [];
    for (const key of keys) {
      const task = await reader.load(key).catch((err: unknown) => {
        if (!(err instanceof A2AError) && database.isUnavailable(err)) throw err;
        this.#options.logger?.error({ task: key, err }, 'a task that was left behind cannot be read');
      });
      if (task) claimed.push(task);
    }
    // A process that stood still meanwhile may have been declared dead, and its tasks taken over.
    const owned = performance.now() - began > heartbeat.deadAfter / 2 ? new Set(await leases.owned()) : undefined;
    appends.confirm(keys);
    const kept = owned ? claimed.filter(({ key }) => owned.has(key)) : claimed;
    for (const { key } of kept) appends.own(key);
    return kept;
  }

  async #assemble(database: Database, began: number): Promise<Opened> {
    const { instance, logger, onBatch } = this.#options;
    const clock = this.#clock;
    const tokens = new PageTokens(await secretOf(database, 'page-token-secret'));
    const reader = new TaskReader(database, (err) => logger?.debug({ err }, 'a snapshot could not be written'));
    const leases = new Leases({ database, clock, instance, logger, since: began });
    const calls = new IdempotencyKeys(database, leases);
    const upstreamIds = new UpstreamIdTables(database, clock);
    const appends = new AppendQueue({
      database,
      instance: leases.instance,
      onBatch,
      events: (key, after, limit) => reader.events(key, after, limit),
      onPushable: (key) => this.#pushed(key),
      written: (key, seq, interest) => peers?.written(key, seq, interest),
      failure: (error) => failure(database, error),
    });
    const peers = await this.#peers(database, leases);
    await leases.announce();
    await peers?.open();
    return {
      database,
      appends,
      reader,
      lister: new TaskLister(database, reader, tokens),
      pushConfigs: new PushConfigs(database, tokens),
      outbox: new PushDeliveries(database, leases.instance, clock),
      calls,
      upstreamIds,
      leases,
      retention: new Retention(database, calls, upstreamIds),
      knowledge: new SqlKnowledge({ database, clock, tokens, failure: (error) => failure(database, error) }),
      peers,
    };
  }

  async #peers(database: Database, leases: Leases): Promise<SharedStorePeers | undefined> {
    const { openNotificationConnection: line } = database;
    if (!line) return undefined;
    return new SharedStorePeers({
      database,
      line,
      leases,
      secret: await secretOf(database, 'peers'),
      pushed: (key, elsewhere) => this.#pushed(key, elsewhere),
      failure: (error) => failure(database, error),
      logger: this.#options.logger,
    });
  }

  async #with<T>(use: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = this.#opened;
    if (!opened) throw closed();
    try {
      return await use(opened);
    } catch (error) {
      throw failure(opened.database, error);
    }
  }
}

/** Seconds after which callers may try again while the store is away. */
const retryAfter = 5;

const closed = (): A2AError => new A2AError('unavailable', 'The store is not open.', { retryAfter });

/** What the store rejects with for whatever was thrown below it. */
function failure(database: Database, cause: unknown): A2AError {
  if (cause instanceof A2AError) return cause;
  if (!database.isUnavailable(cause)) return A2AError.from(cause);
  return new A2AError('unavailable', `The store is away: ${database.reasonOf(cause)}`, { retryAfter, cause });
}

/** Rejects with `unavailable` when the signal aborts first; listens no longer than `until` is under way. */
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
