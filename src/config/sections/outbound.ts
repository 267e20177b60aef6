import * as z from 'zod';
import { expectedAllowed, readAllowed } from '../../net/guard/allowed.ts';
import { anything, section, text } from '../schema-parts.ts';

const target = text(expectedAllowed).refine((line) => readAllowed(line) !== undefined, anything(expectedAllowed));

/** `outbound`: targets chosen by callers or agents that the URL guard lets through. */
export const outbound = section('what may be called', {
  /** Hosts, addresses and blocks of addresses, each with an optional port. */
  allow: z.array(target, anything('a list of hosts and addresses')).default([]),
});
