import * as z from 'zod';
import { schemaFacts } from '../schema-facts.ts';
import { age, anything, count, duration, flag, section } from '../schema-parts.ts';

const settings = section('calls', () => ({
  keep: age.prefault('7d').describe('Age after which calls and their numbers are deleted, or `forever`.'),
  slow: duration('a duration above zero, such as 10s', (ms) => ms > 0)
    .prefault('10s')
    .describe(
      'How long the answer to a call takes at least that is kept although it succeeded. Streams are never slow.',
    ),
  most: count
    .prefault(100_000)
    .describe(
      'Number of failed and slow calls that are kept. Beyond it, the oldest calls of the callers with the most are deleted.',
    ),
})).register(schemaFacts, { input: 'CallsSettings' });

/** `calls`: what the store keeps of calls, for operators. */
export const calls = z
  .union([flag, settings], anything('true, false or a mapping with keep, slow and most'))
  .prefault(true)
  .describe(
    'Whether the store keeps failed and slow calls, and the numbers of each minute by agent, caller and generation, for operators; or for how long, and which ones. With false, the last failed call of each agent is not kept in memory either.',
  );

/** The settings of `calls`. Durations are milliseconds; infinity: for ever, or no bound. */
export interface CallsConfig {
  readonly keep: number;
  readonly slow: number;
  readonly most: number;
}

/** The settings with their defaults. Undefined: the store keeps nothing. */
export function resolveCalls(given: boolean | CallsConfig): CallsConfig | undefined {
  if (typeof given === 'object') return given;
  return given ? settings.parse({}) : undefined;
}
