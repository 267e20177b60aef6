import { signal } from '@preact/signals';
import type { GatewayStatus } from '../../../gen/admin-v1/types.ts';

/** The gateway's latest report about itself. Undefined: this caller has received none yet. */
export const status = signal<GatewayStatus | undefined>(undefined);

/** Whether the gateway keeps reporting: the latest report is current. */
export const isCurrent = signal(false);

/** Time when the page's data were last read, or confirmed by a stream, in milliseconds; 0 before. */
export const asOf = signal(0);

/** Called when the page has read data that it shows. */
export function noteRead(): void {
  asOf.value = Date.now();
}

/** Gateways that the last change did not reach, with the reasons. */
export const notReached = signal<readonly string[]>([]);

/** Number of open streams of the page: their data are current. */
export const openStreams = signal(0);
