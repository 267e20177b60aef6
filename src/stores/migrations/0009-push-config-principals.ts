import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** Index to count a principal's active webhooks before another one is added. */
export const pushConfigPrincipals: Migration = {
  number: 9,
  name: 'push configurations by principal',
  online: true,
  async up(db, { concurrently }) {
    await sql`drop index ${concurrently} if exists push_config_principal`.execute(db);
    // Without `active` in the index, SQLite would choose the index of all active configurations.
    await sql`create index ${concurrently} push_config_principal on push_config (principal, active) where active = 1`.execute(
      db,
    );
  },
};
