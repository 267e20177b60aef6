import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Starts sending spans over OTLP (HTTP, protobuf). The receiver may be unreachable. */
export function startSdk(config: TracingConfig, version: string, logger: Logger) {
  const exporter = new OTLPTraceExporter(exporterOptions(config));
  logOutages(exporter, logger);
  const provider = new TracerProvider({
    resource: resourceOf(config, version),
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: longest },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue, ...delivery })],
  });
  return {
    provider,
    /** Sends the remaining spans, for up to `graceMs` milliseconds. Never rejects. */
    async close(graceMs: number): Promise<void> {
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(graceMs, undefined, { ref: false })]);
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

/** Logs once that spans cannot be sent, and once that they can again. */
function logOutages(exporter: SpanExporter, logger: Logger): void {
  const send = exporter.export.bind(exporter);
  let lost: number | undefined;
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      // 0 is success.
      if (result.code !== 0) {
        if (lost === undefined) {
          const message = 'traces cannot be delivered; spans beyond the queue are dropped';
          logger.warn({ err: result.error }, message);
        }
        lost = (lost ?? 0) + spans.length;
      } else if (lost !== undefined) {
        logger.info({ lost }, 'the trace receiver is reachable again');
        lost = undefined;
      }
      done(result);
    });
}
