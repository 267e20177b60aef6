import type { Job } from './runner.ts';

/** A simulation that has shown a fault of the program. It runs with the tests. */
export interface Regression {
  readonly job: Job;
  /** The fault, and what mended it. */
  readonly showed: string;
}

export const regressions: readonly Regression[] = [
  {
    job: { seed: 44 },
    showed:
      'A webhook whose events could not be read once kept its claim, and got nothing more. Such claims are given back.',
  },
  {
    job: {
      plan: {
        seed: 1021,
        size: 5,
        clients: 2,
        probes: 0,
        ms: 27_000,
        skews: [0, 0, 0, 0, 0],
        blows: [
          { at: 2_538, what: 'kill', replica: 4, ms: 3_700, committed: false },
          { at: 2_780, what: 'notifications', ms: 5_786 },
          { at: 6_015, what: 'weather', ms: 14_239, fate: 'stuck', share: 0.05 },
          { at: 16_380, what: 'weather', ms: 6_565, fate: 'lost before', share: 0.15 },
        ],
      },
    },
    showed:
      'A claim of webhooks that the database carried out long after its answer was given up was never given back. Claims are ' +
      'given back until no such statement can be under way.',
  },
  {
    job: { seed: 54, isBrief: true },
    showed:
      'A gateway that stopped while it took over a task ran its agent on the task that it had given up, and died of the error. Such a ' +
      'task is left to the replica that takes it over next.',
  },
  {
    job: { seed: 12 },
    showed:
      'The report of a delivery that the database carried out after a later one of the same claim set the position of its webhook back. ' +
      'A report changes nothing where the position is greater.',
  },
  {
    job: { seed: 1021, isBrief: true },
    showed:
      'The key of a cancellation was freed although its answer was stored: the store had not said so. A key with an answer stays.',
  },
  {
    job: {
      plan: {
        seed: 74,
        size: 1,
        clients: 1,
        probes: 2,
        ms: 1_000,
        skews: [0],
        blows: [{ at: 1_000, what: 'sent', replica: 0, ms: 200 }],
        agents: [{ name: 'wire-02', manners: ['ends early', 'no version'] }],
      },
    },
    showed:
      'Results of an agent of A2A 0.2 whose card names no version were stored twice after a restart, since the agent was read as one ' +
      'of 0.1 again. An answer about a task shows by its form that it is of a later version.',
  },
  {
    job: { seed: 40 },
    showed:
      'Messages that came for a working agent before it had named its task cut one another off, and nothing said so. Each one arrives, ' +
      'or the task names it.',
  },
  {
    job: {
      plan: {
        seed: 439,
        size: 4,
        clients: 2,
        probes: 0,
        ms: 4_500,
        skews: [0, 0, 0, 0],
        blows: [
          { at: 305, what: 'one way', replica: 3, from: 'hooks', ms: 700 },
          { at: 3_524, what: 'half open', replica: 3, from: 'hooks', ms: 11_176 },
          { at: 4_500, what: 'half open', replica: 3, from: 'clients', ms: 1_800 },
        ],
        agents: [],
      },
    },
    showed:
      'All gRPC calls over a connection whose other side was gone timed out, for up to 80 seconds, until a ping had no answer. The next ' +
      'call opens another connection, where one was given up and the connection had brought nothing since it began.',
  },
];
