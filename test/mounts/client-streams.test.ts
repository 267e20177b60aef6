import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
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
import type { Transport } from '@connectrpc/connect';
import { connectNodeAdapter, createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { api as vendored } from '../../src/core/model/a2a.ts';
import type { Api } from '../../src/gen/api.ts';
import { image as newest } from '../../src/gen/canonical-image.ts';
import { envelope } from '../../src/transports/rpc/envelope.ts';
import { image as allServices } from '../support/descriptors.ts';
import { afterTest } from '../support/peer.ts';
import { type ServedApi, serveApi } from '../support/served-api.ts';

/** Rpcs whose client streams, which no service has so far, over Connect's routes and over the Fetch API. */

const typeName = 'lf.a2a.v1.GetTaskRequest';
const rpcs = [
  { name: 'Talk', streaming: true },
  { name: 'Collect', streaming: false },
] as const;

/** Descriptors with the rpcs of the test. */
const withRpcs = (image: string): string => {
  const set = fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64'));
  const service = set.file.find(({ package: name }) => name === 'lf.a2a.v1')?.service[0];
  for (const { name, streaming } of rpcs) {
    const types = { inputType: `.${typeName}`, outputType: `.${typeName}` };
    const kind = { clientStreaming: true, serverStreaming: streaming };
    service?.method.push(create(MethodDescriptorProtoSchema, { name, ...types, ...kind }));
  }
  return Buffer.from(toBinary(FileDescriptorSetSchema, set)).toString('base64');
};

const imagePath = '../../src/gen/canonical-image.ts';
vi.doMock(imagePath, () => ({ image: withRpcs(newest) }));
// Files of tests share modules, and another one may have loaded these with the program's own descriptors.
vi.resetModules();
const { connectRoutes } = await import('../../src/mounts/connect.ts');

afterAll(() => {
  vi.doUnmock(imagePath);
  vi.resetModules();
});

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(withRpcs(allServices), 'base64')));
const methodOf = (name: string): DescMethod & { methodKind: 'bidi_streaming' } =>
  registry.getService(vendored.service)?.methods.find((one) => one.name === name) as never;
const { input: schema } = methodOf('Talk');

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function serve(): Promise<ServedApi> {
  const added = rpcs.map(({ name, streaming }) => ({
    name,
    service: vendored.service,
    rpc: name,
    grpcPath: `/${vendored.service}/${name}`,
    request: typeName,
    response: typeName,
    streaming,
    clientStreaming: true as const,
    http: [],
  }));
  const api: Api = { ...vendored, operations: [...vendored.operations, ...added] };
  return serveApi(api, async ({ operation, request, requests }) => {
    const ids = async function* () {
      yield (request as { id: string }).id;
      for await (const each of requests ?? []) yield (each as { id: string }).id;
    };
    if ((operation as string) === 'Collect') return { value: { id: (await all(ids())).join(' ') } };
    const events = async function* () {
      for await (const id of ids()) yield { seq: 0, at: 0, generation: 0, event: { id }, json: '{}' };
    };
    return { events: events() };
  });
}

const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  Connect: (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
};

describe.each(Object.entries(transports))('over %s, among the routes of a ConnectRouter', (_, open) => {
  it('messages reach their handlers one by one, and are answered', async () => {
    const { mountable } = await serve();
    const server = createServer(connectNodeAdapter({ routes: connectRoutes(mountable as never) }));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    afterTest(() => server.close());
    const transport = open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

    const answered: PromiseWithResolvers<void> = Promise.withResolvers();
    const turns = async function* () {
      yield fromJson(schema, { id: 'one' });
      // The second message is sent when the first one was answered.
      await answered.promise;
      yield fromJson(schema, { id: 'two' });
    };
    const talk = await transport.stream(methodOf('Talk'), undefined, undefined, {}, turns());
    const said: JsonValue[] = [];
    for await (const each of talk.message) {
      said.push(toJson(schema, each));
      answered.resolve();
    }
    expect(said).toEqual([{ id: 'one' }, { id: 'two' }]);

    const letters = async function* () {
      for (const id of ['a', 'b', 'c']) yield fromJson(schema, { id });
    };
    const collected = await transport.stream(methodOf('Collect'), undefined, undefined, {}, letters());
    expect((await all(collected.message)).map((one) => toJson(schema, one))).toEqual([{ id: 'a b c' }]);
  });
});

describe('over the Fetch API', () => {
  const call = (rpc: string, ids: readonly string[], type = 'application/connect+json'): Request => {
    const messages = ids.map((id) => envelope(Buffer.from(JSON.stringify({ id }))));
    const body = ReadableStream.from(messages.map((message) => new Uint8Array(message)));
    const headers = { 'content-type': type };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    return new Request(`http://localhost/${vendored.service}/${rpc}`, init);
  };
  const here = { remoteAddress: '127.0.0.1' };

  it('a stream of messages has one answer at its end', async () => {
    const { fetch } = await serve();
    const answer = await fetch(call('Collect', ['a', 'b', 'c']), here);
    expect(await answer.text()).toContain('{"id":"a b c"}');
  });

  it('a conversation is refused, since answers cannot come before the last message', async () => {
    const { fetch } = await serve();
    expect((await fetch(call('Talk', ['a']), here)).status).toBe(505);
  });
});
