import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';

/** Beginning of an event that is a message of the client. */
const messageStart = '{"message":';

/** Whether the JSON of an event is a message of the client, which does not count. */
export const isMessageText = (body: string): boolean => body.startsWith(messageStart);

/** Number of the client's messages in a task's log, up to a position. */
const messagesUpTo = (key: RawBuilder<unknown>, seq: RawBuilder<unknown>): RawBuilder<number> => sql<number>`(
  select count(*) from task_event counted where counted.key = ${key} and counted.seq <= ${seq}
    and substr(counted.body, 1, ${sql.lit(messageStart.length)}) = ${sql.lit(messageStart)})`;

/**
 * A task's generation after its last event. It is the position while there is no message of the client but the first,
 * which is within the first event; else the last event has it; where a version before schema 13 wrote that, it is counted.
 * Null where the snapshot ends before the last event, which the reader folds, and then has from its row.
 */
export const generationOfTask = (snapshotSeq: RawBuilder<number | null>): RawBuilder<number | null> => sql`
  case when task.turn_seq = 1 then task.seq when ${snapshotSeq} = task.seq then coalesce(
    (select latest.generation from task_event latest where latest.key = task.key and latest.seq = task.seq),
    task.seq - ${messagesUpTo(sql.ref('task.key'), sql.ref('task.seq'))}) end`;

/** Finds the generation of a task after an event that a version before schema 13 wrote. */
export function createGenerationCounter(database: Database): (key: string, seq: number) => Promise<number> {
  const count = database.prepare(sql<{ messages: number }>`
    select case when turn_seq = 1 then 0 else ${messagesUpTo(sql`${''}`, sql`${0}`)} end as messages
    from task where key = ${''}`);
  return async (key, seq) => {
    const [row] = await count(key, seq, key);
    return seq - (row?.messages ?? 0);
  };
}
