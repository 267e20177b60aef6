import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buf } from '../../support/buf.ts';
import { api, startGrpc } from '../rpc-support.ts';

const require = createRequire(import.meta.url);
const reflectionProtos = join(dirname(require.resolve('@grpc/reflection/package.json')), 'build/proto');
const healthProtos = join(dirname(require.resolve('grpc-health-check/package.json')), 'proto');
const options = { longs: Number, enums: String, oneofs: true, defaults: true };

type Service = new (target: string, credentials: grpc.ChannelCredentials) => grpc.Client & Record<string, never>;

function client(includeDir: string, file: string, service: string, target: string) {
  const pkg = grpc.loadPackageDefinition(loadSync(file, { ...options, includeDirs: [includeDir] }));
  const found = service.split('.').reduce((at, key) => (at as Record<string, object>)[key] as object, pkg as object);
  return new (found as Service)(target, grpc.credentials.createInsecure());
}

const running = await startGrpc();

describe.each(['v1', 'v1alpha'])('reflection %s', (version) => {
  type Response = Record<string, Record<string, never>> & { messageResponse: string };
  let peer: ReturnType<typeof client>;
  let call: grpc.ClientDuplexStream<object, Response>;
  beforeAll(() => {
    const file = `grpc/reflection/${version}/reflection.proto`;
    peer = client(reflectionProtos, file, `grpc.reflection.${version}.ServerReflection`, running.target);
    call = (peer as unknown as Record<string, () => typeof call>).ServerReflectionInfo?.() as typeof call;
  });
  afterAll(async () => {
    call.end();
    await once(call, 'end');
    peer.close();
  });

  async function ask(question: object): Promise<Response> {
    const answer = once(call, 'data');
    call.write({ host: 'here', ...question });
    const [response] = await answer;
    expect(response).toMatchObject({ validHost: 'here', originalRequest: { host: 'here', ...question } });
    return response;
  }

  const files = ({ fileDescriptorResponse }: Response): FileDescriptorProto[] =>
    ((fileDescriptorResponse as unknown as { fileDescriptorProto: Buffer[] })?.fileDescriptorProto ?? []).map((bytes) =>
      fromBinary(FileDescriptorProtoSchema, bytes),
    );

  test(`reflection ${version} lists the services`, async () => {
    const { listServicesResponse } = await ask({ listServices: '*' });
    expect(listServicesResponse).toEqual({
      service: [
        { name: 'lf.a2a.v1.A2AService' },
        { name: 'a2a.v1.A2AService' },
        { name: 'grpc.health.v1.Health' },
        { name: 'grpc.reflection.v1.ServerReflection' },
        { name: 'grpc.reflection.v1alpha.ServerReflection' },
      ],
    });
  });

  test.each([
    ['lf.a2a.v1.A2AService'],
    ['lf.a2a.v1.A2AService.SendMessage'],
    ['lf.a2a.v1.Task'],
    ['lf.a2a.v1.Task.status'],
    ['lf.a2a.v1.TaskState'],
  ])('%s is in its file, which comes with what it imports', async (fileContainingSymbol) => {
    const found = files(await ask({ fileContainingSymbol }));
    expect(found[0]?.name).toBe('lf/a2a/v1/a2a.proto');
    const registry = createFileRegistry(found[0] as FileDescriptorProto, (name) =>
      found.find((file) => file.name === name),
    );
    const service = registry.getService(api.service);
    expect(service?.methods.map(({ name }) => name)).toEqual(api.operations.map(({ rpc }) => rpc));
    // The options of the file are still there: google.api.http is an extension that most parsers drop.
    expect(service?.methods[0]?.proto.options?.$unknown?.map(({ no }) => no)).toContain(72295728);
  });

  test(`reflection ${version} describes every service that it lists`, async () => {
    const { listServicesResponse } = await ask({ listServices: '*' });
    const { service: listed } = listServicesResponse as unknown as { service: { name: string }[] };
    for (const { name } of listed) {
      const found = files(await ask({ fileContainingSymbol: name }));
      const registry = createFileRegistry(found[0] as FileDescriptorProto, (file) =>
        found.find((other) => other.name === file),
      );
      expect(registry.getService(name)?.methods.length, name).toBeGreaterThan(0);
    }
  });

  test('the service of A2A 0.3 is in a file of its own', async () => {
    const found = files(await ask({ fileContainingSymbol: 'a2a.v1.A2AService' }));
    expect(found[0]?.name).toBe('a2a/v1/a2a.proto');
  });

  test(`reflection ${version} finds files and extensions`, async () => {
    expect(files(await ask({ fileByFilename: 'google/api/http.proto' })).map(({ name }) => name)).toEqual([
      'google/api/http.proto',
    ]);
    const extension = { containingType: 'google.protobuf.MethodOptions', extensionNumber: 72295728 };
    expect(files(await ask({ fileContainingExtension: extension }))[0]?.name).toBe('google/api/annotations.proto');
    const { allExtensionNumbersResponse } = await ask({
      allExtensionNumbersOfType: 'google.protobuf.MethodOptions',
    });
    expect(allExtensionNumbersResponse).toMatchObject({ extensionNumber: expect.arrayContaining([72295728]) });
    expect((await ask({ allExtensionNumbersOfType: 'lf.a2a.v1.Task' })).allExtensionNumbersResponse).toMatchObject({
      extensionNumber: [],
    });
  });

  test.each([
    [{ fileContainingSymbol: 'no.Such' }],
    [{ fileByFilename: 'no.proto' }],
    [{ fileContainingExtension: { containingType: 'no.Such', extensionNumber: 1 } }],
    [{ allExtensionNumbersOfType: 'no.Such' }],
  ])('%j is not found', async (question) => {
    expect((await ask(question)).errorResponse).toMatchObject({ errorCode: grpc.status.NOT_FOUND });
  });

  test('a reflection request without a question is refused', async () => {
    expect((await ask({})).errorResponse).toMatchObject({ errorCode: grpc.status.INVALID_ARGUMENT });
  });
});

test('buf lists the methods of all services', async () => {
  const url = `http://${running.target}`;
  const args = [buf, 'curl', '--protocol', 'grpc', '--http2-prior-knowledge', '--list-methods', url];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const methods = stdout.trim().split('\n');
  const [health, reflection] = ['grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection'];
  expect(methods).toEqual(expect.arrayContaining(api.operations.map(({ rpc }) => `${api.service}/${rpc}`)));
  expect(methods).toEqual(expect.arrayContaining([`${health}/Check`, `${health}/List`, `${health}/Watch`]));
  expect(methods).toEqual(
    expect.arrayContaining(
      [reflection, reflection.replace('v1', 'v1alpha')].map((name) => `${name}/ServerReflectionInfo`),
    ),
  );
});

describe('health', () => {
  type Check = (request: object, done: (error: grpc.ServiceError | null, value: object) => void) => void;
  const health = (target: string) =>
    client(healthProtos, 'health/v1/health.proto', 'grpc.health.v1.Health', target) as unknown as grpc.Client & {
      Check: Check;
      List: Check;
      Watch(request: object): grpc.ClientReadableStream<{ status: string }>;
    };

  test.each(['', 'lf.a2a.v1.A2AService', 'a2a.v1.A2AService'])('the health of %j is SERVING', async (service) => {
    const peer = health(running.target);
    await new Promise<void>((resolve) =>
      peer.Check({ service }, (error, value) => {
        expect(error).toBeNull();
        expect(value).toEqual({ status: 'SERVING' });
        resolve();
      }),
    );
    peer.close();
  });

  test('an unknown service is not found', async () => {
    const peer = health(running.target);
    await new Promise<void>((resolve) =>
      peer.Check({ service: 'no.Such' }, (error) => {
        expect(error?.code).toBe(grpc.status.NOT_FOUND);
        resolve();
      }),
    );
    peer.close();
  });

  test('health lists all services', async () => {
    const peer = health(running.target);
    await new Promise<void>((resolve) =>
      peer.List({}, (_error, value) => {
        const serving = { status: 'SERVING' };
        expect(value).toEqual({
          statuses: { '': serving, 'lf.a2a.v1.A2AService': serving, 'a2a.v1.A2AService': serving },
        });
        resolve();
      }),
    );
    peer.close();
  });

  test('watchers are notified when the server drains', async () => {
    const own = await startGrpc();
    const peer = health(own.target);
    const seen: string[] = [];
    const known = peer.Watch({ service: '' });
    const unknown = peer.Watch({ service: 'no.Such' });
    known.on('data', ({ status }) => seen.push(status));
    const [first] = await once(unknown, 'data');
    expect(first).toEqual({ status: 'SERVICE_UNKNOWN' });
    await expect.poll(() => seen).toEqual(['SERVING']);
    unknown.on('data', () => {});
    const ends = Promise.all([once(known, 'end'), once(unknown, 'end')]);
    await own.server.drain(5_000);
    await ends;
    expect(seen).toEqual(['SERVING', 'NOT_SERVING']);
    peer.close();
  });
});
