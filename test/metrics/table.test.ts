import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { keptFamilies } from '../../src/metrics/history.ts';
import { type Receiver, startReceiver } from '../push/receiver.ts';
import { openGateway } from '../support/gateway.ts';
import { afterTest } from '../support/peer.ts';
import { changes, familiesOf, read, readText, type Served, samplesOf } from './support.ts';

/** Real traffic through a gateway in front of another, of every kind that has a metric, and what is written about it. */

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

async function start(yaml: string): Promise<{ gateway: Gateway; url: string }> {
  const text = `listen: { host: localhost, port: 0 }\nstore: "memory:"\n${yaml}`;
  const { gateway, url } = await openGateway(text);
  afterTest(() => gateway.close({ drainMs: 0 }));
  return { gateway, url };
}

const secret = 'text-that-is-nobodys-business';
const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const message = (text: string, more: object = {}) => ({
  messageId: secret,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

let origin: string;
let receiver: Receiver;
beforeAll(async () => {
  const far = await start('agents: { demo: { kind: reference } }\n');
  const { url } = await start(`defaultAgent: demo
agents:
  demo: { kind: reference }
  far: { kind: upstream, url: "${far.url}", dialect: a2a-0.3, transport: jsonrpc }
  gone: { kind: upstream, url: "http://127.0.0.1:9/", dialect: a2a-1.0, transport: jsonrpc }
  copies: { kind: upstream, url: ["http://127.0.0.1:9/"], dialect: a2a-1.0, transport: jsonrpc }
`);
  origin = url;
  receiver = await startReceiver(({ path }) => (path === '/gone' ? 410 : path === '/broken' ? 500 : 204));
  const reached = async () =>
    expect((await read(origin)).get('a2a_gateway_agent_state{agent="far",state="ok"}')).toBe(1);
  await vi.waitFor(reached);
});

// biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
async function send(agent: string, text: string, more: object = {}, configuration: object = {}): Promise<any> {
  const body = JSON.stringify({ message: message(text, more), configuration });
  const answer = await fetch(`${origin}/${agent}/message:send`, { method: 'POST', headers: json, body });
  return answer.json();
}

const pushTo = (path: string) => ({ taskPushNotificationConfig: { url: `${receiver.url}${path}`, token: secret } });
const matching = (counts: Record<string, number>, name: RegExp): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([key]) => name.test(key)));

it('calls of an agent somewhere else are counted exactly, with the losses of their conversions', async () => {
  const before = await read(origin);
  const { task } = await send('far', 'say hi', {
    extensions: ['urn:example'],
    parts: [{ text: 'hi', mediaType: 'text/markdown' }],
  });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const counts = changes(before, await read(origin));
  expect(matching(counts, /upstream|losses|requests_total/)).toEqual({
    'a2a_gateway_requests_total{binding="rest",dialect="a2a-1.0",operation="SendMessage",agent="far",result="ok"}': 1,
    'a2a_gateway_upstream_requests_total{agent="far",result="ok"}': 1,
    'a2a_gateway_losses_total{dialect="a2a-1.0",direction="request",agent="far"}': 1,
  });
});

it('calls of an agent that is away are counted exactly', async () => {
  const before = await read(origin);
  expect((await send('gone', secret)).error.code).toBe(502);
  const after = await read(origin);
  expect(after.get('a2a_gateway_agent_state{agent="gone",state="unreachable"}')).toBe(1);
  const [count] = Object.entries(matching(changes(before, after), /requests_total/));
  expect(count?.[0]).toContain('operation="SendMessage",agent="gone",result="upstreamUnreachable"');
});

it('push notifications are counted exactly: delivered, failed, given up', async () => {
  const before = await read(origin);
  await send('demo', 'hello', {}, pushTo('/'));
  await receiver.until((got) => got.length === 4);
  await send('demo', 'hello', {}, pushTo('/gone'));
  await send('demo', 'hello', {}, pushTo('/broken'));
  const counted = async () => matching(changes(before, await read(origin)), /push_de|security/);
  await expect.poll(async () => (await counted()).a2a_gateway_push_dead_total).toBe(1);
  await expect
    .poll(async () => (await counted())['a2a_gateway_push_deliveries_total{result="failed"}'])
    .toBeGreaterThan(1);
  expect(await counted()).toMatchObject({
    'a2a_gateway_push_deliveries_total{result="delivered"}': 4,
    'a2a_gateway_security_events_total{event="push.dead"}': 1,
  });
});

describe('the table of docs/reference/metrics.md', () => {
  const table = file('docs/reference/metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `a2a_gateway_'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  let served: Map<string, Served>;
  let text: string;
  beforeAll(async () => {
    await fetch(`${origin}/`, { method: 'POST', headers: json, body: '{' });
    await fetch(`${origin}/message:stream`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ message: message('stream 2') }),
    });
    await fetch(`${origin}/tasks/none?historyLength=1`, { headers: json });
    text = await readText(origin);
    served = familiesOf(text);
  });

  it('the table of docs/reference/metrics.md names what there is, and nothing else', () => {
    const own = [...served.keys()].filter((name) => name.startsWith('a2a_gateway_'));
    expect(table.map(([, name = '']) => name.replaceAll('`', ''))).toEqual(own);
  });

  it('the table of docs/reference/metrics.md has types and labels', () => {
    // Without PostgreSQL, policies, guards, refused paths, and a store that failed.
    const unseen = new Set([
      ...['a2a_gateway_store_connections', 'a2a_gateway_store_errors_total', 'a2a_gateway_policy_decisions_total'],
      ...[
        'a2a_gateway_tree_paths_refused_total',
        'a2a_gateway_guard_verdicts_total',
        'a2a_gateway_guard_seconds_total',
      ],
    ]);
    for (const [, name = '', type, labels = ''] of table) {
      const family = served.get(name.replaceAll('`', ''));
      expect([name, family?.type]).toEqual([name, type]);
      const has = [...(family?.labels ?? [])].filter((label) => label !== 'le');
      const told = labels === '' ? [] : labels.split(', ');
      if (!unseen.has(name.replaceAll('`', ''))) expect([name, has]).toEqual([name, told]);
    }
  });

  it('the table of docs/reference/metrics.md has the process’s own beside it', () => {
    expect([...served.keys()]).toEqual(
      expect.arrayContaining([
        'process_resident_memory_bytes',
        'nodejs_eventloop_lag_p99_seconds',
        'nodejs_gc_duration_seconds',
      ]),
    );
    // The sample is missing if the lag was read a moment ago.
    const lag = samplesOf(text).get('nodejs_eventloop_lag_min_seconds') ?? 0;
    expect(lag).toBeLessThan(60);
  });

  it('the table of metrics has nothing that callers said, or who they are', () => {
    expect(text).not.toContain(secret);
    expect(text).not.toContain('anonymous');
    expect(text).not.toContain(new URL(receiver.url).host);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('the table of docs/reference/metrics.md is all that the alerts ask for', () => {
    const { groups } = parse(file('deploy/helm/a2a-gateway/files/alerts.yml'));
    const known = new Set([...samplesOf(text).keys()].map((key) => key.replace(/\{.*/, '')));
    for (const name of served.keys()) known.add(name);
    known.add('up');
    for (const { rules } of groups) {
      for (const rule of rules) {
        expect(Object.keys(rule)).toEqual(expect.arrayContaining(['alert', 'expr', 'labels', 'annotations']));
        const names = [...rule.expr.matchAll(/\b(?:a2a_gateway|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name);
        expect(names.length).toBeGreaterThan(0);
        expect(names.filter((name) => !known.has(name))).toEqual([]);
        expect(rule.expr.split('(').length).toBe(rule.expr.split(')').length);
      }
    }
  });

  it('the table of docs/reference/metrics.md is all that the dashboard asks for, with its labels', () => {
    interface Panel {
      readonly title: string;
      readonly type: string;
      readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
    }
    const { panels } = JSON.parse(file('deploy/helm/a2a-gateway/files/grafana-dashboard.json')) as {
      panels: readonly Panel[];
    };
    const labels = new Map(table.map(([, name = '', , told = '']) => [name.replaceAll('`', ''), told.split(', ')]));
    /** Of the process, and of what scrapes it. */
    const ofTarget = ['job', 'instance', 'le'];
    const asked = panels.flatMap(({ type, targets = [] }) => (type === 'row' ? [] : [targets])).flat();
    expect(asked.length).toBeGreaterThan(25);
    for (const { expr, legendFormat } of asked) {
      const selected = [...expr.matchAll(/\b((?:a2a_gateway|process|nodejs)_\w+?)(?:_bucket)?\{([^}]*)\}/g)];
      expect([expr, selected.length > 0]).toEqual([expr, true]);
      for (const [, name = '', matchers = ''] of selected) {
        expect([expr, served.has(name)]).toEqual([expr, true]);
        const known = [...(labels.get(name) ?? []), ...ofTarget];
        const named = [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label);
        const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
        expect([expr, [...named, ...grouped, ...shown].filter((label) => !known.includes(label ?? ''))]).toEqual([
          expr,
          [],
        ]);
      }
      expect(expr.split('(').length).toBe(expr.split(')').length);
    }
  });

  it('the table of docs/reference/metrics.md has every metric whose history the gateway keeps', () => {
    // The store has not failed, and is no PostgreSQL.
    const unseen = new Set(['a2a_gateway_store_errors_total', 'a2a_gateway_store_connections']);
    expect(keptFamilies.filter((name) => !served.has(name) && !unseen.has(name))).toEqual([]);
  });
});
