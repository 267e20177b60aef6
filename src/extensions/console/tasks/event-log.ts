import type { ListTaskEventsResponse, TaskLogEvent } from '../../../gen/admin-v1/types.ts';

/** Reads events: at most `limit` after a position, in order; at least one if there is one. */
export type ReadEvents = (after: number, limit: number, signal: AbortSignal) => Promise<ListTaskEventsResponse>;

/** Events of one request, and of one chunk of the log. */
const chunkSize = 1000;

/** Number of chunks in memory: 20,000 events. */
const maxChunks = 20;

/** Number of concurrent requests for visible events. */
const maxReads = 2;

/** Milliseconds of work on events after which the page can draw. */
const slice = 12;

/**
 * The log of a task, read in chunks as they are needed. The oldest chunks are dropped and read again, so that a log of
 * any length needs bounded memory.
 */
export class EventLog {
  readonly #source: ReadEvents;
  readonly #onChange: () => void;
  /** Events by chunk, in the order in which the chunks were filled. */
  readonly #chunks = new Map<number, Map<number, TaskLogEvent>>();
  readonly #reads = new Map<number, Promise<void>>();
  readonly #abort = new AbortController();
  #lastPosition: number;
  #error: unknown;

  /**
   * @param lastPosition position of the last event, as far as it is known
   * @param onChange called when events have arrived, or could not be read
   */
  constructor(source: ReadEvents, lastPosition: number, onChange: () => void) {
    this.#source = source;
    this.#lastPosition = lastPosition;
    this.#onChange = onChange;
  }

  /** Returns the position of the last event. */
  get lastPosition(): number {
    return this.#lastPosition;
  }

  /** Returns the error of the latest read; undefined after a success. `want` reads nothing until `retry`. */
  get error(): unknown {
    return this.#error;
  }

  /** Returns the event at a position, if it is in memory. */
  at(position: number): TaskLogEvent | undefined {
    return this.#chunks.get(chunkOf(position))?.get(position);
  }

  /** Notes that the log goes on to a position. */
  grow(lastPosition: number): void {
    if (lastPosition > this.#lastPosition) this.#lastPosition = lastPosition;
  }

  /** Adds events that arrived live. Known events change nothing. */
  append(events: readonly TaskLogEvent[]): void {
    for (const event of events) {
      this.#store(event);
      this.grow(event.position);
    }
    if (events.length > 0) this.#onChange();
  }

  /**
   * Begins to read the events of a range that are not in memory, unless enough others are being read, or a read failed.
   * It is called with the visible range whenever something changes.
   */
  want(from: number, to: number): void {
    for (let chunk = chunkOf(from); chunk <= chunkOf(Math.min(to, this.#lastPosition)); chunk++) {
      if (this.#error === undefined && this.#reads.size < maxReads) void this.#read(chunk);
    }
  }

  /** Clears the error of a read, so that events are read again when they are needed. */
  retry(): void {
    if (this.#error === undefined) return;
    this.#error = undefined;
    this.#onChange();
  }

  /**
   * Yields the events of a range in order. Rejects when the signal aborts, or a chunk cannot be read.
   *
   * @param progress called with the reached position at intervals, so that the page can draw
   */
  async *range(
    from: number,
    to: number,
    signal: AbortSignal,
    progress?: (position: number) => void,
  ): AsyncGenerator<TaskLogEvent> {
    let drawn = performance.now();
    for (let position = from; position <= Math.min(to, this.#lastPosition); position++) {
      signal.throwIfAborted();
      if (!this.at(position)) {
        const reading = this.#read(chunkOf(position));
        // The next chunk is on its way while this one is used.
        if (chunkOf(position) < chunkOf(Math.min(to, this.#lastPosition))) void this.#read(chunkOf(position) + 1);
        await reading;
        signal.throwIfAborted();
      }
      const event = this.at(position);
      if (!event) throw this.#error ?? new Error(`Event ${position} is no longer in the log of the task.`);
      yield event;
      if (!progress || performance.now() - drawn < slice) continue;
      progress(position);
      await new Promise((resolve) => setTimeout(resolve));
      drawn = performance.now();
    }
  }

  /** Stops reading. */
  close(): void {
    this.#abort.abort();
  }

  /** Reads the missing events of a chunk: by one request, or by several if events are large and pages end early. */
  async #read(chunk: number): Promise<void> {
    if (this.#reads.has(chunk)) return this.#reads.get(chunk);
    let after = this.#lastBeforeGap(chunk);
    if (after >= this.#endOf(chunk)) return;
    const { signal } = this.#abort;
    const read = async (): Promise<void> => {
      for (let before = -1; after < this.#endOf(chunk) && after > before; after = this.#lastBeforeGap(chunk)) {
        before = after;
        const { events = [], lastPosition = 0 } = await this.#source(after, this.#endOf(chunk) - after, signal);
        signal.throwIfAborted();
        this.grow(lastPosition);
        for (const event of events) this.#store(event);
      }
    };
    const reading = read().then(
      () => (this.#error = undefined),
      (error: unknown) => {
        if (!signal.aborted) this.#error = error;
      },
    );
    this.#reads.set(chunk, reading);
    await reading;
    this.#reads.delete(chunk);
    if (!signal.aborted) this.#onChange();
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

  #store(event: TaskLogEvent): void {
    const at = chunkOf(event.position);
    const chunk = this.#chunks.get(at) ?? new Map<number, TaskLogEvent>();
    chunk.set(event.position, event);
    if (this.#chunks.size >= maxChunks && !this.#chunks.has(at)) {
      // The chunk that was filled first. The first chunk of the log is kept, since every fold begins there.
      this.#chunks.delete(this.#chunks.keys().find((known) => known !== 0) ?? 0);
    }
    this.#chunks.delete(at);
    this.#chunks.set(at, chunk);
  }
}

const chunkOf = (position: number): number => Math.floor((position - 1) / chunkSize);
