import { beforeAll, describe, expect, test } from 'vitest';
import { openPresence } from '../../../src/extensions/admin/presence.ts';
import type {
  AcknowledgeReplicasResponse,
  GatewayStatus,
  ListReplicasResponse,
} from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { query, sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';

describe('replicas that have vanished', () => {
  let url: string;
  let one: Replica;
  let other: Replica;

  beforeAll(async () => {
    url = await (await sharedPostgres()).migrated();
    one = await startReplica(url, 'one');
    other = await startReplica(url, 'other');
  });

  /** Writes down a replica that has no heartbeat, as one that was killed leaves it. */
  async function vanish(id: string, draining = false): Promise<void> {
    const rows = await one.store.extend(openPresence);
    await rows.note({ id, host: 'far', pid: 4711, version: '1.2.3', startedAt: 1_000, draining }, true);
  }

  const lostAt = async ({ url }: Replica) =>
    (await callsOf(url).get<ListReplicasResponse>('/admin/v1/replicas')).lost ?? [];

  test('a replica that vanished is listed at all replicas until an operator acknowledges it at one of them', async () => {
    await vanish('gone/1');
    await vanish('gone/2', true);
    const calls = callsOf(other.url);
    const end = new AbortController();
    const events = calls.stream<GatewayStatus>('/admin/v1/status:watch', { signal: end.signal });
    const until = async (lost: number): Promise<void> => {
      for await (const { event } of { [Symbol.asyncIterator]: () => events }) if (event.lostReplicas === lost) return;
    };
    await until(2);
    for (const replica of [one, other]) {
      const lost = await lostAt(replica);
      expect(lost.map(({ id, draining }) => [id, draining]).sort()).toEqual([
        ['gone/1', false],
        ['gone/2', true],
      ]);
      expect(lost[0]).toMatchObject({
        host: 'far',
        pid: 4711,
        version: '1.2.3',
        startedAt: '1970-01-01T00:00:01.000Z',
      });
      expect(Date.now() - Date.parse(lost[0]?.aliveAt ?? '')).toBeLessThan(60_000);
    }
    const acknowledge = (ids: readonly string[]) =>
      callsOf(one.url).post<AcknowledgeReplicasResponse>('/admin/v1/replicas:acknowledge', { ids });
    expect(await acknowledge(['gone/1', 'unknown'])).toEqual({ ids: ['gone/1'] });
    expect((await lostAt(other)).map(({ id }) => id)).toEqual(['gone/2']);
    expect(await acknowledge([])).toEqual({ ids: ['gone/2'] });
    expect(await lostAt(other)).toEqual([]);
    end.abort();
  });

  test('a replica that serves is not lost, and cannot be acknowledged', async () => {
    const { replicas = [] } = await callsOf(one.url).get<ListReplicasResponse>('/admin/v1/replicas');
    const ids = replicas.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const answer = await callsOf(one.url).post<AcknowledgeReplicasResponse>('/admin/v1/replicas:acknowledge', { ids });
    expect(answer.ids).toEqual([]);
  });

  test('a row whose times are none is left out of the vanished replicas and named, and can be acknowledged', async () => {
    await vanish('gone/3');
    await vanish('gone/4');
    await query(url, "update replica_presence set alive_at = 9007199254740990 where instance = 'gone/3'");
    expect((await lostAt(one)).map(({ id }) => id)).toEqual(['gone/4']);
    expect(one.store.damaged.list()).toMatchObject([{ table: 'replica_presence', key: 'gone/3' }]);
    const answer = await callsOf(one.url).post<AcknowledgeReplicasResponse>('/admin/v1/replicas:acknowledge', {});
    expect(answer.ids?.toSorted()).toEqual(['gone/3', 'gone/4']);
  });
});
