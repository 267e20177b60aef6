import {
  GetTaskRequest,
  ListTasksRequest,
  Message,
  type StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  type Client,
  DefaultAgentCardResolver,
  ServiceParameters,
  withA2AExtensions,
  withA2AVersion,
} from '@a2a-js/sdk/client';
import {
  type A2AError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  isJsonRpcError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as v1 from '../../../src/core/model/a2a.ts';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { startGateway } from '../../support/gateway.ts';
import { protocols, v1Request as request, type SendOptions, sdk10 } from './clients.ts';

/** Features of the SDK of A2A 1.0 only, over its three bindings. */

const gateway = await startGateway();

const cardPath = '/.well-known/agent-card.json';

const clientFor = (agent: string, protocol: string): Promise<Client> => sdk10(`${gateway.origin}${agent}`, protocol);

/** A message as the SDK read it, back in ProtoJSON, which is easier to compare. */
const messageOf = (result: Message | Task): v1.Message => {
  if (!('messageId' in result)) throw new TypeError('a task, not a message');
  return Message.toJSON(result) as v1.Message;
};
const taskOf = (result: Message | Task): v1.Task => {
  if (!('status' in result)) throw new TypeError('a message, not a task');
  return Task.toJSON(result) as v1.Task;
};

async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each(protocols)('@a2a-js/sdk over %s', (protocol) => {
  let client: Client;
  beforeAll(async () => {
    client = await clientFor('', protocol);
  });

  const send = async (text: string, more: SendOptions = {}) => taskOf(await client.sendMessage(request(text, more)));

  it(`@a2a-js/sdk over ${protocol} uses the requested binding`, () => {
    expect(client.transport.protocolName).toBe(protocol);
    expect(client.protocolVersion).toBe('1.0');
  });

  it(`@a2a-js/sdk over ${protocol} lists its tasks page by page`, async () => {
    const { contextId = '' } = await send('one');
    await send('two', { contextId });
    await send('ask', { contextId });
    const list = (over: object) => client.listTasks(ListTasksRequest.fromJSON({ contextId, ...over }));
    const first = await list({ pageSize: 2 });
    expect(first).toMatchObject({ totalSize: 3, pageSize: 2 });
    expect(first.tasks).toHaveLength(2);
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second.nextPageToken).toBe('');
    expect(new Set([...first.tasks, ...second.tasks].map((task) => task.id)).size).toBe(3);
    expect(first.tasks.every(({ artifacts }) => artifacts.length === 0)).toBe(true);
    const [completed] = (await list({ status: 'TASK_STATE_COMPLETED', includeArtifacts: true, pageSize: 1 })).tasks;
    expect(completed?.artifacts).toHaveLength(1);
    expect((await list({ status: 'TASK_STATE_INPUT_REQUIRED' })).totalSize).toBe(1);
  });

  it(`@a2a-js/sdk over ${protocol} cannot read tasks of another tenant`, async () => {
    const { transport } = await clientFor('/demo', protocol);
    // gRPC has no path: there the tenant begins with the agent's name.
    const named = (tenant: string): string => (protocol === 'GRPC' ? `demo/${tenant}` : tenant);
    const task = taskOf(await transport.sendMessage({ ...request('hello'), tenant: named('red') }));
    const read = (tenant: string) => transport.getTask(GetTaskRequest.fromJSON({ tenant, id: task.id }));
    expect((await read(named('red'))).id).toBe(task.id);
    await expect(read(named('blue'))).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(read('')).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  it(`@a2a-js/sdk over ${protocol} reaches other agents by their cards`, async () => {
    const hello = await clientFor('/hello', protocol);
    const task = taskOf(await hello.sendMessage(request('I am Ada')));
    expect(task.artifacts?.[0]?.parts[0]?.text).toBe('Hello, Ada!');
    await expect(client.getTask(GetTaskRequest.fromJSON({ id: task.id }))).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  describe('gets a typed error', () => {
    const nowhere = { id: 'no-such-task' };

    it(`@a2a-js/sdk over ${protocol} gets a typed error for malformed requests`, async () => {
      const page = client.listTasks(ListTasksRequest.fromJSON({ pageSize: 101 }));
      await expect(page).rejects.toBeInstanceOf(RequestMalformedError);
      const unnamed = request('hi');
      if (unnamed.message) unnamed.message.messageId = '';
      await expect(client.sendMessage(unnamed)).rejects.toBeInstanceOf(RequestMalformedError);
    });

    it(`@a2a-js/sdk over ${protocol} gets a typed error for an unsupported version`, async () => {
      const serviceParameters = ServiceParameters.create(withA2AVersion('99.0'));
      const call = client.transport.getTask(GetTaskRequest.fromJSON(nowhere), { serviceParameters });
      await expect(call).rejects.toBeInstanceOf(VersionNotSupportedError);
    });

    it(`@a2a-js/sdk over ${protocol} gets a typed error for capabilities that the agent lacks`, async () => {
      const frugal = await clientFor('/frugal', protocol);
      const task = taskOf(await frugal.sendMessage(request('hi')));
      expect(task.artifacts?.[0]?.parts[0]?.text).toBe('hi');
      // Below the client, which reads the card and would not even ask.
      const { transport } = frugal;
      const tenant = protocol === 'GRPC' ? 'frugal' : '';
      const stream = collect(transport.sendMessageStream({ ...request('hi'), tenant }));
      await expect(stream).rejects.toBeInstanceOf(UnsupportedOperationError);
      const config = TaskPushNotificationConfig.fromJSON({ tenant, taskId: task.id, url: 'https://example.com/' });
      await expect(transport.createTaskPushNotificationConfig(config)).rejects.toBeInstanceOf(
        PushNotificationNotSupportedError,
      );
      await expect(transport.getExtendedAgentCard({ tenant })).rejects.toBeInstanceOf(UnsupportedOperationError);
    });

    it(`@a2a-js/sdk over ${protocol} gets a typed error for a required extension, and for an agent without an extended card`, async () => {
      const demanding = await clientFor('/demanding', protocol);
      await expect(demanding.sendMessage(request('hi'))).rejects.toBeInstanceOf(ExtensionSupportRequiredError);
      const serviceParameters = ServiceParameters.create(withA2AExtensions(requiredExtension));
      const message = messageOf(await demanding.sendMessage(request('hi'), { serviceParameters }));
      expect(message.parts[0]?.text).toBe(requiredExtension);
      await expect(demanding.getAgentCard()).rejects.toBeInstanceOf(ExtendedAgentCardNotConfiguredError);
    });

    it(`@a2a-js/sdk over ${protocol} gets a typed error with reason and metadata`, async () => {
      const error: A2AError = await client.getTask(GetTaskRequest.fromJSON(nowhere)).then(
        () => expect.fail('no error'),
        (thrown) => thrown,
      );
      expect(error.reason).toBe('TASK_NOT_FOUND');
      if (isJsonRpcError(error)) expect(error.data).toMatchObject([{ metadata: { taskId: 'no-such-task' } }]);
      else expect(error.metadata).toMatchObject({ taskId: 'no-such-task' });
    });
  });
});

it('@a2a-js/sdk resolves the cards of the root and of an agent', async () => {
  const resolver = new DefaultAgentCardResolver();
  const root = await resolver.resolve(gateway.origin);
  expect(root.name).toBe('Reference agent');
  const offered = root.supportedInterfaces.map((row) => [row.protocolBinding, row.protocolVersion, row.url]);
  expect(offered.slice(0, 3)).toEqual([
    ['JSONRPC', '1.0', gateway.origin],
    ['HTTP+JSON', '1.0', gateway.origin],
    ['GRPC', '1.0', gateway.target],
  ]);
  const hello = await resolver.resolve(gateway.origin, `/hello${cardPath}`);
  const grpc = hello.supportedInterfaces.find((row) => row.protocolBinding === 'GRPC');
  expect(grpc).toMatchObject({ url: gateway.target, tenant: 'hello' });
  expect(hello.supportedInterfaces[0]?.url).toBe(`${gateway.origin}/hello`);
  // Clients of one dialect stay on its path; over gRPC, which has none, nothing but the agent is named.
  for (const base of ['', '/hello']) {
    const pinned = await resolver.resolve(gateway.origin, `${base}/as/a2a-1.0${cardPath}`);
    expect(pinned.supportedInterfaces.map(({ url, tenant }) => [url, tenant ?? ''])).toEqual([
      [`${gateway.origin}${base}/as/a2a-1.0`, ''],
      [`${gateway.origin}${base}/as/a2a-1.0`, ''],
      [gateway.target, base.slice(1)],
    ]);
  }
});
