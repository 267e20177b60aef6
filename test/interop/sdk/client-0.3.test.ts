import type { Message, MessageSendParams, Part, Task, TaskPushNotificationConfig } from 'a2a-sdk-0.3';
import {
  A2AClient,
  AuthenticatedExtendedCardNotConfiguredError,
  type Client,
  type ClientConfig,
  PushNotificationNotSupportedError,
  ServiceParameters,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  withA2AExtensions,
} from 'a2a-sdk-0.3/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import {
  clientOf,
  collect,
  messageOf,
  outline,
  taskOf,
  textOf,
  textOfArtifact,
  userMessage,
} from '../../support/sdk-0.3.ts';

/**
 * The official SDK of A2A 0.3 as a client, over its three transports: what it says and how it reads the answers is none
 * of our doing, and it knows of no gateway.
 */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

type Configuration = MessageSendParams['configuration'];

/** A client of one agent, over the transport that its card lists under this name. */
const clientFor = (base: string, protocol: string, config: ClientConfig = {}): Promise<Client> =>
  clientOf(`${gateway.origin}${base}/.well-known/agent-card.json`, protocol, config);

/** The SDK writes into the parameters, so that each call has its own. */
function params(
  content: string | Part[],
  more: Partial<Message> = {},
  configuration?: Configuration,
): MessageSendParams {
  return { message: userMessage(content, more), ...(configuration && { configuration }) };
}

/** The error that a call ends with, or what the SDK put around it. */
const errorOf = async (call: Promise<unknown>): Promise<Error> => {
  const thrown = await call.then(
    () => expect.fail('no error'),
    (error: Error) => error,
  );
  return thrown.cause instanceof Error && 'errorResponse' in thrown.cause ? thrown.cause : thrown;
};

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('@a2a-js/sdk 0.3 over %s', (protocol) => {
  const onJsonRpc = protocol === 'JSONRPC';
  let client: Client;
  beforeAll(async () => {
    client = await clientFor('', protocol);
  });

  const send = async (text: string, more: Partial<Message> = {}, configuration?: Configuration) =>
    taskOf(await client.sendMessage(params(text, more, configuration)));

  /** A task that works until it is canceled. */
  const waiting = () => send('wait', {}, { blocking: false });

  it('chose the transport that was asked for', () => {
    const names = { JSONRPC: 'JsonRpcTransport', 'HTTP+JSON': 'RestTransport', GRPC: 'GrpcTransport' };
    expect(client.transport.constructor.name).toMatch(names[protocol as keyof typeof names]);
  });

  it('gets a direct message', async () => {
    const message = messageOf(await client.sendMessage(params('say hello there')));
    expect(message).toMatchObject({ role: 'agent', parts: [{ kind: 'text', text: 'hello there' }] });
    expect(message.messageId).toBeTruthy();
    expect(message.contextId).toBeTruthy();
  });

  it('gets a completed task with all kinds of parts', async () => {
    const bytes = Buffer.from([0, 255, 7]).toString('base64');
    const mimeType = 'application/octet-stream';
    // Its protobuf shape has no names of files, and no metadata of parts; null is nothing that its codec can write.
    const parts: Part[] = [
      { kind: 'text', text: 'é\u0000😀', ...(onJsonRpc && { metadata: { k: 'v' } }) },
      { kind: 'file', file: { bytes, mimeType, ...(onJsonRpc && { name: 'a.bin' }) } },
      { kind: 'file', file: { uri: 'https://example.com/x', ...(onJsonRpc && { name: 'x' }) } },
      { kind: 'data', data: { n: [1, 2.5, { deep: true }], ...(onJsonRpc && { nothing: null }) } },
    ];
    const metadata = { trace: 'abc' };
    const task = taskOf(await client.sendMessage(params(parts, { metadata, contextId: 'my-context' })));
    expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' }, contextId: 'my-context' });
    expect(task.artifacts?.[0]?.name).toBe('echo');
    expect(task.artifacts?.[0]?.parts).toMatchObject(parts);
    expect(task.history?.[0]).toMatchObject({ role: 'user', parts, metadata, taskId: task.id });
  });

  it('streams a task to its end', async () => {
    const events = await collect(client.sendMessageStream(params('stream 3 0')));
    const artifact = 'artifact-update';
    expect(outline(events)).toEqual(['task submitted', 'working', artifact, artifact, artifact, 'completed!']);
    const chunks = events.flatMap((event) => (event.kind === artifact ? [event] : []));
    expect(chunks.map((chunk) => textOf(chunk.artifact.parts))).toEqual(['chunk 1', 'chunk 2', 'chunk 3']);
    expect(chunks.map(({ lastChunk }) => lastChunk === true)).toEqual([false, false, true]);
    // On its way out of protobuf the SDK drops what it read of `append`.
    if (onJsonRpc) expect(chunks.map(({ append }) => append === true)).toEqual([false, true, true]);
    expect(new Set(events.map((event) => (event.kind === 'task' ? event.id : event.taskId))).size).toBe(1);
  });

  it('streams a direct message', async () => {
    expect(outline(await collect(client.sendMessageStream(params('say hi'))))).toEqual(['message']);
  });

  it('is asked back, answers, and gets its greeting', async () => {
    const asked = await send('ask');
    expect(asked.status.state).toBe('input-required');
    expect(textOf(asked.status.message?.parts ?? [])).toBe('What is your name?');
    const done = await send('Ada', { taskId: asked.id, contextId: asked.contextId });
    expect(done).toMatchObject({ id: asked.id, contextId: asked.contextId, status: { state: 'completed' } });
    expect(textOfArtifact(done)).toBe('Hello, Ada');
  });

  it('is asked back in a stream, which ends there, and answers in another', async () => {
    const asked = await collect(client.sendMessageStream(params('ask')));
    expect(outline(asked)).toEqual(['task submitted', 'input-required!']);
    const { id: taskId, contextId } = taskOf(asked[0] as Task);
    const answered = await collect(client.sendMessageStream(params('Bob', { taskId, contextId })));
    expect(outline(answered).at(-1)).toBe('completed!');
    expect(answered.flatMap((event) => (event.kind === 'artifact-update' ? textOf(event.artifact.parts) : []))).toEqual(
      ['Hello, Bob'],
    );
  });

  it.each([
    ['auth', 'auth-required'],
    ['fail', 'failed'],
    ['reject', 'rejected'],
  ])('is told what came of %s', async (text, state) => {
    const task = await send(text);
    expect(task.status.state).toBe(state);
    expect(task.status.message).toMatchObject({ kind: 'message', role: 'agent' });
    expect(outline(await collect(client.sendMessageStream(params(text)))).at(-1)).toBe(`${state}!`);
  });

  it('waits for the answer, or does not', async () => {
    expect((await send('slow 20')).status.state).toBe('completed');
    const working = await waiting();
    expect(working.status.state).toMatch(/submitted|working/);
    await client.cancelTask({ id: working.id });
    const polling = await clientFor('', protocol, { polling: true });
    const polled = taskOf(await polling.sendMessage(params('wait')));
    expect(polled.status.state).toMatch(/submitted|working/);
    await polling.cancelTask({ id: polled.id });
  });

  it('reads a task with as much history as it asks for', async () => {
    const asked = await send('ask');
    const task = await send('Ada', { taskId: asked.id });
    expect(task.history).toHaveLength(3);
    const read = async (historyLength: number) => client.getTask({ id: task.id, historyLength });
    expect((await read(1)).history?.map(({ parts }) => textOf(parts))).toEqual(['Ada']);
    expect((await read(2)).history).toHaveLength(2);
    expect(await client.getTask({ id: task.id })).toMatchObject({ status: task.status, artifacts: task.artifacts });
  });

  it('cancels a task and cannot do it twice', async () => {
    const task = await waiting();
    const canceled = await client.cancelTask({ id: task.id });
    expect(canceled).toMatchObject({ kind: 'task', id: task.id, status: { state: 'canceled' } });
    await expect(client.cancelTask({ id: task.id })).rejects.toBeInstanceOf(TaskNotCancelableError);
  });

  it('resubscribes: the task first, then what happens', async () => {
    const task = await waiting();
    const stream = client.resubscribeTask({ id: task.id });
    const first = await stream.next();
    expect(first.value).toMatchObject({ kind: 'task', id: task.id });
    await client.cancelTask({ id: task.id });
    expect(outline(await collect(stream)).at(-1)).toBe('canceled!');
  });

  it('resubscribes too late, and gets the task', async () => {
    const task = await send('hello');
    const events = await collect(client.resubscribeTask({ id: task.id }));
    expect(events).toMatchObject([{ kind: 'task', id: task.id, status: task.status, artifacts: task.artifacts }]);
  });

  it('walks away from a stream without harm to the task, and comes back to it', async () => {
    const controller = new AbortController();
    let taskId = '';
    const read = async (): Promise<void> => {
      for await (const event of client.sendMessageStream(params('wait'), { signal: controller.signal })) {
        if (event.kind === 'task') taskId = event.id;
        if (event.kind === 'status-update') controller.abort();
      }
    };
    await read().catch(() => undefined);
    expect(controller.signal.aborted).toBe(true);
    expect((await client.getTask({ id: taskId })).status.state).toBe('working');
    const stream = client.resubscribeTask({ id: taskId });
    expect(outline([(await stream.next()).value as Task])).toEqual(['task working']);
    await client.cancelTask({ id: taskId });
    expect(outline(await collect(stream))).toEqual(['canceled!']);
  });

  describe('push configurations', () => {
    const authentication = { schemes: ['Bearer'], credentials: 'c' };
    const pushNotificationConfig = { id: 'hook', url: 'https://example.com/hook', token: 'tok', authentication };
    const named = (taskId: string) => ({ id: taskId, pushNotificationConfigId: 'hook' });

    /** Below the client, whose types lack the methods' own parameters. */
    const list = async (id: string): Promise<TaskPushNotificationConfig[]> =>
      client.transport.listTaskPushNotificationConfig({ id });
    const idsOf = (configs: readonly TaskPushNotificationConfig[]) =>
      configs.map((config) => config.pushNotificationConfig.id);

    it('are set, read, listed and deleted', async () => {
      const taskId = (await send('ask')).id;
      const config = { taskId, pushNotificationConfig };
      expect(await client.setTaskPushNotificationConfig(config)).toMatchObject(config);
      expect(await client.getTaskPushNotificationConfig(named(taskId))).toMatchObject(config);
      expect(await list(taskId)).toMatchObject([config]);
      if (onJsonRpc) expect(await client.getTaskPushNotificationConfig({ id: taskId })).toMatchObject(config);
      const other = { taskId, pushNotificationConfig: { id: 'other', url: 'https://example.com/other' } };
      await client.setTaskPushNotificationConfig(other);
      expect(idsOf(await list(taskId)).toSorted()).toEqual(['hook', 'other']);
      await client.deleteTaskPushNotificationConfig(named(taskId));
      await client.deleteTaskPushNotificationConfig(named(taskId));
      expect(idsOf(await list(taskId))).toEqual(['other']);
      await expect(client.getTaskPushNotificationConfig(named(taskId))).rejects.toThrow();
    });

    it('need no id', async () => {
      const taskId = (await send('ask')).id;
      const url = 'https://example.com/unnamed';
      const set = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: { url } });
      expect(set).toMatchObject({ taskId, pushNotificationConfig: { url } });
      const { id } = set.pushNotificationConfig;
      expect(id).toBeTruthy();
      expect(idsOf(await list(taskId))).toEqual([id]);
      if (onJsonRpc) expect(await client.getTaskPushNotificationConfig({ id: taskId })).toEqual(set);
    });

    it('come with a message, as the client is configured', async () => {
      const configured = await clientFor('', protocol, { pushNotificationConfig });
      const { id } = taskOf(await configured.sendMessage(params('ask')));
      expect(await list(id)).toMatchObject([{ taskId: id, pushNotificationConfig }]);
    });

    it('belong to a task', async () => {
      const nowhere = { taskId: 'no-such-task', pushNotificationConfig };
      await expect(client.setTaskPushNotificationConfig(nowhere)).rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(list('no-such-task')).rejects.toBeInstanceOf(TaskNotFoundError);
    });
  });

  it('gets the extended card', async () => {
    const card = await (await clientFor('', protocol)).getAgentCard();
    expect(card.skills.map((skill) => skill.id)).toContain('extended');
    expect(card).toMatchObject({ protocolVersion: expect.stringMatching(/^0\.3/), url: expect.any(String) });
  });

  it('declares extensions in its own header', async () => {
    // gRPC has no path: there the agent is named in the metadata. Over HTTP the header means nothing.
    const demanding = (await clientFor(protocol === 'GRPC' ? '' : '/demanding', protocol)).transport;
    const agent = { 'a2a-agent': 'demanding' };
    await expect(demanding.sendMessage(params('hi'), { serviceParameters: agent })).rejects.toThrow();
    const serviceParameters = { ...agent, ...ServiceParameters.create(withA2AExtensions(requiredExtension)) };
    const message = messageOf(await demanding.sendMessage(params('hi'), { serviceParameters }));
    expect(textOf(message.parts)).toBe(requiredExtension);
    const card = demanding.getExtendedAgentCard({ serviceParameters });
    await expect(card).rejects.toBeInstanceOf(AuthenticatedExtendedCardNotConfiguredError);
  });

  describe('errors, as the SDK types them', () => {
    const nowhere = { id: 'no-such-task' };

    it('task not found', async () => {
      await expect(client.getTask(nowhere)).rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(client.cancelTask(nowhere)).rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(send('hello', { taskId: nowhere.id })).rejects.toBeInstanceOf(TaskNotFoundError);
      expect(await errorOf(collect(client.resubscribeTask(nowhere)))).toBeInstanceOf(TaskNotFoundError);
      const stream = collect(client.sendMessageStream(params('hello', { taskId: nowhere.id })));
      expect(await errorOf(stream)).toBeInstanceOf(TaskNotFoundError);
    });

    it('malformed request', async () => {
      const invalid = /-32602|\b3 INVALID|\b3 Invalid/;
      await expect(client.sendMessage(params([]))).rejects.toThrow(invalid);
      expect((await errorOf(collect(client.sendMessageStream(params([]))))).message).toMatch(invalid);
    });

    it('a finished task takes no message, but may be read again', async () => {
      const task = await send('hello');
      await expect(send('more', { taskId: task.id })).rejects.toThrow();
      expect((await client.getTask({ id: task.id })).status).toEqual(task.status);
    });

    it('capabilities that the agent lacks', async () => {
      const card = protocol === 'GRPC' ? '' : '/frugal';
      const { transport } = await clientFor(card, protocol);
      const options = { serviceParameters: { 'a2a-agent': 'frugal' } };
      const task = taskOf(await transport.sendMessage(params('hi'), options));
      expect(textOfArtifact(task)).toBe('hi');
      const config = { taskId: task.id, pushNotificationConfig: { id: 'x', url: 'https://example.com/' } };
      const push = transport.setTaskPushNotificationConfig(config, options);
      await expect(push).rejects.toBeInstanceOf(PushNotificationNotSupportedError);
      const stream = await errorOf(collect(transport.sendMessageStream(params('hi'), options)));
      // Over gRPC the SDK knows this error of subscriptions and cards alone.
      if (protocol === 'GRPC') expect(stream.message).toMatch(/\b12 /);
      else expect(stream).toBeInstanceOf(UnsupportedOperationError);
      const subscription = await errorOf(collect(transport.resubscribeTask({ id: task.id }, options)));
      expect(subscription).toBeInstanceOf(UnsupportedOperationError);
      await expect(transport.getExtendedAgentCard(options)).rejects.toBeInstanceOf(UnsupportedOperationError);
    });
  });
});

describe('the client of the early 0.3, which answers with whole JSON-RPC responses', () => {
  it.each(['/.well-known/agent-card.json', '/.well-known/agent.json', '/as/a2a-0.3/.well-known/agent-card.json'])(
    'works from the card at %s',
    async (path) => {
      const client = await A2AClient.fromCardUrl(`${gateway.origin}${path}`);
      const sent = await client.sendMessage(params('ask', {}, { acceptedOutputModes: ['text/plain'], blocking: true }));
      if (!('result' in sent)) throw new TypeError(JSON.stringify(sent));
      const { id } = taskOf(sent.result);
      expect(sent).toMatchObject({ jsonrpc: '2.0', result: { kind: 'task', status: { state: 'input-required' } } });
      const answered = await collect(client.sendMessageStream(params('Ada', { taskId: id })));
      expect(outline(answered).at(-1)).toBe('completed!');
      expect(await client.getTask({ id })).toMatchObject({ result: { id, status: { state: 'completed' } } });
      expect(await client.getTask({ id: 'no-such-task' })).toMatchObject({ error: { code: -32001 } });
      expect(await client.cancelTask({ id })).toMatchObject({ error: { code: -32002 } });
      const unknown = await client.callExtensionMethod('no/such/method', {});
      expect(unknown).toMatchObject({ error: { code: -32601 } });
    },
  );
});
