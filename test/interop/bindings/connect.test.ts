import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescService,
  fromBinary,
  type JsonObject,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { image } from '../../support/descriptors.ts';
import { type Running, startGateway } from '../../support/gateway.ts';

/** Connect, gRPC-Web and gRPC by connect-es, and Connect by nothing but fetch, as a browser speaks it. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
const service = registry.getService('lf.a2a.v1.A2AService') as DescService;
const serviceUrl = (): string => `${gateway.origin}/lf.a2a.v1.A2AService`;

const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect, JSON': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false, jsonOptions: { registry } }),
  'Connect, binary': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'gRPC-Web, binary': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'gRPC-Web, JSON': (baseUrl) =>
    createGrpcWebTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false, jsonOptions: { registry } }),
  'Connect over HTTP/2, JSON': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: false, jsonOptions: { registry } }),
  'Connect over HTTP/2, binary': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  'gRPC-Web over HTTP/2': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
};

/** The descriptors are known at run time only, and so are a client's methods. */
type Unary = (request: object) => Promise<Message>;
type Streaming = (request: object) => AsyncIterable<Message>;

describe.each(Object.entries(transports))('a client of connect-es over %s', (_, make) => {
  const messageOf = (name: string): DescMessage => registry.getMessage(name) ?? expect.fail(`no message ${name}`);
  const jsonOf = (type: string, value: Message): JsonObject =>
    toJson(messageOf(`lf.a2a.v1.${type}`), value, { registry }) as JsonObject;
  const client = (): Record<string, unknown> => createClient(service, make(gateway.origin));
  const unary = (rpc: string, request: object) => (client()[rpc] as Unary)(request);
  const streaming = (rpc: string, request: object) => (client()[rpc] as Streaming)(request);
  const message = (text: string, more: object = {}) => ({
    message: { messageId: 'connect-1', role: 1, parts: [{ content: { case: 'text', value: text } }], ...more },
  });

  it('sends messages and gets messages and tasks', async () => {
    const answer = await unary('sendMessage', message('say hi'));
    expect(jsonOf('SendMessageResponse', answer)).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
    const data = jsonOf('SendMessageResponse', await unary('sendMessage', message('data')));
    expect(data).toMatchObject({ task: { artifacts: [{ parts: [{ data: { answer: 42 } }] }] } });
  });

  it('reads a stream to its end', async () => {
    const events: string[] = [];
    for await (const event of streaming('sendStreamingMessage', message('stream 5 0'))) {
      events.push(Object.keys(jsonOf('StreamResponse', event))[0] as string);
    }
    const chunks = Array.from({ length: 5 }, () => 'artifactUpdate');
    expect(events).toEqual(['task', 'statusUpdate', ...chunks, 'statusUpdate']);
  });

  it('gets errors with their details', async () => {
    const error = await unary('getTask', { id: 'nope' }).then(
      () => expect.fail('no error'),
      (thrown: unknown) => ConnectError.from(thrown),
    );
    expect(error.code).toBe(Code.NotFound);
    const [info] = error.findDetails(messageOf('google.rpc.ErrorInfo'));
    expect(info).toMatchObject({ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' });
  });

  it('gets an error instead of a stream for an unknown task', async () => {
    const read = async (): Promise<void> => {
      for await (const _event of streaming('subscribeToTask', { id: 'nope' })) expect.fail('an event');
    };
    const error = await read().catch((thrown: unknown) => ConnectError.from(thrown));
    expect(error?.code).toBe(Code.NotFound);
  });
});

describe('A2A 0.3 over Connect with JSON', () => {
  /** Refuses answers with names that the published proto does not have. */
  const client = () => {
    const strict = { ignoreUnknownFields: false };
    const options = { httpVersion: '1.1', useBinaryFormat: false, jsonOptions: strict } as const;
    const service03 = registry.getService('a2a.v1.A2AService') as DescService;
    return createClient(service03, createConnectTransport({ baseUrl: gateway.origin, ...options })) as unknown as {
      sendMessage(request: object): Promise<{ payload: { case: string; value: Task03 } }>;
      sendStreamingMessage(request: object): AsyncIterable<{ payload: { case: string } }>;
    };
  };
  interface Task03 {
    readonly history: readonly { readonly content: readonly { readonly part: object }[] }[];
  }
  const said = (text: string) => ({
    request: { messageId: 'm', role: 1, content: [{ part: { case: 'text' as const, value: text } }] },
  });

  it('has the JSON names of the proto: content in messages, parts in artifacts, message for msg and update', async () => {
    const { payload } = await client().sendMessage(said('stream 2 0'));
    const task = payload.case === 'task' ? payload.value : expect.fail(`a ${payload.case}`);
    expect(task.history[0]?.content[0]?.part).toEqual({ case: 'text', value: 'stream 2 0' });
    const cases: (string | undefined)[] = [];
    for await (const event of client().sendStreamingMessage(said('stream 2 0'))) cases.push(event.payload.case);
    expect(cases).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']);

    const body = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'say hi' }] } };
    const post = async (json: object) => {
      const response = await fetch(`${gateway.origin}/a2a.v1.A2AService/SendMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
        body: JSON.stringify(json),
      });
      return (await response.json()) as object;
    };
    const answer = { role: 'ROLE_AGENT', content: [{ text: 'hi' }] };
    expect(await post(body)).toEqual({
      message: { ...answer, messageId: expect.any(String), contextId: expect.any(String) },
    });
    // Readers of ProtoJSON take the names of the fields, too.
    const { content, role } = body.message;
    expect(await post({ request: { message_id: 'm', role, content } })).toMatchObject({ message: answer });
    expect(await post({ message: { messageId: 'm', role, parts: content } })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('message.content: is required'),
    });
  });
});

describe('a Connect client that uses fetch over HTTP/1.1', () => {
  const post = (rpc: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${serviceUrl()}/${rpc}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
      body,
    });
  const message = (text: string) =>
    JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });

  /** Connect's envelope: a flag, four bytes of length, the message. */
  function envelope(json: string): Uint8Array<ArrayBuffer> {
    const bytes = new TextEncoder().encode(json);
    const framed = new Uint8Array(5 + bytes.length);
    new DataView(framed.buffer).setUint32(1, bytes.length);
    framed.set(bytes, 5);
    return framed;
  }

  function* frames(bytes: Buffer): Generator<{ flags: number; json: Record<string, unknown> }> {
    for (let at = 0; at < bytes.length; ) {
      const size = bytes.readUInt32BE(at + 1);
      yield { flags: bytes.readUInt8(at), json: JSON.parse(bytes.toString('utf8', at + 5, at + 5 + size)) };
      at += 5 + size;
    }
  }

  it('calls with plain JSON', async () => {
    const response = await post('SendMessage', message('say hi'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('a2a-version')).toBe('1.0');
    expect(await response.json()).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  });

  it('gets errors in the format of Connect', async () => {
    const response = await post('GetTask', '{"id":"nope"}');
    expect(response.status).toBe(404);
    const error = (await response.json()) as { code: string; details: { type: string; value: string }[] };
    expect(error).toMatchObject({ code: 'not_found', details: [{ type: 'google.rpc.ErrorInfo' }] });
    const bad = await post('SendMessage', '{"message":{}}');
    expect(bad.status).toBe(400);
    expect(await bad.json()).toMatchObject({
      code: 'invalid_argument',
      details: [{ type: 'google.rpc.ErrorInfo' }, { type: 'google.rpc.BadRequest' }],
    });
  });

  it('reads a stream of enveloped JSON', async () => {
    const body = envelope(message('stream 3 0'));
    const response = await post('SendStreamingMessage', body, { 'content-type': 'application/connect+json' });
    expect(response.status).toBe(200);
    const all = [...frames(Buffer.from(await response.arrayBuffer()))];
    expect(all.map(({ json }) => Object.keys(json)[0]).slice(0, -1)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    expect(all.at(-1)).toMatchObject({ flags: 2 });
    expect(all.at(-1)?.json).not.toHaveProperty('error');
  });

  it('passes the CORS preflight for allowed origins only', async () => {
    const other = await startGateway({ cors: ['https://app.example.com'] });
    try {
      const ask = (origin: string) =>
        fetch(`${other.origin}/lf.a2a.v1.A2AService/SendMessage`, {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'content-type,connect-protocol-version',
          },
        });
      const allowed = await ask('https://app.example.com');
      expect(allowed.status).toBeLessThan(300);
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
      expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('connect-protocol-version');
      const refused = await ask('https://evil.example.com');
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    } finally {
      await other.close();
    }
  });

  it('may send binary requests', async () => {
    const type = registry.getMessage('lf.a2a.v1.GetTaskRequest') as DescMessage;
    const bytes = new Uint8Array(toBinary(type, create(type, { id: 'nope' })));
    const response = await post('GetTask', bytes, { 'content-type': 'application/proto' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });
});
