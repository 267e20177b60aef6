import {
  type Context,
  type ContextManager,
  createTraceState,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { spanIdOf, type TraceContext, traceIdOf } from '../../core/telemetry/trace-context.ts';
import type { Span, SpanAttributes, SpanOptions, Tracing } from '../../core/telemetry/tracing.ts';

/** Traces by OpenTelemetry's API, whoever has implemented it. Loaded only where somebody has. */

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** What spans are made by. */
export interface OtelTracingOptions {
  readonly tracer: Tracer;
  /** Keeps the active span for other people's code. Absent: there is none. */
  readonly contexts?: Pick<ContextManager, 'with'> | undefined;
}

export function createTracing({ tracer, contexts }: OtelTracingOptions): Tracing {
  return {
    begin: (beginning) => new OtelSpanAdapter(tracer, beginning),
    within: (span, run) => (contexts && span instanceof OtelSpanAdapter ? contexts.with(span.active, run) : run()),
  };
}

/** A span of OpenTelemetry's. */
class OtelSpanAdapter implements Span {
  readonly trace: TraceContext;
  readonly recording: boolean;
  readonly #span: OtelSpan;
  readonly #parent: Context;

  constructor(tracer: Tracer, { name, kind, parent, remote = false, links }: SpanOptions) {
    this.#parent = contextOf(parent, remote);
    const linked = links?.flatMap((link) => placeOf(link, true) ?? []).map((context) => ({ context }));
    const options = { kind: kinds[kind], ...(linked && linked.length > 0 && { links: linked }) };
    this.#span = tracer.startSpan(name, options, this.#parent);
    this.recording = this.#span.isRecording();
    this.trace = traceOfSpan(this.#span.spanContext(), parent);
  }

  /** In which it is the active span. */
  get active(): Context {
    return trace.setSpan(this.#parent, this.#span);
  }

  set(facts: SpanAttributes): void {
    for (const [name, value] of Object.entries(facts)) {
      if (value !== undefined) this.#span.setAttribute(name, value as string);
    }
  }

  event(name: string, facts: SpanAttributes): void {
    this.#span.addEvent(name, facts as Record<string, string>);
  }

  fail(kind: string): void {
    this.#span.setAttribute('error.type', kind);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}

const contextOf = (parent: TraceContext, remote: boolean): Context => {
  const place = placeOf(parent, remote);
  return place ? trace.setSpanContext(ROOT_CONTEXT, place) : ROOT_CONTEXT;
};

function placeOf({ traceparent, tracestate }: TraceContext, isRemote: boolean): SpanContext | undefined {
  if (traceparent === undefined) return undefined;
  return {
    traceId: traceIdOf(traceparent),
    spanId: spanIdOf(traceparent),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
}

/** Where a span is. One that nobody made, as an SDK that is switched off does not, leaves everything as it was. */
function traceOfSpan({ traceId, spanId, traceFlags, traceState }: SpanContext, parent: TraceContext): TraceContext {
  if (spanId === '0000000000000000') return parent.traceparent === undefined ? {} : parent;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
