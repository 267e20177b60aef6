import { join } from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineAgent, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { AgentMode } from '../../../src/gen/admin-v1/types.ts';
import { recordedLog } from '../../gateway/reload/support.ts';
import { AdminRefused, askAdmin } from '../../support/admin.ts';
import { listedBindings } from '../../support/conversations.ts';
import { newFolder } from '../../support/folders.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest, bodyOf, serve } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';

/** Agents that an operator drains or disables, over every binding, in every dialect, and at every replica. */

const agents = `
defaultAgent: demo
agents:
  demo: { kind: reference, knowledge: {} }
  other: { kind: reference }
`;

const start = (settings = ''): Promise<Opened> => openGateway(`${agents}${settings}`);

const setMode = ({ url }: Opened, mode: string, name = 'demo') =>
  askAdmin(url, 'SetAgentMode', { name, mode: `AGENT_MODE_${mode}` as AgentMode });

const connected = async (url: string, [as, via]: (typeof listedBindings)[number]): Promise<Client> => {
  // Their cards are found below their own paths alone.
  const isOld = as === 'a2a-0.1' || as === 'a2a-0.2';
  const client = await connect(isOld ? `${url}/as/${as}` : url, { as, via });
  afterTest(() => client.close());
  return client;
};

/** The error that a call ends with. */
const refusal = async (call: Promise<unknown>): Promise<A2AError> =>
  call.then(
    () => expect.fail('the call was accepted'),
    (thrown: unknown) => A2AError.from(thrown),
  );

const disabled = { kind: 'unavailable', message: expect.stringContaining('An operator has disabled the agent demo') };
const drained = { kind: 'unavailable', message: expect.stringContaining('accepts no new tasks') };
const taskOf = ({ task }: { task?: Task }): Task => task ?? expect.fail('no task');

async function firstOf<T>(events: AsyncIterable<T>): Promise<T> {
  for await (const event of events) return event;
  return expect.fail('no event');
}

// One interceptor refuses for all bindings: here before one of each kind.
const before = listedBindings.filter(([as, via]) => as !== 'a2a-0.3' && via !== 'rest');

describe.each(before.map((pair) => ({ name: pair.join(' over '), pair })))('in $name', ({ pair }) => {
  it('a disabled agent refuses every call, and a drained one new tasks alone', async () => {
    const gateway = await start();
    const client = await connected(gateway.url, pair);
    const { id } = taskOf(await client.send('ask'));

    await setMode(gateway, 'DISABLED');
    expect(await refusal(client.send('ask'))).toMatchObject(disabled);
    expect(await refusal(client.send('Alice', { taskId: id }))).toMatchObject(disabled);
    expect(await refusal(client.call('GetTask', { id }))).toMatchObject(disabled);
    expect(await refusal(client.call('CancelTask', { id }))).toMatchObject(disabled);
    if (client.card.capabilities.streaming) {
      expect(await refusal(firstOf(client.sendStream('stream 2 1')))).toMatchObject(disabled);
    }

    await setMode(gateway, 'DRAINING');
    expect(await refusal(client.send('ask'))).toMatchObject(drained);
    if (client.card.capabilities.streaming) {
      expect(await refusal(firstOf(client.sendStream('stream 2 1')))).toMatchObject(drained);
    }
    expect((await client.call('GetTask', { id })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(taskOf(await client.send('Alice', { taskId: id })).status.state).toBe('TASK_STATE_COMPLETED');

    await setMode(gateway, 'ENABLED');
    expect(taskOf(await client.send('ask')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
});

it('an agent that an operator limits is shown with its mode, by whom it was set, and when', async () => {
  const gateway = await start();
  const [before] = (await askAdmin(gateway.url, 'ListAgents', {})).agents ?? [];
  expect(before).toMatchObject({ name: 'demo', mode: 'AGENT_MODE_ENABLED' });
  expect(before).not.toHaveProperty('modeChangedAt');
  const began = Date.now();
  const set = await setMode(gateway, 'DRAINING');
  expect(set).toMatchObject({ name: 'demo', mode: 'AGENT_MODE_DRAINING', modeChangedBy: expect.any(String) });
  expect(Math.abs(Date.parse(set.modeChangedAt ?? '') - began)).toBeLessThan(10_000);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain('a2a_gateway_agent_mode{agent="demo",mode="draining"} 1');
  expect(metrics).toContain('a2a_gateway_agent_mode{agent="demo",mode="enabled"} 0');
  expect(metrics).toContain('a2a_gateway_agent_mode{agent="other",mode="enabled"} 1');
  const { agents: listed } = await askAdmin(gateway.url, 'ListAgents', {});
  expect(listed).toMatchObject([set, { name: 'other', mode: 'AGENT_MODE_ENABLED' }]);
});

it('an agent that an operator limits must exist, and the mode be known', async () => {
  const gateway = await start();
  await expect(setMode(gateway, 'DISABLED', 'none')).rejects.toThrow('No such agent: none');
  for (const mode of ['UNSPECIFIED', 'ASLEEP']) {
    const thrown = await setMode(gateway, mode).catch((error: unknown) => error);
    expect([mode, thrown]).toEqual([mode, expect.any(AdminRefused)]);
    expect([mode, (thrown as AdminRefused).code]).toEqual([mode, -32602]);
  }
  expect((await askAdmin(gateway.url, 'ListAgents', {})).agents?.[0]?.mode).toBe('AGENT_MODE_ENABLED');
});

it('an agent that an operator limits is limited at the root also where there is no default agent', async () => {
  const gateway = await openGateway(agents.replace(/^defaultAgent.*$/m, ''));
  afterTest(() => gateway.close());
  expect(await setMode(gateway, 'DISABLED')).toMatchObject({ mode: 'AGENT_MODE_DISABLED' });
  const body = { jsonrpc: '2.0', id: 'x7', method: 'GetTask', params: { id: 'none' } };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(gateway.url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ id: 'x7', error: { code: -32601 } });
});

it('an agent that an operator limits refuses calls within the process, for its knowledge and over MCP, and leaves other agents alone', async () => {
  const gateway = await start();
  const client = await connected(gateway.url, ['a2a-1.0', 'jsonrpc']);
  const other = await connected(`${gateway.url}/other`, ['a2a-1.0', 'jsonrpc']);
  const mcp = new McpClient({ name: 'test', version: '1' });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/demo/mcp`)));
  afterTest(() => mcp.close());
  const { tools } = await mcp.listTools();
  const callTool = () =>
    mcp.callTool({ name: tools[0]?.name ?? '', arguments: { message: 'say hello' } }).catch((thrown: Error) => thrown);
  expect(JSON.stringify(await callTool())).toContain('hello');
  const query = () => client.knowledge.query({ query: '{ __typename }', queryLanguage: 'graphql' });
  await query();

  await setMode(gateway, 'DISABLED');
  expect(await refusal(query())).toMatchObject(disabled);
  const refused = await callTool();
  expect(refused instanceof Error ? refused.message : JSON.stringify(refused)).toContain('disabled the agent demo');
  expect(taskOf(await other.send('ask')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');

  await setMode(gateway, 'DRAINING');
  await query();
  const again = await callTool();
  expect(again instanceof Error ? again.message : JSON.stringify(again)).toContain('accepts no new tasks');
});

it('an agent that an operator limits finishes the tasks that are under way, and their streams continue', async () => {
  const gateway = await start();
  const client = await connected(gateway.url, ['a2a-1.0', 'jsonrpc']);
  const events = client.sendStream('stream 40 10')[Symbol.asyncIterator]();
  const { value: first } = await events.next();
  await setMode(gateway, 'DISABLED');
  let chunks = 0;
  let last = first;
  for (let step = await events.next(); !step.done; step = await events.next()) {
    last = step.value;
    if (last.artifactUpdate) chunks += 1;
  }
  expect(chunks).toBe(40);
  expect(last.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
});

it('an agent that an operator limits gives a repeated message the task that the first one opened while it is drained', async () => {
  const gateway = await start();
  const send = (key: string) =>
    fetch(gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': key },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] } },
      }),
    }).then((response) => response.json() as Promise<{ result?: { task: Task }; error?: { message: string } }>);
  const { result } = await send('one');
  await setMode(gateway, 'DRAINING');
  expect((await send('one')).result?.task.id).toBe(result?.task.id);
  expect((await send('two')).error?.message).toContain('accepts no new tasks');
  await setMode(gateway, 'DISABLED');
  expect((await send('one')).error?.message).toContain('disabled');
});

it('an agent that an operator limits stays limited after a restart and a reload', async () => {
  const folder = newFolder();
  const store = `store: "sqlite:${join(folder, 'gateway.db')}"\n`;
  const first = await start(store);
  await setMode(first, 'DISABLED');
  await first.close();
  const second = await start(store);
  const client = await connected(second.url, ['a2a-1.0', 'jsonrpc']);
  expect(await refusal(client.send('ask'))).toMatchObject(disabled);
  await second.gateway.reload({
    agents: { demo: { kind: 'code', agent: createReferenceAgent() } },
    store: 'memory:',
  });
  expect(await refusal(client.send('ask'))).toMatchObject(disabled);
  await setMode(second, 'ENABLED');
  expect(taskOf(await client.send('ask')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

/** Works until its gateway stops, and completes the task at the next one. */
const patient = defineAgent({
  name: 'Patient',
  description: 'Takes its time',
  async *execute({ signal }) {
    yield status('TASK_STATE_WORKING');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
  async *resume() {
    yield status('TASK_STATE_COMPLETED');
  },
});

it('work that an agent has begun continues after a restart although the agent is disabled, and is reported to webhooks', async () => {
  const folder = newFolder();
  const settings = `store: "sqlite:${join(folder, 'gateway.db')}"\noutbound: { allow: [127.0.0.1] }\n`;
  const received: string[] = [];
  const hook = await serve(async (req, res) => {
    received.push(await bodyOf(req));
    res.writeHead(204).end();
  });
  const first = await openGateway(settings, { agents: { demo: patient } });
  const client = await connected(first.url, ['a2a-1.0', 'jsonrpc']);
  const { id } = taskOf(await client.send('go', { returnImmediately: true }));
  await client.call('CreateTaskPushNotificationConfig', { id: 'hook', taskId: id, url: hook });
  await setMode(first, 'DISABLED');
  await first.close();
  expect(received.join()).not.toContain('TASK_STATE_COMPLETED');
  const { logger, lines } = recordedLog();
  const second = await openGateway(settings, { agents: { demo: patient }, logger });
  afterTest(() => second.close());
  expect(lines).toContainEqual({
    level: 'warn',
    fields: { agent: 'demo', mode: 'disabled', principal: expect.any(String) },
    message: 'the agent is in the mode that an operator has set',
  });
  await expect.poll(() => received.join()).toContain('TASK_STATE_COMPLETED');
  const again = await connected(second.url, ['a2a-1.0', 'jsonrpc']);
  expect(await refusal(again.call('GetTask', { id }))).toMatchObject(disabled);
});

describe('replicas', () => {
  beforeAll(sharedPostgres);

  it('replicas learn of a mode that was set at another one', async () => {
    const store = `store: "${await (await sharedPostgres()).migrated()}"\n`;
    const [one, two] = [await start(store), await start(store)];
    const client = await connected(two.url, ['a2a-1.0', 'jsonrpc']);
    await setMode(one, 'DISABLED');
    const error = () => client.call('GetTask', { id: 'none' }).catch((thrown: A2AError) => thrown.kind);
    await expect.poll(error, { interval: 100 }).toBe('unavailable');
    const [listed] = (await askAdmin(two.url, 'ListAgents', {})).agents ?? [];
    expect(listed?.mode).toBe('AGENT_MODE_DISABLED');
    const { replicas = [] } = await askAdmin(two.url, 'ListReplicas', {});
    expect(replicas.map(({ isThis = false, alive, tasks = 0, pid }) => [isThis, alive, tasks, pid])).toEqual([
      [true, true, 0, process.pid],
      [false, true, 0, process.pid],
    ]);
    expect(replicas[0]?.version).toBe(replicas[1]?.version);
    expect(replicas[0]?.version).not.toBe('');
  });
});
