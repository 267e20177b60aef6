import { GraphQLError } from 'graphql';
import type { Page, StoredStatement } from '../../core/model/knowledge.ts';
import type { ReadBudget } from '../../core/model/memory.ts';
import type { GraphqlLimits } from './limits.ts';

/** Sources that are named. */
const maxSources = 100;

/** Keeps account of an answer while it comes together, and ends it when it becomes too large. */
export class QueryBudget implements ReadBudget {
  readonly #limits: GraphqlLimits;
  readonly #room: ReadBudget | undefined;
  readonly #end = new AbortController();
  #values = 0;
  #characters = 0;
  /** Of what has been read, as far as its reader says. */
  #bytes = 0;
  #statements = 0;
  #truncated = false;
  #paged = false;
  readonly #sources = new Set<string>();

  constructor(limits: GraphqlLimits, room?: ReadBudget) {
    this.#limits = limits;
    this.#room = room;
  }

  /** Aborts when the answer has become too large, with a GraphQLError that says so. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Values have been found, or looked for. */
  spend(values: number): void {
    this.#values += values;
    if (this.#values > this.#limits.values) this.#tooLarge(`${this.#limits.values} values`);
  }

  /** A page was looked at. */
  page({ items, hasMore }: Page<unknown>): void {
    this.#paged = true;
    this.#truncated ||= hasMore;
    this.spend(items.length);
  }

  /**
   * Called before statements with so many bytes are read. Rejects when the answer becomes too large, or there is no room.
   */
  async reserve(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.characters) {
      this.#tooLarge(`${this.#limits.characters} characters`);
      this.#end.signal.throwIfAborted();
    }
    await this.#room?.reserve(this.#bytes);
  }

  /** Statements go into the answer. */
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
   * `count`: statements in the answer; `truncated`: some pages have more; `sources`: agents that the statements name. An
   * answer without pages, a total alone say, has none of them.
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
