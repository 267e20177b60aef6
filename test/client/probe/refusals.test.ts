import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { v1Card } from '../../support/cards.ts';
import { bodyOf, closedPortUrl, sendJson, serve, serveTcp } from '../../support/peer.ts';
import { error, knowing, probed, type Rpc, rpcServer, ways, why } from '../probed.ts';

/** Probing what does not let everybody in, and what is no agent at all. */

describe('credentials', () => {
  const securitySchemes = { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Test-Key' } } };
  const card = (url: string) => v1Card(url, { securitySchemes });

  it('credentials are asked for, and given', async () => {
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

  it('credentials go to no host that only the card names', async () => {
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
    expect(report.notes).toContain(`credentials are held back from ${new URL(elsewhere).host}, which the card names`);
    expect(seen.length).toBeGreaterThan(0);
    expect(JSON.stringify([seen, report])).not.toContain('secret');
    expect(new Set(keys)).toEqual(new Set(['secret']));
  });

  it('credentials are not in the report', async () => {
    const url = await serve((_, res) => res.writeHead(403).end());
    expect(JSON.stringify(await probed(url, { bearer: 'secret', apiKey: 'secret' }))).not.toContain('secret');
  });
});

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
    /redirects to itself \(HTTP 302\)/,
    /redirects to itself \(HTTP 302\)/,
  ],
  ['garbage', (_, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"a"'), /JSON/, /JSON/],
  ['empty objects', (_, res) => sendJson(res, {}), /not valid/, /./],
  [
    'a web framework that says in JSON what it does not have',
    (req, res) =>
      sendJson(res, { statusCode: 404, message: `Cannot ${req.method} ${req.url}`, error: 'Not Found' }, 404),
    /No such path/,
    /answered HTTP 404/,
  ],
  [
    'an interface to other tasks',
    (req, res) =>
      req.url?.startsWith('/tasks/') ? sendJson(res, { message: 'No such task' }, 404) : res.writeHead(404).end(),
    /No such path/,
    /HTTP 404/,
  ],
])('a probe finds no agent at %s', async (_, listener, rest, jsonrpc) => {
  const report = await probed(await serve(listener));
  expect(report.found).toEqual([]);
  expect(why(report, 'rest', 'a2a-1.0')).toMatch(rest);
  expect(why(report, 'jsonrpc', 'a2a-1.0')).toMatch(jsonrpc);
  expect(report.abilities).toEqual([]);
});

it('a probe finds no agent at a web framework that says in JSON what it does not have, as some servers of 0.3 do for a task', async () => {
  const url = await serve((req, res) => sendJson(res, { message: `Cannot ${req.method} ${req.url}` }, 404));
  const report = await probed(url);
  expect(report.found).toEqual([]);
  expect(why(report, 'rest', 'a2a-0.3')).toBe(
    'answers GET /v1/tasks/* like a method that does not exist: Cannot GET /v1/tasks/…',
  );
  const python = await serve((req, res) =>
    sendJson(res, req.url?.startsWith('/v1/tasks/') ? { message: 'Task not found' } : { detail: 'Not Found' }, 404),
  );
  expect(ways(await probed(python))).toEqual(['rest a2a-0.3']);
});

it('a probe finds no agent at a server that says "task not found" to everything', async () => {
  const { url } = await rpcServer(() => error(-32001, 'Task not found'));
  const report = await probed(url);
  expect(report.found).toEqual([]);
  expect(why(report, 'jsonrpc', 'a2a-0.3')).toBe('answers tasks/get like a method that does not exist: Task not found');
});

it('a probe finds no agent at a closed port', async () => {
  const report = await probed(await closedPortUrl());
  expect(report.found).toEqual([]);
  expect(report.cards).toHaveLength(1);
  expect(new Set(report.rejected.map(({ kind }) => kind))).toEqual(new Set(['upstreamUnreachable']));
});

it('a probe finds no agent at a server that is not HTTP, or hangs up', async () => {
  for (const hello of ['SSH-2.0-OpenSSH_9.6\r\n', '']) {
    const report = await probed(await serveTcp((socket) => void socket.end(hello)));
    expect(report.found).toEqual([]);
  }
  const plain = (await serve(() => {})).replace('http://127.0.0.1', 'https://localhost');
  expect(why(await probed(plain), 'jsonrpc', 'a2a-1.0')).toMatch(/does not speak TLS here/);
});

it('a probe of a server that never answers ends in the time that there is', async () => {
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
  expect(hurried.rejected.map((one) => one.why)).toContain('not tried: the time limit of the probe was reached');
});

it('a probe bounds a card that names the whole world', async () => {
  const url = await serve((req, res) => {
    if (req.url !== '/.well-known/agent-card.json') return res.writeHead(404).end();
    const supportedInterfaces = Array.from({ length: 3_000 }, (_, at) => ({
      url: at === 0 ? 'nonsense' : `http://127.0.0.1:9/${at}`,
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
    }));
    return sendJson(res, v1Card(supportedInterfaces));
  });
  const report = await probed(url);
  // An address without a host is one of the agent's own server.
  expect(why(report, 'jsonrpc', 'a2a-1.0')).toBe('answered HTTP 404');
  expect(report.rejected.length).toBeLessThan(120);
});
