import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database, Prepared } from '../database.ts';
import type { Tables } from '../schema.ts';

/** What a query is asked with, by the names of its slots. */
export type Values = Readonly<Record<string, string | number | null | undefined>>;

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A place in a query where a value comes when it is asked. */
export const slot = (name: string): RawBuilder<unknown> => sql`${new Slot(name)}`;

/** The slot `limit`, as a sum: for a parameter alone SQLite plans the query anew each time. */
export const limit: RawBuilder<unknown> = sql`${slot('limit')} + 0`;

/** A query's text, and the names of its slots in the order in which its parameters stand. */
export function compileTemplate(
  query: RawBuilder<unknown>,
  db: Kysely<Tables>,
): { readonly compiled: CompiledQuery; readonly slots: readonly string[] } {
  const compiled = query.compile(db);
  return { compiled, slots: compiled.parameters.map((value) => (value as Slot).name) };
}

interface PreparedTemplate {
  readonly run: Prepared<unknown>;
  readonly slots: readonly string[];
}

/** Queries whose text depends on what is asked for, each written and prepared when it is needed for the first time. */
export class Templates {
  readonly #database: Database;
  readonly #prepared = new Map<string, PreparedTemplate>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * @param shape tells a text from all others
   * @param write the text; called for each shape once
   */
  async run<Row>(shape: string, write: () => RawBuilder<Row>, values: Values): Promise<Row[]> {
    const { run, slots } = this.#prepared.get(shape) ?? this.#prepare(shape, write());
    return (await run(...slots.map((name) => values[name] ?? null))) as Row[];
  }

  #prepare(shape: string, query: RawBuilder<unknown>): PreparedTemplate {
    const { compiled, slots } = compileTemplate(query, this.#database.sql);
    const made = { run: this.#database.prepare(compiled), slots };
    this.#prepared.set(shape, made);
    return made;
  }
}
