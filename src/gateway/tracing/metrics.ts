import { type HrTime, ValueType } from '@opentelemetry/api';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Family, Sample } from '../../metrics/family.ts';
import { createExporter, delivery, type SignalDeps } from './otlp.ts';

/**
 * Sends metrics every `every` milliseconds, under their names in `/metrics`, as values since the start.
 *
 * @param read the current metrics
 */
export function startMetrics(
  deps: SignalDeps,
  every: number,
  read: () => Promise<readonly Family[]>,
): PeriodicExportingMetricReader {
  const { resource, scope } = deps;
  const reader = new PeriodicExportingMetricReader({
    exporter: createExporter('metrics', deps, ProtobufMetricsSerializer),
    exportIntervalMillis: every,
    exportTimeoutMillis: Math.min(every, delivery.exportTimeoutMillis),
  });
  const startTime = timeOf(performance.timeOrigin);
  reader.setMetricProducer({
    async collect() {
      const families = await read();
      const times = { startTime, endTime: timeOf(Date.now()) };
      const known = families.filter(({ samples }) => samples.length > 0);
      const metrics = known.map((family) => metricOf(family, times));
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] },
        errors: [],
      };
    },
  });
  return reader;
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** A time as seconds and nanoseconds. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1_000_000)];

function metricOf({ name, help, type, samples }: Family, times: Times): MetricData {
  const described = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram')
    return { ...described, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(samples, times) };
  const dataPoints = samples.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  return type === 'counter'
    ? { ...described, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...described, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** The samples of each series are its cumulative buckets, then the sum, then the count. */
function histogramPoints(samples: readonly Sample[], times: Times): DataPoint<Histogram>[] {
  const points: DataPoint<Histogram>[] = [];
  let buckets: Histogram['buckets'] = { boundaries: [], counts: [] };
  let [below, sum] = [0, 0];
  for (const { labels, suffix, value } of samples) {
    if (suffix === '_bucket') {
      if (labels.le !== '+Inf') buckets.boundaries.push(Number(labels.le));
      buckets.counts.push(value - below);
      below = value;
    } else if (suffix === '_sum') {
      sum = value;
    } else {
      points.push({ ...times, attributes: labels, value: { buckets, sum, count: value } });
      buckets = { boundaries: [], counts: [] };
      below = 0;
    }
  }
  return points;
}
