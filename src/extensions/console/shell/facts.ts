import { signal } from '@preact/signals';
import type { ReplicaStatus } from '../../../gen/admin-v1/types.ts';

/** What is known of the gateway on every page. Absent: not known. */
export interface GatewayFacts {
  /** Whether it accepts new work. */
  readonly ready?: boolean | undefined;
  readonly replicas?: readonly ReplicaStatus[];
  /** Whether an agent has knowledge. */
  readonly knowledge?: boolean | undefined;
  /** How many tasks wait for a client, such as `12` or `1,000+`. */
  readonly waiting?: string;
}

export const facts = signal<GatewayFacts>({});

export function learn(more: GatewayFacts): void {
  facts.value = { ...facts.peek(), ...more };
}

/** When what the page shows was last read, or confirmed by a stream, in milliseconds; 0 before. */
export const asOf = signal(0);

/** Called when the page has read something that it shows. */
export function noteRead(): void {
  asOf.value = Date.now();
}

/** Streams of the page that are open: what they show is current. */
export const openStreams = signal(0);
