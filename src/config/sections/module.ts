import * as z from 'zod';
import { Secret } from '../../net/secret.ts';
import { anything } from '../schema-parts.ts';

/** Settings for a module of the user, which checks `config` itself. `env`: texts such as keys of other services. */
export const moduleSettings = {
  config: z.unknown().optional(),
  env: z
    .record(z.string(), z.string(anything('a text')), anything('names with texts, such as API_KEY'))
    .transform((texts) => new Map(Object.entries(texts).map(([name, value]) => [name, new Secret(value)])))
    .optional(),
};
