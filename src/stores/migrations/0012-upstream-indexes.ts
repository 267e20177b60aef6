import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** Indexes to find tasks by their ids at upstream agents, and the latest tasks of a context. */
export const upstreamIndexes: Migration = {
  number: 12,
  name: 'indexes of upstream ids',
  online: true,
  async up(db, { concurrently }) {
    await sql`drop index ${concurrently} if exists task_upstream`.execute(db);
    // Only bridged tasks pay for it: agents choose their ids at random, so that each new one changes another page.
    await sql`
      create index ${concurrently} task_upstream on task (upstream_id, agent, tenant, principal)
      where upstream_id is not null`.execute(db);
    await sql`drop index ${concurrently} if exists task_of_context`.execute(db);
    await sql`
      create index ${concurrently} task_of_context on task (context_id, agent, tenant, principal, created_at)`.execute(
      db,
    );
    // The new index serves its queries.
    await sql`drop index ${concurrently} if exists task_in_context`.execute(db);
  },
};
