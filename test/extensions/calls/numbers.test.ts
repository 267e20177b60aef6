import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import type { CallContext } from '../../../src/core/model/call.ts';
import { minuteOf, Numbers, others } from '../../../src/extensions/calls/model.ts';
import { numberHandlers } from '../../../src/extensions/calls/numbers.ts';
import type { StoredNumbers } from '../../../src/extensions/calls/store/numbers.ts';
import { openCallStore } from '../../../src/extensions/calls/store/store.ts';
import type { RequestOf, ResponseOf } from '../../../src/gen/admin-v1/operations.ts';
import type { Numbers as NumbersShown } from '../../../src/gen/admin-v1/types.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { newFolder } from '../../support/folders.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { instance } from './support.ts';

/** Calls and their numbers, as operators see them after a restart. */

const [alice, bob, limited, operator] = [newKey(), newKey(), newKey(), newKey()];
const asOperator = { 'x-api-key': operator.key };

const configured = (settings = ''): string => `
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: bob, hash: "${bob.hash}" }
    - { name: limited, hash: "${limited.hash}", scopes: [knowledge] }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }
defaultAgent: demo
agents:
  demo: { kind: reference }
  dead: { kind: upstream, url: "http://127.0.0.1:9", keep: none }
${settings}`;

const start = (settings?: string): Promise<Opened> => openGateway(configured(settings));
const onFile = (): string => `store: "sqlite:${join(newFolder(), 'gateway.db')}"`;

const callsAs = (url: string, { key }: { readonly key: string }) => callsOf(url, { 'x-api-key': key });
const numbersOf = (url: string, request: RequestOf<'ListNumbers'> = {}): Promise<ResponseOf<'ListNumbers'>> =>
  askAdmin(url, 'ListNumbers', request, asOperator);
const listOf = (url: string, request: RequestOf<'ListCalls'> = {}): Promise<ResponseOf<'ListCalls'>> =>
  askAdmin(url, 'ListCalls', request, asOperator);

/** Calls and refused requests: three of Alice, of which one fails, one of Bob, two that are refused. */
async function leaveCalls(url: string): Promise<void> {
  const [ofAlice, ofBob] = [callsAs(url, alice), callsAs(url, bob)];
  for (const caller of [ofAlice, ofAlice, ofBob]) await caller.send('hello', { immediately: false });
  await ofAlice.request('/dead/tasks/none');
  await callsAs(url, limited).request('/tasks/none');
  await callsAs(url, { key: 'wrong' }).request('/tasks/none');
}

const counts = ({ calls, failed, refused }: NumbersShown = {}) => [Number(calls), Number(failed), Number(refused)];

describe('numbers of calls', () => {
  it('calls, failures and refusals are counted by caller, by agent and by generation', async () => {
    const { url } = await start();
    await leaveCalls(url);
    const { total, groups = [], boundsMs = [] } = await numbersOf(url, { by: ['NUMBER_GROUPING_PRINCIPAL'] });
    expect(counts(total?.numbers)).toEqual([4, 1, 2]);
    expect(groups.map(({ principal, numbers }) => [principal, ...counts(numbers)])).toEqual([
      ['key:alice', 3, 1, 0],
      ['', 0, 0, 1],
      ['key:bob', 1, 0, 0],
      ['key:limited', 0, 0, 1],
    ]);
    const { buckets = [], p50Ms, p99Ms } = total?.numbers ?? {};
    expect(buckets).toHaveLength(boundsMs.length + 1);
    expect(buckets.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(4);
    expect(Number(p99Ms)).toBeGreaterThanOrEqual(Number(p50Ms));
    const byAgent = await numbersOf(url, {
      by: ['NUMBER_GROUPING_AGENT', 'NUMBER_GROUPING_DIALECT'],
      principal: 'key:alice',
    });
    expect(byAgent.groups?.map(({ agent, dialect, numbers }) => [agent, dialect, ...counts(numbers)])).toEqual([
      ['demo', 'a2a-1.0', 2, 0, 0],
      ['dead', 'a2a-1.0', 1, 1, 0],
    ]);
    expect(byAgent.groups?.map(({ numbers }) => Number(numbers?.tasksEnded))).toEqual([2, 0]);
  });

  it('lines over time add up to their numbers, on one axis', async () => {
    const { url } = await start();
    await leaveCalls(url);
    const { total, groups = [], times = [], step } = await numbersOf(url, { by: ['NUMBER_GROUPING_AGENT'], step: 90 });
    expect(step).toBe(120);
    for (const { line = [], numbers } of [...groups, ...(total ? [total] : [])]) {
      expect(line).toHaveLength(times.length);
      const sum = (name: 'calls' | 'refused') => line.reduce((all, one) => all + Number(one[name]), 0);
      expect([sum('calls'), sum('refused')]).toEqual([numbers?.calls, numbers?.refused]);
    }
    await expect(numbersOf(url, { after: '2020-01-01T00:00:00Z', step: 60 })).rejects.toThrow('step');
    await expect(numbersOf(url, { before: '2020-01-01T00:00:00Z', after: '2020-01-02T00:00:00Z' })).rejects.toThrow(
      'after',
    );
  });

  it('each number opens exactly the calls that it counts', async () => {
    const { url } = await start();
    await leaveCalls(url);
    const after = new Date(Date.now() - 3_600_000).toISOString();
    const { groups = [] } = await numbersOf(url, { by: ['NUMBER_GROUPING_PRINCIPAL'], after });
    for (const { principal = '', numbers } of groups.filter((group) => group.principal !== '')) {
      const opened = async (outcome: 'CALL_OUTCOME_FAILED' | 'CALL_OUTCOME_REFUSED') =>
        (await listOf(url, { principal, outcome, after })).calls?.length;
      expect([await opened('CALL_OUTCOME_FAILED'), await opened('CALL_OUTCOME_REFUSED')]).toEqual([
        numbers?.failed,
        numbers?.refused,
      ]);
    }
  });
});

it('a call that a policy refused is counted and found as refused, and is no failure of its agent', async () => {
  const policies = `policies: [{ name: closed, deny: 'caller.id == "key:bob"' }]`;
  const { url } = await start(policies);
  await callsAs(url, alice).send('hello', { immediately: false });
  await expect(callsAs(url, bob).send('hello')).rejects.toThrow();
  const { total, groups = [] } = await numbersOf(url, { by: ['NUMBER_GROUPING_AGENT'], principal: 'key:bob' });
  expect(groups.map(({ agent, numbers }) => [agent, ...counts(numbers)])).toEqual([['demo', 0, 0, 1]]);
  expect(counts(total?.numbers)).toEqual([0, 0, 1]);
  const found = (outcome: 'CALL_OUTCOME_FAILED' | 'CALL_OUTCOME_REFUSED') => listOf(url, { outcome });
  expect((await found('CALL_OUTCOME_FAILED')).calls ?? []).toEqual([]);
  expect((await found('CALL_OUTCOME_REFUSED')).calls).toMatchObject([{ refusedBy: 'policy closed' }]);
});

describe('after a restart', () => {
  it('failed calls and numbers are there, each once, and complete since the first start', async () => {
    const store = onFile();
    const first = await start(store);
    const before = await numbersOf(first.url);
    await leaveCalls(first.url);
    const failed = await listOf(first.url, { failed: true });
    expect(failed.calls).toHaveLength(3);
    expect(failed).toMatchObject({ keptSince: before.keptSince, gaps: [], leftOut: [] });
    await first.close();
    const second = await start(store);
    const after = await listOf(second.url, { failed: true });
    expect(after.calls).toEqual(failed.calls);
    expect(after).toMatchObject({ completeSince: before.completeSince, keptSince: before.completeSince, gaps: [] });
    const { total, completeSince } = await numbersOf(second.url);
    expect(counts(total?.numbers)).toEqual([4, 1, 2]);
    expect(completeSince).toBe(before.completeSince);
    const { agents = [], completeSince: agentsSince } = await askAdmin(second.url, 'ListAgents', {}, asOperator);
    expect(agentsSince).toBe(before.completeSince);
    expect(agents.map(({ lastHour }) => Number(lastHour?.latencyP95Ms) > 0)).toEqual([true, true]);
    const hours = agents.map(({ name, lastHour }) => [
      name,
      lastHour?.calls,
      lastHour?.failedCalls,
      lastHour?.tasksEnded,
    ]);
    expect(hours).toEqual([
      ['demo', 3, 0, 3],
      ['dead', 1, 1, 0],
    ]);
    await callsAs(second.url, alice).request('/dead/tasks/none');
    expect((await listOf(second.url, { outcome: 'CALL_OUTCOME_FAILED' })).calls).toHaveLength(2);
    expect(counts((await numbersOf(second.url)).total?.numbers)).toEqual([5, 2, 2]);
  });

  it('callers have the calls of the last day, and what replicas remember is complete since the restart', async () => {
    const store = onFile();
    const first = await start(store);
    const before = await numbersOf(first.url);
    await leaveCalls(first.url);
    await first.close();
    const restarted = Date.now();
    const second = await start(store);
    await callsAs(second.url, bob).request('/tasks/none');
    const listed = await askAdmin(second.url, 'ListCallers', {}, asOperator);
    expect(listed).toMatchObject({ since: before.keptSince, completeSince: before.completeSince });
    const counted = listed.callers?.map(({ principal, calls, failedCalls }) => [principal, calls, failedCalls]);
    expect(counted).toEqual([
      ['key:bob', 2, 1],
      ['key:alice', 3, 1],
      ['key:limited', 0, 0],
      ['key:operator', 0, 0],
    ]);
    for (const { completeSince = '' } of [
      await askAdmin(second.url, 'ListLosses', {}, asOperator),
      await askAdmin(second.url, 'GetMetrics', { names: ['a2a_gateway_store_up'] }, asOperator),
    ]) {
      expect(Date.parse(completeSince)).toBeGreaterThanOrEqual(restarted);
    }
  });

  it('lists of all calls are complete since the restart only, since those that succeeded are not stored', async () => {
    const store = onFile();
    const first = await start(store);
    await leaveCalls(first.url);
    await first.close();
    const restarted = Date.now();
    const second = await start(store);
    const { calls = [], completeSince = '', keptSince = '' } = await listOf(second.url);
    expect(calls).toHaveLength(3);
    expect(Date.parse(completeSince)).toBeGreaterThanOrEqual(restarted);
    expect(Date.parse(keptSince)).toBeLessThan(restarted);
  });

  it('pages of failed calls from memory and from the store have each call once', async () => {
    const store = onFile();
    const first = await start(store);
    for (let count = 0; count < 5; count += 1) await leaveCalls(first.url);
    await first.close();
    const second = await start(store);
    for (let count = 0; count < 5; count += 1) await leaveCalls(second.url);
    const ids: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await listOf(second.url, { failed: true, pageSize: 4, pageToken });
      ids.push(...(page.calls ?? []).map(({ id }) => id));
      pageToken = page.nextPageToken ?? '';
      if (pageToken === '') break;
    }
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });

  it('stored reasons of calls are hidden, and found by nobody, where the configuration hides words', async () => {
    const store = onFile();
    const first = await start(store);
    await leaveCalls(first.url);
    const [call] = (await listOf(first.url, { outcome: 'CALL_OUTCOME_FAILED' })).calls ?? [];
    expect(call?.reason).toMatch(/./);
    await first.close();
    const second = await start(`${store}\nconsole: { content: false }`);
    const { calls = [] } = await listOf(second.url, { failed: true });
    expect(calls.map(({ reason, error }) => [error, Boolean(reason)])).toEqual([
      ['unauthenticated', true],
      ['permissionDenied', true],
      ['upstreamUnreachable', false],
    ]);
    expect((await listOf(second.url, { text: call?.reason ?? '' })).calls).toEqual([]);
  });

  it('nothing is stored with calls: false, and what was stored is deleted', async () => {
    const store = onFile();
    const first = await start(store);
    await leaveCalls(first.url);
    await first.close();
    const second = await start(`${store}\ncalls: false`);
    await callsAs(second.url, alice).request('/dead/tasks/none');
    const listed = await listOf(second.url, { failed: true });
    expect(listed.calls).toHaveLength(1);
    expect(listed.keptSince).toBeUndefined();
    await expect(numbersOf(second.url)).rejects.toThrow('set calls to true');
    await second.close();
    const third = await start(store);
    expect((await listOf(third.url, { failed: true })).calls).toEqual([]);
    expect(counts((await numbersOf(third.url)).total?.numbers)).toEqual([0, 0, 0]);
  });
});

it('numbers of a caller have the number of calls that are counted with those of others, and may be of the caller', async () => {
  const { store } = await openStoreOn();
  const kept = await store.extend(openCallStore);
  const row = (principal: string, calls: number): StoredNumbers => {
    const { values } = new Numbers();
    values[0] = calls;
    return { minute: minuteOf(store.now()), agent: 'demo', principal, dialect: 'a2a-1.0', values };
  };
  await kept.store(instance(), [row('key:alice', 2), row(others, 3)]);
  const keeping = { kept, keep: 3_600_000, now: () => store.now() };
  const { ListNumbers } = numberHandlers({ ask: async () => ({ answers: [], missing: [] }), keeping });
  const { value } = await ListNumbers({ principal: 'key:alice' }, {} as CallContext, {});
  expect(value).toMatchObject({ total: { numbers: { calls: 2 } }, countedWithOthers: 3 });
  const all = await ListNumbers({}, {} as CallContext, {});
  expect(all.value).toMatchObject({ total: { numbers: { calls: 5 } }, countedWithOthers: 0 });
});
