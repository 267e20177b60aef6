import * as z from 'zod';
import { own } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Secret } from '../../net/secret.ts';
import { isWebUrl } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, duration, flag, fraction, readFraction, secretOf, section, text, textAs } from '../schema-parts.ts';

const expectedEndpoint = 'an http or https URL of an OTLP receiver, such as http://localhost:4318';

/** Path for traces below a receiver's URL (OTLP 1.x, OTLP/HTTP request). */
const signalPath = '/v1/traces';

const endpoint = textAs(expectedEndpoint, (value) => {
  if (!isWebUrl(value)) return undefined;
  const url = new URL(value);
  const path = trimEnd(url.pathname, '/');
  url.pathname = path.endsWith(signalPath) ? path : path + signalPath;
  return url.href;
}).register(schemaFacts, { secret: 'query' });

/** Interval at which metrics are sent, in milliseconds. */
const interval = duration('a duration from 1s to 24 days, such as 60s', (ms) => ms >= 1_000 && ms <= 2_073_600_000);

/** `tracing`: traces, metrics and log lines that are sent to an OTLP receiver. */
export const tracing = section('tracing', () => ({
  endpoint: endpoint.describe('The http or https URL of an OTLP receiver.'),
  headers: z
    .record(z.string(), secretOf(text('the text of a header')), anything('headers by their names'))
    .optional()
    .describe('Headers of each request to the receiver.'),
  traces: flag.prefault(true).describe('Whether traces are sent.'),
  metrics: interval.optional().describe('Interval at which the metrics of `/metrics` are sent. Default: never.'),
  logs: flag.prefault(false).describe('Whether log lines are sent, in addition to those on stderr.'),
  sampleRatio: fraction
    .optional()
    .describe(
      'Fraction of the traces beginning at this gateway that are sent. Default: the value of `OTEL_TRACES_SAMPLER`, otherwise 1.',
    ),
  serviceName: text('a name')
    .optional()
    .describe('Name of the service. Default: `OTEL_SERVICE_NAME`, otherwise `a2a-gateway`.'),
})).register(schemaFacts, { input: 'TracingSettings' });

/**
 * Functions that return the sampled fraction, by the values of `OTEL_TRACES_SAMPLER` (OpenTelemetry 1.x, environment
 * variables).
 */
const samplers: Readonly<Record<string, (argument: number | undefined) => number>> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: (argument = 1) => argument,
};

/** Destinations and kinds of exported traces, metrics and log lines. */
export interface TracingConfig {
  /** Whether the file configures tracing. Otherwise the environment does, and an SDK of the program takes precedence. */
  readonly inFile: boolean;
  readonly traces: boolean;
  /** Interval at which metrics are sent, in milliseconds. Undefined if they are not sent. */
  readonly metrics: number | undefined;
  readonly logs: boolean;
  /**
   * The URL for spans, which ends with `/v1/traces`. Undefined if the variables of OpenTelemetry's exporters decide.
   */
  readonly endpoint: string | undefined;
  /** Headers of each request to the endpoint. */
  readonly headers: ReadonlyMap<string, Secret>;
  /** The sampled fraction of traces that begin at this gateway, from 0 to 1. */
  readonly ratio: number;
  /** Whether the sampling decision of a caller's trace is kept. */
  readonly parentBased: boolean;
  /** Name of the service. Undefined for `OTEL_SERVICE_NAME`, otherwise `a2a-gateway`. */
  readonly serviceName: string | undefined;
}

/** Adds the settings of OpenTelemetry's environment variables. Undefined if nothing is sent. */
export function resolveTracing(
  input: z.output<typeof tracing> | undefined,
  env: ResolveContext['env'],
): TracingConfig | undefined {
  const sent = input ?? sentByEnv(env);
  if (!sent.traces && sent.metrics === undefined && !sent.logs) return undefined;
  const { parentBased, ratio } = samplerOf(env);
  return {
    inFile: input !== undefined,
    traces: sent.traces,
    metrics: sent.metrics,
    logs: sent.logs,
    endpoint: input?.endpoint,
    headers: new Map(Object.entries(input?.headers ?? {})),
    ratio: input?.sampleRatio ?? ratio,
    parentBased: input?.sampleRatio !== undefined || parentBased,
    serviceName: input?.serviceName,
  };
}

/** Interval at which metrics are sent unless `OTEL_METRIC_EXPORT_INTERVAL` is set, in milliseconds. */
const usualInterval = 60_000;

function sentByEnv(env: ResolveContext['env']): Pick<TracingConfig, 'traces' | 'metrics' | 'logs'> {
  const every = Number(env.OTEL_METRIC_EXPORT_INTERVAL?.trim() || usualInterval);
  return {
    traces: isSentByEnv(env, 'TRACES'),
    metrics: isSentByEnv(env, 'METRICS') ? (every >= 1_000 && every < 2 ** 31 ? every : usualInterval) : undefined,
    logs: isSentByEnv(env, 'LOGS'),
  };
}

/** Whether the environment names a receiver of a signal and does not disable it. */
function isSentByEnv(env: ResolveContext['env'], signal: 'TRACES' | 'METRICS' | 'LOGS'): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (!['', 'otlp'].includes(env[`OTEL_${signal}_EXPORTER`]?.trim() ?? '')) return false;
  return Boolean(env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]?.trim() || env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim());
}

/** Returns the sampling that the environment configures. Unknown samplers are ignored. */
function samplerOf(env: ResolveContext['env']): { readonly parentBased: boolean; readonly ratio: number } {
  const name = env.OTEL_TRACES_SAMPLER?.trim() ?? '';
  const parentBased = name.startsWith('parentbased_');
  const sampler = own(samplers, parentBased ? name.slice('parentbased_'.length) : name);
  if (!sampler) return { parentBased: true, ratio: 1 };
  return { parentBased, ratio: sampler(readFraction(env.OTEL_TRACES_SAMPLER_ARG)) };
}
