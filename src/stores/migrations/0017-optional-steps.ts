import type { Migration } from './step.ts';

/**
 * Changes nothing. Its programs look for the number of each step; earlier ones look for the largest alone, and cannot work
 * with a database that lacks a step of an extension. Such a database requires this step (`run.ts`).
 */
export const optionalSteps: Migration = {
  number: 17,
  name: 'optional steps',
  up: async () => undefined,
};
