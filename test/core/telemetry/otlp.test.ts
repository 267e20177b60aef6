import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { callContext } from '../../../src/client/caller.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Call } from '../../../src/core/model/call.ts';
import { createGateway, type Gateway } from '../../../src/gateway/compose/gateway.ts';
import { invokeOf } from '../../../src/transports/rpc/mount.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { type OtlpReceiver, startOtlp } from '../../support/otlp.ts';
import { afterTest } from '../../support/peer.ts';

/** Metrics and log lines as a receiver gets them. */

async function receiver(answer?: (path: string) => number | undefined): Promise<OtlpReceiver> {
  const otlp = await startOtlp(answer);
  afterTest(() => otlp.close());
  return otlp;
}

const send = (text: string, traceparent?: string) =>
  ({
    operation: 'SendMessage',
    request: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } },
    context: {
      ...callContext('agent', '', {}),
      principal: { id: 'me', anonymous: false },
      ...(traceparent && { traceparent }),
    },
  }) as Call;

/** Logs a secret of the configuration, and an error with a cause, if the message is `log`. */
const agent: Agent = {
  card: createReferenceAgent().card,
  async *execute({ message: { parts } }, { log }) {
    if (parts[0]?.text === 'log') {
      log.info('working', { key: 'sesame', nested: { deep: [1, 'two'] } });
      log.error('it broke', { err: new Error('broken', { cause: new Error('below') }) });
      log.debug('never written');
    }
    yield { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'done' }] } };
  },
};

function start(otlp: Pick<OtlpReceiver, 'url'>, more: string, env: Record<string, string> = {}): Gateway {
  const section = more === '' ? '' : `tracing: { endpoint: "${otlp.url}", headers: { x-key: sesame }, ${more} }`;
  const config = parseConfig(`store: "memory:"\n${section}`, { file: '/otlp.yaml', env });
  return createGateway(config, { agents: { agent } });
}

it('metrics have the names, labels and values of /metrics, and are cumulative', async () => {
  const otlp = await receiver();
  const text = `tracing: { endpoint: "${otlp.url}", traces: false, metrics: 1h, serviceName: gw }
agents: { demo: { kind: reference } }`;
  const { gateway, origin } = await openGateway(text);
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } });
  for (let i = 0; i < 3; i += 1) await fetch(`${origin}/message:send`, { method: 'POST', headers, body });
  const page = await (await fetch(`${origin}/metrics`)).text();
  await gateway.close({ drainMs: 2_000 });

  const named = new Map(otlp.metrics.map((metric) => [metric.name, metric]));
  const families = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }));
  // Families without a sample are on the page alone, as are delays of the event loop, which a moment later has no new ones.
  const known = families.filter(
    ({ name }) =>
      !name.includes('eventloop_lag') && new RegExp(`^${name}[{ _]`, 'm').test(page.replaceAll(/^#.*$/gm, '')),
  );
  expect(known.length).toBeGreaterThan(30);
  for (const { name, type } of known) {
    expect(named.get(name), name).toMatchObject({ type: type === 'counter' ? 'sum' : type });
    expect(named.get(name)?.description, name).not.toBe('');
  }
  const calls = named.get('a2a_gateway_requests_total');
  expect(calls).toMatchObject({ temporality: 2, isMonotonic: true, resource: { 'service.name': 'gw' } });
  expect(calls?.resource).toMatchObject({ 'service.version': expect.any(String), 'host.name': expect.any(String) });
  const sent = calls?.points.find(({ attributes }) => attributes.operation === 'SendMessage');
  expect(sent).toMatchObject({ value: 3, attributes: { agent: 'demo', binding: 'rest', dialect: 'a2a-1.0' } });
  expect(sent && sent.time > sent.start).toBe(true);
  // Read before the store was closed.
  expect(named.get('a2a_gateway_store_up')?.points.map(({ value }) => value)).toEqual([1]);

  const durations = named.get('a2a_gateway_request_duration_seconds');
  expect(durations).toMatchObject({ type: 'histogram', temporality: 2 });
  const point = durations?.points.find(({ attributes }) => attributes.operation === 'SendMessage');
  expect(point?.count).toBe(3);
  expect(point?.buckets?.length).toBe((point?.bounds?.length ?? 0) + 1);
  expect(point?.buckets?.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(point?.attributes).not.toHaveProperty('le');
  const [, upTo] =
    /a2a_gateway_request_duration_seconds_bucket\{[^}]*SendMessage[^}]*le="0.025"\} (\d+)/.exec(page) ?? [];
  expect(point?.bounds?.slice(0, 3)).toEqual([0.001, 0.005, 0.025]);
  expect(point?.buckets?.slice(0, 3).reduce((sum, count) => sum + count, 0)).toBe(Number(upTo));
  // Nothing else was asked for.
  expect(otlp.spans).toEqual([]);
  expect(otlp.logs).toEqual([]);
});

it('metrics are sent again after each interval', async () => {
  const otlp = await receiver();
  const gateway = start(otlp, 'traces: false, metrics: 1s');
  await invokeOf(gateway)(send('hello'));
  while (otlp.metrics.filter(({ name }) => name === 'a2a_gateway_requests_total').length < 2) await sleep(50);
  await gateway.close({ drainMs: 0 });
});

it('log lines have their level, time, fields and error, the ids of their span, and no secrets', async () => {
  const otlp = await receiver();
  const gateway = start(otlp, 'logs: true');
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await invokeOf(gateway)(send('log', `00-${trace}-b7ad6b7169203331-01`));
  await gateway.close({ drainMs: 2_000 });
  const working = otlp.logs.find(({ body }) => body === 'working');
  expect(working).toMatchObject({ severity: 9, severityText: 'INFO', traceId: trace });
  expect(working?.attributes).toMatchObject({
    key: '[secret]',
    nested: { deep: [1, 'two'] },
    task: expect.any(String),
  });
  expect(working?.attributes).not.toHaveProperty('trace');
  expect(otlp.spans.find(({ spanId }) => spanId === working?.spanId)?.name).toBe('invoke_agent agent');
  expect(Number((working?.time ?? 0n) / 1_000_000n)).toBeGreaterThan(Date.now() - 60_000);
  expect(working?.resource).toEqual(otlp.spans[0]?.resource);
  const broke = otlp.logs.find(({ body }) => body === 'it broke');
  expect(broke).toMatchObject({
    severity: 17,
    attributes: { 'exception.type': 'Error', 'exception.message': 'broken' },
  });
  expect(broke?.attributes['exception.stacktrace']).toMatch(/Error: broken\n(.|\n)*Caused by: Error: below/);
  expect(otlp.logs.map(({ body }) => body)).not.toContain('never written');
});

it('the lines of a program’s own logger are its own', async () => {
  const otlp = await receiver();
  const text = `tracing: { endpoint: "${otlp.url}", traces: false, logs: true }`;
  const { gateway } = await openGateway(text, { agents: { agent }, logger: silent });
  await invokeOf(gateway)(send('log'));
  await gateway.close({ drainMs: 2_000 });
  expect(otlp.logs).toEqual([]);
});

it('the variables of OpenTelemetry alone make it send all three', async () => {
  const otlp = await receiver();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = otlp.url;
  process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS = 'x-of=metrics';
  afterTest(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS;
  });
  const gateway = start(otlp, '', { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url });
  await invokeOf(gateway)(send('log'));
  await gateway.close({ drainMs: 2_000 });
  expect(otlp.spans.map(({ name }) => name)).toContain('invoke_agent agent');
  expect(otlp.metrics.map(({ name }) => name)).toContain('a2a_gateway_requests_total');
  expect(otlp.logs.map(({ body }) => body)).toContain('working');
  expect(otlp.headers.filter((each) => each['x-of'] === 'metrics').length).toBe(1);
});

it('a receiver of traces alone gets them, and the log one line for each other signal', async () => {
  const otlp = await receiver((path) => (path === '/v1/traces' ? 200 : 404));
  const warnings: object[] = [];
  const text = `tracing: { endpoint: "${otlp.url}", metrics: 1s }`;
  const { gateway } = await openGateway(text, {
    agents: { agent },
    logger: { ...silent, warn: (fields, line) => line.startsWith('telemetry') && warnings.push(fields) },
  });
  await invokeOf(gateway)(send('hello'));
  while (otlp.headers.length < 4) await sleep(50);
  await gateway.close({ drainMs: 2_000 });
  expect(otlp.spans.map(({ name }) => name)).toContain('invoke_agent agent');
  expect(warnings).toMatchObject([{ signal: 'metrics' }]);
});

it('a receiver that never answers delays neither calls nor the stop of the gateway', async () => {
  const hanging = await receiver(() => undefined);
  for (const url of [hanging.url, 'http://127.0.0.1:9']) {
    const gateway = start({ url }, 'metrics: 1s, logs: true');
    for (let i = 0; i < 20; i += 1) await invokeOf(gateway)(send('hello'));
    await gateway.close({ drainMs: 100 });
  }
});
