import type {
  JSONRPCErrorResponse,
  JSONRPCResponse,
  Message,
  MessageSendConfiguration,
  MessageSendParams,
  Part,
  Task,
} from 'a2a-sdk-0.2';
import { A2AClient } from 'a2a-sdk-0.2/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { collect, outline, taskOf, textOf, textOfArtifact, userMessage } from '../../support/sdk-0.3.ts';

/**
 * The official SDK of A2A 0.2 as a client: what it says and how it reads the answers is none of our doing. It answers
 * with whole JSON-RPC responses, and only complains on the console about ids that are not its own.
 */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

function params(content: string | Part[], more: Partial<Message> = {}, configuration?: object): MessageSendParams {
  // Required by this generation, even though its SDK sends what it is given.
  const modes: MessageSendConfiguration = { acceptedOutputModes: ['text/plain'], ...configuration };
  return { message: userMessage(content, more), ...(configuration && { configuration: modes }) };
}

/** The result of a call that succeeded. */
function resultOf<Response extends JSONRPCResponse>(
  response: Response,
): Exclude<Response, JSONRPCErrorResponse>['result'] {
  if ('error' in response) throw new Error(`${response.error.code} ${response.error.message}`);
  return (response as Exclude<Response, JSONRPCErrorResponse>).result;
}

/** The code of a call that failed. */
function codeOf(response: JSONRPCResponse): number {
  if (!('error' in response)) throw new TypeError('no error');
  return response.error.code;
}

describe('@a2a-js/sdk 0.2', () => {
  let client: A2AClient;
  beforeAll(() => {
    client = new A2AClient(gateway.origin);
  });

  const send = async (text: string, more: Partial<Message> = {}, configuration?: object): Promise<Task> =>
    taskOf(resultOf(await client.sendMessage(params(text, more, configuration))));

  /** A task that works until it is canceled. */
  const waiting = () => send('wait', {}, { blocking: false });

  it.each([
    '/.well-known/agent.json',
    '/.well-known/agent-card.json',
    '/as/a2a-0.2/.well-known/agent.json',
    '/as/a2a-0.2/.well-known/agent-card.json',
    '/demo/.well-known/agent.json',
    '/hello/.well-known/agent.json',
    '/hello/as/a2a-0.2/.well-known/agent.json',
  ])('finds the agent by %s', async (path) => {
    const found = new A2AClient(gateway.origin, path);
    const card = await found.getAgentCard();
    expect(card).toMatchObject({
      name: path.startsWith('/hello') ? 'Hello agent' : 'Reference agent',
      version: expect.any(String),
      capabilities: { streaming: true, pushNotifications: true },
      defaultInputModes: expect.arrayContaining(['text/plain']),
      defaultOutputModes: expect.arrayContaining(['text/plain']),
    });
    // Clients of a pinned card stay on its path.
    const base = path.slice(0, path.indexOf('/.well-known')).replace('/demo', '');
    expect([`${gateway.origin}${base}`, `${gateway.origin}/demo`]).toContain(card.url.replace(/\/$/, ''));
    const answer = resultOf(await found.sendMessage(params('I am Ada')));
    expect(taskOf(answer).status.state).toBe('completed');
  });

  it('gets a direct message, and its own request id', async () => {
    const complaint = vi.spyOn(console, 'error');
    const response = await client.sendMessage(params('say hello there'));
    expect(response.id).toBeTypeOf('number');
    const message = resultOf(response);
    expect(message).toMatchObject({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'hello there' }] });
    expect(complaint).not.toHaveBeenCalled();
  });

  it('gets a completed task with all kinds of parts', async () => {
    const bytes = Buffer.from([0, 255, 7]).toString('base64');
    const parts: Part[] = [
      { kind: 'text', text: 'é\u0000😀', metadata: { k: 'v' } },
      { kind: 'file', file: { bytes, mimeType: 'application/octet-stream', name: 'a.bin' } },
      { kind: 'file', file: { uri: 'https://example.com/x', name: 'x' } },
      { kind: 'data', data: { n: [1, 2.5, null, { deep: true }] } },
    ];
    const metadata = { trace: 'abc' };
    const task = taskOf(resultOf(await client.sendMessage(params(parts, { metadata, contextId: 'my-context' }))));
    expect(task).toMatchObject({ kind: 'task', contextId: 'my-context', status: { state: 'completed' } });
    expect(task.artifacts?.[0]).toMatchObject({ name: 'echo', parts });
    expect(task.history?.[0]).toMatchObject({ role: 'user', parts, metadata });
  });

  it('streams a task to its end', async () => {
    const complaint = vi.spyOn(console, 'warn');
    const events = await collect(client.sendMessageStream(params('stream 3 0')));
    const artifact = 'artifact-update';
    expect(outline(events)).toEqual(['task submitted', 'working', artifact, artifact, artifact, 'completed!']);
    const chunks = events.flatMap((event) => (event.kind === artifact ? [event] : []));
    expect(chunks.map((chunk) => textOf(chunk.artifact.parts))).toEqual(['chunk 1', 'chunk 2', 'chunk 3']);
    expect(chunks.map(({ append }) => append === true)).toEqual([false, true, true]);
    expect(chunks.map(({ lastChunk }) => lastChunk === true)).toEqual([false, false, true]);
    expect(complaint).not.toHaveBeenCalled();
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
  });

  it.each([
    ['auth', 'auth-required'],
    ['fail', 'failed'],
    ['reject', 'rejected'],
  ])('is told what came of %s', async (text, state) => {
    const task = await send(text);
    expect(task.status.state).toBe(state);
    expect(outline(await collect(client.sendMessageStream(params(text)))).at(-1)).toBe(`${state}!`);
  });

  it('waits for the answer, or does not', async () => {
    expect((await send('slow 20')).status.state).toBe('completed');
    expect((await send('slow 20', {}, {})).status.state).toBe('completed');
    const working = await waiting();
    expect(working.status.state).toMatch(/submitted|working/);
    await client.cancelTask({ id: working.id });
  });

  it('reads a task with as much history as it asks for', async () => {
    const asked = await send('ask');
    const task = await send('Ada', { taskId: asked.id });
    const read = async (historyLength: number) => resultOf(await client.getTask({ id: task.id, historyLength }));
    expect((await read(1)).history?.map(({ parts }) => textOf(parts))).toEqual(['Ada']);
    expect((await read(2)).history).toHaveLength(2);
    const again = resultOf(await client.getTask({ id: task.id }));
    expect(again).toMatchObject({ kind: 'task', status: task.status, artifacts: task.artifacts });
  });

  it('cancels a task and cannot do it twice', async () => {
    const task = await waiting();
    expect(resultOf(await client.cancelTask({ id: task.id }))).toMatchObject({
      kind: 'task',
      id: task.id,
      status: { state: 'canceled' },
    });
    expect(codeOf(await client.cancelTask({ id: task.id }))).toBe(-32002);
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

  it('sets and reads push configurations, its own way', async () => {
    const { id: taskId } = await send('ask');
    const pushNotificationConfig = {
      url: 'https://example.com/hook',
      token: 'tok',
      authentication: { schemes: ['Bearer'], credentials: 'c' },
    };
    const config = { taskId, pushNotificationConfig };
    expect(resultOf(await client.setTaskPushNotificationConfig(config))).toMatchObject(config);
    expect(resultOf(await client.getTaskPushNotificationConfig({ id: taskId }))).toMatchObject(config);
    const sent = await send('ask', {}, { pushNotificationConfig });
    expect(resultOf(await client.getTaskPushNotificationConfig({ id: sent.id }))).toMatchObject({
      taskId: sent.id,
      pushNotificationConfig,
    });
    expect(codeOf(await client.setTaskPushNotificationConfig({ ...config, taskId: 'no-such-task' }))).toBe(-32001);
  });

  describe('errors, by their codes', () => {
    const nowhere = { id: 'no-such-task' };

    it('task not found', async () => {
      expect(codeOf(await client.getTask(nowhere))).toBe(-32001);
      expect(codeOf(await client.cancelTask(nowhere))).toBe(-32001);
      expect(codeOf(await client.sendMessage(params('hello', { taskId: nowhere.id })))).toBe(-32001);
    });

    it('refusals of streams, which the SDK throws', async () => {
      vi.spyOn(console, 'error').mockImplementation(() => undefined);
      await expect(collect(client.resubscribeTask(nowhere))).rejects.toThrow('-32001');
      const stream = collect(client.sendMessageStream(params('hello', { taskId: nowhere.id })));
      await expect(stream).rejects.toThrow('-32001');
      await expect(collect(client.sendMessageStream(params([])))).rejects.toThrow('-32602');
    });

    it('malformed request', async () => {
      expect(codeOf(await client.sendMessage(params([])))).toBe(-32602);
      expect(codeOf(await client.sendMessage({} as MessageSendParams))).toBe(-32602);
    });

    it('a finished task takes no message', async () => {
      const { id: taskId } = await send('hello');
      const code = codeOf(await client.sendMessage(params('more', { taskId })));
      expect([-32600, -32602, -32004]).toContain(code);
    });

    it('an extension that this generation cannot declare', async () => {
      const demanding = new A2AClient(`${gateway.origin}/demanding`);
      const response = await demanding.sendMessage(params('hi'));
      expect('error' in response && response.error.message).toContain(requiredExtension);
    });

    it('capabilities that the agent lacks, which its card says', async () => {
      const frugal = new A2AClient(`${gateway.origin}/frugal`);
      const { id: taskId } = taskOf(resultOf(await frugal.sendMessage(params('hi'))));
      await expect(collect(frugal.sendMessageStream(params('hi')))).rejects.toThrow('does not support streaming');
      const config = { taskId, pushNotificationConfig: { url: 'https://example.com/' } };
      await expect(frugal.setTaskPushNotificationConfig(config)).rejects.toThrow('does not support push');
    });
  });
});
