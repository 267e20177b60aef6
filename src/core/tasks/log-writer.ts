import { loopTurns } from '../limits/loop-turns.ts';
import type { UpstreamTask } from '../model/agent.ts';
import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { steadyNow } from '../model/timing.ts';
import { conflictError, isConflict, isKeyTaken, KeyTaken, LogConflict } from '../ports/store-errors.ts';
import type { Append, KeyedCall } from '../ports/task-store.ts';
import { logRateLimited } from '../telemetry/rate-limited-log.ts';
import type { TaskParts } from './listeners.ts';
import { firstRetryDelay, nextRetryDelay, outageTimeout, retryWhileUnavailable } from './outage.ts';
import { type TurnRequest, writeTurnRequest } from './turn-request.ts';

/** Number of queued events, and of their characters, above which a run waits for the store. */
const maxBacklog = 128;
const maxBacklogLength = 4 << 20;
/** Length of the backlog when tasks have reached their memory limit. */
const crowdedBacklogLength = 65_536;

/**
 * Largest number of bytes of a task that is stored whole with its last event. A larger task is folded and stored when it is first
 * read.
 */
const maxSnapshot = 4 << 20;

/**
 * Milliseconds for which a failed write is tried again before waiting callers fail, and at least once. If only the answer to a
 * commit was lost, the next attempt finds the events in the log; if a connection could not be opened in time, the next attempt
 * may open one. Callers must not be told meanwhile that their messages failed.
 */
const lostAnswerTimeout = 2_000;

/** Milliseconds for which the removal of a row is retried after its answer was lost. */
const removalTimeout = 3_000;

/** Writes one task's events to the store in order. One write runs at a time, and takes all events that were queued meanwhile. */
export class LogWriter {
  /** Bytes of the events that are not durable yet. */
  pendingBytes = 0;
  /** The writes in progress. Resolves when nothing is left to write, or nothing more can be written. */
  writing: Promise<void> | undefined;
  /** Whether the row of the new task is removed after the current write, whether that succeeds or fails. */
  isRowAbandoned = false;
  readonly #deps: TaskParts;
  #queue: LoggedEvent[] = [];
  /** Idempotency keys of the messages in the queue. */
  #queuedKeys: KeyedCall[] = [];
  /** Keys of the messages that are being written. */
  #writingKeys: readonly KeyedCall[] = [];
  /** The task's ids at its upstream agent, until they are written. */
  #upstream: UpstreamTask | undefined;
  /** Request that accompanies the message with which the queue ends. */
  #turnRequest: string | undefined;
  /** Error of the last attempt to write, if the store was unavailable. */
  #lastOutage: A2AError | undefined;

  constructor(deps: TaskParts) {
    this.#deps = deps;
  }

  /** The error that explains why a write has not succeeded yet. */
  get outage(): A2AError {
    return this.#lastOutage ?? new A2AError('unavailable', 'The store does not answer', { retryAfter: 5 });
  }

  /** Whether the task's ids at its upstream agent are queued. */
  get isBinding(): boolean {
    return this.#upstream !== undefined;
  }

  /** Whether a message with this idempotency key is queued or being written. */
  isWritingKey(key: string): boolean {
    return [...this.#queuedKeys, ...this.#writingKeys].some(({ call }) => call.key === key);
  }

  /** Queues an event. A message is queued with the idempotency key of its call and the other parts of its request. */
  write(event: LoggedEvent, call?: CallKey, request?: TurnRequest): void {
    if (call) this.#queuedKeys.push({ call, seq: event.seq - 1 });
    this.#queue.push(event);
    this.#turnRequest = request && writeTurnRequest(request, event.seq);
    this.pendingBytes += event.weight ?? event.json.length;
    this.writing ??= this.#run();
  }

  /** Queues the task's ids at its upstream agent: with the queued events, or alone. */
  bind(upstream: UpstreamTask): void {
    this.#upstream = upstream;
    this.writing ??= this.#run();
  }

  /** Undefined while there is room for further events; otherwise resolves when the queued events are written. */
  drained(): Promise<void> | undefined {
    if (this.#queue.length < maxBacklog && this.pendingBytes < crowdedBacklogLength) return undefined;
    const maxLength = this.#deps.memory.isCrowded ? crowdedBacklogLength : maxBacklogLength;
    return this.#queue.length >= maxBacklog || this.pendingBytes >= maxLength ? this.writing : undefined;
  }

  /** Releases the key of a call whose message the agent never received. Never rejects: a retained key is harmless. */
  async releaseKey(call: CallKey): Promise<void> {
    const { store, logger, record } = this.#deps;
    await store.releaseCall(call).catch((err: unknown) => {
      logger.debug({ task: record.id, err }, 'an idempotency key could not be released');
    });
  }

  /** Removes the task's row. If the store's answer is lost, checks again whether the row is gone. */
  async removeRow(call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const { store, logger, record } = this.#deps;
    const remove = (): Promise<boolean> => store.retract(record.key, call, answer);
    try {
      return await remove();
    } catch (err) {
      logger.debug({ task: record.id, err }, 'the row of a task without events could not be removed; retrying');
    }
    const isGone = async (): Promise<boolean> => (await remove()) || (await store.load(record.key)) === undefined;
    return retryWhileUnavailable(isGone, AbortSignal.timeout(removalTimeout)).catch(() => false);
  }

  async #run(): Promise<void> {
    const { log, listeners, journal } = this.#deps;
    let refusal: A2AError | undefined;
    // All events of all tasks that are emitted in this turn of the event loop become one transaction.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while ((this.#queue.length > 0 || this.#upstream) && !refusal && !journal.failure) {
      const batch = this.#nextBatch();
      const error = await this.#append(batch);
      // Code that waits for large events, and writes the next ones, runs in a turn of its own.
      const turn = loopTurns.takeFor(this.pendingBytes);
      if (turn) await turn;
      this.#writingKeys = [];
      // Events of a row that is removed must not be published.
      if (this.isRowAbandoned) await this.removeRow(batch.keys?.[0]?.call, undefined);
      else if (!error || (error.cause instanceof LogConflict && error.cause.isStored)) {
        log.commit(batch.events, batch.snapshot);
        for (const { json, weight } of batch.events) this.pendingBytes -= weight ?? json.length;
        if (batch.events.length > 0) listeners.publish(batch.events);
      }
      if (error) this.#discard(error);
      refusal = error;
    }
    this.writing = undefined;
    journal.writesDone(refusal);
  }

  #nextBatch(): Append {
    const { log, record, hidesWords } = this.#deps;
    const events = this.#queue;
    const keys = this.#queuedKeys;
    const upstream = this.#upstream;
    const turnRequest = this.#turnRequest;
    this.#clear();
    this.#writingKeys = keys;
    // The last event and the snapshot are one transaction.
    const isFolded = log.isTerminal && (log.committed === 0 || log.size <= maxSnapshot);
    const snapshot = isFolded ? log.snapshotWith(events) : undefined;
    return {
      key: record.key,
      events,
      status: { state: log.state, at: log.statusAt },
      ...(log.committed === 0 && { create: record }),
      ...(keys.length > 0 && { keys }),
      ...(snapshot && { snapshot, ended: record }),
      ...(turnRequest && { turnRequest }),
      ...(hidesWords?.() && { hidesWords: true }),
      ...(upstream && { upstream }),
    };
  }

  /** Appends, and retries while the store is unavailable. Resolves with an error if the events never will be durable. */
  async #append(batch: Append): Promise<A2AError | undefined> {
    const { store, record, listeners, journal } = this.#deps;
    const began = steadyNow();
    for (let delay = firstRetryDelay, isRetry = false; ; delay = nextRetryDelay(delay), isRetry = true) {
      try {
        await store.append(batch);
        return undefined;
      } catch (thrown) {
        const error = A2AError.from(thrown);
        const { cause } = error;
        if (cause instanceof LogConflict || cause instanceof KeyTaken) return conflictError(record.id, batch, cause);
        if (error.kind !== 'unavailable' || journal.failure) return error;
        this.#lastOutage = error;
        const outage = steadyNow() - began;
        if (isRetry && outage >= lostAnswerTimeout) listeners.failOnOutage(error, outage > outageTimeout);
        await new Promise<void>((resolve) => setTimeout(resolve, delay).unref());
        if (journal.failure) return error;
      }
    }
  }

  #clear(): void {
    this.#queue = [];
    this.#queuedKeys = [];
    this.#upstream = undefined;
    this.#turnRequest = undefined;
  }

  /** Discards all queued events: they never will be durable. */
  #discard(error: A2AError): void {
    const { logger, record } = this.#deps;
    const { id: task, agent, principal } = record;
    const fields = { task, agent, principal, err: error.cause ?? error };
    if (isKeyTaken(error)) logger.debug(fields, 'another call has the same idempotency key');
    else if (isConflict(error)) logger.warn(fields, 'another replica continued the task; events were discarded');
    else if (error.kind === 'unavailable') logRateLimited(logger, 'append', fields, 'events could not be stored');
    else logger.error(fields, 'events could not be stored');
    this.#clear();
    this.pendingBytes = 0;
  }
}
