import { A2AError } from '../../core/model/errors.ts';
import type { LimitsConfig } from '../../gen/settings.ts';
import type { TreeBudget } from './budgets.ts';

export type RootLimits = LimitsConfig['root'];

type Bound = 'calls' | 'depth' | 'time' | 'bytes' | 'cost';

/** Returns the bound that is exhausted, apart from calls. */
export function endOf({ endsAt, bytes, cost }: TreeBudget, now: number): Bound | undefined {
  if (endsAt !== undefined && endsAt <= now) return 'time';
  if (bytes !== undefined && bytes <= 0) return 'bytes';
  return cost !== undefined && cost <= 0 ? 'cost' : undefined;
}

const words: Readonly<Record<Bound, string>> = {
  calls: 'has made as many calls of agents as it may',
  depth: 'has as many agents that call one another as it may',
  time: 'has taken as long as it may',
  bytes: 'has written as many bytes as it may',
  cost: 'has cost as much as it may',
};

/** Returns the error for a call in a tree whose bound is used up. */
export function usedUp(bound: Bound, { [bound]: limit }: RootLimits, root: string): A2AError {
  const own = limit === undefined ? 'a limit of the gateway where it began' : `limits.root.${bound}: ${limit}`;
  return new A2AError('invalidRequest', `The tree of calls ${words[bound]} (${own}, root ${root})`, {
    metadata: { limit: `limits.root.${bound}`, root },
  });
}
