import type { ServerResponse } from 'node:http';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { MemoryReservation } from '../../core/model/memory.ts';
import { Meters, type StreamMeter } from '../../core/telemetry/meters.ts';
import type { Frame, StreamEncoder } from '../../dialects/kernel/codec.ts';
import { encodeSse, sseComment } from '../../wire/sse.ts';
import { readTimeoutFor } from '../listener/slow-readers.ts';
import { Watchdog, type Watched } from '../listener/watchdog.ts';

export interface StreamLimits {
  /** Milliseconds of silence after which a comment keeps a connection alive. Default 15,000. */
  readonly keepAlive?: number;
  /** Milliseconds that a client may take to read what was sent; then it is cut off, and can resume. Default 30,000. */
  readonly readTimeout?: number;
  /** Where those that are cut off are counted. Default: where nobody reads it. */
  readonly meters?: Meters;
}

/** How one stream looks on the wire. */
export interface StreamFraming {
  readonly encoder: StreamEncoder;
  /** Text around the data of every frame that has any, for dialects that wrap them. Default none. */
  readonly head?: string;
  readonly tail?: string;
  /** The frames that tell of an error after the stream began; never wrapped. */
  readonly error: (error: A2AError) => readonly Frame[];
  /** Events are written without their ids. */
  readonly withoutIds?: true;
  /** The answer begins before the first event, which may be long in coming. */
  readonly atOnce?: true;
  /** Position after which the client resumed; frames before the first whole event bear it. Default 0. */
  readonly after?: number;
  /** Room for the event that is being written. Absent: any number of bytes. */
  readonly reservation?: MemoryReservation;
  /** Where the stream is counted. */
  readonly meter?: StreamMeter;
  /** Called once when the stream is over. Must not throw. */
  readonly onEnd?: () => void;
}

/** Characters that are written at once at most; then the loop gets its turn. */
const burst = 64 * 1024;

/**
 * The server's event streams: what belongs to all of them, such as the timer that keeps them alive. Events that come in
 * one turn of the loop are written together.
 */
export class EventStreams {
  readonly keepAlive: number;
  readonly stall: number;
  readonly sweeper: Watchdog;
  readonly meters: Meters;
  readonly #open = new Set<EventStream>();
  #dirty: EventStream[] = [];

  constructor({ keepAlive = 15_000, readTimeout: stall = 30_000, meters = new Meters() }: StreamLimits = {}) {
    this.meters = meters;
    this.keepAlive = keepAlive;
    this.stall = stall;
    this.sweeper = new Watchdog(Math.max(5, Math.min(1_000, keepAlive / 4, stall / 4)));
  }

  /**
   * Answers with a stream: waits for its first event, unless its framing says otherwise, then sends `headers` and what follows until the stream ends, the
   * client goes away or is cut off. Resolves when the answer has begun, so that whatever led to the stream need not be
   * kept as long as it lasts. The iteration is always ended.
   *
   * @param headers names and values in turn; asked for when the first event is there
   * @throws A2AError when the stream fails before its first event: then nothing has been sent
   */
  serve(
    res: ServerResponse,
    events: AsyncIterable<LoggedEvent>,
    framing: StreamFraming,
    headers: () => string[],
  ): Promise<void> {
    const stream = new EventStream(this, res, events[Symbol.asyncIterator](), framing);
    this.#open.add(stream);
    return stream.begin(headers);
  }

  /** Called by a stream that is over. */
  forget(stream: EventStream): void {
    this.sweeper.delete(stream);
    this.#open.delete(stream);
  }

  /** Ends all streams, so that their clients resume elsewhere. */
  close(): void {
    for (const stream of this.#open) stream.stop();
  }

  /** Streams that are open. */
  get size(): number {
    return this.#open.size;
  }

  schedule(stream: EventStream): void {
    if (this.#dirty.push(stream) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const stream of dirty) stream.flush();
  };
}

class EventStream implements Watched {
  previous: Watched | undefined;
  next: Watched | undefined;
  readonly #streams: EventStreams;
  readonly #res: ServerResponse;
  readonly #iterator: AsyncIterator<LoggedEvent>;
  readonly #framing: StreamFraming;
  /** What is to be written at the end of this turn. */
  #text = '';
  #scheduled = false;
  /** Id of the last event whose frames have all been encoded. */
  #id: number;
  #over = false;
  /** Resolves when the client has taken what was written. */
  #ready: (() => void) | undefined;
  /** Where the stream is counted, while it is. */
  #meter: StreamMeter | undefined;
  /** Milliseconds: when bytes were last written, and since when the client has been slow (0: it is not). */
  #wroteAt = 0;
  #slowSince = 0;

  constructor(
    streams: EventStreams,
    res: ServerResponse,
    iterator: AsyncIterator<LoggedEvent>,
    framing: StreamFraming,
  ) {
    this.#streams = streams;
    this.#res = res;
    this.#iterator = iterator;
    this.#framing = framing;
    this.#id = framing.after ?? 0;
    res.on('close', () => this.stop());
    if (res.destroyed) this.stop();
  }

  async begin(headers: () => string[]): Promise<void> {
    if (this.#framing.atOnce) {
      if (this.#over) return this.#end();
      this.#sendHead(headers());
      // Headers wait for what follows them.
      this.#text = sseComment;
      this.flush();
      void this.#run(false, undefined);
      return;
    }
    try {
      const first = await this.#iterator.next();
      const reserving = first.done ? undefined : this.#reserve(first.value);
      if (reserving) await reserving;
      if (this.#res.destroyed) return this.#end();
      this.#sendHead(headers());
      this.#carry(first);
    } catch (thrown) {
      this.#end();
      throw A2AError.from(thrown);
    }
  }

  /** Begins to pump after the first event, which may be large and is not kept while the stream waits for the next. */
  #carry(first: IteratorResult<LoggedEvent>): void {
    let failure: unknown;
    try {
      if (!first.done) this.#tell(first.value);
    } catch (thrown) {
      failure = thrown ?? new Error('The encoder failed');
    }
    void this.#run(first.done === true, failure);
  }

  #sendHead(headers: string[]): void {
    headers.push('Content-Type', 'text/event-stream', 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no');
    this.#res.writeHead(200, headers);
    this.#wroteAt = Date.now();
    this.#meter = this.#framing.meter;
    if (this.#meter) {
      this.#meter.open += 1;
      this.#meter.begun += 1;
    }
    this.#res.on('drain', () => this.#drained());
    this.#streams.sweeper.add(this);
  }

  /** Room for an event is waited for as long as a client has to read what was sent. */
  #reserve({ json }: LoggedEvent): Promise<void> | undefined {
    return this.#framing.reservation?.reserve(json.length, Date.now() + this.#streams.stall);
  }

  #tell(logged: LoggedEvent): void {
    const frames = this.#framing.encoder.encode(logged);
    this.#frames(frames, logged.seq);
    // What is no part of the stream needs no room.
    if (frames.length === 0) this.#framing.reservation?.release();
    if (this.#meter) this.#meter.events += 1;
  }

  /** Never rejects. */
  async #run(done: boolean, failure: unknown): Promise<void> {
    try {
      if (failure !== undefined) throw failure;
      if (!done) await this.#pump();
      if (!this.#over) this.#frames(this.#framing.encoder.end?.() ?? [], this.#id);
    } catch (thrown) {
      if (!this.#over) this.#frames(this.#framing.error(A2AError.from(thrown)), this.#id, false);
    }
    this.#end();
  }

  async #pump(): Promise<void> {
    while (!this.#over) {
      // A source that always has more would keep the loop from ever writing; a slow client makes it wait.
      if (this.#text.length > burst || this.#slowSince !== 0) await this.#written();
      const { done, value } = await this.#iterator.next();
      if (done || this.#over) return;
      const reserving = this.#reserve(value);
      if (reserving) await reserving;
      if (this.#over) return;
      this.#tell(value);
    }
  }

  /** The last frame of an event bears its id, those before it the previous one's: who resumes misses none of them. */
  #frames(frames: readonly Frame[], id: number, wrap = true): void {
    const { head = '', tail = '', withoutIds } = this.#framing;
    const wrapped = wrap && head !== '';
    for (let i = 0; i < frames.length; i++) {
      const { event, data } = frames[i] as Frame;
      const eventId = i === frames.length - 1 ? id : this.#id;
      const whole = wrapped && data !== '' ? `${head}${data}${tail}` : data;
      const written: { event?: string; id?: number; data: string } = { data: whole };
      if (event !== undefined) written.event = event;
      if (!withoutIds) written.id = eventId;
      this.#text += encodeSse(written);
    }
    if (frames.length === 0) return;
    this.#id = id;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#streams.schedule(this);
  }

  #written(): Promise<void> {
    return new Promise((resolve) => {
      this.#ready = resolve;
    });
  }

  flush(): void {
    this.#scheduled = false;
    const text = this.#text;
    this.#text = '';
    if (text !== '' && !this.#res.destroyed && !this.#res.writableEnded) {
      this.#wroteAt = Date.now();
      this.#framing.reservation?.release();
      if (!this.#res.write(text)) this.#slowSince = this.#wroteAt;
    }
    if (this.#slowSince === 0) this.#wake();
  }

  #drained(): void {
    this.#slowSince = 0;
    this.#wake();
  }

  #wake(): void {
    const ready = this.#ready;
    this.#ready = undefined;
    ready?.();
  }

  /** Called from time to time: cuts off who does not read, and keeps alive who hears nothing. */
  check(now: number): void {
    // Its connection was cut already, with all that waited there.
    if (this.#res.socket?.destroyed) return;
    if (this.#slowSince !== 0) {
      if (now - this.#slowSince < readTimeoutFor(this.#res.writableLength, this.#streams.stall)) return;
      this.#streams.meters.slowReaders += 1;
      this.#res.destroy();
    } else if (now - this.#wroteAt >= this.#streams.keepAlive) {
      this.#wroteAt = now;
      if (!this.#res.write(sseComment)) this.#slowSince = now;
    }
  }

  /** Ends the iteration: the client is gone, or the server closes. */
  stop(): void {
    if (this.#over) return;
    this.#over = true;
    this.#slowSince = 0;
    this.#wake();
    // Whoever waits for the next event is told that there is none.
    const ended = this.#iterator.return?.();
    ended?.catch(() => {});
  }

  #end(): void {
    this.#streams.forget(this);
    this.stop();
    if (this.#meter) this.#meter.open -= 1;
    this.#meter = undefined;
    this.#framing.onEnd?.();
    const res = this.#res;
    if (!res.headersSent || res.destroyed || res.writableEnded) return;
    const text = this.#text;
    this.#text = '';
    this.#framing.reservation?.release();
    res.end(text);
    // A client that never reads the end would hold its connection for ever.
    if (!res.writableFinished) cutOff(res, this.#streams);
  }
}

/** Cuts a client off that does not take the end of its stream in time. */
function cutOff(res: ServerResponse, { sweeper, stall, meters }: EventStreams): void {
  const due = Date.now() + readTimeoutFor(res.writableLength, stall);
  const watch: Watched = {
    previous: undefined,
    next: undefined,
    check: (now) => {
      if (now < due || res.destroyed) return;
      meters.slowReaders += 1;
      res.destroy();
    },
  };
  sweeper.add(watch);
  res.once('close', () => sweeper.delete(watch));
}
