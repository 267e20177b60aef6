import {
  createFileRegistry,
  type DescMessage,
  type DescService,
  fromBinary,
  type JsonObject,
  type Message,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { image } from '../../support/descriptors.ts';
import { startGateway } from '../../support/gateway.ts';

/** Connect, gRPC-Web and gRPC by connect-es. */

const gateway = await startGateway();

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
const service = registry.getService('lf.a2a.v1.A2AService') as DescService;

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
type TimedUnary = (request: object, options?: { readonly timeoutMs: number }) => Promise<Message>;
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

  it('ends a call at its deadline, and the task continues', async () => {
    const contextId = `deadline-${crypto.randomUUID()}`;
    const { sendMessage, cancelTask, listTasks } = client() as Record<string, TimedUnary>;
    const late = sendMessage?.(message('wait', { contextId }), { timeoutMs: 300 });
    await expect(late).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    const { tasks } = jsonOf('ListTasksResponse', (await listTasks?.({ contextId })) ?? expect.fail());
    const [task] = tasks as { id: string; status: object }[];
    expect(task?.status).toMatchObject({ state: 'TASK_STATE_WORKING' });
    await cancelTask?.({ id: task?.id });
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
