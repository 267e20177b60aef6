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
import type { TracingConfig } from '../../config/sections/tracing-schema.ts';
import { newId } from '../../core/model/ids.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** OpenTelemetry's SDK as the gateway uses it: large, and loaded only where traces are wanted. */

/** Spans that wait to be sent, and that are sent at once; what is more is dropped, so that memory stays bounded. */
const queue = { maxQueueSize: 4_096, maxExportBatchSize: 512 } as const;
/** Milliseconds between two deliveries, and that one may take. */
const delivery = { scheduledDelayMillis: 2_000, exportTimeoutMillis: 10_000 } as const;
/** No text that a span says of itself is longer, whoever wrote it. */
const longest = 1_024;

/** An SDK that runs. */
export interface Sdk {
  readonly provider: TracerProvider;
  /** Sends what is left, for up to `graceMs` milliseconds. Never rejects. */
  close(graceMs: number): Promise<void>;
}

/** Starts sending spans over OTLP (HTTP, protobuf). The receiver need not be there. */
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
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
    },
  };
}

function exporterOptions({ endpoint, headers }: TracingConfig): ConstructorParameters<typeof OTLPTraceExporter>[0] {
  const revealed = Object.fromEntries([...headers].map(([name, secret]) => [name, secret.reveal()]));
  return {
    ...(endpoint !== undefined && { url: endpoint }),
    ...(headers.size > 0 && { headers: revealed }),
    // One that does not answer gets no second request beside the first.
    concurrencyLimit: 1,
  };
}

/** What the environment says of the service counts, except where the configuration says something else. */
function resourceOf({ serviceName }: TracingConfig, version: string): Resource {
  const own = resourceFromAttributes({
    'service.name': 'a2a-gateway',
    'service.version': version,
    'service.instance.id': newId(),
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  const told = own.merge(detectResources({ detectors: [envDetector] }));
  return serviceName === undefined ? told : told.merge(resourceFromAttributes({ 'service.name': serviceName }));
}

function samplerOf({ ratio, parentBased }: TracingConfig): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

type Export = SpanExporter['export'];

/** Says once that spans cannot be sent, and once that they can again. */
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
    this.#logger.info({ lost: this.#lost }, 'traces are delivered again');
    this.#lost = 0;
  }

  #failed(spans: number, err: unknown): void {
    this.#lost += spans;
    if (this.#down) return;
    this.#down = true;
    this.#logger.warn({ err }, 'traces cannot be delivered; what does not fit into memory is dropped');
  }
}
