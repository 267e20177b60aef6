import * as z from 'zod';
import { schemaFacts } from '../schema-facts.ts';
import { age, anything, count, duration, flag, section } from '../schema-parts.ts';

const settings = section('calls', () => ({
  keep: age.prefault('7d').describe('Age after which calls and their counts are deleted, or `forever`.'),
  slow: duration('a duration above zero, such as 10s', (ms) => ms > 0)
    .prefault('10s')
    .describe('Duration from which a successful call counts as slow and is kept. Streams are never slow.'),
  most: count
    .prefault(100_000)
    .describe(
      'Maximum number of failed and slow calls that are kept. Beyond it, the oldest calls of the callers with the most calls are deleted.',
    ),
})).register(schemaFacts, { input: 'CallsSettings' });

/** `calls`: the records of calls that the store keeps for operators. */
export const calls = z
  .union([flag, settings], anything('true, false or a mapping with keep, slow and most'))
  .prefault(true)
  .describe(
    'Whether the store keeps failed and slow calls for operators, and counts per minute by agent, caller and generation; or for how long, and which calls. With false, the last failed call of each agent is not kept in memory either.',
  );

/** The settings of `calls`. Durations are in milliseconds. Infinity means forever, or no limit. */
export interface CallsConfig {
  readonly keep: number;
  readonly slow: number;
  readonly most: number;
}

/** Returns the settings with their defaults. Undefined if the store keeps no calls. */
export function resolveCalls(given: boolean | CallsConfig): CallsConfig | undefined {
  if (typeof given === 'object') return given;
  return given ? settings.parse({}) : undefined;
}
