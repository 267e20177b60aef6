import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { A2AError } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { Peers } from '../ports/peers.ts';
import type { TaskStore } from '../ports/task-store.ts';

export interface MaintenanceOptions {
  /** The store, already open. */
  readonly store: Pick<TaskStore, 'expire' | 'now'> & {
    readonly peers: Pick<Peers, 'shared' | 'lease' | 'onReplicaLeft'>;
  };
  readonly logger: Logger;
  /** Takes over the tasks of dead replicas. Resolves with their number. */
  readonly takeOver: () => Promise<number>;
  readonly retention: {
    /** Milliseconds for which a task at rest is stored; infinity: forever. */
    readonly tasks: number;
  };
  /**
   * Deletes expired data of extensions, at most about `limit` rows. Resolves with whether there may be more. Default:
   * nothing.
   */
  readonly expire?: (limit: number) => Promise<boolean>;
}

/** Milliseconds between two runs. If there are other replicas, their callers wait for a takeover. */
const interval = { takeOverAlone: 5_000, takeOver: 2_000, expire: 60_000 };
/** The lease that lets one replica delete: milliseconds, longer than until its next run. */
const expiryLease = { name: 'expiry', ms: 2 * interval.expire };
/**
 * Tasks, or rows of extensions, that are deleted at once. Small, so that other statements do not wait long for the
 * database.
 */
const batchSize = 500;

/**
 * Repeats jobs until it is stopped: every replica takes over the tasks of dead replicas; one of them, which holds the
 * lease, deletes data older than the retention. All jobs run once immediately. Returns a function that stops them.
 */
export function maintain({ store, logger, takeOver, retention, expire }: MaintenanceOptions): () => void {
  const { peers } = store;
  const takingOver = repeat(peers.shared ? interval.takeOver : interval.takeOverAlone, logger, async () => {
    const tasks = await takeOver();
    if (tasks > 0) logger.warn({ tasks }, 'took over the tasks of a dead replica');
  });
  peers.onReplicaLeft(takingOver.now);
  const expiring = repeat(interval.expire, logger, async () => {
    const { tasks } = retention;
    /** Repeats a step while this replica holds the lease and there is more to delete. */
    const repeatStep = async (step: () => Promise<boolean>): Promise<void> => {
      while ((await peers.lease(expiryLease.name, expiryLease.ms)) && (await step())) await yieldToLoop();
    };
    const before = Math.max(0, store.now() - tasks);
    await repeatStep(async () => (await store.expire(before, batchSize)) === batchSize);
    if (expire) await repeatStep(() => expire(batchSize));
  });
  return () => {
    takingOver.stop();
    expiring.stop();
  };
}

/** Runs a job now and then at an interval, one run at a time. Of consecutive failures, the first is logged as an error. */
function repeat(ms: number, logger: Logger, job: () => Promise<void>) {
  let isRunning = false;
  let isQueued = false;
  let isStopped = false;
  let hasFailed = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await job();
      hasFailed = false;
    } catch (err) {
      // An outage of the store is logged where the store notices it.
      const isNews = !hasFailed && A2AError.from(err).kind !== 'unavailable';
      logger[isNews ? 'error' : 'debug']({ err }, 'maintenance failed; trying again');
      hasFailed = true;
    }
    isRunning = false;
    if (isQueued) now();
  };
  /** Runs the job now, or again after the run that is under way. */
  const now = (): void => {
    isQueued = isRunning;
    if (!isRunning && !isStopped) void run();
  };
  void run();
  const timer = setInterval(() => void run(), ms).unref();
  return {
    now,
    stop: (): void => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
