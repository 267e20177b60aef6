import { schemaFacts } from '../schema-facts.ts';
import { duration, section } from '../schema-parts.ts';

/** Orchestrators kill a process that takes longer. */
const atMostAnHour = duration('a duration of at most an hour, such as 10s, 500ms or 0s', (ms) => ms <= 3_600_000);

/** `shutdown`: how the gateway stops. */
export const shutdown = section('how to stop', () => ({
  delay: atMostAnHour
    .prefault('0s')
    .describe('How long it still accepts work after it reports that it is not ready, so that load balancers notice.'),
  drain: atMostAnHour.prefault('10s').describe('How long running work then has to end.'),
})).register(schemaFacts, { input: 'ShutdownSettings', output: 'ShutdownConfig' });
