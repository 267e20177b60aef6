import { regressions } from './regressions.ts';
import type { Job } from './runner.ts';

/** Seeds that run with the tests, and are over soon. */
const brief = 30;

/** Simulations of the fixed list: brief ones, a few as they are, and those that have shown a fault. */
export const fixed: readonly Job[] = [
  ...Array.from({ length: brief }, (_, at) => ({ seed: at + 1, isBrief: true })),
  ...[7, 9, 13, 19].map((seed) => ({ seed })),
  ...regressions.map(({ job }) => job),
];
