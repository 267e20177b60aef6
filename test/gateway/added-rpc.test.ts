import grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { OpenStreams } from '../../src/auth/stream-expiry.ts';
import { defaultConfig } from '../../src/config/index.ts';
import { MemoryBudget } from '../../src/core/limits/memory-budget.ts';
import { StreamLimit } from '../../src/core/limits/stream-limit.ts';
import type { Call } from '../../src/core/model/call.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { Meters } from '../../src/core/telemetry/meters.ts';
import { createDialects } from '../../src/dialects/kernel/registry.ts';
import { createAccess } from '../../src/gateway/compose/access.ts';
import { createListener } from '../../src/gateway/compose/listener.ts';
import { createHttpServer, type GatewayHttpServer } from '../../src/gateway/http/server.ts';
import { ActiveConfig } from '../../src/gateway/reload/active-config.ts';
import { createStore } from '../../src/stores/index.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { changedApi } from '../support/changed-proto.ts';
import { directory, silent } from '../support/core.ts';

/** An rpc that is added to the proto is found on every binding after `generate`, without another edit. */

let changed: Awaited<ReturnType<typeof changedApi>>;
let front: GatewayHttpServer;
let port: number;
let store: Store;
const calls: Call[] = [];

beforeAll(async () => {
  changed = await changedApi();
  const config = defaultConfig({ port: 0, store: 'memory:' });
  store = createStore('memory:', { instance: 'test' });
  await store.open();
  const audit = () => {};
  const agents = { directory: directory({ demo: createReferenceAgent() }), configured: new Map() };
  const access = await createAccess({
    config,
    services: [{ scope: 'tasks', operations: changed.api.operations }],
    store,
    audit,
  });
  const listener = createListener({ config, meters: new Meters(), audit, budget: new MemoryBudget() });
  const current = new ActiveConfig({ config, agents, access, knowledge: new Map() });
  front = createHttpServer({
    active: current,
    listener,
    ongoing: new OpenStreams(),
    dialects: createDialects(changed.api),
    invoke: async (call) => {
      calls.push(call);
      const { id } = call.request as { id: string };
      return { value: { id, contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED' } } };
    },
    dialectOf: async () => undefined,
    card: () => ({}),
    store,
    logger: silent,
    publicUrl: () => undefined,
    files: { seal: () => '', open: async () => undefined },
    meters: new Meters(),
    streams: new StreamLimit({ streams: undefined, streamsPerTask: undefined, audit }),
    keySet: undefined,
    readMetrics: async () => ({ mediaType: '', text: '' }),
  });
  port = await listener.port.listen();
}, 60_000);

afterAll(async () => {
  await front.close(100);
  await store.close();
  changed.dispose();
});

const paused = { id: 't1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } };

const post = async (path: string, body: object): Promise<unknown> => {
  const response = await fetch(`http://localhost:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify(body),
  });
  return response.json();
};

test('over JSON-RPC, with its own validation', async () => {
  const call = (params: object) => post('/', { jsonrpc: '2.0', id: 1, method: 'PauseTask', params });
  expect(await call({ id: 't1', rest_seconds: 5 })).toMatchObject({ result: paused });
  expect(calls.at(-1)).toMatchObject({ operation: 'PauseTask', request: { id: 't1', restSeconds: 5 } });
  expect(await call({})).toMatchObject({ error: { code: -32602 } });
});

test('over HTTP+JSON, with and without a tenant', async () => {
  expect(await post('/tasks/t1:pause', { restSeconds: 5 })).toMatchObject(paused);
  expect(await post('/demo/acme/tasks/t1:pause', {})).toMatchObject(paused);
  expect(calls.at(-1)?.context.tenant).toBe('acme');
});

test('over gRPC', async () => {
  const { api } = changed;
  const client = new grpc.Client(`localhost:${port}`, grpc.credentials.createInsecure());
  try {
    const answer = await new Promise<unknown>((resolve, reject) =>
      client.makeUnaryRequest(
        '/lf.a2a.v1.A2AService/PauseTask',
        (request: object) => Buffer.from(encode(api, 'lf.a2a.v1.PauseTaskRequest', request)),
        (bytes: Buffer) => decode(api, 'lf.a2a.v1.Task', bytes),
        { id: 't1', restSeconds: 5 },
        { deadline: Date.now() + 10_000 },
        (error, value) => (error ? reject(error) : resolve(value)),
      ),
    );
    expect(answer).toMatchObject(paused);
  } finally {
    client.close();
  }
});
