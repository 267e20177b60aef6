import type { AnswerSink, BindingKind } from '../model/call.ts';
import type { A2AError, ErrorKind } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';

export class StreamMeter {
  open = 0;
  /** Streams that have started so far. */
  begun = 0;
  /** Events that were written to their readers. */
  events = 0;
  /** Streams that resumed after an event that the reader had received before (`Last-Event-ID`). */
  resumed = 0;
}

/** Facts about a request that was refused before it became a call. */
export interface RefusedRequest {
  readonly requestId?: string;
  readonly principal?: Principal | undefined;
  readonly agent?: string;
  readonly operation?: string | undefined;
  readonly dialect?: string | undefined;
  readonly address?: string | undefined;
  /** Status of the response, if it is known before anything is sent to `res`. */
  readonly status?: string;
  readonly res?: AnswerSink;
}

/** A binding, or `other` for requests that are refused before their binding is known. */
type MeteredBinding = BindingKind;

/** Counters of one gateway's bindings: plain numbers, which metrics read. They hold no values that callers chose. */
export class Meters {
  /** Streams by binding. The gateway's own bindings are present from the start. */
  readonly streams: Map<BindingKind, StreamMeter> = new Map();
  /** Requests that were refused before they became calls, by binding and kind of error. */
  readonly refusals: Map<MeteredBinding, Map<ErrorKind, number>> = new Map();
  /** Connections closed because the client read too slowly. */
  slowReaders = 0;
  /** Configuration reloads, by result. */
  readonly reloads = { done: 0, refused: 0 };

  /** Called with the facts of every request that was refused before it became a call. Must not throw. */
  readonly onRefused: ((binding: MeteredBinding, error: A2AError | ErrorKind, request: RefusedRequest) => void)[] = [];

  streamsOf(binding: BindingKind): StreamMeter {
    const known = this.streams.get(binding);
    if (known) return known;
    const meter = new StreamMeter();
    this.streams.set(binding, meter);
    return meter;
  }

  /** Counts a request that was refused before it became a call. */
  refused(binding: MeteredBinding, error: A2AError | ErrorKind, request: RefusedRequest = {}): void {
    for (const listener of this.onRefused) listener(binding, error, request);
    const kind = typeof error === 'string' ? error : error.kind;
    const kinds = this.refusals.get(binding) ?? new Map<ErrorKind, number>();
    this.refusals.set(binding, kinds);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
}
