import * as z from 'zod';
import { expectedAllowed, readAllowed } from '../../net/guard/allowed.ts';
import { anything, section, text } from '../schema-parts.ts';

/** What `outbound` may hold: targets that the URL guard lets through although others chose them. */
export const outbound = section('what may be called', {
  allow: z
    .array(
      text(expectedAllowed).refine((line) => readAllowed(line) !== undefined, anything(expectedAllowed)),
      anything('a list of hosts and addresses'),
    )
    .optional(),
});
