import * as z from 'zod';
import { trimEnd } from '../../core/model/text.ts';
import { Secret } from '../../net/secret.ts';
import { anything, quantity, section, text, textAs } from '../schema-parts.ts';

/** What `tracing` may hold, and what it means, together with the variables of OpenTelemetry, when it says nothing. */

/** Where traces go. */
export interface TracingConfig {
  /** Whether the file says so; otherwise the environment does, and an SDK that the program registered comes before it. */
  readonly told: boolean;
  /** Where spans are sent, in full. Undefined: where the variables of OpenTelemetry's exporter say. */
  readonly endpoint: string | undefined;
  /** Of each request there. */
  readonly headers: ReadonlyMap<string, Secret>;
  /** The part of the traces that begin here which is kept: from 0 to 1. */
  readonly ratio: number;
  /** Whether callers decide about the traces that they began. */
  readonly parentBased: boolean;
  /** Undefined: as `OTEL_SERVICE_NAME` says, else `a2a-gateway`. */
  readonly serviceName: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

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

const ratioOf = (value: string | number | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= 1 ? number : undefined;
};

const headers = z.record(z.string(), text('the text of a header'), anything('headers by their names'));

const shape = {
  endpoint,
  headers: headers.optional(),
  sampleRatio: quantity('a number from 0 to 1', ratioOf).optional(),
  serviceName: text('a name').optional(),
} satisfies z.ZodRawShape;

/** The section `tracing` of a configuration file. */
export const tracing: z.ZodObject<typeof shape, z.core.$strict> = section('tracing', shape);

/** By the names of `OTEL_TRACES_SAMPLER` (OpenTelemetry 1.x, environment variables): how large a part is kept. */
const samplers: Readonly<Record<string, (argument: number | undefined) => number>> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: (argument = 1) => argument,
};

/** Fills in defaults; undefined where nobody wants traces. */
export function resolveTracing(input: z.output<typeof tracing> | undefined, env: Env): TracingConfig | undefined {
  if (!input && !wanted(env)) return undefined;
  const { parentBased, ratio } = samplerOf(env);
  return {
    told: input !== undefined,
    endpoint: input?.endpoint,
    headers: new Map(Object.entries(input?.headers ?? {}).map(([name, value]) => [name, new Secret(value)])),
    ratio: input?.sampleRatio ?? ratio,
    parentBased: input?.sampleRatio !== undefined || parentBased,
    serviceName: input?.serviceName,
  };
}

/** Whether the environment names a receiver, and does not switch it off. */
function wanted(env: Env): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (!['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim() ?? '')) return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim() || env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim());
}

/** What is not understood counts as not said. */
function samplerOf(env: Env): { readonly parentBased: boolean; readonly ratio: number } {
  const said = env.OTEL_TRACES_SAMPLER?.trim() ?? '';
  const parentBased = said.startsWith('parentbased_');
  const sampler = samplers[parentBased ? said.slice('parentbased_'.length) : said];
  if (!sampler) return { parentBased: true, ratio: 1 };
  return { parentBased, ratio: sampler(ratioOf(env.OTEL_TRACES_SAMPLER_ARG)) };
}
