import { GraphQLError } from 'graphql';
import type { ReadBudget } from '../../../core/model/call.ts';
import type { Page, StoredStatement } from '../model/graph.ts';
import { countWork } from '../turns.ts';
import { queryError } from './errors.ts';
import type { GraphqlLimits } from './limits.ts';

/** Maximum of named sources. */
const maxSources = 100;

/** Characters of JSON that are written in the time of one value. */
const charactersPerValue = 200;

export type QueryBudget = ReturnType<typeof createQueryBudget>;

/**
 * Creates a budget, which counts the cost of a result during execution. What goes beyond a limit throws a GraphQLError,
 * to which the executor adds the field.
 */
export function createQueryBudget(limits: GraphqlLimits, memory?: ReadBudget) {
  const sources = new Set<string>();
  let [values, characters, bytes, count] = [0, 0, 0, 0];
  let [truncated, paged] = [false, false];
  /** JSON values are often the same object: that of a page which several fields share. */
  const lengths = new WeakMap<object, number>();

  const overLimit = (limit: 'values' | 'characters'): GraphQLError => {
    const bound = `${limits[limit]} ${limit}`;
    return new GraphQLError(`The answer has more than ${bound}: ask for less, or for smaller pages with \`first\``);
  };

  const check = (amount: number, limit: 'values' | 'characters'): void => {
    if (amount > limits[limit]) throw overLimit(limit);
  };

  const lengthOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
    const length = lengths.get(value) ?? JSON.stringify(value).length;
    lengths.set(value, length);
    return length;
  };

  return {
    /** Charges for values. */
    spend(more: number): void {
      values += more;
      countWork(more);
      check(values, 'values');
    },

    /** Charges for the JSON of a member of an object; `value` is absent for objects and lists, whose own members count. */
    write(key: string, value?: unknown): void {
      const length = key.length + 4 + (value === undefined ? 2 : lengthOf(value));
      characters += length;
      countWork(length / charactersPerValue);
      check(characters, 'characters');
    },

    page({ hasMore }: Page<unknown>): void {
      paged = true;
      truncated ||= hasMore;
    },

    /** Charges for statements in the result. */
    statements(statements: readonly StoredStatement[]): void {
      count += statements.length;
      for (const { provenance } of statements) {
        const source = provenance?.sourceAgentId;
        if (typeof source === 'string' && sources.size < maxSources) sources.add(source);
      }
    },

    /** Bytes of statements after which a page ends, so that it can be written. */
    largest: Math.min(limits.characters, memory?.largest ?? Number.POSITIVE_INFINITY) / 2,

    /**
     * Reserves bytes before statements are read. Rejects when the result is too large, or there is no memory: with the
     * errors of calls, since the store calls it, for which any other error is one of the database.
     */
    async reserve(more: number): Promise<void> {
      bytes += more;
      if (bytes > limits.characters) throw queryError('query', [overLimit('characters')]);
      await memory?.reserve(bytes + characters);
    },

    /** Reserves memory for the result as far as it is. */
    reserveResult: (): Promise<void> | undefined => memory?.reserve(bytes + characters),

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
