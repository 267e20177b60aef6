import { duration, section } from '../schema-parts.ts';

/** Orchestrators kill a process that takes longer. */
const atMostAnHour = duration('a duration of at most an hour, such as 10s, 500ms or 0s', (ms) => ms <= 3_600_000);

/** `shutdown`: how the gateway stops. Milliseconds. */
export const shutdown = section('how to stop', {
  /** How long the gateway still accepts work after it reports that it is not ready, so that load balancers notice. */
  delay: atMostAnHour.default(0),
  /** How long running work then has to end. */
  drain: atMostAnHour.default(10_000),
});
