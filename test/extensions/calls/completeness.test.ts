import { expect, it } from 'vitest';
import type { RequestOf, ResponseOf } from '../../../src/gen/admin-v1/operations.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { adminHeaders } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';

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
