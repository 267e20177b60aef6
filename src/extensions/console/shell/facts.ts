import { signal } from '@preact/signals';
import type { GatewayStatus } from '../../../gen/admin-v1/types.ts';

/** What the gateway said last of itself. Undefined: nothing yet to this caller. */
export const status = signal<GatewayStatus | undefined>(undefined);

/** Whether the gateway goes on to say it: what it said last is so now. */
export const isCurrent = signal(false);

/** When what the page shows was last read, or confirmed by a stream, in milliseconds; 0 before. */
export const asOf = signal(0);

/** Called when the page has read something that it shows. */
export function noteRead(): void {
  asOf.value = Date.now();
}

/** Which other gateways the last change did not reach, and why. */
export const notReached = signal<readonly string[]>([]);

/** Streams of the page that are open: what they show is current. */
export const openStreams = signal(0);
