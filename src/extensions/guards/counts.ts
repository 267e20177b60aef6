import { counter, type Family, type Labels, withHistory } from '../../metrics/family.ts';
import { Tally } from '../../metrics/series.ts';
import type { GuardPhase } from './model.ts';

/**
 * Outcome of a question. `failed`: the judge gave no valid verdict; `shadow`: a guard in shadow would have asked or changed
 * something.
 */
export type GuardOutcome = 'allowed' | 'asked' | 'blocked' | 'replaced' | 'failed' | 'shadow';

/** Counts of verdicts, and the time that judges took, by their labels in JSON. */
export class VerdictCounts {
  readonly #verdicts = new Tally<string>();
  readonly #seconds = new Tally<string>();

  add(guard: string, phase: GuardPhase, outcome: GuardOutcome): void {
    this.#verdicts.add(JSON.stringify({ guard, phase, outcome }));
  }

  /** Adds the milliseconds that a judge took. */
  took(guard: string, phase: GuardPhase, ms: number): void {
    this.#seconds.add(JSON.stringify({ guard, phase }), ms / 1_000);
  }

  families(): Family[] {
    const text = 'Verdicts of guards by outcome; failed: the judge gave none in time that is valid.';
    const time = 'Time that the judges of guards took for their verdicts, in seconds.';
    return [
      withHistory(counter('guard_verdicts', text, samplesOf(this.#verdicts)), 'guard', 'outcome'),
      counter('guard_seconds', time, samplesOf(this.#seconds)),
    ];
  }
}

const samplesOf = (values: Tally<string>): [Labels, number][] =>
  Array.from(values, ([labels, value]) => [JSON.parse(labels), value]);
