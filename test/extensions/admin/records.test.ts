import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { api } from '../../../src/core/model/a2a.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import type {
  ListRecordsResponse,
  RecordedCall,
  RecordRequest,
  RecordResponse,
} from '../../../src/gen/admin-v1/types.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { askAdmin } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

/** What operators see of a call on the wire: as the client sent it, in A2A 1.0, as the agent got it, and all the way back. */

const alice = newKey();
const bob = newKey();
const operator = newKey();
const peer = newKey();
const asAlice = { 'x-api-key': alice.key };
const asOperator = { 'x-api-key': operator.key };

/** Upstream agents, in each way in which a gateway calls older ones, and what their requests look like. */
const upstreams = [
  { name: 'vault', dialect: 'agentvault-0.2', transport: 'jsonrpc', sent: '"content":"say good day"' },
  { name: 'google', dialect: 'a2a-0.1', transport: 'jsonrpc', sent: '"type":"text"' },
  { name: 'rpc03', dialect: 'a2a-0.3', transport: 'jsonrpc', sent: '"method":"message/' },
  { name: 'rest03', dialect: 'a2a-0.3', transport: 'rest', sent: '"ROLE_USER"' },
  { name: 'grpc03', dialect: 'a2a-0.3', transport: 'grpc', sent: '"ROLE_USER"' },
] as const;

let far: Opened;
let near: Opened;
let url: string;
/** An agent without a card, which repeats in an error what headers it got, as broken agents do. */
let echoes: Server;
let echoesUrl: string;

const settings = (more = ''): string =>
  `
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: bob, hash: "${bob.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }
agents:
  demo: { kind: reference }
${more}
defaultAgent: demo
`;

beforeAll(async () => {
  echoes = createServer((req, res) => {
    req.resume();
    if (req.method === 'GET') return void res.writeHead(404).end();
    const headers = JSON.stringify(req.headers);
    const message = 'z'.repeat(256 * 1024 - headers.length) + headers;
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ jsonrpc: '2.0', id: '1', error: { code: -32603, message } }));
  }).listen(0, '127.0.0.1');
  await once(echoes, 'listening');
  echoesUrl = `http://127.0.0.1:${(echoes.address() as AddressInfo).port}`;
  far = await openGateway(`
auth: { anonymous: false, apiKeyHeader: x-peer, apiKeys: [{ name: peer, hash: "${peer.hash}" }] }
agents: { demo: { kind: reference } }
defaultAgent: demo
`);
  const auth = `{ type: apiKey, header: x-peer, key: "${peer.key}" }`;
  const agents = upstreams.map(({ name, dialect, transport }) => {
    const to = transport === 'grpc' ? far.url : `${far.url}/demo/as/${dialect}`;
    return `  ${name}: { kind: upstream, url: "${to}", dialect: ${dialect}, transport: ${transport}, auth: ${auth} }`;
  });
  near = await openGateway(settings(agents.join('\n')));
  ({ url } = near);
});
afterAll(async () => {
  echoes.closeAllConnections();
  echoes.close();
  await near.close();
  await far.close();
});

const record = (request: RecordRequest): Promise<RecordResponse> => askAdmin(url, 'Record', request, asOperator);
const list = (recording: string, more: object = {}): Promise<ListRecordsResponse> =>
  askAdmin(url, 'ListRecords', { recording, ...more }, asOperator);

/** What is recorded of the calls that `call` makes, the latest first. */
async function recorded(request: RecordRequest, call: () => Promise<unknown>): Promise<RecordedCall[]> {
  const id = (await record(request)).recording?.id ?? '';
  try {
    await call();
    for (;;) {
      const { records = [] } = await list(id);
      // The answer may reach its client before the gateway notes its end.
      if (records.every(({ durationMs, error }) => durationMs !== undefined || error)) return records;
    }
  } finally {
    await record({ stop: id });
  }
}

const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] });

function enveloped(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

const protobuf = (request: object): Uint8Array => encode(api, 'lf.a2a.v1.SendMessageRequest', request);
const service = '/lf.a2a.v1.A2AService/SendMessage';

async function post(path: string, type: string, body: string | Uint8Array, headers: object = {}): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...asAlice, 'a2a-version': '1.0', 'content-type': type, ...headers },
    body: body as string,
  });
  await response.clone().arrayBuffer();
  return response;
}

type Send = (
  agent: string,
  request: { message: ReturnType<typeof message>; [more: string]: unknown },
  headers?: object,
) => Promise<unknown>;

/** Each way in which a client sends a message. */
const bindings: readonly { name: string; binding: string; binary?: true; send: Send }[] = [
  {
    ...{ name: 'JSON-RPC', binding: 'jsonrpc' },
    send: (agent, params, headers) =>
      post(
        `/${agent}`,
        'application/json',
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
        headers,
      ),
  },
  {
    ...{ name: 'HTTP+JSON', binding: 'rest' },
    send: (agent, request, headers) =>
      post(`/${agent}/message:send`, 'application/json', JSON.stringify(request), headers),
  },
  {
    ...{ name: 'gRPC', binding: 'grpc', binary: true },
    async send(agent, request, headers = {}) {
      const client = await connect(`${url}/${agent}`, { via: 'grpc', headers: { ...asAlice, ...headers } });
      try {
        await client.sendMessage(request as never);
      } finally {
        await client.close();
      }
    },
  },
  {
    ...{ name: 'gRPC-Web', binding: 'grpc-web', binary: true },
    send: (agent, request, headers) =>
      post(`/${agent}${service}`, 'application/grpc-web+proto', enveloped(protobuf(request)), headers),
  },
  {
    ...{ name: 'gRPC-Web in text', binding: 'grpc-web', binary: true },
    send: (agent, request, headers) =>
      post(
        `/${agent}${service}`,
        'application/grpc-web-text',
        enveloped(protobuf(request)).toString('base64'),
        headers,
      ),
  },
  {
    ...{ name: 'Connect in JSON', binding: 'connect' },
    send: (agent, request, headers) =>
      post(`/${agent}${service}`, 'application/json', JSON.stringify(request), {
        'connect-protocol-version': '1',
        ...headers,
      }),
  },
  {
    ...{ name: 'Connect in protobuf', binding: 'connect', binary: true },
    send: (agent, request, headers) => post(`/${agent}${service}`, 'application/proto', protobuf(request), headers),
  },
];

describe.each(bindings)('a call over $name', ({ binding, binary, send }) => {
  test.each(upstreams)('is recorded on its way to $dialect over $transport and back', async (upstream) => {
    const { name: agent, dialect, transport, sent } = upstream;
    const [call, ...more] = await recorded({ agent }, () => send(agent, { message: message('say good day') }));
    expect(more).toEqual([]);
    expect(call).toMatchObject({ agent, principal: 'key:alice', operation: 'SendMessage', binding });
    const { request, answer } = call?.client ?? {};
    expect(request?.head).toMatch(/^POST \S+ HTTP\/(?:1\.1|2)$/);
    expect(request?.text).toContain('say good day');
    expect(answer?.head).toMatch(/^HTTP\/(?:1\.1|2) 200/);
    expect(answer?.text).toContain('good day');
    if (binary) expect(Buffer.from(request?.base64 ?? '', 'base64').toString()).toContain('say good day');
    else expect(request?.base64 ?? '').toBe('');
    expect(JSON.parse(call?.request ?? '')).toMatchObject({ message: { parts: [{ text: 'say good day' }] } });
    expect(call?.reply).toContain('"text":"good day"');
    const [attempt] = call?.attempts ?? [];
    expect(attempt).toMatchObject({ agent, dialect, binding: transport });
    const exchanges = call?.attempts?.flatMap((one) => one.exchanges ?? []) ?? [];
    expect(exchanges[0]?.request?.text).toContain(sent);
    expect(exchanges.some((one) => one.answer?.text?.includes('good day'))).toBe(true);
  });
});

describe('a call is recorded', () => {
  test('with the id of its trace', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const body = JSON.stringify({ message: message('hello') });
    const [call] = await recorded({ agent: 'rpc03' }, () =>
      post('/rpc03/message:send', 'application/json', body, { traceparent }),
    );
    expect(call?.traceId).toBe(trace);
    const sent = call?.attempts?.[0]?.exchanges?.[0]?.request?.headers ?? [];
    expect(sent.find(({ name }) => name === 'traceparent')?.value).toContain(trace);
    expect(sent.find(({ name }) => name === 'x-request-id')?.value).toBe(call?.requestId);
  });

  test('over HTTP/2', async () => {
    const [call] = await recorded({ agent: 'demo' }, async () => {
      const session = connectHttp2(url.replace('localhost', '127.0.0.1'));
      const head = { ':method': 'POST', ':path': '/demo/message:send', 'content-type': 'application/json' };
      const stream = session.request({ ...head, ...asAlice, 'a2a-version': '1.0' });
      stream.end(JSON.stringify({ message: message('say good day') }));
      for await (const _ of stream);
      session.close();
    });
    expect(call?.client?.request).toMatchObject({ head: 'POST /demo/message:send HTTP/2' });
    expect(call?.client?.request?.text).toContain('say good day');
    expect(call?.client?.answer).toMatchObject({ head: 'HTTP/2 200' });
    expect(call?.client?.answer?.text).toContain('"text":"good day"');
  });

  test('over MCP, with its tool call and the message that it becomes', async () => {
    const call = { name: 'demo__echo', arguments: { message: 'say good day' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
    const records = await recorded({ agent: 'demo' }, () => post('/mcp', 'application/json', body, accept));
    const sent = records.find(({ operation }) => operation === 'SendMessage' || operation === 'SendStreamingMessage');
    expect(sent).toMatchObject({ binding: 'mcp', agent: 'demo' });
    expect(sent?.client?.request?.text).toBe(body);
    expect(sent?.client?.answer?.text).toContain('good day');
    expect(sent?.request).toContain('"text":"say good day"');
  });

  test('in an app whose middleware has parsed the body', async () => {
    const own = createGateway(parseConfig(`store: "memory:"\n${settings()}`, { file: '/gateway.yaml', env: {} }), {
      logger: silent,
    });
    await own.start();
    const app = express().use(express.json()).use(own.middleware);
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await askAdmin(at, 'Record', { agent: 'demo' }, asOperator);
      const headers = { ...asAlice, 'a2a-version': '1.0', 'content-type': 'application/json' };
      const body = JSON.stringify({ message: message('say good day') });
      await (await fetch(`${at}/demo/message:send`, { method: 'POST', headers, body })).text();
      const { records = [] } = await askAdmin(at, 'ListRecords', {}, asOperator);
      expect(records[0]?.client?.request?.text).toBe(body);
      expect(records[0]?.client?.answer?.text).toContain('good day');
    } finally {
      server.closeAllConnections();
      server.close();
      await own.close({ drainMs: 0 });
    }
  });

  test('and no call of the admin service, whoever makes it', async () => {
    const calls = await recorded({ principal: 'key:operator' }, async () => {
      await askAdmin(url, 'ListAgents', {}, asOperator);
      await fetch(`${url}/admin/v1/agents`, { headers: asOperator });
      await post(
        '/',
        'application/json',
        '{"jsonrpc":"2.0","id":1,"method":"admin/findTasks","params":{"pageSize":-1}}',
        asOperator,
      );
      await post('/demo/message:send', 'application/json', JSON.stringify({ message: message('hello') }), asOperator);
    });
    expect(calls.map(({ operation }) => operation)).toEqual(['SendMessage']);
  });
});

describe('a recorded stream', () => {
  test('has the events in the dialect of each side and in A2A 1.0, over gRPC with trailers', async () => {
    for (const via of ['jsonrpc', 'rest', 'grpc', 'connect'] as const) {
      const client = await connect(`${url}/vault`, { via, headers: asAlice });
      const [call] = await recorded({ principal: 'key:alice' }, async () => {
        for await (const _ of client.sendStream('stream 3 0'));
      });
      await client.close();
      expect(call?.eventCount).toBe(call?.events?.length);
      expect(call?.events?.map((event) => Object.keys(JSON.parse(event))[0])).toContain('artifactUpdate');
      expect(call?.client?.answer?.text).toContain('chunk 3');
      if (via === 'grpc') expect(call?.client?.answer?.trailers).toContainEqual({ name: 'grpc-status', value: '0' });
      const [attempt] = call?.attempts ?? [];
      // AgentVault's streams take two requests.
      expect(attempt?.exchanges?.map(({ request }) => JSON.parse(request?.text ?? '').method)).toEqual([
        'tasks/send',
        'tasks/sendSubscribe',
      ]);
      expect(attempt?.exchanges?.at(-1)?.answer?.text).toContain('event: task_artifact');
    }
  });

  test('goes on to record what the agent says when its client has left', async () => {
    const [call] = await recorded({ agent: 'rpc03' }, async () => {
      const leaving = new AbortController();
      const response = await fetch(`${url}/rpc03/message:stream`, {
        method: 'POST',
        headers: { ...asAlice, 'a2a-version': '1.0', 'content-type': 'application/json' },
        body: JSON.stringify({ message: message('stream 3 300') }),
        signal: leaving.signal,
      });
      await response.body?.getReader().read();
      leaving.abort();
      for (;;) {
        const [{ key, state } = {}] = (await askAdmin(url, 'FindTasks', { agent: 'rpc03' }, asOperator)).tasks ?? [];
        if (state === 'TASK_STATE_COMPLETED' && key) break;
      }
    });
    expect(call?.attempts?.[0]?.exchanges?.[0]?.answer?.text).toContain('chunk 3');
    expect(call?.client?.answer?.text).not.toContain('chunk 3');
  });
});

describe('a recording', () => {
  test('has refused requests with their frame and the error', async () => {
    const [call] = await recorded({ agent: 'demo' }, () =>
      post(
        '/demo',
        'application/json',
        '{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": 7}}',
      ),
    );
    expect(call).toMatchObject({ agent: 'demo', principal: 'key:alice', error: 'invalidParams', binding: 'jsonrpc' });
    expect(call?.client?.request?.text).toContain('"params": {"message": 7}');
    expect(call?.client?.answer?.text).toContain('-32602');
    expect(call?.request ?? '').toBe('');
    const [other] = await recorded({ principal: 'key:alice' }, () =>
      post(`/demo${service}`, 'application/grpc-web+proto', enveloped(Buffer.from('no protobuf'))).then(
        () => undefined,
      ),
    );
    expect(other).toMatchObject({ binding: 'grpc-web', error: 'parse' });
  });

  test('has each attempt to reach an agent, and why it failed', async () => {
    const gone = createServer((req, res) => {
      req.resume();
      res.writeHead(req.method === 'GET' ? 404 : 500).end();
    }).listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const to = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
    const own = await openGateway(
      settings(`  gone: { kind: upstream, url: "${to}", dialect: a2a-0.3, transport: jsonrpc, keep: none }`),
    );
    const send = () =>
      fetch(`${own.url}/gone/message:send`, {
        method: 'POST',
        headers: { ...asAlice, 'a2a-version': '1.0', 'content-type': 'application/json' },
        body: JSON.stringify({ message: message('hello') }),
      });
    try {
      await send();
      gone.closeAllConnections();
      gone.close();
      await askAdmin(own.url, 'Record', { agent: 'gone' }, asOperator);
      expect((await send()).status).toBe(502);
      const { records = [] } = await askAdmin(own.url, 'ListRecords', {}, asOperator);
      expect(records).toMatchObject([{ error: 'upstreamUnreachable', reason: expect.any(String) }]);
      expect(records[0]?.attempts?.length).toBeGreaterThan(1);
      for (const attempt of records[0]?.attempts ?? []) expect(attempt.error).toBe('upstreamUnreachable');
      // Then the circuit breaker is open, and the agent is not called at all.
      for (;;) {
        await send();
        const [refused] = (await askAdmin(own.url, 'ListRecords', {}, asOperator)).records ?? [];
        const last = refused?.attempts?.at(-1);
        if (!last?.reason?.includes('did not answer 5 consecutive calls')) continue;
        expect(last).toMatchObject({ agent: 'gone', dialect: 'a2a-0.3', binding: 'jsonrpc' });
        expect(last.exchanges ?? []).toEqual([]);
        break;
      }
    } finally {
      await own.close();
    }
  });

  test('of a caller has only calls of that caller, and of an agent only calls of that agent', async () => {
    const ofAlice = (await record({ principal: 'key:alice' })).recording?.id ?? '';
    const ofVault = (await record({ agent: 'vault' })).recording?.id ?? '';
    const asBob = { 'x-api-key': bob.key };
    const body = JSON.stringify({ message: message('hello') });
    await post('/demo/message:send', 'application/json', body, asBob);
    await post('/vault/message:send', 'application/json', body, asBob);
    await post('/demo/message:send', 'application/json', body);
    const seen = async (id: string) => (await list(id)).records?.map(({ agent, principal }) => [agent, principal]);
    expect(await seen(ofAlice)).toEqual([['demo', 'key:alice']]);
    expect(await seen(ofVault)).toEqual([['vault', 'key:bob']]);
    await record({ stop: ofAlice });
    await record({ stop: ofVault });
  });

  test('of a task has the calls about that task', async () => {
    const send = async (text: string): Promise<string> => {
      const body = JSON.stringify({ message: message(text) });
      const response = await post('/demo/message:send', 'application/json', body);
      return ((await response.json()) as { task: { id: string } }).task.id;
    };
    const taskKey = await send('ask');
    const other = await send('ask');
    const calls = await recorded({ taskKey }, async () => {
      const answer = { message: { ...message('Ada'), taskId: taskKey } };
      await fetch(`${url}/demo/tasks/${other}`, { headers: { ...asAlice, 'a2a-version': '1.0' } });
      await post('/demo/message:send', 'application/json', JSON.stringify(answer));
      await fetch(`${url}/demo/tasks/${taskKey}`, { headers: { ...asAlice, 'a2a-version': '1.0' } });
    });
    expect(calls.map(({ operation, taskId }) => [operation, taskId])).toEqual([
      ['GetTask', taskKey],
      ['SendMessage', taskKey],
    ]);
    await expect(record({ taskKey: 'unknown' })).rejects.toMatchObject({ code: -32001 });
    await expect(record({ taskKey, principal: 'key:bob' })).rejects.toThrow('principal: must be the owner of the task');
  });

  test('ends after its calls, when it is stopped, and by itself', async () => {
    const send = () => post('/demo/message:send', 'application/json', JSON.stringify({ message: message('hello') }));
    const one = (await record({ agent: 'demo', calls: 1 })).recording;
    await send();
    await send();
    expect((await list(one?.id ?? '')).records).toHaveLength(1);
    const stopped = (await record({ stop: one?.id ?? '' })).recording;
    expect(stopped).toMatchObject({ id: one?.id, ended: true, recorded: 1, startedBy: 'key:operator' });
    const brief = (await record({ agent: 'demo', seconds: 1 })).recording?.id ?? '';
    for (;;) {
      const { recordings = [] } = await list(brief);
      if (recordings.find(({ id }) => id === brief)?.ended) break;
    }
    await send();
    expect((await list(brief)).records ?? []).toEqual([]);
  });

  test('is bounded in number, calls and time, and its frames in bytes', async () => {
    await expect(record({})).rejects.toThrow('agent: is required, or principal, or taskKey');
    await expect(record({ agent: 'demo', calls: 101 })).rejects.toThrow('calls: must be from 1 to 100');
    await expect(record({ agent: 'demo', seconds: 3_601 })).rejects.toThrow('seconds: must be from 1 to 3600');
    await expect(record({ agent: 'none' })).rejects.toThrow('No such agent: none');
    await expect(record({ stop: 'none' })).rejects.toThrow('stop: must be the id of a recording');
    const text = 'x'.repeat(400 * 1024);
    const [call] = await recorded({ agent: 'demo' }, () =>
      post('/demo/message:send', 'application/json', JSON.stringify({ message: message(text) })),
    );
    const { request } = call?.client ?? {};
    expect(Number(request?.size)).toBeGreaterThan(text.length);
    expect(request?.text).toHaveLength(256 * 1024);
    expect(Number(request?.cut)).toBe(Number(request?.size) - 256 * 1024);
    const ids: string[] = [];
    const more = async (): Promise<void> => void ids.push((await record({ agent: 'demo' })).recording?.id ?? '');
    for (let count = 0; count < 8; count += 1) await more();
    await expect(more()).rejects.toThrow('8 recordings are in progress');
    for (const id of ids) await record({ stop: id });
    await more();
    await record({ stop: ids.at(-1) ?? '' });
  });

  test('keeps no more than 16 MiB: the oldest calls go, and their number is said', async () => {
    const { id = '' } = (await record({ agent: 'demo', calls: 100 })).recording ?? {};
    const body = JSON.stringify({ message: message('y'.repeat(300 * 1024)) });
    for (let count = 0; count < 40; count += 1) await post('/demo/message:send', 'application/json', body);
    const { recording } = await record({ stop: id });
    expect(recording?.recorded).toBe(40);
    expect(recording?.dropped).toBeGreaterThan(0);
    const seen = new Set<string>();
    let pages = 0;
    for (let pageToken = ''; ; pages += 1) {
      const { records = [], nextPageToken } = await list(id, { pageSize: 100, pageToken });
      for (const { id: one } of records) seen.add(one);
      if (!nextPageToken) break;
      pageToken = nextPageToken;
    }
    expect(seen.size).toBe(40 - (recording?.dropped ?? 0));
    // Pages are bounded in bytes, too.
    expect(pages).toBeGreaterThan(1);
  });

  test('is refused where the configuration keeps content from operators', async () => {
    const hiding = await openGateway(`${settings()}console: { content: false }\n`);
    try {
      for (const [operation, request] of [
        ['Record', { agent: 'demo' }],
        ['ListRecords', {}],
      ] as const) {
        await expect(askAdmin(hiding.url, operation, request, asOperator)).rejects.toThrow('console.content: false');
      }
    } finally {
      await hiding.close();
    }
  });

  test('is over, with all that it has, when a reload keeps content from operators', async () => {
    const own = await openGateway(settings());
    try {
      const ask = <K extends 'Record' | 'ListRecords'>(operation: K, request: object) =>
        askAdmin(own.url, operation, request as never, asOperator);
      await ask('Record', { agent: 'demo' });
      const reload = (more: string) =>
        own.gateway.reload(
          parseConfig(`listen: { host: localhost, port: 0 }\nstore: "memory:"\n${settings()}${more}`, {
            file: '/gateway.yaml',
            env: {},
          }),
        );
      await reload('console: { content: false }\n');
      await expect(ask('ListRecords', {})).rejects.toThrow('console.content: false');
      await fetch(`${own.url}/demo/tasks/none`, { headers: asAlice });
      await reload('');
      expect(await ask('ListRecords', {})).toMatchObject({ recordings: [], records: [] });
    } finally {
      await own.close();
    }
  });

  test('is a line of the audit log, and each look at it too', async () => {
    const lines: object[] = [];
    const note = (fields: object): void => void lines.push(fields);
    const logger = { debug: note, info: note, warn: note, error: note };
    const own = await openGateway(settings(), { logger });
    try {
      await askAdmin(own.url, 'Record', { principal: 'key:alice' }, asOperator);
      await askAdmin(own.url, 'ListRecords', {}, asOperator);
      expect(lines).toContainEqual(
        expect.objectContaining({
          security: 'admin.action',
          operation: 'Record',
          principal: 'key:operator',
          subject: 'key:alice',
        }),
      );
      expect(lines).toContainEqual(
        expect.objectContaining({ security: 'admin.read', operation: 'ListRecords', principal: 'key:operator' }),
      );
    } finally {
      await own.close();
    }
  });
});

describe('credentials', () => {
  const markers = {
    cookie: 'marker-cookie-5f2a',
    session: 'marker-session-77aa',
    query: 'marker-query-13bd',
    token: 'marker"token\\tail-of-it',
    credentials: 'marker-credentials-90ef',
    path: 'marker-path-4410',
    user: 'marker-user-8123',
    member: 'marker-member-3321',
    basic: 'marker-basic-7001',
    short: 'mk7',
  };

  test.each(bindings)('appear nowhere in the record of a call over $name', async ({ send, binary }) => {
    const webhook = `https://${markers.user}:pw@hooks.example.com/${markers.path}?access_token=${markers.query}`;
    const push = {
      url: webhook,
      token: markers.token,
      authentication: { scheme: 'Bearer', credentials: markers.credentials },
    };
    const headers = {
      cookie: `sid=${markers.cookie}`,
      'mcp-session-id': markers.session,
      authorization: `Basic ${Buffer.from(`me:${markers.basic}`).toString('base64')}`,
    };
    for (const agent of ['demo', 'rpc03', 'vault', 'grpc03']) {
      const said = message(`echo ${alice.key} ${markers.basic} ${JSON.stringify({ api_key: markers.member })}`);
      const request = { message: said, configuration: { taskPushNotificationConfig: push } };
      const calls = await recorded({ principal: 'key:alice' }, () =>
        send(agent, request, headers).catch(() => undefined),
      );
      expect(calls).toHaveLength(1);
      const text = JSON.stringify(calls);
      const bytes = [...text.matchAll(/"base64":"([^"]+)"/g)].map(([, base64 = '']) =>
        Buffer.from(base64, 'base64').toString('latin1'),
      );
      if (binary) expect(bytes.join()).toContain('echo');
      const known = [alice.key, peer.key, ...Object.values(markers), 'tail-of-it'];
      for (const marker of known) {
        for (const where of [text, ...bytes]) expect(where).not.toContain(marker);
      }
      expect(text).toContain('[secret]');
    }
  });

  test('are found in texts that are made to keep the search busy', async () => {
    const quarter = 60 * 1024;
    const texts = [
      `"token":"${markers.member}${'\\'.repeat(4 * quarter)}`,
      `?${'key'.repeat(quarter)} ${'?key'.repeat(quarter / 4)}?key=${markers.member}`,
      `${'http://'.repeat(quarter / 7)}${'"pushNotificationConfig":{'.repeat(quarter / 26)}"api_key":"${markers.member}"`,
      Array.from({ length: 3_000 }, (_, at) => `"token":"${markers.member}-${at}"`).join(),
    ];
    for (const text of texts) {
      const body = JSON.stringify({ message: message(text) });
      const [call] = await recorded({ agent: 'demo' }, () => post('/demo/message:send', 'application/json', body));
      expect(Number(call?.client?.request?.size)).toBeGreaterThan(50_000);
      expect(JSON.stringify(call)).not.toContain(markers.member);
    }
  });

  test('that an agent repeats, or that are cut, are not shown', async () => {
    const own = await openGateway(
      settings(
        `  echoes: { kind: upstream, url: "${echoesUrl}/?key=${markers.query}", dialect: a2a-0.3, transport: jsonrpc, keep: none, auth: { type: bearer, token: "${markers.credentials}" } }`,
      ),
    );
    try {
      await askAdmin(own.url, 'Record', { agent: 'echoes' }, asOperator);
      await fetch(`${own.url}/echoes/message:send`, {
        method: 'POST',
        headers: { ...asAlice, 'a2a-version': '1.0', 'content-type': 'application/json' },
        body: JSON.stringify({ message: message('hello') }),
      });
      const { records = [] } = await askAdmin(own.url, 'ListRecords', {}, asOperator);
      const text = JSON.stringify(records);
      expect(text).toContain('zzzz');
      for (const marker of [markers.query, markers.credentials, alice.key, 'marker-cred'])
        expect(text).not.toContain(marker);
    } finally {
      await own.close();
    }
  });
});
