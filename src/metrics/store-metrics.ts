import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { isTerminal } from '../core/model/lifecycle.ts';
import type { Peers } from '../core/ports/peers.ts';
import type { Store, StoreBatch } from '../core/ports/store.ts';
import type { Append } from '../core/ports/task-store.ts';
import { observePeers, observeStore, type StoreAccess } from '../core/telemetry/observed-store.ts';
import { getOrCreate } from './call-metrics.ts';
import { counter, type Family, histogram, unlabeled } from './family.ts';
import { bounds, Histogram } from './histogram.ts';

/** Accesses of one kind. */
class AccessSeries {
  readonly latency = new Histogram(bounds.accesses);
  readonly failed = new Map<ErrorKind, number>();
}

/** Counts what is asked of a store, and what it tells of tasks. */
export class StoreMetrics {
  readonly #accesses = new Map<StoreAccess, AccessSeries>();
  readonly #batches = {
    latency: new Histogram(bounds.accesses),
    tasks: new Histogram(bounds.batches),
    events: new Histogram(bounds.batches),
  };
  readonly #started = new Map<string, number>();
  readonly #ended = new Map<string, number>();
  #events = 0;
  #takenOver = 0;
  /** What other gateways say. */
  readonly #hints = { heard: 0, lost: 0 };
  #asked = 0;
  readonly #peers = new WeakMap<Peers, Peers>();

  /** The same store, its accesses counted. */
  observe(store: Store): Store {
    const observed = observeStore(store, (access, run) => this.#around(access, run));
    const { append, claimOrphans } = observed;
    const own: Pick<Store, 'append' | 'claimOrphans'> = {
      append: (events) => {
        const done = append(events);
        done.then(() => this.#appended(events), ignore);
        return done;
      },
      claimOrphans: (...asked) => {
        const claimed = claimOrphans(...asked);
        claimed.then(({ length }) => {
          this.#takenOver += length;
        }, ignore);
        return claimed;
      },
    };
    Object.defineProperty(observed, 'peers', { get: () => this.#peersOf(store.peers), enumerable: true });
    return Object.assign(observed, own);
  }

  /** Takes down what the store has written in one transaction. */
  readonly onBatch = ({ tasks, events, seconds }: StoreBatch): void => {
    this.#batches.latency.observe(seconds);
    this.#batches.tasks.observe(tasks);
    this.#batches.events.observe(events);
  };

  families(): Family[] {
    const { latency, tasks, events } = this.#batches;
    const accesses = [...this.#accesses];
    return [
      counter('events', 'Events of tasks that this gateway made durable.', unlabeled(this.#events)),
      counter(
        'tasks_started',
        'Tasks that this gateway made.',
        Array.from(this.#started, ([agent, count]) => [{ agent }, count] as const),
      ),
      counter(
        'tasks_ended',
        'Tasks whose end this gateway made durable, by the state in which they ended.',
        Array.from(this.#ended, ([state, count]) => [{ state }, count] as const),
      ),
      counter('tasks_taken_over', 'Tasks of dead gateways that this one took over.', unlabeled(this.#takenOver)),
      counter('hints', 'Notifications of other gateways that this one heard, and how often it may have missed some.', [
        [{ result: 'heard' }, this.#hints.heard],
        [{ result: 'lost' }, this.#hints.lost],
      ]),
      counter('questions_answered', 'Questions of other gateways about tasks of this one.', unlabeled(this.#asked)),
      histogram(
        'store_access_duration_seconds',
        'Time of accesses to the store, waiting for their turn included.',
        accesses.map(([access, { latency }]) => [{ access }, latency] as const),
      ),
      counter(
        'store_errors',
        'Accesses to the store that failed, by the kind of error.',
        accesses.flatMap(([access, { failed }]) => Array.from(failed, ([kind, n]) => [{ access, kind }, n] as const)),
      ),
      histogram('store_batch_duration_seconds', 'Time of transactions that write events.', [[{}, latency]]),
      histogram('store_batch_tasks', 'Tasks of which one transaction writes events.', [[{}, tasks]]),
      histogram('store_batch_events', 'Events that one transaction writes.', [[{}, events]]),
    ];
  }

  #around<T>(access: StoreAccess, run: () => Promise<T>): Promise<T> {
    const accesses = getOrCreate(this.#accesses, access, () => new AccessSeries());
    const began = performance.now();
    const done = run();
    // Beside the access, and not in its way.
    done.then(
      () => accesses.latency.observe((performance.now() - began) / 1_000),
      (thrown: unknown) => {
        accesses.latency.observe((performance.now() - began) / 1_000);
        const { kind } = A2AError.from(thrown);
        accesses.failed.set(kind, (accesses.failed.get(kind) ?? 0) + 1);
      },
    );
    return done;
  }

  /** Nothing is counted of those of a store that is this gateway's alone. */
  #peersOf(peers: Peers): Peers {
    return peers.shared ? getOrCreate(this.#peers, peers, () => this.#watch(peers)) : peers;
  }

  #watch(peers: Peers): Peers {
    const observed = observePeers(peers, (access, run) => this.#around(access, run));
    const own: Pick<Peers, 'onTaskWritten' | 'onForwarded'> = {
      onTaskWritten: (listener) =>
        peers.onTaskWritten((key, seq) => {
          this.#hints[key === undefined ? 'lost' : 'heard'] += 1;
          listener(key, seq);
        }),
      onForwarded: (answer) =>
        peers.onForwarded((question) => {
          this.#asked += 1;
          return answer(question);
        }),
    };
    return Object.assign(observed, own);
  }

  #appended({ create, events, snapshot, status }: Append): void {
    this.#events += events.length;
    if (create) this.#started.set(create.agent, (this.#started.get(create.agent) ?? 0) + 1);
    // The whole task is written once, at its end.
    if (!snapshot || !status || !isTerminal(status.state)) return;
    const state = status.state.replace(/^TASK_STATE_/, '').toLowerCase();
    this.#ended.set(state, (this.#ended.get(state) ?? 0) + 1);
  }
}

const ignore = (): void => {};
