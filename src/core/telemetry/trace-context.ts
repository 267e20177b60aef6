/** W3C Trace Context (https://www.w3.org/TR/trace-context-2/): what a call is part of, as headers say it. */

/** Where a call is in a trace; nothing where it is in none. */
export interface TraceContext {
  /** `00-{trace id}-{span id}-{flags}`, valid. */
  readonly traceparent?: string;
  /** What tracing systems add for themselves, valid; never without `traceparent`. */
  readonly tracestate?: string;
}

/** The beginning that every version has: a version, both ids and the flags. */
const head = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;
/** Characters of version 00, which has nothing after the flags. */
const whole = 55;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);
/** The flags that version 00 knows: sampled and random (section 3.2.2.5). */
const knownFlags = 0x03;

/** One member of `tracestate` (section 3.3.1.3): a key, and a value of printable ASCII without `,` and `=`. */
const member = /^[a-z\d][a-z\d_\-*/@]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
/** Members that a list may have (section 3.3.1.1), and characters of it that are passed on: 512 at least (3.3.1.5). */
const [mostMembers, mostCharacters] = [32, 2_048];

/** In no trace: shared, so that calls without one cost nothing. */
const none: TraceContext = {};

/**
 * Reads both headers. What is not valid counts as absent (section 4.3: the trace begins anew); a version from the
 * future becomes version 00, as far as that goes (section 3.2.4); without a valid `traceparent` no `tracestate` counts.
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
  if (version === '00') return text.length === whole ? text : undefined;
  const known = Number.parseInt(flags ?? '', 16) & knownFlags;
  return `00-${trace}-${span}-0${known}`;
}

function validState(text: string): string | undefined {
  if (text.length > mostCharacters) return undefined;
  // Empty members are allowed, and mean nothing.
  const members = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const keys = new Set(members.map((one) => one.slice(0, one.indexOf('='))));
  const fine =
    members.length <= mostMembers && keys.size === members.length && members.every((one) => member.test(one));
  return fine && members.length > 0 ? members.join(',') : undefined;
}

/**
 * The part of a context that says where it is in a trace, to be spread into another; keys that say nothing are left
 * out.
 */
export function traceOf({ traceparent, tracestate }: TraceContext): TraceContext {
  if (traceparent === undefined) return none;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** The id of the trace that a valid `traceparent` is of. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** The id of the span that a valid `traceparent` names. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52);
