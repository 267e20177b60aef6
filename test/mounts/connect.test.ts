import { once } from 'node:events';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createFileRegistry, type DescMethod, fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectError, type ConnectRouter, type Transport } from '@connectrpc/connect';
import { expressConnectMiddleware } from '@connectrpc/connect-express';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import type express from 'express';
import { describe, expect, it, vi } from 'vitest';
import { api as vendored } from '../../src/core/model/a2a.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { connectRoutes, contextValues } from '../../src/mounts/connect.ts';
import { mountOf } from '../../src/transports/rpc/mount.ts';
import { image } from '../support/descriptors.ts';
import { afterTest } from '../support/peer.ts';
import { key, makeGateway, message, required, settings, slowCalls, slowChanges, startGateway } from './gateways.ts';

/** A gateway among the routes of a ConnectRouter, in each of its adapters. */

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
const me = { 'x-api-key': key, 'a2a-version': '1.0' };

function methodOf(rpc: string, service = vendored.service): DescMethod {
  const method = registry.getService(service)?.methods.find(({ name }) => name === rpc);
  if (!method) throw new Error(`no rpc ${rpc}`);
  return method;
}

interface Seen {
  headers?: Headers;
  trailers?: Headers;
}

async function unary(
  transport: Transport,
  rpc: string,
  request: object,
  headers: Record<string, string> = me,
  seen: Seen = {},
) {
  const method = methodOf(rpc) as DescMethod & { methodKind: 'unary' };
  const input = fromJson(method.input, request as JsonValue, { registry });
  const answer = await transport.unary(method, undefined, undefined, headers, input);
  Object.assign(seen, { headers: answer.header, trailers: answer.trailer });
  return toJson(method.output, answer.message, { registry });
}

async function stream(
  transport: Transport,
  rpc: string,
  request: object,
  { headers = me, seen = {}, signal }: { headers?: Record<string, string>; seen?: Seen; signal?: AbortSignal } = {},
): Promise<JsonValue[]> {
  const method = methodOf(rpc) as DescMethod & { methodKind: 'server_streaming' };
  const input = fromJson(method.input, request as JsonValue, { registry });
  const one = async function* () {
    yield input;
  };
  const answer = await transport.stream(method, signal, undefined, headers, one());
  const list: JsonValue[] = [];
  for await (const each of answer.message) list.push(toJson(method.output, each, { registry }));
  Object.assign(seen, { headers: answer.header, trailers: answer.trailer });
  return list;
}

async function listen(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterTest(() => {
    server.close();
    (server as Partial<Server>).closeAllConnections?.();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Adapter = (gateway: Gateway) => Promise<string>;

const ofExpress = async (gateway: Gateway, name: string): Promise<string> => {
  const { default: create } = (await import(name)) as { default: typeof express };
  const app = create();
  // In Express 4 it gives every request a body, also those that it has not read.
  if (name === 'express') app.use(create.json());
  app.use(expressConnectMiddleware({ routes: connectRoutes(gateway) }));
  return listen(createServer(app as RequestListener));
};

const adapters: Readonly<Record<string, Adapter>> = {
  'connect-node': (gateway) => listen(createServer(connectNodeAdapter({ routes: connectRoutes(gateway) }))),
  'connect-express, Express 5': (gateway) => ofExpress(gateway, 'express'),
  'connect-express, Express 4': (gateway) => ofExpress(gateway, 'express4'),
  async 'connect-fastify'(gateway) {
    const { fastify } = await import('fastify');
    const app = fastify();
    await app.register(fastifyConnectPlugin, { routes: connectRoutes(gateway) });
    afterTest(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
};

const protocols: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect with JSON': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', jsonOptions: { registry } }),
  'Connect with protobuf': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'gRPC-Web': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
};

const cases = Object.entries(adapters).flatMap(([name, open]) =>
  Object.entries(protocols).map(([protocol, connect]) => ({ name, open, protocol, connect })),
);

describe.each(cases)('a gateway in $name, called over $protocol', ({ name, protocol, open, connect }) => {
  it(`a gateway in ${name}, called over ${protocol} answers, streams, and sends errors with their details, extensions and losses`, async () => {
    const transport = connect(await open(await startGateway()));
    const direct = await unary(transport, 'SendMessage', { message: message('say hello') });
    expect(direct).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
    const events = await stream(transport, 'SendStreamingMessage', { message: message('stream 100 0') });
    expect(events).toHaveLength(103);

    const missing = unary(transport, 'GetTask', { id: 'none' }, { ...me, 'x-request-id': 'r1' });
    const error = (await missing.catch((thrown: unknown) => thrown)) as ConnectError;
    expect(error.code).toBe(Code.NotFound);
    expect(error.metadata.get('x-request-id')).toBe('r1');
    expect(error.details.map((detail) => (detail as { type: string }).type)).toContain('google.rpc.ErrorInfo');
    const late = stream(transport, 'SubscribeToTask', { id: 'none' });
    await expect(late).rejects.toMatchObject({ code: Code.NotFound });
    await expect(unary(transport, 'SendMessage', { message: { ...message(''), parts: [] } })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });

    const headers = { ...me, 'a2a-agent': 'demanding', 'a2a-extensions': required };
    const seen: Seen = {};
    await unary(transport, 'SendMessage', { message: message('hi') }, headers, seen);
    expect(seen.headers?.get('a2a-extensions')).toBe(required);
    expect(seen.headers?.get('a2a-version')).toBe('1.0');
    await stream(transport, 'SendStreamingMessage', { message: message('hi') }, { headers, seen });
    expect(seen.headers?.get('a2a-extensions')).toBe(required);
  });

  it(`a gateway in ${name}, called over ${protocol} refuses callers without credentials`, async () => {
    const transport = connect(await open(await startGateway()));
    const headers = { 'a2a-version': '1.0' };
    await expect(unary(transport, 'SendMessage', { message: message('hi') }, headers)).rejects.toMatchObject({
      code: Code.Unauthenticated,
    });
    const refused = stream(transport, 'SendStreamingMessage', { message: message('hi') }, { headers });
    await expect(refused).rejects.toMatchObject({ code: Code.Unauthenticated });
  });
});

describe.each(Object.entries(adapters))('a gateway in %s', (name, open) => {
  it(`a gateway in ${name} serves anonymous callers of this machine, and refuses forwarded requests`, async () => {
    const transport = createConnectTransport({
      baseUrl: await open(await startGateway({ auth: {} })),
      httpVersion: '1.1',
    });
    const send = { message: message('say hi') };
    expect(await unary(transport, 'SendMessage', send, {})).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
    const forwarded = unary(transport, 'SendMessage', send, { 'x-forwarded-for': '203.0.113.1' });
    await expect(forwarded).rejects.toMatchObject({ code: Code.Unauthenticated });
  });

  it(`a gateway in ${name} refuses a caller with bad credentials before the message has arrived`, async () => {
    const url = await open(await startGateway());
    for (const type of ['application/proto', 'application/grpc-web+proto']) {
      const sent = request(`${url}/lf.a2a.v1.A2AService/SendMessage`, {
        method: 'POST',
        headers: { 'content-type': type, 'x-api-key': 'wrong', 'a2a-version': '1.0' },
      });
      sent.on('error', () => {});
      sent.write(Buffer.from([0, 0, 0, 1, 0, 1]));
      const [answer] = await once(sent, 'response');
      expect([answer.statusCode, answer.headers['grpc-status']]).toEqual(
        type === 'application/proto' ? [401, undefined] : [200, undefined],
      );
      const bytes = type === 'application/proto' ? undefined : await once(answer, 'data');
      if (bytes) expect(String(bytes)).toContain('grpc-status: 16');
      sent.destroy();
    }
  });
});

describe('a gateway in connect-node over HTTP/2', () => {
  const open = async (gateway: Gateway): Promise<string> =>
    listen(createHttp2Server(connectNodeAdapter({ routes: connectRoutes(gateway) })) as unknown as Server);

  it('a gateway in connect-node over HTTP/2 serves gRPC, with trailers, to callers of this machine', async () => {
    const transport = createGrpcTransport({ baseUrl: await open(await startGateway({ auth: {} })) });
    expect(await unary(transport, 'SendMessage', { message: message('say hi') }, {})).toMatchObject({
      message: { parts: [{ text: 'hi' }] },
    });
    expect(
      await stream(transport, 'SendStreamingMessage', { message: message('stream 3 0') }, { headers: {} }),
    ).toHaveLength(6);
    await expect(unary(transport, 'GetTask', { id: 'none' }, {})).rejects.toMatchObject({ code: Code.NotFound });
  });

  it('a gateway in connect-node over HTTP/2 refuses a gRPC caller with bad credentials before the message has arrived', async () => {
    const session = connectHttp2(await open(await startGateway()));
    afterTest(() => session.destroy());
    const headers = { 'content-type': 'application/grpc', te: 'trailers', 'x-api-key': 'wrong', 'a2a-version': '1.0' };
    const sent = session.request({ ':method': 'POST', ':path': '/lf.a2a.v1.A2AService/SendMessage', ...headers });
    sent.on('error', () => {});
    sent.write(Buffer.from([0, 0, 0, 1, 0, 1]));
    const trailers = once(sent, 'trailers');
    sent.resume();
    expect((await trailers)[0]).toMatchObject({ 'grpc-status': '16' });
  });
});

it('routes of the program stand beside those of the gateway, with values of both', async () => {
  const gateway = await startGateway({ auth: {} });
  const routes = (router: ConnectRouter): void => connectRoutes(gateway)(router);
  const open = (options: object) => listen(createServer(connectNodeAdapter({ routes, ...options })));
  const send = { message: message('say hi') };
  const known = createConnectTransport({ baseUrl: await open({ contextValues }), httpVersion: '1.1' });
  expect(await unary(known, 'SendMessage', send, {})).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  // Without its connection a request is not taken for one of this machine.
  const unknown = createConnectTransport({ baseUrl: await open({}), httpVersion: '1.1' });
  await expect(unary(unknown, 'SendMessage', send, {})).rejects.toMatchObject({ code: Code.Unauthenticated });
});

it('a gate and values of the program run before those of the gateway, and its protocols are kept', async () => {
  const gateway = await startGateway();
  const gate = vi.fn();
  const values = vi.fn((req: unknown) => contextValues(req as object));
  const options = { routes: connectRoutes(gateway), requestGate: gate, contextValues: values, grpcWeb: false };
  const baseUrl = await listen(createServer(connectNodeAdapter(options)));
  await unary(createConnectTransport({ baseUrl, httpVersion: '1.1' }), 'SendMessage', { message: message('say hi') });
  expect([gate.mock.calls.length, values.mock.calls.length]).toEqual([1, 1]);
  const web = createGrpcWebTransport({ baseUrl, httpVersion: '1.1' });
  await expect(unary(web, 'SendMessage', { message: message('say hi') })).rejects.toThrow(/415/);
});

it('malformed messages are refused by Connect itself, in its own words', async () => {
  const baseUrl = await listen(createServer(connectNodeAdapter({ routes: connectRoutes(await startGateway()) })));
  const post = async (type: string, body: string) => {
    const headers = { ...me, 'content-type': type };
    const answer = await fetch(`${baseUrl}/lf.a2a.v1.A2AService/SendMessage`, { method: 'POST', headers, body });
    return [answer.status, (await answer.json()) as object];
  };
  expect(await post('application/proto', '\xff')).toEqual([500, { code: 'internal', message: expect.any(String) }]);
  expect(await post('application/json', '{')).toEqual([400, { code: 'invalid_argument', message: expect.any(String) }]);
});

it('a second gateway in one router is refused', () => {
  const routes = (router: ConnectRouter): void => {
    connectRoutes(makeGateway())(router);
    connectRoutes(makeGateway())(router);
  };
  expect(() => connectNodeAdapter({ routes })).toThrow(/one gateway serves several agents/);
  expect(() => connectRoutes({} as Gateway)).toThrow(/This is no gateway/);
});

it('calls are unavailable until the gateway starts and once it is closed, and a reload is in force for the next call', async () => {
  const gateway = makeGateway();
  const baseUrl = await listen(createServer(connectNodeAdapter({ routes: connectRoutes(gateway) })));
  const transport = createConnectTransport({ baseUrl, httpVersion: '1.1' });
  const send = () => unary(transport, 'SendMessage', { message: message('say hi') });
  await expect(send()).rejects.toMatchObject({
    code: Code.Unavailable,
    rawMessage: expect.stringContaining('start()'),
  });
  await gateway.start();
  expect(await send()).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  await gateway.reload({ ...settings, defaultAgent: 'whoami' });
  expect(JSON.stringify(await send())).toContain('ada');
  await gateway.close({ drainMs: 0 });
  await expect(send()).rejects.toMatchObject({ code: Code.Unavailable });
});

it('a call that its caller leaves, or whose timeout passes, leaves nothing behind', async () => {
  const gateway = await startGateway();
  const baseUrl = await listen(createServer(connectNodeAdapter({ routes: connectRoutes(gateway) })));
  const transport = createConnectTransport({ baseUrl, httpVersion: '1.1' });
  const method = methodOf('SendMessage') as DescMethod & { methodKind: 'unary' };
  const input = fromJson(method.input, { message: message('wait') } as never, { registry });
  const headers = { ...me, 'a2a-agent': 'slow' };
  const { begun } = slowCalls;
  await expect(transport.unary(method, undefined, 500, headers, input)).rejects.toMatchObject({
    code: Code.DeadlineExceeded,
  });
  await slowChanges.until(() => slowCalls.begun === begun + 1);
  const { meters } = mountOf(gateway).server().http;
  const abort = new AbortController();
  const left = stream(
    transport,
    'SendStreamingMessage',
    { message: message('stream 1000 50') },
    { signal: abort.signal },
  );
  const refused = expect(left).rejects.toMatchObject({ code: Code.Canceled });
  await vi.waitFor(() => expect(meters.streamsOf('connect').open).toBe(1));
  abort.abort();
  await refused;
  await vi.waitFor(() => expect(meters.streamsOf('connect').open).toBe(0));
});

it('a client that does not read its stream is cut off', async () => {
  // The adapter reports that the client has left.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const gateway = await startGateway({ limits: { slowReader: '200ms' } });
  const url = await listen(createServer(connectNodeAdapter({ routes: connectRoutes(gateway) })));
  const json = Buffer.from(JSON.stringify({ message: message('flood') }));
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(json.length, 1);
  const sent = request(`${url}/lf.a2a.v1.A2AService/SendStreamingMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/connect+json', 'a2a-agent': 'flood', ...me },
  });
  sent.end(Buffer.concat([prefix, json]));
  const [answer] = await once(sent, 'response');
  answer.pause();
  const { meters } = mountOf(gateway).server().http;
  await vi.waitFor(() => expect(meters.slowReaders).toBe(1));
  await vi.waitFor(() => expect(meters.streamsOf('connect').open).toBe(0));
  // The agent has sent 400 by its end.
  expect(meters.streamsOf('connect').events).toBeLessThan(400);
  sent.destroy();
});
