import { GraphQLError } from 'graphql';
import type { ReadBudget } from '../../core/model/call.ts';
import type { Page, StoredStatement } from '../../core/model/knowledge.ts';
import type { GraphqlLimits } from './limits.ts';

/** Maximum of named sources. */
const maxSources = 100;

export type QueryBudget = ReturnType<typeof createQueryBudget>;

/** Creates a budget, which tracks the cost of a result during execution and aborts when it is too large. */
export function createQueryBudget(limits: GraphqlLimits, memory?: ReadBudget) {
  const end = new AbortController();
  const signal: AbortSignal = end.signal;
  const sources = new Set<string>();
  let [values, characters, bytes, count] = [0, 0, 0, 0];
  let [truncated, paged] = [false, false];

  const check = (amount: number, limit: 'values' | 'characters'): void => {
    if (amount <= limits[limit]) return;
    const bound = `${limits[limit]} ${limit}`;
    end.abort(new GraphQLError(`The answer has more than ${bound}: ask for less, or for smaller pages with \`first\``));
  };

  /** Charges for values. */
  const spend = (more: number): void => {
    values += more;
    check(values, 'values');
  };

  return {
    /** Aborts with a GraphQLError when the result is too large. */
    signal,
    spend,

    /** Charges for a page. */
    page({ items, hasMore }: Page<unknown>): void {
      paged = true;
      truncated ||= hasMore;
      spend(items.length);
    },

    /** Reserves bytes before statements are read. Rejects when the result is too large, or there is no memory. */
    async reserve(more: number): Promise<void> {
      bytes += more;
      check(bytes, 'characters');
      if (bytes > limits.characters) signal.throwIfAborted();
      await memory?.reserve(bytes);
    },

    /** Charges for statements in the result. */
    statements(statements: readonly StoredStatement[]): void {
      count += statements.length;
      for (const { subject, predicate, object, provenance } of statements) {
        characters += subject.id.length + predicate.id.length + (object.id ?? String(object.value)).length;
        if (provenance) characters += JSON.stringify(provenance).length;
        const source = provenance?.sourceAgentId;
        if (typeof source === 'string' && sources.size < maxSources) sources.add(source);
      }
      check(characters, 'characters');
    },

    /**
     * `count`: statements in the result; `truncated`: some pages have more; `sources`: agents named in provenances.
     * Absent for a result without pages.
     */
    facts: (): Readonly<Record<string, unknown>> => ({
      ...(paged && { count, truncated }),
      ...(sources.size > 0 && { sources: [...sources].sort() }),
    }),
  };
}
