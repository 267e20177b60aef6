import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Peers } from '../../core/ports/peers.ts';
import type { ActiveStops, Stop, StopKind, StopTargets } from './model.ts';
import type { StopStore } from './store.ts';

/** Most stops of one kind, since each replica reads all of them. */
const most = 1_000;
/** Milliseconds within which a stop by another replica takes effect here. */
const within = 250;
/**
 * Milliseconds between two looks at stopped tasks in memory, and in the store: soon after the stop, since a replica that has
 * not learned of it yet may still begin some, and later.
 */
const interval = { own: 250, tasks: 2_000, later: 60_000 } as const;
/** Most stops whose tasks are looked for at once, since the store has other work. */
const atOnce = 32;
/** Milliseconds. */
const fresh = 60_000;
/** Milliseconds after which the stream of a stopped task is ended if it has not ended by itself. */
const grace = 2_000;
/** Lease of the replica that looks for stopped tasks in the store. */
const lease = { name: 'stops', ms: 5_000 } as const;

/** Stop, and the state of its execution by this replica. Times are milliseconds since the replica's start. */
interface Known {
  readonly stop: Stop;
  readonly learnedAt: number;
  /** Time of the next look for its tasks in the store. */
  nextLook: number;
  isLooking: boolean;
}

export interface StopsDeps {
  readonly store: StopStore;
  readonly peers: Pick<Peers, 'lease'>;
  readonly logger: Logger;
}

/**
 * Stops from the store. Each replica reads them after a change, and ends stopped tasks in its memory as long as there is a stop.
 * One replica also ends stopped tasks that wait in the store.
 */
export class OperatorStops {
  readonly #deps: StopsDeps;
  #active: ActiveStops | undefined;
  /** Numbers of readings: of the latest that has begun, and of the latest whose stops are in force. */
  #begun = 0;
  #used = 0;
  #targets: StopTargets | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #isClosed = false;
  #known: ReadonlyMap<string, Known> = new Map();
  /** Called after a change of the stops in force. */
  onChange: () => void = () => {};
  /** Number of tasks that were ended. */
  endedTasks = 0;

  constructor(deps: StopsDeps) {
    this.#deps = deps;
  }

  /** Undefined: nothing is stopped. */
  get active(): ActiveStops | undefined {
    return this.#active;
  }

  /** Reads the stops. If the store fails, it rejects, and the former stops stay in force. */
  async read(): Promise<void> {
    await this.#load();
    this.#enforce();
  }

  /** Returns all stops, from the store. */
  list(): Promise<readonly Stop[]> {
    return this.#deps.store.list();
  }

  /**
   * Adds a stop. When it resolves, the stop is durable and in force at this replica. An existing stop of the subject stays as it
   * is.
   */
  async stop(wanted: Omit<Stop, 'stoppedAt'>): Promise<Stop> {
    const { store } = this.#deps;
    const { kind, subject } = wanted;
    // The limit applies to each kind, so that many stopped trees do not prevent a stop of a caller.
    if ((this.#active?.all.filter((each) => each.kind === kind).length ?? 0) >= most)
      throw new A2AError('unsupportedOperation', `${most} ${kind}s are stopped, the maximum; undo some of them first`);
    await store.add(wanted);
    const all = await this.#load();
    const stop = all.find((each) => each.kind === kind && each.subject === subject);
    // Another operator has undone it at once.
    if (!stop) throw new A2AError('unavailable', 'The stop was undone meanwhile', { retryAfter: 1 });
    this.#enforce();
    return stop;
  }

  /** Undoes a stop. Undefined: there is no such stop. */
  async resume(kind: StopKind, subject: string): Promise<Stop | undefined> {
    const { store } = this.#deps;
    const undone = await store.remove(kind, subject);
    await this.#load();
    return undone;
  }

  /** Begins to end stopped work, and to read the stops of other replicas. */
  start(targets: StopTargets): void {
    this.#targets = targets;
    this.#enforce();
    this.#unlisten = this.#deps.store.listen(within, () => this.read());
  }

  close(): void {
    this.#isClosed = true;
    this.#unlisten?.();
    clearTimeout(this.#timer);
  }

  /** Reads the stops and puts them in force, unless a later reading was faster. */
  async #load(): Promise<readonly Stop[]> {
    this.#begun += 1;
    const reading = this.#begun;
    const all = await this.#deps.store.list();
    if (reading > this.#used) {
      this.#used = reading;
      this.#use(all);
    }
    return all;
  }

  #use(all: readonly Stop[]): void {
    const { logger } = this.#deps;
    const now = performance.now();
    const known = new Map<string, Known>();
    for (const stop of all) {
      const { kind, subject, stoppedBy: principal, reason } = stop;
      const before = this.#known.get(keyOf(stop));
      if (before?.stop.stoppedAt === stop.stoppedAt) known.set(keyOf(stop), before);
      else {
        logger.warn(
          { kind, subject, principal, reason },
          'an operator has stopped a caller, an agent or a tree of tasks',
        );
        known.set(keyOf(stop), { stop, learnedAt: now, nextLook: now, isLooking: false });
      }
    }
    for (const [key, { stop }] of this.#known) {
      if (!known.has(key)) logger.info({ kind: stop.kind, subject: stop.subject }, 'a stop was undone');
    }
    this.#known = known;
    this.#active = all.length > 0 ? activeOf([...known.values()].map(({ stop }) => stop)) : undefined;
    this.onChange();
  }

  /** Ends stopped work again and again while there is a stop. */
  #enforce(): void {
    const active = this.#active;
    const targets = this.#targets;
    clearTimeout(this.#timer);
    if (!active || !targets || this.#isClosed) return;
    this.#timer = setTimeout(() => this.#enforce(), interval.own).unref();
    const { logger } = this.#deps;
    this.endedTasks += targets.endOwnStopped(active);
    targets.endStreams(active, (stop) => performance.now() - (this.#known.get(keyOf(stop))?.learnedAt ?? 0) > grace);
    this.#endStored(targets).catch((err: unknown) => {
      // An outage of the store is logged where the store notices it.
      logger.debug({ err }, 'stopped tasks could not be ended; trying again');
    });
  }

  /** Ends stopped tasks that wait in the store, if this replica has the lease. */
  async #endStored(targets: StopTargets): Promise<void> {
    const { peers } = this.#deps;
    const now = performance.now();
    const due = [...this.#known.values()]
      .filter(({ isLooking, nextLook }) => !isLooking && now >= nextLook)
      .sort((a, b) => a.nextLook - b.nextLook)
      .slice(0, atOnce);
    for (const known of due) known.nextLook = now + (now - known.learnedAt < fresh ? interval.tasks : interval.later);
    if (due.length === 0 || !(await peers.lease(lease.name, lease.ms))) return;
    const end = async (known: Known): Promise<void> => {
      known.isLooking = true;
      try {
        const count = await targets.endStopped(known.stop);
        this.endedTasks += count;
      } finally {
        known.isLooking = false;
      }
    };
    await Promise.all(due.map(end));
  }
}

const keyOf = ({ kind, subject }: Stop): string => `${kind} ${subject}`;

function activeOf(all: readonly Stop[]): ActiveStops {
  const subjects = (kind: StopKind): ReadonlyMap<string, Stop> =>
    new Map(all.flatMap((stop) => (stop.kind === kind ? [[stop.subject, stop]] : [])));
  const callers = subjects('caller');
  const agents = subjects('agent');
  const roots = subjects('root');
  return {
    all,
    hasRoots: roots.size > 0,
    of: ({ principal, agent }, root) =>
      callers.get(principal) ?? agents.get(agent) ?? (root === undefined ? undefined : roots.get(root)),
  };
}
