import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** The webhooks of a principal that still count are counted before another one is added. */
export const pushConfigPrincipals: Migration = {
  number: 9,
  name: 'push configurations by principal',
  online: true,
  async up(db, { concurrently }) {
    await sql`drop index ${concurrently} if exists push_config_principal`.execute(db);
    // SQLite would take the index of all that are active, unless this one answers both conditions.
    await sql`create index ${concurrently} push_config_principal on push_config (principal, active) where active = 1`.execute(
      db,
    );
  },
};
