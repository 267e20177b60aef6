import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type bindings, type Client, connect } from '../../../src/client/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { startReceiver } from '../../push/receiver.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlp } from '../../support/otlp.ts';
import { listenOn } from '../../support/peer.ts';
import { sdkAgents } from '../../support/sdk-agents.ts';
import { mcpScript, startScripted } from '../../support/tools/http-server.ts';

const open: { close(): Promise<void> }[] = [];
const received: OtlpReceiver[] = [];
const docs = readFileSync(new URL('../../../docs/operate/tracing.md', import.meta.url), 'utf8');
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  const said = received.splice(0).flatMap(({ spans }) => spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...new Set(said)].filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

interface Started {
  readonly gateway: Gateway;
  readonly origin: string;
}

/** A gateway that sends its spans to the receiver; closing it sends what is left. */
async function start(
  otlp: Pick<OtlpReceiver, 'url'>,
  settings: string,
  { logger = silent, agents = {} }: { logger?: Logger; agents?: Record<string, Agent> } = {},
): Promise<Started> {
  const text = `
listen: { host: localhost, port: 0 }
store: "memory:"
tracing: { endpoint: "${otlp.url}", headers: { x-otlp-key: sesame } }
${settings}`;
  const { gateway, url } = await openGateway(text, { logger, agents });
  open.push({ close: () => gateway.close({ drainMs: 2_000 }) });
  return { gateway, origin: url };
}

async function receiver(answer?: () => number | undefined): Promise<OtlpReceiver> {
  const otlp = await startOtlp(answer);
  open.push(otlp);
  received.push(otlp);
  return otlp;
}

async function client(origin: string, via: (typeof bindings)[number]['name'] = 'jsonrpc'): Promise<Client> {
  const made = await connect(origin, { as: 'a2a-1.0', via });
  open.push({ close: () => made.close() });
  return made;
}

const called = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] =>
  spans.filter((one) => one.name === name);

const message = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });

/** A call with a traceparent, as anybody's client makes it. */
async function post(origin: string, method: string, params: object, flags = '01'): Promise<Response> {
  const headers = { 'content-type': 'application/json', traceparent: `00-${trace}-${span}-${flags}` };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return fetch(origin, { method: 'POST', headers: { 'a2a-version': '1.0', ...headers }, body });
}

/** The parents of a span, from the nearest to the farthest, by their names and services. */
function ancestors(spans: readonly ReceivedSpan[], of: ReceivedSpan | undefined): string[] {
  const parent = spans.find(({ spanId }) => spanId === of?.parentId);
  return parent ? [`${parent.resource['service.name']}: ${parent.name}`, ...ancestors(spans, parent)] : [];
}

describe.each(['jsonrpc', 'rest', 'grpc'] as const)('over %s', (via) => {
  it(`a call through two gateways to an agent of the official SDK is one trace over ${via}`, async () => {
    const otlp = await receiver();
    const agent = (await sdkAgents[`sdk10-${via}`]?.()) ?? expect.fail('no such agent');
    open.push(agent);
    const back = await start(otlp, `agents: { far: { kind: upstream, url: "${agent.url}", transport: ${via} } }`);
    const front = await start(
      otlp,
      `agents: { near: { kind: upstream, url: "${back.origin}", transport: ${via}, dialect: a2a-1.0 } }`,
    );
    const caller = await client(front.origin, via);
    await caller.send('chunks 2');
    for (const one of open.splice(1).reverse()) await one.close();
    const [first] = called(otlp.spans, 'A2A SendMessage');
    const ours = otlp.spans.filter(({ traceId }) => traceId === first?.traceId);
    const last = ours.find(
      (one) => one.name.startsWith('A2A') && one.kind === 3 && one.attributes['gen_ai.agent.name'] === 'far',
    );
    expect(called(ours, 'invoke_agent far')).toMatchObject([{ kind: 3 }]);
    const service = 'a2a-gateway';
    expect(last?.attributes).toMatchObject({
      'a2a.binding': via,
      'a2a.dialect': 'a2a-1.0',
      'server.port': expect.any(Number),
    });
    expect(ancestors(ours, last)).toEqual([
      `${service}: invoke_agent far`,
      `${service}: A2A SendStreamingMessage`,
      `${service}: A2A SendStreamingMessage`,
      `${service}: invoke_agent near`,
      `${service}: A2A SendMessage`,
    ]);
    expect(new Set(ours.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    expect(ours.filter(({ status }) => status !== 0)).toEqual([]);
    for (const { start: begun, end } of ours) expect(end >= begun).toBe(true);
  });
});

it('a call is a child of the caller’s span, and says what it was', async () => {
  const otlp = await receiver();
  const { origin, gateway } = await start(otlp, 'agents: { demo: { kind: reference } }');
  await post(origin, 'SendMessage', message('the secret word'));
  await gateway.close({ drainMs: 2_000 });
  const [server] = called(otlp.spans, 'A2A SendMessage');
  expect(server).toMatchObject({ traceId: trace, parentId: span, kind: 2, status: 0 });
  expect(server?.attributes).toMatchObject({
    'rpc.system.name': 'jsonrpc',
    'rpc.method': 'lf.a2a.v1.A2AService/SendMessage',
    'a2a.binding': 'jsonrpc',
    'a2a.dialect': 'a2a-1.0',
    'gen_ai.agent.name': 'demo',
    'a2a.task.id': expect.any(String),
    'a2a.task.state': 'TASK_STATE_COMPLETED',
  });
  const [run] = called(otlp.spans, 'invoke_agent demo');
  expect(run).toMatchObject({ traceId: trace, parentId: server?.spanId, kind: 1 });
  expect(called(otlp.spans, 'store append')[0]?.attributes).toEqual({
    'db.system.name': 'sqlite',
    'db.operation.name': 'append',
  });
  expect(JSON.stringify(otlp.spans, (_, value) => (typeof value === 'bigint' ? 0 : value))).not.toContain('secret');
  expect(otlp.headers[0]?.['x-otlp-key']).toBe('sesame');
});

it('a call that fails is marked where the gateway failed, and named where its caller did', async () => {
  const otlp = await receiver();
  const broken: Agent = {
    card: (await import('../../../src/agents/reference.ts')).createReferenceAgent().card,
    // biome-ignore lint/correctness/useYield: it throws before
    async *execute() {
      throw new Error('broken inside');
    },
  };
  const { origin, gateway } = await start(otlp, 'agents: { demo: { kind: reference } }', { agents: { broken } });
  await post(`${origin}/demo`, 'GetTask', { id: 'nobody' });
  await post(`${origin}/demo`, 'SendMessage', message('fail'));
  await post(`${origin}/broken`, 'SendMessage', message('hello'));
  await gateway.close({ drainMs: 2_000 });
  const [get] = called(otlp.spans, 'A2A GetTask');
  expect(get).toMatchObject({ status: 0 });
  expect(get?.attributes).toMatchObject({ 'error.type': 'taskNotFound', 'rpc.response.status_code': '-32001' });
  expect(called(otlp.spans, 'invoke_agent demo')[0]).toMatchObject({ status: 2 });
  const [send] = called(otlp.spans, 'A2A SendMessage').filter(
    (one) => one.attributes['gen_ai.agent.name'] === 'broken',
  );
  expect(send).toMatchObject({ status: 2 });
  expect(send?.attributes).toMatchObject({ 'error.type': 'internal' });
  expect(called(otlp.spans, 'invoke_agent broken')[0]).toMatchObject({ status: 2 });
});

it('a call that its caller does not sample is not sampled, and says so to others', async () => {
  const otlp = await receiver();
  const seen: (string | undefined)[] = [];
  const { createReferenceAgent } = await import('../../../src/agents/reference.ts');
  const reference = createReferenceAgent();
  const agent: Agent = {
    ...reference,
    execute(request, context) {
      seen.push(context.traceparent);
      return reference.execute(request, context);
    },
  };
  const { origin, gateway } = await start(otlp, '', { agents: { agent } });
  await post(`${origin}/agent`, 'SendMessage', message('hello'), '00');
  await gateway.close({ drainMs: 2_000 });
  expect(otlp.spans).toEqual([]);
  expect(seen).toEqual([expect.stringMatching(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`))]);
});

it('a call of a dialect that cannot say all reports the losses: of a stream’s events in the trace alone', async () => {
  const otlp = await receiver();
  const { createReferenceAgent } = await import('../../../src/agents/reference.ts');
  const { card } = createReferenceAgent();
  const agent: Agent = {
    card,
    async *execute(_, { taskId, contextId }) {
      const ids = { taskId, contextId };
      const part = { text: 'one', filename: 'lost.txt', metadata: { kept: true } };
      yield { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' } } };
      yield { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [part], extensions: ['urn:x'] } } };
      yield { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } };
    },
  };
  const { origin, gateway } = await start(otlp, '', { agents: { agent } });
  const params = { id: 'mine', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } };
  const answer = await post(`${origin}/agent/as/a2a-0.1`, 'tasks/sendSubscribe', params);
  await answer.text();
  await gateway.close({ drainMs: 2_000 });
  const [server] = otlp.spans.filter(({ kind }) => kind === 2);
  const losses = server?.events.filter(({ name }) => name === 'a2a.loss') ?? [];
  expect(losses.length).toBeGreaterThan(0);
  expect(losses.flatMap(({ attributes }) => attributes['a2a.losses'])).toEqual(
    expect.arrayContaining([expect.stringContaining('artifact')]),
  );
});

it('what a call leads to has the status that the agent, or what stands before it, gave it', async () => {
  const otlp = await receiver();
  const proxy = createServer(({ method }, res) => res.writeHead(method === 'POST' ? 415 : 404).end('no'));
  const { port } = await listenOn(proxy);
  open.push({ close: async () => void proxy.close() });
  const agent = `kind: upstream, url: "http://127.0.0.1:${port}", dialect: a2a-1.0, transport: connect`;
  const { origin, gateway } = await start(otlp, `agents: { far: { ${agent} } }`);
  await post(`${origin}/far`, 'SendMessage', message('hello'));
  await gateway.close({ drainMs: 2_000 });
  const [outgoing] = otlp.spans.filter(({ kind }) => kind === 3);
  expect(outgoing?.attributes).toMatchObject({
    'error.type': 'contentTypeNotSupported',
    'rpc.response.status_code': 'UNKNOWN',
  });
});

it('what a call leads to is part of it: tools, and notifications', async () => {
  const otlp = await receiver();
  const tools = await startScripted(
    mcpScript([{ name: 'go', inputSchema: { type: 'object' } }], ({ result }) =>
      result({ isError: true, content: [{ type: 'text', text: 'no' }] }),
    ),
  );
  const hook = await startReceiver((_, before) => (before === 0 ? 500 : 204));
  open.push(tools, hook);
  const { origin, gateway } = await start(
    otlp,
    `agents:
  tools: { kind: mcp, servers: { it: { url: "${tools.origin}/mcp" } } }
  demo: { kind: reference }`,
  );
  const data = { target_mcp_server_id: 'it', tool_name: 'go', arguments: {} };
  await post(`${origin}/tools`, 'SendMessage', {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] },
  });
  await post(`${origin}/demo`, 'SendMessage', {
    ...message('hello'),
    configuration: { taskPushNotificationConfig: { url: hook.url } },
  });
  await hook.until((got) => got.length > 1);
  await gateway.close({ drainMs: 2_000 });
  const [tool] = called(otlp.spans, 'tools/call go');
  expect(tool).toMatchObject({ traceId: trace, kind: 3, status: 2 });
  expect(tool?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'error.type': 'tool_error' });
  expect(ancestors(otlp.spans, tool)[0]).toContain('invoke_agent tools');
  const pushes = called(otlp.spans, 'A2A push');
  expect(pushes[0]).toMatchObject({ traceId: trace, kind: 3, status: 2 });
  expect(hook.got[0]?.headers.traceparent).toBe(`00-${trace}-${pushes[0]?.spanId}-01`);
  expect(ancestors(otlp.spans, pushes[1])[0]).toContain('invoke_agent demo');
});

describe('a receiver', () => {
  const lines = (): { logger: Logger; warnings: string[] } => {
    const warnings: string[] = [];
    return { logger: { ...silent, warn: (_, text) => warnings.push(text) }, warnings };
  };

  it('a receiver that refuses costs one line of the log, and no call', async () => {
    const otlp = await receiver(() => 400);
    const { logger, warnings } = lines();
    const { origin, gateway } = await start(otlp, 'agents: { demo: { kind: reference } }', { logger });
    // More than are sent at once.
    const answers = await Promise.all(Array.from({ length: 300 }, () => post(origin, 'GetTask', { id: 'x' })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await gateway.close({ drainMs: 2_000 });
    expect(otlp.headers.length).toBeGreaterThan(1);
    expect(warnings.filter((text) => text.startsWith('telemetry cannot be delivered'))).toHaveLength(1);
  });

  it('a receiver that does not answer, or is unreachable, delays neither calls nor the stop of the gateway', async () => {
    const hanging = await receiver(() => undefined);
    for (const url of [hanging.url, 'http://127.0.0.1:9']) {
      const { origin, gateway } = await start({ url }, 'agents: { demo: { kind: reference } }');
      expect((await post(origin, 'SendMessage', message('hello'))).status).toBe(200);
      await gateway.close({ drainMs: 100 });
    }
  });
});
