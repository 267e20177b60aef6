import {
  type Context,
  context,
  createTraceState,
  type Span as OtelSpan,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { TracingConfig } from '../../config/sections/tracing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { spanIdOf, type TraceContext, traceIdOf } from '../../core/telemetry/trace-context.ts';
import type { Span, SpanAttributes, SpanOptions, Tracing } from '../../core/telemetry/tracing.ts';
import type { Family } from '../../metrics/family.ts';
import { packageVersion } from '../process/version.ts';

/** Traces by OpenTelemetry's API. Its SDK is loaded where the configuration or the environment asks for it. */

/** Means of sending telemetry. Absent: it is not sent. */
export interface Telemetry {
  readonly tracing?: Tracing | undefined;
  /** Sends a line of the log, as JSON. */
  readonly log?: ((line: string) => void) | undefined;
  /**
   * Starts sending metrics. Returns a function that sends them for the last time, for up to `graceMs` milliseconds, and never
   * rejects.
   */
  readonly metrics?: ((read: () => Promise<readonly Family[]>) => (graceMs: number) => Promise<unknown>) | undefined;
  /** Sends the remaining spans and lines, for up to `graceMs` milliseconds. Never rejects. */
  close(graceMs: number): Promise<void>;
}

/**
 * Starts sending with the SDK of the configuration file, else one that the program registered before the gateway started, else
 * the SDK of the environment. Undefined if there is none.
 *
 * @param wholeProcess whether the SDK of the configuration is registered for the process, so that agents' code finds it
 */
export async function openTelemetry(
  config: TracingConfig | undefined,
  logger: Logger,
  wholeProcess: boolean,
): Promise<Telemetry | undefined> {
  const scope = { name: 'a2a-gateway', version: packageVersion() };
  const registered = registeredTracer(scope);
  // The program that registered an SDK sends its spans.
  if (registered && !config?.inFile) return { tracing: createTracing(registered), close: async () => undefined };
  if (!config) return undefined;
  const { closeSoon, resourceOf } = await import('./otlp.ts');
  const deps = { config, resource: resourceOf(config, scope.version), scope, logger };
  const { traces, metrics, logs } = config;
  const provider = traces ? (await import('./sdk.ts')).startTraces(deps) : undefined;
  const lines = logs ? (await import('./logs.ts')).startLogs(deps) : undefined;
  const { startMetrics } = metrics === undefined ? {} : await import('./metrics.ts');
  const isGlobal = provider !== undefined && wholeProcess;
  if (isGlobal) {
    const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  }
  return {
    tracing: provider && createTracing(provider.getTracer(scope.name, scope.version)),
    log: lines?.write,
    metrics:
      startMetrics &&
      ((read) => {
        const reader = startMetrics(deps, metrics as number, read);
        return (graceMs) => closeSoon(reader, graceMs);
      }),
    async close(graceMs) {
      await Promise.all([provider, lines].map((part) => part && closeSoon(part, graceMs)));
      if (!isGlobal) return;
      trace.disable();
      context.disable();
    },
  };
}

/** The tracer of the registered SDK. Undefined if none is registered: the API then has its own provider, without a delegate. */
function registeredTracer({ name, version }: { readonly name: string; readonly version: string }): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(name, version)
    : provider.getTracer(name, version);
}

const createTracing = (tracer: Tracer): Tracing => ({
  begin: (beginning) => new OtelSpanAdapter(tracer, beginning),
  within: (span, run) => (span instanceof OtelSpanAdapter ? context.with(span.active, run) : run()),
});

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

class OtelSpanAdapter implements Span {
  readonly trace: TraceContext;
  readonly recording: boolean;
  readonly #span: OtelSpan;
  readonly #parent: Context;

  constructor(tracer: Tracer, { name, kind, parent, remote = false, links }: SpanOptions) {
    const parentSpan = spanContextOf(parent, remote);
    this.#parent = parentSpan ? trace.setSpanContext(ROOT_CONTEXT, parentSpan) : ROOT_CONTEXT;
    const linked = links?.flatMap((link) => spanContextOf(link, true) ?? []).map((target) => ({ context: target }));
    const options = { kind: kinds[kind], ...(linked && linked.length > 0 && { links: linked }) };
    this.#span = tracer.startSpan(name, options, this.#parent);
    this.recording = this.#span.isRecording();
    this.trace = traceOfSpan(this.#span.spanContext(), parent);
  }

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

function spanContextOf({ traceparent, tracestate }: TraceContext, isRemote: boolean): SpanContext | undefined {
  if (traceparent === undefined) return undefined;
  return {
    traceId: traceIdOf(traceparent),
    spanId: spanIdOf(traceparent),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
}

/** The trace context of a span. A span without an id, as a disabled SDK creates, leaves the parent unchanged. */
function traceOfSpan({ traceId, spanId, traceFlags, traceState }: SpanContext, parent: TraceContext): TraceContext {
  if (spanId === '0000000000000000') return parent.traceparent === undefined ? {} : parent;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
