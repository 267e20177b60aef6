import * as z from 'zod';
import { trimEnd } from '../../core/model/text.ts';
import { Secret } from '../../net/secret.ts';
import type { ResolveContext } from '../context.ts';
import { anything, fraction, readFraction, section, text, textAs } from '../schema-parts.ts';

/** Where traces go. */
export interface TracingConfig {
  /** Whether the file configures tracing. Otherwise the environment does, and an SDK that the program registered wins. */
  readonly inFile: boolean;
  /** Where spans are sent, in full. Undefined: where the variables of OpenTelemetry's exporter say. */
  readonly endpoint: string | undefined;
  /** Of each request there. */
  readonly headers: ReadonlyMap<string, Secret>;
  /** The fraction of the traces begun here that is sampled: from 0 to 1. */
  readonly ratio: number;
  /** Whether the sampling decision of a caller's trace is kept. */
  readonly parentBased: boolean;
  /** Undefined: as `OTEL_SERVICE_NAME` says, else `a2a-gateway`. */
  readonly serviceName: string | undefined;
}

const expectedEndpoint = 'an http or https URL of an OTLP receiver, such as http://localhost:4318';

/** Where traces go below the URL of a receiver (OTLP 1.x, OTLP/HTTP request). */
const signalPath = '/v1/traces';

const endpoint = textAs(expectedEndpoint, (value) => {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  const path = trimEnd(url.pathname, '/');
  url.pathname = path.endsWith(signalPath) ? path : path + signalPath;
  return url.href;
});

/** `tracing`: where traces go, and how many. */
export const tracing = section('tracing', {
  endpoint,
  headers: z.record(z.string(), text('the text of a header'), anything('headers by their names')).optional(),
  sampleRatio: fraction.optional(),
  serviceName: text('a name').optional(),
});

/** The sampled fraction, by the names of `OTEL_TRACES_SAMPLER` (OpenTelemetry 1.x, environment variables). */
const samplers: Readonly<Record<string, (argument: number | undefined) => number>> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: (argument = 1) => argument,
};

/** Fills in what OpenTelemetry's environment variables say; undefined: no traces. */
export function resolveTracing(
  input: z.output<typeof tracing> | undefined,
  env: ResolveContext['env'],
): TracingConfig | undefined {
  if (!input && !isEnabledByEnv(env)) return undefined;
  const { parentBased, ratio } = samplerOf(env);
  return {
    inFile: input !== undefined,
    endpoint: input?.endpoint,
    headers: new Map(Object.entries(input?.headers ?? {}).map(([name, value]) => [name, new Secret(value)])),
    ratio: input?.sampleRatio ?? ratio,
    parentBased: input?.sampleRatio !== undefined || parentBased,
    serviceName: input?.serviceName,
  };
}

/** Whether the environment names a receiver and does not disable it. */
function isEnabledByEnv(env: ResolveContext['env']): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (!['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim() ?? '')) return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim() || env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim());
}

/** Unknown samplers are ignored. */
function samplerOf(env: ResolveContext['env']): { readonly parentBased: boolean; readonly ratio: number } {
  const name = env.OTEL_TRACES_SAMPLER?.trim() ?? '';
  const parentBased = name.startsWith('parentbased_');
  const sampler = samplers[parentBased ? name.slice('parentbased_'.length) : name];
  if (!sampler) return { parentBased: true, ratio: 1 };
  return { parentBased, ratio: sampler(readFraction(env.OTEL_TRACES_SAMPLER_ARG)) };
}
