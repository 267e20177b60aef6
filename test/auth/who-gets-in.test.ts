import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { type Running, startGateway } from '../support/gateway.ts';
import { type HttpAnswer, RawGrpc, RawHttp } from '../support/raw.ts';

/** Anonymous access is for users of this machine, not for callers that only look local (CONTRACT, "Who gets in"). */

const service = '/lf.a2a.v1.A2AService';
const message = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say welcome' }] } };
const rpcBody = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** One way in. */
interface SampleRequest {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

const binary = Buffer.from(encode(api, 'lf.a2a.v1.SendMessageRequest', message));
const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, binary.length]), binary]);

const sampleRequests: Readonly<Record<string, SampleRequest>> = {
  'JSON-RPC': { path: '/', contentType: 'application/json', body: Buffer.from(rpcBody('SendMessage', message)) },
  'HTTP+JSON': {
    path: '/message:send',
    contentType: 'application/a2a+json',
    body: Buffer.from(JSON.stringify(message)),
  },
  'Connect, JSON': {
    path: `${service}/SendMessage`,
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(message)),
  },
  'Connect, binary': { path: `${service}/SendMessage`, contentType: 'application/proto', body: binary },
  'gRPC-Web': { path: `${service}/SendMessage`, contentType: 'application/grpc-web+proto', body: framed },
  AgentVault: {
    path: '/as/agentvault-0.2',
    contentType: 'application/json',
    body: Buffer.from(
      rpcBody('tasks/send', { message: { role: 'user', parts: [{ type: 'text', content: 'say welcome' }] } }),
    ),
  },
};

/** Whether the answer is a refusal of the caller, in whatever form the binding gives it. */
function isRefusal({ status, headers, body }: HttpAnswer): boolean {
  if (status === 401) expect(headers['www-authenticate']).toBeTruthy();
  if (status === 401 || status === 403) return true;
  // AgentVault says it with its codes alone.
  if (/"code":-3200[23]/.test(body.toString('latin1'))) return true;
  const grpcStatus = headers['grpc-status'] ?? /grpc-status: ?(\d+)/.exec(body.toString('latin1'))?.[1];
  return grpcStatus === '16' || grpcStatus === '7';
}

/** Headers that make a caller doubtful, by name. */
const doubts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a foreign origin': { origin: 'https://evil.example.com' },
  'the null origin': { origin: 'null' },
  'an origin on another port': { origin: 'http://localhost:1' },
  'a rebound name': { host: 'evil.example.com' },
  'a name that begins like a loopback one': { host: 'localhost.evil.example.com' },
  'an address of the network': { host: '192.168.1.5:8080' },
  Forwarded: { forwarded: 'for=192.0.2.60;proto=http' },
  'X-Forwarded-For': { 'x-forwarded-for': '192.0.2.60' },
  'X-Forwarded-Host': { 'x-forwarded-host': 'agents.example.com' },
  'X-Forwarded-Proto': { 'x-forwarded-proto': 'https' },
  'X-Real-IP': { 'x-real-ip': '192.0.2.60' },
  'X-Forwarded-Port': { 'x-forwarded-port': '443' },
  'X-Forwarded-Server': { 'x-forwarded-server': 'proxy' },
  'X-Client-IP': { 'x-client-ip': '192.0.2.60' },
  'CF-Connecting-IP': { 'cf-connecting-ip': '192.0.2.60' },
  'True-Client-IP': { 'true-client-ip': '192.0.2.60' },
  'CDN-Loop': { 'cdn-loop': 'cloudflare' },
  'X-Envoy-External-Address': { 'x-envoy-external-address': '192.0.2.60' },
  'X-Original-Host': { 'x-original-host': 'agents.example.com' },
};

describe('a gateway on loopback without credentials', () => {
  let gateway: Running;
  let http: RawHttp;
  beforeAll(async () => {
    gateway = await startGateway({ cors: ['https://console.example.com'] });
    http = new RawHttp(gateway.port);
  });

  describe.each(Object.entries(sampleRequests))('called over %s', (label, { path, contentType, body }) => {
    const knock = (headers: Record<string, string> = {}) =>
      http.send({ path, body, headers: { 'content-type': contentType, ...headers } });

    it(`a gateway on loopback without credentials called over ${label} serves local callers under each name of the machine`, async () => {
      for (const host of ['localhost', `127.0.0.1:${gateway.port}`, `[::1]:${gateway.port}`, 'LOCALHOST:80']) {
        const answer = await knock({ host });
        expect([host, answer.status, isRefusal(answer)]).toEqual([host, 200, false]);
      }
    });

    it(`a gateway on loopback without credentials called over ${label} serves its own pages and those of configured origins`, async () => {
      const own = await knock({ host: gateway.target, origin: gateway.origin });
      expect([own.status, isRefusal(own)]).toEqual([200, false]);
      const console = await knock({ origin: 'https://console.example.com' });
      expect([console.status, isRefusal(console)]).toEqual([200, false]);
      expect(console.headers['access-control-allow-origin']).toBe('https://console.example.com');
    });

    it.each(Object.entries(doubts))(
      `a gateway on loopback without credentials called over ${label} refuses %s`,
      async (__, headers) => {
        expect(isRefusal(await knock(headers))).toBe(true);
      },
    );

    it.each([
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ])(
      `a gateway on loopback without credentials called over ${label} refuses a body of %s, which any web page can send`,
      async (type) => {
        const answer = await knock({ 'content-type': type });
        expect(answer.body.toString('latin1')).not.toContain('welcome');
        if (isRefusal(answer)) return;
        const said = answer.body.toString();
        expect(answer.status >= 400 || said.includes('"error"')).toBe(true);
      },
    );

    it(`a gateway on loopback without credentials called over ${label} refuses a body without a content type`, async () => {
      const answer = await http.send({ path, body });
      expect(answer.body.toString('latin1')).not.toContain('welcome');
    });
  });

  describe.each([
    ['GET', '/tasks'],
    ['GET', '/agents'],
    ['GET', '/extendedAgentCard'],
    ['POST', '/tasks/none:cancel'],
    ['DELETE', '/tasks/none/pushNotificationConfigs/none'],
  ])('%s %s', (method, path) => {
    it.each(Object.entries(doubts))(
      `a gateway on loopback without credentials ${method} ${path} refuses %s`,
      async (_, headers) => {
        const answer = await http.send({ method, path, headers: { 'a2a-version': '1.0', ...headers } });
        expect(isRefusal(answer)).toBe(true);
      },
    );

    it(`a gateway on loopback without credentials ${method} ${path} serves requests of other kinds`, async () => {
      expect(isRefusal(await http.send({ method, path, headers: { 'a2a-version': '1.0' } }))).toBe(false);
    });
  });

  /** Requests that nginx sends for `proxy_pass http://localhost:PORT;` without further configuration. */
  it.each([
    ['POST', '/', sampleRequests['JSON-RPC']?.body.toString() ?? ''],
    ['GET', '/tasks', ''],
    ['GET', '/agents', ''],
    ['GET', '/metrics', ''],
    ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ])(
    'a gateway on loopback without credentials refuses %s %s over HTTP/1.0, which unconfigured proxies speak',
    async (method, path, body) => {
      const socket = connect(gateway.port, '127.0.0.1');
      const type = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream';
      const length = body === '' ? '' : `\r\nContent-Length: ${Buffer.byteLength(body)}`;
      const head = `Host: localhost:${gateway.port}\r\nConnection: close\r\n${type}${length}`;
      socket.end(`${method} ${path} HTTP/1.0\r\n${head}\r\n\r\n${body}`);
      const answer = (await socket.setEncoding('utf8').toArray()).join('');
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toContain('HTTP/1.0');
    },
  );

  it('a gateway on loopback without credentials does not write the Host header into agent cards', async () => {
    for (const path of ['/.well-known/agent-card.json', '/hello/.well-known/agent-card.json', '/agents']) {
      const answer = await http.send({ method: 'GET', path, headers: { host: 'evil.example.com' } });
      expect(answer.body.toString()).not.toContain('evil.example.com');
      const forwarded = await http.send({ method: 'GET', path, headers: { 'x-forwarded-host': 'evil.example.com' } });
      expect(forwarded.body.toString()).not.toContain('evil.example.com');
    }
  });

  describe('over gRPC', () => {
    const knock = async (metadata: Record<string, string> = {}, authority?: string) => {
      const client = new RawGrpc(
        gateway.target,
        authority === undefined ? {} : { 'grpc.default_authority': authority },
      );
      return (await client.send(`${service}/SendMessage`, binary, metadata)).status;
    };

    it('a gateway on loopback without credentials serves local callers over gRPC under each name of the machine', async () => {
      for (const authority of ['localhost', `127.0.0.1:${gateway.port}`, `[::1]:${gateway.port}`]) {
        expect(await knock({}, authority)).toBe('OK');
      }
    });

    it.each(Object.entries(doubts))(
      'a gateway on loopback without credentials refuses %s over gRPC',
      async (_, { host, ...metadata }) => {
        expect(['UNAUTHENTICATED', 'PERMISSION_DENIED']).toContain(await knock(metadata, host));
      },
    );
  });
});
