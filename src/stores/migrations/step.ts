import type { Kysely } from 'kysely';
import type { Traits } from '../database.ts';
import type { Tables } from '../schema.ts';

/**
 * One step of the schema. Steps that were released are never changed. Gateways of the version before go on with what
 * they do while a step runs and after it: it adds tables, columns that may be left out, and indexes, and takes away
 * what the version before does not use any more. It must not hold up writers for long.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * Whether programs that do not know this step cannot work with what it leaves behind: they refuse to start from then
   * on, and it is not done while any gateway is at work.
   */
  readonly breaking?: true;
  /**
   * Whether it runs outside of any transaction, as an index of a large table does that is made `concurrently`. It may
   * be cut off anywhere and is begun anew then: it first drops the index, which may be there and of no use.
   */
  readonly online?: true;
  /** Runs inside a transaction that is rolled back when it rejects, unless it is `online`. */
  up(db: Kysely<Tables>, traits: Traits): Promise<void>;
}
