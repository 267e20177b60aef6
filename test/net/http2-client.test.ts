import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { StreamResponse } from '../../src/core/model/a2a.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import { createHttpClient, type HttpClient } from '../../src/net/http-client.ts';
import type { HttpRequest } from '../../src/net/http-exchange.ts';
import { neverArrived } from '../../src/net/network-errors.ts';
import { silent } from '../support/core.ts';
import { afterTest, bytesOf, closedPortUrl } from '../support/peer.ts';

/** Calls over HTTP/2, of servers that speak nothing else. */

const pem = (name: string): string => readFileSync(new URL(`../support/tls/${name}`, import.meta.url), 'utf8');
const ca = pem('ca.pem');

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => unknown;

async function serve(answer: Answer): Promise<string> {
  const server = createSecureServer({ key: pem('server.key'), cert: pem('server.pem') }, answer);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  afterTest(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

function client(http2 = true): HttpClient {
  const made = createHttpClient({ http2, tls: { ca } });
  afterTest(() => made.close());
  return made;
}

const post = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  url: new URL(url),
  headers: {},
  body: 'grüß',
  signal: new AbortController().signal,
  timeout: 5000,
  ...more,
});

describe('over HTTP/2', () => {
  it('a request is sent and its answer read', async () => {
    const url = await serve((req, res) => {
      res.writeHead(201, { 'content-type': 'Text/Plain', 'x-version': req.httpVersion, 'a2a-extensions': ['a', 'b'] });
      req.pipe(res);
    });
    const answer = await client().request(post(url));
    expect([answer.status, answer.mediaType, answer.headers['x-version']]).toEqual([201, 'text/plain', '2.0']);
    expect(answer.headers['a2a-extensions']).toBe('a, b');
    expect(String(await answer.read(100))).toBe('grüß');
  });

  it('HTTP/2 is used only if it is wanted', async () => {
    const url = await serve((_, res) => res.end());
    await expect(client(false).request(post(url))).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });

  it('a canceled request ends its stream, and no other', async () => {
    let closed = 0;
    const url = await serve((req, res) => {
      req.stream.on('close', () => (closed += 1));
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': begun\n\n');
      if (req.url === '/short') res.end();
    });
    const http = client();
    const aborted = new AbortController();
    const stream = await http.request(post(url, { signal: aborted.signal }));
    const reading = (async () => {
      for await (const _ of stream.chunks()) aborted.abort();
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'canceled' });
    await expect.poll(() => closed).toBe(1);
    const other = await http.request(post(`${url}/short`));
    expect(String(await other.read(100))).toBe(': begun\n\n');
  });

  it('an answer that is too late, too large or cut off is an error', async () => {
    const url = await serve((req, res) => {
      if (req.url === '/late') return;
      res.writeHead(200);
      res.write(Buffer.alloc(1000));
      if (req.url === '/cut') setTimeout(() => req.stream.session?.destroy(), 50);
    });
    const http = client();
    await expect(http.request(post(`${url}/late`, { timeout: 200 }))).rejects.toMatchObject({
      kind: 'upstreamTimeout',
    });
    const large = await http.request(post(`${url}/large`));
    await expect(large.read(100)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
    const cut = await http.request(post(`${url}/cut`));
    await expect(cut.read(10_000)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });

  it('a request that no server accepted never arrived', async () => {
    const url = (await closedPortUrl()).replace('http:', 'https:');
    const thrown = await client()
      .request(post(url))
      .catch((error: unknown) => error);
    expect(neverArrived(thrown)).toBe(true);
  });

  it('a request never arrived whose stream the server refused, and may have where the server ended it otherwise', async () => {
    const url = await serve((req) => req.stream.close(req.url === '/refused' ? 7 : 2));
    const http = client();
    const failure = (path: string) => http.request(post(url + path)).catch((error: unknown) => error);
    expect(neverArrived(await failure('/refused'))).toBe(true);
    expect(neverArrived(await failure('/broken'))).toBe(false);
  });

  it.each([
    ['closes the connection', (req: Http2ServerRequest) => req.stream.session?.destroy()],
    ['goes away', (req: Http2ServerRequest) => req.stream.session?.goaway(0, req.stream.id ?? 0)],
    ['goes away with an error', (req: Http2ServerRequest) => req.stream.session?.goaway(2, req.stream.id ?? 0)],
  ] as const)('a POST arrives once at a server that %s', async (_, leave) => {
    const seen: string[] = [];
    const url = await serve((req, res) => {
      seen.push(req.url);
      if (seen.length === 2) leave(req);
      else res.end();
    });
    const http = client();
    // The connection is there already.
    await (await http.request(post(`${url}/first`))).read(10);
    const calls = ['/a', '/b', '/c'].map((path) =>
      http.request(post(url + path)).then(
        (answer) => answer.read(10),
        () => undefined,
      ),
    );
    await Promise.all(calls);
    expect(seen.toSorted()).toEqual(['/a', '/b', '/c', '/first']);
  });

  it.each(['jsonrpc', 'rest'] as const)('an agent is called over %s, with streams', async (via) => {
    let target = '';
    const versions = new Set<string>();
    const url = await serve(async (req, res) => {
      versions.add(req.httpVersion);
      const sent = await bytesOf(req);
      const { 'a2a-version': version = '', accept = '', 'content-type': type = '' } = req.headers;
      const headers = { 'a2a-version': String(version), accept, 'content-type': type };
      const body = req.method === 'GET' ? {} : { body: sent };
      const answer = await fetch(target + req.url, { method: req.method, headers, ...body });
      res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      for await (const chunk of answer.body ?? []) res.write(chunk);
      res.end();
    });
    const text = `listen: { host: localhost, port: 0, publicUrl: "${url}" }\nauth: { anonymous: true }\nstore: "memory:"\n`;
    const gateway = createGateway(parseConfig(text, { file: '/origin.yaml' }), { logger: silent });
    const { port } = await gateway.listen();
    target = `http://localhost:${port}`;
    afterTest(() => gateway.close({ drainMs: 0 }));
    const agent = await connect(`${url}/demo`, { as: 'a2a-1.0', via, http: client() });
    expect((await agent.send('say hi')).message?.parts).toEqual([{ text: 'hi' }]);
    const events: StreamResponse[] = [];
    for await (const event of agent.sendStream('stream 5 5')) events.push(event);
    expect(JSON.stringify(events)).toContain('chunk 5');
    expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    expect([...versions]).toEqual(['2.0']);
  });
});
