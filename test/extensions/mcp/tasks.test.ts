import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import { artifact, ask, defineAgent, status } from '../../../src/index.ts';
import { openGateway, type Running, startGateway } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import { startTools } from '../../support/tools/gateway.ts';
import { startModern } from '../../support/tools/modern-server.ts';
import { modernTools, toolsAt } from './client.ts';
import { taskClient, tasksExtension } from './task-client.ts';

/** Tasks of agents as tasks of MCP 2026-07-28 (SEP-2663). */

const [alice, bob] = [newKey(), newKey()];
let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway({
    settings: `
auth:
  apiKeys: [{ name: alice, hash: "${alice.hash}" }, { name: bob, hash: "${bob.hash}" }]
retention: { tasks: 1h }
`,
  });
});

type Client = ReturnType<typeof taskClient>;

const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } } };
/** A result without what the SDK adds to each. */
const plain = ({ _meta, resultType, ...result }: Record<string, unknown>): object => result;

describe.each([
  ['/mcp', { agent: 'demo' }, /^demo\/[\w-]{36}$/],
  ['/demo/mcp', {}, /^[\w-]{36}$/],
] as const)('at %s', (path, which, id) => {
  const client = (options?: Parameters<typeof taskClient>[1]) => taskClient(gateway.origin + path, options);

  it('a call whose work takes long is a task, which has the result of the call in the end', async () => {
    const { call, get, after } = client();
    const created = await call('send_message', { ...which, message: 'stream 20 60' });
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(id),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUpdatedAt: expect.any(String),
      ttlMs: null,
      pollIntervalMs: 1_000,
      // The SDK adds these to all results of calls.
      content: [],
      _meta: expect.anything(),
    });
    const working = await get(created.taskId);
    expect(working).toMatchObject({ resultType: 'complete', status: 'working', taskId: created.taskId });
    expect(working).not.toHaveProperty('result');
    const ended = await after(created.taskId);
    expect(ended).toMatchObject({ status: 'completed', createdAt: created.createdAt });
    const duration = Date.parse(String(ended.lastUpdatedAt)) - Date.parse(String(ended.createdAt));
    expect(ended.ttlMs).toBe(duration + 3_600_000);
    const tools = await modernTools(gateway.origin + path);
    const got = await tools.call('get_task', { ...which, task_id: created.taskId.split('/').at(-1) });
    expect(ended.result).toEqual(plain(got.result));
    expect(got.structured).toMatchObject({ state: 'completed', text: expect.stringContaining('chunk 20') });
  });

  it('a call whose work is done soon, or that says how long it waits, has its result', async () => {
    const { call } = client();
    const answered = await call('send_message', { ...which, message: 'good day' });
    expect(answered).toMatchObject({ resultType: 'complete', structuredContent: { text: 'good day' } });
    expect(answered).not.toHaveProperty('taskId');
    const waited = await call('send_message', { ...which, message: 'stream 7 100', wait_seconds: 10 });
    expect(waited).toMatchObject({ resultType: 'complete', structuredContent: { state: 'completed' } });
    const unwaited = await call('send_message', { ...which, message: 'stream 3 100', wait_seconds: 0 });
    expect(unwaited.resultType).toBe('task');
  });

  it('a task is canceled, any number of times', async () => {
    const { call, cancel, after } = client();
    const { taskId } = await call('send_message', { ...which, message: 'stream 100 100' });
    for (let times = 0; times < 2; times += 1) expect(plain(await cancel(taskId))).toEqual({});
    const canceled = await after(taskId);
    expect(canceled.status).toBe('cancelled');
    expect(canceled).not.toHaveProperty('result');
  });

  it('a client that does not take tasks gets none, and none is announced', async () => {
    const { call, get, cancel } = client({ capabilities: {} });
    const { taskId } = await client().call('send_message', { ...which, message: 'stream 20 60' });
    await expect(get(taskId)).rejects.toMatchObject(missing);
    await expect(cancel(taskId)).rejects.toMatchObject(missing);
    const result = await call('send_message', { ...which, message: 'stream 10 100' });
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { state: 'completed' } });
  });

  it('a task of another caller is as unknown as one that never was', async () => {
    const [hers, his] = [alice, bob].map(({ key }) => client({ headers: { 'X-API-Key': key } })) as [Client, Client];
    const { taskId } = await hers.call('send_message', { ...which, message: 'stream 20 60' });
    const unknown = taskId.replace(/.{6}$/, '000000');
    for (const request of [() => his.get(taskId), () => his.cancel(taskId), () => hers.get(unknown)])
      await expect(request()).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^Unknown task: /),
      });
    await expect(hers.get(taskId)).resolves.toMatchObject({ status: expect.any(String) });
  });
});

it('a call that fails is a completed task with the result that says so', async () => {
  const { promise: begun, resolve: goOn } = Promise.withResolvers<void>();
  const breaks = defineAgent({
    name: 'Breaks',
    description: 'Fails later.',
    async *execute() {
      yield status('TASK_STATE_WORKING', 'trying');
      await begun;
      yield status('TASK_STATE_FAILED', 'It is broken.');
    },
  });
  const { origin, close } = await openGateway('agents: { demo: { kind: reference } }', { agents: { breaks } });
  const { call, after } = taskClient(`${origin}/breaks/mcp`);
  const created = await call('send_message', { message: 'go' });
  expect(created).toMatchObject({ status: 'working', statusMessage: 'trying' });
  goOn();
  expect(await after(created.taskId)).toMatchObject({
    status: 'completed',
    statusMessage: 'It is broken.',
    result: { isError: true, structuredContent: { state: 'failed', text: 'It is broken.' } },
  });
  await close();
});

it('the official client finds the extension, and reads a task that another has begun', async () => {
  const { client } = await modernTools(`${gateway.origin}/demo/mcp`, {}, { extensions: { [tasksExtension]: {} } });
  expect(client.getServerCapabilities()?.extensions).toEqual({ [tasksExtension]: {} });
  const { taskId } = await taskClient(`${gateway.origin}/demo/mcp`).call('echo', { message: 'stream 20 60' });
  const seen = z.looseObject({ status: z.string(), taskId: z.string() });
  expect(await client.request({ method: 'tasks/get', params: { taskId } }, seen)).toMatchObject({ taskId });
});

it('clients of MCP 2025-11-25 see nothing of it', async () => {
  const { client } = await toolsAt(`${gateway.origin}/demo/mcp`);
  expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
  await expect(
    client.request({ method: 'tasks/get', params: { taskId: 'x' } }, z.any() as never),
  ).rejects.toMatchObject({ code: -32601 });
});

it.each([
  ['no id', {}, -32602],
  ['an agent that there is not', { taskId: 'nobody/1' }, -32602],
  ['no agent', { taskId: '1' }, -32602],
])('a request with %s is refused', async (_, params, code) => {
  const { request } = taskClient(`${gateway.origin}/mcp`);
  await expect(request('tasks/get', params)).rejects.toMatchObject({ code });
});

it('tasks are not reported to streams, and a client that takes none may not ask for that', async () => {
  const listen = { notifications: { taskIds: ['x'], toolsListChanged: true } };
  const url = `${gateway.origin}/demo/mcp`;
  await expect(taskClient(url, { capabilities: {} }).request('subscriptions/listen', listen)).rejects.toMatchObject(
    missing,
  );
  const gone = new AbortController();
  const { body } = await taskClient(url).post('subscriptions/listen', listen, gone.signal);
  const { value } = await (body as ReadableStream<Uint8Array>).getReader().read();
  const [, acknowledged] = /data: (.*)/.exec(new TextDecoder().decode(value)) ?? [];
  expect(JSON.parse(`${acknowledged}`).params.notifications).toEqual({ toolsListChanged: true });
  gone.abort();
});

it('a header that names another task is refused', async () => {
  const { get } = taskClient(`${gateway.origin}/demo/mcp`, { headers: { 'Mcp-Name': 'another' } });
  await expect(get('x')).rejects.toMatchObject({ code: -32020 });
});

describe('an agent that asks while it works', () => {
  const schema = { type: 'object', properties: { city: { type: 'string', minLength: 3 } }, required: ['city'] };
  let begun: PromiseWithResolvers<void>;
  const asks = defineAgent({
    name: 'Asks',
    description: 'Asks twice, once it may.',
    async *execute({ task, answer, text }) {
      const questions = task?.history?.filter(({ role }) => role === 'ROLE_USER').length ?? 0;
      yield status('TASK_STATE_WORKING');
      if (questions === 0) await begun.promise;
      if (questions < 2) yield ask('Which city?', { schema });
      else yield artifact({ content: answer?.action === 'accept' ? JSON.stringify(answer.value) : `no city: ${text}` });
    },
  });
  let origin: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ origin, close } = await openGateway('agents: { demo: { kind: reference } }', { agents: { asks } }));
  });
  afterAll(() => close());
  const client = (options?: Parameters<typeof taskClient>[1]) => taskClient(`${origin}/asks/mcp`, options);
  const begin = async () => {
    const { call, after } = client();
    begun = Promise.withResolvers();
    const { taskId } = await call('send_message', { message: 'go' });
    begun.resolve();
    const asked = await after(taskId);
    return { taskId, asked, key: Object.keys(asked.inputRequests as object)[0] as string };
  };

  it('an agent that asks while it works is answered with tasks/update, and each question has a key of its own', async () => {
    const { taskId, asked, key } = await begin();
    expect(asked).toMatchObject({ status: 'input_required', statusMessage: 'Which city?', ttlMs: expect.any(Number) });
    const requestedSchema = expect.objectContaining(schema);
    expect(asked.inputRequests).toEqual({
      [key]: { method: 'elicitation/create', params: { mode: 'form', message: 'Which city?', requestedSchema } },
    });
    const { update, get, after } = client();
    const accept = (city: string) => ({ action: 'accept', content: { city } });
    expect(plain(await update(taskId, { [key]: accept('Rome') }))).toEqual({});
    let again = await get(taskId);
    while (Object.keys(again.inputRequests ?? {})[0] === key || again.status === 'working') again = await get(taskId);
    const [second] = Object.keys(again.inputRequests as object);
    await update(taskId, { [`${second}`]: accept('Oslo') });
    await after(taskId, 'input_required');
    expect(await after(taskId)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { text: '{"city":"Oslo"}' } },
    });
  });

  it('an agent that asks while it works gets no answer of the wrong form, to a question that it did not ask, or after another answer', async () => {
    const { taskId, key } = await begin();
    const { update, get } = client();
    await expect(update(taskId, { [key]: { action: 'accept', content: { city: 'X' } } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('city'),
    });
    await update(taskId, { other: { action: 'accept', content: { city: 'Rome' } } });
    await update(taskId, {});
    expect((await get(taskId)).inputRequests).toHaveProperty(key);
    const both = ['Rome', 'Oslo'].map((city) => update(taskId, { [key]: { action: 'accept', content: { city } } }));
    expect((await Promise.all(both)).map(plain)).toEqual([{}, {}]);
    await update(taskId, { [key]: { action: 'decline' } });
    await expect.poll(() => get(taskId)).toMatchObject({ status: 'input_required' });
  });

  it('an agent that asks while it works learns that its question was declined', async () => {
    const { taskId, key } = await begin();
    const { update, get } = client();
    await update(taskId, { [key]: { action: 'decline' } });
    const next = async () => Object.keys((await get(taskId)).inputRequests ?? {})[0] ?? key;
    await expect.poll(next).not.toBe(key);
    await update(taskId, { [await next()]: { action: 'cancel' } });
    await expect.poll(() => get(taskId)).toMatchObject({ status: 'completed' });
    expect((await get(taskId)).result).toMatchObject({
      structuredContent: { text: expect.stringMatching(/^no city/) },
    });
  });

  it('an agent that asks while it works ends the call of a client that cannot be asked, as without tasks', async () => {
    const { taskId } = await begin();
    const { get } = client({ capabilities: { extensions: { [tasksExtension]: {} } } });
    const result = { structuredContent: { state: 'input-required', text: 'Which city?' } };
    expect(await get(taskId)).toMatchObject({ status: 'completed', result });
  });
});

describe('a tool behind an agent', () => {
  let tools: Awaited<ReturnType<typeof startModern>>;
  let behind: Awaited<ReturnType<typeof startTools>>;
  beforeAll(async () => {
    tools = await startModern();
    behind = await startTools({ servers: { far: { url: tools.url } } });
    await behind.ready();
  });
  afterAll(() => tools.close());
  const client = () => taskClient(`${behind.origin}/tools/mcp`);

  it('a tool behind an agent is given its answers one after the other, also in a task that was begun over A2A', async () => {
    const a2a = await connect(behind.origin);
    const { task } = await a2a.send([{ data: { target_mcp_server_id: 'far', tool_name: 'book', arguments: {} } }]);
    await a2a.close();
    const taskId = task?.id as string;
    const { get, update, after } = client();
    expect(Object.keys((await get(taskId)).inputRequests ?? {})).toEqual(['who-1', 'age-1']);
    await update(taskId, { 'who-1': { action: 'accept', content: { name: 'Ada' } } });
    const asked = async () => Object.keys((await get(taskId)).inputRequests ?? {});
    await expect.poll(asked).toEqual(['age-1']);
    await update(taskId, { 'age-1': { action: 'accept', content: { age: 36 } } });
    expect(await after(taskId, 'input_required')).toMatchObject({
      status: expect.stringMatching(/^(working|completed)$/),
    });
    const [block] = ((await after(taskId)).result as { content: { text: string }[] }).content;
    expect(block?.text).toContain('"name":"Ada"');
    expect(block?.text).toContain('"age":36');
  });

  it('a tool behind an agent is canceled with its task', async () => {
    const { call, cancel, request } = client();
    const { taskId } = await call('far_wait');
    await cancel(taskId);
    const names = async () => ((await request('tools/list')).tools as { name: string }[]).map(({ name }) => name);
    await expect.poll(names).toContain('far_canceled');
  });
});

describe('replicas on one store', () => {
  beforeAll(sharedPostgres);

  it('replicas on one store know each other’s tasks, until these are forgotten', async () => {
    const url = await (await sharedPostgres()).database();
    const [one, two] = [await startReplica(url, 'one'), await startReplica(url, 'two')];
    const [here, there] = [one, two].map(({ url }) => taskClient(`${url}/mcp`)) as [Client, Client];
    const { taskId } = await here.call('send_message', { message: 'stream 20 60' });
    expect(await there.get(taskId)).toMatchObject({ status: 'working' });
    const ended = await there.after(taskId);
    expect(ended).toMatchObject({ status: 'completed', result: { structuredContent: { state: 'completed' } } });
    const canceled = await here.call('send_message', { message: 'stream 100 100' });
    await there.cancel(canceled.taskId);
    expect(await here.after(canceled.taskId)).toMatchObject({ status: 'cancelled' });
    await one.close();
    expect(plain(await there.get(taskId))).toEqual(plain(ended));
    while ((await two.store.expire(Date.now() + 60_000, 10)) === 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(there.get(taskId)).rejects.toMatchObject({ code: -32602 });
  });
});

it('a call that only clients which take tasks may make is refused with a status of HTTP', async () => {
  const path = fileURLToPath(new URL('../../conformance/mcp/work-agent.ts', import.meta.url));
  const { url, close } = await openGateway(
    JSON.stringify({ store: 'memory:', agents: { work: { kind: 'module', path } } }),
  );
  const { post, call } = taskClient(`${url}/work/mcp`, { capabilities: {} });
  expect((await post('tools/call', { name: 'failing_job' })).status).toBe(400);
  await expect(call('failing_job')).rejects.toMatchObject(missing);
  await close();
});
