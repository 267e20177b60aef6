import { join } from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { openStops } from '../../../src/extensions/stops/store.ts';
import { counter } from '../../core/cluster/agents.ts';
import { recordedLog } from '../../gateway/reload/support.ts';
import { AdminRefused, askAdmin } from '../../support/admin.ts';
import { listedBindings } from '../../support/conversations.ts';
import { openStore } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { type Opened, type OpenOptions, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Callers and agents that an operator stops, over every binding and in every dialect. */

const [alice, bob, operator] = [newKey(), newKey(), newKey()];
const asOperator = { 'x-api-key': operator.key };

const start = (settings = '', options: OpenOptions = {}): Promise<Opened> =>
  openGateway(
    `
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: bob, hash: "${bob.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks, metrics] }
defaultAgent: demo
agents:
  demo: { kind: reference, knowledge: {} }
  other: { kind: reference }
${settings}`,
    options,
  );

const ask = <K extends Parameters<typeof askAdmin>[1]>(
  { url }: Opened,
  operation: K,
  request: Parameters<typeof askAdmin<K>>[2],
) => askAdmin(url, operation, request, asOperator);

async function clientOf(
  { url }: Opened,
  apiKey = alice.key,
  [as, via]: (typeof listedBindings)[number] = ['a2a-1.0', 'jsonrpc'],
  agent = '',
): Promise<Client> {
  const isOld = as === 'a2a-0.1' || as === 'a2a-0.2';
  const client = await connect(`${url}${agent}${isOld ? `/as/${as}` : ''}`, { as, via, apiKey });
  afterTest(() => client.close());
  return client;
}

const metricsOf = async ({ url }: Opened): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: asOperator })).text();

/** The message of the error that a call ends with. */
const refusal = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => expect.fail('the call was accepted'),
    (thrown: unknown) => A2AError.from(thrown).message,
  );

/** The error of the admin service, with its data. */
async function faultOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(AdminRefused);
  return `${(thrown as AdminRefused).message} ${JSON.stringify((thrown as AdminRefused).data ?? '')}`;
}

const taskOf = ({ task }: { task?: Task }): Task => task ?? expect.fail('no task');

async function statesOf(events: AsyncIterable<StreamResponse>): Promise<[state: string, text: string][]> {
  const states: [string, string][] = [];
  for await (const { task, statusUpdate } of events) {
    const status = (task ?? statusUpdate)?.status;
    if (status) states.push([status.state, status.message?.parts[0]?.text ?? '']);
  }
  return states;
}

const callerStopped = 'An operator has stopped the caller key:alice: the key was stolen';
const agentStopped = 'An operator has stopped the agent demo: it spends too much';
const stopAlice = (gateway: Opened) =>
  ask(gateway, 'StopCaller', { principal: 'key:alice', reason: ' the key was stolen ' });
const stopDemo = (gateway: Opened) => ask(gateway, 'StopAgent', { name: 'demo', reason: 'it spends too much' });

// One interceptor refuses for all bindings: here before one of each kind.
const before = listedBindings.filter(([as, via]) => as !== 'a2a-0.3' && via !== 'rest');

describe.each(before.map((pair) => ({ name: pair.join(' over '), pair })))('in $name', ({ pair }) => {
  it('calls of a stopped caller, or of a stopped agent, are refused with the reason until that is undone', async () => {
    const gateway = await start();
    const client = await clientOf(gateway, alice.key, pair);
    const { id } = taskOf(await client.send('ask'));

    await stopAlice(gateway);
    expect(await refusal(client.send('ask'))).toContain(callerStopped);
    expect(await refusal(client.call('GetTask', { id }))).toContain(callerStopped);
    const states = async () => (await ask(gateway, 'FindTasks', {})).tasks?.map(({ state }) => state);
    await expect.poll(states).toEqual(['TASK_STATE_CANCELED']);
    await ask(gateway, 'ResumeCaller', { principal: 'key:alice' });
    expect((await client.call('GetTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
    const second = taskOf(await client.send('ask'));

    await stopDemo(gateway);
    expect(await refusal(client.send('ask'))).toContain(agentStopped);
    expect(await refusal(client.send('Alice', { taskId: second.id }))).toContain(agentStopped);
    await expect
      .poll(async () => (await client.call('GetTask', { id: second.id })).status.state)
      .toBe('TASK_STATE_CANCELED');
    await ask(gateway, 'ResumeAgent', { name: 'demo' });
    expect(taskOf(await client.send('ask')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
});

it('a stopped caller has its tasks ended with the reason, running and waiting ones, and others notice nothing', async () => {
  const gateway = await start();
  const [client, other] = [await clientOf(gateway), await clientOf(gateway, bob.key)];
  const streams = [client, other].map((each) => statesOf(each.sendStream('stream 30 100')));
  const blocking = client.send('wait');
  const waiting = taskOf(await client.send('ask'));
  const untouched = taskOf(await other.send('ask'));
  const working = async () => (await ask(gateway, 'FindTasks', { states: ['TASK_STATE_WORKING'] })).tasks?.length;
  await expect.poll(working).toBe(3);
  await stopAlice(gateway);

  const [ended, went] = await Promise.all(streams);
  expect(ended?.at(-1)).toEqual(['TASK_STATE_CANCELED', callerStopped]);
  expect(taskOf(await blocking).status).toMatchObject({ state: 'TASK_STATE_CANCELED' });
  expect(went?.at(-1)?.[0]).toBe('TASK_STATE_COMPLETED');
  const seen = async () => (await ask(gateway, 'InspectTask', { key: waiting.id })).summary;
  await expect.poll(seen).toMatchObject({ state: 'TASK_STATE_CANCELED', reason: callerStopped });
  expect(taskOf(await other.send('Bob', { taskId: untouched.id })).status.state).toBe('TASK_STATE_COMPLETED');
  const metrics = await metricsOf(gateway);
  expect(metrics).toContain('a2a_gateway_stops 1');
  expect(metrics).toContain('a2a_gateway_tasks_stopped_total 3');
});

it('a stopped caller is refused over MCP and for knowledge, and its open stream of changes ends', async () => {
  const gateway = await start();
  const client = await clientOf(gateway);
  const mcp = new McpClient({ name: 'test', version: '1' });
  const requestInit = { headers: { 'x-api-key': alice.key } };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/demo/mcp`), { requestInit }));
  afterTest(() => mcp.close());
  const { tools } = await mcp.listTools();
  const callTool = () =>
    mcp.callTool({ name: tools[0]?.name ?? '', arguments: { message: 'say hello' } }).then(JSON.stringify, String);
  expect(await callTool()).toContain('hello');
  const follow = async (): Promise<void> => {
    const subscriptionQuery = 'subscription { statementChanged { op } }';
    for await (const _ of client.knowledge.subscribe({ subscriptionQuery, queryLanguage: 'graphql' }));
  };
  const subscription = refusal(follow());
  const open = async () => (await metricsOf(gateway)).match(/streams_open\{binding="jsonrpc"\} (\d)/)?.[1];
  await expect.poll(open).toBe('1');
  await stopAlice(gateway);
  expect(await callTool()).toContain(callerStopped);
  expect(await refusal(client.knowledge.query({ query: '{ __typename }', queryLanguage: 'graphql' }))).toContain(
    callerStopped,
  );
  expect(await subscription).toContain(callerStopped);
});

it('a stopped caller has its stream of an agent that keeps its tasks ended with the reason', async () => {
  const upstream = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
  const gateway = await start(`  far: { kind: upstream, url: "${upstream.url}", keep: none }\n`);
  const client = await clientOf(gateway, alice.key, undefined, '/far');
  const events = client.sendStream('stream 1000 20')[Symbol.asyncIterator]();
  await events.next();
  await stopAlice(gateway);
  const rest = async (): Promise<void> => {
    for (let step = await events.next(); !step.done; ) step = await events.next();
  };
  expect(await refusal(rest())).toContain(callerStopped);
});

it('a stopped caller has no task that an operator could answer', async () => {
  const gateway = await start();
  const client = await clientOf(gateway);
  const { id } = taskOf(await client.send('ask'));
  await stopAlice(gateway);
  const answer = ask(gateway, 'AnswerTask', { key: id, parts: [{ text: 'Ada' }] });
  expect(await faultOf(answer)).toContain(callerStopped);
});

it('a stop is listed with who stopped what, when and why, is logged, and stays as it was when it is repeated', async () => {
  const { logger, lines } = recordedLog();
  const gateway = await start('', { logger });
  const first = await stopAlice(gateway);
  expect(first).toEqual({
    kind: 'caller',
    subject: 'key:alice',
    reason: 'the key was stolen',
    stoppedBy: 'key:operator',
    stoppedAt: expect.stringMatching(/Z$/),
  });
  const again = await ask(gateway, 'StopCaller', { principal: 'key:alice', reason: 'another' });
  expect(again).toEqual(first);
  const second = await stopDemo(gateway);
  expect((await ask(gateway, 'ListStops', {})).stops).toEqual([first, second]);
  expect(lines.map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({
      security: 'admin.action',
      operation: 'StopCaller',
      principal: 'key:operator',
      subject: 'key:alice',
      reason: 'the key was stolen',
    }),
  );
  expect(await ask(gateway, 'ResumeCaller', { principal: 'key:alice' })).toEqual(first);
  await ask(gateway, 'ResumeAgent', { name: 'demo' });
  expect((await ask(gateway, 'ListStops', {})).stops ?? []).toEqual([]);
});

it('a stop of what is not there, of oneself, without a reason, or undone twice, is refused with the field', async () => {
  const gateway = await start();
  expect(await faultOf(ask(gateway, 'StopAgent', { name: 'none', reason: 'x' }))).toContain('No such agent: none');
  const stop = (principal: string, reason: string) => ask(gateway, 'StopCaller', { principal, reason });
  expect(await faultOf(stop('key:operator', 'x'))).toMatch(/principal.*is your own/);
  expect(await faultOf(stop('key:alice', '  '))).toMatch(/reason.*must say why/);
  expect(await faultOf(stop('key:alice', 'x'.repeat(501)))).toMatch(/reason.*at most 500/);
  expect(await faultOf(stop('', 'x'))).toContain('principal');
  expect(await faultOf(ask(gateway, 'ResumeCaller', { principal: 'key:alice' }))).toMatch(/principal.*is not stopped/);
  await stopDemo(gateway);
  await ask(gateway, 'ResumeAgent', { name: 'demo' });
  expect(await faultOf(ask(gateway, 'ResumeAgent', { name: 'demo' }))).toMatch(/name.*is not stopped/);
});

it('a stop of a caller who has never called is in force when it does', async () => {
  const gateway = await start();
  await stopAlice(gateway);
  expect(await refusal((await clientOf(gateway)).send('hello'))).toContain(callerStopped);
});

it('a stop survives a restart, and what an agent would begin again ends', async () => {
  const url = `sqlite:${join(newFolder(), 'gateway.db')}`;
  const runs = { begun: 0, aborted: 0 };
  const agents = { counting: counter(runs) };
  const first = await start(`store: "${url}"\n`, { agents });
  const client = await clientOf(first, alice.key, undefined, '/counting');
  const { id } = taskOf(await client.send('100 100', { returnImmediately: true }));
  await expect.poll(() => runs.begun).toBe(1);
  await first.close();
  const store = await openStore(url);
  const stops = await store.extend(openStops);
  await stops.add({ kind: 'caller', subject: 'key:alice', reason: 'the key was stolen', stoppedBy: 'key:operator' });
  await store.close();
  const second = await start(`store: "${url}"\n`, { agents });
  expect(await refusal((await clientOf(second)).send('hello'))).toContain(callerStopped);
  const seen = async () => (await ask(second, 'InspectTask', { key: id })).summary;
  await expect.poll(seen).toMatchObject({ state: 'TASK_STATE_CANCELED', reason: callerStopped });
  expect(runs.begun).toBe(1);
});

it('a stop of an agent leaves other agents and its mode alone', async () => {
  const gateway = await start();
  await ask(gateway, 'SetAgentMode', { name: 'demo', mode: 'AGENT_MODE_DRAINING' });
  await stopDemo(gateway);
  const other = await clientOf(gateway, alice.key, undefined, '/other');
  expect(taskOf(await other.send('ask')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await ask(gateway, 'ResumeAgent', { name: 'demo' });
  expect(await refusal((await clientOf(gateway)).send('ask'))).toContain('accepts no new tasks');
});
