import { sql } from 'kysely';
import type { Database } from '../../src/stores/database.ts';

/** Has a database refuse the rows of one caller in a table. */
export async function refuseRows(database: Database, table: string, principal: string): Promise<void> {
  const statement = database.traits.oneProcess
    ? `create trigger refuse_${table} before insert on ${table} when new.principal = '${principal}'
        begin select raise(abort, 'refused'); end`
    : `alter table ${table} add constraint refused check (principal <> '${principal}')`;
  await sql.raw(statement).execute(database.sql);
}
