import { sql } from 'kysely';
import type { StoreTopics } from '../../core/ports/store-watch.ts';
import type { Database } from '../database.ts';
import type { SharedClock } from './clock.ts';
import { heartbeat } from './leases.ts';
import type { StoreWatch, WrittenTopic } from './store-watch.ts';

/** Milliseconds after its time within which a change may be stored. */
const lateness = 5_000;

export interface TopicsDeps {
  readonly database: Pick<Database, 'traits'>;
  readonly clock: Pick<SharedClock, 'now'>;
  readonly watch: StoreWatch;
}

/** The topics of the store itself. */
export function createTopics({ database: { traits }, clock, watch }: TopicsDeps) {
  const integer = (value: number) => sql`cast(${value} as ${traits.integer})`;
  const tasks = watch.topic(
    'tasks',
    () => sql`(
      select case when max(at) >= ${integer(clock.now() - lateness)} then ${integer(clock.now())} else max(at) end from (
        select max(updated_at) as at from task where owner is null
        union all select max(updated_at) as at from task where owner is not null) as latest)`,
    { isNotified: false, changesBySelf: true },
  );
  const agentModes = watch.topic(
    'agent modes',
    () => sql`(
      select count(*) || ' ' || coalesce(sum(changed_at), 0) || ' ' ||
        coalesce(sum(case mode when 'enabled' then 1 when 'draining' then 10000 else 100000000 end), 0)
      from agent_mode)`,
  );
  const replicas = watch.topic(
    'replicas',
    () => sql`(
      select count(*) || ' ' || coalesce(sum(started_at), 0) || ' ' ||
        coalesce(sum(case when heartbeat >= ${traits.now} - ${sql.lit(heartbeat.deadAfter)} then 1 else 0 end), 0)
      from gateway)`,
    { isNotified: false, changesBySelf: true },
  );
  return { tasks, agentModes, replicas } satisfies StoreTopics & { readonly agentModes: WrittenTopic };
}
