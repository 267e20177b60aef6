import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackError } from '../../../src/dialects/kernel/rpc-status.ts';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { packedDetails } from '../../transports/grpc/stranger.ts';

/** `a2a.v1.A2AService` as its clients see it: grpc-js with nothing but the proto, and Connect and gRPC-Web by fetch. */

const serviceName = 'a2a.v1.A2AService';

let gateway: Running;
let client: grpc.Client & Record<string, unknown>;
beforeAll(async () => {
  gateway = await startGateway();
  const includeDirs = [fileURLToPath(new URL('../../../proto', import.meta.url))];
  const loaded = loadSync('a2a/v1/a2a.proto', { longs: Number, enums: String, oneofs: true, includeDirs });
  const { a2a } = grpc.loadPackageDefinition(loaded) as unknown as Record<
    string,
    Record<string, Record<string, grpc.ServiceClientConstructor>>
  >;
  const Constructor = a2a?.v1?.A2AService as grpc.ServiceClientConstructor;
  client = new Constructor(gateway.target, grpc.credentials.createInsecure()) as unknown as typeof client;
});
afterAll(async () => {
  client.close();
  await gateway.close();
});

type Reply = Record<string, unknown>;

interface Answer {
  readonly value: Reply;
  readonly head: grpc.Metadata;
}

function metadataOf(entries: Record<string, string>): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

function call(rpc: string, request: object, entries: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head = new grpc.Metadata();
    const method = client[rpc] as (...args: unknown[]) => grpc.ClientUnaryCall;
    method
      .call(client, request, metadataOf(entries), (error: grpc.ServiceError | null, value: Reply) => {
        if (error) reject(error);
        else resolve({ value, head });
      })
      .on('metadata', (got: grpc.Metadata) => {
        head = got;
      });
  });
}

const stream = (rpc: string, request: object, entries: Record<string, string> = {}): grpc.ClientReadableStream<Reply> =>
  (client[rpc] as (...args: unknown[]) => grpc.ClientReadableStream<Reply>).call(client, request, metadataOf(entries));

const failure = (promise: Promise<unknown>): Promise<grpc.ServiceError> =>
  promise.then(
    () => expect.fail('no error'),
    (thrown: grpc.ServiceError) => thrown,
  );

/** What the packed details say, whatever status and text are. */
function meaningOf(error: grpc.ServiceError) {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  return unpackError({ code: 2, message: '', details: packedDetails(bytes as Buffer) });
}

const message = (text: string, more: object = {}) => ({
  request: { messageId: 'm-1', role: 'ROLE_USER', content: [{ text }], ...more },
});

interface Task {
  readonly id: string;
  readonly status: { readonly state: string };
}

async function send(text: string, more: object = {}, entries: Record<string, string> = {}): Promise<Task> {
  const { value } = await call('SendMessage', { ...message(text), ...more }, entries);
  return value.task as Task;
}

/** What clients write that do not want to wait: the proto cannot tell false from absent. */
const atOnce = { configuration: {} };

describe('messages of A2A 0.3 over gRPC', () => {
  it('become tasks', async () => {
    const { value, head } = await call('SendMessage', message('hi'));
    expect(value).toMatchObject({
      payload: 'task',
      task: {
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ name: 'echo', parts: [{ text: 'hi' }] }],
        history: [{ messageId: 'm-1', role: 'ROLE_USER', content: [{ text: 'hi' }] }],
      },
    });
    expect(head.get('a2a-version')).toEqual(['0.3']);
    expect(head.get('x-request-id')[0]).toBeTruthy();
  });

  it('carry the bytes of files unchanged', async () => {
    const content = [{ file: { fileWithBytes: Buffer.from([0, 255, 1]), mimeType: 'application/x-some' } }];
    const { value } = await call('SendMessage', message('', { content }));
    expect(value).toMatchObject({ task: { artifacts: [{ parts: content }] } });
  });

  it.each([
    ['without a configuration', {}, 'TASK_STATE_COMPLETED'],
    ['blocking', { configuration: { blocking: true } }, 'TASK_STATE_COMPLETED'],
    ['with a configuration that does not say so', atOnce, 'TASK_STATE_WORKING'],
  ])('wait for the task as the configuration says: %s', async (_, configuration, state) => {
    expect((await send('slow 300', configuration)).status.state).toBe(state);
  });

  it('reach the agent in the metadata', async () => {
    const { value } = await call('SendMessage', message('I am Ada'), { 'a2a-agent': 'hello' });
    expect(JSON.stringify(value)).toContain('Hello, Ada!');
    const refused = await failure(call('SendMessage', message('hi'), { 'a2a-agent': 'nobody' }));
    expect(refused.code).toBe(grpc.status.NOT_FOUND);
  });

  it('declare extensions in the metadata of 0.3, and their answers list them there', async () => {
    const agent = { 'a2a-agent': 'demanding' };
    const refused = await failure(call('SendMessage', message('hi'), agent));
    expect(meaningOf(refused).kind).toBe('extensionSupportRequired');
    const { head } = await call('SendMessage', message('hi'), { ...agent, 'x-a2a-extensions': requiredExtension });
    expect(head.get('x-a2a-extensions')).toEqual([requiredExtension]);
  });
});

describe('streams of A2A 0.3 over gRPC', () => {
  const collect = async (events: AsyncIterable<Reply>): Promise<Reply[]> => {
    const all: Reply[] = [];
    for await (const event of events) all.push(event);
    return all;
  };

  it('contain the task, its updates, and one final event', async () => {
    const events = await collect(stream('SendStreamingMessage', message('stream 2 0')));
    expect(events.map(({ payload }) => payload)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    expect(events.at(-1)).toMatchObject({ statusUpdate: { final: true } });
    expect(events.filter(({ statusUpdate }) => (statusUpdate as Reply | undefined)?.final)).toHaveLength(1);
  });

  it('stay open for subscribers while the task waits for input', async () => {
    const { id } = await send('ask');
    const events = stream('TaskSubscription', { name: `tasks/${id}` });
    const seen: Reply[] = [];
    const begun = new Promise((resolve) => events.once('data', resolve));
    const ended = new Promise((resolve, reject) => events.on('end', resolve).on('error', reject));
    events.on('data', (event: Reply) => seen.push(event));
    await begun;
    await send('', message('Ada', { taskId: id }));
    await ended;
    expect(seen[0]).toMatchObject({ task: { id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' }, final: true } });
  });

  it('are refused with the error of a unary call', async () => {
    const refused = await failure(collect(stream('TaskSubscription', { name: 'tasks/nope' })));
    expect([refused.code, refused.details]).toEqual([grpc.status.NOT_FOUND, 'TaskNotFoundError: Task not found: nope']);
  });
});

describe('tasks of A2A 0.3 over gRPC', () => {
  it('are read and canceled by resource name', async () => {
    const { id } = await send('wait', atOnce);
    const name = `tasks/${id}`;
    expect((await call('GetTask', { name, historyLength: 1 })).value).toMatchObject({ id, history: [{}] });
    const { value } = await call('CancelTask', { name });
    expect(value).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELLED' } });
    const again = await failure(call('CancelTask', { name }));
    expect(again.code).toBe(grpc.status.FAILED_PRECONDITION);
    expect(again.details).toMatch(/^TaskNotCancelableError: /);
    expect(meaningOf(again)).toMatchObject({ kind: 'taskNotCancelable', metadata: { taskId: id } });
  });

  it('have push configurations with resource names', async () => {
    const { id } = await send('ask');
    const parent = `tasks/${id}`;
    const name = `${parent}/pushNotificationConfigs/cfg`;
    const url = 'https://example.com/hook';
    const config = { name, pushNotificationConfig: { id: 'cfg', url } };
    const created = await call('CreateTaskPushNotificationConfig', { parent, configId: 'cfg', config });
    expect(created.value).toMatchObject(config);
    expect((await call('GetTaskPushNotificationConfig', { name })).value).toMatchObject(config);
    const unnamed = { name: `${parent}/pushNotificationConfigs/None` };
    expect((await call('GetTaskPushNotificationConfig', unnamed)).value).toMatchObject(config);
    const listed = await call('ListTaskPushNotificationConfig', { parent });
    expect(listed.value).toMatchObject({ configs: [config] });
    await call('DeleteTaskPushNotificationConfig', { name });
    expect((await failure(call('GetTaskPushNotificationConfig', { name }))).code).toBe(grpc.status.NOT_FOUND);
  });
});

it('GetAgentCard of A2A 0.3 returns the extended card over gRPC', async () => {
  const { value } = await call('GetAgentCard', {});
  expect(value).toMatchObject({
    description: expect.stringContaining('extended card'),
    protocolVersion: '0.3.0',
    supportsAuthenticatedExtendedCard: true,
    additionalInterfaces: [{}, {}, { transport: 'GRPC', url: new URL(gateway.origin).host }],
  });
});

describe('errors of A2A 0.3 over gRPC', () => {
  it.each([
    ['GetTask', { name: 'tasks/nope' }, {}, 'NOT_FOUND', 'taskNotFound'],
    ['GetTask', { name: 'nope' }, {}, 'INVALID_ARGUMENT', 'invalidParams'],
    ['SendMessage', {}, {}, 'INVALID_ARGUMENT', 'invalidParams'],
    ['SendMessage', message('', { content: [] }), {}, 'INVALID_ARGUMENT', 'invalidParams'],
    ['GetAgentCard', {}, { 'a2a-agent': 'frugal' }, 'UNIMPLEMENTED', 'unsupportedOperation'],
    ['GetAgentCard', {}, { 'a2a-agent': 'demanding' }, 'FAILED_PRECONDITION', 'extendedAgentCardNotConfigured'],
    [
      'ListTaskPushNotificationConfig',
      { parent: 'tasks/t' },
      { 'a2a-agent': 'frugal' },
      'UNIMPLEMENTED',
      'pushNotificationNotSupported',
    ],
    ['SendMessage', message('hi'), { 'a2a-version': '1.0' }, 'FAILED_PRECONDITION', 'versionNotSupported'],
  ] as const)('%s %j %j', async (rpc, request, entries, status, kind) => {
    const error = await failure(call(rpc, request, { ...entries, 'x-a2a-extensions': requiredExtension }));
    expect(error.code).toBe(grpc.status[status]);
    expect(meaningOf(error).kind).toBe(kind);
  });

  it('name fields as the 0.3 proto does', async () => {
    const configuration = { pushNotification: { url: 'ftp://a' } };
    const error = await failure(call('SendMessage', { ...message('hi'), configuration }));
    const field = 'configuration.pushNotification.url';
    expect(meaningOf(error).violations).toEqual([{ field, description: 'must be an http or https URL' }]);
    expect(error.details).toBe(`InvalidParamsError: Invalid parameters: ${field}: must be an http or https URL`);
  });
});

describe('the gRPC service of A2A 0.3 over HTTP/1.1', () => {
  const post = (rpc: string, type: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${gateway.origin}/${serviceName}/${rpc}`, {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body,
    });

  it('is served over Connect', async () => {
    const wire = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'say hello' }] } };
    const answer = await post('SendMessage', 'application/json', JSON.stringify(wire));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('a2a-version')).toBe('0.3');
    expect(await answer.json()).toMatchObject({ message: { role: 'ROLE_AGENT', content: [{ text: 'hello' }] } });
    const below = await fetch(`${gateway.origin}/hello/${serviceName}/SendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: { ...wire.message, content: [{ text: 'I am Ada' }] } }),
    });
    expect(await below.text()).toContain('Hello, Ada!');
  });

  it('names fields in Connect errors as the client does', async () => {
    const wire = { ...message('hi'), configuration: { pushNotification: { url: 'ftp://a' } } };
    const refused = await post('SendMessage', 'application/json', JSON.stringify(wire));
    expect(await refused.json()).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(' configuration.pushNotification.url: '),
    });
  });

  it('has the same errors over Connect as over gRPC', async () => {
    const refused = await post('ListTaskPushNotificationConfig', 'application/json', '{"parent":"tasks/t"}', {
      'a2a-agent': 'frugal',
    });
    expect(refused.status).toBe(501);
    expect(await refused.json()).toMatchObject({
      code: 'unimplemented',
      message: expect.stringMatching(/^PushNotificationNotSupportedError: /),
    });
  });

  it('is served over gRPC-Web', async () => {
    const json = Buffer.from(JSON.stringify({ name: 'tasks/nope' }));
    const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, json.length]), json]);
    const refused = await post('GetTask', 'application/grpc-web+json', frame);
    expect(refused.headers.get('grpc-status')).toBe(String(grpc.status.NOT_FOUND));
    expect(decodeURIComponent(refused.headers.get('grpc-message') ?? '')).toBe(
      'TaskNotFoundError: Task not found: nope',
    );
  });
});
