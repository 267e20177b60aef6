import { schemaFacts } from '../schema-facts.ts';
import { section, timeout } from '../schema-parts.ts';

/** `push`: how push notifications are delivered. */
export const push = section('push notifications', () => ({
  maxAge: timeout.prefault('24h').describe('How long delivery of a notification is attempted, counted from its event.'),
  timeout: timeout.prefault('15s').describe('How long a receiver may take to answer.'),
})).register(schemaFacts, { input: 'PushSettings', output: 'PushConfig' });
