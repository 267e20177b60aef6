import type { TaskState } from '../core/model/a2a.ts';
import { isTerminal } from '../core/model/lifecycle.ts';
import type { Peers } from '../core/ports/peers.ts';
import type { Store, StoreBatch } from '../core/ports/store.ts';
import type { Append } from '../core/ports/task-store.ts';
import { type AccessObserver, observePeers, observeStore, type StoreAccess } from '../core/telemetry/observed-store.ts';
import { by, counter, type Family, histogram } from './family.ts';
import { bounds, getOrCreate, Histogram, Outcomes, Tally } from './series.ts';

/** A task that has ended. */
export interface EndedTask {
  readonly agent: string;
  readonly principal: string;
  readonly dialect: string;
  readonly state: TaskState;
  /** Milliseconds, by the store's clock. */
  readonly at: number;
}

/** Counts accesses to a store, and the changes of tasks and replicas that they show. */
export class StoreMetrics {
  readonly #accesses = new Map<StoreAccess, Outcomes>();
  readonly #batches = {
    latency: new Histogram(bounds.accesses),
    tasks: new Histogram(bounds.batches),
    events: new Histogram(bounds.batches),
  };
  readonly #started = new Tally<string>();
  /** Number of ended tasks by agent, then by state. */
  readonly #ended = new Map<string, Tally<string>>();
  #events = 0;
  #takenOver = 0;
  readonly #notifications = { heard: 0, lost: 0 };
  #forwarded = 0;
  readonly #peers = new WeakMap<Peers, Peers>();
  /** Tasks whose end this gateway has stored, which a reader takes from time to time. Undefined: there is no reader. */
  unreadEnds: EndedTask[] | undefined = undefined;

  /** Wraps a store so that its accesses are counted. */
  observe(store: Store): Store {
    const observed = observeStore(store, (access) => this.#observerOf(access));
    const appends = this.#outcomesOf('append');
    const { claimOrphans } = observed;
    const own: Pick<Store, 'append' | 'claimOrphans'> = {
      append: (append) =>
        appends.watch(
          () => store.append(append),
          (error) => error === undefined && this.#appended(append),
        ),
      claimOrphans: (...args) => {
        const claimed = claimOrphans(...args);
        claimed.then(({ length }) => {
          this.#takenOver += length;
        }, ignore);
        return claimed;
      },
    };
    Object.defineProperty(observed, 'peers', { get: () => this.#peersOf(store.peers), enumerable: true });
    return Object.assign(observed, own);
  }

  /** Counts one transaction of the store. */
  readonly onBatch = ({ tasks, events, seconds }: StoreBatch): void => {
    this.#batches.latency.observe(seconds);
    this.#batches.tasks.observe(tasks);
    this.#batches.events.observe(events);
  };

  families(): Family[] {
    const { latency, tasks, events } = this.#batches;
    const accesses = [...this.#accesses].filter(([, outcomes]) => outcomes.hasAny);
    return [
      counter('events', 'Events of tasks that this gateway stored.', this.#events),
      counter('tasks_started', 'Tasks that this gateway created.', by('agent', this.#started)),
      counter(
        'tasks_ended',
        'Tasks whose end this gateway stored, by agent and last state.',
        [...this.#ended].flatMap(([agent, states]) =>
          Array.from(states, ([state, n]) => [{ agent, state }, n] as const),
        ),
      ),
      counter('tasks_taken_over', 'Tasks that this gateway took over from dead ones.', this.#takenOver),
      counter(
        'hints',
        'Notifications from other gateways that arrived, and interruptions in which some may have been lost.',
        by('result', this.#notifications),
      ),
      counter('questions_answered', "Calls about this gateway's tasks that other gateways forwarded.", this.#forwarded),
      histogram(
        'store_access_duration_seconds',
        'Time of accesses to the store, including the wait for a connection.',
        accesses.map(([access, { latency }]) => [{ access }, latency] as const),
      ),
      counter(
        'store_errors',
        'Accesses to the store that failed, by the kind of error.',
        accesses.flatMap(([access, { failed }]) => Array.from(failed, ([kind, n]) => [{ access, kind }, n] as const)),
      ),
      histogram('store_batch_duration_seconds', 'Time of transactions that write events.', [[{}, latency]]),
      histogram('store_batch_tasks', 'Tasks whose events are written in one transaction.', [[{}, tasks]]),
      histogram('store_batch_events', 'Events that are written in one transaction.', [[{}, events]]),
    ];
  }

  #outcomesOf(access: StoreAccess): Outcomes {
    return getOrCreate(this.#accesses, access, () => new Outcomes(bounds.accesses));
  }

  #observerOf(access: StoreAccess): AccessObserver {
    const outcomes = this.#outcomesOf(access);
    return (run) => outcomes.watch(run);
  }

  /** Wraps the peers of a store; those of a store that only this gateway uses are not counted. */
  #peersOf(peers: Peers): Peers {
    return peers.shared ? getOrCreate(this.#peers, peers, () => this.#observePeers(peers)) : peers;
  }

  #observePeers(peers: Peers): Peers {
    const observed = observePeers(peers, (access) => this.#observerOf(access));
    const own: Pick<Peers, 'onTaskWritten' | 'onForwarded'> = {
      onTaskWritten: (listener) =>
        peers.onTaskWritten((key, seq) => {
          this.#notifications[key === undefined ? 'lost' : 'heard'] += 1;
          listener(key, seq);
        }),
      onForwarded: (answer) =>
        peers.onForwarded((call) => {
          this.#forwarded += 1;
          return answer(call);
        }),
    };
    return Object.assign(observed, own);
  }

  #appended({ create, ended = create, events, status }: Append): void {
    this.#events += events.length;
    if (create) this.#started.add(create.agent);
    // A task ends once: with its snapshot, or with its first event.
    if (!ended || !status || !isTerminal(status.state)) return;
    const state = status.state.replace(/^TASK_STATE_/, '').toLowerCase();
    getOrCreate(this.#ended, ended.agent, () => new Tally()).add(state);
    const { agent, principal, dialect } = ended;
    this.unreadEnds?.push({ agent, principal, dialect, state: status.state, at: status.at });
  }
}

const ignore = (): void => {};
