import { describe, expect, it } from 'vitest';
import { allDialects } from '../../../src/client/index.ts';
import { api, type OperationName } from '../../../src/core/model/a2a.ts';
import type { JsonRpcBinding } from '../../../src/dialects/kernel/wire.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { connectError, grpcError, RawGrpc, RawHttp, restError, rpcError } from '../../support/raw.ts';

/** Limits of the number of webhooks and of the texts in them, in every dialect and binding. */

let gateway: Running;
let http: RawHttp;
async function start(webhooks: string): Promise<void> {
  gateway = await startGateway({ settings: `limits: { webhooks: { ${webhooks} } }` });
  http = new RawHttp(gateway.port);
}

const json = { 'content-type': 'application/json' };
const v1 = { ...json, 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService';
const long = 'x'.repeat(8 * 1_024 + 1);
const url = 'http://localhost:9/hook';

const message = (push?: object) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] },
  configuration: { returnImmediately: true, ...(push && { taskPushNotificationConfig: push }) },
});

interface Answer {
  readonly result?: { readonly id?: string; readonly task?: { readonly id: string } };
  readonly error?: { readonly message: string };
}

/** Calls over JSON-RPC, on a dialect's own path. */
async function ask(binding: JsonRpcBinding, name: string, operation: OperationName, request: object): Promise<Answer> {
  const method = binding.calls.get(operation)?.method;
  if (!method) throw new Error(`${name} has no ${operation}`);
  const params = method.request.encode({ request: request as never }, { losses: new Set() });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.name, params });
  const answer = await http.send({ path: `/as/${name}`, headers: json, body });
  return JSON.parse(answer.body.toString()) as Answer;
}

let named = 0;

/** Opens a task that waits for input. */
async function open(binding: JsonRpcBinding, name: string): Promise<string> {
  const chosen = /0\.1|php/.test(name) ? { taskId: `webhooks-${named++}` } : {};
  const { message: said, configuration } = message();
  const { result } = await ask(binding, name, 'SendMessage', { message: { ...said, ...chosen }, configuration });
  return result?.task?.id ?? result?.id ?? expect.fail(JSON.stringify(result));
}

const tasks = async (): Promise<number> => {
  const { body } = await http.send({ method: 'GET', path: '/tasks', headers: v1 });
  return (JSON.parse(body.toString()) as { totalSize: number }).totalSize;
};

const jsonRpcBindings = allDialects().flatMap(({ name, jsonrpc }) =>
  jsonrpc?.calls.has('CreateTaskPushNotificationConfig') ? [[name, jsonrpc] as const] : [],
);

describe.each(jsonRpcBindings)('webhook limits of %s over JSON-RPC', (name, binding) => {
  it(`webhook limits of ${name} over JSON-RPC refuse one webhook more than a caller may have, and name the field`, async () => {
    await start('perPrincipal: 2');
    const ids = [await open(binding, name), await open(binding, name), await open(binding, name)];
    const put = (taskId = '') => ask(binding, name, 'CreateTaskPushNotificationConfig', { taskId, id: taskId, url });
    expect((await put(ids[0])).error).toBeUndefined();
    expect((await put(ids[1])).error).toBeUndefined();
    expect((await put(ids[2])).error?.message).toMatch(/\burl\b.*limits\.webhooks\.perPrincipal/);
    // Replacing is not one more.
    expect((await put(ids[0])).error).toBeUndefined();
  });

  it(`webhook limits of ${name} over JSON-RPC refuse tokens and credentials that are too long, and name the field`, async () => {
    await start('perTask: 20');
    const taskId = await open(binding, name);
    const put = (more: object) =>
      ask(binding, name, 'CreateTaskPushNotificationConfig', { taskId, id: taskId, url, ...more });
    expect((await put({ token: long })).error?.message).toMatch(/\btoken: .*8 KiB/);
    const authentication = { scheme: 'Bearer', credentials: long };
    expect((await put({ authentication })).error?.message).toMatch(/\bcredentials: .*8 KiB/);
    const fitting = long.slice(1);
    expect((await put({ token: fitting })).error).toBeUndefined();
  });
});

it('a task has at most its own limit of webhooks, also under ids that its caller chose', async () => {
  await start('perTask: 2');
  const [binding] = jsonRpcBindings.flatMap(([name, each]) => (name === 'a2a-1.0' ? [each] : []));
  if (!binding) throw new Error('no a2a-1.0');
  const taskId = await open(binding, 'a2a-1.0');
  const put = (id: string) => ask(binding, 'a2a-1.0', 'CreateTaskPushNotificationConfig', { taskId, id, url });
  expect([(await put('a')).error, (await put('b')).error]).toEqual([undefined, undefined]);
  expect((await put('c')).error?.message).toContain('limits.webhooks.perTask');
});

it('a message with one webhook too many creates no task, on every binding', async () => {
  await start('perPrincipal: 1');
  const body = JSON.stringify(message({ url }));
  expect(restError(await http.send({ path: '/message:send', headers: v1, body }))).toBeUndefined();
  expect(await tasks()).toBe(1);

  const field = 'configuration.taskPushNotificationConfig.url';
  const rest = await http.send({ path: '/message:send', headers: v1, body });
  expect(restError(rest)).toMatchObject({ reason: 'INVALID_PARAMS' });
  expect(rest.body.toString()).toContain(field);

  const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message({ url }) });
  const answer = await http.send({ path: '/', headers: v1, body: rpc });
  expect(rpcError(answer)?.code).toBe(-32602);
  expect(answer.body.toString()).toContain(field);

  const connect = await http.send({ path: `${service}/SendMessage`, headers: json, body });
  expect(connectError(connect)).toBeDefined();
  expect(connect.body.toString()).toContain(field);

  const grpc = new RawGrpc(gateway.target);
  const bytes = encode(api, 'lf.a2a.v1.SendMessageRequest', message({ url }));
  const called = await grpc.send(`${service}/SendMessage`, bytes);
  grpc.close();
  expect(called.status).toBe('INVALID_ARGUMENT');
  expect(grpcError(called)).toBeDefined();
  expect(called.message).toContain(field);
  expect(await tasks()).toBe(1);
});
