import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Prepared } from '../../../stores/database.ts';

/** Parameters of a query, by slot name. */
export type Values = Readonly<Record<string, string | number | null | undefined>>;

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Returns a named parameter of a query. */
export const slot = (name: string): RawBuilder<unknown> => sql`${new Slot(name)}`;

/** The slot `limit`, as a sum: SQLite would plan the query again for each value of a plain parameter. */
export const limit: RawBuilder<unknown> = sql`${slot('limit')} + 0`;

/** Compiles a query. `slots` lists the names of its parameters in order. */
export function compileTemplate(
  query: RawBuilder<unknown>,
  db: Database['sql'],
): { readonly compiled: CompiledQuery; readonly slots: readonly string[] } {
  const compiled = query.compile(db);
  return { compiled, slots: compiled.parameters.map((value) => (value as Slot).name) };
}

/**
 * Creates a runner for queries whose text depends on the request. Each text is compiled and prepared on first use.
 *
 * The runner takes the shape that identifies the text, and a function that builds the query and is called once per
 * shape.
 */
export function createTemplates(database: Database) {
  const prepared = new Map<string, { readonly run: Prepared<unknown>; readonly slots: readonly string[] }>();
  return async <Row>(shape: string, write: () => RawBuilder<Row>, values: Values): Promise<Row[]> => {
    let query = prepared.get(shape);
    if (!query) {
      const { compiled, slots } = compileTemplate(write(), database.sql);
      query = { run: database.prepare(compiled), slots };
      prepared.set(shape, query);
    }
    return (await query.run(...query.slots.map((name) => values[name] ?? null))) as Row[];
  };
}
