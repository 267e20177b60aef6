import { once } from 'node:events';
import { createServer, type Server, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { defineAgent } from '../../src/agents/define.ts';
import { connect } from '../../src/client/index.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { mountOf } from '../../src/transports/rpc/mount.ts';
import { afterTest } from '../support/peer.ts';
import { key, makeGateway, message, settings, slowCalls, slowChanges, startGateway } from './gateways.ts';

/** A gateway behind handlers of the Fetch API. */

const origin = 'http://localhost:3000';
const me = { 'x-api-key': key, 'a2a-version': '1.0', 'content-type': 'application/json' };

const post = (path: string, body: unknown, headers: Record<string, string> = me, init: RequestInit = {}): Request =>
  new Request(origin + path, { method: 'POST', headers, body: JSON.stringify(body), ...init });

const init = (headers: Record<string, string> = me): RequestInit =>
  ({ method: 'POST', headers, duplex: 'half' }) as RequestInit;

const send = (text: string) => ({ message: message(text) });
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterTest(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('gateway.fetch answers JSON-RPC, HTTP+JSON, Connect and gRPC-Web, cards and pages', async () => {
  const gateway = await startGateway();
  const jsonrpc = await gateway.fetch(post('/', rpc('SendMessage', send('say hi'))));
  expect(await jsonrpc.json()).toMatchObject({ id: 1, result: { message: { parts: [{ text: 'hi' }] } } });
  const rest = await gateway.fetch(post('/message:send', send('say hi')));
  expect([rest.status, await rest.json()]).toMatchObject([200, { message: { parts: [{ text: 'hi' }] } }]);
  const path = '/lf.a2a.v1.A2AService/SendMessage';
  const connected = await gateway.fetch(post(path, send('say hi')));
  expect(await connected.json()).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  const web = await gateway.fetch(
    new Request(origin + path, {
      method: 'POST',
      headers: { ...me, 'content-type': 'application/grpc-web+proto' },
      body: new Uint8Array([0, 0, 0, 0, 0]),
    }),
  );
  expect(web.headers.get('grpc-status')).toBe('3');
  const card = await gateway.fetch(new Request(`${origin}/.well-known/agent-card.json`));
  expect(JSON.stringify(await card.json())).toContain(`"${origin}"`);
  expect(await (await gateway.fetch(new Request(`${origin}/healthz`))).json()).toEqual({ status: 'ok' });
  const head = await gateway.fetch(new Request(`${origin}/healthz`, { method: 'HEAD' }));
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await gateway.fetch(new Request(`${origin}/nothing/there`))).status).toBe(404);
});

it('gateway.fetch sends errors in the format of their binding', async () => {
  const gateway = await startGateway();
  const refused = await gateway.fetch(post('/message:send', send('hi'), { 'content-type': 'application/json' }));
  expect([refused.status, refused.headers.has('www-authenticate')]).toEqual([401, true]);
  const missing = await gateway.fetch(new Request(`${origin}/tasks/none`, { headers: me }));
  expect([missing.status, await missing.json()]).toMatchObject([404, { error: { status: 'NOT_FOUND' } }]);
});

it('gateway.fetch streams as the reader reads, and ends when the reader leaves or the request is aborted', async () => {
  const gateway = await startGateway();
  const { meters } = mountOf(gateway).server().http;
  const whole = await gateway.fetch(post('/message:stream', send('stream 100 0')));
  expect(whole.headers.get('content-type')).toContain('text/event-stream');
  expect((await whole.text()).match(/^data:/gm)).toHaveLength(103);

  const unread = await gateway.fetch(post('/message:stream', send('flood'), { ...me, 'a2a-agent': 'flood' }));
  const flood = await gateway.fetch(post('/flood/message:stream', send('flood')));
  await vi.waitFor(() => expect(meters.streamsOf('rest').events).toBeGreaterThan(103));
  const reader = (flood.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  await unread.body?.cancel();
  await vi.waitFor(() => expect(meters.streamsOf('rest').open).toBe(0));

  const abort = new AbortController();
  const { signal } = abort;
  const aborted = await gateway.fetch(post('/message:stream', send('stream 1000 50'), me, { signal }));
  const text = aborted.text();
  abort.abort();
  await expect(text).rejects.toThrow();
  await vi.waitFor(() => expect(meters.streamsOf('rest').open).toBe(0));
  const other = new AbortController();
  const { begun } = slowCalls;
  const waiting = gateway.fetch(post('/slow/message:send', send('wait'), me, { signal: other.signal }));
  await slowChanges.until(() => slowCalls.begun === begun + 1);
  other.abort();
  await expect(waiting).rejects.toThrow();
});

it('gateway.fetch refuses a caller with bad credentials before the body has arrived', async () => {
  const gateway = await startGateway();
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
  const headers = { ...me, 'x-api-key': 'wrong' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  expect((await gateway.fetch(new Request(`${origin}/message:send`, init))).status).toBe(401);
});

it('gateway.fetch serves anonymous callers only where the program says that they are on this machine', async () => {
  const gateway = await startGateway({ auth: {} });
  const status = async (request: Request, from?: Parameters<Gateway['fetch']>[1]) =>
    (await gateway.fetch(request, from)).status;
  const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const here = { remoteAddress: '127.0.0.1' };
  const call = (headers = {}) => post('/message:send', send('say hi'), { ...json, ...headers });
  expect(await status(call())).toBe(401);
  expect(await status(call(), here)).toBe(200);
  expect(await status(call(), { remoteAddress: '203.0.113.1' })).toBe(401);
  expect(await status(call({ 'x-forwarded-for': '203.0.113.1' }), here)).toBe(401);
  expect(await status(call({ host: 'evil.example' }), here)).toBe(401);
  expect(await status(call({ origin: 'https://evil.example' }), here)).toBe(401);
  const away = new Request('http://gateway.example/message:send', { method: 'POST', headers: json, body: '{}' });
  expect(await status(away, here)).toBe(401);
  const old = { socket: { remoteAddress: '127.0.0.1' }, httpVersion: '1.0' } as never;
  expect(await status(call(), { incoming: old })).toBe(401);
});

it('gateway.fetch does not count wrong keys of callers whose address it does not know, and counts those of an address', async () => {
  const gateway = await startGateway();
  const status = async (apiKey: string, from?: Parameters<Gateway['fetch']>[1]) => {
    const call = post('/message:send', send('say hi'), { ...me, 'x-api-key': apiKey });
    return (await gateway.fetch(call, from)).status;
  };
  const there = { remoteAddress: '203.0.113.1' };
  for (let attempt = 0; attempt < 25; attempt += 1) {
    expect(await status('wrong')).toBe(401);
    await status('wrong', there);
  }
  expect([await status(key, there), await status(key)]).toEqual([429, 200]);
});

it('gateway.fetch admits everybody where the configuration says so and has a public URL, and without that those of this machine', async () => {
  const call = () =>
    post('/message:send', send('say hi'), { 'content-type': 'application/json', 'a2a-version': '1.0' });
  const open = await startGateway({ auth: { anonymous: true }, listen: { publicUrl: 'https://agents.example.com' } });
  const local = await startGateway({ auth: { anonymous: true } });
  expect([(await open.fetch(call())).status, (await local.fetch(call())).status]).toEqual([200, 401]);
});

it('gateway.fetch says so when the body was read before', async () => {
  const gateway = await startGateway();
  const request = post('/message:send', send('hi'));
  await request.text();
  const answer = await gateway.fetch(request);
  expect([answer.status, await answer.json()]).toMatchObject([
    500,
    { error: { message: expect.stringContaining('clone()') } },
  ]);
});

it('gateway.fetch is below a path of the app, which is part of the URLs in cards', async () => {
  const gateway = await startGateway();
  const from = { base: '/a2a' };
  const rest = await gateway.fetch(post('/a2a/message:send', send('say hi')), from);
  expect(rest.status).toBe(200);
  const card = await gateway.fetch(new Request(`${origin}/a2a/.well-known/agent-card.json`), from);
  expect(JSON.stringify(await card.json())).toContain(`${origin}/a2a`);
});

it('gateway.fetch says so when another reader has the body, whether or not it has read', async () => {
  const gateway = await startGateway();
  const request = post('/message:send', send('hi'));
  request.body?.getReader();
  const answer = await gateway.fetch(request);
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('clone()')]);
});

it('gateway.fetch takes a base with slashes at its end, and characters to be escaped, and refuses what is no path', async () => {
  const gateway = await startGateway();
  const urlIn = async (path: string, base: string) => {
    const card = await gateway.fetch(new Request(`${origin}${path}/.well-known/agent-card.json`), { base });
    return [card.status, JSON.stringify(await card.json())];
  };
  expect(await urlIn('/a2a', '/a2a/')).toEqual([200, expect.stringContaining(`"${origin}/a2a"`)]);
  expect(await urlIn('/a b', '/a b')).toEqual([200, expect.stringContaining(`"${origin}/a%20b"`)]);
  expect(await urlIn('/a%20b', '/a%20b')).toEqual([200, expect.stringContaining(`"${origin}/a%20b"`)]);
  expect(await urlIn('', '/')).toEqual([200, expect.stringContaining(`"${origin}"`)]);
  for (const base of ['a2a', '/a?b', '/a#b', '//a', '/a/../b', 'http://localhost/a2a'])
    await expect(urlIn('', base)).rejects.toThrow(/base must be a path that begins with a slash/);
});

it('gateway.fetch serves a body by what comes of it, whatever its length is said to be', async () => {
  const gateway = await startGateway();
  const answerTo = async (headers: Record<string, string>, method = 'POST') => {
    const answer = await gateway.fetch(post('/message:send', send('say hi'), { ...me, ...headers }, { method }));
    return [answer.status, (await answer.text()).includes('"hi"')];
  };
  for (const length of ['abc', '10', '1000']) expect(await answerTo({ 'content-length': length })).toEqual([200, true]);
  expect(await answerTo({ 'transfer-encoding': 'gzip' })).toEqual([200, true]);
  expect(await answerTo({}, 'FOO')).toEqual([405, false]);
});

it('gateway.fetch refuses a body beyond the limits of size and time, and reads no more of it', async () => {
  const gateway = await startGateway({ limits: { body: '64KiB', requestTimeout: '100ms' } });
  const status = async (body: unknown, headers: Record<string, string> = me) =>
    (await gateway.fetch(new Request(`${origin}/message:send`, { ...init(headers), body } as RequestInit))).status;
  expect(await status('x'.repeat(70_000), { ...me, 'content-length': '70000' })).toBe(413);
  let chunks = 0;
  const cancel = vi.fn();
  const pull = (to: ReadableStreamDefaultController): void => {
    chunks += 1;
    to.enqueue(new Uint8Array(16_384));
  };
  expect(await status(new ReadableStream({ pull, cancel }))).toBe(413);
  // Nothing more is read once there is an answer.
  await vi.waitFor(() => expect(cancel).toHaveBeenCalled());
  expect(chunks).toBeLessThan(200);
  expect(
    await status(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(70_000)) }), {
      ...me,
      'content-length': '5',
    }),
  ).toBe(413);
  expect(await status(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(1)) }))).toBe(408);
});

it('gateway.fetch leaves a body alone that it does not read', async () => {
  const gateway = await startGateway();
  const elsewhere = post('/nothing/there', { of: 'the app' });
  expect((await gateway.fetch(elsewhere)).status).toBe(404);
  expect(await elsewhere.json()).toEqual({ of: 'the app' });
});

it('gateway.fetch cuts off a stream that is not read, and waits for one that is', async () => {
  const gateway = await startGateway({ limits: { slowReader: '200ms' } });
  const { meters } = mountOf(gateway).server().http;
  const stream = async () => (await gateway.fetch(post('/flood/message:stream', send('flood')))).body?.getReader();
  const [slow, keen] = [await stream(), await stream()];
  const read = async (): Promise<number> => (await keen?.read())?.value?.length ?? 0;
  let bytes = 0;
  while (bytes < 400 * 65_536) bytes += await read();
  await vi.waitFor(() => expect(meters.slowReaders).toBe(1));
  expect(meters.streamsOf('rest').open).toBe(1);
  const drained = async (): Promise<void> => {
    while (!(await slow?.read())?.done);
  };
  await expect(drained()).rejects.toThrow('The gateway has cut off its answer');
  await keen?.cancel();
  await vi.waitFor(() => expect(meters.streamsOf('rest').open).toBe(0));
});

it('gateway.fetch cuts off a stream whose answer is dropped, however little waits in it', async () => {
  const gateway = await startGateway({ limits: { slowReader: '200ms' } });
  const { meters } = mountOf(gateway).server().http;
  const connect = '/lf.a2a.v1.A2AService/SendStreamingMessage';
  const body = Buffer.from(JSON.stringify(send('wait')));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  const headers = { ...me, 'content-type': 'application/connect+json' };
  const framed = { ...init(headers), body: Buffer.concat([head, body]) };
  await gateway.fetch(post('/message:stream', send('wait')));
  await gateway.fetch(new Request(origin + connect, framed));
  const kept = (await gateway.fetch(post('/message:stream', send('wait')))).body?.getReader();
  expect(Object.fromEntries(meters.streams)).toMatchObject({ rest: { open: 2 }, connect: { open: 1 } });
  for (let text = ''; !text.includes('TASK_STATE_WORKING'); )
    text += new TextDecoder().decode((await kept?.read())?.value);
  const next = kept?.read();
  await vi.waitFor(() =>
    expect(Object.fromEntries(meters.streams)).toMatchObject({ rest: { open: 1 }, connect: { open: 0 } }),
  );
  await kept?.cancel();
  expect((await next)?.done).toBe(true);
});

it('gateway.fetch rejects with the reason of an abort, of whatever type it is', async () => {
  const gateway = await startGateway();
  for (const reason of ['the client has left', new A2AError('canceled', 'my own'), null, 0, '']) {
    await expect(
      gateway.fetch(post('/message:send', send('hi'), me, { signal: AbortSignal.abort(reason) })),
    ).rejects.toBe(reason);
    const abort = new AbortController();
    const { begun } = slowCalls;
    const waiting = gateway.fetch(post('/slow/message:send', send('wait'), me, { signal: abort.signal }));
    await slowChanges.until(() => slowCalls.begun === begun + 1);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  }
});

it('gateway.fetch answers preflights, HEAD, and gRPC that needs HTTP/2', async () => {
  const gateway = await startGateway({ listen: { cors: ['https://app.example'] } });
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  const preflight = await gateway.fetch(new Request(`${origin}/message:send`, { method: 'OPTIONS', headers }));
  expect([preflight.status, preflight.headers.get('access-control-allow-origin'), preflight.body]).toEqual([
    204,
    'https://app.example',
    null,
  ]);
  const head = await gateway.fetch(
    new Request(`${origin}/.well-known/agent-card.json`, { method: 'HEAD', headers: me }),
  );
  expect([head.status, Number(head.headers.get('content-length')) > 100, head.body]).toEqual([200, true, null]);
  const grpc = post('/lf.a2a.v1.A2AService/SendMessage', send('hi'), { ...me, 'content-type': 'application/grpc' });
  const refused = await gateway.fetch(grpc);
  expect([refused.status, refused.statusText]).toEqual([415, 'gRPC needs HTTP/2']);
});

it('gateway.fetch gets 503 until the gateway starts and once it is closed, and a reload is in force for the next request', async () => {
  const gateway = makeGateway();
  const answer = async () => {
    const response = await gateway.fetch(post('/message:send', send('say hi')));
    return [response.status, JSON.stringify(await response.json())] as const;
  };
  expect(await answer()).toEqual([503, expect.stringContaining('start()')]);
  await gateway.start();
  expect(await answer()).toEqual([200, expect.stringContaining('hi')]);
  await gateway.reload({ ...settings, defaultAgent: 'whoami' });
  expect(await answer()).toEqual([200, expect.stringContaining('ada')]);
  await gateway.close({ drainMs: 0 });
  expect((await answer())[0]).toBe(503);
});

describe('Hono', () => {
  const appOf = (gateway: Gateway) => {
    const app = new Hono<{ Bindings: object }>();
    app.get('/', (context) => context.text('my own page'));
    const options = { replaceRequest: false } as const;
    app.mount('/a2a', (request, env) => gateway.fetch(request, { ...env, base: '/a2a' }), options);
    return app;
  };

  it('Hono serves a gateway through app.request, without a socket', async () => {
    const app = appOf(await startGateway());
    expect(await (await app.request('/')).text()).toBe('my own page');
    const answer = await app.request('/a2a/message:send', {
      method: 'POST',
      headers: me,
      body: JSON.stringify(send('say hi')),
    });
    expect(await answer.json()).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  });

  it('Hono reaches an agent whose name is that of the path, also where the app removes the path', async () => {
    const a2a = defineAgent({ name: 'Namesake', description: 'Has the name of the path', execute: () => 'namesake' });
    const gateway = await startGateway({ agents: { a2a, ...settings.agents } });
    const removing = new Hono<{ Bindings: object }>();
    removing.mount('/a2a', (request, env) => gateway.fetch(request, { ...env, base: '/a2a' }));
    const init = { method: 'POST', headers: me, body: JSON.stringify(send('say hi')) };
    const first = await appOf(gateway).request('/a2a/a2a/message:send', init);
    expect(await first.text()).toContain('namesake');
    for (const app of [appOf(gateway), removing]) {
      const url = await listen(createAdaptorServer({ fetch: app.fetch }) as Server);
      expect(await (await fetch(`${url}/a2a/a2a/message:send`, init)).text()).toContain('namesake');
      expect(await (await fetch(`${url}/a2a/message:send`, init)).text()).toContain('"hi"');
      expect(await (await fetch(`${url}/a2a/whoami/message:send`, init)).text()).toContain('ada');
    }
  });

  it('Hono serves a gateway through @hono/node-server, also to anonymous callers of this machine', async () => {
    const app = appOf(await startGateway({ auth: {} }));
    const url = await listen(createAdaptorServer({ fetch: app.fetch }) as Server);
    const client = await connect(`${url}/a2a`);
    afterTest(() => client.close());
    expect(await client.send('say hello')).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
    const events = [];
    for await (const event of client.sendStream('stream 3 0')) events.push(event);
    expect(events).toHaveLength(6);
  });

  it('Hono takes bodies of every length and framing, and requests without one, through @hono/node-server', async () => {
    const app = appOf(await startGateway({ auth: {} }));
    const url = await listen(createAdaptorServer({ fetch: app.fetch }) as Server);
    const body = JSON.stringify(send('say hi')) + ' '.repeat(200_000);
    const call = async (verb: string, path: string, more: RequestInit = {}) => {
      const answer = await fetch(`${url}/a2a${path}`, {
        method: verb,
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        ...more,
      });
      return [answer.status, await answer.text()];
    };
    expect(await call('POST', '/message:send', { body })).toEqual([200, expect.stringContaining('"hi"')]);
    const parts = new ReadableStream({
      start(to) {
        to.enqueue(Buffer.from(body.slice(0, 10)));
        to.enqueue(Buffer.from(body.slice(10)));
        to.close();
      },
    });
    expect(await call('POST', '/message:send', { body: parts, duplex: 'half' } as RequestInit)).toEqual([
      200,
      expect.stringContaining('"hi"'),
    ]);
    const zipped = {
      body: gzipSync(body),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', 'a2a-version': '1.0' },
    };
    expect(await call('POST', '/message:send', zipped)).toEqual([200, expect.stringContaining('"hi"')]);
    // Without a media type: there is nothing to say it of.
    const bare = { headers: { 'a2a-version': '1.0' } };
    expect((await call('DELETE', '/tasks/none/pushNotificationConfigs/none', bare))[0]).toBe(404);
    expect((await call('POST', '/tasks/none:cancel', bare))[0]).toBe(404);
  });

  it('Hono ends the call of a client that leaves', async () => {
    const app = appOf(await startGateway());
    const url = await listen(createAdaptorServer({ fetch: app.fetch }) as Server);
    const abort = new AbortController();
    const { begun, aborted } = slowCalls;
    const more = { method: 'POST', headers: me, body: JSON.stringify(send('wait')), signal: abort.signal };
    const waiting = fetch(`${url}/a2a/slow/message:stream`, more).then((answer) => answer.text());
    await slowChanges.until(() => slowCalls.begun === begun + 1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    expect(slowCalls.aborted).toBe(aborted);
  });

  it('Hono refuses a caller with bad credentials before the body has arrived', async () => {
    const app = appOf(await startGateway());
    const url = await listen(createAdaptorServer({ fetch: app.fetch }) as Server);
    const sent = startRequest(`${url}/a2a/message:send`, { method: 'POST', headers: { ...me, 'x-api-key': 'wrong' } });
    sent.on('error', () => {});
    sent.write('{');
    const [answer] = await once(sent, 'response');
    expect(answer.statusCode).toBe(401);
    sent.destroy();
  });
});

it("a route handler of Next's form serves a gateway", async () => {
  const gateway = await startGateway();
  // app/a2a/[...path]/route.ts
  const handler = (request: Request): Promise<Response> => gateway.fetch(request, { base: '/a2a' });
  const route: Readonly<Record<string, typeof handler>> = { GET: handler, POST: handler, DELETE: handler };
  const answered = await route.POST?.(post('/a2a/message:stream', send('stream 3 0')));
  expect((await answered?.text())?.match(/^data:/gm)).toHaveLength(6);
  const card = await route.GET?.(new Request(`${origin}/a2a/.well-known/agent-card.json`));
  expect(card?.status).toBe(200);
});

it('a plain server of Node keeps serving what it serves beside it', async () => {
  const gateway = await startGateway();
  const url = await listen(createServer((req, res) => gateway.middleware(req, res, () => res.writeHead(418).end())));
  expect((await fetch(`${url}/teapot`)).status).toBe(418);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
