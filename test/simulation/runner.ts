import type { Plan, PlanOptions } from './plan.ts';
import { install } from './world/install.ts';

/** A simulation to run: of a seed, or of a plan as it is. */
export type Job = PlanOptions & ({ readonly seed: number } | { readonly plan: Plan });

export interface RunOptions {
  /** Looks for a smaller plan where an invariant is violated. */
  readonly shrinks?: boolean;
  /** Gets each line of the trace. */
  readonly onTrace?: (line: string) => void;
}

/** Result of a simulation. */
export interface Result {
  readonly seed: number;
  readonly violations: number;
  /** Virtual milliseconds. */
  readonly ms: number;
  /** Digest of the trace, in hexadecimal. */
  readonly digest: string;
  /** Number of blows of each kind that have changed something. */
  readonly struck: Readonly<Record<string, number>>;
  /** Violations, for people. Empty: none. */
  readonly text: string;
}

/** Runs simulations in this process, whose time and chance become virtual. It cannot go back. */
export async function openRunner(): Promise<(job: Job, options?: RunOptions) => Promise<Result>> {
  const installed = install();
  // The program is loaded when time and chance are virtual.
  const { simulate } = await import('./simulate.ts');
  const { planOf } = await import('./plan.ts');
  const { report, reportShrunk } = await import('./report.ts');
  const { shrink } = await import('./shrink.ts');
  // Loads what the program loads when it is first needed: that takes real time, which no trace may depend on.
  await simulate({ ...planOf(0), ms: 5_000, blows: [] }, { installed });
  return async (job, { shrinks = false, onTrace } = {}) => {
    const plan = 'plan' in job ? job.plan : planOf(job.seed, job);
    const outcome = await simulate(plan, { installed, ...(onTrace && { onTrace }) });
    const { violations, ms, digest, struck } = outcome;
    const result = { seed: plan.seed, violations: violations.length, ms, digest, struck };
    if (violations.length === 0) return { ...result, text: '' };
    const texts = [report(plan, outcome)];
    if (shrinks) {
      const checks = new Set(violations.map(({ check }) => check));
      const found = await shrink(plan, async (smaller) => {
        const { violations } = await simulate(smaller, { installed });
        return violations.some(({ check }) => checks.has(check));
      });
      texts.push(reportShrunk(plan, found));
    }
    return { ...result, text: texts.join('\n') };
  };
}
