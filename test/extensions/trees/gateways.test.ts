import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { pathHeader } from '../../../src/core/model/call.ts';
import { parentOf, pathTo } from '../../../src/core/model/lineage.ts';
import { openTreeBudgets } from '../../../src/extensions/trees/budgets.ts';
import { signPath } from '../../../src/extensions/trees/path.ts';
import { artifact, defineAgent } from '../../../src/index.ts';
import { createStore } from '../../../src/stores/index.ts';
import { askAdmin } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest, freePort } from '../../support/peer.ts';

/** Trees of calls over several gateways. */

const key = 'a key that both gateways have, and nobody else';

const root = (gateway: string, more = ''): string =>
  `limits: { root: { gateway: ${gateway}, keys: ["${key}"]${more} } }\n`;

const upstream = (name: string, url: string, transport: string, dialect: string): string =>
  `  ${name}: { kind: upstream, url: "${url}", transport: ${transport}, dialect: ${dialect}, path: true }\n`;

const textOf = (task: { readonly status: { readonly message?: { readonly parts: readonly { text?: string }[] } } }) =>
  task.status.message?.parts.map(({ text }) => text).join('') ?? '';

it.each([
  ['jsonrpc', 'a2a-1.0'],
  ['rest', 'a2a-1.0'],
  ['grpc', 'a2a-1.0'],
  ['connect', 'a2a-1.0'],
  ['jsonrpc', 'a2a-0.3'],
  ['jsonrpc', 'a2a-0.1', '/as/a2a-0.1'],
  ['jsonrpc', 'agentvault-0.2'],
])(
  'gateways that call each other in a circle over %s in %s end it by their paths',
  async (transport, dialect, place = '') => {
    const [a, b] = [await freePort(), await freePort()];
    const open = (name: string, port: number, agent: string) =>
      openGateway(`listen: { host: 127.0.0.1, port: ${port} }\n${root(name)}agents:\n${agent}`);
    await open('east', a, upstream('first', `http://127.0.0.1:${b}/second${place}`, transport, dialect));
    await open('west', b, upstream('second', `http://127.0.0.1:${a}/first${place}`, transport, dialect));
    const client = await connect(`http://127.0.0.1:${a}/first`, { as: 'a2a-1.0', via: 'jsonrpc' });
    const said = await client
      .sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } })
      .then(({ task }) => task && textOf(task))
      .catch((thrown: Error) => thrown.message);
    await client.close();
    expect(said).toContain('The agent first would be called on behalf of itself: first -> second at west -> first');
  },
);

const asked = (seen: unknown[]) =>
  defineAgent({
    name: 'Asked',
    description: 'Says who asked',
    async *execute({ task }) {
      seen.push(task);
      yield artifact({ content: 'done' });
    },
  });

it('a task knows its root and its path at another gateway', async () => {
  const store = createStore('memory:', { instance: 'far', logger: silent });
  const far = await openGateway(root('far'), { agents: { asked: asked([]) }, store });
  const near = await openGateway(
    `${root('near')}agents:\n${upstream('bridge', `${far.url}/asked`, 'jsonrpc', 'a2a-1.0')}`,
  );
  const client = await connect(`${near.url}/bridge`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const { task } = await client.sendMessage({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] },
  });
  await client.close();
  const { tasks } = await store.searchTasks({ root: task?.id ?? '' }, 10, '');
  expect(tasks).toMatchObject([{ agent: 'asked', parent: `near/${task?.id}`, root: task?.id }]);
  const stored = await store.load(tasks[0]?.key ?? '');
  const facts = { gateway: 'near', agent: 'bridge', task: task?.id, root: task?.id };
  expect(parentOf(stored?.task.metadata)).toMatchObject(facts);
});

it.each([
  ['forged', (path: string) => path.replace(/..$/, (end) => (end === 'AA' ? 'QQ' : 'AA'))],
  ['malformed', () => 'x'],
  ['too long', () => 'x'.repeat(9_000)],
  ['expired', () => signed(Date.now() - 3_600_000)],
])('a path that is %s begins a tree of its own, and is counted', async (reason, change) => {
  const gateway = await openGateway(root('far'), { agents: { asked: asked([]) } });
  const response = await fetch(`${gateway.url}/asked`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', [pathHeader]: change(signed(Date.now())) },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: 'm',
          role: 'ROLE_USER',
          parts: [{ text: 'go' }],
          metadata: {
            'a2a-gateway/path': signed(Date.now()),
            'a2a-gateway/parent': { agent: 'x', task: 'y', hops: 1 },
          },
        },
      },
    }),
  });
  const { result } = (await response.json()) as { result: { task: { metadata?: object; status: object } } };
  expect(result.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  expect(result.task.metadata).toBeUndefined();
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain(`tree_paths_refused_total{reason="${reason}"} 1`);
});

const signed = (at: number): string =>
  signPath({ root: 'r', steps: [{ gateway: 'g', agent: 'a', task: 't' }] }, key, at);

it('without keys, a path is neither sent nor taken', async () => {
  const seen: unknown[] = [];
  const gateway = await openGateway('limits: { root: { calls: 5 } }\n', { agents: { asked: asked(seen) } });
  const client = await connect(`${gateway.url}/asked`, {
    as: 'a2a-1.0',
    via: 'jsonrpc',
    headers: { [pathHeader]: signed(Date.now()) },
  } as never);
  const { task } = await client.sendMessage({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] },
  });
  await client.close();
  expect(task?.metadata).toBeUndefined();
});

it('a path goes over gateways and generations, and an operator stops the tree at any of them', async () => {
  const store = createStore('memory:', { instance: 'last', logger: silent });
  const last = await openGateway(root('last'), { agents: { asked: asked([]) }, store });
  const [d, a] = ['agentvault-0.2', 'a2a-0.1'] as const;
  const open = (name: string, url: string, transport: string, dialect: string) =>
    openGateway(`${root(name)}agents:\n${upstream('bridge', url, transport, dialect)}`);
  const third = await open('third', `${last.url}/asked`, 'grpc', 'a2a-1.0');
  const second = await open('second', `${third.url}/bridge`, 'jsonrpc', d);
  const first = await open('first', `${second.url}/bridge/as/${a}`, 'jsonrpc', a);
  const client = await connect(`${first.url}/bridge`, { as: 'a2a-1.0', via: 'jsonrpc' });
  afterTest(() => client.close());
  const send = () => client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } });
  const { task } = await send();
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  const [part] = (await store.searchTasks({ agent: 'asked' }, 10, '')).tasks;
  const stored = await store.load(part?.key ?? '');
  const facts = parentOf(stored?.task.metadata);
  expect(pathTo(facts).map(({ gateway, agent }) => [gateway, agent])).toEqual([
    ['first', 'bridge'],
    ['second', 'bridge'],
    ['third', 'bridge'],
  ]);
  expect(facts?.root).toBe(task?.id);
  expect(facts?.above?.[0]?.task).toBe(task?.id);

  await askAdmin(last.url, 'StopRoot', { key: part?.key ?? '', reason: 'enough' });
  const step = { gateway: 'third', agent: 'bridge', task: 't' };
  const response = await fetch(`${last.url}/asked/message:send`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      [pathHeader]: signPath({ root: facts?.root ?? '', steps: [step] }, key, Date.now()),
    },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } }),
  });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('enough');
});

it('a path goes over MCP, with what is left of a budget', async () => {
  const store = createStore('memory:', { instance: 'far', logger: silent });
  const far = await openGateway(root('far'), { agents: { asked: asked([]) }, store });
  const servers = `{ far: { url: "${far.url}/mcp", path: true } }`;
  const config = `${root('near', ', calls: 40')}agents:\n  tools: { kind: mcp, servers: ${servers} }\n`;
  const near = await openGateway(config);
  const client = await connect(`${near.url}/tools`, { as: 'a2a-1.0', via: 'jsonrpc' });
  afterTest(() => client.close());
  const data = {
    target_mcp_server_id: 'far',
    tool_name: 'send_message',
    arguments: { agent: 'asked', message: 'go' },
  };
  const { task } = await client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] } });
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  const { tasks } = await store.searchTasks({ root: task?.id ?? '' }, 10, '');
  expect(tasks).toMatchObject([{ agent: 'asked', root: task?.id }]);
  // The other gateway has counted its call.
  expect((await (await store.extend(openTreeBudgets)).read(task?.id ?? ''))?.calls).toBe(39);
});
