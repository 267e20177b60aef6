import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { AskReplicas } from '../../../src/core/cluster/ask-replicas.ts';
import { mostGaps, readKept, storedSince } from '../../../src/extensions/calls/completeness.ts';
import { callAnswers } from '../../../src/extensions/calls/handlers.ts';
import { CallList, type CallsQuestion } from '../../../src/extensions/calls/list.ts';
import { openCallStore } from '../../../src/extensions/calls/store/store.ts';
import { CallWriter } from '../../../src/extensions/calls/writer.ts';
import type { RequestOf, ResponseOf } from '../../../src/gen/admin-v1/operations.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import { openSqlite } from '../../../src/stores/sqlite/database.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
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

it('while the store takes no calls but can be read, the list is complete only since memory has all of them', async () => {
  const database = await openSqlite({ path: join(newFolder(), 'gateway.db'), flush: false, logger: silent });
  const { store } = await openStoreOn(database);
  const kept = await store.extend(openCallStore);
  const metrics = new Metrics('test');
  const { log } = metrics;
  const words = { slow: 10_000, hidesWords: () => false };
  const writer = new CallWriter({ kept, store, metrics, logger: silent, isAgent: () => true, ...words });
  await writer.begin();
  const answers = callAnswers({ log, flush: () => writer.flush(), ...words });
  const ask = async (_: string, question: object) => ({
    answers: [{ replica: '', value: await answers.ListCalls(question as CallsQuestion) }],
    missing: [],
  });
  const keeping = { kept, keep: 3_600_000, now: store.now };
  const list = new CallList({ ask: ask as AskReplicas, keeping, ...words });
  const page = (principal: string) => list.page({ filter: { failed: true, principal }, size: 10 });
  const refuse = (id: string): void =>
    log.noteRefused('jsonrpc', 'permissionDenied', { principal: { id, anonymous: false }, agent: 'demo' });

  await sql.raw('pragma query_only = on').execute(database.sql);
  const refusedAt = store.now();
  refuse('key:bob');
  for (let count = 0; count < 1_000; count += 1) refuse('key:alice');
  const during = await page('key:bob');
  expect(during.calls).toEqual([]);
  expect(during.completeSince).toBeGreaterThan(refusedAt);

  await sql.raw('pragma query_only = off').execute(database.sql);
  const after = await page('key:bob');
  expect(after.calls).toHaveLength(1);
  expect(after.completeSince).toBeLessThanOrEqual(refusedAt);
});
