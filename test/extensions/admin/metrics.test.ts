import { beforeAll, expect, test } from 'vitest';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

/** The last day in numbers, and the last hour of each agent. */

let gateway: Opened;
let calls: ReturnType<typeof callsOf>;
beforeAll(async () => {
  gateway = await openGateway(`
agents:
  demo: { kind: reference }
  idle: { kind: reference }
defaultAgent: demo
`);
  calls = callsOf(gateway.url);
});

const sum = (values: readonly unknown[] = []): number => values.reduce<number>((all, one) => all + Number(one ?? 0), 0);

test('an agent whose tasks fail shows it within the last hour, beside one that does nothing', async () => {
  for (let at = 0; at < 3; at += 1) await calls.send('fail', { immediately: false });
  await calls.send('hello', { immediately: false });
  await calls.request('/tasks/none');
  const { agents = [], missingReplicas } = await askAdmin(gateway.url, 'ListAgents', {});
  const [demo, idle] = agents.map(({ lastHour }) => lastHour);
  expect(demo).toMatchObject({ tasksEnded: 4, tasksFailed: 3, calls: 5, failedCalls: 1 });
  expect(demo?.latencyP95Ms).toBeGreaterThan(0);
  expect(idle).toMatchObject({ tasksEnded: 0, tasksFailed: 0, calls: 0, failedCalls: 0 });
  expect(idle).not.toHaveProperty('latencyP95Ms');
  expect(missingReplicas).toEqual([]);
});

test('metrics have a value for each step, null for the time before the start', async () => {
  const names = ['a2a_gateway_requests_total', 'a2a_gateway_request_duration_seconds', 'process_resident_memory_bytes'];
  const answer = await askAdmin(gateway.url, 'GetMetrics', { names, agent: 'demo' });
  const { times = [], step, series = [], completeSince = '' } = answer;
  expect(Date.parse(completeSince)).toBeGreaterThan(Date.parse(times[0] ?? ''));
  expect(Date.parse(completeSince)).toBeLessThanOrEqual(Date.now());
  expect(step).toBe(10);
  expect(times.length).toBeGreaterThanOrEqual(360);
  for (const { values = [] } of series) {
    expect(values).toHaveLength(times.length);
    expect(values[0]).toBeNull();
    expect(values.some((value) => typeof value === 'number' && value > 0)).toBe(true);
  }
  const of = (labels: Record<string, string>) =>
    series.find((one) => JSON.stringify(one.labels) === JSON.stringify(labels))?.values;
  expect(sum(of({ agent: 'demo', result: 'ok' }))).toBe(4);
  expect(sum(of({ agent: 'demo', result: 'taskNotFound' }))).toBe(1);
  expect(sum(of({ agent: 'demo', quantile: '0.95' }))).toBeGreaterThan(0);
  expect(sum(of({}))).toBeGreaterThan(0);
});

test('a step is rounded up to tens of seconds and so that an answer stays small', async () => {
  const day = { after: '2026-01-01T00:00:00Z', before: '2026-01-02T00:00:00Z', names: ['a2a_gateway_store_up'] };
  expect(await askAdmin(gateway.url, 'GetMetrics', { ...day, step: 1 })).toMatchObject({ step: 60 });
  expect(await askAdmin(gateway.url, 'GetMetrics', { ...day, step: 3_601 })).toMatchObject({ step: 3_610 });
  expect(await askAdmin(gateway.url, 'GetMetrics', day)).toMatchObject({ step: 240 });
});

test.each([
  ['after', { after: '2026-01-02T00:00:00Z', before: '2026-01-01T00:00:00Z' }],
  ['before', { before: 'x' }],
])('a wrong %s is refused by its name', async (field, request) => {
  const error = await askAdmin(gateway.url, 'GetMetrics', request).then(undefined, (thrown) => thrown);
  expect(JSON.stringify(error.data)).toContain(`"field":"${field}"`);
});
