import * as z from 'zod';
import { expectedAllowed, readAllowed } from '../../net/guard/allowed.ts';
import { anything, section, text } from '../schema-parts.ts';

const target = text(expectedAllowed).refine((line) => readAllowed(line) !== undefined, anything(expectedAllowed));

/** Targets chosen by callers or agents that the URL guard lets through. */
export interface OutboundConfig {
  /** Hosts, addresses and blocks of addresses, each with an optional port. */
  readonly allow: readonly string[];
}

/** `outbound`: targets chosen by callers or agents that the URL guard lets through. */
export const outbound = section('what may be called', {
  allow: z.array(target, anything('a list of hosts and addresses')).default([]),
});
