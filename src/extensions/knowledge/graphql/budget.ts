import { GraphQLError } from 'graphql';
import type { ReadBudget, Requester } from '../../../core/model/call.ts';
import type { Page, StoredStatement } from '../model/graph.ts';
import { countWork } from '../turns.ts';
import { queryError } from './errors.ts';
import type { GraphqlLimits } from './limits.ts';

/** Maximum of named sources. */
const maxSources = 100;

/** Characters of JSON that are written in the time of one value. */
const charactersPerValue = 200;

/**
 * The budget of a query, which counts the cost of its result during execution. A query beyond a limit throws a GraphQLError,
 * to which the executor adds the field.
 */
export class QueryBudget implements Requester {
  /** Counts the statements that the query reads. */
  readonly reservation: ReadBudget;
  readonly #limits: GraphqlLimits;
  readonly #memory: ReadBudget | undefined;
  /** Agents that provenances name. */
  readonly #sources = new Set<string>();
  #values = 0;
  #characters = 0;
  #bytes = 0;
  /** Statements in the result. */
  #count = 0;
  /** Whether a page has more. */
  #isTruncated = false;
  #hasPages = false;
  /** Lengths of JSON values, which are often the same object: that of a page which several fields share. */
  readonly #lengths = new WeakMap<object, number>();

  constructor(limits: GraphqlLimits, { reservation: memory }: Requester = {}) {
    this.#limits = limits;
    this.#memory = memory;
    this.reservation = {
      // A page ends before its statements have more, so that it can be written.
      largest: Math.min(limits.characters, memory?.largest ?? Number.POSITIVE_INFINITY) / 2,
      reserve: (more) => this.#reserve(more),
    };
  }

  /** Charges for values. */
  spend(more: number): void {
    this.#values += more;
    countWork(more);
    this.#check(this.#values, 'values');
  }

  /** Charges for the JSON of a member of an object; `value` is absent for objects and lists, whose own members count. */
  write(key: string, value?: unknown): void {
    const length = key.length + 4 + (value === undefined ? 2 : this.#lengthOf(value));
    this.#characters += length;
    countWork(length / charactersPerValue);
    this.#check(this.#characters, 'characters');
  }

  page({ hasMore }: Page<unknown>): void {
    this.#hasPages = true;
    this.#isTruncated ||= hasMore;
  }

  /** Charges for statements in the result. */
  statements(statements: readonly StoredStatement[]): void {
    this.#count += statements.length;
    for (const { provenance } of statements) {
      const source = provenance?.sourceAgentId;
      if (typeof source === 'string' && this.#sources.size < maxSources) this.#sources.add(source);
    }
  }

  /**
   * Reserves bytes before statements are read. Rejects when the result is too large, or there is no memory: with the
   * errors of calls, since the store calls it, for which any other error is one of the database.
   */
  async #reserve(more: number): Promise<void> {
    this.#bytes += more;
    if (this.#bytes > this.#limits.characters) throw queryError('query', [this.#overLimit('characters')]);
    await this.#memory?.reserve(this.#bytes + this.#characters);
  }

  /** Counts the result as far as it is. */
  countResult(): Promise<void> | undefined {
    return this.#memory?.reserve(this.#bytes + this.#characters);
  }

  /**
   * `count`: statements in the result; `truncated`: some pages have more; `sources`: agents named in provenances.
   * Absent for a result without pages.
   */
  facts(): Readonly<Record<string, unknown>> {
    const pages = { count: this.#count, truncated: this.#isTruncated };
    return {
      ...(this.#hasPages && pages),
      ...(this.#sources.size > 0 && { sources: [...this.#sources].sort() }),
    };
  }

  #overLimit(limit: 'values' | 'characters'): GraphQLError {
    const bound = `${this.#limits[limit]} ${limit}`;
    return new GraphQLError(`The answer has more than ${bound}: ask for less, or for smaller pages with \`first\``);
  }

  #check(amount: number, limit: 'values' | 'characters'): void {
    if (amount > this.#limits[limit]) throw this.#overLimit(limit);
  }

  #lengthOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
    const length = this.#lengths.get(value) ?? JSON.stringify(value).length;
    this.#lengths.set(value, length);
    return length;
  }
}
