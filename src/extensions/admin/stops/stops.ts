import type { TaskState } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isTerminal, lifecycle } from '../../../core/model/lifecycle.ts';
import type { TaskFilter } from '../../../core/ports/admin-store.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { ActiveStops, Stop, StopKind, Stops, StopTargets } from '../../../core/ports/stops.ts';
import type { Store } from '../../../core/ports/store.ts';
import type { Meters } from '../../../core/telemetry/meters.ts';
import type { StopStore } from './store.ts';

/** Each replica reads all of them. */
const most = 1_000;
/** Milliseconds between two looks at what other replicas have stopped, and at the tasks in the store. */
const interval = { look: 500, tasks: 2_000 } as const;
/** Milliseconds in which the stream of a task ends with its task, or else is ended. */
const grace = 2_000;
/** One replica goes through the tasks in the store. */
const lease = { name: 'stops', ms: 2.5 * interval.tasks } as const;
const page = 200;

const unended = Object.keys(lifecycle).filter((state) => !isTerminal(state as TaskState)) as TaskState[];

export interface StopsDeps {
  readonly store: StopStore;
  readonly tasks: Pick<Store, 'searchTasks' | 'peers'>;
  readonly logger: Logger;
  readonly meters: Pick<Meters, 'stops' | 'stoppedTasks'>;
}

/**
 * What operators have stopped, as the store has it: each replica looks twice a second whether that has changed, and ends the
 * stopped tasks in its memory, for as long as something is stopped. So does one of them with those that wait in the store.
 */
export class OperatorStops implements Stops {
  readonly #deps: StopsDeps;
  #active: ActiveStops | undefined;
  #version = '';
  #targets: StopTargets | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** When this replica learned of each: milliseconds since its start. */
  #learned: ReadonlyMap<string, number> = new Map();
  #tasksEndedAt = Number.NEGATIVE_INFINITY;
  onActive: () => void = () => {};

  constructor(deps: StopsDeps) {
    this.#deps = deps;
  }

  get active(): ActiveStops | undefined {
    return this.#active;
  }

  /** Reads what is stopped. Rejects as the store does; then that stays as it is. */
  async read(): Promise<void> {
    const { store } = this.#deps;
    const version = await store.version();
    if (version === this.#version) return;
    this.#use(await store.list());
    this.#version = version;
  }

  list(): Promise<readonly Stop[]> {
    return this.#deps.store.list();
  }

  async stop(wanted: Omit<Stop, 'stoppedAt'>): Promise<Stop> {
    const { store } = this.#deps;
    const { kind, subject } = wanted;
    if ((this.#active?.all.length ?? 0) >= most)
      throw new A2AError('unsupportedOperation', `${most} things are stopped, the maximum; undo some of them first`);
    await store.add(wanted);
    const all = await store.list();
    this.#use(all);
    const stop = all.find((each) => each.kind === kind && each.subject === subject);
    // Another operator has undone it at once.
    if (!stop) throw new A2AError('unavailable', 'The stop was undone meanwhile', { retryAfter: 1 });
    void this.#enforce();
    return stop;
  }

  async resume(kind: StopKind, subject: string): Promise<Stop | undefined> {
    const { store } = this.#deps;
    const undone = await store.remove(kind, subject);
    this.#use(await store.list());
    return undone;
  }

  start(targets: StopTargets): void {
    this.#targets = targets;
    const look = async (): Promise<void> => {
      if (this.#deps.tasks.peers.shared)
        await this.read().catch((err: unknown) => {
          this.#deps.logger.debug({ err }, 'what is stopped could not be read');
        });
      await this.#enforce();
      if (!this.#isClosed) this.#timer = setTimeout(look, interval.look).unref();
    };
    void look();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #use(all: readonly Stop[]): void {
    const { logger, meters } = this.#deps;
    const now = performance.now();
    const learned = new Map<string, number>();
    for (const stop of all) {
      const { kind, subject, stoppedBy: principal, reason } = stop;
      const key = keyOf(stop);
      if (!this.#learned.has(key)) {
        logger.warn({ kind, subject, principal, reason }, 'an operator has stopped it');
        this.#tasksEndedAt = Number.NEGATIVE_INFINITY;
      }
      learned.set(key, this.#learned.get(key) ?? now);
    }
    for (const key of this.#learned.keys()) if (!learned.has(key)) logger.info({ stop: key }, 'a stop was undone');
    this.#learned = learned;
    const wasActive = this.#active !== undefined;
    meters.stops = all.length;
    this.#active = all.length > 0 ? activeOf(all) : undefined;
    if (wasActive !== all.length > 0) this.onActive();
  }

  /** Ends what is under way although it is stopped. */
  async #enforce(): Promise<void> {
    const [active, targets] = [this.#active, this.#targets];
    if (!active || !targets || this.#isClosed) return;
    const { logger } = this.#deps;
    try {
      targets.endStreams(active, (stop) => performance.now() - (this.#learned.get(keyOf(stop)) ?? 0) > grace);
      await this.#endTasks(targets);
      const now = performance.now();
      if (now - this.#tasksEndedAt < interval.tasks) return;
      this.#tasksEndedAt = now;
      if (await this.#deps.tasks.peers.lease(lease.name, lease.ms))
        for (const stop of active.all) await this.#endStored(stop, targets);
    } catch (err) {
      // An outage of the store is logged where the store notices it.
      logger.debug({ err }, 'stopped tasks could not be ended; trying again');
    }
  }

  async #endTasks({ endTasks }: StopTargets, keys?: readonly string[]): Promise<void> {
    const count = await endTasks(keys);
    this.#deps.meters.stoppedTasks += count;
  }

  /** Ends the tasks of a stop that no replica works on: they wait for their callers. */
  async #endStored(stop: Stop, targets: StopTargets): Promise<void> {
    const filter: TaskFilter = {
      ...(stop.kind === 'agent' ? { agent: stop.subject } : { principal: stop.subject }),
      states: unended,
    };
    for (let token = ''; this.#active?.all.includes(stop); ) {
      const { tasks, nextPageToken } = await this.#deps.tasks.searchTasks(filter, page, token);
      if (tasks.length > 0)
        await this.#endTasks(
          targets,
          tasks.map(({ key }) => key),
        );
      if (nextPageToken === '') return;
      token = nextPageToken;
    }
  }
}

const keyOf = ({ kind, subject }: Stop): string => `${kind} ${subject}`;

function activeOf(all: readonly Stop[]): ActiveStops {
  const subjects = (kind: StopKind): ReadonlyMap<string, Stop> =>
    new Map(all.flatMap((stop) => (stop.kind === kind ? [[stop.subject, stop]] : [])));
  const [callers, agents] = [subjects('caller'), subjects('agent')];
  return { all, of: ({ principal, agent }) => callers.get(principal) ?? agents.get(agent) };
}
