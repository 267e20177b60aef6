import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFileRegistry, type DescMethod, fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { connectNodeAdapter, createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { connectRoutes } from '../../src/mounts/connect.ts';
import { addGateway, authentication } from '../../src/mounts/grpc-js.ts';
import { mountOf } from '../../src/transports/rpc/mount.ts';
import type { RpcsOfPath } from '../../src/transports/rpc/rpc.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { image } from '../support/descriptors.ts';
import { afterTest } from '../support/peer.ts';
import { key, startGateway } from './gateways.ts';

/** The services of the knowledge graph and of the admin service in servers of other libraries. */

interface Caller {
  unary(path: string, request: object): Promise<object>;
  stream(path: string, request: object): AsyncIterable<unknown>;
}

async function overGrpc(gateway: Gateway): Promise<Caller> {
  const server = new Server({ interceptors: [authentication(gateway)] });
  addGateway(server, gateway);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  afterTest(() => {
    client.close();
    server.forceShutdown();
  });
  const metadata = new Metadata();
  metadata.set('x-api-key', key);
  const codec = (path: string) => {
    const [{ api, operation }] = mountOf(gateway).rpcs.get(path) as RpcsOfPath;
    return [
      (json: object) => encode(api, operation.request, json) as Buffer,
      (bytes: Buffer) => decode(api, operation.response, bytes),
    ] as const;
  };
  return {
    unary: (path, request) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, ...codec(path), request, metadata, (error, answer) =>
          error ? reject(error) : resolve(answer as object),
        );
      }),
    stream: (path, request) => client.makeServerStreamRequest(path, ...codec(path), request, metadata),
  };
}

async function overConnect(gateway: Gateway): Promise<Caller> {
  const server = createServer(connectNodeAdapter({ routes: connectRoutes(gateway) }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterTest(() => server.close().closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
  const transport = createConnectTransport({ baseUrl, httpVersion: '1.1', jsonOptions: { registry } });
  const headers = { 'x-api-key': key };
  const called = (path: string, request: object) => {
    const [, service = '', name] = path.split('/');
    const method = registry.getService(service)?.methods.find((one) => one.name === name) as DescMethod;
    return { method, input: fromJson(method.input, request as JsonValue, { registry }) };
  };
  return {
    async unary(path, request) {
      const { method, input } = called(path, request);
      const answer = await transport.unary(method as never, undefined, undefined, headers, input);
      return toJson(method.output, answer.message, { registry }) as object;
    },
    async *stream(path, request) {
      const { method, input } = called(path, request);
      const inputs = async function* () {
        yield input;
      };
      const answer = await transport.stream(method as never, undefined, undefined, headers, inputs());
      for await (const each of answer.message) yield toJson(method.output, each, { registry });
    },
  };
}

const mounts = { 'a grpc-js Server': overGrpc, 'a ConnectRouter': overConnect };

it.each(Object.entries(mounts))('rpcs of the admin service answer and stream in %s', async (_, open) => {
  const { unary, stream } = await open(await startGateway());
  const service = '/a2agateway.admin.v1.AdminService';
  expect(await unary(`${service}/ListAgents`, {})).toMatchObject({
    agents: expect.arrayContaining([expect.objectContaining({ name: 'whoami' })]),
  });
  for await (const status of stream(`${service}/WatchStatus`, {})) {
    expect(status).toMatchObject({ version: expect.any(String) });
    break;
  }
  // The key has `admin:read` alone.
  await expect(unary(`${service}/ReloadConfig`, {})).rejects.toThrow(/admin/);
});

it.each(Object.entries(mounts))('rpcs of the knowledge graph answer and stream in %s', async (_, open) => {
  const known = { kind: 'code' as const, agent: createReferenceAgent(), knowledge: true };
  const { unary, stream } = await open(await startGateway({ agents: { demo: known } }));
  const service = '/a2agateway.knowledge.v1.KnowledgeService';
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  const changes = stream(`${service}/Subscribe`, { subscriptionQuery })[Symbol.asyncIterator]();
  let change: unknown;
  changes.next().then(({ value }) => {
    change = value;
  });
  // The subscription begins with one of them.
  for (let count = 0; change === undefined; count += 1) {
    const object = { id: `friend-${count}` };
    const statement = { subject: { id: 'ada', type: 'Person' }, predicate: { id: 'knows' }, object };
    await unary(`${service}/Update`, { mutations: [{ op: 'add', statement }] });
  }
  expect(JSON.stringify(change)).toContain('friend-');
  expect(await unary(`${service}/Query`, { query: '{ __typename }' })).toMatchObject({ data: { __typename: 'Query' } });
  await changes.return?.();
});
