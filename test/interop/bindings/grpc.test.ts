import { fileURLToPath } from 'node:url';
import { create, createFileRegistry, type DescMessage, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import * as grpc from '@grpc/grpc-js';
import {
  fromJSON,
  load,
  loadFileDescriptorSetFromBuffer,
  loadSync,
  type Options,
  type PackageDefinition,
} from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { image } from '../../support/descriptors.ts';
import { type Running, startGateway } from '../../support/gateway.ts';

/** gRPC clients made from the protos at run time, from the files or from what the server's reflection says. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const loading: Options = {
  longs: Number,
  enums: String,
  oneofs: true,
  includeDirs: [pathOf('proto'), pathOf('proto/a2a-1.0')],
};

type Reply = Record<string, unknown>;
type Client = grpc.Client & Record<string, unknown>;

const open = new Set<grpc.Client>();
afterAll(() => {
  for (const client of open) client.close();
});

function clientOf(definition: PackageDefinition, service: string, options: grpc.ClientOptions = {}): Client {
  let scope = grpc.loadPackageDefinition(definition) as unknown;
  for (const name of service.split('.')) scope = (scope as Record<string, unknown>)[name];
  const Constructor = scope as grpc.ServiceClientConstructor;
  const client = new Constructor(gateway.target, grpc.credentials.createInsecure(), options);
  open.add(client);
  return client as unknown as Client;
}

const serviceName = 'lf.a2a.v1.A2AService';
const fromFiles = loadSync('lf/a2a/v1/a2a.proto', loading);
const connect = (options?: grpc.ClientOptions): Client => clientOf(fromFiles, serviceName, options);

interface Answer {
  readonly value: Reply;
  readonly head: grpc.Metadata;
}

const metadata = (entries: Record<string, string> = {}): grpc.Metadata => {
  const created = new grpc.Metadata();
  for (const [name, value] of Object.entries(entries)) created.set(name, value);
  return created;
};

function call(client: Client, rpc: string, request: object, entries?: Record<string, string>, options = {}) {
  return new Promise<Answer>((resolve, reject) => {
    let head = new grpc.Metadata();
    const method = client[rpc] as (...args: unknown[]) => grpc.ClientUnaryCall;
    method
      .call(client, request, metadata(entries), options, (error: grpc.ServiceError | null, value: Reply) => {
        if (error) reject(error);
        else resolve({ value, head });
      })
      .on('metadata', (got: grpc.Metadata) => {
        head = got;
      });
  });
}

function stream(client: Client, rpc: string, request: object, entries?: Record<string, string>) {
  const method = client[rpc] as (...args: unknown[]) => grpc.ClientReadableStream<Reply>;
  return method.call(client, request, metadata(entries));
}

async function failure(promise: Promise<unknown>): Promise<grpc.ServiceError> {
  return promise.then(
    () => expect.fail('no error'),
    (thrown: grpc.ServiceError) => thrown,
  );
}

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
const typed = (name: string): DescMessage => registry.getMessage(name) ?? expect.fail(`no message ${name}`);

/** The details in the trailers' google.rpc.Status, in ProtoJSON. */
function detailsOf(error: grpc.ServiceError): Reply[] {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) return expect.fail('no details');
  const status = toJson(typed('google.rpc.Status'), fromBinary(typed('google.rpc.Status'), bytes), { registry });
  expect(status).toMatchObject({ code: error.code, message: error.details });
  return (status as { details: Reply[] }).details;
}

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'raw-1', role: 'ROLE_USER', parts: [{ text }], ...more },
});

describe('a gRPC client made from the proto files', () => {
  it('sends a message, and gets the version and the request id in the metadata', async () => {
    const { value, head } = await call(connect(), 'SendMessage', message('say hi'), { 'a2a-version': '1.0' });
    expect(value).toMatchObject({ payload: 'message', message: { role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } });
    expect(head.get('a2a-version')).toEqual(['1.0']);
    expect(head.get('x-request-id')[0]).toBeTruthy();
  });

  it('gets the bytes of a file unchanged', async () => {
    const { value } = await call(connect(), 'SendMessage', message('file'));
    const task = value.task as { status: { state: string; timestamp: object }; artifacts: { parts: Reply[] }[] };
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const [part] = task.artifacts[0]?.parts ?? [];
    expect(part).toMatchObject({ content: 'raw', mediaType: 'image/png' });
    expect(String(part?.raw)).toContain('PNG');
  });

  it('reads a compressed stream', async () => {
    const client = connect({ 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip });
    const events: Reply[] = [];
    for await (const event of stream(client, 'SendStreamingMessage', message('stream 20 0'))) events.push(event);
    expect(events.map((event) => event.payload)).toEqual([
      'task',
      'statusUpdate',
      ...Array.from({ length: 20 }, () => 'artifactUpdate'),
      'statusUpdate',
    ]);
  });

  it('selects the agent by tenant or by metadata', async () => {
    const client = connect();
    const byTenant = await call(client, 'SendMessage', { tenant: 'hello', ...message('I am Ada') });
    expect(JSON.stringify(byTenant.value)).toContain('Hello, Ada!');
    const byMetadata = await call(client, 'SendMessage', message('I am Bob'), { 'a2a-agent': 'hello' });
    expect(JSON.stringify(byMetadata.value)).toContain('Hello, Bob!');
    for (const refused of [
      call(client, 'SendMessage', { tenant: 'nobody', ...message('hi') }),
      call(client, 'SendMessage', message('hi'), { 'a2a-agent': 'nobody' }),
    ]) {
      expect((await failure(refused)).code).toBe(grpc.status.NOT_FOUND);
    }
  });

  it('gets ErrorInfo and field violations with its errors', async () => {
    const missing = await failure(call(connect(), 'GetTask', { id: 'nope' }));
    expect(missing.code).toBe(grpc.status.NOT_FOUND);
    expect(detailsOf(missing)).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_FOUND',
        domain: 'a2a-protocol.org',
        metadata: { taskId: 'nope' },
      },
    ]);
    const bad = await failure(call(connect(), 'SendMessage', message('hi', { parts: [] })));
    expect(bad.code).toBe(grpc.status.INVALID_ARGUMENT);
    const details = detailsOf(bad);
    expect(details[1]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'message.parts' }],
    });
  });

  it('gets an error for an unsupported version', async () => {
    const refused = await failure(call(connect(), 'SendMessage', message('hi'), { 'a2a-version': '99.0' }));
    expect(refused.code).toBe(grpc.status.FAILED_PRECONDITION);
    expect(detailsOf(refused)[0]).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED' });
  });

  it('ends a call at its deadline, and the task continues', async () => {
    const client = connect();
    const contextId = `deadline-${Date.now()}`;
    const late = await failure(
      call(client, 'SendMessage', message('wait', { contextId }), {}, { deadline: Date.now() + 300 }),
    );
    expect(late.code).toBe(grpc.status.DEADLINE_EXCEEDED);
    const { value } = await call(client, 'ListTasks', { contextId });
    const [task] = value.tasks as { id: string; status: { state: string } }[];
    expect(task?.status.state).toBe('TASK_STATE_WORKING');
    await call(client, 'CancelTask', { id: task?.id });
  });

  it('resumes a stream after the event in Last-Event-ID', async () => {
    const client = connect();
    const { value } = await call(client, 'SendMessage', message('ask'));
    const { id } = value.task as { id: string };
    const events = stream(client, 'SubscribeToTask', { id }, { 'last-event-id': '1' });
    const seen: Reply[] = [];
    events.on('data', (event: Reply) => seen.push(event));
    const ended = new Promise((resolve, reject) => events.on('end', resolve).on('error', reject));
    await call(client, 'SendMessage', message('Eve', { taskId: id }));
    await ended;
    expect(seen[0]).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(seen.some((event) => event.payload === 'task')).toBe(false);
  });
});

describe('the gRPC server', () => {
  interface Reflected {
    listServicesResponse?: { service: { name: string }[] };
    fileDescriptorResponse?: { fileDescriptorProto: Buffer[] };
    errorResponse?: { errorCode: number };
  }

  async function reflect(version: string, ...requests: object[]): Promise<Reflected[]> {
    const file = pathOf(`node_modules/@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`);
    const client = clientOf(await load(file, { longs: Number }), `grpc.reflection.${version}.ServerReflection`);
    const method = client.ServerReflectionInfo as () => grpc.ClientDuplexStream<object, Reflected>;
    const duplex = method.call(client);
    for (const request of requests) duplex.write(request);
    duplex.end();
    const answers: Reflected[] = [];
    for await (const answer of duplex) answers.push(answer as Reflected);
    return answers;
  }

  it.each(['v1', 'v1alpha'])(
    'lists its services by reflection %s, and a client made from the descriptors works',
    async (version) => {
      const [listed, found, unknown] = await reflect(
        version,
        { listServices: '' },
        { fileContainingSymbol: serviceName },
        { fileContainingSymbol: 'no.such.Symbol' },
      );
      const names = listed?.listServicesResponse?.service.map(({ name }) => name);
      expect(names).toContain(serviceName);
      expect(names).toContain('grpc.health.v1.Health');
      expect(unknown?.errorResponse?.errorCode).toBe(grpc.status.NOT_FOUND);

      const files = new Map<string, Buffer>();
      const add = async (protos: readonly Buffer[]): Promise<void> => {
        for (const bytes of protos) {
          const proto = fromBinary(FileDescriptorProtoSchema, bytes);
          if (files.has(proto.name)) continue;
          files.set(proto.name, bytes);
          const wanted = proto.dependency.filter((name) => !files.has(name));
          if (wanted.length === 0) continue;
          const answers = await reflect(version, ...wanted.map((name) => ({ fileByFilename: name })));
          for (const answer of answers) await add(answer.fileDescriptorResponse?.fileDescriptorProto ?? []);
        }
      };
      await add(found?.fileDescriptorResponse?.fileDescriptorProto ?? []);
      const file = [...files.values()].map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
      const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }));
      const client = clientOf(loadFileDescriptorSetFromBuffer(Buffer.from(set), loading), serviceName);
      // Names are as the proto has them here: protobufjs does not change those of descriptors.
      const { messageId: message_id, ...rest } = message('say reflected').message;
      const { value } = await call(client, 'SendMessage', { message: { message_id, ...rest } });
      expect(value).toMatchObject({ message: { parts: [{ text: 'reflected' }] } });
    },
  );

  it('serves the health service', async () => {
    const definition = loadSync(pathOf('node_modules/grpc-health-check/proto/health/v1/health.proto'), loading);
    const client = clientOf(definition, 'grpc.health.v1.Health');
    for (const service of ['', serviceName]) {
      expect((await call(client, 'Check', { service })).value).toMatchObject({ status: 'SERVING' });
    }
    expect((await failure(call(client, 'Check', { service: 'no.such.Service' }))).code).toBe(grpc.status.NOT_FOUND);
    const watched = stream(client, 'Watch', { service: '' });
    const first = await new Promise((resolve, reject) => watched.once('data', resolve).once('error', reject));
    expect(first).toMatchObject({ status: 'SERVING' });
    watched.on('error', () => undefined).cancel();
  });

  it('refuses unknown services', async () => {
    const other = fromJSON({
      nested: {
        Ping: { fields: {} },
        Other: { methods: { Do: { requestType: 'Ping', responseType: 'Ping', comment: '' } } },
      },
    });
    expect((await failure(call(clientOf(other, 'Other'), 'Do', {}))).code).toBe(grpc.status.UNIMPLEMENTED);
  });
});
