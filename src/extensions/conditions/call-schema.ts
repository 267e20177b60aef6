import * as z from 'zod';
import { anything, section } from '../../config/schema-parts.ts';

/** Facts about a call, as files of cases give them. */

const string = z.string(anything('a text'));
const strings = z.array(string, anything('a list of texts'));
const mapping = z.record(z.string(), z.unknown(), anything('a mapping'));
const instant = z
  .custom<string>(
    (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    anything('a time, such as 2026-01-05T09:00:00Z'),
  )
  .transform((value) => Date.parse(value));

const caller = section('a caller', () => ({
  id: string.optional(),
  anonymous: z.boolean(anything('true or false')).optional(),
  scopes: strings.optional(),
  attributes: mapping.optional(),
}));

const task = section('a task', () => ({
  id: string.optional(),
  contextId: string.optional(),
  state: string.optional(),
}));

/** Schema of a call in a case. Absent facts are those of an anonymous caller's message. */
export const callOfCase = section('a call', () => ({
  caller: caller.optional(),
  task: task.optional(),
  ...Object.fromEntries(
    (['tenant', 'agent', 'skill', 'operation', 'dialect', 'binding'] as const).map((name) => [name, string.optional()]),
  ),
  size: z.number(anything('a number of bytes')).int().min(0).optional(),
  mediaTypes: strings.optional(),
  metadata: mapping.optional(),
  messageMetadata: mapping.optional(),
  requestMetadata: mapping.optional(),
  extensions: strings.optional(),
  now: instant.optional(),
  path: strings.optional(),
}));
