import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';

/** Beginning of the JSON of an event that is a message of the client. */
const messageStart = '{"message":';

/** Whether the JSON of an event is a message of the client. Such events do not increase the generation. */
export const isMessageText = (body: string): boolean => body.startsWith(messageStart);

/** Number of the client's messages in a task's log, up to a position. */
const messagesUpTo = (key: RawBuilder<unknown>, seq: RawBuilder<unknown>): RawBuilder<number> => sql<number>`(
  select count(*) from task_event counted where counted.key = ${key} and counted.seq <= ${seq}
    and substr(counted.body, 1, ${sql.lit(messageStart.length)}) = ${sql.lit(messageStart)})`;

/**
 * A task's generation after its last event. It equals the position while the only message of the client is the one in the first
 * event. Otherwise the last event has it, or it is counted if a version before schema 13 wrote that event. Null if the snapshot
 * ends before the last event: the reader folds that event, and finds the generation in its row.
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
