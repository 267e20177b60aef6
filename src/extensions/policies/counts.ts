import { counter, type Family, withHistory } from '../../metrics/family.ts';

/** Outcome of a policy. `shadow`: a policy in shadow would have refused or asked. */
export type PolicyOutcome = 'refused' | 'allowed' | 'asked' | 'shadow';

/** Counts of decisions by the names of policies. `failed`: decisions of policies that could not be evaluated. */
export class DecisionCounts {
  readonly #byPolicy = new Map<string, Record<PolicyOutcome | 'failed', number>>();

  add(policy: string, outcome: PolicyOutcome | 'failed'): void {
    const counts = this.#byPolicy.get(policy) ?? { refused: 0, allowed: 0, asked: 0, shadow: 0, failed: 0 };
    this.#byPolicy.set(policy, counts);
    counts[outcome] += 1;
  }

  family(): Family {
    const text = 'Decisions of policies by outcome; failed: those because the policy could not be evaluated.';
    const values = [...this.#byPolicy].flatMap(([policy, outcomes]) =>
      Object.entries(outcomes).map(([outcome, count]) => [{ policy, outcome }, count] as const),
    );
    return withHistory(counter('policy_decisions', text, values), 'policy', 'outcome');
  }
}
