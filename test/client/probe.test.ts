import { beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { choiceOf, probe } from '../../src/client/probe/index.ts';
import { type Running, startGateway } from '../support/gateway.ts';
import { afterTest, serve } from '../support/peer.ts';
import { sdkAgents } from '../support/sdk-agents.ts';
import { error, knowing, probed, rpcServer, way, ways } from './probed.ts';

describe('a gateway', () => {
  let gateway: Running;
  beforeAll(async () => {
    gateway = await startGateway();
  });

  it('a gateway speaks everything', async () => {
    const report = await probed(gateway.origin);
    expect(ways(report)).toEqual([
      'jsonrpc a2a-1.0',
      'rest a2a-1.0',
      'grpc a2a-1.0',
      'jsonrpc a2a-0.3',
      'jsonrpc a2a-php-0.3',
      'jsonrpc a2a-0.2',
      'jsonrpc a2a-0.1',
      'jsonrpc agentvault-0.2',
      'rest a2a-0.3',
      'grpc a2a-0.3',
      'connect a2a-1.0',
      'connect a2a-0.3',
    ]);
    expect(report.rejected).toEqual([]);
    expect(report.cards.map(({ says }) => says)).toEqual([
      'a card of a2a-1.0',
      'a card of a2a-0.3',
      'a card of agentvault-0.2',
      'HTTP 404',
    ]);
    expect(report.found[0]).toEqual({
      binding: 'jsonrpc',
      dialect: 'a2a-1.0',
      url: `${gateway.origin}/`,
      listed: true,
      evidence: 'GetTask of an unknown id: Task not found: …',
    });
    expect(report.abilities.every(({ how }) => how === 'native')).toBe(true);
  });

  it.each<[pinned: string, first: string, over?: string[]]>([
    ['a2a-1.0', 'jsonrpc a2a-1.0', ['rest a2a-1.0']],
    ['a2a-0.3', 'jsonrpc a2a-0.3', ['rest a2a-0.3']],
    ['a2a-0.2', 'jsonrpc a2a-0.2'],
    ['a2a-0.1', 'jsonrpc a2a-0.1'],
    ['agentvault-0.2', 'jsonrpc agentvault-0.2'],
    ['a2a-php-0.3', 'jsonrpc a2a-php-0.3'],
  ])('a gateway speaks %s where it is pinned', async (pinned, first, over = []) => {
    const url = `${gateway.origin}/as/${pinned}`;
    const report = await probed(url);
    expect(ways(report)[0]).toBe(first);
    const here = report.found.filter((one) => one.url === url).map(way);
    // A server of the PHP SDK says of itself that it is one of 0.3.
    expect(new Set(here)).toEqual(new Set([first, ...over, ...(pinned === 'a2a-php-0.3' ? ['jsonrpc a2a-0.3'] : [])]));
    expect(report.found[0]?.unsure).toBeUndefined();
  });

  it('a gateway is reported for one dialect or one binding, where no more is wanted', async () => {
    expect(ways(await probed(gateway.origin, { as: 'a2a-0.3' }))).toEqual([
      'jsonrpc a2a-0.3',
      'rest a2a-0.3',
      'grpc a2a-0.3',
      'connect a2a-0.3',
    ]);
    expect(ways(await probed(gateway.origin, { via: 'rest' }))).toEqual(['rest a2a-1.0', 'rest a2a-0.3']);
    expect(ways(await probed(`${gateway.origin}/as/agentvault-0.2`, { listedOnly: true }))).toEqual([
      'jsonrpc agentvault-0.2',
    ]);
    await expect(probe(gateway.origin, { as: 'a2a-0.3', dialects: [] })).rejects.toThrow(
      'not a dialect of this version',
    );
  });

  it('a gateway is found by the URL of its card, and by a card that is known', async () => {
    const { card, cards, found } = await probed(`${gateway.origin}/.well-known/agent-card.json`);
    expect(cards).toHaveLength(1);
    expect(ways({ found })[0]).toBe('jsonrpc a2a-1.0');
    if (card === undefined) throw new TypeError('no card');
    const again = await probed(gateway.origin, { card });
    expect(again.cards).toEqual([]);
    expect(ways(again)[0]).toBe('jsonrpc a2a-1.0');
  });

  it('a gateway has no more tasks afterwards than before', async () => {
    await probed(gateway.origin);
    const client = await connect(gateway.origin);
    afterTest(() => client.close());
    expect(await client.listTasks({})).toMatchObject({ totalSize: 0 });
  });

  it('a gateway can be called in the way that was found', async () => {
    const [first] = (await probed(`${gateway.origin}/demo/as/a2a-0.1`)).found;
    if (first === undefined) throw new TypeError('nothing found');
    const { binding, dialect } = choiceOf(first);
    expect([binding.name, dialect.name]).toEqual(['jsonrpc', 'a2a-0.1']);
    expect(() => choiceOf(first, [])).toThrow('a2a-0.1 is not available over JSON-RPC');
  });
});

describe('servers of the official SDKs', () => {
  const versions: Readonly<Record<string, string>> = { sdk10: 'a2a-1.0', sdk03: 'a2a-0.3', sdk02: 'a2a-0.2' };
  const names = Object.keys(sdkAgents).map((name) => name.split('-') as [version: string, binding: string]);

  it.each(names)('a server of the official SDK %s over %s is known for what it is', async (version, binding) => {
    const agent = await sdkAgents[`${version}-${binding}`]?.();
    if (agent === undefined) throw new TypeError(`no ${version}`);
    afterTest(() => agent.close());
    // The SDK complains of calls in other versions.
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {});
    afterTest(() => complaints.mockRestore());
    const report = await probed(agent.url);
    const dialect = versions[version] ?? '';
    expect(report.found[0]).toMatchObject({ binding, dialect, listed: true });
    expect(new Set(report.found.map((one) => one.dialect))).toEqual(new Set([dialect]));
    expect(report.found[0]?.unsure).toBeUndefined();
    const how = Object.fromEntries(report.abilities.map((one) => [one.operation, one.how]));
    expect(how).toMatchObject({
      SendMessage: 'native',
      SendStreamingMessage: 'native',
      GetExtendedAgentCard: 'impossible',
    });
    expect(how.ListTasks).toBe(version === 'sdk10' ? 'native' : 'lifted');
  });
});

it.each<[what: string, known: string[], dialects: string[]]>([
  ['1.0', ['GetTask'], ['a2a-1.0']],
  ['0.1', ['tasks/get', 'tasks/pushNotification/get'], ['a2a-0.1']],
  ['0.2', ['tasks/get', 'tasks/pushNotificationConfig/get'], ['a2a-0.2']],
])('an agent without a card is known by its methods: %s', async (_, known, dialects) => {
  const { url } = await rpcServer(knowing(...known));
  const report = await probed(url);
  expect(report.found.map(({ dialect }) => dialect)).toEqual(dialects);
  expect(report.card).toBeUndefined();
  expect(report.found[0]).toMatchObject({ listed: false });
});

it('an agent without a card may speak what cannot be recognized', async () => {
  const { url } = await rpcServer(knowing('tasks/get'));
  const { found } = await probed(url);
  expect(found.map(({ dialect }) => dialect)).toEqual([
    'agentvault-0.2',
    'a2a-0.1',
    'a2a-0.2',
    'a2a-0.3',
    'a2a-php-0.3',
  ]);
  for (const { unsure } of found) expect(unsure).toHaveLength(4);
});

it('an agent without a card answers results where others have errors, and is a server of the PHP SDK', async () => {
  const { url } = await rpcServer((rpc) => {
    if (rpc.method === 'ping') return { result: { status: 'pong' } };
    if (rpc.method === 'tasks/pushNotificationConfig/get') return { result: null };
    return knowing('tasks/get')(rpc);
  });
  const { found } = await probed(url);
  expect(found.map(({ dialect }) => dialect)).toEqual(['a2a-php-0.3']);
  expect(found[0]?.evidence).toContain('knows ping');
});

it('an agent without a card may have trouble of its own and speak all the same', async () => {
  const { url } = await rpcServer(({ method }) =>
    method === 'GetTask' ? error(-32603, 'The database is away') : error(-32601, 'Method not found'),
  );
  const { found } = await probed(url);
  expect(found).toMatchObject([{ dialect: 'a2a-1.0', evidence: 'GetTask of an unknown id: The database is away' }]);
});

describe('the questions', () => {
  const harmless = new Set([
    'GetTask',
    'ListTasks',
    'GetTaskPushNotificationConfig',
    'ListTaskPushNotificationConfigs',
    'GetExtendedAgentCard',
    'tasks/get',
    'tasks/pushNotification/get',
    'tasks/pushNotificationConfig/get',
    'tasks/pushNotificationConfig/list',
    'agent/getAuthenticatedExtendedCard',
    'ping',
    'get_agent_card',
  ]);

  it('the questions only read, and are about nothing', async () => {
    const { url, seen } = await rpcServer(() => error(-32001, 'Task not found'));
    await probed(url);
    const knowsAll = await rpcServer(({ method }) =>
      method.startsWith('no-such') ? error(-32601, 'Method not found') : error(-32001, 'Task not found'),
    );
    await probed(knowsAll.url);
    const asked = [...seen, ...knowsAll.seen].map((method) => method.replace('no-such-method/', ''));
    expect(asked.filter((method) => !harmless.has(method))).toEqual([]);
    expect(new Set(asked).size).toBeGreaterThan(8);
  });

  it('the questions are asked two at a time', async () => {
    let open = 0;
    let most = 0;
    const url = await serve((_, res) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        res.writeHead(500).end();
      }, 5);
    });
    const report = await probed(url);
    expect(report.found).toEqual([]);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('the questions stop when the caller has enough', async () => {
    const url = await serve(() => {});
    await expect(probe(url, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ kind: 'canceled' });
    await expect(probe('ftp://x')).rejects.toMatchObject({ kind: 'invalidParams' });
  });

  it('the questions are reported', async () => {
    const said: string[] = [];
    const url = await serve((_, res) => res.writeHead(404).end());
    await probed(url, { onProgress: (what) => said.push(what) });
    expect(said).toContain(`looking for a card at ${url}/.well-known/agent-card.json`);
    expect(said).toContain(`asking HTTP+JSON at ${url}/`);
  });
});
