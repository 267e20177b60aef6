import { counter, type Family } from '../../metrics/family.ts';
import type { GuardPhase } from './model.ts';

/** What came of a question. `failed`: the judge gave no valid verdict; `shadow`: it would have changed something. */
export type GuardOutcome = 'allowed' | 'blocked' | 'replaced' | 'failed' | 'shadow';

interface Counted {
  readonly guard: string;
  readonly phase: GuardPhase;
  readonly outcomes: Record<GuardOutcome, number>;
  seconds: number;
}

/** Verdicts of guards, and the time that they took, by the guards' names. */
export class VerdictCounts {
  readonly #counted = new Map<string, Counted>();

  add(guard: string, phase: GuardPhase, outcome: GuardOutcome): void {
    this.#of(guard, phase).outcomes[outcome] += 1;
  }

  /** Adds milliseconds that a judge took. */
  took(guard: string, phase: GuardPhase, ms: number): void {
    this.#of(guard, phase).seconds += ms / 1_000;
  }

  families(): Family[] {
    const all = [...this.#counted.values()];
    return [
      counter(
        'guard_verdicts',
        'Verdicts of guards by outcome; failed: the judge gave none in time that is valid.',
        all.flatMap(({ guard, phase, outcomes }) =>
          Object.entries(outcomes).map(([outcome, count]) => [{ guard, phase, outcome }, count] as const),
        ),
      ),
      counter(
        'guard_seconds',
        'Time that the judges of guards took for their verdicts, in seconds.',
        all.map(({ guard, phase, seconds }) => [{ guard, phase }, seconds] as const),
      ),
    ];
  }

  #of(guard: string, phase: GuardPhase): Counted {
    const key = `${phase} ${guard}`;
    let counted = this.#counted.get(key);
    if (!counted) {
      counted = {
        guard,
        phase,
        outcomes: { allowed: 0, blocked: 0, replaced: 0, failed: 0, shadow: 0 },
        seconds: 0,
      };
      this.#counted.set(key, counted);
    }
    return counted;
  }
}
