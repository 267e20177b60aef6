/** Decision of a rule about a call. */
export interface RuleDecision {
  /** Kind and name of the rule. */
  readonly rule: string;
  /** Outcome, in the term of the rule's kind. `shadow`: the rule is only counted. */
  readonly outcome: string;
  /** Outcome that a rule in shadow mode would have had. */
  readonly would?: string | undefined;
  readonly reason?: string | undefined;
  /** Part of the call that was judged: `request` or `answer`. Absent: the whole call. */
  readonly phase?: string | undefined;
}

/** Largest number of decisions that are listed for one call. */
const most = 8;

/** The decisions of rules about one call. Some rules decide after the call has ended. */
export class CallDecisions {
  readonly list: RuleDecision[] = [];
  /** Called after each decision. */
  onAdded: (() => void) | undefined = undefined;

  /** Adds a decision, unless the rule has already made an equal one about the call. */
  add(decision: RuleDecision): void {
    const { rule, outcome, phase } = decision;
    if (this.list.length >= most) return;
    if (this.list.some((one) => one.rule === rule && one.outcome === outcome && one.phase === phase)) return;
    this.list.push(decision);
    this.onAdded?.();
  }
}
