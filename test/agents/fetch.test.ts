import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAgentFetch } from '../../src/agents/fetch/agent-fetch.ts';
import { connect } from '../../src/client/index.ts';
import type { Tracing } from '../../src/core/telemetry/tracing.ts';
import { type AgentFetch, createGateway, defineAgent } from '../../src/index.ts';
import { createUrlGuard } from '../../src/net/guard.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { silent } from '../support/core.ts';
import { afterTest, bodyOf, listenOn } from '../support/peer.ts';

/** The requests of agents. */

afterEach(() => void vi.useRealTimers());

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Handler = (req: IncomingMessage, res: ServerResponse, seen: Seen, count: number) => void;

/** A server on this machine, and what it received. */
async function serve(handle: Handler): Promise<{ url: string; seen: Seen[]; server: Server }> {
  const seen: Seen[] = [];
  const server = createServer(async (req, res) => {
    const body = await bodyOf(req);
    const { method, url, headers } = req;
    const request = { method, url, headers, body };
    seen.push(request);
    handle(req, res, request, seen.length);
  });
  const { origin } = await listenOn(server);
  return { url: origin, seen, server };
}

/** The `fetch` of a run. */
function runFetch(signal = new AbortController().signal, tracing?: Tracing, trace = {}): AgentFetch {
  const http = createHttpClient({ guard: createUrlGuard({ loopback: true }) });
  afterTest(() => http.close());
  return createAgentFetch({ http, tracing })({ signal, trace });
}

it('a request is that of the standard, with a body of any kind, and so is its answer', async () => {
  const { url, seen } = await serve((_, res, { body }) => {
    res.setHeader('X-Two', ['a', 'b']);
    res.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ body }));
  });
  const fetch = runFetch();
  const answer = await fetch(`${url}/a?b=c`, { method: 'POST', body: 'text', headers: { 'X-Own': '1' } });
  expect([answer.status, answer.ok, answer.redirected, answer.url]).toEqual([201, true, false, `${url}/a?b=c`]);
  expect(answer).toBeInstanceOf(Response);
  expect(answer.headers.get('x-two')).toBe('a, b');
  expect(await answer.json()).toEqual({ body: 'text' });
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/a?b=c',
    headers: { 'x-own': '1', 'user-agent': 'a2a-gateway' },
  });
  const form = new FormData();
  form.set('file', new Blob(['bytes']), 'a.txt');
  await fetch(url, { method: 'POST', body: form });
  expect(seen[1]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(seen[1]?.body).toContain('bytes');
  await fetch(new Request(url, { method: 'PUT', body: new URLSearchParams({ a: 'b' }) }));
  expect(seen[2]).toMatchObject({ method: 'PUT', body: 'a=b' });
  await fetch(new URL(url), {
    method: 'POST',
    body: ReadableStream.from([Buffer.from('one'), Buffer.from('two')]) as never,
  });
  expect(seen[3]?.body).toBe('onetwo');
});

it('a request has answers without a body, and bodies that are compressed', async () => {
  const { url } = await serve(({ url, method }, res) => {
    if (url === '/none') res.writeHead(204).end();
    else if (method === 'HEAD') res.writeHead(200, { 'Content-Length': 10 }).end();
    else res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('unpacked'));
  });
  const fetch = runFetch();
  expect((await fetch(`${url}/none`)).body).toBeNull();
  const head = await fetch(url, { method: 'HEAD' });
  expect([await head.text(), head.headers.get('content-length')]).toEqual(['', '10']);
  expect(await (await fetch(url)).text()).toBe('unpacked');
});

it('a request reads a body that comes for longer than the timeout, as long as something comes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const responding = Promise.withResolvers<ServerResponse>();
  const { url } = await serve((_, res) => {
    res.flushHeaders();
    responding.resolve(res);
  });
  const { body } = await runFetch()(url, { timeout: 1_000 });
  const reader = body?.getReader();
  const res = await responding.promise;
  /** Reads the next chunk, for which the server takes some time. */
  const readAfter = async (ms: number, chunk?: string): Promise<string> => {
    const reading = reader?.read();
    await nextTurn();
    vi.advanceTimersByTime(ms);
    if (chunk !== undefined) res.write(chunk);
    return String(Buffer.from((await reading)?.value ?? []));
  };
  for (const chunk of ['1', '2', '3', '4']) expect(await readAfter(999, chunk)).toBe(chunk);
  await expect(readAfter(1_000)).rejects.toMatchObject({ name: 'TimeoutError', message: /1000 ms/ });
});

it.each(['GET', 'PUT', 'DELETE'])(
  'a request that fails with %s is sent again after 503, up to three times',
  async (method) => {
    const { url, seen } = await serve((_, res, __, count) => res.writeHead(count < 3 ? 503 : 200).end(String(count)));
    const answer = await runFetch()(url, { method, ...(method === 'PUT' && { body: 'again' }) });
    expect([answer.status, await answer.text()]).toEqual([200, '3']);
    if (method === 'PUT') expect(seen.map(({ body }) => body)).toEqual(['again', 'again', 'again']);
  },
);

it('a request that fails gives its last answer when no attempt helps', async () => {
  const { url, seen } = await serve((_, res) => res.writeHead(502).end('bad'));
  const answer = await runFetch()(url);
  expect([answer.status, await answer.text(), seen.length]).toEqual([502, 'bad', 3]);
});

it('a request that fails with POST is sent once', async () => {
  const { url, seen } = await serve((_, res) => res.writeHead(503).end());
  expect((await runFetch()(url, { method: 'POST', body: 'x' })).status).toBe(503);
  expect(seen).toHaveLength(1);
});

it('a request that fails waits as long as Retry-After says, unless that is beyond its timeout', async () => {
  const { url, seen } = await serve(({ url }, res, _, count) => {
    res.writeHead(count === 1 || url === '/long' ? 429 : 200, { 'Retry-After': url === '/long' ? '20' : '1' }).end();
  });
  const began = performance.now();
  expect((await runFetch()(url)).status).toBe(200);
  expect(performance.now() - began).toBeGreaterThan(950);
  expect((await runFetch()(`${url}/long`, { timeout: 2_000 })).status).toBe(429);
  expect(seen).toHaveLength(3);
});

it('a request that fails is sent again when the connection breaks, but not with POST once it was sent', async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.once('data', () => socket.destroy());
    socket.on('error', () => undefined);
  });
  const { origin } = await listenOn(server);
  const url = `${origin}/`;
  await expect(runFetch()(url, { method: 'POST' })).rejects.toThrow(/^fetch failed: cannot reach http:\/\/127/);
  expect(connections).toBe(1);
  await expect(runFetch()(url)).rejects.toBeInstanceOf(TypeError);
  expect(connections).toBeGreaterThan(3);
});

it('a request that fails for lack of time rejects with a TimeoutError', async () => {
  const { url, seen } = await serve(() => undefined);
  await expect(runFetch()(url, { timeout: 100 })).rejects.toMatchObject({ name: 'TimeoutError', message: /100 ms/ });
  expect(seen).toHaveLength(1);
  await expect(runFetch()(url, { timeout: -1 })).rejects.toThrow('timeout is a number of milliseconds above zero');
});

it('a request that fails ends with the signal of the run or of the caller, also while its body is read', async () => {
  const { url } = await serve(({ url }, res) => {
    if (url === '/body') res.write('first');
  });
  const run = new AbortController();
  const fetch = runFetch(run.signal);
  const own = AbortSignal.timeout(50);
  await expect(fetch(url, { signal: own })).rejects.toMatchObject({ name: 'TimeoutError' });
  const answer = await fetch(`${url}/body`);
  const reading = answer.text();
  setTimeout(() => run.abort(new Error('over')), 50);
  await expect(reading).rejects.toThrow('over');
  await expect(fetch(url)).rejects.toThrow('over');
});

it('a redirect is followed as browsers do it, and takes no credentials to another origin', async () => {
  const other = await serve((_, res, { body }) => res.end(`other ${body}`));
  const { url, seen } = await serve(({ url }, res) => {
    const [, code] = url?.split('/') ?? [];
    if (code === '' || code === 'end') res.end('end');
    else res.writeHead(Number(code), { Location: url?.endsWith('/other') ? `${other.url}/x` : '/end' }).end();
  });
  const fetch = runFetch();
  const headers = { Authorization: 'Bearer t', 'X-Api-Key': 'k', Cookie: 'c=1', Accept: 'text/plain' };
  const answer = await fetch(`${url}/302`, { method: 'POST', body: 'b', headers });
  expect([answer.url, answer.redirected, await answer.text()]).toEqual([`${url}/end`, true, 'end']);
  expect(seen.at(-1)).toMatchObject({
    method: 'GET',
    body: '',
    headers: { 'x-api-key': 'k', authorization: 'Bearer t' },
  });
  expect(seen.at(-1)?.headers).not.toHaveProperty('content-type');
  await fetch(`${url}/307/other`, { method: 'POST', body: 'b', headers });
  expect(other.seen[0]).toMatchObject({ method: 'POST', body: 'b', headers: { accept: 'text/plain' } });
  for (const name of ['authorization', 'x-api-key', 'cookie']) expect(other.seen[0]?.headers).not.toHaveProperty(name);
  expect((await fetch(`${url}/301`, { redirect: 'manual' })).status).toBe(301);
  await expect(fetch(`${url}/301`, { redirect: 'error' })).rejects.toThrow('fetch failed: the answer is a redirect');
});

it('a redirect that goes round ends', async () => {
  const { url, seen } = await serve((_, res) => res.writeHead(302, { Location: '/' }).end());
  await expect(runFetch()(url)).rejects.toThrow('more than 20 redirects');
  expect(seen).toHaveLength(21);
});

it('a redirect to where the guard forbids it is refused, and says how to allow it', async () => {
  const { url } = await serve((_, res) => res.writeHead(302, { Location: 'http://10.1.2.3/' }).end());
  await expect(runFetch()(url)).rejects.toThrow(
    /^fetch failed: http:\/\/10\.1\.2\.3 is refused: .*; list the host in outbound\.allow/,
  );
  await expect(runFetch()('http://169.254.169.254/latest')).rejects.toThrow(/is refused/);
  await expect(runFetch()('file:///etc/passwd')).rejects.toThrow(TypeError);
});

it('a request that an agent makes belongs to a trace, whose span holds no path', async () => {
  const spans: { name: string; set: object[] }[] = [];
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const tracing: Tracing = {
    begin({ name, parent }) {
      const span = { name, set: [{ parent }] as object[] };
      spans.push(span);
      return {
        trace: { traceparent: traceparent.replace(/2/g, '3') },
        recording: true,
        set: (attributes) => void span.set.push(attributes),
        event: () => undefined,
        fail: () => undefined,
        end: () => undefined,
      };
    },
    within: (_, run) => run(),
  };
  const { url, seen } = await serve((_, res) => res.end());
  await runFetch(undefined, tracing, { traceparent })(`${url}/secret?key=1`);
  expect(seen[0]?.headers.traceparent).toBe(traceparent.replace(/2/g, '3'));
  const { port } = new URL(url);
  const facts = { 'http.request.method': 'GET', 'server.address': '127.0.0.1', 'server.port': Number(port) };
  expect(spans).toEqual([
    { name: 'GET', set: [{ parent: { traceparent } }, facts, { 'http.response.status_code': 200 }] },
  ]);
  await runFetch(undefined, undefined, { traceparent })(url);
  expect(seen[1]?.headers.traceparent).toBe(traceparent);
});

describe('context.fetch of a gateway', () => {
  const fetching = defineAgent({ name: 'A', description: 'Fetches' }, async ({ fetch, text }) => {
    const answer = await fetch(text);
    return `${answer.status} ${await answer.text()}`;
  });

  it('context.fetch of a gateway reaches this machine where only this machine reaches the gateway, and the caller learns no address', async () => {
    const { url } = await serve((_, res) => res.end('served'));
    const gateway = createGateway(
      { listen: { port: 0 }, store: 'memory:', agents: { a: fetching } },
      { logger: silent },
    );
    afterTest(() => gateway.close({ drainMs: 0 }));
    const client = await connect(`${(await gateway.listen()).url}/a`);
    expect((await client.send(url)).message?.parts[0]?.text).toBe('200 served');
    await expect(client.send('http://10.0.0.1/')).rejects.toThrow(
      /TypeError: fetch failed: http:\/\/10\.0\.0\.1 is refused.*fetch\.test\.ts:\d+/,
    );
  });

  it('context.fetch of a gateway is what the program gives instead', async () => {
    const fetch: AgentFetch = async (input) => new Response(`instead of ${String(input)}`);
    const gateway = createGateway(
      { listen: { port: 0 }, store: 'memory:', agents: { a: fetching } },
      { logger: silent, fetch },
    );
    afterTest(() => gateway.close({ drainMs: 0 }));
    const client = await connect(`${(await gateway.listen()).url}/a`);
    expect((await client.send('http://10.0.0.1/')).message?.parts[0]?.text).toBe('200 instead of http://10.0.0.1/');
  });
});
