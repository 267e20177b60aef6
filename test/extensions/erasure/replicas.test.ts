import { expect, it } from 'vitest';
import { askAdmin } from '../../support/admin.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import {
  asOperator,
  callerAt,
  configOf,
  countsOf,
  erased,
  firstCanceledAt,
  idsOf,
  leaveAll,
  marker,
  principal,
  rowsOfPostgres,
  startUpstream,
  staysOf,
  tablesWith,
} from './scenario.ts';

it('two replicas forget an erased caller together, and nothing is left in their database', async () => {
  const upstream = await startUpstream();
  const url = await (await sharedPostgres()).migrated();
  const config = configOf(upstream.url);
  const one = await startReplica(url, 'one', { config });
  const two = await startReplica(url, 'two', { config });
  const urls = [one.url, two.url] as const;
  const left = await leaveAll(urls);
  await callerAt(one.url, 'alice').get(`/tasks/${left.running}`);
  const texts = [principal, marker, ...idsOf(left)];
  expect(tablesWith(await rowsOfPostgres(url), texts)).toEqual(
    expect.arrayContaining(['task', 'task_event', 'push_config', 'idempotency', 'knowledge_change', 'generation_use']),
  );
  const notified = left.receiver.got.length;
  const { calls: before = [] } = await askAdmin(one.url, 'ListCalls', { principal, pageSize: 100 }, asOperator);
  expect(new Set(before.map(({ replica }) => replica)).size).toBe(2);

  const result = await erased(urls);
  expect(countsOf(result)).toMatchObject({ tasks: 5, webhooks: 2, keys: 1, knowledgeAuthors: 1, rateLimits: 1 });
  expect(countsOf(result).calls).toBeGreaterThanOrEqual(before.length);
  expect(countsOf(result).generationUses).toBeGreaterThan(1);
  expect(countsOf(result).callNumbers).toBeGreaterThan(0);
  expect(countsOf(result).recordings).toBeGreaterThan(4);
  const { referring, beside, apart } = left.others;
  expect(staysOf(result)).toEqual({
    referringTasks: [referring],
    contextTasks: [beside],
    upstreamAgents: ['up'],
    knowledge: ['demo'],
    registrations: ['offered'],
    credentials: ['auth'],
  });

  const rest = (await rowsOfPostgres(url)).filter(
    ({ text }) => ![referring, beside, 'offered'].some((id) => text.includes(id)),
  );
  expect(tablesWith(rest, texts)).toEqual([]);
  const bob = callerAt(one.url, 'bob');
  for (const id of [referring, beside, apart]) expect(await bob.get(`/tasks/${id}`)).toMatchObject({ id });
  for (const at of urls) {
    const { calls = [] } = await askAdmin(at, 'ListCalls', { principal }, asOperator);
    const { records = [] } = await askAdmin(at, 'ListRecords', {}, asOperator);
    expect({ calls, records }).toEqual({ calls: [], records: [] });
  }
  expect(await firstCanceledAt(upstream.url)).toMatchObject({ state: 'TASK_STATE_CANCELED' });
  expect(left.receiver.got).toHaveLength(notified);
});
