import { GraphQLError } from 'graphql';
import type { Page, StoredStatement } from '../../core/model/knowledge.ts';
import type { ReadBudget } from '../../core/model/memory.ts';
import type { GraphqlLimits } from './limits.ts';

/** Maximum of named sources. */
const maxSources = 100;

/** Tracks the cost of a result during execution, and aborts when it is too large. */
export class QueryBudget implements ReadBudget {
  readonly #limits: GraphqlLimits;
  readonly #room: ReadBudget | undefined;
  readonly #end = new AbortController();
  #values = 0;
  #characters = 0;
  /** Bytes read. */
  #bytes = 0;
  #statements = 0;
  #truncated = false;
  #paged = false;
  readonly #sources = new Set<string>();

  constructor(limits: GraphqlLimits, room?: ReadBudget) {
    this.#limits = limits;
    this.#room = room;
  }

  /** Aborts with a GraphQLError when the result is too large. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Charges for values. */
  spend(values: number): void {
    this.#values += values;
    if (this.#values > this.#limits.values) this.#tooLarge(`${this.#limits.values} values`);
  }

  /** Charges for a page. */
  page({ items, hasMore }: Page<unknown>): void {
    this.#paged = true;
    this.#truncated ||= hasMore;
    this.spend(items.length);
  }

  /** Reserves bytes before statements are read. Rejects when the result is too large, or there is no memory. */
  async reserve(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.characters) {
      this.#tooLarge(`${this.#limits.characters} characters`);
      this.#end.signal.throwIfAborted();
    }
    await this.#room?.reserve(this.#bytes);
  }

  /** Charges for statements in the result. */
  statements(statements: readonly StoredStatement[]): void {
    this.#statements += statements.length;
    for (const { subject, predicate, object, provenance } of statements) {
      this.#characters += subject.id.length + predicate.id.length + (object.id ?? String(object.value)).length;
      if (provenance) this.#characters += JSON.stringify(provenance).length;
      const source = provenance?.sourceAgentId;
      if (typeof source === 'string' && this.#sources.size < maxSources) this.#sources.add(source);
    }
    if (this.#characters > this.#limits.characters) this.#tooLarge(`${this.#limits.characters} characters`);
  }

  /**
   * `count`: statements in the result; `truncated`: some pages have more; `sources`: agents named in provenances.
   * Absent for a result without pages.
   */
  facts(): Readonly<Record<string, unknown>> {
    return {
      ...(this.#paged && { count: this.#statements, truncated: this.#truncated }),
      ...(this.#sources.size > 0 && { sources: [...this.#sources].sort() }),
    };
  }

  #tooLarge(bound: string): void {
    const what = `The answer has more than ${bound}: ask for less, or for smaller pages with \`first\``;
    this.#end.abort(new GraphQLError(what));
  }
}
