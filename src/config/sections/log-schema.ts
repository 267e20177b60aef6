import type * as z from 'zod';
import { flag, oneOf, section } from '../schema-parts.ts';

/** What `log` may hold, and what it means when it says nothing. */

/** What is worth a line of the log. */
export interface LogConfig {
  /** The least that is. Default `info`: what whoever guards the gateway wants to know of, and what goes wrong. */
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  /** Whether each request is worth a line, at level `info`. Default false. */
  readonly requests: boolean;
}

const shape = {
  level: oneOf('error', 'warn', 'info', 'debug').optional(),
  requests: flag.optional(),
} satisfies z.ZodRawShape;

/** The section `log` of a configuration file. */
export const log: z.ZodObject<typeof shape, z.core.$strict> = section('the log', shape);

/** Fills in defaults. */
export const resolveLog = (input: z.output<typeof log> | undefined): LogConfig => ({
  level: input?.level ?? 'info',
  requests: input?.requests ?? false,
});
