import { sql } from 'kysely';
import { type Migration, required } from './step.ts';

/**
 * Tables for replicas that share a database. Questions and rate limits are worthless after a crash of the server, so
 * these tables are unlogged: not in the WAL, nor in backups made from it.
 */
export const peers: Migration = {
  number: 6,
  name: 'peers',
  async up({ schema }, { text, integer, oneProcess }) {
    if (oneProcess) return;
    // A call that one replica (`asker`) forwards to another (`addressee`). `key` is the task's; `body` is '' once it is
    // answered; `taken_at` is when the addressee claimed it.
    await schema
      .createTable('question')
      .modifyFront(sql`unlogged`)
      .addColumn('id', text, (column) => column.primaryKey())
      .$call(required(text, 'addressee', 'asker', 'key', 'body'))
      .addColumn('answer', text)
      .$call(required(integer, 'created_at'))
      .addColumn('taken_at', integer)
      .execute();
    await schema
      .createIndex('question_open')
      .on('question')
      .columns(['addressee', 'created_at'])
      .where(sql.ref('taken_at'), 'is', null)
      .execute();
    // Jobs that one replica at a time does. A lease is free when its owner is not in `gateway`.
    await schema
      .createTable('named_lease')
      .addColumn('name', text, (column) => column.primaryKey())
      .$call(required(text, 'owner'))
      .$call(required(integer, 'until'))
      .execute();
    const fraction = sql`double precision`;
    // Token buckets of the request limits: when each will be full again, milliseconds per request, and the requests
    // granted to the last reservation. Without a second index, so that a reservation updates its row in place.
    await schema
      .createTable('request_share')
      .modifyFront(sql`unlogged`)
      .addColumn('key', text, (column) => column.primaryKey())
      .$call(required(fraction, 'regained', 'each'))
      .$call(required(integer, 'granted'))
      .$call(required(fraction, 'at'))
      .execute();
  },
};
