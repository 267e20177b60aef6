import { counter, type Family, type Labels } from '../../metrics/family.ts';
import type { GuardPhase } from './model.ts';

/** What came of a question. `failed`: the judge gave no valid verdict; `shadow`: it would have changed something, or asked. */
export type GuardOutcome = 'allowed' | 'asked' | 'blocked' | 'replaced' | 'failed' | 'shadow';

/** Verdicts of guards, and the time that they took. */
export class VerdictCounts {
  readonly #verdicts = new Map<string, number>();
  readonly #seconds = new Map<string, number>();

  add(guard: string, phase: GuardPhase, outcome: GuardOutcome): void {
    increase(this.#verdicts, { guard, phase, outcome }, 1);
  }

  /** Adds milliseconds that a judge took. */
  took(guard: string, phase: GuardPhase, ms: number): void {
    increase(this.#seconds, { guard, phase }, ms / 1_000);
  }

  families(): Family[] {
    return [
      counter(
        'guard_verdicts',
        'Verdicts of guards by outcome; failed: the judge gave none in time that is valid.',
        samplesOf(this.#verdicts),
      ),
      counter(
        'guard_seconds',
        'Time that the judges of guards took for their verdicts, in seconds.',
        samplesOf(this.#seconds),
      ),
    ];
  }
}

/** @param values by their labels in JSON */
function increase(values: Map<string, number>, labels: Labels, by: number): void {
  const key = JSON.stringify(labels);
  values.set(key, (values.get(key) ?? 0) + by);
}

const samplesOf = (values: ReadonlyMap<string, number>): [Labels, number][] =>
  Array.from(values, ([labels, value]) => [JSON.parse(labels), value]);
