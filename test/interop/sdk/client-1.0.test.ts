import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
  withA2AVersion,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  type A2AError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  isJsonRpcError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as v1 from '../../../src/core/model/a2a.ts';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { type Running, startGateway } from '../../support/gateway.ts';

/** The official SDK as a client: what it says and how it reads the answers is none of our doing. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const cardPath = '/.well-known/agent-card.json';

/** A client of the SDK for one agent, over the binding that its card lists under this name. */
function clientFor(agent: string, protocol: string): Promise<Client> {
  const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports,
    preferredTransports: [protocol],
  });
  return new ClientFactory(options).createFromUrl(`${gateway.origin}${agent}${cardPath}`, '');
}

let messages = 0;

/** A request in the SDK's own objects, for a text or for whole parts. */
function request(content: string | v1.Part[], more: Partial<v1.Message> = {}, configuration?: object) {
  messages += 1;
  const parts = typeof content === 'string' ? [{ text: content }] : content;
  const message = { messageId: `sdk-${messages}`, role: 'ROLE_USER', parts, ...more };
  return SendMessageRequest.fromJSON({ message, ...(configuration && { configuration }) });
}

/** What the SDK understood, back in ProtoJSON, which is easier to compare. */
const messageOf = (result: Message | Task): v1.Message => {
  if (!('messageId' in result)) throw new TypeError('a task, not a message');
  return Message.toJSON(result) as v1.Message;
};
const taskOf = (result: Message | Task): v1.Task => {
  if (!('status' in result)) throw new TypeError('a message, not a task');
  return Task.toJSON(result) as v1.Task;
};

async function collect(stream: AsyncIterable<StreamResponse>): Promise<v1.StreamResponse[]> {
  const events: v1.StreamResponse[] = [];
  for await (const event of stream) events.push(StreamResponse.toJSON(event) as v1.StreamResponse);
  return events;
}

const outline = (events: readonly v1.StreamResponse[]): string[] =>
  events.map(
    ({ task, message, statusUpdate }) =>
      (task ?? statusUpdate)?.status.state.slice('TASK_STATE_'.length) ?? (message ? 'message' : 'artifact'),
  );

const id = (task: v1.Task) => ({ tenant: '', id: task.id });

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('@a2a-js/sdk over %s', (protocol) => {
  let client: Client;
  beforeAll(async () => {
    client = await clientFor('', protocol);
  });

  const send = async (text: string, more: Partial<v1.Message> = {}, configuration?: object) =>
    taskOf(await client.sendMessage(request(text, more, configuration)));

  /** A task that works until it is canceled. */
  const waiting = () => send('wait', {}, { returnImmediately: true });

  it('chose the binding that was asked for', () => {
    expect(client.transport.protocolName).toBe(protocol);
    expect(client.protocolVersion).toBe('1.0');
  });

  it('gets a direct message', async () => {
    const message = messageOf(await client.sendMessage(request('say hello there')));
    expect(message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: 'hello there' }] });
    expect(message.contextId).toBeTruthy();
  });

  it('gets a completed task with all kinds of parts', async () => {
    const parts: v1.Part[] = [
      { text: 'é\u0000😀' },
      { raw: Buffer.from([0, 255, 7]).toString('base64'), filename: 'a.bin', mediaType: 'application/octet-stream' },
      { url: 'https://example.com/x', filename: 'x' },
      { data: { n: [1, 2.5, null, { deep: true }] }, metadata: { k: 'v' } },
    ];
    const task = taskOf(await client.sendMessage(request(parts)));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts?.[0]?.name).toBe('echo');
    expect(task.artifacts?.[0]?.parts).toMatchObject(parts);
    expect(task.history?.[0]?.parts).toMatchObject(parts);
  });

  it('streams a task to its end', async () => {
    const events = await collect(client.sendMessageStream(request('stream 3 0')));
    expect(outline(events)).toEqual(['SUBMITTED', 'WORKING', 'artifact', 'artifact', 'artifact', 'COMPLETED']);
    const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(chunks.map(({ artifact }) => artifact.parts[0]?.text)).toEqual(['chunk 1', 'chunk 2', 'chunk 3']);
    expect(chunks.at(-1)).toMatchObject({ append: true, lastChunk: true });
  });

  it('streams a direct message', async () => {
    expect(outline(await collect(client.sendMessageStream(request('say hi'))))).toEqual(['message']);
  });

  it('is asked back, answers, and gets its greeting', async () => {
    const asked = await send('ask');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts[0]?.text).toBe('What is your name?');
    const done = await send('Ada', { taskId: asked.id, contextId: asked.contextId ?? '' });
    expect(done).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(done.artifacts?.[0]?.parts[0]?.text).toBe('Hello, Ada');
  });

  it('reads a task with as much history as it asks for', async () => {
    const task = await send('hello');
    const read = async (historyLength?: number) =>
      Task.toJSON(await client.getTask(GetTaskRequest.fromJSON({ id: task.id, historyLength }))) as v1.Task;
    expect((await read()).history).toHaveLength(1);
    expect((await read(0)).history ?? []).toHaveLength(0);
    expect((await read(1)).artifacts).toEqual(task.artifacts);
  });

  it('lists its tasks page by page', async () => {
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

  it('cancels a task and cannot do it twice', async () => {
    const task = await waiting();
    expect(task.status.state).toMatch(/SUBMITTED|WORKING/);
    const canceled = Task.toJSON(await client.cancelTask(CancelTaskRequest.fromJSON({ id: task.id }))) as v1.Task;
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    await expect(client.cancelTask(CancelTaskRequest.fromJSON({ id: task.id }))).rejects.toBeInstanceOf(
      TaskNotCancelableError,
    );
  });

  it('resubscribes: the task first, then what happens', async () => {
    const task = await waiting();
    const stream = client.resubscribeTask(SubscribeToTaskRequest.fromJSON(id(task)));
    const first = await stream.next();
    expect(outline([StreamResponse.toJSON(first.value as StreamResponse) as v1.StreamResponse])[0]).toMatch(
      /SUBMITTED|WORKING/,
    );
    await client.cancelTask(CancelTaskRequest.fromJSON(id(task)));
    expect(outline(await collect(stream)).at(-1)).toBe('CANCELED');
  });

  it('keeps a subscription across a question', async () => {
    const asked = await send('ask');
    const stream = client.resubscribeTask(SubscribeToTaskRequest.fromJSON(id(asked)));
    await stream.next();
    await send('Bob', { taskId: asked.id });
    expect(outline(await collect(stream)).at(-1)).toBe('COMPLETED');
  });

  it('walks away from a stream without harm to the task', async () => {
    const controller = new AbortController();
    let taskId = '';
    const read = async (): Promise<void> => {
      for await (const event of client.sendMessageStream(request('wait'), { signal: controller.signal })) {
        taskId ||= event.payload?.$case === 'task' ? event.payload.value.id : '';
        if (event.payload?.$case === 'statusUpdate') controller.abort();
      }
    };
    await read().catch(() => undefined);
    expect(controller.signal.aborted).toBe(true);
    const task = Task.toJSON(await client.getTask(GetTaskRequest.fromJSON({ id: taskId }))) as v1.Task;
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    await client.cancelTask(CancelTaskRequest.fromJSON({ id: taskId }));
  });

  it('creates, reads, lists and deletes push configurations', async () => {
    const taskId = (await send('ask')).id;
    const config = {
      id: 'hook',
      taskId,
      url: 'https://example.com/hook',
      token: 'tok',
      authentication: { scheme: 'Bearer', credentials: 'c' },
    };
    const created = await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config));
    expect(TaskPushNotificationConfig.toJSON(created)).toMatchObject(config);
    const named = { taskId, id: 'hook' };
    const read = () => client.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON(named));
    expect(TaskPushNotificationConfig.toJSON(await read())).toMatchObject(config);
    const unnamed = await client.createTaskPushNotificationConfig(
      TaskPushNotificationConfig.fromJSON({ taskId, url: 'https://example.com/other' }),
    );
    expect(unnamed.id).toBeTruthy();
    const list = () =>
      client.listTaskPushNotificationConfig(ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }));
    expect((await list()).configs).toHaveLength(2);
    const remove = () =>
      client.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON(named));
    await remove();
    await remove();
    expect((await list()).configs.map((left) => left.id)).toEqual([unnamed.id]);
    await expect(read()).rejects.toThrow();
  });

  it('gets the extended card', async () => {
    const card = await client.getAgentCard();
    expect(card.skills.map((skill) => skill.id)).toContain('extended');
    expect(card.supportedInterfaces.length).toBeGreaterThanOrEqual(3);
  });

  it('keeps tenants apart', async () => {
    const { transport } = await clientFor('/demo', protocol);
    // gRPC has no path: there the tenant begins with the agent's name.
    const named = (tenant: string): string => (protocol === 'GRPC' ? `demo/${tenant}` : tenant);
    const task = taskOf(await transport.sendMessage({ ...request('hello'), tenant: named('red') }));
    const read = (tenant: string) => transport.getTask(GetTaskRequest.fromJSON({ tenant, id: task.id }));
    expect((await read(named('red'))).id).toBe(task.id);
    await expect(read(named('blue'))).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(read('')).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  it('reaches other agents by their cards', async () => {
    const hello = await clientFor('/hello', protocol);
    const task = taskOf(await hello.sendMessage(request('I am Ada')));
    expect(task.artifacts?.[0]?.parts[0]?.text).toBe('Hello, Ada!');
    await expect(client.getTask(GetTaskRequest.fromJSON({ id: task.id }))).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  describe('errors, as the SDK types them', () => {
    const nowhere = { id: 'no-such-task' };

    it('task not found', async () => {
      const refused = expect(client.getTask(GetTaskRequest.fromJSON(nowhere)));
      await refused.rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(client.cancelTask(CancelTaskRequest.fromJSON(nowhere))).rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(collect(client.resubscribeTask(SubscribeToTaskRequest.fromJSON(nowhere)))).rejects.toBeInstanceOf(
        TaskNotFoundError,
      );
      await expect(send('hello', { taskId: 'no-such-task' })).rejects.toBeInstanceOf(TaskNotFoundError);
    });

    it('malformed request', async () => {
      const empty = client.sendMessage(request([]));
      await expect(empty).rejects.toBeInstanceOf(RequestMalformedError);
      await expect(client.sendMessage(request('hi', { messageId: '' }))).rejects.toBeInstanceOf(RequestMalformedError);
      const page = client.listTasks(ListTasksRequest.fromJSON({ pageSize: 101 }));
      await expect(page).rejects.toBeInstanceOf(RequestMalformedError);
    });

    it('a finished task takes no message and no subscription', async () => {
      const { id: taskId } = await send('hello');
      await expect(send('more', { taskId })).rejects.toBeInstanceOf(UnsupportedOperationError);
      const late = collect(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: taskId })));
      await expect(late).rejects.toBeInstanceOf(UnsupportedOperationError);
    });

    it('version not supported', async () => {
      const serviceParameters = ServiceParameters.create(withA2AVersion('99.0'));
      const asked = client.transport.getTask(GetTaskRequest.fromJSON(nowhere), { serviceParameters });
      await expect(asked).rejects.toBeInstanceOf(VersionNotSupportedError);
    });

    it('capabilities that the agent lacks', async () => {
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

    it('a required extension, and the extended card that is not there', async () => {
      const demanding = await clientFor('/demanding', protocol);
      await expect(demanding.sendMessage(request('hi'))).rejects.toBeInstanceOf(ExtensionSupportRequiredError);
      const serviceParameters = ServiceParameters.create(withA2AExtensions(requiredExtension));
      const message = messageOf(await demanding.sendMessage(request('hi'), { serviceParameters }));
      expect(message.parts[0]?.text).toBe(requiredExtension);
      await expect(demanding.getAgentCard()).rejects.toBeInstanceOf(ExtendedAgentCardNotConfiguredError);
    });

    it('carry reason and metadata', async () => {
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

describe('@a2a-js/sdk', () => {
  it('resolves cards of the root and of an agent', async () => {
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
});
