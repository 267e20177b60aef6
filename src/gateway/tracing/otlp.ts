import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  type ISerializer,
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { TracingConfig } from '../../config/sections/tracing.ts';
import { newId } from '../../core/model/ids.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** Parts that traces, metrics and log lines share: sending over OTLP (HTTP, protobuf), and the resource. */

/** Number of spans or lines in the queue, and in one request. Further ones are dropped, which limits the memory. */
export const queue = { maxQueueSize: 4_096, maxExportBatchSize: 512 } as const;
/** Milliseconds between two requests, and the deadline of one. */
export const delivery = { scheduledDelayMillis: 2_000, exportTimeoutMillis: 10_000 } as const;

const helpers = {
  traces: TraceExporterMetricsHelper,
  metrics: MetricsExporterMetricsHelper,
  logs: LogsExporterMetricsHelper,
} as const;
export type Signal = keyof typeof helpers;

/** Dependencies of one signal. */
export interface SignalDeps {
  readonly config: TracingConfig;
  readonly resource: Resource;
  /** The instrumentation scope. */
  readonly scope: { readonly name: string; readonly version: string };
  readonly logger: Logger;
}

/** Sends one signal to the receiver of the configuration, else of the environment. It may be unreachable. */
export function createExporter<T>(
  signal: Signal,
  { config: { endpoint, headers }, logger }: Pick<SignalDeps, 'config' | 'logger'>,
  serializer: ISerializer<T, unknown>,
): OTLPExporterBase<T> {
  const revealed = Object.fromEntries([...headers].map(([name, secret]) => [name, secret.reveal()]));
  const settings = {
    ...(endpoint !== undefined && { url: urlFor(signal, endpoint) }),
    ...(headers.size > 0 && { headers: revealed }),
    // A receiver that does not answer gets no second request at the same time.
    concurrencyLimit: 1,
  };
  // The environment's variables for the signal complete these settings.
  const options = convertLegacyHttpOptions(settings, signal.toUpperCase(), `v1/${signal}`, {
    'Content-Type': 'application/x-protobuf',
  });
  const counted: { readonly name: 'span' | 'metric_data_point' | 'log'; countItems(items: never): number } =
    helpers[signal];
  const helper = { name: counted.name, countItems: counted.countItems as (items: T) => number };
  const delegate = createOtlpHttpExportDelegate(options, serializer, 'otlp_http_exporter', helper, undefined);
  return logOutages(signal, new OTLPExporterBase(delegate), helper.countItems, logger);
}

function urlFor(signal: Signal, endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = url.pathname.replace(/traces$/, signal);
  return url.href;
}

/** Logs once that a signal cannot be sent, and once that it can again. */
function logOutages<T>(
  signal: Signal,
  exporter: OTLPExporterBase<T>,
  count: (items: T) => number,
  logger: Logger,
): OTLPExporterBase<T> {
  const send = exporter.export.bind(exporter);
  let lost: number | undefined;
  exporter.export = (items, done) =>
    send(items, (result) => {
      // 0 is success.
      if (result.code !== 0) {
        if (lost === undefined) {
          logger.warn(
            { signal, err: result.error },
            'telemetry cannot be delivered; records beyond the queue are dropped',
          );
        }
        lost = (lost ?? 0) + count(items);
      } else if (lost !== undefined) {
        logger.info({ signal, lost }, 'the telemetry receiver is reachable again');
        lost = undefined;
      }
      done(result);
    });
  return exporter;
}

/** The environment's description of the service, except for members that the configuration overrides. */
export function resourceOf({ serviceName }: TracingConfig, version: string): Resource {
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

/** Sends the remaining data of a signal, for up to `graceMs` milliseconds. Never rejects. */
export const closeSoon = (part: { shutdown(): Promise<void> }, graceMs: number): Promise<unknown> =>
  Promise.race([part.shutdown().catch(() => undefined), sleep(graceMs, undefined, { ref: false })]);
