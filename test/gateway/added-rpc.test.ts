import grpc from '@grpc/grpc-js';
import { beforeAll, expect, test } from 'vitest';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { changedApi } from '../support/changed-proto.ts';
import { type ServedApi, serveApi } from '../support/served-api.ts';

/** An rpc that is added to the proto is found on every binding after `generate`, without another edit. */

let changed: Awaited<ReturnType<typeof changedApi>>;
let served: ServedApi;

beforeAll(async () => {
  changed = await changedApi();
  served = await serveApi(changed.api, (call) => {
    const { id } = call.request as { id: string };
    return { value: { id, contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED' } } };
  });
}, 60_000);

const paused = { id: 't1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } };

const post = async (path: string, body: object): Promise<unknown> => {
  const response = await fetch(`http://localhost:${served.port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify(body),
  });
  return response.json();
};

test('over JSON-RPC, with its own validation', async () => {
  const call = (params: object) => post('/', { jsonrpc: '2.0', id: 1, method: 'PauseTask', params });
  expect(await call({ id: 't1', rest_seconds: 5 })).toMatchObject({ result: paused });
  expect(served.calls.at(-1)).toMatchObject({ operation: 'PauseTask', request: { id: 't1', restSeconds: 5 } });
  expect(await call({})).toMatchObject({ error: { code: -32602 } });
});

test('over HTTP+JSON, with and without a tenant', async () => {
  expect(await post('/tasks/t1:pause', { restSeconds: 5 })).toMatchObject(paused);
  expect(await post('/demo/acme/tasks/t1:pause', {})).toMatchObject(paused);
  expect(served.calls.at(-1)?.context.tenant).toBe('acme');
});

test('over gRPC', async () => {
  const { api } = changed;
  const client = new grpc.Client(`localhost:${served.port}`, grpc.credentials.createInsecure());
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
