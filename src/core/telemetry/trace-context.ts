/** W3C Trace Context (https://www.w3.org/TR/trace-context-2/). */

/** A call's position in a trace; empty without a trace. */
export interface TraceContext {
  /** `00-{trace id}-{span id}-{flags}`, valid. */
  readonly traceparent?: string;
  /** Vendor-specific data, valid; never without `traceparent`. */
  readonly tracestate?: string;
}

/** The start of the header in every version: a version, both ids and the flags. */
const head = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;
/** Characters of a header of version 00, which ends with the flags. */
const lengthOf00 = 55;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);
/** The flags that version 00 knows: sampled and random (section 3.2.2.5). */
const knownFlags = 0x03;

/** One member of `tracestate` (section 3.3.1.3): a key, and a value of printable ASCII without `,` and `=`. */
const member = /^[a-z\d][a-z\d_\-*/@]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
/** Largest number of members of a list (section 3.3.1.1). */
const maxMembers = 32;
/** Largest number of characters that are passed on: at least 512 (section 3.3.1.5). */
const maxCharacters = 2_048;

/** Empty context, shared, so that calls without a trace cost nothing. */
const none: TraceContext = {};

/**
 * Reads both headers. An invalid header counts as absent (section 4.3: the trace begins anew); a later version is read
 * as version 00, as far as that goes (section 3.2.4); without a valid `traceparent`, `tracestate` is ignored.
 */
export function readTrace(traceparent: unknown, tracestate?: unknown): TraceContext {
  if (typeof traceparent !== 'string') return none;
  const parent = validParent(traceparent);
  if (parent === undefined) return none;
  const state = typeof tracestate === 'string' ? validState(tracestate) : undefined;
  return state === undefined ? { traceparent: parent } : { traceparent: parent, tracestate: state };
}

function validParent(text: string): string | undefined {
  const [, version, trace, span, flags] = head.exec(text) ?? [];
  if (version === undefined || version === 'ff' || trace === noTrace || span === noSpan) return undefined;
  if (version === '00') return text.length === lengthOf00 ? text : undefined;
  const known = Number.parseInt(flags ?? '', 16) & knownFlags;
  return `00-${trace}-${span}-0${known}`;
}

function validState(text: string): string | undefined {
  if (text.length > maxCharacters) return undefined;
  // Empty members are allowed and ignored.
  const members = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const keys = new Set(members.map((one) => one.slice(0, one.indexOf('='))));
  const valid =
    members.length <= maxMembers && keys.size === members.length && members.every((one) => member.test(one));
  return valid && members.length > 0 ? members.join(',') : undefined;
}

/** Returns the trace of a context, to be spread into another; without a trace, no keys. */
export function traceOf({ traceparent, tracestate }: TraceContext): TraceContext {
  if (traceparent === undefined) return none;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Returns the trace id of a valid `traceparent`. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** Returns the span id of a valid `traceparent`. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52);

/** Tasks whose trace context is retained; the oldest are dropped. */
const maxTasks = 10_000;

/**
 * Two trace contexts of each task: the context of its latest turn, so that later work, such as push notifications, joins the
 * trace, and the context of its first turn here, so that turns in other traces refer to it.
 */
export class TaskTraces {
  readonly #traces = new Map<string, { readonly first: TraceContext; readonly latest: TraceContext }>();

  /** Stores the trace context of a task's turn; a turn without a trace removes the former context. */
  note(key: string, turn: TraceContext): void {
    const known = this.#traces.size > 0 ? this.#traces.get(key) : undefined;
    if (known) this.#traces.delete(key);
    if (turn.traceparent === undefined) return;
    const latest = traceOf(turn);
    this.#traces.set(key, { first: known?.first ?? latest, latest });
    if (this.#traces.size <= maxTasks) return;
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined) this.#traces.delete(oldest);
  }

  /** Returns the trace context of a task's latest turn; empty if the turn was not traced or is not known. */
  of(key: string): TraceContext {
    return this.#traces.get(key)?.latest ?? none;
  }

  /** Returns the first turn's context, if the given context is in another trace; else nothing. */
  linksOf(key: string, { traceparent = '' }: TraceContext): readonly TraceContext[] {
    const { first } = this.#traces.get(key) ?? {};
    return first?.traceparent === undefined || traceIdOf(first.traceparent) === traceIdOf(traceparent) ? [] : [first];
  }
}
