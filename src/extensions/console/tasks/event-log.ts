import type { ListTaskEventsResponse, TaskLogEvent } from '../../../gen/admin-v1/types.ts';

/** Where the events of a log come from: the gateway, or a file. */
export interface EventSource {
  /** At most `limit` events after a position, in order; at least one where there is one. */
  read(after: number, limit: number, signal: AbortSignal): Promise<ListTaskEventsResponse>;
}

/** Events of one request, and of one chunk of the log. */
const chunkSize = 1000;

/** Chunks that are kept: 20,000 events. */
const maxChunks = 20;

/** Requests at the same time. */
const maxReads = 2;

/**
 * The log of a task, read in chunks as they are needed. Those that were read first are dropped and read again, so that a log
 * of any length needs bounded memory.
 */
export class EventLog {
  readonly #source: EventSource;
  readonly #onChange: () => void;
  /** Events by chunk, in the order in which the chunks were filled. */
  readonly #chunks = new Map<number, Map<number, TaskLogEvent>>();
  readonly #reads = new Map<number, Promise<void>>();
  readonly #abort = new AbortController();
  /** Chunks of the latest call of `want` that wait, because enough others are being read. */
  #wanted: number[] = [];
  #lastPosition: number;
  #error: unknown;

  /**
   * @param lastPosition position of the last event, as far as it is known
   * @param onChange called when events have arrived, or could not be read
   */
  constructor(source: EventSource, lastPosition: number, onChange: () => void) {
    this.#source = source;
    this.#lastPosition = lastPosition;
    this.#onChange = onChange;
  }

  /** Position of the last event. */
  get lastPosition(): number {
    return this.#lastPosition;
  }

  /** Why the latest read failed; undefined after one that succeeded. Nothing is read for `want` until `retry`. */
  get error(): unknown {
    return this.#error;
  }

  /** Number of events in memory. */
  get kept(): number {
    let kept = 0;
    for (const chunk of this.#chunks.values()) kept += chunk.size;
    return kept;
  }

  /** The event at a position, where it is in memory. */
  at(position: number): TaskLogEvent | undefined {
    return this.#chunks.get(chunkOf(position))?.get(position);
  }

  /** Tells the log that it goes on to a position. */
  grow(lastPosition: number): void {
    if (lastPosition > this.#lastPosition) this.#lastPosition = lastPosition;
  }

  /** Takes in events that arrived live. Events that are known already change nothing. */
  append(events: readonly TaskLogEvent[]): void {
    for (const event of events) {
      this.#store(event);
      this.grow(event.position);
    }
    if (events.length > 0) this.#onChange();
  }

  /** Begins to read the events of a range that are not in memory. Only the latest call counts. */
  want(from: number, to: number): void {
    this.#wanted = [];
    if (this.#error !== undefined) return;
    for (let chunk = chunkOf(from); chunk <= chunkOf(Math.min(to, this.#lastPosition)); chunk++) {
      if (!this.#isComplete(chunk)) this.#wanted.push(chunk);
    }
    this.#next();
  }

  /** Forgets that a read failed, so that events are read again when they are wanted. */
  retry(): void {
    if (this.#error === undefined) return;
    this.#error = undefined;
    this.#onChange();
  }

  /** The events of a range in order. Rejects when the signal aborts, or when a chunk cannot be read. */
  async *range(from: number, to: number, signal: AbortSignal): AsyncGenerator<TaskLogEvent> {
    for (let position = from; position <= Math.min(to, this.#lastPosition); position++) {
      const event = this.at(position) ?? (await this.#readAt(position, to, signal));
      if (!event) throw new Error(`Event ${position} is no longer in the log of the task.`);
      yield event;
    }
  }

  /** Stops reading. */
  close(): void {
    this.#wanted = [];
    this.#abort.abort();
  }

  async #readAt(position: number, to: number, signal: AbortSignal): Promise<TaskLogEvent | undefined> {
    signal.throwIfAborted();
    const chunk = chunkOf(position);
    const reading = this.#reads.get(chunk) ?? this.#read(chunk);
    // The next chunk is on its way while this one is used.
    const ahead = chunk + 1;
    if (ahead <= chunkOf(Math.min(to, this.#lastPosition)) && !this.#reads.has(ahead) && !this.#isComplete(ahead)) {
      void this.#read(ahead);
    }
    await reading;
    signal.throwIfAborted();
    const event = this.at(position);
    if (!event && this.#error !== undefined) throw this.#error;
    return event;
  }

  #next(): void {
    while (this.#reads.size < maxReads) {
      const chunk = this.#wanted.shift();
      if (chunk === undefined) return;
      if (!this.#reads.has(chunk)) void this.#read(chunk);
    }
  }

  #read(chunk: number): Promise<void> {
    const reading = this.#readChunk(chunk).then(
      () => {
        this.#error = undefined;
      },
      (error: unknown) => {
        if (!this.#abort.signal.aborted) this.#error = error;
        this.#wanted = [];
      },
    );
    const done = reading.then(() => {
      this.#reads.delete(chunk);
      if (this.#abort.signal.aborted) return;
      this.#onChange();
      this.#next();
    });
    this.#reads.set(chunk, done);
    return done;
  }

  /** Reads what a chunk lacks. A page may end early, where events are large. */
  async #readChunk(chunk: number): Promise<void> {
    const { signal } = this.#abort;
    for (let after = this.#lastBeforeGap(chunk); after < this.#endOf(chunk); after = this.#lastBeforeGap(chunk)) {
      const { events = [], lastPosition = 0 } = await this.#source.read(after, this.#endOf(chunk) - after, signal);
      signal.throwIfAborted();
      this.grow(lastPosition);
      for (const event of events) this.#store(event);
      if (this.#lastBeforeGap(chunk) <= after) return;
    }
  }

  #endOf(chunk: number): number {
    return Math.min((chunk + 1) * chunkSize, this.#lastPosition);
  }

  #lastBeforeGap(chunk: number): number {
    const events = this.#chunks.get(chunk);
    let position = chunk * chunkSize;
    while (events?.has(position + 1)) position++;
    return position;
  }

  #isComplete(chunk: number): boolean {
    const start = chunk * chunkSize;
    return (this.#chunks.get(chunk)?.size ?? 0) >= this.#endOf(chunk) - start;
  }

  #store(event: TaskLogEvent): void {
    const at = chunkOf(event.position);
    const chunk = this.#chunks.get(at) ?? new Map<number, TaskLogEvent>();
    chunk.set(event.position, event);
    if (this.#chunks.size >= maxChunks && !this.#chunks.has(at)) this.#chunks.delete(this.#oldest());
    this.#chunks.delete(at);
    this.#chunks.set(at, chunk);
  }

  /** The chunk that was filled first; the first chunk of the log is kept, since every fold begins there. */
  #oldest(): number {
    for (const chunk of this.#chunks.keys()) if (chunk !== 0) return chunk;
    return 0;
  }
}

const chunkOf = (position: number): number => Math.floor((position - 1) / chunkSize);
