import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentCard } from '../../src/core/model/a2a.ts';
import * as v1 from '../../src/rpc-clients/grpc.ts';
import * as v03 from '../../src/rpc-clients/grpc-0.3.ts';
import type { Opened } from '../support/gateway.ts';
import { listenOn } from '../support/peer.ts';
import { sdkAgents } from '../support/sdk-agents.ts';
import { open, required } from './served.ts';

const { A2AError, errorOf, metadataOf, stream, unary } = v1;

let gateway: Opened;
beforeAll(async () => {
  gateway = await open();
});
afterAll(() => gateway.close());

const message = (text: string): v1.Message => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text }],
});
const legacy = (text: string): v03.Message => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  content: [{ text }],
});

/** A client of A2A 1.0 that closes itself. */
function client(target = gateway.target): v1.A2AServiceClient & Disposable {
  const made = new v1.A2AServiceClient(target, credentials.createInsecure());
  return Object.assign(made, { [Symbol.dispose]: () => made.close() });
}

function legacyClient(target = gateway.target): v03.A2AServiceClient & Disposable {
  const made = new v03.A2AServiceClient(target, credentials.createInsecure());
  return Object.assign(made, { [Symbol.dispose]: () => made.close() });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The error of a call that is expected to fail. */
const failure = async (call: Promise<unknown>): Promise<InstanceType<typeof A2AError>> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(A2AError);
  return error as InstanceType<typeof A2AError>;
};

it('answers above 4 MiB reach clients that accept them, and are refused by the library in others', async () => {
  const long = 'x'.repeat(5 << 20);
  const options = { 'grpc.max_receive_message_length': 64 << 20 };
  const wide = new v1.A2AServiceClient(gateway.target, credentials.createInsecure(), options);
  try {
    const { response } = await unary(wide, 'sendMessage', { message: message(long) });
    expect(response.task?.artifacts?.[0]?.parts?.[0]?.text).toBe(long);
  } finally {
    wide.close();
  }
  using usual = client();
  const refused = await failure(unary(usual, 'sendMessage', { message: message(long) }));
  expect(refused.message).toContain('Received message larger than max');
});

it('the client of A2A 1.0 sends, streams, reads and lists, in the words of connect()', async () => {
  using agent = client();
  const { response, losses } = await unary(agent, 'sendMessage', { message: message('say hello') });
  expect(response.message?.parts).toEqual([{ text: 'hello' }]);
  expect(losses).toEqual([]);
  const events = await all(stream(agent, 'sendStreamingMessage', { message: message('chunks 3') }));
  const { id } = events[0]?.task ?? {};
  expect(events.at(-1)?.statusUpdate?.status?.state).toBe('TASK_STATE_COMPLETED');
  const got = await unary(agent, 'getTask', { id });
  expect(got.response).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  const listed = await unary(agent, 'listTasks', {});
  expect(listed.response.tasks?.map((task) => task.id)).toContain(id);
});

it('the client of A2A 1.0 has the methods that are usual with the library too', async () => {
  using agent = client();
  const text = await new Promise((resolve, reject) => {
    agent.sendMessage({ message: message('say hello') }, metadataOf(agent), (error, response) =>
      error ? reject(error) : resolve(response.message?.parts?.[0]?.text),
    );
  });
  expect(text).toBe('hello');
  const call = agent.sendStreamingMessage({ message: message('say hello') }, metadataOf(agent));
  expect((await all<v1.StreamResponse>(call))[0]?.message?.parts).toEqual([{ text: 'hello' }]);
});

it('the client of A2A 1.0 names the version, an agent and extensions, and reads what was activated', async () => {
  using agent = client();
  const facts = { agent: 'demanding', extensions: [required], headers: { 'X-Request-Id': 'r1' } };
  expect(metadataOf(agent, { ...facts, bearer: 't', apiKey: 'k' }).getMap()).toEqual({
    'a2a-version': '1.0',
    'a2a-agent': 'demanding',
    'a2a-extensions': required,
    authorization: 'Bearer t',
    'x-api-key': 'k',
    'x-request-id': 'r1',
  });
  const answer = await unary(agent, 'sendMessage', { message: message('hi') }, facts);
  expect(answer.response.message?.parts?.[0]?.text).toBe(required);
  expect(answer.extensions).toEqual([required]);
  const events = stream(agent, 'sendStreamingMessage', { message: message('hi') }, facts);
  await all(events);
  expect(events.extensions).toEqual([required]);
});

it('the client of A2A 1.0 throws errors with their kind, what is wrong, and the cause', async () => {
  using agent = client();
  const missing = await failure(unary(agent, 'getTask', { id: 'none' }));
  expect(missing).toMatchObject({ kind: 'taskNotFound', metadata: { taskId: 'none' } });
  expect((missing.cause as { code: number }).code).toBe(5);
  const empty = await failure(unary(agent, 'sendMessage', { message: { ...message(''), parts: [] } }));
  expect(empty.kind).toBe('invalidParams');
  expect(empty.violations.map(({ field }) => field)).toEqual(['message.parts']);
  const undeclared = await failure(unary(agent, 'sendMessage', { message: message('') }, { agent: 'demanding' }));
  expect(undeclared.kind).toBe('extensionSupportRequired');
  const nobody = await failure(unary(agent, 'sendMessage', { message: message('') }, { agent: 'nobody' }));
  expect(nobody.kind).toBe('agentNotFound');
  const late = failure(all(stream(agent, 'subscribeToTask', { id: 'none' })) as Promise<unknown>);
  expect((await late).kind).toBe('taskNotFound');
});

it('the client of A2A 1.0 says when to try again', async () => {
  await using limited = Object.assign(await open('limits: { requestsPerMinute: 1 }'), {
    async [Symbol.asyncDispose]() {
      await limited.close();
    },
  });
  using agent = client(limited.target);
  await unary(agent, 'sendMessage', { message: message('say hello') });
  const error = await failure(unary(agent, 'sendMessage', { message: message('say hello') }));
  expect(error.kind).toBe('tooManyRequests');
  expect(error.retryAfter).toBeGreaterThan(0);
});

it('the client of A2A 1.0 ends calls by a signal, by a deadline and by leaving the loop', async () => {
  using agent = client();
  const controller = new AbortController();
  const facts = { agent: 'slow' };
  const call = failure(unary(agent, 'sendMessage', { message: message('') }, { ...facts, signal: controller.signal }));
  await setTimeout(50);
  controller.abort();
  expect((await call).kind).toBe('canceled');
  const aborted = unary(agent, 'sendMessage', { message: message('') }, { ...facts, signal: AbortSignal.abort() });
  expect((await failure(aborted)).kind).toBe('canceled');
  const late = unary(agent, 'sendMessage', { message: message('') }, { ...facts, timeout: 50 });
  expect((await failure(late)).kind).toBe('upstreamTimeout');
  for await (const { task } of stream(agent, 'sendStreamingMessage', { message: message('wait') })) {
    expect(task?.id).toBeDefined();
    break;
  }
});

it('the client of A2A 1.0 keeps the error of a stream until it is read', async () => {
  using agent = client();
  const events = stream(agent, 'subscribeToTask', { id: 'none' });
  const aborted = stream(agent, 'subscribeToTask', { id: 'none' }, { signal: AbortSignal.abort() });
  await unary(agent, 'listTasks', {});
  await setTimeout(50);
  expect((await failure(all(events))).kind).toBe('taskNotFound');
  expect((await failure(all(aborted))).kind).toBe('canceled');
});

it('the client of A2A 1.0 says that an agent cannot be reached', async () => {
  const server = createServer();
  const { port } = await listenOn(server);
  await new Promise((resolve) => server.close(resolve));
  using agent = client(`127.0.0.1:${port}`);
  expect((await failure(unary(agent, 'getTask', { id: 'a' }))).kind).toBe('upstreamUnreachable');
});

it('the client of A2A 1.0 takes anything thrown for an error', () => {
  expect(errorOf(new A2AError('parse')).kind).toBe('parse');
  expect(errorOf(new Error('other')).kind).toBe('internal');
  const damaged = Object.assign(new Error('x'), { code: 5, details: 'gone', metadata: new Metadata() });
  damaged.metadata.set('grpc-status-details-bin', Buffer.from([255]));
  expect(errorOf(damaged)).toMatchObject({ kind: 'taskNotFound', message: 'gone' });
});

it('the client of A2A 0.3 sends, streams and reads', async () => {
  using agent = legacyClient();
  const { response } = await unary(agent, 'sendMessage', { message: legacy('say hello') });
  expect(response.message?.content).toEqual([{ text: 'hello' }]);
  const events = await all(stream(agent, 'sendStreamingMessage', { message: legacy('chunks 3') }));
  const { id } = events[0]?.task ?? {};
  const got = await unary(agent, 'getTask', { name: `tasks/${id}` });
  expect(got.response).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
});

it('the client of A2A 0.3 names its version, and reads extensions, losses and errors', async () => {
  using agent = legacyClient();
  const facts = { agent: 'demanding', extensions: [required] };
  expect(metadataOf(agent, facts).getMap()).toEqual({
    'a2a-version': '0.3',
    'a2a-agent': 'demanding',
    'x-a2a-extensions': required,
  });
  const answer = await unary(agent, 'sendMessage', { message: legacy('hi') }, facts);
  expect(answer.extensions).toEqual([required]);
  expect(answer.losses).toEqual(['message.parts.filename']);
  const events = stream(agent, 'sendStreamingMessage', { message: legacy('hi') }, facts);
  await all(events);
  expect(events.losses).toEqual(['message.parts.filename']);
  expect((await failure(unary(agent, 'getTask', { name: 'tasks/none' }))).kind).toBe('taskNotFound');
});

it.each(Object.keys(sdkAgents).filter((name) => name.endsWith('-grpc')))(
  'an agent of the official SDK is called: %s',
  async (name) => {
    const agent = await sdkAgents[name]?.();
    if (!agent) throw new Error(`no agent ${name}`);
    const card = (await (await fetch(new URL('/.well-known/agent-card.json', agent.url))).json()) as AgentCard;
    const { url } = card.supportedInterfaces?.[0] ?? (card as unknown as { url: string });
    try {
      if (name.startsWith('sdk03')) {
        using caller = legacyClient(url);
        const events = await all(stream(caller, 'sendStreamingMessage', { message: legacy('chunks 2') }));
        expect(events.at(-1)?.statusUpdate?.status?.state).toBe('TASK_STATE_COMPLETED');
        const error = await failure(unary(caller, 'getTask', { name: 'tasks/none' }));
        expect(error.kind).toBe('taskNotFound');
      } else {
        using caller = client(url);
        const { response } = await unary(caller, 'sendMessage', { message: message('say hello') });
        expect(response.message?.parts?.[0]?.text).toBe('hello');
        const events = await all(stream(caller, 'sendStreamingMessage', { message: message('chunks 2') }));
        expect(events.at(-1)?.statusUpdate?.status?.state).toBe('TASK_STATE_COMPLETED');
        const error = await failure(unary(caller, 'getTask', { id: 'none' }));
        expect(error.kind).toBe('taskNotFound');
      }
    } finally {
      await agent.close();
    }
  },
);
