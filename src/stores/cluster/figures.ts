import { sql } from 'kysely';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { ReplicaRecord, StoreFigures } from '../../core/ports/store.ts';
import { integerIn } from '../damaged-rows.ts';
import type { Database } from '../database.ts';
import type { GatewayTable } from '../schema.ts';
import { unescapeText } from '../text.ts';
import { heartbeat } from './leases.ts';

/** Largest number of push configurations that are counted: of those that failed, and of those that did not. */
const most = 1_000;

/**
 * Reads the store's gauges at a bounded cost: with more active push configurations than the maximum, those that failed
 * longest ago and some of the others are counted.
 */
export async function figuresOf({ sql: db, traits }: Database): Promise<StoreFigures> {
  const live = await sql<{ count: number }>`
    select count(*) as count from gateway
    where heartbeat >= ${traits.now} - ${sql.lit(heartbeat.deadAfter)}`.execute(db);
  const columns = sql`push_config."key" as "key", push_config.cursor as cursor, push_config.due_at as due_at`;
  const { rows } = await sql<{ pending: number; waiting: number | null; oldest: number | null }>`
    select count(*) as pending,
      sum(case when config.due_at > ${traits.now} then 1 else 0 end) as waiting,
      min(event.at) as oldest
    from (
      select * from (
        select ${columns} from push_config where active = 1 and due_at is not null
        order by due_at limit ${sql.lit(most)}
      ) as failed
      union all
      select * from (
        select ${columns} from push_config where active = 1 and due_at is null limit ${sql.lit(most)}
      ) as fresh
    ) as config
    inner join task on task."key" = config."key" and task.seq > config.cursor
    inner join task_event as event on event."key" = config."key" and event.seq = config.cursor + 1`.execute(db);
  const { pending, waiting, oldest } = rows[0] ?? { pending: 0, waiting: 0, oldest: null };
  return {
    replicas: Number(live.rows[0]?.count),
    push: {
      due: Number(pending) - Number(waiting ?? 0),
      waiting: Number(waiting ?? 0),
      oldest: oldest === null ? undefined : Number(oldest),
    },
  };
}

interface ReplicaRow extends Omit<GatewayTable, 'schema'> {
  readonly alive: number;
  readonly tasks: number;
}

/** The replicas that have a heartbeat in the database, this one first. @param instance this one's name */
export async function replicasOf(
  { sql: db, traits }: Database,
  instance: string,
  damaged: DamagedRows,
): Promise<ReplicaRecord[]> {
  const { rows } = await sql<ReplicaRow>`
    select instance, host, pid, started_at, heartbeat,
      case when heartbeat >= ${traits.now} - ${sql.lit(heartbeat.deadAfter)} then 1 else 0 end as alive,
      (select count(*) from task where task.owner = gateway.instance) as tasks
    from gateway
    order by case when instance = ${instance} then 0 else 1 end, started_at, instance`.execute(db);
  return rows.flatMap((row) => damaged.read('gateway', [row.instance], () => replicaOf(row, instance)) ?? []);
}

const replicaOf = (row: ReplicaRow, instance: string): ReplicaRecord => ({
  id: unescapeText(row.instance),
  host: unescapeText(row.host),
  pid: integerIn(row, 'pid'),
  startedAt: integerIn(row, 'started_at'),
  heartbeatAt: integerIn(row, 'heartbeat'),
  isAlive: Number(row.alive) === 1,
  isThis: row.instance === instance,
  tasks: Number(row.tasks),
});
