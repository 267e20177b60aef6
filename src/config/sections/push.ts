import { section, timeout } from '../schema-parts.ts';

/** How push notifications are delivered. Milliseconds. */
export interface PushConfig {
  /** How long delivery of a notification is attempted, counted from its event. */
  readonly maxAge: number;
  /** How long a receiver may take to answer. */
  readonly timeout: number;
}

/** `push`: how push notifications are delivered. */
export const push = section('push notifications', {
  maxAge: timeout.default(24 * 3_600_000),
  timeout: timeout.default(15_000),
});
