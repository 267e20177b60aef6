import type { RuleDecision } from '../../../gen/admin-v1/types.ts';

/** The outcome of a decision; of a rule in shadow the one that it would have had. */
export const outcomeOf = ({ outcome, would }: RuleDecision): string => (would ? `would have ${would}` : outcome);

/** The decisions about a call as one text. */
export const textOfDecisions = (decisions: readonly RuleDecision[]): string =>
  decisions.map((one) => `${one.rule} ${outcomeOf(one)}${one.reason ? ` (${one.reason})` : ''}`).join('; ');
