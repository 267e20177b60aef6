import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { askAdmin } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { listenOn } from '../../support/peer.ts';
import {
  asAlice,
  asOperator,
  message,
  openRecorded,
  recordingAt,
  settings,
  upstreams,
} from '../../support/recording.ts';

/** Recorded messages of a call: as the client sent it, in A2A 1.0, as the agent got it, and all the way back. */

let url: string;
let close: () => Promise<void>;
const { recorded, post, bindings } = recordingAt(() => url);

beforeAll(async () => {
  ({ url, close } = await openRecorded());
});
afterAll(() => close());

describe.each(bindings)('a call over $name', ({ binding, binary, send }) => {
  test.each(upstreams)(
    'a call over $name is recorded on its way to $dialect over $transport and back',
    async (upstream) => {
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
    },
  );
});

test('a call is recorded with the id of its trace', async () => {
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

test('a call is recorded over HTTP/2', async () => {
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

test('a call is recorded over MCP, with its tool call and the message that it becomes', async () => {
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

test('a call is recorded in an app whose middleware has parsed the body', async () => {
  const own = createGateway(parseConfig(`store: "memory:"\n${settings()}`, { file: '/gateway.yaml', env: {} }), {
    logger: silent,
  });
  await own.start();
  const app = express().use(express.json()).use(own.middleware);
  const server = createServer(app);
  const { origin: at } = await listenOn(server);
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

test('calls are recorded, and no call of the admin service, whichever caller makes it', async () => {
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

test('a recorded stream has the events in the dialect of each side and in A2A 1.0, over gRPC with trailers', async () => {
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

test('a recorded stream goes on to record what the agent says when its client has left', async () => {
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
