import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, fetch as undici } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { api } from '../../src/core/model/a2a.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { openGateway } from '../support/gateway.ts';
import { paced } from '../support/pace.ts';

/** Everything that is served over HTTP/1.1 is served over HTTP/2 alike, plain and with TLS. */

const file = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The length of the body is not announced. */
  readonly chunked?: true;
  /** The authority, where it is not the server's own. */
  readonly host?: string;
}

const textOf = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('latin1');
};

/** One request of a connection over HTTP/2. */
async function ask(session: ClientHttp2Session, path: string, init: Init = {}): Promise<Answer> {
  const { method = 'GET', body, host, chunked } = init;
  const headers: OutgoingHttpHeaders = { ':method': method, ':path': path, ...init.headers };
  if (host !== undefined) headers[':authority'] = host;
  if (body !== undefined && !chunked) headers['content-length'] = Buffer.byteLength(body);
  const stream = session.request(headers);
  stream.end(body);
  const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
  const { ':status': status, ...rest } = answered;
  return { status, headers: rest, body: await textOf(stream) };
}

/** Sends the request over HTTP/1.1. */
async function askOver1(origin: string, path: string, init: Init = {}): Promise<Answer> {
  const { method = 'GET', headers, body, host, chunked } = init;
  const { request } = origin.startsWith('https:') ? https : http;
  const all = { ...headers, ...(host !== undefined && { host }), ...(chunked && { 'transfer-encoding': 'chunked' }) };
  const sent = request(origin + path, { method, headers: all, agent: false, rejectUnauthorized: false });
  sent.end(body);
  const [answered] = (await once(sent, 'response')) as [http.IncomingMessage];
  return { status: answered.statusCode ?? 0, headers: answered.headers, body: await textOf(answered) };
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const message = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const post = (body: string | Buffer, headers: Record<string, string> = json): Init => ({
  method: 'POST',
  headers,
  body,
});
const initialize = rpc('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

const protobuf = Buffer.from(encode(api, 'lf.a2a.v1.SendMessageRequest', message('say hi')));
const enveloped = (bytes: Buffer, flags = 0): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
};
const typed = (type: string, body: string | Buffer): Init => post(body, { 'content-type': type, 'a2a-version': '1.0' });
const form = 'application/x-www-form-urlencoded';
const service = '/lf.a2a.v1.A2AService';

/** A request of every kind, with what is the same however it comes. */
const requests: Readonly<Record<string, readonly [path: string, init?: Init]>> = {
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
  Connect: [`${service}/SendMessage`, post(JSON.stringify(message('say hi')))],
  'Connect, an error': [`${service}/GetTask`, post('{"id":"nowhere"}')],
  'Connect, protobuf': [`${service}/SendMessage`, typed('application/proto', protobuf)],
  'Connect, an unknown rpc': [`${service}/Nonsense`, post('{}')],
  'Connect, a media type that is not supported': [`${service}/SendMessage`, typed('application/x-unknown', 'x')],
  'Connect, a stream': [
    `${service}/SendStreamingMessage`,
    typed('application/connect+json', enveloped(Buffer.from(JSON.stringify(message('stream 3 0'))))),
  ],
  'gRPC-Web': [`${service}/SendMessage`, typed('application/grpc-web+proto', enveloped(protobuf))],
  'gRPC-Web, base64': [
    `${service}/GetTask`,
    typed('application/grpc-web-text', enveloped(Buffer.from('\n\x07nowhere')).toString('base64')),
  ],
  'gRPC-Web, an error': [`${service}/GetTask`, typed('application/grpc-web', enveloped(Buffer.from('\n\x07nowhere')))],
  'JSON-RPC, a stream': ['/', post(rpc('SendStreamingMessage', message('stream 3 0')))],
  'JSON-RPC, a version that is not supported': [
    '/',
    post(rpc('SendMessage', message('say hi')), { ...json, 'a2a-version': '9.9' }),
  ],
  'JSON-RPC, nothing in the body': ['/', post('')],
  'HTTP+JSON, a stream': ['/message:stream', post(JSON.stringify(message('stream 3 0')))],
  'HTTP+JSON, a list': ['/tasks?pageSize=1&contextId=none', { headers: json }],
  'HTTP+JSON of 0.3': [
    '/v1/message:send',
    post(JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'say hi' }] } }), {
      'content-type': 'application/json',
    }),
  ],
  'the token endpoint': [
    '/oauth/token',
    post('grant_type=client_credentials&client_id=bob&client_secret=wrong', { 'content-type': form }),
  ],
  'the token endpoint, a media type that is not supported': ['/oauth/token', post('{}')],
  'metadata of the token endpoint': ['/.well-known/oauth-authorization-server'],
  'metadata of the resource': ['/.well-known/oauth-protected-resource'],
  'a credential that is not valid': ['/tasks', { headers: { ...json, authorization: 'Bearer nonsense' } }],
  'a page of another origin': [
    '/',
    post(rpc('SendMessage', message('say hi')), { ...json, origin: 'https://evil.example' }),
  ],
  'a form of a page': ['/', typed('text/plain', rpc('SendMessage', message('say hi')))],
  'a form of a page, of unknown length': [
    '/',
    { ...typed('text/plain', rpc('SendMessage', message('say hi'))), chunked: true },
  ],
  'a body of unknown length': ['/message:send', { ...post(JSON.stringify(message('say hi'))), chunked: true }],
  'Connect, a form of unknown length': [`${service}/SendMessage`, { ...typed(form, 'a=b'), chunked: true }],
  'a name that was rebound to this machine': ['/tasks', { headers: json, host: 'evil.example' }],
  'a proxy on this machine': ['/tasks', { headers: { ...json, 'x-forwarded-for': '192.0.2.1' } }],
  'a card that has not changed': ['/.well-known/agent-card.json', { headers: { 'if-none-match': '*' } }],
  'a HEAD of a card': ['/.well-known/agent-card.json', { method: 'HEAD' }],
  'a HEAD of an unknown path': ['/a/b/c', { method: 'HEAD' }],
  'a GET with Expect': ['/healthz', { headers: { expect: '200-ok' } }],
  'a body with Expect': ['/message:send', post(JSON.stringify(message('say hi')), { ...json, expect: '100-continue' })],
  MCP: ['/mcp', post(initialize, { ...json, accept: 'application/json, text/event-stream' })],
  '/healthz': ['/healthz'],
  '/readyz': ['/readyz'],
  '/agents': ['/agents'],
  '/openapi.json': ['/openapi.json'],
  'the AI Catalog': ['/.well-known/ai-catalog.json'],
  'the API catalog': ['/.well-known/api-catalog'],
  '/metrics': ['/metrics'],
  'the page for browsers': ['/', { headers: { accept: 'text/html' } }],
  'an unknown path': ['/a/b/c'],
  'a HEAD': ['/healthz', { method: 'HEAD' }],
  'a preflight': [
    '/',
    { method: 'OPTIONS', headers: { origin: 'https://x.example', 'access-control-request-method': 'POST' } },
  ],
};

/** Text without the values that are different for each call. */
const essence = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?<=\s)[\d.e+-]+$/gm, 'N');
const sameHeaders =
  'content-type content-length a2a-version allow accept-post www-authenticate cache-control vary etag retry-after'.split(
    ' ',
  );

describe.each(['plain', 'with TLS'])('a gateway over HTTP/2, %s', (kind) => {
  let gateway: Gateway;
  let origin: string;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    const tls = kind === 'plain' ? '' : `, tls: { cert: ${file('server.pem')}, key: ${file('server.key')} }`;
    const auth = `tokenEndpoint: { clients: [{ id: bob, hash: "${shownHash(hashOf('secret'))}" }] }`;
    const text = `listen: { port: 0${tls} }\nstore: "memory:"\nlimits: { body: 256KiB }\nauth: { ${auth} }\n`;
    ({ gateway, url: origin } = await openGateway(text));
    session = connect(origin, { rejectUnauthorized: false });
  });
  afterAll(async () => {
    session.destroy();
    await gateway.close({ drainMs: 0 });
  });

  it.each(Object.entries(requests))(
    `a gateway over HTTP/2, ${kind}, answers as over HTTP/1.1: %s`,
    async (_, [path, init = {}]) => {
      const over2 = await ask(session, path, init);
      const over1 = await askOver1(origin, path, init);
      expect(over2.status).toBe(over1.status);
      expect(essence(over2.body).slice(0, 2_000)).toBe(essence(over1.body).slice(0, 2_000));
      // The numbers in the text of the metrics differ.
      const same = path === '/metrics' ? sameHeaders.filter((name) => name !== 'content-length') : sameHeaders;
      const differing = same.filter((name) => over2.headers[name] !== over1.headers[name]);
      expect(differing).toEqual([]);
    },
  );

  it(`a gateway over HTTP/2, ${kind} sends each event of a stream at once`, async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/message:stream', ...json });
    stream.end(JSON.stringify(message('stream 3 5')));
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text.match(/^id: /gm)?.length).toBeGreaterThan(4);
    expect(text).toContain('TASK_STATE_COMPLETED');
  });

  it(`a gateway over HTTP/2, ${kind} keeps the connection and the task when a client ends its stream`, async () => {
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

  it(`a gateway over HTTP/2, ${kind} refuses a body over the limit, and keeps the connection`, async () => {
    const large = post(JSON.stringify(message('x'.repeat(300 * 1024))));
    expect((await ask(session, '/message:send', large)).status).toBe(413);
    expect((await ask(session, '/healthz')).status).toBe(200);
  });

  it(`a gateway over HTTP/2, ${kind} answers a client that it refuses while it still sends, and resets the request stream`, async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/a/b/c', ...json });
    stream.write('{');
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
    stream.resume();
    await once(stream, 'close');
    expect([headers[':status'], stream.rstCode]).toEqual([404, constants.NGHTTP2_NO_ERROR]);
  });

  it(`a gateway over HTTP/2, ${kind} sends an answer without a body while the request is still arriving`, async () => {
    const stream = session.request({ ':method': 'HEAD', ':path': '/healthz' }, { endStream: false });
    stream.on('error', () => {});
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
    expect(headers[':status']).toBe(200);
    stream.resume();
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  it(`a gateway over HTTP/2, ${kind} does not handle a request whose body breaks off`, async () => {
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

  it(`a gateway over HTTP/2, ${kind} serves many requests at once on one connection`, async () => {
    const send = () => ask(session, '/', post(rpc('SendMessage', message('say hi'))));
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    for (const { status, body } of answers) expect([status, body.includes('"hi"')]).toEqual([200, true]);
  });

  it(`a gateway over HTTP/2, ${kind} serves gRPC and JSON on the same connection`, async () => {
    const grpc = await ask(session, '/lf.a2a.v1.A2AService/ListTasks', {
      method: 'POST',
      headers: { 'content-type': 'application/grpc', te: 'trailers' },
      body: Buffer.from([0, 0, 0, 0, 0]) as never,
    });
    expect(grpc.headers['content-type']).toBe('application/grpc+proto');
    expect((await ask(session, '/healthz')).status).toBe(200);
  });

  it(`a gateway over HTTP/2, ${kind} ends its streams and sends GOAWAY when it stops`, async () => {
    const tls = kind === 'plain' ? '' : `, tls: { cert: ${file('server.pem')}, key: ${file('server.key')} }`;
    const opened = await openGateway(`listen: { port: 0${tls} }\nstore: "memory:"\n`);
    const client = connect(opened.url, { rejectUnauthorized: false });
    const goaway = once(client, 'goaway');
    const stream = client.request({ ':method': 'POST', ':path': '/message:stream', ...json });
    stream.end(JSON.stringify(message('wait')));
    await once(stream, 'data');
    const closed = [once(stream, 'close'), once(client, 'close'), opened.gateway.close({ drainMs: 5_000 })];
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    await Promise.all(closed);
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  it(`a gateway over HTTP/2, ${kind} serves curl`, async () => {
    const prior = kind === 'plain' ? '--http2-prior-knowledge' : '--http2';
    const sent = [
      '-H',
      'content-type: application/json',
      '-H',
      'a2a-version: 1.0',
      '-d',
      JSON.stringify(message('say hi')),
    ];
    const args = ['-sSk', prior, '-w', '%{http_version} %{http_code}', ...sent, `${origin}/message:send`];
    const { stdout } = await promisify(execFile)('curl', args, { timeout: paced(10_000) });
    expect(stdout).toContain('"hi"');
    expect(stdout).toMatch(/2 200$/);
  });

  it(`a gateway over HTTP/2, ${kind} serves undici`, async ({ skip }) => {
    if (kind === 'plain') skip('undici speaks HTTP/2 over TLS alone');
    const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });
    const answer = await undici(`${origin}/message:send`, { ...post(JSON.stringify(message('say hi'))), dispatcher });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"hi"')]);
    await dispatcher.close();
  });
});
