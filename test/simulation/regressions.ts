import type { Job } from './runner.ts';

/** A simulation that has shown a fault of the program. It runs with the tests. */
export interface Regression {
  readonly job: Job;
  /** The fault, and what mended it. */
  readonly showed: string;
}

export const regressions: readonly Regression[] = [
  {
    job: { seed: 247 },
    showed:
      'Webhooks of a replica whose clock was set back paused for as long. Pauses are measured by a clock that is never set back.',
  },
  {
    job: { seed: 273 },
    showed:
      'Webhooks of a replica whose clock was set back paused for as long. Pauses are measured by a clock that is never set back.',
  },
  {
    job: { seed: 293 },
    showed: 'A delivery whose events could not be read was not given back, and waited until its claim expired.',
  },
];
