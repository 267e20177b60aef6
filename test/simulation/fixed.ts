import { regressions } from './regressions.ts';
import type { Job } from './runner.ts';

/** Seeds of the list, as brief plans: from 1 on. */
const brief = 92;

/** Simulations of the fixed list: brief ones, a few as they are, and those that have shown a fault. */
export const fixed: readonly Job[] = [
  ...Array.from({ length: brief }, (_, at) => ({ seed: at + 1, isBrief: true })),
  ...[7, 9, 13, 19].map((seed) => ({ seed })),
  ...regressions.map(({ job }) => job),
];
