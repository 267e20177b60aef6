import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { gzipSync } from 'node:zlib';
import {
  create,
  createFileRegistry,
  type DescMethod,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, MethodDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import grpc from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/config/types.ts';
import { api as vendored } from '../../../src/core/model/a2a.ts';
import type { Call, LoggedEvent } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Api } from '../../../src/gen/api.ts';
import type { Operation } from '../../../src/gen/operations.ts';
import { envelope } from '../../../src/transports/rpc/envelope.ts';
import { image } from '../../support/descriptors.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { type ServedApi, serveApi } from '../../support/served-api.ts';

/** Rpcs whose client streams, over the bindings that can carry them, with handlers of the test. */

const typeName = 'lf.a2a.v1.GetTaskRequest';

const operation = (name: string, streaming: boolean): Operation => ({
  name,
  service: vendored.service,
  rpc: name,
  grpcPath: `/${vendored.service}/${name}`,
  request: typeName,
  response: typeName,
  streaming,
  clientStreaming: true,
  http: [{ verb: 'POST', path: `/${name.toLowerCase()}`, body: '*' }],
});

const added = [operation('Talk', true), operation('Collect', false)];

/** A2A 1.x with two more rpcs, whose messages are those of a known one. */
const api: Api = { ...vendored, operations: [...vendored.operations, ...added] };

const registry = (() => {
  const set = fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64'));
  const service = set.file.find(({ package: name }) => name === 'lf.a2a.v1')?.service[0];
  for (const { rpc: name, streaming: serverStreaming } of added) {
    const types = { inputType: `.${typeName}`, outputType: `.${typeName}` };
    service?.method.push(
      create(MethodDescriptorProtoSchema, { name, ...types, clientStreaming: true, serverStreaming }),
    );
  }
  return createFileRegistry(set);
})();

const methodOf = (rpc: string): DescMethod => {
  const method = registry.getService(vendored.service)?.methods.find(({ name }) => name === rpc);
  if (!method) throw new Error(`no rpc ${rpc}`);
  return method;
};
const { input: schema } = methodOf('Talk');

/** One call of a client that streams. */
interface Conversation {
  write(message: JsonValue): void;
  /** Ends the client's side. */
  end(): void;
  cancel(): void;
  /** The messages of the answer. Throws an error with `code`, a gRPC status. */
  readonly answers: AsyncIterator<JsonValue>;
}

async function serve(
  answer: (call: Call) => object | Promise<object>,
  limits?: Partial<Config['limits']>,
): Promise<ServedApi> {
  const served = await serveApi(api, answer, limits);
  return served;
}

function overGrpc(port: number, rpc: string, timeout = 10_000, options: grpc.ClientOptions = {}): Conversation {
  const client = new grpc.Client(`localhost:${port}`, grpc.credentials.createInsecure(), options);
  afterTest(() => client.close());
  const call = client.makeBidiStreamRequest<JsonValue, JsonValue>(
    `/${vendored.service}/${rpc}`,
    (json) => Buffer.from(toBinary(schema, fromJson(schema, json))),
    (bytes) => toJson(schema, fromBinary(schema, bytes)),
    { deadline: Date.now() + timeout },
  );
  call.on('error', () => {});
  return {
    write: (message) => call.write(message),
    end: () => call.end(),
    cancel: () => call.cancel(),
    answers: call[Symbol.asyncIterator](),
  };
}

const overConnect =
  (useBinaryFormat: boolean, httpVersion: '1.1' | '2' = '2') =>
  (port: number, rpc: string, timeout = 10_000): Conversation => {
    const transport = createConnectTransport({ baseUrl: `http://localhost:${port}`, httpVersion, useBinaryFormat });
    const queue = new TransformStream<JsonValue, JsonValue>({}, { highWaterMark: 1_000 });
    const writer = queue.writable.getWriter();
    const messages = async function* () {
      for await (const json of queue.readable as ReadableStream<JsonValue> & AsyncIterable<JsonValue>) {
        yield fromJson(schema, json);
      }
    };
    const abort = new AbortController();
    const method = methodOf(rpc) as DescMethod & { methodKind: 'bidi_streaming' };
    const answers = async function* () {
      try {
        const response = await transport.stream(method, abort.signal, timeout, {}, messages());
        for await (const message of response.message) yield toJson(schema, message as never);
      } catch (thrown) {
        throw Object.assign(new Error(String(thrown)), { code: ConnectError.from(thrown).code });
      }
    };
    return {
      write: (message) => void writer.write(message).catch(() => {}),
      end: () => void writer.close().catch(() => {}),
      cancel: () => abort.abort(),
      answers: eager(answers()),
    };
  };

/** Asks for the first value at once, since a call begins with it. */
function eager<T>(source: AsyncIterator<T>): AsyncIterator<T> {
  let first: Promise<IteratorResult<T>> | undefined = source.next();
  first.catch(() => {});
  return {
    next: () => {
      const step = first ?? source.next();
      first = undefined;
      return step;
    },
  };
}

const logged = (event: unknown, seq = 1): LoggedEvent => ({
  seq,
  at: 0,
  generation: 0,
  event: event as LoggedEvent['event'],
  json: JSON.stringify(event),
});

/** Messages of a call, the first one included. */
async function* messagesOf({ request, requests }: Call): AsyncGenerator<{ id: string }> {
  yield request as { id: string };
  for await (const message of requests ?? []) yield message as { id: string };
}

/** Answers each message with itself, and the end with another one. */
const echo = (call: Call) => ({
  events: (async function* () {
    for await (const message of messagesOf(call)) yield logged(message);
    yield logged({ id: 'end' });
  })(),
});

const rest = async (answers: AsyncIterator<JsonValue>): Promise<JsonValue[]> => {
  const all: JsonValue[] = [];
  for (let step = await answers.next(); !step.done; step = await answers.next()) all.push(step.value);
  return all;
};

const bindings: [string, (port: number, rpc: string, timeout?: number) => Conversation][] = [
  ['gRPC', overGrpc],
  [
    'gRPC with compression',
    (port, rpc, timeout) => overGrpc(port, rpc, timeout, { 'grpc.default_compression_algorithm': 2 }),
  ],
  ['Connect in JSON', overConnect(false)],
  ['Connect in protobuf', overConnect(true)],
];

describe.each(bindings)('%s', (binding, open) => {
  test(`messages over ${binding} pass in both directions, interleaved, until the client ends its side`, async () => {
    const { port, calls } = await serve(echo);
    const { write, end, answers } = open(port, 'Talk');
    for (const id of ['a', 'b', 'c']) {
      write({ id, tenant: id === 'a' ? '' : 'other' });
      expect(await answers.next()).toEqual({ done: false, value: { id } });
    }
    end();
    expect(await rest(answers)).toEqual([{ id: 'end' }]);
    expect(calls).toHaveLength(1);
  });

  test(`many messages over ${binding} have one answer`, async () => {
    const { port } = await serve(async (call) => {
      const ids: string[] = [];
      for await (const { id } of messagesOf(call)) ids.push(id);
      return { value: { id: ids.join() } };
    });
    const { write, end, answers } = open(port, 'Collect');
    for (const id of ['a', 'b', 'c']) write({ id });
    end();
    expect(await rest(answers)).toEqual([{ id: 'a,b,c' }]);
  });

  test('no message at all is refused', async () => {
    const { port, calls } = await serve(echo);
    const { end, answers } = open(port, 'Talk');
    end();
    await expect(rest(answers)).rejects.toMatchObject({ code: Code.InvalidArgument });
    expect(calls).toEqual([]);
  });

  test('an invalid message ends the call, and names the field', async () => {
    const { port } = await serve(echo);
    const { write, answers } = open(port, 'Talk');
    write({ id: 'a' });
    await answers.next();
    write({ historyLength: 1 });
    await expect(rest(answers)).rejects.toMatchObject({
      code: Code.InvalidArgument,
      message: expect.stringContaining('id'),
    });
  });

  test('a message that is too large ends the call', async () => {
    const { port } = await serve(echo, { body: 1_000 });
    const { write, answers } = open(port, 'Talk');
    write({ id: 'a' });
    await answers.next();
    write({ id: Array.from({ length: 2_000 }, () => Math.random().toString(36)).join('') });
    await expect(rest(answers)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  });

  test('a client that cancels ends the messages, and aborts the signal of the call', async () => {
    const ended = Promise.withResolvers<unknown>();
    const { port } = await serve((call) => ({
      events: (async function* () {
        const { signal } = call.context;
        signal.addEventListener('abort', () => ended.resolve(signal.reason));
        for await (const message of messagesOf(call)) yield logged(message);
        // Clients that cancel may end their side first.
        await ended.promise;
      })(),
    }));
    const { write, cancel, answers } = open(port, 'Talk');
    write({ id: 'a' });
    await answers.next();
    cancel();
    expect(await ended.promise).toMatchObject({ kind: 'canceled' });
    await expect(rest(answers)).rejects.toMatchObject({ code: Code.Canceled });
  });

  test('a deadline ends both directions', async () => {
    const { port } = await serve(echo);
    const { write, answers } = open(port, 'Talk', 1_500);
    write({ id: 'a' });
    await expect(rest(answers)).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  });

  test('a handler may end the call while the client is still sending', async () => {
    const { port } = await serve(({ request }) => ({
      events: (async function* () {
        yield logged(request);
      })(),
    }));
    const { write, answers } = open(port, 'Talk');
    write({ id: 'a' });
    write({ id: 'b' });
    expect(await rest(answers)).toEqual([{ id: 'a' }]);
  });

  test('a handler may fail after it has answered', async () => {
    const { port } = await serve((call) => ({
      events: (async function* () {
        for await (const message of messagesOf(call)) {
          if (message.id === 'b') throw new A2AError('taskNotFound', 'No such task');
          yield logged(message);
        }
      })(),
    }));
    const { write, answers } = open(port, 'Talk');
    write({ id: 'a' });
    await answers.next();
    write({ id: 'b' });
    await expect(rest(answers)).rejects.toMatchObject({ code: Code.NotFound });
  });

  test('a call without a handler is UNIMPLEMENTED', async () => {
    const gateway = await openGateway('agents: { demo: { kind: reference } }', { api });
    for (const rpc of ['Talk', 'Collect']) {
      const { write, answers } = open(gateway.port, rpc);
      write({ id: 'a' });
      await expect(rest(answers), rpc).rejects.toMatchObject({ code: Code.Unimplemented });
    }
  });
});

/** A call in raw HTTP/2, whose client may send half a message, or more than is read. */
function raw(port: number, rpc: string, type: string) {
  const session = connectHttp2(`http://localhost:${port}`);
  afterTest(() => session.destroy());
  const path = `/${vendored.service}/${rpc}`;
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, te: 'trailers' });
  stream.on('error', () => {});
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const status = new Promise<string>((resolve) => {
    const read = (headers: object): void => {
      const found = Reflect.get(headers, 'grpc-status');
      if (found !== undefined) resolve(String(found));
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('close', () => resolve(/"code":"(\w+)"/.exec(text)?.[1] ?? 'closed'));
  });
  return { stream, status, text: () => text };
}

const framed = (json: JsonValue): Buffer => {
  const message = toBinary(schema, fromJson(schema, json));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

describe.each([
  ['gRPC', 'application/grpc', '4'],
  ['Connect', 'application/connect+proto', 'deadline_exceeded'],
])('the bounds of %s', (name, type, late) => {
  const requestTimeout = 500;

  test('a client is held back while its messages are not read', async () => {
    const go = Promise.withResolvers<void>();
    const total = 300;
    let count = 0;
    const { port } = await serve(async (call) => {
      await go.promise;
      for await (const _message of messagesOf(call)) count += 1;
      return { value: { id: 'done' } };
    });
    const { stream, text } = raw(port, 'Collect', type);
    const message = framed({ id: 'x'.repeat(8_000) });
    let accepted = 0;
    for (let sent = 0; sent < total; sent += 1) stream.write(message, () => (accepted += 1));
    stream.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The windows of the stream, and one message.
    expect(accepted * message.length).toBeLessThan(400_000);
    go.resolve();
    await expect.poll(text).toContain('done');
    expect(count).toBe(total);
  });

  test('a connection that breaks ends the messages with an error', async () => {
    const ended = Promise.withResolvers<unknown>();
    const { port } = await serve((call) => ({
      events: (async function* () {
        try {
          for await (const message of messagesOf(call)) yield logged(message);
        } catch (thrown) {
          ended.resolve(thrown);
          throw thrown;
        }
      })(),
    }));
    const { stream, text } = raw(port, 'Talk', type);
    stream.write(framed({ id: 'first' }));
    await expect.poll(text).toContain('first');
    stream.session?.destroy();
    expect(await ended.promise).toMatchObject({ kind: 'canceled' });
  });

  test('a message that does not arrive whole ends the call', async () => {
    const { port } = await serve(echo, { requestTimeout });
    const { stream, status } = raw(port, 'Talk', type);
    stream.write(framed({ id: 'a' }));
    stream.write(framed({ id: 'b' }).subarray(0, 6));
    expect(await status).toBe(late);
  });

  test('a client that sends nothing ends the call', async () => {
    const { port } = await serve(echo, { requestTimeout });
    const { stream, status } = raw(port, 'Talk', type);
    stream.write(Buffer.alloc(0));
    expect(await status).toBe(late);
  });

  test(`a client over ${name} that waits between messages may do so if it reads answers`, async () => {
    const { port } = await serve(echo, { requestTimeout });
    const { stream, text } = raw(port, 'Talk', type);
    stream.write(framed({ id: 'first' }));
    await new Promise((resolve) => setTimeout(resolve, 3 * requestTimeout));
    stream.end(framed({ id: 'second' }));
    await expect.poll(text).toContain('second');
  });

  test(`a client over ${name} may not wait between messages if the only answer comes at the end`, async () => {
    const { port } = await serve(
      async (call) => {
        for await (const _message of messagesOf(call));
        return { value: { id: 'done' } };
      },
      { requestTimeout },
    );
    const { stream, status } = raw(port, 'Collect', type);
    stream.write(framed({ id: 'a' }));
    expect(await status).toBe(late);
  });

  test('a handler may take its time', async () => {
    const { port } = await serve(
      async (call) => {
        for await (const _message of messagesOf(call))
          await new Promise((resolve) => setTimeout(resolve, 3 * requestTimeout));
        return { value: { id: 'done' } };
      },
      { requestTimeout },
    );
    const { stream, text } = raw(port, 'Collect', type);
    stream.end(Buffer.concat([framed({ id: 'a' }), framed({ id: 'b' })]));
    await expect.poll(text).toContain('done');
  });
});

describe('other bindings', () => {
  const post = async (port: number, path: string, type: string, body: string): Promise<Response> =>
    fetch(`http://localhost:${port}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': type, 'A2A-Version': '1.0' },
      body,
    });
  const message = 'takes a stream of messages, which only gRPC, gRPC-Web and Connect can carry';

  test.each(['Talk', 'Collect'])('other bindings refuse %s as UNIMPLEMENTED', async (rpc) => {
    const { port, calls } = await serve(echo);
    const path = `/${vendored.service}/${rpc}`;
    const rpcError = await post(
      port,
      '/',
      'application/json',
      `{"jsonrpc":"2.0","id":1,"method":"${rpc}","params":{}}`,
    );
    expect(await rpcError.json()).toMatchObject({ error: { code: -32601, message: `${rpc} ${message}` } });
    const restError = await post(port, `/${rpc.toLowerCase()}`, 'application/json', '{}');
    expect(await restError.json()).toMatchObject({ error: { status: 'UNIMPLEMENTED', message: `${rpc} ${message}` } });
    const unary = await post(port, path, 'application/json', '{}');
    expect([unary.status, unary.headers.get('accept-post')]).toEqual([
      415,
      [
        ...['application/connect+json', 'application/connect+proto', 'application/grpc-web'],
        ...['application/grpc-web+proto', 'application/grpc-web+json'],
      ].join(', '),
    ]);
    expect(calls).toEqual([]);
  });

  test.each(['application/connect+json', 'application/grpc-web+json'])(
    'compressed messages over %s that come in one piece all arrive',
    async (type) => {
      const ids: string[] = [];
      const { port } = await serve(async (call) => {
        for await (const { id } of messagesOf(call)) ids.push(id);
        call.context.notes.headers = ['x-own', 'a', 'x-own', 'b'];
        return { value: { id: 'done' } };
      });
      const all = ['a', 'b', 'c'];
      const body = Buffer.concat(all.map((id) => envelope(gzipSync(JSON.stringify({ id })), 1)));
      const encoding = { 'Connect-Content-Encoding': 'gzip', 'Grpc-Encoding': 'gzip' };
      const url = `http://localhost:${port}/${vendored.service}/Collect`;
      const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': type, ...encoding }, body });
      expect(await answer.text()).toContain('"done"');
      expect(ids).toEqual(all);
      const http2 = connectHttp2(`http://localhost:${port}`);
      try {
        const stream = http2.request({ ':method': 'POST', ':path': new URL(url).pathname, 'content-type': type });
        stream.end(envelope(Buffer.from('{"id":"d"}')));
        const [headers] = await once(stream, 'response');
        expect(headers['x-own']).toBe('a, b');
      } finally {
        http2.destroy();
      }
    },
  );

  test.each(['application/connect+json', 'application/grpc-web+json', 'grpc'])(
    'a stream without any message over %s is what the method takes it for',
    async (type) => {
      const { port, calls } = await serve(echo);
      const http2 = connectHttp2(`http://localhost:${port}`);
      try {
        const path = `/${vendored.service}/Collect`;
        const contentType = type === 'grpc' ? 'application/grpc' : type;
        const stream = http2.request({ ':method': 'POST', ':path': path, 'content-type': contentType });
        stream.end();
        const [headers] = await once(stream, 'response');
        const text = Buffer.concat(await stream.toArray()).toString();
        expect(headers['grpc-status'] ?? text).toMatch(/^3$|"invalid_argument"/);
        expect(calls).toEqual([]);
      } finally {
        http2.destroy();
      }
    },
  );

  test('Connect over HTTP/1.1 carries streams of requests with one answer, and no conversation', async () => {
    const { port } = await serve(async (call) => {
      const ids: string[] = [];
      for await (const { id } of messagesOf(call)) ids.push(id);
      return { value: { id: ids.join() } };
    });
    const { write, end, answers } = overConnect(true, '1.1')(port, 'Collect');
    for (const id of ['a', 'b']) write({ id });
    end();
    expect(await rest(answers)).toEqual([{ id: 'a,b' }]);
    const talk = await post(port, `/${vendored.service}/Talk`, 'application/connect+json', '');
    expect(talk.status).toBe(505);
  });
});
