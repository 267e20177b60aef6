import type * as z from 'zod';
import { parseDuration } from '../scalars.ts';
import { quantity, section } from '../schema-parts.ts';

/** What `shutdown` may hold, and what it means when it says nothing. */

/** How the gateway stops. */
export interface ShutdownConfig {
  /**
   * Milliseconds for which it still takes work after it has said that it is not ready any more, so that balancers have
   * noticed. Default 0.
   */
  readonly delay: number;
  /** Milliseconds that what is running has to end then. Default 10 seconds. */
  readonly drain: number;
}

/** Orchestrators kill what takes longer. */
const longest = 3_600_000;

const duration = quantity('a duration of at most an hour, such as 10s, 500ms or 0s', (value) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  return ms !== undefined && ms <= longest ? ms : undefined;
});

const shape = { delay: duration.optional(), drain: duration.optional() } satisfies z.ZodRawShape;

/** The section `shutdown` of a configuration file. */
export const shutdown: z.ZodObject<typeof shape, z.core.$strict> = section('how to stop', shape);

/** Fills in defaults. */
export const resolveShutdown = (input: z.output<typeof shutdown> | undefined): ShutdownConfig => ({
  delay: input?.delay ?? 0,
  drain: input?.drain ?? 10_000,
});
