import type { ServerResponse } from 'node:http';
import { LinkedList, Listed } from '../../core/collections/linked-list.ts';
import type { CallContext, LoggedEvent, MemoryReservation, ReplyNotes, StreamReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { Meters, StreamMeter } from '../../core/telemetry/meters.ts';
import type { CodecContext, Frame, StreamEncoder, StreamShape } from '../../dialects/kernel/codec.ts';
import { encodeSse, sseComment } from '../../wire/sse.ts';
import { readTimeoutFor } from '../listener/slow-readers.ts';
import { Watchdog, type Watched } from '../listener/watchdog.ts';

export interface StreamLimits {
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 15,000. */
  readonly keepAlive?: number;
  /** Milliseconds for a client to read what was sent. A slower one is disconnected, and can resume. Default 30,000. */
  readonly readTimeout?: number;
}

/** Framing of one stream. */
export interface StreamFraming {
  readonly encoder: StreamEncoder;
  /** Text around the data of every frame with data, for dialects with envelopes. Default: none. */
  readonly head?: string;
  readonly tail?: string;
  /** The frames for an error after the stream began. They get no envelope. */
  readonly error: (error: A2AError) => readonly Frame[];
  /** Set if events are written without ids, and in blocks of their own: a blank line separates them from comments. */
  readonly withoutIds?: true;
  /** Set if the response begins before the first event. */
  readonly atOnce?: true;
  /** Position after which the stream begins: the id of frames before the first complete event. */
  readonly after: number;
  /** Memory for the event that is being written. Absent: unlimited. */
  readonly reservation?: MemoryReservation;
  readonly meter: StreamMeter;
  /** Notes of the call. `onAnswered` is called when the stream is over. */
  readonly notes: Pick<ReplyNotes, 'onAnswered' | 'events'>;
}

/**
 * The framing of a reply, apart from envelopes and errors. A separate function, because its closure must not keep more than the
 * stream needs.
 */
export const framingOf = (
  shape: StreamShape,
  cx: CodecContext,
  { after }: StreamReply,
  { replay, reservation, notes }: CallContext,
): Omit<StreamFraming, 'error' | 'meter'> => ({
  encoder: shape.encoder(cx),
  ...(shape.atOnce && { atOnce: true }),
  after: after ?? (typeof replay === 'object' ? replay.after : 0),
  ...(reservation && { reservation }),
  notes,
});

/** Number of characters that are written before the event loop gets its turn. */
const burst = 64 * 1024;

/** The server's event streams. Events that arrive in one turn of the event loop are written together. */
export class EventStreams {
  readonly keepAlive: number;
  readonly readTimeout: number;
  readonly watchdog: Watchdog;
  readonly #meters: Meters;
  readonly #open = new LinkedList<Listed<EventStream>>();
  #unflushed: EventStream[] = [];

  constructor({ keepAlive = 15_000, readTimeout = 30_000 }: StreamLimits, meters: Meters) {
    this.#meters = meters;
    this.keepAlive = keepAlive;
    this.readTimeout = readTimeout;
    this.watchdog = new Watchdog(Math.max(5, Math.min(1_000, keepAlive / 4, readTimeout / 4)));
  }

  /**
   * Answers with a stream: waits for its first event, unless the framing says otherwise, then sends `headers` and the events
   * until the stream ends or the client leaves or is disconnected. Resolves when the response has begun, so that the call
   * is not kept as long as the stream. Always ends the iteration.
   *
   * @param headers flat list of names and values; called when the first event has arrived
   * @throws A2AError when the stream fails before its first event; nothing has been sent then
   */
  serve(
    res: ServerResponse,
    events: AsyncIterable<LoggedEvent>,
    framing: StreamFraming,
    headers: () => string[],
  ): Promise<void> {
    const stream = new EventStream(this, res, events[Symbol.asyncIterator](), framing);
    this.#open.add(stream.listed);
    return stream.begin(headers);
  }

  /** Removes a stream that is over. */
  forget(stream: EventStream): void {
    this.watchdog.delete(stream);
    this.#open.delete(stream.listed);
  }

  /** Disconnects a client that reads too slowly. */
  disconnect(res: ServerResponse): void {
    this.#meters.slowReaders += 1;
    res.destroy();
  }

  /** Ends all streams, so that their clients resume elsewhere. */
  close(): void {
    for (const { value: stream } of this.#open) stream.stop();
  }

  get size(): number {
    return this.#open.size;
  }

  schedule(stream: EventStream): void {
    if (this.#unflushed.push(stream) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const streams = this.#unflushed;
    this.#unflushed = [];
    for (const stream of streams) stream.flush();
  };
}

class EventStream implements Watched {
  previous: Watched | undefined;
  next: Watched | undefined;
  readonly listed: Listed<EventStream> = new Listed(this);
  readonly #streams: EventStreams;
  readonly #res: ServerResponse;
  readonly #iterator: AsyncIterator<LoggedEvent>;
  readonly #framing: StreamFraming;
  /** Text that is written at the end of this turn. */
  #text = '';
  #scheduled = false;
  /** Id of the last event whose frames have all been encoded. */
  #id: number;
  #over = false;
  /** Whether the stream is counted as open. */
  #metered = false;
  /** Resolves when the client has read what was written. */
  #ready: (() => void) | undefined;
  /** Time of the last write, and time since which the client has been slow (0: it is not), by `steadyNow`. */
  #wroteAt = 0;
  #slowSince = 0;
  /** Whether the last text that was written is a comment. */
  #endsInComment = false;

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
    this.#id = framing.after;
    res.on('close', () => this.stop());
    if (res.destroyed) this.stop();
  }

  async begin(headers: () => string[]): Promise<void> {
    if (this.#framing.atOnce) {
      if (this.#over) return this.#end();
      this.#sendHead(headers());
      // Node sends the headers with the first bytes of the body.
      this.#text = sseComment;
      this.#endsInComment = true;
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
      this.#start(first);
    } catch (thrown) {
      const failure = A2AError.from(thrown);
      this.#end(failure);
      throw failure;
    }
  }

  /** Separate from `begin`, because the first event may be large and is not kept while the stream waits for the next. */
  #start(first: IteratorResult<LoggedEvent>): void {
    let failure: unknown;
    try {
      if (!first.done) this.#encode(first.value);
    } catch (thrown) {
      failure = thrown ?? new Error('The encoder failed');
    }
    void this.#run(first.done === true, failure);
  }

  #sendHead(headers: string[]): void {
    headers.push('Content-Type', 'text/event-stream', 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no');
    this.#res.writeHead(200, headers);
    const { reservation } = this.#framing;
    // The stream may be open for hours.
    if (reservation) reservation.sent = undefined;
    this.#wroteAt = steadyNow();
    this.#metered = true;
    this.#framing.meter.open += 1;
    this.#framing.meter.begun += 1;
    this.#streams.watchdog.add(this);
  }

  /** An event waits for memory as long as a client may take to read. */
  #reserve({ json }: LoggedEvent): Promise<void> | undefined {
    return this.#framing.reservation?.reserve(json.length, steadyNow() + this.#streams.readTimeout);
  }

  #encode(logged: LoggedEvent): void {
    const { encoder, reservation, meter, notes } = this.#framing;
    const frames = encoder.encode(logged);
    this.#frames(frames, logged.seq);
    if (frames.length === 0) reservation?.release();
    meter.events += 1;
    notes.events = (notes.events ?? 0) + 1;
  }

  /** Writes the events until the stream ends. Never rejects. */
  async #run(done: boolean, failure: unknown): Promise<void> {
    let error: A2AError | undefined;
    try {
      if (failure !== undefined) throw failure;
      // One function, because an idle stream keeps the state of every function that waits.
      while (!done && !this.#over) {
        // A source that always has events would keep the event loop from writing. A slow client makes the loop wait.
        if (this.#text.length > burst || this.#slowSince !== 0) await this.#written();
        const next = await this.#iterator.next();
        if (next.done || this.#over) break;
        const reserving = this.#reserve(next.value);
        if (reserving) await reserving;
        if (!this.#over) this.#encode(next.value);
      }
      if (!this.#over) this.#frames(this.#framing.encoder.end?.() ?? [], this.#id);
    } catch (thrown) {
      error = A2AError.from(thrown);
      if (!this.#over) this.#frames(this.#framing.error(error), this.#id, false);
    }
    this.#end(error);
  }

  /** The last frame of an event has its id, the others have the previous id, so that clients that resume miss none of them. */
  #frames(frames: readonly Frame[], id: number, enveloped = true): void {
    const { head = '', tail = '', withoutIds } = this.#framing;
    const wrap = enveloped && head !== '';
    // Without ids, readers do not take a blank line for the end of an event.
    if (withoutIds && this.#endsInComment && frames.length > 0) this.#text += '\n';
    for (let i = 0; i < frames.length; i++) {
      const { event, data } = frames[i] as Frame;
      const written: { event?: string; id?: number; data: string } = {
        data: wrap && data !== '' ? `${head}${data}${tail}` : data,
      };
      if (event !== undefined) written.event = event;
      if (!withoutIds) written.id = i === frames.length - 1 ? id : this.#id;
      this.#text += encodeSse(written);
    }
    if (frames.length === 0) return;
    this.#endsInComment = false;
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
      this.#wroteAt = steadyNow();
      this.#framing.reservation?.release();
      this.#write(text);
    }
    if (this.#slowSince === 0) this.#wake();
  }

  #write(text: string): void {
    if (!this.#res.write(text)) {
      if (this.#slowSince === 0) this.#res.once('drain', () => this.#drained());
      this.#slowSince = this.#wroteAt;
    }
    forgetHead(this.#res);
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

  /** Disconnects a client that does not read, and keeps a silent connection alive. */
  check(now: number): void {
    // The connection was closed already, with all pending bytes.
    if (this.#res.socket?.destroyed) return;
    if (this.#slowSince !== 0) {
      const timeout = readTimeoutFor(this.#res.writableLength, this.#streams.readTimeout);
      if (now - this.#slowSince >= timeout) this.#streams.disconnect(this.#res);
    } else if (this.#text === '' && now - this.#wroteAt >= this.#streams.keepAlive) {
      this.#wroteAt = now;
      this.#endsInComment = true;
      this.#write(sseComment);
    }
  }

  /** Ends the iteration: the client is gone, or the server closes. */
  stop(): void {
    if (this.#over) return;
    this.#over = true;
    this.#slowSince = 0;
    this.#wake();
    // A pending `next` resolves.
    this.#iterator.return?.().catch(() => {});
  }

  #end(failure?: A2AError): void {
    this.#streams.forget(this);
    this.stop();
    if (this.#metered) this.#framing.meter.open -= 1;
    this.#metered = false;
    this.#framing.notes.onAnswered?.(failure);
    const res = this.#res;
    if (!res.headersSent || res.destroyed || res.writableEnded) return;
    const text = this.#text;
    this.#text = '';
    this.#framing.reservation?.release();
    res.end(text);
    if (!res.writableFinished) limitEnd(res, this.#streams);
  }
}

/**
 * Releases the head of a response. Node keeps it, as a tree of 40 short strings, after it was sent with the first bytes of the
 * body, and then only checks whether there was one. This matters for streams that stay open.
 */
function forgetHead(res: ServerResponse & { _header?: string | boolean | null }): void {
  if (typeof res._header === 'string') res._header = 'sent';
}

/** Disconnects a client that does not read the end of its stream in time. Such a client would keep its connection forever. */
function limitEnd(res: ServerResponse, streams: EventStreams): void {
  const due = steadyNow() + readTimeoutFor(res.writableLength, streams.readTimeout);
  const unwatch = streams.watchdog.watch((now) => {
    if (now >= due && !res.destroyed) streams.disconnect(res);
  });
  res.once('close', unwatch);
}
