import { sql as raw } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TaskState } from '../../../src/core/model/a2a.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import type { Database } from '../../../src/stores/database.ts';
import { alice, TaskWriter } from '../../contract/store-fixtures.ts';
import { emptyDatabases, openStoreOn } from '../../contract/store-kinds.ts';
import { sharedPostgres } from '../../support/postgres.ts';

/** Tests of the rows with a task's ids at its upstream agent, also next to versions without the columns. */

beforeAll(sharedPostgres);

describe.each(Object.entries(emptyDatabases))('ids at upstream agents on %s', (name, open) => {
  let database: Database;
  let store: Store;
  beforeEach(async () => {
    ({ database, store } = await openStoreOn(open()));
  });

  async function bound(state: TaskState): Promise<TaskWriter> {
    const writer = new TaskWriter();
    const { id } = writer;
    await store.append({ ...writer.create(state), upstream: { id: `t-${id}`, contextId: `c-${id}` } });
    return writer;
  }

  const rowsOf = async (table: 'upstream_task' | 'upstream_context', id: string): Promise<number> => {
    const { rows } = await raw<{ n: number }>`
      select count(*) as n from ${raw.table(table)} where context_id = ${`c-${id}`}`.execute(database.sql);
    return Number(rows[0]?.n);
  };

  it(`ids at upstream agents on ${name} have rows of their own only where the task is not over`, async () => {
    for (const [state, rows] of [
      ['TASK_STATE_COMPLETED', 0],
      ['TASK_STATE_FAILED', 0],
      ['TASK_STATE_WORKING', 1],
      ['TASK_STATE_INPUT_REQUIRED', 1],
    ] as const) {
      const { id, key } = await bound(state);
      expect([state, await rowsOf('upstream_task', id), await rowsOf('upstream_context', id)]).toEqual([
        state,
        rows,
        rows,
      ]);
      expect(await store.upstreamOf(key)).toEqual({ id: `t-${id}`, contextId: `c-${id}` });
    }
  });

  it(`ids at upstream agents on ${name} have them, too, while a version that reads nothing else is running`, async () => {
    const heartbeat = Date.now() + 60_000;
    await raw`
      insert into gateway (instance, host, pid, started_at, heartbeat)
      values ('former', 'host', 1, ${heartbeat}, ${heartbeat})`.execute(database.sql);
    // Reads which replicas there are.
    await store.claimOrphans(1);
    const beside = await bound('TASK_STATE_COMPLETED');
    expect([await rowsOf('upstream_task', beside.id), await rowsOf('upstream_context', beside.id)]).toEqual([1, 1]);
    await database.sql.deleteFrom('gateway').where('instance', '=', 'former').execute();
    await store.claimOrphans(1);
    const alone = await bound('TASK_STATE_COMPLETED');
    expect([await rowsOf('upstream_task', alone.id), await rowsOf('upstream_context', alone.id)]).toEqual([0, 0]);
  });

  it(`ids at upstream agents on ${name} are read from rows that earlier versions wrote, and changed by them`, async () => {
    const [former, changed] = [new TaskWriter(), await bound('TASK_STATE_WORKING')];
    await store.append(former.create('TASK_STATE_COMPLETED'));
    for (const { key, id, contextId } of [former, changed]) {
      const { agent, tenant, principal } = alice;
      await raw`
        insert into upstream_task (key, agent, tenant, principal, id, task_id, context_id)
        values (${key}, ${agent}, ${tenant}, ${principal}, ${id}, ${`old-${id}`}, 'old-context')
        on conflict (key) do update set task_id = excluded.task_id, context_id = excluded.context_id`.execute(
        database.sql,
      );
      await raw`
        insert into upstream_context (agent, tenant, principal, id, context_id, used_at)
        values (${agent}, ${tenant}, ${principal}, ${contextId}, 'old-context', ${Date.now() + 1_000})
        on conflict (agent, tenant, principal, id) do update set context_id = excluded.context_id,
          used_at = excluded.used_at`.execute(database.sql);
    }
    for (const { key, id, contextId } of [former, changed]) {
      expect(await store.upstreamOf(key)).toEqual({ id: `old-${id}`, contextId: 'old-context' });
      expect(await store.upstreamContextOf(alice, contextId)).toBe('old-context');
      expect(await store.upstreamTasksOf(alice, [id])).toEqual(new Map([[id, `old-${id}`]]));
      expect(await store.ownTasksOf(alice, [`old-${id}`])).toEqual(new Map([[`old-${id}`, id]]));
    }
  });
});
