import { hostname } from 'node:os';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../../config/sections/tracing.ts';
import { newId } from '../../core/model/ids.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** OpenTelemetry's SDK. It is large, and loaded only where the configuration or the environment asks for traces. */

/** Spans in the queue, and in one request. Further spans are dropped, which bounds the memory. */
const queue = { maxQueueSize: 4_096, maxExportBatchSize: 512 } as const;
/** Milliseconds between two requests, and the deadline of one. */
const delivery = { scheduledDelayMillis: 2_000, exportTimeoutMillis: 10_000 } as const;
/** Characters of the longest attribute of a span. */
const longest = 1_024;

export interface Sdk {
  readonly provider: TracerProvider;
  /** Sends the remaining spans, for up to `graceMs` milliseconds. Never rejects. */
  close(graceMs: number): Promise<void>;
}

/** Starts sending spans over OTLP (HTTP, protobuf). The receiver may be unreachable. */
export function startSdk(config: TracingConfig, version: string, logger: Logger): Sdk {
  const exporter = new LoggingExporter(new OTLPTraceExporter(exporterOptions(config)), logger);
  const provider = new TracerProvider({
    resource: resourceOf(config, version),
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: longest },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue, ...delivery })],
  });
  return {
    provider,
    async close(graceMs) {
      const ended = provider.shutdown().catch(() => undefined);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, graceMs);
      await Promise.race([ended, late.promise]);
      clearTimeout(timer);
    },
  };
}

function exporterOptions({ endpoint, headers }: TracingConfig): ConstructorParameters<typeof OTLPTraceExporter>[0] {
  const revealed = Object.fromEntries([...headers].map(([name, secret]) => [name, secret.reveal()]));
  return {
    ...(endpoint !== undefined && { url: endpoint }),
    ...(headers.size > 0 && { headers: revealed }),
    // A receiver that does not answer gets no second request beside the first.
    concurrencyLimit: 1,
  };
}

/** The environment's description of the service, except where the configuration overrides it. */
function resourceOf({ serviceName }: TracingConfig, version: string): Resource {
  const own = resourceFromAttributes({
    'service.name': 'a2a-gateway',
    'service.version': version,
    'service.instance.id': newId(),
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  const described = own.merge(detectResources({ detectors: [envDetector] }));
  return serviceName === undefined
    ? described
    : described.merge(resourceFromAttributes({ 'service.name': serviceName }));
}

function samplerOf({ ratio, parentBased }: TracingConfig): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

type Export = SpanExporter['export'];

/** Logs once that spans cannot be sent, and once that they can again. */
class LoggingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #logger: Logger;
  #down = false;
  #lost = 0;

  constructor(inner: SpanExporter, logger: Logger) {
    this.#inner = inner;
    this.#logger = logger;
  }

  export(spans: Parameters<Export>[0], done: Parameters<Export>[1]): void {
    this.#inner.export(spans, (result) => {
      // 0 is success.
      if (result.code === 0) this.#arrived();
      else this.#failed(spans.length, result.error);
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #arrived(): void {
    if (!this.#down) return;
    this.#down = false;
    this.#logger.info({ lost: this.#lost }, 'the trace receiver is reachable again');
    this.#lost = 0;
  }

  #failed(spans: number, err: unknown): void {
    this.#lost += spans;
    if (this.#down) return;
    this.#down = true;
    this.#logger.warn({ err }, 'traces cannot be delivered; spans beyond the queue are dropped');
  }
}
