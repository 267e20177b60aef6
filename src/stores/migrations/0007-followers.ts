import { sql } from 'kysely';
import { type Migration, required } from './step.ts';

/**
 * Followers of tasks: which replica follows which tasks of other owners. A follower is deleted with its gateway. The
 * table is unlogged: replicas follow again when they reconnect after a crash.
 */
export const followers: Migration = {
  number: 7,
  name: 'followers',
  async up({ schema }, { text, integer, oneProcess }) {
    if (oneProcess) return;
    await schema
      .alterTable('task')
      .addColumn('followed', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable('follower')
      .modifyFront(sql`unlogged`)
      .$call(required(text, 'key'))
      .addColumn('instance', text, (column) => column.notNull().references('gateway.instance').onDelete('cascade'))
      .addPrimaryKeyConstraint('follower_key', ['key', 'instance'])
      .execute();
    await schema.createIndex('follower_of').on('follower').column('instance').execute();
  },
};
