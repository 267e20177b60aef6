import { createClient } from '@connectrpc/connect';
import { createGrpcTransport, createConnectTransport as createNodeTransport } from '@connectrpc/connect-node';
import { createConnectTransport } from '@connectrpc/connect-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as v1 from '../../src/rpc-clients/connect.ts';
import * as v03 from '../../src/rpc-clients/connect-0.3.ts';
import type { Opened } from '../support/gateway.ts';
import { sdkAgents } from '../support/sdk-agents.ts';
import { open, required } from './served.ts';

const { A2AError, a2a, errorOf, tracked } = v1;

let gateway: Opened;
beforeAll(async () => {
  gateway = await open();
});
afterAll(() => gateway.close());

const message = (text: string) => ({
  messageId: crypto.randomUUID(),
  role: v1.Role.USER,
  parts: [{ content: { case: 'text' as const, value: text } }],
});

/** The texts of the parts of a message. */
const texts = (parts: readonly { content?: unknown; part?: unknown }[] = []) =>
  parts.map(({ content, part }) => ((content ?? part) as { value: unknown }).value);

/** How callers reach the gateway: what runs in browsers, and what runs in Node alone. */
const transports = {
  'fetch, JSON': () => createConnectTransport({ baseUrl: gateway.url, interceptors: [a2a()] }),
  'fetch, protobuf': () =>
    createConnectTransport({ baseUrl: gateway.url, useBinaryFormat: true, interceptors: [a2a()] }),
  'HTTP/1.1 of Node': () => createNodeTransport({ baseUrl: gateway.url, httpVersion: '1.1', interceptors: [a2a()] }),
  'gRPC of Node': () => createGrpcTransport({ baseUrl: gateway.url, interceptors: [a2a()] }),
};

const failure = async (call: Promise<unknown>) =>
  errorOf(
    await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
  );

describe.each(Object.entries(transports))('a client of A2A 1.0 over %s', (_, transport) => {
  const client = () => createClient(v1.A2AService, transport());

  it('sends, streams, reads and lists', async () => {
    const agent = client();
    const { payload } = await agent.sendMessage({ message: message('say hello') });
    expect(payload.case === 'message' && texts(payload.value.parts)).toEqual(['hello']);
    const states: (v1.TaskState | undefined)[] = [];
    let id = '';
    for await (const { payload: event } of agent.sendStreamingMessage({ message: message('chunks 3') })) {
      if (event.case === 'task') id = event.value.id;
      if (event.case === 'statusUpdate') states.push(event.value.status?.state);
    }
    expect(states.at(-1)).toBe(v1.TaskState.COMPLETED);
    const task = await agent.getTask({ id });
    expect(v1.TaskState[task.status?.state ?? 0]).toBe('COMPLETED');
    expect((await agent.listTasks({})).tasks.map((each) => each.id)).toContain(id);
  });

  it('names an agent and extensions, and reads what was activated', async () => {
    const call = tracked({ agent: 'demanding', extensions: [required] });
    const { payload } = await client().sendMessage({ message: message('hi') }, call.options);
    expect(payload.case === 'message' && texts(payload.value.parts)).toEqual([required]);
    expect(call.extensions).toEqual([required]);
    const streamed = tracked({ agent: 'demanding', extensions: [required] });
    for await (const _ of client().sendStreamingMessage({ message: message('hi') }, streamed.options));
    expect(streamed.extensions).toEqual([required]);
  });

  it('has errors with their kind and what is wrong', async () => {
    const agent = client();
    const missing = await failure(agent.getTask({ id: 'none' }));
    expect(missing).toBeInstanceOf(A2AError);
    expect(missing).toMatchObject({ kind: 'taskNotFound', metadata: { taskId: 'none' } });
    const empty = await failure(agent.sendMessage({ message: { ...message(''), parts: [] } }));
    expect(empty.violations.map(({ field }) => field)).toEqual(['message.parts']);
    const streamed = agent.subscribeToTask({ id: 'none' })[Symbol.asyncIterator]();
    expect((await failure(streamed.next())).kind).toBe('taskNotFound');
    const aborted = agent.getTask({ id: 'a' }, { signal: AbortSignal.abort() });
    expect((await failure(aborted)).kind).toBe('canceled');
  });
});

it('an agent that cannot be reached, and one that has too many requests, are told apart', async () => {
  await using limited = Object.assign(await open('limits: { requestsPerMinute: 1 }'), {
    [Symbol.asyncDispose]: (): Promise<void> => limited.close(),
  });
  const agent = createClient(v1.A2AService, createConnectTransport({ baseUrl: limited.url }));
  await agent.sendMessage({ message: message('say hello') }, { headers: { 'a2a-version': '1.0' } });
  const error = await failure(agent.sendMessage({ message: message('say hello') }));
  expect(error.kind).toBe('tooManyRequests');
  expect(error.retryAfter).toBeGreaterThan(0);
  await limited.close();
  const away = createClient(v1.A2AService, createNodeTransport({ baseUrl: limited.url, httpVersion: '1.1' }));
  expect((await failure(away.getTask({ id: 'a' }))).kind).toBe('upstreamUnreachable');
});

it('what is said in one call takes precedence over what is said in all', async () => {
  const interceptors = [a2a({ agent: 'slow', headers: { 'X-Request-Id': 'r1' } })];
  const agent = createClient(v1.A2AService, createConnectTransport({ baseUrl: gateway.url, interceptors }));
  const headers: Headers[] = [];
  const { options } = tracked({ agent: 'demo' });
  const onHeader = (each: Headers): void => void headers.push(each);
  await agent.sendMessage({ message: message('say hello') }, { ...options, onHeader });
  expect(headers[0]?.get('x-request-id')).toBe('r1');
});

describe('a client of A2A 0.3', () => {
  it('sends and streams, and reads losses', async () => {
    const agent = createClient(
      v03.A2AService,
      createConnectTransport({ baseUrl: gateway.url, interceptors: [v03.a2a()] }),
    );
    const request = {
      messageId: 'm',
      role: v03.Role.USER,
      content: [{ part: { case: 'text' as const, value: 'hi' } }],
    };
    const call = tracked({ agent: 'demanding', headers: { 'x-a2a-extensions': required } });
    const { payload } = await agent.sendMessage({ request }, call.options);
    expect(payload.case === 'msg' && texts(payload.value.content)).toEqual([required]);
    expect([call.extensions, call.losses]).toEqual([[required], ['message.parts.filename']]);
    const streamed = tracked({ agent: 'demanding', headers: { 'x-a2a-extensions': required } });
    for await (const _ of agent.sendStreamingMessage({ request }, streamed.options));
    expect(streamed.losses).toEqual(['message.parts.filename']);
    expect((await failure(agent.getTask({ name: 'tasks/none' }))).kind).toBe('taskNotFound');
  });
});

/** The official SDK does not speak Connect; connect-node speaks gRPC with the same client. */
it.each(['sdk10-grpc', 'sdk03-grpc'])('an agent of the official SDK, over gRPC: %s', async (name) => {
  const served = await sdkAgents[name]?.();
  if (!served) throw new Error(`no agent ${name}`);
  try {
    const card = await (await fetch(new URL('/.well-known/agent-card.json', served.url))).json();
    const url =
      (card as { url?: string }).url ??
      (card as { supportedInterfaces: { url: string }[] }).supportedInterfaces[0]?.url;
    const transport = createGrpcTransport({ baseUrl: `http://${url}`, interceptors: [a2a()] });
    if (name === 'sdk10-grpc') {
      const agent = createClient(v1.A2AService, transport);
      const { payload } = await agent.sendMessage({ message: message('say hello') });
      expect(payload.case === 'message' && texts(payload.value.parts)).toEqual(['hello']);
      expect((await failure(agent.getTask({ id: 'none' }))).kind).toBe('taskNotFound');
    } else {
      const agent = createClient(v03.A2AService, transport);
      expect((await failure(agent.getTask({ name: 'tasks/none' }))).kind).toBe('taskNotFound');
    }
  } finally {
    await served.close();
  }
});
