import type * as z from 'zod';
import { parseSize } from '../scalars.ts';
import { positive, quantity, section, timeout } from '../schema-parts.ts';
import type { LimitsConfig } from '../types.ts';

/** What `limits` may hold, and what it means when it says nothing. */

/** Bytes. */
export const size = quantity('a size above zero, such as 10MiB, 512KiB or a number of bytes', (value) =>
  positive(parseSize(value)),
);

const headerSize = quantity('a size from 1KiB to 1MiB, such as 16KiB', (value) => {
  const bytes = parseSize(value);
  return bytes !== undefined && bytes >= 1_024 && bytes <= 1_048_576 ? bytes : undefined;
});

/** A whole number; infinity where there is to be no bound. */
const count = quantity('a whole number above zero, or "unlimited"', (value) => {
  if (value === 'unlimited') return Number.POSITIVE_INFINITY;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? positive(number) : undefined;
});

const shape = {
  body: size.optional(),
  headers: headerSize.optional(),
  answer: timeout.optional(),
  requestTimeout: timeout.optional(),
  slowReader: timeout.optional(),
  requestsPerMinute: count.optional(),
  streams: count.optional(),
  streamsPerTask: count.optional(),
  page: size.optional(),
  buffered: size.optional(),
  connections: count.optional(),
  webhooks: section('bounds on webhooks', {
    perTask: count.optional(),
    perPrincipal: count.optional(),
    perMinute: count.optional(),
  }).optional(),
} satisfies z.ZodRawShape;

/** The section `limits` of a configuration file. */
export const limits: z.ZodObject<typeof shape, z.core.$strict> = section('limits', shape);

type LimitsInput = z.output<typeof limits>;

const finite = (bound: number): number | undefined => (bound === Number.POSITIVE_INFINITY ? undefined : bound);

const mebibyte = 1_048_576;

/**
 * Fills in defaults.
 *
 * @param local whether only this machine can reach the gateway: its users are not kept from one another then
 */
export function resolveLimits(input: LimitsInput | undefined, local: boolean): LimitsConfig {
  const bound = (written: number | undefined, elsewhere: number | undefined): number | undefined => {
    const meant = written ?? (local ? undefined : elsewhere);
    return meant === undefined ? undefined : finite(meant);
  };
  return {
    body: input?.body ?? 10 * mebibyte,
    headers: input?.headers ?? 16_384,
    answer: input?.answer ?? 300_000,
    requestTimeout: input?.requestTimeout ?? 30_000,
    slowReader: input?.slowReader ?? 30_000,
    requestsPerMinute: bound(input?.requestsPerMinute, 600),
    streams: bound(input?.streams, 100),
    streamsPerTask: bound(input?.streamsPerTask, 100),
    page: input?.page ?? 8 * mebibyte,
    buffered: input?.buffered ?? 256 * mebibyte,
    connections: bound(input?.connections, undefined),
    webhooks: {
      perTask: finite(input?.webhooks?.perTask ?? 20),
      perPrincipal: finite(input?.webhooks?.perPrincipal ?? 1_000),
      perMinute: finite(input?.webhooks?.perMinute ?? 6_000),
    },
  };
}
