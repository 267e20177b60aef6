import { duration, section } from '../schema-parts.ts';

/** Orchestrators kill a process that takes longer. */
const atMostAnHour = duration('a duration of at most an hour, such as 10s, 500ms or 0s', (ms) => ms <= 3_600_000);

/** How the gateway stops. Milliseconds. */
export interface ShutdownConfig {
  /** How long it still accepts work after it reports that it is not ready, so that load balancers notice. */
  readonly delay: number;
  /** How long running work then has to end. */
  readonly drain: number;
}

/** `shutdown`: how the gateway stops. */
export const shutdown = section('how to stop', {
  delay: atMostAnHour.default(0),
  drain: atMostAnHour.default(10_000),
});
