import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Traits } from '../database.ts';
import type { Tables } from '../schema.ts';

/**
 * One step of the schema. Released steps never change. Replicas of the previous version go on working during and after
 * a step: it adds tables, indexes and columns with defaults, and removes what the previous version does not use. It
 * must not block writers for long.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * Whether it runs outside of a transaction, as `create index concurrently` must. It may be interrupted anywhere and
   * is then run again: it first drops the index, which may exist and be invalid.
   */
  readonly online?: true;
  /** Runs inside a transaction that is rolled back when it rejects, unless it is `online`. */
  up(db: Kysely<Tables>, traits: Traits): Promise<void>;
}

/** Adds columns that are never null, for `$call`. */
export const required =
  <Name extends string>(type: RawBuilder<unknown>, ...names: Name[]) =>
  <Table extends string, Known extends string>(table: CreateTableBuilder<Table, Known>) =>
    names.reduce<CreateTableBuilder<Table, Known | Name>>(
      (all, name) => all.addColumn(name, type, (column) => column.notNull()),
      table,
    );

/** A step that adds columns of text to a table, which are null in the rows of earlier versions. */
export const withTexts = (number: number, name: string, table: keyof Tables, ...columns: string[]): Migration => ({
  number,
  name,
  async up({ schema }, { text }) {
    for (const column of columns) await schema.alterTable(table).addColumn(column, text).execute();
  },
});

/** A step that adds indexes, by their names, which are written as they are. */
export const withIndexes = (number: number, name: string, indexes: Record<string, RawBuilder<unknown>>): Migration => ({
  number,
  name,
  online: true,
  async up(db, { concurrently }) {
    for (const [index, definition] of Object.entries(indexes)) {
      await sql`drop index ${concurrently} if exists ${sql.raw(index)}`.execute(db);
      await sql`create index ${concurrently} ${sql.raw(index)} on ${definition}`.execute(db);
    }
  },
});
