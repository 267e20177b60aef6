import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { type Client, connect, type DialectName } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { createGateway, type Gateway } from '../../../src/gateway/compose/gateway.ts';
import { comparable } from '../../support/comparable.ts';
import { conversations, listedBindings } from '../../support/conversations.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { afterTest } from '../../support/peer.ts';

/** A gateway that only translates: `keep: none`, for agents of every dialect over every binding. */

const reference = createReferenceAgent();
const mute: Agent = {
  ...reference,
  card: { ...reference.card, capabilities: { streaming: false, pushNotifications: false } },
};

/** Conversations that every dialect can hold. */
const shared = [
  'a direct answer',
  'a stream in chunks',
  'an echo',
  'a question and its answer',
  'cancellation',
  'data',
];
/** Whether a dialect has a method that lists tasks. */
const hasLists = (dialect: DialectName): boolean => dialect === 'a2a-1.0';

const nameOf = (dialect: string, via: string): string => `${dialect}-${via}`.replaceAll('.', '-');

const textOf = (task: Task | undefined): string =>
  (task?.artifacts ?? []).flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('');

let folder: string;
let origin: Gateway;
let originUrl: string;
let bridge: Gateway;
let bridgeUrl: string;
let direct: Client;

const clientOf = async (
  agent: string,
  as: DialectName = 'a2a-1.0',
  via: (typeof listedBindings)[number][1] = 'jsonrpc',
) => {
  const opened = await connect(`${bridgeUrl}/${agent}/as/${as}/.well-known/agent-card.json`, { as, via });
  afterTest(() => opened.close());
  return opened;
};

beforeAll(async () => {
  folder = newFolder();
  const text = 'listen: { host: localhost, port: 0 }\nstore: "memory:"\nauth: { anonymous: true }\n';
  origin = createGateway(parseConfig(text, { file: '/origin.yaml' }), { logger: silent, agents: { mute } });
  originUrl = (await origin.listen()).url;
  direct = await connect(`${originUrl}/demo`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const agents = listedBindings.map(([dialect, transport]) => {
    const url = `${originUrl}/demo/as/${dialect}/.well-known/agent-card.json`;
    return `  ${nameOf(dialect, transport)}: { kind: upstream, keep: none, url: "${url}", dialect: ${dialect}, transport: ${transport} }\n`;
  });
  const config = `listen: { host: localhost, port: 0 }
store: "sqlite:${join(folder, 'bridge.db')}"
auth: { anonymous: true }
agents:
${agents.join('')}  mute: { kind: upstream, keep: none, url: "${originUrl}/mute" }
  gone: { kind: upstream, keep: none, url: "http://localhost:9", dialect: a2a-1.0, transport: jsonrpc }
`;
  bridge = createGateway(parseConfig(config, { file: join(folder, 'bridge.yaml') }), { logger: silent });
  bridgeUrl = (await bridge.listen()).url;
  for (let tries = 0; tries < 500; tries += 1) {
    const { agents: states } = (await (await fetch(`${bridgeUrl}/readyz`)).json()) as {
      agents: Record<string, { state: string }>;
    };
    if (Object.entries(states).every(([name, { state }]) => name === 'gone' || state === 'ok')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the agents were not reached');
});

afterAll(async () => {
  await bridge?.close({ drainMs: 0 });
  await direct?.close();
  await origin?.close({ drainMs: 0 });
});

describe.each(listedBindings)('an agent with `keep: none` in %s over %s', (dialect, via) => {
  const name = nameOf(dialect, via);

  // Stored data does not depend on the dialect: each way to stream runs all conversations, and the others run one.
  const isWhole = /^a2a-(?:1-0-jsonrpc|1-0-grpc)$|agentvault/.test(name);
  it.each(isWhole ? shared : shared.slice(1, 2))(
    `an agent with \`keep: none\` in ${dialect} over ${via} holds the conversation \`%s\` as without the gateway`,
    async (conversation) => {
      const { hold } = conversations[conversation] ?? expect.fail();
      const alone = await connect(`${originUrl}/demo/as/${dialect}/.well-known/agent-card.json`, { as: dialect, via });
      afterTest(() => alone.close());
      expect(comparable(await hold(await clientOf(name)))).toEqual(comparable(await hold(alone)));
    },
  );

  it(`an agent with \`keep: none\` in ${dialect} over ${via} knows the agent's tasks by the agent's ids, and reports its own errors`, async () => {
    const client = await clientOf(name);
    const { id = '' } = (await client.send('hello')).task ?? {};
    expect(textOf(await direct.getTask({ id }))).toBe('hello');
    await expect(client.getTask({ id: 'no-such-task' })).rejects.toMatchObject({ kind: 'taskNotFound' });
    await expect(client.cancelTask({ id: 'no-such-task' })).rejects.toMatchObject({ kind: 'taskNotFound' });
  });

  it(`an agent with \`keep: none\` in ${dialect} over ${via} lists tasks if its dialect can`, async () => {
    const client = await clientOf(name);
    const listing = client.listTasks({ pageSize: 1 });
    if (hasLists(dialect)) expect((await listing).tasks).toHaveLength(1);
    else await expect(listing).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  });
});

// gRPC of 0.3 reaches the agent at the root only.
const callers = listedBindings.filter(([dialect, via]) => dialect !== 'a2a-0.3' || via !== 'grpc');

describe.each(callers)('a caller of an agent with `keep: none` in %s over %s', (dialect, via) => {
  it(`a caller of an agent with \`keep: none\` in ${dialect} over ${via} sends, streams and reads tasks of an agent of A2A 1.0`, async () => {
    const client = await clientOf('a2a-1-0-jsonrpc', dialect, via);
    const { task } = await client.send('hello');
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textOf(await client.getTask({ id: task?.id ?? '' }))).toBe(textOf(task));
    const said = await client.send('say hi there');
    // AgentVault's answer is the id of a task, and there is none.
    if (dialect !== 'agentvault-0.2') expect(JSON.stringify(said.message ?? said.task)).toContain('hi there');
    const events: StreamResponse[] = [];
    for await (const event of client.sendStream('stream 4 2')) events.push(event);
    expect(JSON.stringify(events)).toContain('chunk 4');
    const last = events.at(-1);
    expect((last?.task ?? last?.statusUpdate)?.status.state).toBe('TASK_STATE_COMPLETED');
    await expect(client.getTask({ id: 'no-such-task' })).rejects.toMatchObject({ kind: 'taskNotFound' });
  });
});

it('a subscription to a task of an agent with `keep: none` ends when the agent ends it', async () => {
  const client = await clientOf('a2a-0-3-jsonrpc');
  const task = (await client.send('stream 20 20', { returnImmediately: true })).task as Task;
  const events: StreamResponse[] = [];
  for await (const event of client.subscribeToTask({ id: task.id })) events.push(event);
  expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
});

it('the card of an agent with `keep: none` lists the capabilities of the agent only', async () => {
  const card = async (agent: string) =>
    (await (await fetch(`${bridgeUrl}/${agent}/.well-known/agent-card.json`)).json()) as {
      capabilities: Record<string, unknown>;
    };
  expect((await card('a2a-1-0-jsonrpc')).capabilities).toMatchObject({ streaming: true, pushNotifications: true });
  const { capabilities } = await card('mute');
  expect(capabilities.streaming ?? false).toBe(false);
  expect(capabilities.pushNotifications ?? false).toBe(false);
});

it('a gateway with `keep: none` refuses operations that the agent lacks', async () => {
  const client = await clientOf('mute');
  const stream = async () => {
    for await (const _ of client.sendStream('hello'));
  };
  await expect(stream()).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  const configs = client.call('ListTaskPushNotificationConfigs', { taskId: 'any' });
  await expect(configs).rejects.toMatchObject({ kind: 'pushNotificationNotSupported' });
});

it('a gateway with `keep: none` passes webhooks on to the agent', async () => {
  const client = await clientOf('a2a-1-0-jsonrpc');
  const { id: taskId } = (await client.send('ask')).task as Task;
  const url = 'https://example.com/hook';
  await client.call('CreateTaskPushNotificationConfig', { taskId, url });
  const { configs = [] } = await direct.call('ListTaskPushNotificationConfigs', { taskId });
  expect(configs.map((config) => config.url)).toEqual([url]);
});

it('a gateway with `keep: none` reports an unreachable agent without its address', async () => {
  const response = await fetch(`${bridgeUrl}/gone`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'any' } }),
  });
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toContain('cannot be reached');
  expect(error.message).not.toContain('localhost');
});

it('a gateway with `keep: none` passes idempotency keys on to the agent', async () => {
  const call = () =>
    fetch(`${bridgeUrl}/a2a-1-0-jsonrpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': 'the-same' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } },
      }),
    }).then((response) => response.json() as Promise<{ result: { task: Task } }>);
  const [first, second] = [await call(), await call()];
  expect(second.result.task.id).toBe(first.result.task.id);
});

it('an agent with `keep: none` is usable after a reader left its stream', async () => {
  const client = await clientOf('a2a-1-0-jsonrpc');
  for await (const event of client.sendStream('stream 2000 20')) if (event.artifactUpdate) break;
  const answer = await client.send('hello');
  expect(answer.task?.status.state).toBe('TASK_STATE_COMPLETED');
});

// The last test: it looks at what all others have left.
it('a gateway with `keep: none` stores nothing of tasks', () => {
  const database = new DatabaseSync(join(folder, 'bridge.db'), { readOnly: true });
  const names = database.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
  const rowCounts = names
    // What operators see of calls, without their content, is stored for every agent.
    .filter(({ name }) => /task|event|snapshot|upstream|context|call_key|push|webhook/.test(name))
    .map(({ name }) => [name, (database.prepare(`select count(*) as n from "${name}"`).get() as { n: number }).n]);
  database.close();
  expect(rowCounts.length).toBeGreaterThan(3);
  expect(rowCounts.filter(([, rows]) => rows !== 0)).toEqual([]);
});
