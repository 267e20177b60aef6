/** Decision of a rule about a call. */
export interface RuleDecision {
  /** Kind and name of the rule. */
  readonly rule: string;
  /** Outcome, in the word that its kind has for it; `shadow`: the rule only counts. */
  readonly outcome: string;
  /** Outcome that a rule in shadow would have had. */
  readonly would?: string | undefined;
  readonly reason?: string | undefined;
  /** Part of the call that it is about: `request` or `answer`. Absent: the call. */
  readonly phase?: string | undefined;
}

/** Decisions that are listed of one call. */
const most = 8;

/** The decisions of rules about one call. Some are made after its end. */
export class CallDecisions {
  readonly list: RuleDecision[] = [];
  /** Called after each decision. */
  onAdded: (() => void) | undefined = undefined;

  /** Adds a decision, unless the rule has decided the same about the call before. */
  add(decision: RuleDecision): void {
    const { rule, outcome, phase } = decision;
    if (this.list.length >= most) return;
    if (this.list.some((one) => one.rule === rule && one.outcome === outcome && one.phase === phase)) return;
    this.list.push(decision);
    this.onAdded?.();
  }
}
