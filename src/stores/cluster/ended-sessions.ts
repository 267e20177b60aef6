import { sql } from 'kysely';
import { textIn } from '../damaged-rows.ts';
import type { StoreHost } from '../extensions.ts';
import { type Migration, required } from '../migrations/step.ts';

/**
 * Sessions of the console that ended early. `ends_at` is the time at which the session would have ended, after which the row is
 * deleted.
 */
const endedSessions: Migration = {
  number: 30,
  name: 'ended sessions',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('ended_session')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .$call(required(integer, 'ends_at'))
      .modifyEnd(clustered)
      .execute();
  },
};

/** Milliseconds for which a row stays after its session's end, since clocks of replicas may differ. */
const margin = 3_600_000;

/** The part of the store for sessions of the console that have ended (`Store.extend`). Empty before the first sign-out. */
export async function openEndedSessions({ rows, migrate, damaged }: StoreHost) {
  await migrate('the sessions of the console', [endedSessions]);
  return {
    async list(): Promise<readonly string[]> {
      const found = await rows(sql<{ id: string }>`select id from ended_session`);
      return found.flatMap((row) => damaged.read('ended_session', [row.id], () => textIn(row, 'id')) ?? []);
    },
    /** @param end time when the session would have ended: milliseconds since the epoch */
    async add(id: string, end: number): Promise<void> {
      await rows(sql`insert into ended_session (id, ends_at) values (${id}, ${end}) on conflict do nothing`);
      await rows(sql`delete from ended_session where ends_at < ${Date.now() - margin}`);
    },
  };
}
