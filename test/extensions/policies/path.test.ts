import { describe, expect, it } from 'vitest';
import { A2AError, type Client, connect } from '../../../src/client/index.ts';
import { pathHeader, pathMeta } from '../../../src/core/model/call.ts';
import { signPath } from '../../../src/extensions/trees/path.ts';
import { artifact, defineAgent } from '../../../src/index.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest, freePort } from '../../support/peer.ts';
import { toolsAt } from '../mcp/client.ts';

/** Policies that read by way of which agents a call has come, also at other gateways. */

const key = 'a key that both gateways have, and no other';
const keysOf = (gateway: string, keys = [key]) =>
  `limits: { root: { gateway: ${gateway}, keys: ${JSON.stringify(keys)} } }\n`;

/** Refuses the calls of an agent that have come by a path, and answers the others. */
const refuses = (agent: string, path: readonly string[]): string =>
  `policies:\n  - { name: by-path, where: agent == "${agent}", deny: 'path == ${JSON.stringify(path)}', reason: Not this way }\n`;

/** Passes its message on to another agent, and says what came of it. */
const passesTo = (name: string) =>
  defineAgent({
    name: 'Passes',
    description: 'Asks another agent.',
    async *execute(request) {
      const said = await request
        .agent(name)
        .send('go')
        .then(({ text }) => text)
        .catch((thrown: unknown) => A2AError.from(thrown).message);
      yield artifact({ content: said });
    },
  });

const clientOf = async (url: string, headers: Record<string, string> = {}): Promise<Client> => {
  const client = await connect(url, { as: 'a2a-1.0', via: 'jsonrpc', headers } as never);
  afterTest(() => client.close());
  return client;
};

const said = async (client: Client): Promise<string> => {
  const { task, message } = await client
    .send('go')
    .catch((thrown: Error) => ({ task: undefined, message: thrown.message }));
  return JSON.stringify([task?.artifacts, task?.status.message, message]);
};

const upstream = (url: string, transport: string): string =>
  `{ kind: upstream, url: "${url}", transport: ${transport}, dialect: a2a-1.0, path: true }`;

describe.each(['jsonrpc', 'grpc'])('over %s, a policy reads', (transport) => {
  it(`a policy reads the agents of another gateway over ${transport}`, async () => {
    const far = await openGateway(
      `${keysOf('far')}${refuses('demo', ['near/front', 'near/bridge'])}agents: { demo: { kind: reference } }\n`,
    );
    const near = await openGateway(`${keysOf('near')}agents: { bridge: ${upstream(`${far.url}/demo`, transport)} }\n`, {
      agents: { front: passesTo('bridge') },
    });
    expect(await said(await clientOf(`${near.url}/front`))).toContain('Not this way');
    expect(await said(await clientOf(`${near.url}/bridge`))).not.toContain('Not this way');
    expect(await said(await clientOf(`${far.url}/demo`))).not.toContain('Not this way');
  });

  it(`a policy reads the agents above a call that an agent makes at this gateway over ${transport}, which are no agents of this gateway`, async () => {
    const far = await openGateway(
      `${keysOf('far')}${refuses('demo', ['near/bridge', 'back'])}agents: { demo: { kind: reference } }\n`,
      { agents: { back: passesTo('demo') } },
    );
    const near = await openGateway(`${keysOf('near')}agents: { bridge: ${upstream(`${far.url}/back`, transport)} }\n`);
    expect(await said(await clientOf(`${near.url}/bridge`))).toContain('Not this way');
    expect(await said(await clientOf(`${far.url}/back`))).not.toContain('Not this way');
  });

  it(`over ${transport}, a policy reads its own agents by their names where a tree comes back`, async () => {
    const [nearPort, farPort] = [await freePort(), await freePort()];
    const open = (name: string, port: number, rest: string): Promise<Opened> =>
      openGateway(`listen: { host: 127.0.0.1, port: ${port} }\n${keysOf(name)}${rest}`);
    const there = `http://127.0.0.1:${farPort}/back`;
    const here = `http://127.0.0.1:${nearPort}/demo`;
    await open('far', farPort, `agents: { back: ${upstream(here, transport)} }\n`);
    const agents = `agents: { bridge: ${upstream(there, transport)}, demo: { kind: reference } }\n`;
    const near = await open('near', nearPort, `${refuses('demo', ['bridge', 'far/back'])}${agents}`);
    expect(await said(await clientOf(`${near.url}/bridge`))).toContain('Not this way');
    expect(await said(await clientOf(here))).not.toContain('Not this way');
  });
});

const signed = (at = Date.now(), by = key): string =>
  signPath({ root: 'r', steps: [{ gateway: 'near', agent: 'writer', task: 't' }] }, by, at);

/** Lets only calls through that have come by another gateway's writer. Messages alone are judged by their path. */
const onlyByWriter = `policies:
  - { name: by-writer, where: operation == "SendMessage", allow: '"near/writer" in path', reason: Only by way of writer }
`;
const settings = `agents: { demo: { kind: reference } }\n`;

const refusedPaths = async (gateway: Opened): Promise<string> => {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  return [...metrics.matchAll(/tree_paths_refused_total(\{.*)/g)].map(([, line]) => line).join();
};

it.each([
  ['forged', signed(Date.now(), 'a key that only some other gateway has')],
  ['forged', `${signed().slice(0, -4)}AAAA`],
  ['malformed', 'x'],
  ['expired', signed(Date.now() - 3_600_000)],
  ['too long', 'x'.repeat(9_000)],
])('a path that is %s is an empty one, and is counted once', async (reason, path) => {
  const rules = onlyByWriter.replace('\n', '\n  - { name: empty, deny: size(path) > 0, shadow: true }\n');
  const gateway = await openGateway(`${keysOf('far')}${rules}${settings}`);
  expect(await said(await clientOf(`${gateway.url}/demo`, { [pathHeader]: path }))).toContain('Only by way of writer');
  expect(await refusedPaths(gateway)).toBe(`{reason="${reason}"} 1`);
  expect(await said(await clientOf(`${gateway.url}/demo`, { [pathHeader]: signed() }))).toContain('go');
});

it('a path that is refused is counted once where the call is let through, also with a webhook', async () => {
  const rules = `policies:\n  - { name: by-writer, deny: '"near/writer" in path' }\n`;
  const gateway = await openGateway(`${keysOf('far')}${rules}${settings}outbound: { allow: [localhost] }\n`);
  const client = await clientOf(`${gateway.url}/demo`, { [pathHeader]: 'x' });
  const { task } = await client.call('SendMessage', {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] },
    configuration: { taskPushNotificationConfig: { taskId: '', url: 'http://localhost:9/hook' } },
  });
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await refusedPaths(gateway)).toBe('{reason="malformed"} 1');
});

it('a path that is read by no policy is not verified', async () => {
  const gateway = await openGateway(`${keysOf('far')}${onlyByWriter}${settings}`);
  const client = await clientOf(`${gateway.url}/demo`, { [pathHeader]: 'x' });
  expect((await client.call('ListTasks', {})).tasks).toEqual([]);
  expect(await refusedPaths(gateway)).toBe('');
});

it('a path that comes to a gateway without keys is an empty one', async () => {
  for (const limits of ['', 'limits: { root: { calls: 5 } }\n']) {
    const gateway = await openGateway(`${limits}${onlyByWriter}${settings}`);
    const client = await clientOf(`${gateway.url}/demo`, { [pathHeader]: signed() });
    expect(await said(client)).toContain('Only by way of writer');
    expect(await refusedPaths(gateway)).toBe('');
  }
});

it('a path that was signed with a key that a reload has removed is an empty one', async () => {
  const config = `${keysOf('far')}${onlyByWriter}${settings}`;
  const gateway = await openGateway(config);
  const client = await clientOf(`${gateway.url}/demo`, { [pathHeader]: signed() });
  expect(await said(client)).toContain('go');
  const base = { agents: { demo: { kind: 'reference' } }, listen: { host: 'localhost', port: 0 }, store: 'memory:' };
  const policies = [{ name: 'by-writer', allow: '"near/writer" in path', reason: 'Only by way of writer' }];
  const keys = ['another key that both gateways have now'];
  await gateway.gateway.reload({ ...base, policies, limits: { root: { gateway: 'far', keys } } } as never);
  expect(await said(client)).toContain('Only by way of writer');
  await gateway.gateway.reload({ ...base, policies } as never);
  expect(await said(client)).toContain('Only by way of writer');
});

it('a path that comes in _meta of MCP is read, and counted once where it is refused', async () => {
  const rules = onlyByWriter.replace('\n', '\n  - { name: all, deny: size(path) > 5 }\n');
  const gateway = await openGateway(`${keysOf('far')}${rules}${settings}`);
  const { call } = await toolsAt(`${gateway.url}/mcp`);
  const send = async (path?: string): Promise<string> => {
    const options = path === undefined ? {} : { _meta: { [pathMeta]: path } };
    return (await call('send_message', { agent: 'demo', message: 'go' }, options)).text;
  };
  expect(await send(signed())).toContain('go');
  expect(await send()).toContain('Only by way of writer');
  expect(await send(signed(0))).toContain('Only by way of writer');
  expect(await refusedPaths(gateway)).toBe('{reason="expired"} 1');
});
