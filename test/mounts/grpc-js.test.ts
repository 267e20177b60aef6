import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client,
  credentials,
  Metadata,
  ResponderBuilder,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServerUnaryCall,
  type ServiceDefinition,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { describe, expect, it, vi } from 'vitest';
import { api as vendored } from '../../src/core/model/a2a.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import type { Api } from '../../src/gen/api.ts';
import { addGateway, authentication } from '../../src/mounts/grpc-js.ts';
import * as v1 from '../../src/rpc-clients/grpc.ts';
import * as v03 from '../../src/rpc-clients/grpc-0.3.ts';
import { mountOf } from '../../src/transports/rpc/mount.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { afterTest } from '../support/peer.ts';
import { serveApi } from '../support/served-api.ts';
import { key, makeGateway, message, required, settings, slowCalls, slowChanges, startGateway } from './gateways.ts';

/** A gateway in a Server of grpc-js. */

const { stream, unary } = v1;
const me = { apiKey: key };

/** A service of the program's own, which answers with what it got. */
const echo: ServiceDefinition = {
  Echo: {
    path: '/example.Echo/Echo',
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
};

async function listen(server: Server, secure = ServerCredentials.createInsecure()): Promise<string> {
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', secure, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  afterTest(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

/** A server with a service of its own and a gateway. */
async function serve(gateway: Gateway, intercepted = true): Promise<string> {
  const server = new Server(intercepted ? { interceptors: [authentication(gateway)] } : {});
  server.addService(echo, {
    Echo: ({ request }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => done(null, request),
  });
  addGateway(server, gateway);
  return listen(server);
}

function client(target: string, options = {}): v1.A2AServiceClient {
  const made = new v1.A2AServiceClient(target, credentials.createInsecure(), options);
  afterTest(() => made.close());
  return made;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const echoOf = (target: string): Promise<string> => {
  const own = new Client(target, credentials.createInsecure());
  afterTest(() => own.close());
  return new Promise((resolve, reject) => {
    const same = (bytes: Buffer): Buffer => bytes;
    own.makeUnaryRequest('/example.Echo/Echo', same, same, Buffer.from('hi'), (error, answer) =>
      error ? reject(error) : resolve(String(answer)),
    );
  });
};

/** The head of the answer to a call whose message is begun and never ended. */
async function answerToUnfinished(target: string, headers: Record<string, string>) {
  const session: ClientHttp2Session = connectHttp2(`http://${target}`);
  afterTest(() => session.destroy());
  session.on('error', () => {});
  const path = '/lf.a2a.v1.A2AService/SendMessage';
  const sent = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'a2a-version': '1.0',
    ...headers,
  });
  sent.on('error', () => {});
  sent.write(Buffer.from([0, 0, 0, 1, 0, 1]));
  const [head] = await once(sent, 'response');
  return head as Record<string, string>;
}

describe.each([
  ['with the interceptor', true],
  ['without the interceptor', false],
] as const)('a gateway in a grpc-js Server %s', (name, intercepted) => {
  it(`a gateway in a grpc-js Server ${name} answers calls of every kind beside a service of the program`, async () => {
    const target = await serve(await startGateway(), intercepted);
    const agent = client(target);
    expect(await echoOf(target)).toBe('hi');
    const direct = await unary(agent, 'sendMessage', { message: message('say hello') }, me);
    expect(direct.response.message?.parts).toEqual([{ text: 'hello' }]);
    const events = await all(stream(agent, 'sendStreamingMessage', { message: message('stream 100 0') }, me));
    expect(events).toHaveLength(103);
    const { id } = events[0]?.task ?? {};
    expect((await unary(agent, 'getTask', { id }, me)).response.status?.state).toBe('TASK_STATE_COMPLETED');
    const old = new v03.A2AServiceClient(target, credentials.createInsecure());
    afterTest(() => old.close());
    const request = { message: { messageId: 'm', role: 'ROLE_USER' as const, content: [{ text: 'say hello' }] } };
    expect((await v03.unary(old, 'sendMessage', request, me)).response.message?.content).toEqual([{ text: 'hello' }]);
  });

  it(`a gateway in a grpc-js Server ${name} sends errors with their details, activated extensions, and what was lost`, async () => {
    const target = await serve(await startGateway(), intercepted);
    const agent = client(target);
    const headers = { 'x-request-id': 'r1' };
    const missing = unary(agent, 'getTask', { id: 'none' }, { ...me, headers });
    const error = await missing.catch((thrown: InstanceType<typeof v1.A2AError>) => thrown);
    expect(error).toMatchObject({ kind: 'taskNotFound', metadata: { taskId: 'none' } });
    const { metadata } = (error as { cause: ServiceError }).cause;
    expect(metadata.getMap()).toMatchObject({ 'x-request-id': 'r1', 'a2a-version': '1.0' });
    const invalid = unary(agent, 'sendMessage', { message: { ...message(''), parts: [] } }, me);
    await expect(invalid).rejects.toMatchObject({ violations: [{ field: 'message.parts' }] });
    const late = all(stream(agent, 'subscribeToTask', { id: 'none' }, me));
    await expect(late).rejects.toMatchObject({ kind: 'taskNotFound' });
    const facts = { ...me, agent: 'demanding', extensions: [required] };
    expect(await unary(agent, 'sendMessage', { message: message('hi') }, facts)).toMatchObject({
      extensions: [required],
    });
    const events = stream(agent, 'sendStreamingMessage', { message: message('hi') }, facts);
    await all(events);
    expect(events.extensions).toEqual([required]);
    const old = new v03.A2AServiceClient(target, credentials.createInsecure());
    afterTest(() => old.close());
    const request = { message: { messageId: 'm', role: 'ROLE_USER' as const, content: [{ text: 'hi' }] } };
    const { losses } = await v03.unary(old, 'sendMessage', request, facts);
    expect(losses).toEqual(['message.parts.filename']);
  });

  it(`a gateway in a grpc-js Server ${name} refuses callers without credentials, and callers whose scopes do not suffice`, async () => {
    const target = await serve(await startGateway(), intercepted);
    const anonymous = unary(client(target), 'sendMessage', { message: message('hi') });
    await expect(anonymous).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(await echoOf(target)).toBe('hi');
    const limited = await serve(await startGateway({ limits: { requestsPerMinute: 1 } }), intercepted);
    await unary(client(limited), 'sendMessage', { message: message('say hi') }, me);
    const second = unary(client(limited), 'sendMessage', { message: message('say hi') }, me);
    await expect(second).rejects.toMatchObject({ kind: 'tooManyRequests' });
  });
});

it('a caller with bad credentials is refused before its message has arrived', async () => {
  const target = await serve(await startGateway());
  const head = await answerToUnfinished(target, { 'x-api-key': 'wrong' });
  expect(head).toMatchObject({ 'grpc-status': String(status.UNAUTHENTICATED), 'a2a-version': '1.0' });
  const unnamed = await answerToUnfinished(target, { 'x-api-key': 'wrong', 'a2a-version': '' });
  expect(unnamed['grpc-status']).toBe(String(status.UNAUTHENTICATED));
});

it('anonymous callers are served on loopback, unless their request was forwarded', async () => {
  const target = await serve(await startGateway({ auth: {} }));
  const { response } = await unary(client(target), 'sendMessage', { message: message('say hi') });
  expect(response.message?.parts).toEqual([{ text: 'hi' }]);
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.1' } };
  const refused = unary(client(target), 'sendMessage', { message: message('say hi') }, forwarded);
  await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated' });
});

it('a server that listens already gets a gateway, whose calls are UNAVAILABLE until it starts and once it is closed', async () => {
  const gateway = makeGateway();
  const server = new Server({ interceptors: [authentication(gateway)] });
  const target = await listen(server);
  addGateway(server, gateway);
  const send = () => unary(client(target), 'sendMessage', { message: message('say hi') }, me);
  await expect(send()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('start()') });
  await gateway.start();
  expect((await send()).response.message?.parts).toEqual([{ text: 'hi' }]);
  await gateway.close({ drainMs: 0 });
  await expect(send()).rejects.toMatchObject({ kind: 'unavailable' });
});

it('a stream ends with UNAVAILABLE when the gateway is closed', async () => {
  const gateway = await startGateway();
  const agent = client(await serve(gateway));
  const events = stream(agent, 'sendStreamingMessage', { message: message('stream 1000 50') }, me);
  const iterator = events[Symbol.asyncIterator]();
  await iterator.next();
  const rest = expect(all({ [Symbol.asyncIterator]: () => iterator })).rejects.toMatchObject({ kind: 'unavailable' });
  await gateway.close({ drainMs: 0 });
  await rest;
});

it('a second gateway in one Server is refused, and so is one beside a service of the same name', async () => {
  const server = new Server();
  addGateway(server, makeGateway());
  expect(() => addGateway(server, makeGateway())).toThrow(/has a gateway already/);
  const other = new Server();
  other.addService(v1.A2AServiceService, {});
  expect(() => addGateway(other, makeGateway())).toThrow(/rpcs of lf\.a2a\.v1\.A2AService already/);
  expect(() => addGateway(new Server(), {} as Gateway)).toThrow(/This is no gateway/);
});

it('the configuration of a reload is in force for the next call', async () => {
  const gateway = await startGateway();
  const agent = client(await serve(gateway));
  await gateway.reload({ ...settings, defaultAgent: 'whoami' });
  const { response } = await unary(agent, 'sendMessage', { message: message('hi') }, me);
  expect(response.message?.parts?.[0]?.text).toContain('ada');
});

it('a call that its caller cancels, or whose deadline passes, leaves nothing behind', async () => {
  const agent = client(await serve(await startGateway()));
  const send = { message: message('wait') };
  const abort = new AbortController();
  const begun = slowCalls.begun;
  const canceled = unary(agent, 'sendMessage', send, { ...me, agent: 'slow', signal: abort.signal });
  await slowChanges.until(() => slowCalls.begun === begun + 1);
  abort.abort();
  await expect(canceled).rejects.toThrow();
  const late = unary(agent, 'sendMessage', { message: message('wait') }, { ...me, agent: 'slow', timeout: 300 });
  await expect(late).rejects.toMatchObject({ cause: { code: status.DEADLINE_EXCEEDED } });
});

it.each([true, false])(
  'streams whose deadline has passed before they begin end (interceptor: %s)',
  async (intercepted) => {
    const gateway = await startGateway();
    const agent = client(await serve(gateway, intercepted));
    await unary(agent, 'sendMessage', { message: message('say hi') }, me);
    const headers = new Metadata();
    for (const [name, value] of Object.entries({ 'x-api-key': key, 'a2a-version': '1.0' })) headers.set(name, value);
    const late = Array.from({ length: 30 }, async (_, i) => {
      const deadline = Date.now() + i;
      const call = agent.sendStreamingMessage({ message: message('stream 10000 50') }, headers, { deadline });
      call.on('data', () => {});
      await once(call, 'error');
    });
    await Promise.all(late);
    const { meters } = mountOf(gateway).server().http;
    await vi.waitFor(() => expect(meters.streamsOf('grpc').open).toBe(0));
  },
);

it('a message above limits.body is refused', async () => {
  const agent = client(await serve(await startGateway({ limits: { body: 100_000 } })));
  const large = unary(agent, 'sendMessage', { message: message('x'.repeat(200_000)) }, me);
  await expect(large).rejects.toMatchObject({ kind: 'payloadTooLarge' });
});

it('a client that does not read its stream is cut off, and others are served meanwhile', async () => {
  const gateway = await startGateway({ limits: { slowReader: '200ms' } });
  const target = await serve(gateway);
  const agent = client(target);
  const headers = new Metadata();
  for (const [name, value] of Object.entries({ 'x-api-key': key, 'a2a-version': '1.0' })) headers.set(name, value);
  const call = agent.sendStreamingMessage({ message: message('stream 10000 0') }, headers);
  const failed = once(call, 'error') as Promise<[ServiceError]>;
  call.once('data', () => call.pause());
  await vi.waitFor(() => expect(mountOf(gateway).server().http.meters.slowReaders).toBe(1));
  expect((await unary(agent, 'sendMessage', { message: message('say hi') }, me)).response.message).toBeDefined();
  call.cancel();
  await failed;
});

const tls = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const files = ['ca.pem', 'server.pem', 'server.key', 'client.pem', 'client.key'];

it('a client certificate that the server has verified names its principal', async () => {
  const [ca, cert, privateKey, clientCert, clientKey] = files.map((name) => readFileSync(tls(name)));
  const gateway = await startGateway({
    listen: { port: 0, tls: { cert: tls('server.pem'), key: tls('server.key'), clientCa: tls('ca.pem') } },
    auth: { anonymous: false, mtls: { clients: [{ name: 'machine', commonName: 'alice' }] } },
  });
  const server = new Server({ interceptors: [authentication(gateway)] });
  addGateway(server, gateway);
  const pair = { private_key: privateKey as Buffer, cert_chain: cert as Buffer };
  const target = await listen(server, ServerCredentials.createSsl(ca as Buffer, [pair], true));
  const agent = new v1.A2AServiceClient(
    target.replace('127.0.0.1', 'localhost'),
    credentials.createSsl(ca, clientKey, clientCert),
  );
  afterTest(() => agent.close());
  const { response } = await unary(agent, 'sendMessage', { message: message('hi') }, { agent: 'whoami' });
  expect(response.message?.parts?.[0]?.text).toContain('machine');
});

it('a caller is authenticated once, also where a later interceptor hands on other metadata, which counts for the call', async () => {
  const authenticate = vi.fn(() => ({ id: 'ada' }));
  const gateway = await startGateway({ auth: { anonymous: false, authenticate } });
  const changing: ServerInterceptor = (_, call) => {
    const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, next) => {
      const copy = metadata.clone();
      copy.set('a2a-agent', 'whoami');
      next(copy);
    });
    const responder = new ResponderBuilder().withStart((next) => next(listener.build()));
    return new ServerInterceptingCall(call, responder.build());
  };
  const server = new Server({ interceptors: [authentication(gateway), changing] });
  addGateway(server, gateway);
  const agent = client(await listen(server));
  const { response } = await unary(agent, 'sendMessage', { message: message('hi') }, me);
  expect(response.message?.parts?.[0]?.text).toContain('ada');
  expect(authenticate).toHaveBeenCalledTimes(1);
});

it('wrong keys over a Unix socket, whose callers have no address, do not lock out the others', async () => {
  const gateway = await startGateway();
  const server = new Server({ interceptors: [authentication(gateway)] });
  addGateway(server, gateway);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-socket-'));
  afterTest(() => rmSync(folder, { recursive: true }));
  const target = `unix:${join(folder, 's')}`;
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(target, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
  afterTest(() => server.forceShutdown());
  const agent = client(target);
  const send = (apiKey: string) => unary(agent, 'sendMessage', { message: message('say hi') }, { apiKey });
  for (let attempt = 0; attempt < 25; attempt += 1)
    await expect(send('wrong')).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect((await send(key)).response.message?.parts).toEqual([{ text: 'hi' }]);
});

describe('rpcs whose client streams', () => {
  const typeName = 'lf.a2a.v1.GetTaskRequest';
  const added = (['Talk', 'Collect'] as const).map((name) => ({
    name,
    service: vendored.service,
    rpc: name,
    grpcPath: `/${vendored.service}/${name}`,
    request: typeName,
    response: typeName,
    streaming: name === 'Talk',
    clientStreaming: true as const,
    http: [],
  }));
  const api: Api = { ...vendored, operations: [...vendored.operations, ...added] };
  const write = (json: object): Buffer => encode(vendored, typeName, json) as Buffer;
  const read = (bytes: Buffer): object => decode(vendored, typeName, bytes);

  it('rpcs whose client streams reach their handlers message by message, and are answered', async () => {
    const served = await serveApi(api, async ({ operation, request, requests }) => {
      const ids = async function* () {
        yield (request as { id: string }).id;
        for await (const each of requests ?? []) yield (each as { id: string }).id;
      };
      if ((operation as string) === 'Talk') {
        const events = async function* () {
          for await (const id of ids()) yield { seq: 0, at: 0, generation: 0, event: { id }, json: '{}' };
        };
        return { events: events() };
      }
      return { value: { id: (await all(ids())).join(' ') } };
    });
    const server = new Server({ interceptors: [authentication(served.mountable as never)] });
    addGateway(server, served.mountable as never);
    const own = new Client(await listen(server), credentials.createInsecure());
    afterTest(() => own.close());
    const talk = own.makeBidiStreamRequest(`/${vendored.service}/Talk`, write, read);
    const answers = talk[Symbol.asyncIterator]();
    for (const id of ['one', 'two']) {
      talk.write({ id });
      expect((await answers.next()).value).toEqual({ id });
    }
    talk.end();
    expect((await answers.next()).done).toBe(true);
    const collected = new Promise((resolve, reject) => {
      const call = own.makeClientStreamRequest(`/${vendored.service}/Collect`, write, read, (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
      for (const id of ['a', 'b', 'c']) call.write({ id });
      call.end();
    });
    expect(await collected).toEqual({ id: 'a b c' });
  });
});
