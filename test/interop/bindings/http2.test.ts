import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';

/** Everything that is served over HTTP/1.1 is served over HTTP/2 alike, plain and with TLS. */

const file = (name: string): string => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** One request of a connection. */
async function ask(session: ClientHttp2Session, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const stream = session.request({ ':method': init.method ?? 'GET', ':path': path, ...headers });
  stream.end(init.body ?? undefined);
  const [answered] = (await once(stream, 'response')) as [OutgoingHttpHeaders & { ':status': number }];
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const { ':status': status, ...rest } = answered;
  return { status, headers: rest, body: Buffer.concat(chunks).toString() };
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const message = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const post = (body: string, headers: Record<string, string> = json): RequestInit => ({ method: 'POST', headers, body });
const initialize = rpc('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

/** A request of every kind, with what is the same however it comes. */
const requests: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
  'the card': ['/.well-known/agent-card.json'],
  'a 0.3 card': ['/.well-known/agent-card.json', { headers: { 'a2a-version': '0.3' } }],
  'an AgentVault card': ['/agent-card.json'],
  'JSON-RPC': ['/', post(rpc('SendMessage', message('say hi')))],
  'JSON-RPC of an agent': ['/demo', post(rpc('SendMessage', message('say hi')))],
  'JSON-RPC, a parse error': ['/', post('{')],
  'JSON-RPC, an unknown method': ['/', post(rpc('Nonsense', {}))],
  'JSON-RPC 0.3': [
    '/',
    post(
      rpc('message/send', {
        message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'say hi' }] },
      }),
      { 'content-type': 'application/json' },
    ),
  ],
  'HTTP+JSON': ['/message:send', post(JSON.stringify(message('say hi')))],
  'HTTP+JSON, no such task': ['/tasks/nowhere', { headers: json }],
  'HTTP+JSON, a body that does not fit': ['/message:send', post('{"message":{}}')],
  'an unknown agent': ['/nobody', post(rpc('SendMessage', message('say hi')))],
  'a verb that is not allowed': ['/', { method: 'PUT', headers: json, body: '{}' }],
  Connect: ['/lf.a2a.v1.A2AService/SendMessage', post(JSON.stringify(message('say hi')))],
  'Connect, an error': ['/lf.a2a.v1.A2AService/GetTask', post('{"id":"nowhere"}')],
  MCP: ['/mcp', post(initialize, { ...json, accept: 'application/json, text/event-stream' })],
  '/healthz': ['/healthz'],
  '/readyz': ['/readyz'],
  '/agents': ['/agents'],
  '/openapi.json': ['/openapi.json'],
  '/metrics': ['/metrics'],
  'the page for browsers': ['/', { headers: { accept: 'text/html' } }],
  'an unknown path': ['/a/b/c'],
  'a HEAD': ['/healthz', { method: 'HEAD' }],
  'a preflight': [
    '/',
    { method: 'OPTIONS', headers: { origin: 'https://x.example', 'access-control-request-method': 'POST' } },
  ],
};

/** What differs from call to call. */
const essence = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?<=\s)[\d.e+-]+$/gm, 'N');
const told = ['content-type', 'a2a-version', 'allow', 'www-authenticate', 'cache-control', 'vary', 'etag'];

describe.each(['plain', 'with TLS'])('HTTP/2, %s', (kind) => {
  let gateway: Gateway;
  let origin: string;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    const tls = kind === 'plain' ? '' : `, tls: { cert: ${file('server.pem')}, key: ${file('server.key')} }`;
    const text = `listen: { port: 0${tls} }\nstore: "memory:"\nlimits: { body: 256KiB }\n`;
    ({ gateway, url: origin } = await openGateway(text));
    session = connect(origin, { rejectUnauthorized: false });
  });
  afterAll(async () => {
    session.destroy();
    await gateway.close({ drainMs: 0 });
  });

  it.each(Object.entries(requests))('%s', async (_, [path, init = {}]) => {
    const over2 = await ask(session, path, init);
    if (kind === 'plain') {
      const over1 = await fetch(origin + path, init);
      expect(over2.status).toBe(over1.status);
      expect(essence(over2.body).slice(0, 500)).toBe(essence(await over1.text()).slice(0, 500));
      for (const name of told) expect([name, over2.headers[name] ?? null]).toEqual([name, over1.headers.get(name)]);
    } else {
      expect(over2.status).toBeLessThan(500);
    }
  });

  it('streams events, each as it comes', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/message:stream', ...json });
    stream.end(JSON.stringify(message('stream 3 5')));
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text.match(/^id: /gm)?.length).toBeGreaterThan(4);
    expect(text).toContain('TASK_STATE_COMPLETED');
  });

  it('a stream that its client ends leaves nothing behind', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/message:stream', ...json });
    stream.end(JSON.stringify(message('wait')));
    const [first] = (await once(stream, 'data')) as [Buffer];
    const { id } = JSON.parse(/^data: (.*)$/m.exec(String(first))?.[1] ?? '').task;
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
    const canceled = await ask(session, `/tasks/${id}:cancel`, { method: 'POST', headers: json });
    expect(canceled.status).toBe(200);
    expect(session.destroyed).toBe(false);
  });

  it('a body over the limit is refused, and the connection goes on', async () => {
    const large = post(JSON.stringify(message('x'.repeat(300 * 1024))));
    expect((await ask(session, '/message:send', large)).status).toBe(413);
    expect((await ask(session, '/healthz')).status).toBe(200);
  });

  it('a client that is refused while it sends is answered, and told to stop', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/a/b/c', ...json });
    stream.write('{');
    const [headers] = (await once(stream, 'response')) as [OutgoingHttpHeaders];
    stream.resume();
    await once(stream, 'close');
    expect([headers[':status'], stream.rstCode]).toEqual([404, constants.NGHTTP2_NO_ERROR]);
  });

  it('a body that is broken off is no request', async () => {
    const before = JSON.parse((await ask(session, '/tasks', { headers: json })).body).totalSize;
    const other = connect(origin, { rejectUnauthorized: false });
    const stream = other.request({ ':method': 'POST', ':path': '/message:send', ...json });
    stream.on('error', () => {});
    // Whole as JSON: only the end of the stream would say that it is whole.
    await new Promise((resolve) => stream.write(JSON.stringify(message('hello')), resolve));
    await new Promise<void>((resolve) => other.ping(() => resolve()));
    other.destroy();
    await once(other, 'close');
    expect(JSON.parse((await ask(session, '/tasks', { headers: json })).body).totalSize).toBe(before);
  });

  it('many at once over one connection', async () => {
    const send = () => ask(session, '/', post(rpc('SendMessage', message('say hi'))));
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    for (const { status, body } of answers) expect([status, body.includes('"hi"')]).toEqual([200, true]);
  });

  it('gRPC and JSON share a connection', async () => {
    const grpc = await ask(session, '/lf.a2a.v1.A2AService/ListTasks', {
      method: 'POST',
      headers: { 'content-type': 'application/grpc', te: 'trailers' },
      body: Buffer.from([0, 0, 0, 0, 0]) as never,
    });
    expect(grpc.headers['content-type']).toBe('application/grpc+proto');
    expect((await ask(session, '/healthz')).status).toBe(200);
  });

  it('refuses another host than the authority', async () => {
    const stream = session.request({ ':authority': 'localhost', ':path': '/healthz', host: 'evil.example' });
    stream.end();
    const [headers] = (await once(stream, 'response')) as [OutgoingHttpHeaders];
    expect(headers[':status']).toBe(400);
  });
});
