import * as z from 'zod';
import { expectedAllowed, readAllowed } from '../../net/guard/allowed.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, section, textThat } from '../schema-parts.ts';

const target = textThat(expectedAllowed, (line) => readAllowed(line) !== undefined);

/** `outbound`: targets chosen by callers or agents that the URL guard lets through. */
export const outbound = section('what may be called', () => ({
  allow: z
    .array(target, anything('a list of hosts and addresses'))
    .prefault([])
    .describe('Hosts, addresses and blocks of addresses, each with an optional port.'),
})).register(schemaFacts, { input: 'OutboundSettings', output: 'OutboundConfig' });
