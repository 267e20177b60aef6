import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { dialectsFor } from '../../src/client/dialects.ts';
import { type FoundCard, readCard } from '../../src/client/read-card.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { afterTest, closedPortUrl, sendJson, serve, serveTcp } from '../support/peer.ts';

const current = '/.well-known/agent-card.json';
const older = '/.well-known/agent.json';
const vault = '/agent-card.json';

const common = {
  name: 'Test',
  description: 'For tests',
  url: 'http://localhost/a2a',
  version: '1',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'a', name: 'A', description: 'A', tags: [] }],
};
const v1 = (...versions: string[]) => {
  const { url, ...rest } = common;
  const supportedInterfaces = versions.map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion }));
  return { ...rest, supportedInterfaces };
};
const v03 = { ...common, protocolVersion: '0.3.0' };
const v026 = { ...common, protocolVersion: '0.2.6' };
const v01 = {
  ...common,
  authentication: { schemes: ['public'] },
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
};
const agentVault = {
  schemaVersion: '1.0',
  humanReadableId: 'test/test',
  agentVersion: '1',
  name: 'Test',
  description: 'For tests',
  url: 'http://localhost/a2a',
  provider: { name: 'Test' },
  capabilities: { a2aVersion: '0.2' },
  authSchemes: [{ scheme: 'none' }],
};

/** Reads with what `connect` uses. */
async function read(base: string, more: { known?: FoundCard; timeout?: number; path?: string } = {}) {
  const http = createHttpClient();
  afterTest(() => http.close());
  const { path = '', timeout = 5_000, known } = more;
  const { signal } = new AbortController();
  const options = { http, dialects: dialectsFor(undefined), headers: () => ({}), signal, timeout };
  return readCard(new URL(base + path), { ...options, ...(known && { known }) });
}

const summary = ({ dialect, alternatives, url, card }: FoundCard) => ({
  dialect: dialect.name,
  alternatives: alternatives.map((other) => other.dialect.name),
  path: new URL(url).pathname,
  versions: card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion),
});

it.each<[what: string, path: string, document: unknown, dialect: string, alternatives: string[]]>([
  ['of 1.0', current, v1('1.0'), 'a2a-1.0', []],
  ['of 0.3', current, v03, 'a2a-0.3', ['a2a-php-0.3']],
  ['of 0.3 at the older path', older, v03, 'a2a-0.3', ['a2a-php-0.3']],
  ['of 0.2.6', older, v026, 'a2a-0.2', []],
  ['of 0.2.5, which has no version', older, common, 'a2a-0.2', ['a2a-0.1']],
  ['of 0.1', older, v01, 'a2a-0.1', ['a2a-0.2']],
  ['of AgentVault', vault, agentVault, 'agentvault-0.2', []],
  ['of PHP with its empty lists', current, { ...v03, capabilities: [] }, 'a2a-php-0.3', []],
  ['for 1.0 and 0.3', current, { ...v03, ...v1('1.0', '0.3') }, 'a2a-1.0', ['a2a-0.3', 'a2a-php-0.3']],
  ['for 0.3 and a version to come', current, { ...v03, ...v1('7.0') }, 'a2a-0.3', ['a2a-php-0.3']],
  ['for 1.0 and AgentVault', current, { ...v1('1.0'), ...agentVault }, 'a2a-1.0', ['agentvault-0.2']],
  ['that lists older generations in the way of 1.0', current, v1('0.2.6'), 'a2a-1.0', []],
])('the generation of a card is seen: %s', async (_, path, document, dialect, alternatives) => {
  const base = await serve((req, res) => (req.url === path ? sendJson(res, document) : res.writeHead(404).end()));
  expect(summary(await read(base))).toMatchObject({ dialect, alternatives, path });
  expect(summary(await read(base, { path }))).toMatchObject({ dialect, alternatives, path });
});

it('the generation of a card is that of the first card with something to call', async () => {
  const cards: Record<string, unknown> = { [current]: v1('7.0'), [older]: v026 };
  const base = await serve((req, res) => {
    const document = cards[req.url ?? ''];
    return document ? sendJson(res, document) : res.writeHead(404).end();
  });
  expect(summary(await read(base))).toMatchObject({ dialect: 'a2a-0.2', path: older });
  delete cards[older];
  expect(summary(await read(base))).toMatchObject({ dialect: 'a2a-1.0', path: current, versions: ['7.0'] });
});

it('the generation of a card may begin with a byte order mark, and have any content type', async () => {
  const base = await serve((_, res) =>
    res.writeHead(200, { 'content-type': 'text/plain' }).end(`\uFEFF${JSON.stringify(v03)}`),
  );
  expect((await read(base)).dialect.name).toBe('a2a-0.3');
});

/** An agent whose card has these validators; what it was asked, and how often it sent the card. */
async function validated(headers: Record<string, string>, fresh: (header: (name: string) => string) => boolean) {
  const state = { document: v03 as unknown, sent: 0, asked: [] as string[] };
  const base = await serve((req, res) => {
    state.asked.push(req.url ?? '');
    if (req.url !== older) return res.writeHead(404).end();
    if (fresh((name) => String(req.headers[name] ?? ''))) return res.writeHead(304, headers).end();
    state.sent += 1;
    return sendJson(res, state.document, 200, headers);
  });
  return { base, state };
}

it.each<[what: string, headers: Record<string, string>, fresh: (header: (name: string) => string) => boolean]>([
  ['an ETag', { etag: '"7"' }, (header) => header('if-none-match') === '"7"'],
  [
    'a date',
    { 'last-modified': 'Sat, 21 Nov 2026 12:00:00 GMT' },
    (header) => header('if-modified-since') === 'Sat, 21 Nov 2026 12:00:00 GMT',
  ],
])('a card that is known is asked for again by %s', async (_, headers, fresh) => {
  const { base, state } = await validated(headers, fresh);
  const known = await read(base);
  state.asked.length = 0;
  const again = await read(base, { known });
  expect(again.card).toBe(known.card);
  expect(state).toMatchObject({ sent: 1, asked: [older] });
});

it('a card that is known is unchanged when the same document comes again', async () => {
  const { base, state } = await validated({}, () => false);
  const known = await read(base);
  expect((await read(base, { known })).card).toBe(known.card);
  expect(state.sent).toBe(2);
});

it('a card that is known takes over a new ETag of the same document', async () => {
  let tag = 0;
  const base = await serve((_, res) => sendJson(res, v03, 200, { etag: `"${++tag}"` }));
  const known = await read(base);
  expect((await read(base, { known })).validators).toEqual({ etag: '"2"' });
});

it('a card that is known is read anew when it has changed, wherever the agent has it now', async () => {
  const cards: Record<string, unknown> = { [older]: v026 };
  const base = await serve((req, res) => {
    const document = cards[req.url ?? ''];
    return document ? sendJson(res, document) : res.writeHead(404).end();
  });
  const known = await read(base);
  expect(known.dialect.name).toBe('a2a-0.2');
  cards[older] = { ...v026, version: '2' };
  expect((await read(base, { known })).card.version).toBe('2');
  cards[current] = v1('1.0');
  delete cards[older];
  expect(summary(await read(base, { known }))).toMatchObject({ dialect: 'a2a-1.0', path: current });
});

describe('a card that cannot be read', () => {
  it('a card that cannot be read does not hide the one that can behind a lock', async () => {
    const base = await serve((req, res) => (req.url === vault ? sendJson(res, agentVault) : res.writeHead(401).end()));
    expect((await read(base)).dialect.name).toBe('agentvault-0.2');
  });

  const html: RequestListener = (_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  it.each<[what: string, listener: RequestListener, kind: string, says: RegExp]>([
    ['behind a lock', (_, res) => res.writeHead(401).end(), 'unauthenticated', /asks for credentials \(HTTP 401\)/],
    ['for others', (_, res) => res.writeHead(403).end(), 'permissionDenied', /HTTP 403/],
    [
      'not to be had now',
      (_, res) => res.writeHead(503).end(),
      'unavailable',
      /not available at the moment \(HTTP 503\)/,
    ],
    ['on a web page', html, 'invalidAgentResponse', /something that is not an agent card/],
    ['of a number', (_, res) => sendJson(res, 7), 'invalidAgentResponse', /is not valid/],
    ['of 500s', (_, res) => res.writeHead(500).end(), 'agentNotFound', /tried .*agent-card\.json \(HTTP 500\)/],
    ['unasked 304s', (_, res) => res.writeHead(304).end(), 'agentNotFound', /HTTP 304/],
    ['of two megabytes', (_, res) => sendJson(res, 'x'.repeat(2 << 20)), 'invalidAgentResponse', /larger than 1048576/],
    ['in a circle', (req, res) => res.writeHead(302, { location: req.url }).end(), 'invalidAgentResponse', /too often/],
    [
      'in a file',
      (_, res) => res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      'invalidAgentResponse',
      /redirects to file:/,
    ],
    [
      'nested without end',
      (_, res) => res.end('['.repeat(900_000)),
      'invalidAgentResponse',
      /something that is not an agent card/,
    ],
    [
      'cut off',
      (_, res) => {
        res.writeHead(200, { 'content-length': '900' });
        res.write('{"name":');
        setTimeout(() => res.destroy(), 5);
      },
      'upstreamUnreachable',
      /connection was closed/,
    ],
  ])('a card that cannot be read is an error: %s', async (_, listener, kind, says) => {
    await expect(read(await serve(listener))).rejects.toMatchObject({ kind, message: expect.stringMatching(says) });
  });

  it.each<[what: string, listener: RequestListener]>([
    ['never begins', () => {}],
    ['never ends', (_, res) => void res.writeHead(200).write('{')],
    [
      'leads from one place to the next',
      (req, res) => void setTimeout(() => res.writeHead(302, { location: req.url }).end(), 30),
    ],
  ])('reading a card is given up in time if the answer %s', async (_, listener) => {
    const base = await serve(listener);
    await expect(read(base, { timeout: 60 })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
  });

  it('a card cannot be read if the port is closed or does not speak HTTP', async () => {
    await expect(read(await closedPortUrl())).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    const noise = await serveTcp((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    await expect(read(noise)).rejects.toThrow('not HTTP');
  });
});
