import { sql } from 'kysely';
import type { Migration } from './step.ts';

/**
 * Tables for replicas that share a database. Questions and rate limits are worthless after a crash of the server, so
 * these tables are unlogged: not in the WAL, nor in backups made from it.
 */
export const peers: Migration = {
  number: 6,
  name: 'peers',
  async up({ schema }, { text, integer, oneProcess }) {
    if (oneProcess) return;
    await schema
      .createTable('question')
      .modifyFront(sql`unlogged`)
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('addressee', text, (column) => column.notNull())
      .addColumn('asker', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addColumn('answer', text)
      .addColumn('created_at', integer, (column) => column.notNull())
      .addColumn('taken_at', integer)
      .execute();
    await schema
      .createIndex('question_open')
      .on('question')
      .columns(['addressee', 'created_at'])
      .where(sql.ref('taken_at'), 'is', null)
      .execute();
    await schema
      .createTable('named_lease')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('until', integer, (column) => column.notNull())
      .execute();
    const fraction = sql`double precision`;
    // Without a second index, so that a reservation updates its row in place.
    await schema
      .createTable('request_share')
      .modifyFront(sql`unlogged`)
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('regained', fraction, (column) => column.notNull())
      .addColumn('each', fraction, (column) => column.notNull())
      .addColumn('granted', integer, (column) => column.notNull())
      .addColumn('at', fraction, (column) => column.notNull())
      .execute();
  },
};
