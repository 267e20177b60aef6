import { GraphQLError } from 'graphql';
import type { ReadBudget, Requester } from '../../../core/model/call.ts';
import type { Page, StoredStatement } from '../model/graph.ts';
import { countWork } from '../turns.ts';
import { queryError } from './errors.ts';
import type { GraphqlLimits } from './limits.ts';

/** Maximum number of agents in `sources`. */
const maxSources = 100;

/** Characters of JSON that take as long to write as one value. */
const charactersPerValue = 200;

/**
 * The budget of a query. Counts the cost of the result during execution, and throws a GraphQLError beyond a limit. The
 * executor adds the field to the error.
 */
export class QueryBudget implements Requester {
  /** Reserves memory for the statements that the query reads. */
  readonly reservation: ReadBudget;
  readonly #limits: GraphqlLimits;
  readonly #memory: ReadBudget | undefined;
  /** Agents named in provenances. */
  readonly #sources = new Set<string>();
  #values = 0;
  #characters = 0;
  #bytes = 0;
  /** Number of statements in the result. */
  #count = 0;
  /** Whether a page was cut off. */
  #isTruncated = false;
  #hasPages = false;
  /** Lengths of JSON values. Several fields often share one value, such as a page. */
  readonly #lengths = new WeakMap<object, number>();

  constructor(limits: GraphqlLimits, { reservation: memory }: Requester = {}) {
    this.#limits = limits;
    this.#memory = memory;
    this.reservation = {
      // A page ends at half the limit, so that its JSON can be written within the limit.
      largest: Math.min(limits.characters, memory?.largest ?? Number.POSITIVE_INFINITY) / 2,
      reserve: (more) => this.#reserve(more),
    };
  }

  /** Charges for a number of values. */
  spend(more: number): void {
    this.#values += more;
    countWork(more);
    this.#check(this.#values, 'values');
  }

  /**
   * Charges for the JSON of a member of an object. `value` is absent for objects and lists, whose members are charged
   * separately.
   */
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

  /** Counts statements of the result and collects their sources. */
  statements(statements: readonly StoredStatement[]): void {
    this.#count += statements.length;
    for (const { provenance } of statements) {
      const source = provenance?.sourceAgentId;
      if (typeof source === 'string' && this.#sources.size < maxSources) this.#sources.add(source);
    }
  }

  /**
   * Reserves bytes before statements are read. The store calls this, and treats any error that is not an A2AError as a
   * database error.
   *
   * @throws A2AError if the result is too large, or there is not enough memory
   */
  async #reserve(more: number): Promise<void> {
    this.#bytes += more;
    if (this.#bytes > this.#limits.characters) throw queryError('query', [this.#overLimit('characters')]);
    await this.#memory?.reserve(this.#bytes + this.#characters);
  }

  /** Reserves memory for the result so far. */
  countResult(): Promise<void> | undefined {
    return this.#memory?.reserve(this.#bytes + this.#characters);
  }

  /**
   * Returns the result's metadata. `count`: number of statements; `truncated`: whether a page was cut off; `sources`:
   * agents named in provenances. A result without pages has no `count` and `truncated`; without such agents, no
   * `sources`.
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
    return new GraphQLError(
      `The response has more than ${bound}: select fewer fields, or use smaller pages (\`first\`)`,
    );
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
