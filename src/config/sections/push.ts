import { section, timeout } from '../schema-parts.ts';

/** `push`: how push notifications are delivered. Milliseconds. */
export const push = section('push notifications', {
  /** How long delivery of a notification is attempted, counted from its event. */
  maxAge: timeout.default(24 * 3_600_000),
  /** How long a receiver may take to answer. */
  timeout: timeout.default(15_000),
});
