import * as z from 'zod';
import type { Secret } from '../../net/secret.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, secretOf } from '../schema-parts.ts';

const texts = z.record(
  z.string(),
  secretOf(z.string(anything('a text'))),
  anything('names with texts, such as API_KEY'),
);

/** Settings for a module of the user. */
export const moduleSettings = () => ({
  config: z
    .unknown()
    .register(schemaFacts, { secret: 'whole' })
    .optional()
    .describe('Settings for the module, which it checks itself.'),
  env: z
    .codec(texts, z.custom<ReadonlyMap<string, Secret>>(), {
      decode: (secrets) => new Map(Object.entries(secrets)),
      encode: (secrets) => Object.fromEntries(secrets),
    })
    .optional()
    .describe('Strings for the module, such as keys of other services.'),
});
