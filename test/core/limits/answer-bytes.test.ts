import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { api, type OperationName } from '../../../src/core/model/a2a.ts';
import { openSqlKnowledge } from '../../../src/extensions/knowledge/store/store.ts';
import { api as olderApi } from '../../../src/gen/a2a-v0_3/index.ts';
import { operations as ofKnowledge } from '../../../src/gen/knowledge-v1/operations.ts';
import { createStore } from '../../../src/stores/index.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { newFolder } from '../../support/folders.ts';
import { paced } from '../../support/pace.ts';
import { enveloped, Flooded, type FloodRequest, type Outcome, overGrpc } from './floods.ts';

/**
 * Large answers to many callers at once, on every binding: whatever they ask for, read or leave unread, each is answered
 * with the requested data or with 503, the process lives with a small heap, its memory is bounded, and others are served.
 */

const mebibyte = 1_048_576;
const heap = 256;
/** Memory of the process besides `buffered`: a full heap, buffers for encoding, and the program itself. */
const besides = (heap + 256) * mebibyte;
const owner = { agent: 'demo', tenant: '', principal: 'anonymous' };

const folder = newFolder();

interface Seeds {
  /** Bytes of each task, of each push configuration's token, and of each statement's provenance. */
  readonly tasks: readonly number[];
  readonly tokens?: readonly number[];
  readonly provenances?: readonly number[];
}

/** A store with tasks that wait for input, so that they can be subscribed to; the last one has ended. */
async function seed(name: string, { tasks, tokens = [], provenances = [] }: Seeds) {
  const url = `sqlite:${join(folder, name)}`;
  const store = createStore(url, { instance: 'seed' });
  await store.open();
  const writers: TaskWriter[] = [];
  for (const [i, size] of tasks.entries()) {
    const writer = new TaskWriter({ owner });
    const state = i === tasks.length - 1 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED';
    const content = 'x'.repeat(size);
    const parts = state === 'TASK_STATE_COMPLETED' ? [{ raw: content, filename: 'x.bin' }] : [{ text: content }];
    const artifacts = [{ artifactId: 'a', parts }];
    await store.append(writer.create(state, { artifacts }));
    writers.push(writer);
  }
  const [waiting, ended] = [writers[0], writers.at(-1)];
  if (!waiting || !ended) throw new TypeError('no tasks');
  for (const [i, size] of tokens.entries()) {
    const config = { id: `p${i}`, taskId: ended.id, url: 'https://hooks.example.com/', token: 't'.repeat(size) };
    await store.putPushConfig(ended.key, config, 'a2a-1.0');
  }
  const knowledge = await store.extend(openSqlKnowledge);
  for (const [i, size] of provenances.entries()) {
    const statement = {
      subject: { id: `ex:s${i}` },
      predicate: { id: 'ex:p' },
      object: { value: i },
      provenance: { note: 'n'.repeat(size) },
    };
    await knowledge.apply({ agent: 'facts', tenant: '' }, [{ op: 'add', statement }], {});
  }
  await store.close();
  return { url, waiting: waiting.id, ended: ended.id };
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const rpc = (
  method: string,
  params: object,
  path = '/',
  headers: Readonly<Record<string, string>> = json,
): FloodRequest => ({
  path,
  headers,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});
const provenanceOf = '{ statements(first: 1000) { nodes { subject { id } provenance } } }';
const older = olderApi as unknown as typeof api;

let gateway: Flooded | undefined;
const running = (): Flooded => gateway ?? expect.fail('there is no gateway yet');

/** Every answer is there, and is what was asked for, or 503 (UNAVAILABLE: 14). */
function expectServed(outcome: Outcome, answers: number, served: readonly string[] = ['200']): void {
  const others = Object.keys(outcome).filter((status) => !['503', '14', ...served].includes(status));
  expect(others).toEqual([]);
  expect(Object.values(outcome).reduce((sum, each) => sum + each, 0)).toBe(answers);
  expect(served.some((status) => (outcome[status] ?? 0) > 0)).toBe(true);
}

async function expectWell(buffered: number): Promise<void> {
  expect((await running().send({ method: 'GET', path: '/healthz' })).status).toBe(200);
  expect(running().isAlive).toBe(true);
  expect(running().peak ?? 0).toBeLessThan(buffered + besides);
}

/** Resolves when the gateway has noticed that all connections of the flood before are gone, and has room again. */
async function calm(request: FloodRequest): Promise<void> {
  running().hangUp();
  await expect.poll(async () => (await running().send(request)).status).toBe(200);
}

afterAll(() => gateway?.stop());

describe('a gateway with a small heap serves large answers', { timeout: paced(120_000) }, () => {
  let ids: Awaited<ReturnType<typeof seed>>;
  const buffered = 64 * mebibyte;
  beforeAll(async () => {
    const tasks = [...Array.from({ length: 8 }, () => 4.5 * mebibyte), 1.5 * mebibyte];
    ids = await seed('large.db', {
      tasks,
      tokens: Array.from({ length: 6 }, () => 2 * mebibyte),
      provenances: Array.from({ length: 6 }, () => 2 * mebibyte),
    });
    gateway = await Flooded.start(ids.url, 'limits: { buffered: 64MiB, page: 4MiB }', heap);
  });
  afterAll(() => gateway?.stop());
  beforeEach(() => calm(rpc('GetTask', { id: ids.waiting })));
  afterEach(() => expectWell(buffered));

  it.each([
    ['tasks', () => rpc('ListTasks', { pageSize: 100, includeArtifacts: true })],
    ['push configurations', () => rpc('ListTaskPushNotificationConfigs', { taskId: ids.ended, pageSize: 100 })],
    ['provenance', () => rpc('knowledge/query', { query: provenanceOf }, '/facts')],
  ])(
    'a gateway with a small heap serves a list of %s with more bytes than a page, page by page',
    async (_, request) => {
      const { status, text } = await running().send(request());
      expect(status).toBe(200);
      expect(text.length).toBeGreaterThan(1.5 * mebibyte);
      expect(text.length).toBeLessThan(7 * mebibyte);
      expect(JSON.parse(text)).toHaveProperty('result');
    },
  );

  it('a gateway with a small heap serves large answers to one connection that pipelines and reads 24 lists, while others are served', async () => {
    const request = rpc('ListTasks', { pageSize: 3, includeArtifacts: true });
    const flood = running().flood(request, { connections: 1, pipelined: 24 });
    const { status } = await running().send({ method: 'GET', path: '/healthz' });
    expect(status).toBe(200);
    expect(running().whole).toBeLessThan(24);
    expectServed(await flood, 24);
  });

  it('a gateway with a small heap serves large answers to connections that pipeline up to 125 lists and read nothing', async () => {
    const request = rpc('ListTasks', { pageSize: 3, includeArtifacts: true });
    expectServed(await running().flood(request, { connections: 1, pipelined: 125, reads: false }), 1);
    await calm(rpc('GetTask', { id: ids.waiting }));
    expectServed(await running().flood(request, { connections: 32, pipelined: 20, reads: false }), 32);
  });

  it('a gateway with a small heap serves large answers to 40 connections that request a large task, and read it or not', async () => {
    const request = rpc('GetTask', { id: ids.waiting });
    const flood = running().flood(request, { connections: 40 });
    expectServed(await flood, 40);
    await calm(request);
    expectServed(await running().flood(request, { connections: 40, reads: false }), 40);
  });

  it('a gateway with a small heap serves large answers to 90 subscriptions to a large task that the clients do not read', async () => {
    const request = rpc('SubscribeToTask', { id: ids.waiting });
    expectServed(await running().flood(request, { connections: 90, reads: false, streams: true }), 90);
  });

  it('a gateway with a small heap serves large answers to 60 lists over gRPC that the client does not read', async () => {
    const message = encode(api, 'lf.a2a.v1.ListTasksRequest', { pageSize: 3, includeArtifacts: true });
    const request = overGrpc('/lf.a2a.v1.A2AService/ListTasks', message);
    const flood = running().floodHttp2(request, { streams: 60, reads: false });
    expect((await running().send({ method: 'GET', path: '/healthz' })).status).toBe(200);
    expect(running().whole).toBeLessThan(60);
    expectServed(await flood, 60, ['0']);
  });
});

/** Requests of A2A 1.0 with a large answer, for each operation that only reads. */
type Reading = Partial<Record<OperationName, (ids: { waiting: string; ended: string }) => object>>;
const reading: Reading = {
  GetTask: ({ ended }) => ({ id: ended }),
  ListTasks: () => ({ pageSize: 100, includeArtifacts: true }),
  SubscribeToTask: ({ waiting }) => ({ id: waiting }),
  ListTaskPushNotificationConfigs: ({ ended }) => ({ taskId: ended, pageSize: 100 }),
};
/** Operations that only read, and whose answers are small whatever the store holds. */
const small: ReadonlySet<string> = new Set(['GetTaskPushNotificationConfig', 'GetExtendedAgentCard']);

describe('a gateway with a small answer buffer survives floods of large answers', () => {
  let ids: Awaited<ReturnType<typeof seed>>;
  const quarter = mebibyte / 4;
  const buffered = 5.5 * quarter;
  beforeAll(async () => {
    ids = await seed('small.db', {
      tasks: Array.from({ length: 8 }, () => quarter),
      tokens: Array.from({ length: 5 }, () => quarter / 3),
      provenances: Array.from({ length: 5 }, () => quarter),
    });
    gateway = await Flooded.start(ids.url, 'limits: { buffered: 1408KiB, page: 675KiB }', heap);
  });
  const large = (): FloodRequest => rpc('ListTasks', messageOf('ListTasks'));
  beforeEach(() => calm(large()));
  afterEach(() => expectWell(buffered));

  const operations = api.operations.filter(({ name, reads }) => reads && !small.has(name));
  const messageOf = (name: string): object =>
    reading[name as OperationName]?.(ids) ?? expect.fail(`${name} is not tried`);

  const calls = 8;

  /** Read, and left unread. */
  async function flood(request: FloodRequest, streams = false): Promise<void> {
    expectServed(await running().flood(request, { connections: calls, streams }), calls);
    await calm(large());
    expectServed(await running().flood(request, { connections: calls, reads: false, streams }), calls);
  }

  /** Floods the gateway over the streams of one connection. */
  async function floodHttp2(request: FloodRequest, streams = false, served = ['200']): Promise<void> {
    await calm(large());
    if (!streams) expectServed(await running().floodHttp2(request, { streams: calls }), calls, served);
    await calm(large());
    expectServed(await running().floodHttp2(request, { streams: calls, reads: false }), calls, served);
  }

  it.each(operations)(
    'a gateway with a small answer buffer survives a flood of $name over JSON-RPC',
    async ({ name, streaming }) => {
      const request = rpc(name, messageOf(name));
      await flood(request, streaming);
      await floodHttp2(request, streaming);
    },
  );

  /** One value and a stream: which operation it is makes no difference to a binding, as JSON-RPC shows. */
  const oneOfEach = operations.filter(({ name, streaming }) => streaming || name === 'ListTasks');

  it.each(oneOfEach)(
    'a gateway with a small answer buffer survives a flood of $name over Connect and gRPC-Web',
    async ({ name, streaming, grpcPath, request }) => {
      const version = { 'connect-protocol-version': '1' };
      const type = streaming ? 'application/connect+json' : 'application/json';
      const text = Buffer.from(JSON.stringify(messageOf(name)));
      const body = streaming ? enveloped(text) : text;
      // An error of a stream is in the stream, whose status is 200.
      await flood({ path: grpcPath, headers: { ...version, 'content-type': type }, body }, streaming);
      const web = enveloped(encode(api, request, messageOf(name)));
      await flood({ path: grpcPath, headers: { 'content-type': 'application/grpc-web+proto' }, body: web }, streaming);
    },
  );

  it.each(oneOfEach)(
    'a gateway with a small answer buffer survives a flood of $name over gRPC',
    async ({ name, streaming, grpcPath, request }) => {
      const message = encode(api, request, messageOf(name));
      await floodHttp2(overGrpc(grpcPath, message), streaming, ['0']);
    },
  );

  it.each([
    ['ListTasks', () => '/tasks?pageSize=100&includeArtifacts=true'],
    ['SubscribeToTask', () => `/tasks/${ids.waiting}:subscribe`],
    ['GetTask of 0.3', () => `/v1/tasks/${ids.ended}`],
  ])('a gateway with a small answer buffer survives a flood of %s over HTTP+JSON', async (name, path) => {
    const headers = name.endsWith('0.3') ? {} : { 'a2a-version': '1.0' };
    const request = { method: 'GET', path: path(), headers };
    await flood(request, name === 'SubscribeToTask');
    await floodHttp2(request, name === 'SubscribeToTask');
  });

  const jsonHeaders = { 'content-type': 'application/json' };
  it.each([
    ['a2a-0.3', 'tasks/get', () => ({ id: ids.ended })],
    ['a2a-0.3', 'tasks/resubscribe', () => ({ id: ids.waiting })],
    ['a2a-0.3', 'tasks/pushNotificationConfig/list', () => ({ id: ids.ended })],
    ['a2a-php-0.3', 'tasks/pushNotificationConfig/list', () => ({})],
  ])('a gateway with a small answer buffer survives a flood of %s %s', async (dialect, method, params) => {
    await flood(rpc(method, params(), `/as/${dialect}`, jsonHeaders), method === 'tasks/resubscribe');
  });

  it('a gateway with a small answer buffer survives a flood of GetTask over gRPC of 0.3', async () => {
    const message = encode(older, 'a2a.v1.GetTaskRequest', { name: `tasks/${ids.ended}` });
    await floodHttp2(overGrpc('/a2a.v1.A2AService/GetTask', message), false, ['0']);
  });

  it.each(ofKnowledge.filter(({ name }) => name === 'Query'))(
    'a gateway with a small answer buffer survives a flood of $name of knowledge',
    async () => {
      await flood(rpc('knowledge/query', { query: provenanceOf }, '/facts'));
    },
  );

  it('a gateway with a small answer buffer survives a flood of file URLs of dialects without inline bytes', async () => {
    const { text } = await running().send(rpc('tasks/get', { id: ids.ended }, '/as/agentvault-0.2', jsonHeaders));
    const [path] = /\/demo\/files\/[\w-]+/.exec(text) ?? expect.fail(`no file in ${text.slice(0, 500)}`);
    await flood({ method: 'GET', path });
  });

  it('a gateway with a small answer buffer survives floods of large answers from MCP tools', async () => {
    const headers = { ...jsonHeaders, accept: 'application/json, text/event-stream' };
    for (const [name, args] of [
      ['get_task', { task_id: ids.ended }],
      ['list_tasks', {}],
    ] as const) {
      await flood(rpc('tools/call', { name, arguments: args }, '/demo/mcp', headers));
    }
  });

  it('a gateway with a small answer buffer still returns complete lists, page by page', async () => {
    const seen = new Set<string>();
    let pages = 0;
    for (let pageToken = ''; ; ) {
      const { status, text } = await running().send(
        rpc('ListTasks', { pageSize: 100, includeArtifacts: true, pageToken }),
      );
      expect(status).toBe(200);
      const { tasks, nextPageToken, totalSize } = JSON.parse(text).result;
      expect(totalSize).toBe(8);
      expect(tasks.length).toBeGreaterThan(0);
      for (const { id } of tasks) seen.add(id);
      pages += 1;
      pageToken = nextPageToken;
      if (pageToken === '') break;
    }
    expect(seen.size).toBe(8);
    expect(pages).toBe(4);
  });
});
