import { expect, it } from 'vitest';
import { mostGaps, readKept, storedSince } from '../../../src/extensions/calls/completeness.ts';
import { openCallStore } from '../../../src/extensions/calls/store/store.ts';
import type { RequestOf, ResponseOf } from '../../../src/gen/admin-v1/operations.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { adminHeaders } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import { instance } from './support.ts';

const listOf = (url: string, request: RequestOf<'ListCalls'>): Promise<ResponseOf<'ListCalls'>> =>
  askAdmin(url, 'ListCalls', request, adminHeaders(url));

it('failed calls are complete since a replica that stores nothing remembers them, and its numbers are missing', async () => {
  const url = await (await sharedPostgres()).migrated();
  const keeping = await startReplica(url, 'keeping');
  await callsOf(keeping.url).request('/tasks/none');
  const failed = { outcome: 'CALL_OUTCOME_FAILED' } as const;
  const alone = await listOf(keeping.url, failed);
  const since = Date.now();
  const other = await startReplica(url, 'other', { config: 'calls: false\nagents:\n  demo: { kind: reference }\n' });
  await callsOf(other.url).request('/tasks/none');
  const both = await listOf(keeping.url, failed);
  expect(both.calls).toHaveLength(2);
  expect(Date.parse(alone.completeSince ?? '')).toBeLessThan(since);
  expect(Date.parse(both.completeSince ?? '')).toBeGreaterThanOrEqual(since);
  const numbers = await askAdmin(keeping.url, 'ListNumbers', {}, adminHeaders(keeping.url));
  expect(numbers.missingReplicas).toEqual([expect.stringContaining('other')]);
});

it('of a replica that is killed again and again, the latest gaps are named', async () => {
  const { store } = await openStoreOn();
  const calls = await store.extend(openCallStore);
  const now = Date.now();
  const count = mostGaps + 5;
  for (let at = 0; at < count; at += 1) {
    const storedAt = now - 1_000 * (count - at);
    await calls.store(instance({ instance: `run-${at}`, beganAt: storedAt, storedAt, endedAt: storedAt + 10 }), []);
  }
  const range = { from: 0, until: Number.POSITIVE_INFINITY };
  const kept = await readKept(calls, { keep: 3_600_000, now, answered: new Set(), range });
  expect(kept.gaps).toHaveLength(mostGaps);
  expect(kept.gaps[0]).toMatchObject({ from: now - 1_000, until: now - 990 });
  expect(storedSince(kept)).toBe(now - 990);
});
