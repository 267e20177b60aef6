import type * as z from 'zod';
import { parseDuration } from '../scalars.ts';
import { quantity, section } from '../schema-parts.ts';

/** Orchestrators kill a process that takes longer. */
const longest = 3_600_000;

const duration = quantity('a duration of at most an hour, such as 10s, 500ms or 0s', (value) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  return ms !== undefined && ms <= longest ? ms : undefined;
});

/** `shutdown`: how the gateway stops. Milliseconds. */
export const shutdown = section('how to stop', {
  /** How long the gateway still accepts work after it reports that it is not ready, so that load balancers notice. */
  delay: duration.default(0),
  /** How long running work then has to end. */
  drain: duration.default(10_000),
});

export type ShutdownConfig = Readonly<z.output<typeof shutdown>>;
