import type * as z from 'zod';
import { section, timeout } from '../schema-parts.ts';

/** What `push` may hold, and what it means when it says nothing. */

/** How push notifications are delivered. */
export interface PushConfig {
  /** Milliseconds that a notification is tried for, counted from its event. Default 24 hours. */
  readonly maxAge: number;
  /** Milliseconds that a receiver may take to answer. Default 15 seconds. */
  readonly timeout: number;
}

const shape = { maxAge: timeout.optional(), timeout: timeout.optional() } satisfies z.ZodRawShape;

/** The section `push` of a configuration file. */
export const push: z.ZodObject<typeof shape, z.core.$strict> = section('push notifications', shape);

/** Fills in defaults. */
export const resolvePush = (input: z.output<typeof push> | undefined): PushConfig => ({
  maxAge: input?.maxAge ?? 24 * 3_600_000,
  timeout: input?.timeout ?? 15_000,
});
