import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { defined } from '../../core/model/json.ts';
import { shortened } from '../../core/model/text.ts';
import { withTimeout } from '../../core/model/timing.ts';
import type { ReplicaRecord, Store } from '../../core/ports/store.ts';
import type { StoreTopics } from '../../core/ports/store-watch.ts';
import type { GatewayStatus, ReplicaStatus } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { fault } from '../requests.ts';
import { followAt, Watch, WatchStream } from '../watch-stream.ts';
import type { PresenceStore } from './presence.ts';

/** Milliseconds between two readings of the facts in memory. A change in the store is shown within this time, too. */
const interval = 1_000;
/** Milliseconds that the gateway waits for an answer of the store. */
const readTimeout = 3_000;
/** Milliseconds without a change after which the status is read and sent again. */
const heartbeat = 6_000;
/** Milliseconds between two questions to the other replicas for their versions. */
const askInterval = 10_000;
/** Most replicas that one call acknowledges. */
const mostAcknowledged = 500;
/** Largest number of tasks, and of dead letters, that are counted. */
const maxWaiting = 1_001;

export interface StatusDeps {
  readonly store: Pick<Store, 'replicas' | 'countDead' | 'countWaiting' | 'now'> & {
    readonly topics: Pick<StoreTopics, 'replicas' | 'tasks'>;
  };
  readonly presence: Pick<PresenceStore, 'countLost' | 'listen'>;
  readonly version: string;
  /** Facts about this replica that need no store. A change of one is sent at once. */
  readonly facts: () => Partial<GatewayStatus>;
  /** 99th percentile of the event loop's delay in milliseconds. Undefined: not measured yet. */
  readonly eventLoopLag: () => number | undefined;
}

/** Returns a function that lists the replicas on the store. Each replica reports its own version. */
export function createReplicaList({
  store,
  ask,
  version,
  presence,
}: Pick<StatusDeps, 'version'> & {
  readonly store: Pick<Store, 'replicas' | 'now'>;
  readonly presence: Pick<PresenceStore, 'draining'>;
  readonly ask: AskReplicas;
}) {
  const versions = new Map<string, string>();
  let askedAt = Number.NEGATIVE_INFINITY;

  async function askVersions(): Promise<void> {
    askedAt = performance.now();
    const { answers } = await ask<string>('WatchStatus', {});
    versions.clear();
    for (const { replica, value } of answers) versions.set(replica, value);
  }

  const statusOf = (
    { startedAt, heartbeatAt, isAlive, ...replica }: ReplicaRecord,
    draining: ReadonlySet<string>,
  ): ReplicaStatus => ({
    ...replica,
    alive: isAlive,
    draining: draining.has(replica.id),
    version: replica.isThis ? version : (versions.get(replica.id) ?? ''),
    startedAt: timestamp(startedAt),
    heartbeatAt: timestamp(heartbeatAt),
    heartbeatLagMs: Math.max(0, store.now() - heartbeatAt),
  });

  /** @param waits whether it waits for versions that are not known yet */
  return async (waits: boolean): Promise<ReplicaStatus[]> => {
    const [replicas, draining] = await Promise.all([store.replicas(), presence.draining()]);
    const isUnknown = ({ id, isAlive, isThis }: ReplicaRecord): boolean => isAlive && !isThis && !versions.has(id);
    if (replicas.some(isUnknown) && performance.now() - askedAt > askInterval) {
      const asking = askVersions();
      if (waits) await asking;
    }
    return replicas.map((replica) => statusOf(replica, draining));
  };
}

type ListReplicas = ReturnType<typeof createReplicaList>;

/** The facts that a replica reads from its store. */
type FactsOfStore = Pick<
  GatewayStatus,
  'store' | 'others' | 'waitingTasks' | 'waitingForInput' | 'deadLetters' | 'lostReplicas'
>;

/** Reads the status of this replica once for all streams. */
export class StatusWatch extends Watch<StatusStream> {
  readonly #deps: StatusDeps;
  readonly #list: ListReplicas;
  #replica = '';
  #awaySince: number | undefined;
  /** Latest facts from the store. Undefined: they must be read. */
  #ofStore: FactsOfStore | undefined;
  #latest: GatewayStatus | undefined;
  /** Last status that was sent, without the members that change all the time. */
  #sent = '';
  #sentAt = 0;

  constructor(deps: StatusDeps, list: ListReplicas) {
    super();
    this.#deps = deps;
    this.#list = list;
  }

  watch(onEnd: () => void): AsyncIterableIterator<LoggedEvent<GatewayStatus>> {
    const stream = new StatusStream();
    if (this.#latest) stream.offer(eventOf(this.#latest));
    return this.add(stream, onEnd);
  }

  protected follow(read: () => Promise<void>): () => void {
    const { presence, store } = this.#deps;
    const { replicas, tasks } = store.topics;
    const changed = (): Promise<void> => {
      this.#ofStore = undefined;
      return read();
    };
    const ends = [replicas, tasks, presence].map((topic) => topic.listen(interval, changed));
    ends.push(followAt(interval)(read));
    return () => {
      for (const end of ends) end();
    };
  }

  protected reset(): void {
    this.#latest = undefined;
    this.#ofStore = undefined;
    this.#awaySince = undefined;
    this.#sent = '';
  }

  protected async read(): Promise<void> {
    const { store, version, facts, eventLoopLag } = this.#deps;
    const now = performance.now();
    const isDue = now - this.#sentAt >= heartbeat;
    const ofStore = (isDue ? undefined : this.#ofStore) ?? (await this.#readStore());
    // Versions of new replicas arrive a little later.
    this.#ofStore = ofStore.others?.some(({ alive, version }) => alive && version === '') ? undefined : ofStore;
    const own = facts();
    const status = {
      time: timestamp(store.now()),
      replica: this.#replica,
      version,
      ...ofStore,
      ...defined({ eventLoopLagP99Ms: eventLoopLag() }),
      ...own,
    } as GatewayStatus;
    this.#latest = status;
    const { replica, others: _, ...counts } = { replica: this.#replica, ...ofStore };
    const said = JSON.stringify([
      replica,
      counts,
      own,
      status.others?.map((other) => [other.id, other.alive, other.draining, other.version]),
    ]);
    if (said === this.#sent && !isDue) return;
    this.#sent = said;
    this.#sentAt = now;
    const event = eventOf(status);
    for (const stream of this.streams) stream.offer(event);
  }

  async #readStore(): Promise<FactsOfStore> {
    const { store, presence } = this.#deps;
    try {
      const reading = [
        this.#list(false),
        store.countWaiting(maxWaiting),
        store.countWaiting(maxWaiting, 'TASK_STATE_INPUT_REQUIRED'),
        store.countDead(maxWaiting),
        presence.countLost(),
      ] as const;
      const found = await withTimeout(Promise.all(reading), readTimeout);
      if (!found) throw new A2AError('unavailable', 'The store does not answer');
      const [replicas, waitingTasks, waitingForInput, deadLetters, lostReplicas] = found;
      this.#replica = replicas.find(({ isThis }) => isThis)?.id ?? '';
      this.#awaySince = undefined;
      const others = replicas.filter(({ isThis }) => !isThis);
      return { store: { state: 'ok' }, others, waitingTasks, waitingForInput, deadLetters, lostReplicas };
    } catch (thrown) {
      this.#awaySince ??= store.now();
      return { store: { state: 'away', since: timestamp(this.#awaySince), reason: A2AError.from(thrown).message } };
    }
  }
}

/** Stream of one reader. It keeps only the latest status until the reader takes it. */
class StatusStream extends WatchStream<GatewayStatus> {
  #next: LoggedEvent<GatewayStatus> | undefined;

  offer(event: LoggedEvent<GatewayStatus>): void {
    this.#next = event;
    this.wake();
  }

  protected take(): LoggedEvent<GatewayStatus> | undefined {
    const event = this.#next;
    this.clear();
    return event;
  }

  protected clear(): void {
    this.#next = undefined;
  }
}

function eventOf(event: GatewayStatus): LoggedEvent<GatewayStatus> {
  const at = Date.parse(event.time);
  return { seq: at, at, generation: 0, event, json: JSON.stringify(event) };
}

export interface StatusHandlersDeps {
  readonly list: ListReplicas;
  readonly presence: Pick<PresenceStore, 'lost' | 'acknowledge'>;
  readonly watch: StatusWatch;
  readonly streams: StreamLimit;
}

/** The operations about the state of replicas. */
export function statusHandlers({
  list,
  presence,
  watch,
  streams,
}: StatusHandlersDeps): AdminHandlers<'AcknowledgeReplicas' | 'ListReplicas' | 'WatchStatus'> {
  return {
    async ListReplicas() {
      const [replicas, lost] = await Promise.all([list(true), presence.lost()]);
      return { value: { replicas, lost } };
    },

    async AcknowledgeReplicas({ ids = [] }, _context, facts) {
      if (ids.length > mostAcknowledged) throw fault('ids', `must be at most ${mostAcknowledged}`);
      const seen = await presence.acknowledge(ids);
      facts.subject = shortened(seen.join(', '), 256);
      return { value: { ids: seen } };
    },

    async WatchStatus(_request, context) {
      const slot = streams.take(context);
      return { events: watch.watch(() => slot.release()) };
    },
  };
}
