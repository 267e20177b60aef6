import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { GenerationSummary, GenerationUse, Sunset } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { pageSizeOf } from '../requests.ts';
import type { GenerationTotal, Use } from './model.ts';
import type { GenerationUses } from './store.ts';
import { type Ending, refuses } from './sunsets.ts';

const page = { fallback: 100, max: 1_000 } as const;

export interface GenerationHandlersDeps {
  /** Has every replica store what it has counted. */
  readonly ask: AskReplicas;
  readonly uses: GenerationUses;
  /** The ends of generations in the active configuration. */
  readonly endings: () => ReadonlyMap<string, Ending>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The operation that lists who speaks which generation. */
export function generationHandlers({
  ask,
  uses,
  endings,
  now,
}: GenerationHandlersDeps): AdminHandlers<'ListGenerations'> {
  return {
    async ListGenerations({ generation = '', principal = '', agent = '', pageSize, pageToken = '' }) {
      const size = pageSizeOf(pageSize, page);
      const { missing } = await ask('ListGenerations', {});
      const { items, nextPageToken } = await uses.list({ generation, principal, agent }, size, pageToken);
      const { totals, since, uncounted } = await uses.totals();
      return {
        value: {
          uses: items.map(useShown),
          nextPageToken,
          generations: summaries(totals, endings(), now()),
          ...(since !== undefined && { since: timestamp(since) }),
          uncountedCalls: uncounted,
          missingReplicas: [...missing],
        },
      };
    },
  };
}

const useShown = ({ firstAt, lastAt, lost, ...use }: Use): GenerationUse => ({
  ...use,
  firstAt: timestamp(firstAt),
  lastAt: timestamp(lastAt),
  lost: lost.map(({ lastAt: at, ...path }) => ({ ...path, lastAt: timestamp(at) })),
});

const sunsetShown = (ending: Ending, now: number): Sunset => ({
  since: timestamp(ending.since),
  on: timestamp(ending.on),
  mode: ending.mode,
  ...(ending.link !== undefined && { link: ending.link }),
  refuses: refuses(ending, now),
});

/** Generations that have callers or an end, by name. */
function summaries(
  totals: readonly GenerationTotal[],
  endings: ReadonlyMap<string, Ending>,
  now: number,
): GenerationSummary[] {
  const byName = new Map<string, GenerationSummary>();
  for (const { lastAt, ...total } of totals) byName.set(total.generation, { ...total, lastAt: timestamp(lastAt) });
  for (const [generation, ending] of endings) {
    byName.set(generation, { generation, ...byName.get(generation), sunset: sunsetShown(ending, now) });
  }
  return [...byName.values()].sort((one, other) => (one.generation < other.generation ? -1 : 1));
}
