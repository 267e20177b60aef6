import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { type AuthHooks, challenge } from '../../src/auth/hooks/hooks.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { type Certified, createAuthority } from '../support/certificates.ts';
import { newFolder } from '../support/folders.ts';
import { type Opened, openGateway } from '../support/gateway.ts';

/**
 * Data that is derived from one request never answers another. For each place that keeps data between requests (buckets of
 * limits, verified credentials, connections, cards, idempotency keys, …), the test sends two kinds of requests that must
 * not be confused to one gateway, in both orders. Each must be answered as by a gateway that has seen nothing else.
 */

const tls = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const ca = readFileSync(tls('ca.pem'), 'utf8');
const folder = newFolder();
const adminKey = 'the-key-of-the-operator';
process.env.A2A_GATEWAY_ADMIN_KEY = adminKey;
afterAll(() => {
  delete process.env.A2A_GATEWAY_ADMIN_KEY;
});

const authorities = [createAuthority('Clients'), createAuthority('Partners')] as const;
const clientCa = join(folder, 'clients.pem');
writeFileSync(clientCa, authorities.map(({ cert }) => cert).join(''));
const [carol, otherCarol] = authorities.map((one) => one.issue({ subject: [['CN', 'carol']] })) as [
  Certified,
  Certified,
];

interface Ask {
  /** Default: the page that lists the agents. */
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Shown by the connection. */
  readonly client?: Certified;
}

/** Status, body, and the headers that depend on who asks. */
type Answer = readonly [status: unknown, headers: object, body: string];

const compared = ['access-control-allow-origin', 'vary', 'www-authenticate', 'grpc-status', 'content-type'];
/** Parts of an answer that are different for each call. */
const random = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|"requestId":"[^"]*"/g;

const answerOf = (
  status: unknown,
  headers: Readonly<Record<string, unknown>>,
  chunks: readonly Buffer[],
  port: number,
) =>
  [
    status,
    Object.fromEntries(compared.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    Buffer.concat(chunks).toString('latin1').replace(random, 'RANDOM').replaceAll(String(port), 'PORT'),
  ] as const;

function overHttp1(
  { port, url }: Opened,
  { path = '/agents', method = 'GET', headers = {}, body, client }: Ask,
): Promise<Answer> {
  const secure = url.startsWith('https:');
  const sent = body && { 'content-type': 'application/json' };
  const options = { host: 'localhost', port, path, method, agent: false as const, headers: { ...sent, ...headers } };
  return new Promise((resolve, reject) => {
    const onAnswer = (res: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve(answerOf(res.statusCode, res.headers, chunks, port)));
    };
    const req = secure ? httpsRequest({ ...options, ca, ...client }, onAnswer) : httpRequest(options, onAnswer);
    req.on('error', reject);
    req.end(body && JSON.stringify(body));
  });
}

function overHttp2(
  { port, url }: Opened,
  { path = '/agents', method = 'GET', headers = {}, body, client }: Ask,
): Promise<Answer> {
  const session = connectHttp2(url, { ca, ...client, ALPNProtocols: ['h2'] });
  const sent = body && { 'content-type': 'application/json' };
  const { host, ...others } = headers;
  const authority = host === undefined ? {} : { ':authority': host };
  const stream = session.request({ ':path': path, ':method': method, ...authority, ...sent, ...others });
  return new Promise<Answer>((resolve, reject) => {
    let head: Record<string, unknown> = {};
    const chunks: Buffer[] = [];
    session.on('error', reject);
    stream.on('error', reject);
    stream.on('response', (given) => {
      head = given;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('trailers', (given) => {
      head = { ...head, ...given };
    });
    stream.on('end', () => resolve(answerOf(head[':status'], head, chunks, port)));
    stream.end(body && JSON.stringify(body));
  }).finally(() => session.destroy());
}

/** An empty message in gRPC's frame. */
const noMessage = Buffer.alloc(5);

function overGrpc({ port, url }: Opened, rpc: string, { headers = {}, client }: Ask): Promise<Answer> {
  const session = connectHttp2(url, { ca, ...client, ALPNProtocols: ['h2'] });
  const type = { 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ':path': rpc, ':method': 'POST', ...type, ...headers });
  return new Promise<Answer>((resolve, reject) => {
    let head: Record<string, unknown> = {};
    session.on('error', reject);
    stream.on('error', reject);
    for (const part of ['response', 'trailers'] as const) {
      stream.on(part, (given: object) => {
        head = { ...head, ...given };
      });
    }
    stream.resume();
    stream.on('end', () => resolve(answerOf(head[':status'], head, [], port)));
    stream.end(noMessage);
  }).finally(() => session.destroy());
}

/** One request in several bindings. */
type Via = (gateway: Opened, ask: Ask) => Promise<Answer>;
const pages: Record<string, Via> = {
  'a page over HTTP/1.1': (gateway, ask) => overHttp1(gateway, ask),
  'a page over HTTP/2': (gateway, ask) => overHttp2(gateway, ask),
};
const listTasks: Record<string, Via> = {
  'HTTP+JSON': (gateway, ask) => overHttp1(gateway, { ...ask, path: '/tasks' }),
  'JSON-RPC': (gateway, ask) =>
    overHttp1(gateway, {
      ...ask,
      path: '/',
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} },
    }),
  Connect: (gateway, ask) =>
    overHttp2(gateway, { ...ask, path: '/lf.a2a.v1.A2AService/ListTasks', method: 'POST', body: {} }),
  gRPC: (gateway, ask) => overGrpc(gateway, '/lf.a2a.v1.A2AService/ListTasks', ask),
  MCP: (gateway, ask) =>
    overHttp1(gateway, {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      ...ask,
      headers: { ...ask.headers, accept: 'application/json, text/event-stream' },
      path: '/mcp',
    }),
};
const adminConfig: Record<string, Via> = {
  'HTTP+JSON': (gateway, ask) => overHttp1(gateway, { ...ask, path: '/admin/v1/config' }),
  'HTTP+JSON over HTTP/2': (gateway, ask) => overHttp2(gateway, { ...ask, path: '/admin/v1/config' }),
  Connect: (gateway, ask) =>
    overHttp1(gateway, {
      ...ask,
      path: '/a2agateway.admin.v1.AdminService/GetConfig',
      method: 'POST',
      body: {},
    }),
  gRPC: (gateway, ask) => overGrpc(gateway, '/a2agateway.admin.v1.AdminService/GetConfig', ask),
};

const key = (name: string): Record<string, string> => ({ 'x-api-key': `key of ${name}` });
const hash = (name: string): string => JSON.stringify(shownHash(hashOf(`key of ${name}`)));
const page = 'https://app.example.com';
const withTls = `{ port: 0, host: localhost, tls: { cert: ${tls('server.pem')}, key: ${tls('server.key')}, clientCa: ${clientCa} } }`;

/** Callers by their keys, as long as they show a second factor. */
const secondFactor: AuthHooks = {
  authenticate: async (request) =>
    request.header('x-otp') === undefined && request.header('x-api-key') !== undefined
      ? challenge('Otp', 'The second factor is missing')
      : undefined,
};

const card = '/.well-known/agent-card.json';
const authorization = '/.well-known/oauth-protected-resource';

const sends = (text: string, headers: Readonly<Record<string, string>>): Ask => ({
  path: '/message:send',
  method: 'POST',
  headers: { ...headers, 'idempotency-key': 'again' },
  body: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } },
});

interface Row {
  /** Name of the data that is kept between requests. */
  readonly title: string;
  readonly settings: string;
  readonly hooks?: AuthHooks;
  readonly kinds: readonly [one: Ask, other: Ask];
  readonly vias: Readonly<Record<string, Via>>;
}

const rows: readonly Row[] = [
  {
    title: 'the bucket of an anonymous network, by a tool and by a web page',
    settings: `listen: { port: 0, host: localhost, cors: ["${page}"] }`,
    kinds: [{}, { headers: { origin: page } }],
    vias: {
      ...adminConfig,
      ...Object.fromEntries(Object.entries(listTasks).map(([n, via]) => [`tasks by ${n}`, via])),
    },
  },
  {
    title: 'the bucket of an anonymous network, by a tool and by a recognisable proxy',
    settings: '',
    kinds: [{}, { headers: { 'x-forwarded-for': '192.0.2.1' } }],
    vias: { ...adminConfig, ...listTasks },
  },
  {
    title: 'the admin key, and a wrong one that is as long',
    settings: '',
    kinds: [{ headers: { 'x-api-key': adminKey } }, { headers: { 'x-api-key': 'the-key-of-the-stranger' } }],
    vias: adminConfig,
  },
  {
    title: 'how to authorize, by hosts that name different agents',
    settings: `auth: { anonymous: false, tokenEndpoint: { clients: [{ id: a, hash: ${hash('one')}, scopes: [tasks] }] } }`,
    kinds: [{ path: authorization }, { path: authorization, headers: { host: 'other.example.com' } }],
    vias: pages,
  },
  {
    title: 'keys with one name and different scopes',
    settings: `auth: { anonymous: false, apiKeys: [{ name: a, hash: ${hash('one')} }, { name: a, hash: ${hash('two')}, scopes: [admin] }] }`,
    kinds: [{ headers: key('one') }, { headers: key('two') }],
    vias: { ...adminConfig, ...listTasks },
  },
  {
    title: 'a verified key in its two headers, and a wrong one',
    settings: `auth: { anonymous: false, apiKeyHeader: X-Key, failuresPerMinute: unlimited, apiKeys: [{ name: a, hash: ${hash('one')} }] }`,
    kinds: [{ headers: { 'x-key': 'key of one' } }, { headers: { 'x-api-key': 'key of two' } }],
    vias: listTasks,
  },
  {
    title: 'a hook that accepts a key with a second factor alone',
    settings: `auth: { anonymous: false, failuresPerMinute: unlimited, apiKeys: [{ name: a, hash: ${hash('one')} }] }`,
    hooks: secondFactor,
    kinds: [{ headers: { ...key('one'), 'x-otp': '1' } }, { headers: key('one') }],
    vias: listTasks,
  },
  {
    title: 'one idempotency key of two certificates with one subject, by two authorities',
    settings: `listen: ${withTls}\nauth: { anonymous: false, mtls: { required: false } }`,
    kinds: [
      { ...sends('say one', {}), client: carol },
      { ...sends('say two', {}), client: otherCarol },
    ],
    vias: pages,
  },
  {
    title: 'a certificate, and a connection without one',
    settings: `listen: ${withTls}\nauth: { anonymous: false, mtls: { required: false } }`,
    kinds: [{ client: carol }, {}],
    vias: { ...listTasks, ...pages },
  },
  {
    title: 'the page of the agents, for callers who may call different ones',
    settings: `auth: { anonymous: false, apiKeys: [{ name: a, hash: ${hash('one')}, agents: [demo] }, { name: b, hash: ${hash('two')}, agents: [other] }] }`,
    kinds: [{ headers: key('one') }, { headers: key('two') }],
    vias: { ...pages, ...listTasks },
  },
  {
    title: 'the details of readiness, for a caller and for none',
    settings: `auth: { anonymous: false, apiKeys: [{ name: a, hash: ${hash('one')} }] }`,
    kinds: [{ path: '/readyz', headers: key('one') }, { path: '/readyz' }],
    vias: pages,
  },
  {
    title: 'the card, by hosts that name different agents',
    settings: '',
    kinds: [{ path: card }, { path: card, headers: { host: 'other.example.com' } }],
    vias: pages,
  },
  {
    title: 'the card in two versions',
    settings: '',
    kinds: [
      { path: card, headers: { 'a2a-version': '1.0' } },
      { path: card, headers: { 'a2a-version': '0.3' } },
    ],
    vias: pages,
  },
  {
    title: 'the answers to two origins, one of them unknown',
    settings: `listen: { port: 0, host: localhost, cors: ["${page}"] }`,
    kinds: [
      { path: card, headers: { origin: page } },
      { path: card, headers: { origin: 'https://evil.example.com' } },
    ],
    vias: pages,
  },
  {
    title: 'the root, for browsers and for programs',
    settings: '',
    kinds: [{ path: '/', headers: { accept: 'text/html' } }, { path: '/' }],
    vias: pages,
  },
  {
    title: 'one idempotency key of two callers, who send different messages',
    settings: `auth: { anonymous: false, apiKeys: [{ name: a, hash: ${hash('one')} }, { name: b, hash: ${hash('two')} }] }`,
    kinds: [sends('say one', key('one')), sends('say two', key('two'))],
    vias: pages,
  },
];

const agents =
  'agents: { demo: { kind: reference }, other: { kind: reference, hosts: [other.example.com] } }\ndefaultAgent: demo\n';

/** The answers of a gateway that has seen nothing else, over each binding, as often as the order has. */
async function answersOf({ settings, hooks, vias }: Row, asks: readonly Ask[]): Promise<unknown[]> {
  const listens = /^listen:/.test(settings) ? '' : 'listen: { port: 0, host: localhost }\n';
  const text = `store: "memory:"\n${listens}${settings}\n${agents}`;
  const config = parseConfig(text, { file: join(folder, 'gateway.yaml'), env: {} });
  const auth = { ...config.auth, hooks: hooks && { code: hooks, timeout: 5_000 } };
  const gateway = await openGateway({ ...config, auth });
  const answers: unknown[] = [];
  for (const [name, via] of Object.entries(vias)) {
    for (const [at, ask] of asks.entries()) answers.push([name, at % 2, ...(await via(gateway, ask))]);
  }
  return answers;
}

describe.each(rows)('$title', (row) => {
  const [one, other] = row.kinds;

  it.each([
    ['one way round', one, other],
    ['the other way round', other, one],
  ])(`${row.title} gets the answers of a fresh gateway, %s`, async (_, first, second) => {
    const [fresh, freshOther] = await Promise.all([answersOf(row, [first]), answersOf(row, [second])]);
    const expected = fresh.flatMap((answer, at) => [answer, renumbered(freshOther[at])]);
    expect(await answersOf(row, [first, second])).toEqual(expected);
    // Otherwise the row would show nothing.
    expect(fresh).not.toEqual(freshOther);
  });
});

const renumbered = (answer: unknown): unknown => (answer as unknown[]).with(1, 1);

it('what depends on the caller is kept by no cache in front of the gateway, which does not know the header of keys', async () => {
  const cachedFor = async (publicCards: boolean): Promise<unknown> => {
    const auth = `auth: { anonymous: false, publicCards: ${publicCards}, apiKeys: [{ name: a, hash: ${hash('one')}, scopes: [tasks, admin] }] }`;
    const gateway = await openGateway(`${auth}\n${agents}`);
    const headers = key('one');
    return await Promise.all(
      ['/agents', '/readyz', '/tasks', '/admin/v1/agents', card].map(async (path) => {
        const { status, headers: given } = await fetch(gateway.url + path, { headers });
        return [path, status, given.get('cache-control')];
      }),
    );
  };
  const ofCaller = [
    ...['/agents', '/readyz'].map((path) => [path, 200, 'private, no-cache']),
    ...['/tasks', '/admin/v1/agents'].map((path) => [path, 200, 'no-store']),
  ];
  expect(await cachedFor(false)).toEqual([...ofCaller, [card, 200, 'private, max-age=60']]);
  expect(await cachedFor(true)).toEqual([...ofCaller, [card, 200, 'max-age=60']]);
});
