import { type BindingKind, bindingKinds } from '../model/call.ts';
import type { ErrorKind } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';

/** The streams of one binding. */
export class StreamMeter {
  /** Those that are open. */
  open = 0;
  /** Those that have begun, up to now. */
  begun = 0;
  /** Events that were handed to their readers. */
  events = 0;
  /** Those that began after an event that their reader had had before (`Last-Event-ID`). */
  resumed = 0;
}

/** A binding, or `other` for what is refused before anybody can tell. */
export type MeteredBinding = BindingKind | 'other';

/** What is known of a request that was refused. */
export interface RefusedRequest {
  readonly requestId?: string;
  readonly principal?: Principal | undefined;
}

/**
 * What the edges of one gateway count: plain numbers, which cost whoever counts an addition, and which nobody need
 * read. Nothing of what a caller chose is kept here.
 */
export class Meters {
  readonly streams: Readonly<Record<BindingKind, StreamMeter>> = Object.fromEntries(
    bindingKinds.map((binding) => [binding, new StreamMeter()]),
  ) as Record<BindingKind, StreamMeter>;
  /** Requests that were refused before they became calls, by binding and kind of error. */
  readonly refusals: Map<MeteredBinding, Map<ErrorKind, number>> = new Map();
  /** Readers that were cut off since they did not take what was sent. */
  slowReaders = 0;
  /** How often another configuration was to count, and what came of it. */
  readonly reloads = { done: 0, refused: 0 };

  /** Told of every request that was refused before it became a call. Must not throw. */
  onRefused?: (binding: MeteredBinding, kind: ErrorKind, request: RefusedRequest) => void;

  /** A request was refused before it became a call. */
  refused(binding: MeteredBinding, kind: ErrorKind, request: RefusedRequest = {}): void {
    this.onRefused?.(binding, kind, request);
    let kinds = this.refusals.get(binding);
    if (!kinds) {
      kinds = new Map();
      this.refusals.set(binding, kinds);
    }
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
}
