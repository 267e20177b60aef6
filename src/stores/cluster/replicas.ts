import { sql } from 'kysely';
import type { ReplicaRecord } from '../../core/ports/store.ts';
import type { Database } from '../database.ts';
import { unescapeText } from '../text.ts';
import { heartbeat } from './leases.ts';

interface ReplicaRow {
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: number;
  readonly heartbeat: number;
  readonly alive: number;
  readonly tasks: number;
}

/** The replicas that have a heartbeat in the database, this one first. @param instance this one's name */
export async function replicasOf({ sql: db, traits }: Database, instance: string): Promise<ReplicaRecord[]> {
  const { rows } = await sql<ReplicaRow>`
    select instance, host, pid, started_at, heartbeat,
      case when heartbeat >= ${traits.now} - ${sql.lit(heartbeat.deadAfter)} then 1 else 0 end as alive,
      (select count(*) from task where task.owner = gateway.instance) as tasks
    from gateway
    order by case when instance = ${instance} then 0 else 1 end, started_at, instance`.execute(db);
  return rows.map((row) => ({
    id: unescapeText(row.instance),
    host: unescapeText(row.host),
    pid: Number(row.pid),
    startedAt: Number(row.started_at),
    heartbeatAt: Number(row.heartbeat),
    isAlive: Number(row.alive) === 1,
    isThis: row.instance === instance,
    tasks: Number(row.tasks),
  }));
}
