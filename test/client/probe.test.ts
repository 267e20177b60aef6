import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { choiceOf, type ProbeOptions, type ProbeReport, probe } from '../../src/client/probe.ts';
import { type Running, startGateway } from '../interop/gateway.ts';
import { afterTest, bodyOf, sendJson, serve, serveNobody, serveTcp } from '../support/peer.ts';
import { sdkAgents } from '../support/sdk-agents.ts';

const way = ({ binding, dialect }: { binding: string; dialect: string }): string => `${binding} ${dialect}`;
const ways = ({ found }: Pick<ProbeReport, 'found'>): string[] => found.map(way);

/** Why a way does not work. */
const why = ({ rejected }: ProbeReport, binding: string, dialect: string): string | undefined =>
  rejected.find((one) => one.binding === binding && one.dialect === dialect)?.why;

/** The report must be one that can be printed, and every way in it be told of once. */
async function probed(target: string, options?: ProbeOptions): Promise<ProbeReport> {
  const report = await probe(target, options);
  for (const { evidence } of report.found) expect(evidence).toMatch(/of an unknown id: \S/);
  for (const one of report.rejected) expect(one.why).toMatch(/\S/);
  const all = [...report.found, ...report.rejected].map((one) => `${way(one)} ${one.url}`);
  expect(new Set(all).size).toBe(all.length);
  return report;
}

describe('a gateway', () => {
  let gateway: Running;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('speaks everything', async () => {
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
  ])('speaks %s where it is pinned', async (pinned, first, over = []) => {
    const url = `${gateway.origin}/as/${pinned}`;
    const report = await probed(url);
    expect(ways(report)[0]).toBe(first);
    const here = report.found.filter((one) => one.url === url).map(way);
    // A server of the PHP SDK says of itself that it is one of 0.3.
    expect(new Set(here)).toEqual(new Set([first, ...over, ...(pinned === 'a2a-php-0.3' ? ['jsonrpc a2a-0.3'] : [])]));
    expect(report.found[0]?.unsure).toBeUndefined();
  });

  it('is told of in one dialect or over one binding, where no more is asked', async () => {
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
    await expect(probe(gateway.origin, { as: 'a2a-0.3', dialects: [] })).rejects.toThrow('not spoken by this version');
  });

  it('is found by the URL of its card, and by a card that is known', async () => {
    const { card, cards, found } = await probed(`${gateway.origin}/.well-known/agent-card.json`);
    expect(cards).toHaveLength(1);
    expect(ways({ found })[0]).toBe('jsonrpc a2a-1.0');
    if (card === undefined) throw new TypeError('no card');
    const again = await probed(gateway.origin, { card });
    expect(again.cards).toEqual([]);
    expect(ways(again)[0]).toBe('jsonrpc a2a-1.0');
  });

  it('has no more tasks afterwards than before', async () => {
    await probed(gateway.origin);
    const client = await connect(gateway.origin);
    afterTest(() => client.close());
    expect(await client.listTasks({})).toMatchObject({ totalSize: 0 });
  });

  it('can be called in the way that was found', async () => {
    const [first] = (await probed(`${gateway.origin}/demo/as/a2a-0.1`)).found;
    if (first === undefined) throw new TypeError('nothing found');
    const { binding, dialect } = choiceOf(first);
    expect([binding.name, dialect.name]).toEqual(['jsonrpc', 'a2a-0.1']);
    expect(() => choiceOf(first, [])).toThrow(TypeError);
  });
});

describe('servers of the official SDKs', () => {
  const versions: Readonly<Record<string, string>> = { sdk10: 'a2a-1.0', sdk03: 'a2a-0.3', sdk02: 'a2a-0.2' };
  const names = Object.keys(sdkAgents).map((name) => name.split('-') as [version: string, binding: string]);

  it.each(names)('%s over %s are known for what they are', async (version, binding) => {
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

type Rpc = { readonly method: string; readonly params: unknown; readonly id: unknown };

/** A JSON-RPC server at every path, without a card; what it was asked. */
async function rpcServer(
  answer: (rpc: Rpc) => object,
  more: (url: string, res: Parameters<RequestListener>[1]) => boolean = () => false,
): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const url = await serve(async (req, res) => {
    const body = await bodyOf(req);
    if (more(req.url ?? '', res)) return;
    if (req.method !== 'POST') return void res.writeHead(404).end();
    if (!body.startsWith('{"jsonrpc"')) return void res.writeHead(404).end();
    const rpc = JSON.parse(body) as Rpc;
    seen.push(rpc.method);
    sendJson(res, { jsonrpc: '2.0', id: rpc.id, ...answer(rpc) });
  });
  return { url, seen };
}

const error = (code: number, message: string): object => ({ error: { code, message } });
const knowing =
  (...known: string[]) =>
  ({ method }: Rpc): object =>
    known.includes(method) ? error(-32001, 'Task not found') : error(-32601, 'Method not found');

describe('an agent without a card', () => {
  it.each<[what: string, known: string[], dialects: string[]]>([
    ['1.0', ['GetTask'], ['a2a-1.0']],
    ['0.1', ['tasks/get', 'tasks/pushNotification/get'], ['a2a-0.1']],
    ['0.2', ['tasks/get', 'tasks/pushNotificationConfig/get'], ['a2a-0.2']],
  ])('is known by its methods: %s', async (_, known, dialects) => {
    const { url } = await rpcServer(knowing(...known));
    const report = await probed(url);
    expect(report.found.map(({ dialect }) => dialect)).toEqual(dialects);
    expect(report.card).toBeUndefined();
    expect(report.found[0]).toMatchObject({ listed: false });
  });

  it('may speak what cannot be told', async () => {
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

  it('answers results where others have errors, and is a server of the PHP SDK', async () => {
    const { url } = await rpcServer((rpc) => {
      if (rpc.method === 'ping') return { result: { status: 'pong' } };
      if (rpc.method === 'tasks/pushNotificationConfig/get') return { result: null };
      return knowing('tasks/get')(rpc);
    });
    const { found } = await probed(url);
    expect(found.map(({ dialect }) => dialect)).toEqual(['a2a-php-0.3']);
    expect(found[0]?.evidence).toContain('knows ping');
  });

  it('may have trouble of its own and speak all the same', async () => {
    const { url } = await rpcServer(({ method }) =>
      method === 'GetTask' ? error(-32603, 'The database is away') : error(-32601, 'Method not found'),
    );
    const { found } = await probed(url);
    expect(found).toMatchObject([{ dialect: 'a2a-1.0', evidence: 'GetTask of an unknown id: The database is away' }]);
  });
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

  it('only read, and are about nothing', async () => {
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

  it('are asked two at a time', async () => {
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

  it('stop when the caller has enough', async () => {
    const url = await serve(() => {});
    await expect(probe(url, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ kind: 'canceled' });
    await expect(probe('ftp://x')).rejects.toMatchObject({ kind: 'invalidParams' });
  });

  it('are told of', async () => {
    const said: string[] = [];
    const url = await serve((_, res) => res.writeHead(404).end());
    await probed(url, { onProgress: (what) => said.push(what) });
    expect(said).toContain(`looking for a card at ${url}/.well-known/agent-card.json`);
    expect(said).toContain(`asking HTTP+JSON at ${url}/`);
  });
});

describe('credentials', () => {
  const card = (url: string) => ({
    name: 'Test',
    description: 'For tests',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Test-Key' } } },
  });

  it('are asked for, and given', async () => {
    const url = await serve(async (req, res) => {
      if (req.headers.authorization !== 'Bearer good') return void res.writeHead(401).end();
      const body = await bodyOf(req);
      if (!body.startsWith('{"jsonrpc"')) return void res.writeHead(404).end();
      const rpc = JSON.parse(body) as Rpc;
      sendJson(res, { jsonrpc: '2.0', id: rpc.id, ...knowing('GetTask')(rpc) });
    });
    const locked = await probed(url);
    expect(locked.found).toEqual([]);
    expect(locked.cards[0]?.says).toBe('HTTP 401');
    expect(locked.rejected.filter(({ binding }) => binding !== 'grpc').map(({ kind }) => kind)).not.toContain(
      'internal',
    );
    expect(locked.rejected.find(({ binding }) => binding === 'jsonrpc')?.kind).toBe('unauthenticated');
    expect(ways(await probed(url, { bearer: 'good' }))).toEqual(['jsonrpc a2a-1.0']);
    const headersFor = (): (() => Record<string, string>) => () => ({ authorization: 'Bearer good' });
    expect(ways(await probed(url, { headersFor }))).toEqual(['jsonrpc a2a-1.0']);
  });

  it('go to no host that only the card names', async () => {
    const seen: unknown[] = [];
    const other = await serve((req, res) => {
      seen.push(req.headers);
      res.writeHead(404).end();
    });
    const elsewhere = other.replace('127.0.0.1', 'localhost');
    const keys: unknown[] = [];
    const url = await serve((req, res) => {
      keys.push(req.headers['x-test-key'] ?? req.headers['x-api-key']);
      if (req.url === '/.well-known/agent-card.json') sendJson(res, card(elsewhere));
      else res.writeHead(404).end();
    });
    const report = await probed(url, { apiKey: 'secret' });
    expect(report.notes).toEqual([`credentials are held back from ${new URL(elsewhere).host}, which the card names`]);
    expect(seen.length).toBeGreaterThan(0);
    expect(JSON.stringify([seen, report])).not.toContain('secret');
    expect(new Set(keys)).toEqual(new Set(['secret']));
  });

  it('are not told in the report', async () => {
    const url = await serve((_, res) => res.writeHead(403).end());
    expect(JSON.stringify(await probed(url, { bearer: 'secret', apiKey: 'secret' }))).not.toContain('secret');
  });
});

describe('what is no agent', () => {
  it.each<[what: string, listener: RequestListener, rest: RegExp, jsonrpc: RegExp]>([
    [
      'a web page',
      (_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /text\/html instead of JSON/,
      /text\/html instead of JSON/,
    ],
    ['500s', (_, res) => res.writeHead(500).end('oops'), /HTTP 500/, /HTTP 500/],
    [
      'redirects in a circle',
      (req, res) => res.writeHead(302, { location: req.url ?? '/' }).end(),
      /redirects to .* not followed \(HTTP 302\)/,
      /redirects to .* not followed \(HTTP 302\)/,
    ],
    ['garbage', (_, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"a"'), /JSON/, /JSON/],
    ['empty objects', (_, res) => sendJson(res, {}), /not valid/, /./],
    [
      'a web framework that says in JSON what it does not have',
      (req, res) =>
        sendJson(res, { statusCode: 404, message: `Cannot ${req.method} ${req.url}`, error: 'Not Found' }, 404),
      /No such path/,
      /not a JSON-RPC error/,
    ],
    [
      'an interface to other tasks',
      (req, res) =>
        req.url?.startsWith('/tasks/') ? sendJson(res, { message: 'No such task' }, 404) : res.writeHead(404).end(),
      /No such path/,
      /HTTP 404/,
    ],
  ])('%s', async (_, listener, rest, jsonrpc) => {
    const report = await probed(await serve(listener));
    expect(report.found).toEqual([]);
    expect(why(report, 'rest', 'a2a-1.0')).toMatch(rest);
    expect(why(report, 'jsonrpc', 'a2a-1.0')).toMatch(jsonrpc);
    expect(report.abilities).toEqual([]);
  });

  it('a web framework that says in JSON what it does not have, which is how some servers of 0.3 say it of a task', async () => {
    const url = await serve((req, res) => sendJson(res, { message: `Cannot ${req.method} ${req.url}` }, 404));
    const report = await probed(url);
    expect(report.found).toEqual([]);
    expect(why(report, 'rest', 'a2a-0.3')).toBe(
      'answers GET /v1/tasks/* as it answers nonsense: Cannot GET /v1/tasks/…',
    );
    const python = await serve((req, res) =>
      sendJson(res, req.url?.startsWith('/v1/tasks/') ? { message: 'Task not found' } : { detail: 'Not Found' }, 404),
    );
    expect(ways(await probed(python))).toEqual(['rest a2a-0.3']);
  });

  it('something that says "task not found" to everything', async () => {
    const { url } = await rpcServer(() => error(-32001, 'Task not found'));
    const report = await probed(url);
    expect(report.found).toEqual([]);
    expect(why(report, 'jsonrpc', 'a2a-0.3')).toBe('answers tasks/get as it answers nonsense: Task not found');
  });

  it('nobody', async () => {
    const report = await probed(await serveNobody());
    expect(report.found).toEqual([]);
    expect(report.cards).toHaveLength(1);
    expect(new Set(report.rejected.map(({ kind }) => kind))).toEqual(new Set(['upstreamUnreachable']));
  });

  it('something that is not HTTP, or hangs up', async () => {
    for (const hello of ['SSH-2.0-OpenSSH_9.6\r\n', '']) {
      const report = await probed(await serveTcp((socket) => void socket.end(hello)));
      expect(report.found).toEqual([]);
    }
    const plain = (await serve(() => {})).replace('http://127.0.0.1', 'https://localhost');
    expect(why(await probed(plain), 'jsonrpc', 'a2a-1.0')).toMatch(/does not speak TLS here/);
  });

  it('a server that never answers, within the time that there is', async () => {
    let asked = 0;
    const url = await serve(() => {
      asked += 1;
    });
    const report = await probed(url, { timeout: 40 });
    expect(report.found).toEqual([]);
    expect(why(report, 'jsonrpc', 'agentvault-0.2')).toMatch(/did not answer within/);
    // Once for the card, once for each binding that is HTTP/1.1: what does not answer one dialect answers none.
    expect(asked).toBeLessThanOrEqual(4);
    const hurried = await probed(url, { timeout: 5_000, within: 60 });
    expect(hurried.rejected.map((one) => one.why)).toContain('not tried: the time for all of it is up');
  });

  it('a card that names the whole world', async () => {
    const url = await serve((req, res) => {
      if (req.url !== '/.well-known/agent-card.json') return res.writeHead(404).end();
      const supportedInterfaces = Array.from({ length: 3_000 }, (_, at) => ({
        url: at === 0 ? 'nonsense' : `http://127.0.0.1:9/${at}`,
        protocolBinding: 'JSONRPC',
        protocolVersion: '1.0',
      }));
      return sendJson(res, {
        name: 'Test',
        description: 'For tests',
        version: '1',
        supportedInterfaces,
        capabilities: {},
        defaultInputModes: [],
        defaultOutputModes: [],
        skills: [],
      });
    });
    const report = await probed(url);
    expect(why(report, 'jsonrpc', 'a2a-1.0')).toBe(
      "the agent's card names an interface at nonsense, which is not a URL",
    );
    expect(report.rejected.length).toBeLessThan(120);
  });
});
