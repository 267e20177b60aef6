import { type Kysely, sql } from 'kysely';
import type { Traits } from '../../../stores/database.ts';
import { type Migration, required } from '../../../stores/migrations/step.ts';
import type { Tables } from '../../../stores/schema.ts';
import { bounds } from '../model.ts';

const countColumns = ['calls', 'failed', 'refused', 'tasks_ended', 'tasks_failed', 'left_out'] as const;
/** Columns of the buckets, one more than there are bounds. Null counts as 0. */
const bucketColumns = [...bounds, Number.POSITIVE_INFINITY].map((_, at) => `b${at}`);
/** Columns for the values of `Numbers`, in their order. */
export const valueColumns: readonly string[] = [...countColumns, ...bucketColumns];

/**
 * Replicas with the times of what they stored, failed and slow calls, numbers of minutes, and callers whose oldest calls were deleted
 * since there were too many of them.
 */
export const keptCalls: Migration = {
  number: 40,
  name: 'calls and their numbers',
  async up(db, traits) {
    await createCallTables(db, traits);
    await createNumberTables(db, traits);
  },
};

async function createCallTables({ schema }: Kysely<Tables>, { text, integer, clustered }: Traits): Promise<void> {
  await schema
    .createTable('call_instance')
    .$call(required(text, 'instance', 'replica'))
    .$call(required(integer, 'began_at', 'stored_at'))
    .addColumn('ended_at', integer)
    .addPrimaryKeyConstraint('call_instance_pkey', ['instance'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createTable('kept_call')
    .$call(required(integer, 'at'))
    .$call(required(text, 'id', 'principal', 'agent', 'operation', 'dialect', 'binding', 'error', 'body'))
    .$call(required(integer, 'refused'))
    .addPrimaryKeyConstraint('kept_call_pkey', ['at', 'id'])
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('kept_call_principal').on('kept_call').columns(['principal', 'at', 'id']).execute();
}

async function createNumberTables(db: Kysely<Tables>, { text, integer, clustered }: Traits): Promise<void> {
  const numbers = db.schema
    .createTable('call_numbers')
    .$call(required(integer, 'minute'))
    .$call(required(text, 'instance', 'agent', 'principal', 'dialect'))
    .$call(required(integer, ...countColumns));
  await bucketColumns
    .reduce((table, name) => table.addColumn(name as 'b0', integer), numbers as typeof numbers)
    .addPrimaryKeyConstraint('call_numbers_pkey', [
      ...(['minute', 'instance', 'agent', 'principal', 'dialect'] as const),
    ])
    .modifyEnd(clustered)
    .execute();
  await sql`create index call_numbers_left_out on call_numbers (minute) where left_out > 0`.execute(db);
  await db.schema
    .createTable('call_trim')
    .$call(required(text, 'principal'))
    .$call(required(integer, 'at', 'count'))
    .addPrimaryKeyConstraint('call_trim_pkey', ['principal'])
    .modifyEnd(clustered)
    .execute();
}

export const tables = ['kept_call', 'call_numbers', 'call_instance', 'call_trim'] as const;
