import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BindingName, bindings } from '../../src/client/bindings.ts';
import { type Client, connect, type StreamResponse, type Task } from '../../src/client/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import { createDialects, loadImage } from '../../src/dialects/registry.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { openGateway, type Running, startGateway } from '../support/gateway.ts';
import { bodyOf, serve } from '../support/peer.ts';
import { connectError, grpcError, RawGrpc, RawHttp, restError, rpcError } from '../support/raw.ts';

/** A2A 1.1, a preview, over every binding: on, and off. */

const service = '/lf.a2a.v1.A2AService';
const cardPath = '/.well-known/agent-card.json';
const json = { 'content-type': 'application/json' };
const message = (text: string, more: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...more },
});

const on = await startGateway({ settings: 'preview: [a2a-1.1]\noutbound: { allow: [127.0.0.1] }\n' });
const off = await startGateway({ settings: 'preview: []\n' });
const http = new RawHttp(on.port);
const grpc = new RawGrpc(on.target);

const generationOf = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string | undefined =>
  (task ?? statusUpdate ?? artifactUpdate)?.generation;

describe.each(bindings.map(({ name }) => name))('A2A 1.1 over %s', (via: BindingName) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(on.origin, { as: 'a2a-1.1', via });
  });
  afterAll(() => client.close());

  test('a task and its events have generations without a gap', async () => {
    const events: StreamResponse[] = [];
    for await (const event of client.sendStreamingMessage(message('stream 3 1'))) events.push(event);
    expect(events.map(generationOf)).toEqual(events.map((_, at) => `${at + 1}`));
    const id = events[0]?.task?.id ?? expect.fail('a stream begins with the task');
    expect(await client.getTask({ id })).toMatchObject({ generation: `${events.length}` });
    const { tasks } = await client.listTasks({ pageSize: 1 });
    expect(tasks).toMatchObject([{ id, generation: `${events.length}` }]);
  });
});

describe('a gateway that serves A2A 1.1 beside 1.0', () => {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    http.send({ path, headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const parsed = async (answer: ReturnType<typeof post>) => JSON.parse((await answer).body.toString());
  const versioned = { 'a2a-version': '1.1' };

  test('a gateway that serves A2A 1.1 beside 1.0 answers name their version, and requests without a version are treated as 1.0', async () => {
    const params = message('hi');
    const { headers } = await post('/message:send', params, versioned);
    expect(headers['a2a-version']).toBe('1.1');
    const unversioned = await post('/message:send', params);
    expect(unversioned.headers['a2a-version']).toBe('1.0');
    expect(unversioned.body.toString()).not.toContain('generation');
    const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
    expect((await post('/', rpc)).body.toString()).not.toContain('generation');
    expect(await parsed(post('/?A2A-Version=1.1', rpc))).toMatchObject({ result: { task: { generation: '4' } } });
    expect(await parsed(post('/as/a2a-1.1', rpc))).toMatchObject({ result: { task: { generation: '4' } } });
    expect(await parsed(post('/as/a2a-1.1/message:send', params))).toMatchObject({ task: { generation: '4' } });
    expect(await parsed(post(`${service}/SendMessage?a2a-version=1.1`, params))).toMatchObject({
      task: { generation: '4' },
    });
  });

  test('one gRPC service serves both versions', async () => {
    const bytes = encode(api, 'lf.a2a.v1.SendMessageRequest', message('hi'));
    const answer = await grpc.send(`${service}/SendMessage`, bytes, versioned);
    expect(decode(api, 'lf.a2a.v1.SendMessageResponse', answer.messages[0] as Buffer)).toMatchObject({
      task: { generation: '4' },
    });
    const older = await grpc.send(`${service}/SendMessage`, bytes);
    const found = decode(api, 'lf.a2a.v1.SendMessageResponse', older.messages[0] as Buffer) as { task: Task };
    expect(found.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(found.task.generation).toBeUndefined();
  });

  test('a generation mismatch has its own error on each binding, with code -32010 over JSON-RPC', async () => {
    const sent = await parsed(post('/message:send', message('ask'), versioned));
    const request = { ...message('Ada', { taskId: sent.task.id }), configuration: { ifGenerationMatch: 77 } };
    const reason = 'TASK_GENERATION_MISMATCH';
    const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: request };
    expect(rpcError(await post('/', rpc, versioned))).toMatchObject({ code: -32010, reason });
    expect(restError(await post('/message:send', request, versioned))).toMatchObject({ status: 409, reason });
    expect(connectError(await post(`${service}/SendMessage`, request, versioned))).toMatchObject({
      code: 'aborted',
      reason,
    });
    const bytes = encode(api, 'lf.a2a.v1.SendMessageRequest', {
      ...request,
      configuration: { ifGenerationMatch: '77' },
    });
    expect(grpcError(await grpc.send(`${service}/SendMessage`, bytes, versioned))).toMatchObject({
      status: 'ABORTED',
      reason,
    });
  });

  test('requests of 1.0 with fields of 1.1 are served, and the fields are ignored', async () => {
    const sent = await parsed(post('/message:send', message('ask')));
    const request = { ...message('Ada', { taskId: sent.task.id }), configuration: { ifGenerationMatch: '77' } };
    expect(await parsed(post('/message:send', request))).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  test('webhooks receive events in the version in which they were registered', async () => {
    const bodies: { version: string | undefined; body: StreamResponse }[] = [];
    const url = await serve(async (req, res) => {
      const version = req.headers['a2a-version'] as string | undefined;
      bodies.push({ version, body: JSON.parse(await bodyOf(req)) });
      res.end();
    });
    for (const version of ['1.1', '1.0']) {
      bodies.length = 0;
      const configuration = { taskPushNotificationConfig: { url } };
      await post('/message:send', { ...message('hi'), configuration }, { 'a2a-version': version });
      await expect.poll(() => bodies.length).toBe(4);
      expect(bodies.map((one) => one.version)).toEqual(Array(4).fill(version));
      const expected = version === '1.1' ? ['1', '2', '3', '4'] : Array(4).fill(undefined);
      expect(bodies.map(({ body }) => generationOf(body))).toEqual(expected);
    }
  });
});

describe('a gateway with `keep: none` before an agent of A2A 1.1', () => {
  let bridge: Running;
  beforeAll(async () => {
    const agent = (version: string): string =>
      `{ kind: upstream, url: "${on.origin}/as/a2a-${version}", dialect: a2a-${version}, keep: none }`;
    bridge = await openGateway(
      `preview: [a2a-1.1]\nagents:\n  newer: ${agent('1.1')}\n  older: ${agent('1.0')}\ndefaultAgent: newer\n`,
    );
  });

  const clientOf = (as: 'a2a-1.0' | 'a2a-1.1', agent: string) =>
    connect(`${bridge.origin}/${agent}`, { as, via: 'jsonrpc' });

  test("a gateway with `keep: none` before an agent of A2A 1.1 passes the agent's generations on to callers of 1.1, and omits them for callers of 1.0", async () => {
    const [newer, older] = [await clientOf('a2a-1.1', 'newer'), await clientOf('a2a-1.0', 'newer')];
    const { task } = await newer.sendMessage(message('hi'));
    expect(task?.generation).toBe('4');
    expect(await older.getTask({ id: task?.id ?? '' })).not.toHaveProperty('generation');
    const seen: (string | undefined)[][] = [];
    for (const client of [newer, older]) {
      const generations: (string | undefined)[] = [];
      for await (const event of client.sendStreamingMessage(message('hi'))) generations.push(generationOf(event));
      seen.push(generations);
      await client.close();
    }
    expect(seen).toEqual([
      ['1', '2', '3', '4'],
      [undefined, undefined, undefined, undefined],
    ]);
  });

  test('a gateway with `keep: none` before an agent of A2A 1.1 passes an expected generation on to an agent of 1.1, and reports a loss for an agent of 1.0', async () => {
    const condition = { configuration: { ifGenerationMatch: '77' } };
    for (const agent of ['newer', 'older']) {
      const client = await clientOf('a2a-1.1', agent);
      const { task } = await client.sendMessage(message('ask'));
      const sent = client.sendMessage({ ...message('Ada', { taskId: task?.id }), ...condition });
      if (agent === 'newer') await expect(sent).rejects.toMatchObject({ kind: 'taskGenerationMismatch' });
      else expect((await sent).task?.status.state).toBe('TASK_STATE_COMPLETED');
      await client.close();
    }
    const opened = JSON.stringify({ ...message('hi'), ...condition });
    const answer = await fetch(`${bridge.origin}/older/message:send`, {
      method: 'POST',
      headers: { ...json, 'A2A-Version': '1.1' },
      body: opened,
    });
    expect(answer.headers.get('a2a-gateway-loss')).toBe('configuration.ifGenerationMatch');
  });
});

describe('agent cards', () => {
  const interfacesAt = async ({ origin }: Running, path = cardPath, version?: string): Promise<string[]> => {
    const answer = await fetch(origin + path, version ? { headers: { 'A2A-Version': version } } : {});
    const { supportedInterfaces } = (await answer.json()) as Client['card'];
    return supportedInterfaces.map((one) => `${one.protocolBinding} ${one.protocolVersion}`);
  };
  const of = (version: string): string[] => ['JSONRPC', 'HTTP+JSON', 'GRPC'].map((name) => `${name} ${version}`);

  test('agent cards list the preview after the version before it, and only where it is on', async () => {
    expect(await interfacesAt(on)).toEqual([...of('1.0'), ...of('1.1'), ...of('0.3')]);
    expect(await interfacesAt(on, cardPath, '1.1')).toEqual([...of('1.0'), ...of('1.1'), ...of('0.3')]);
    expect(await interfacesAt(on, `/as/a2a-1.1${cardPath}`)).toEqual(of('1.1'));
    expect(await interfacesAt(off)).toEqual([...of('1.0'), ...of('0.3')]);
    expect((await fetch(`${off.origin}/as/a2a-1.1${cardPath}`)).status).toBe(404);
  });

  test('agent cards make clients that choose no dialect use 1.0', async () => {
    const client = await connect(on.origin);
    expect(client.dialect).toBe('a2a-1.0');
    await client.close();
  });
});

test('reflection describes the newest version that is served', async () => {
  const fieldsOf = async (preview: readonly string[]): Promise<string[]> => {
    const set = fromBinary(FileDescriptorSetSchema, await loadImage(createDialects({ preview })));
    const task = createFileRegistry(set).getMessage('lf.a2a.v1.Task') ?? expect.fail('no Task');
    return task.fields.map(({ name }) => name);
  };
  expect(await fieldsOf(['a2a-1.1'])).toContain('generation');
  expect(await fieldsOf([])).not.toContain('generation');
});

test('a gateway without the preview refuses 1.1 over every binding like an unknown version', async () => {
  const [raw, rpc] = [new RawHttp(off.port), new RawGrpc(off.target)];
  const bytes = encode(api, 'lf.a2a.v1.SendMessageRequest', message('hi'));
  const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message('hi') };
  const answersTo = async (version: string): Promise<unknown[]> => {
    const headers = { ...json, 'a2a-version': version };
    const post = (path: string, body: object) => raw.send({ path, headers, body: JSON.stringify(body) });
    return [
      rpcError(await post('/', call)),
      restError(await post('/message:send', message('hi'))),
      connectError(await post(`${service}/SendMessage`, message('hi'))),
      grpcError(await rpc.send(`${service}/SendMessage`, bytes, { 'a2a-version': version })),
    ].map((error) => JSON.parse(JSON.stringify(error).replaceAll(version, 'VERSION')));
  };
  const answers = await answersTo('1.1');
  expect(answers).toEqual(await answersTo('7.3'));
  for (const answer of answers) expect(answer).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED' });
  raw.close();
  rpc.close();
});
