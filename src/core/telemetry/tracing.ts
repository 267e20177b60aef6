import { AsyncLocalStorage } from 'node:async_hooks';
import { withSignal } from '../model/lazy-signal.ts';
import { type TraceContext, traceOf } from './trace-context.ts';

/**
 * What traces are made with, whoever makes them. While nobody does there is no `Tracing`, and all this costs nothing.
 */

/** What a span says of itself: never a text of a message, a credential, or a URL's path or query. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `server`: for a caller. `client`: while somebody else is waited for. `internal`: within the gateway. */
export type SpanKind = 'server' | 'client' | 'internal';

/** A piece of work that takes time. */
export interface Span {
  /** Its own place in the trace, for all that it leads to. */
  readonly trace: TraceContext;
  /** Whether anybody will see it: otherwise what is said of it need not be put together. */
  readonly recording: boolean;
  /** Says more of it; what is undefined is left out. */
  set(facts: SpanAttributes): void;
  /** Something that happened within it. */
  event(name: string, facts: SpanAttributes): void;
  /** It failed: with this kind of error. */
  fail(kind: string): void;
  /** It is over; nothing may be said of it any more. */
  end(): void;
}

/** How a span begins. */
export interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  /** What it is a part of; in no trace: it begins one. */
  readonly parent: TraceContext;
  /** Whether the parent is in another process. Default false. */
  readonly remote?: boolean;
  /** Other traces that it has to do with. */
  readonly links?: readonly TraceContext[];
}

/** Makes spans. */
export interface Tracing {
  begin(beginning: SpanOptions): Span;
  /** Runs a part of a span, so that other people's code finds the span as the active one. */
  within<T>(span: Span, run: () => T): T;
}

/**
 * Work that is under way somewhere in a trace. What it leads to by ways that bear no context, such as stores and
 * databases, finds it as the ambient one; what it leaves behind, such as timers, finds nothing once it is over.
 */
export class ActiveTrace {
  readonly #trace: TraceContext;
  #over = false;

  constructor(trace: TraceContext) {
    this.#trace = trace;
  }

  get trace(): TraceContext {
    return this.#over ? none : this.#trace;
  }

  /** Runs a part of it. */
  run<T>(part: () => T): T {
    return ambient.run(this, part);
  }

  end(): void {
    this.#over = true;
  }
}

const none: TraceContext = {};
const ambient = new AsyncLocalStorage<ActiveTrace>();

/** Where the work that is under way is in a trace; nothing where it is in none. */
export const ambientTrace = (): TraceContext => ambient.getStore()?.trace ?? none;

/** Runs a piece of work so that all that it leads to finds it, until it is settled. */
export async function runInTrace<T>(trace: TraceContext, run: () => Promise<T>): Promise<T> {
  if (trace.traceparent === undefined) return run();
  const work = new ActiveTrace(traceOf(trace));
  try {
    return await work.run(run);
  } finally {
    work.end();
  }
}

/**
 * The same context at another place of its trace. Where its signal is made when it is asked for, it is not asked for
 * here.
 */
export function withTrace<T extends { readonly signal: AbortSignal }>(context: T, trace: TraceContext): T {
  const facts = { ...context, ...trace };
  return Object.hasOwn(context, 'signal') ? facts : withSignal<T>(facts, () => context.signal);
}

/** Runs a piece of work as a span of its own. What it is rejected with is named by `kindOf`. */
export async function withSpan<T>(
  tracing: Tracing,
  beginning: SpanOptions,
  facts: () => SpanAttributes,
  run: (span: Span) => Promise<T>,
  kindOf: (thrown: unknown) => string,
): Promise<T> {
  const span = tracing.begin(beginning);
  if (span.recording) span.set(facts());
  try {
    return await run(span);
  } catch (thrown) {
    if (span.recording) span.fail(kindOf(thrown));
    throw thrown;
  } finally {
    span.end();
  }
}
