import { AsyncLocalStorage } from 'node:async_hooks';
import { withSignal } from '../model/timing.ts';
import { type TraceContext, traceOf } from './trace-context.ts';

/** The interface of a tracing system. Without one there is no `Tracing` object, and tracing costs nothing. */

/** A span's attributes: never a message's text, a credential, or a URL's path or query. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A unit of work in a trace. */
export interface Span {
  /** Its trace context, for outgoing calls. */
  readonly trace: TraceContext;
  /** Whether it is sampled: otherwise attributes need not be computed. */
  readonly recording: boolean;
  /** Sets attributes; undefined ones are left out. */
  set(attributes: SpanAttributes): void;
  event(name: string, attributes: SpanAttributes): void;
  /** Marks it as failed, with this kind of error. */
  fail(kind: string): void;
  /** Ends it; it must not be changed any more. */
  end(): void;
}

export interface SpanOptions {
  readonly name: string;
  /** `server`: an incoming call. `client`: an outgoing call. `internal`: work within the gateway. */
  readonly kind: 'server' | 'client' | 'internal';
  /** The parent's context; empty: the span starts a trace. */
  readonly parent: TraceContext;
  /** Whether the parent is in another process. Default false. */
  readonly remote?: boolean;
  /** Contexts of other related traces. */
  readonly links?: readonly TraceContext[];
}

/** Creates spans. */
export interface Tracing {
  begin(options: SpanOptions): Span;
  /** Runs a part of a span with the span as the active one, for code outside of the gateway. */
  within<T>(span: Span, run: () => T): T;
}

/** Traced work in progress, the ambient trace of code without a call context. Timers find no trace after its end. */
export class ActiveTrace {
  readonly #trace: TraceContext;
  #ended = false;

  constructor(trace: TraceContext) {
    this.#trace = trace;
  }

  get trace(): TraceContext {
    return this.#ended ? none : this.#trace;
  }

  run<T>(part: () => T): T {
    return ambient.run(this, part);
  }

  end(): void {
    this.#ended = true;
  }
}

const none: TraceContext = {};
const ambient = new AsyncLocalStorage<ActiveTrace>();

/** Returns the trace context of the current work; empty if it is not traced. */
export const ambientTrace = (): TraceContext => ambient.getStore()?.trace ?? none;

/** Returns the trace context of the current work; if that is not traced, the given one. */
export function currentTrace(otherwise: TraceContext): TraceContext {
  const current = ambientTrace();
  return current.traceparent === undefined ? otherwise : current;
}

/** Runs work with its trace context as the ambient one, until its promise settles. */
export async function runInTrace<T>(trace: TraceContext, run: () => Promise<T>): Promise<T> {
  if (trace.traceparent === undefined) return run();
  const work = new ActiveTrace(traceOf(trace));
  try {
    return await work.run(run);
  } finally {
    work.end();
  }
}

/** Returns the context with another trace. A signal that is created at its first access is not created here. */
export function withTrace<T extends { readonly signal: AbortSignal }>(context: T, trace: TraceContext): T {
  const facts = { ...context, ...trace };
  return Object.hasOwn(context, 'signal') ? facts : withSignal<T>(facts, () => context.signal);
}

/** Runs work as a span of its own. `kindOf` names the kind of a rejection. */
export async function withSpan<T>(
  tracing: Tracing,
  options: SpanOptions,
  attributes: () => SpanAttributes,
  run: (span: Span) => Promise<T>,
  kindOf: (thrown: unknown) => string,
): Promise<T> {
  const span = tracing.begin(options);
  if (span.recording) span.set(attributes());
  try {
    return await run(span);
  } catch (thrown) {
    if (span.recording) span.fail(kindOf(thrown));
    throw thrown;
  } finally {
    span.end();
  }
}
