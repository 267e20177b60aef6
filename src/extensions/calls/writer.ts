import type { TaskState } from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { shared } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { shortenedCaller } from '../../core/telemetry/call-fields.ts';
import type { CallLog, CallRecord } from '../../core/telemetry/call-log.ts';
import { logRateLimited } from '../../core/telemetry/rate-limited-log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { idOf, readable } from './matches.ts';
import { isDecided, isSlow } from './model.ts';
import { PendingCalls } from './pending-calls.ts';
import { type NumberEntry, PendingNumbers } from './pending-numbers.ts';
import type { CallRow, CallStore, Instance } from './store/store.ts';

/**
 * Milliseconds between two writes, between two writes of a replica without calls (to say that there were none), and between two
 * looks for replicas that have ended.
 */
const every = { write: 5_000, idle: 30_000, ends: 10_000 } as const;
/** Milliseconds without a write after which a replica that sends no heartbeats either counts as ended. */
const endsAfter = 90_000;
/** Most calls, and most numbers, in one transaction, so that other transactions do not wait long. */
const batchSize = 200;

/** States of tasks that count as failures. */
const failures: ReadonlySet<TaskState> = new Set(['TASK_STATE_FAILED', 'TASK_STATE_REJECTED']);

export interface CallWriterDeps {
  readonly kept: CallStore;
  readonly store: Pick<Store, 'now' | 'replicas' | 'peers'>;
  readonly metrics: Pick<Metrics, 'log' | 'stores'>;
  readonly logger: Logger;
  /** Duration in milliseconds from which on a call is slow. */
  readonly slow: number;
  readonly isAgent: (name: string) => boolean;
  /** Whether messages of errors are not stored, since agents may have written them. */
  readonly hidesWords: () => boolean;
}

/** Stores the failed and slow calls and the numbers of one replica in batches. */
export class CallWriter {
  readonly #deps: CallWriterDeps;
  readonly #log: CallLog;
  readonly #calls = new PendingCalls();
  readonly #numbers: PendingNumbers;
  readonly #beganAt: number;
  #storedAt: number;
  #replica: string | undefined;
  #notedEndsAt = Number.NEGATIVE_INFINITY;
  /**
   * Times at which this replica first missed other replicas' heartbeats since the last sign of them, by the ids of their runs:
   * milliseconds since the epoch.
   */
  #missedSince: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CallWriterDeps) {
    this.#deps = deps;
    this.#log = deps.metrics.log;
    this.#numbers = new PendingNumbers(deps.isAgent);
    this.#beganAt = deps.store.now();
    this.#storedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Begins to count calls. When it resolves, the store knows this replica, so that calls which it never stores are known to be
   * missing.
   */
  async begin(): Promise<void> {
    const { log, stores } = this.#deps.metrics;
    log.unread = [];
    log.onManyUnread = this.#read;
    stores.unreadEnds = [];
    await this.#deps.kept.store(await this.#instance(), []);
  }

  /** Begins to store calls and numbers at intervals. */
  start(): void {
    this.#timer = setInterval(() => void this.#flushInBackground(), every.write).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Counts the calls and tasks that have ended since the last reading. A call itself only writes its record, so that counting
   * does not delay it.
   */
  readonly #read = (): void => {
    const { metrics, slow } = this.#deps;
    const { log, stores } = metrics;
    if (!log.unread || !stores.unreadEnds) return;
    const [records, ends] = [log.unread, stores.unreadEnds];
    log.unread = [];
    stores.unreadEnds = [];
    for (const record of records) {
      const isKept = record.error !== undefined || isSlow(record, slow);
      this.#numbers.note(record, isKept && !this.#calls.offer(record));
      if (!isKept && isDecided(record)) this.#calls.offerDecided(record);
    }
    for (const record of log.decidedLate) this.#calls.offerDecided(record);
    log.decidedLate = [];
    for (const { agent, principal, dialect, state, at } of ends) {
      this.#numbers.noteTask({ minute: at, agent, principal, dialect }, failures.has(state));
    }
  };

  /** Stores all calls and numbers until now. Rejects if the store does not take them; they are kept then. */
  async flush(): Promise<void> {
    // A write under way has only the calls from before it began.
    await this.#write();
    await this.#write();
  }

  /** Stores the last calls and numbers when this replica ends. */
  async end(): Promise<void> {
    const { log, stores } = this.#deps.metrics;
    try {
      await this.flush();
      log.unread = undefined;
      log.onManyUnread = undefined;
      stores.unreadEnds = undefined;
      await this.#deps.kept.store({ ...(await this.#instance()), endedAt: this.#storedAt }, []);
    } catch (err) {
      this.#warn(err);
    }
  }

  /** Stores all calls of a caller, so that an erasure finds them in the store, and forgets the caller. */
  async forget(principal: string): Promise<void> {
    await this.flush();
    this.#calls.forget(principal);
    this.#numbers.forget(principal);
  }

  async #flushInBackground(): Promise<void> {
    try {
      await this.#write();
      await this.noteEnds();
    } catch (err) {
      this.#warn(err);
    }
  }

  #warn(err: unknown): void {
    // An outage of the store is logged where the store notices it.
    this.#deps.logger.debug({ err }, 'calls and their numbers could not be stored; trying again');
  }

  readonly #write = shared(async (): Promise<void> => {
    const now = this.#deps.store.now();
    this.#read();
    this.#calls.trim(now);
    const calls = this.#calls.take();
    const numbers = this.#numbers.changed();
    if (calls.length === 0 && numbers.length === 0 && now - this.#storedAt < every.idle) return;
    await this.#storeAll(calls, numbers);
    // Calls that the store has refused are counted.
    await this.#storeAll([], this.#numbers.changed());
    await this.#deps.kept.store({ ...(await this.#instance()), storedAt: now }, []);
    this.#storedAt = now;
    this.#numbers.trim(now);
  });

  /** Stores calls and numbers in several transactions. */
  async #storeAll(calls: readonly CallRecord[], numbers: readonly NumberEntry[]): Promise<void> {
    let written = 0;
    const stored: CallRecord[] = [];
    try {
      await this.#readUnread(numbers);
      for (; written < Math.max(calls.length, numbers.length); written += batchSize) {
        const part = [written, written + batchSize] as const;
        stored.push(...(await this.#storePart(calls.slice(...part), numbers.slice(...part))));
      }
    } finally {
      this.#calls.putBack(calls.slice(written));
      this.#calls.putBack(stored, this.#deps.store.now());
    }
  }

  /** Stores calls and numbers in one transaction. Resolves with the calls that the store has taken. */
  async #storePart(calls: readonly CallRecord[], numbers: readonly NumberEntry[]): Promise<CallRecord[]> {
    const hides = this.#deps.hidesWords();
    const pending = new Map<CallRow, CallRecord | NumberEntry>();
    for (const record of calls) pending.set({ id: idOf(this.#log, record), record: readable(record, hides) }, record);
    for (const entry of numbers) {
      const { numbers: counted, minute, agent, principal, dialect } = entry;
      pending.set({ minute, agent, principal, dialect, values: counted.values }, entry);
    }
    const changes = numbers.map((entry) => entry.changes);
    const refused = await this.#deps.kept.store(await this.#instance(), [...pending.keys()]);
    for (const [at, entry] of numbers.entries()) entry.stored = changes[at] as number;
    const leftOut = new Set(
      refused.map(({ row, reason }) => this.#leaveOut(pending.get(row) as CallRecord | NumberEntry, reason)),
    );
    return calls.filter((record) => !leftOut.has(record));
  }

  /** Drops a row that the store refuses. A call is counted as left out; numbers are counted for `others`. */
  #leaveOut<Pending extends CallRecord | NumberEntry>(pending: Pending, err: unknown): Pending {
    const { agent, principal = '' } = pending;
    const row = 'seq' in pending ? { call: idOf(this.#log, pending) } : { minute: timestamp(pending.minute) };
    const fields = { ...row, agent, principal: shortenedCaller(principal), err };
    logRateLimited(
      this.#deps.logger,
      'refused call',
      fields,
      'the database refuses a call or its numbers; they are left out',
    );
    if ('seq' in pending) this.#numbers.noteLeftOut(pending);
    else this.#numbers.refuse(pending);
    return pending;
  }

  /** Adds the stored numbers of minutes that are no longer in memory. A call may end long after it arrived. */
  async #readUnread(numbers: readonly NumberEntry[]): Promise<void> {
    const unread = numbers.filter(({ isUnread }) => isUnread);
    if (unread.length === 0) return;
    const found = await this.#deps.kept.numbers.of(this.#log.instance, unread);
    for (const entry of unread) {
      const former = found.find(
        ({ minute, agent, principal, dialect }) =>
          minute === entry.minute &&
          agent === entry.agent &&
          principal === entry.principal &&
          dialect === entry.dialect,
      );
      if (former) entry.numbers.addAll(former.values);
      entry.isUnread = false;
    }
  }

  async #instance(): Promise<Instance> {
    const { store } = this.#deps;
    this.#replica ??= store.peers.shared ? ((await store.replicas()).find(({ isThis }) => isThis)?.id ?? '') : '';
    const storedAt = Math.max(this.#storedAt, this.#beganAt);
    // If others have deleted the row, its former numbers are gone, too.
    return { instance: this.#log.instance, replica: this.#replica, beganAt: storedAt, storedAt, endedAt: undefined };
  }

  /**
   * Stores which other replicas have ended. The end of a replica is the time at which this one first missed its heartbeats. That
   * is long before the end is certain: a replica that cannot reach the store for a while sends no heartbeats, but stores its
   * calls later. A replica that has sent a heartbeat or stored something since then is missed anew: its calls after that may be
   * missing.
   */
  async noteEnds(): Promise<void> {
    const { store, kept } = this.#deps;
    const now = store.now();
    if (!store.peers.shared || now - this.#notedEndsAt < every.ends) return;
    this.#notedEndsAt = now;
    const replicas = await store.replicas();
    const alive = new Set(replicas.flatMap(({ id, isAlive }) => (isAlive ? [id] : [])));
    const missed = (await kept.instances()).filter(
      ({ instance, replica, endedAt }) =>
        endedAt === undefined && instance !== this.#log.instance && !alive.has(replica),
    );
    const heartbeats = new Map(replicas.map(({ id, heartbeatAt }) => [id, heartbeatAt]));
    const former = this.#missedSince;
    this.#missedSince = new Map(
      missed.map(({ instance, replica, storedAt }) => {
        const lastSign = Math.max(storedAt, heartbeats.get(replica) ?? 0);
        const since = former.get(instance) ?? now;
        return [instance, since > lastSign ? since : now];
      }),
    );
    await kept.noteEnds(this.#missedSince, now - endsAfter);
  }
}
