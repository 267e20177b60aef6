import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { startGateway } from '../support/gateway.ts';
import { afterTest } from '../support/peer.ts';
import { type HttpAnswer, RawGrpc, RawHttp } from '../support/raw.ts';
import { credentials } from './credentials.ts';

/** Callers cannot distinguish the tasks of others from tasks that do not exist. */

const service = '/lf.a2a.v1.A2AService';

const gateway = await startGateway({ settings: credentials });
const http = new RawHttp(gateway.port);
const grpc = new RawGrpc(gateway.target);

async function clientOf(via: 'jsonrpc' | 'rest', apiKey: string): Promise<Client> {
  const client = await connect(gateway.origin, { as: 'a2a-1.0', via, apiKey });
  afterTest(() => client.close());
  return client;
}

const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const json = { 'content-type': 'application/json' };
const binary = (type: string, value: object): Buffer => Buffer.from(encode(api, `lf.a2a.v1.${type}`, value));
const framed = (bytes: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

/** Asks for a task in every way that there is: what comes back, with what the caller itself chose taken out. */
interface Way {
  readonly path: (id: string) => string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: (id: string) => string | Buffer;
}

const rpcWay = (method: string, path = '/', headers = {}, params: (id: string) => object = (id) => ({ id })): Way => ({
  path: () => path,
  headers: { ...json, ...headers },
  body: (id) => rpc(method, params(id)),
});
const v1 = { 'a2a-version': '1.0' };
const push = { url: 'https://hooks.example.com/' };

const ways: Readonly<Record<string, Way>> = {
  'JSON-RPC, get': rpcWay('GetTask', '/', v1),
  'JSON-RPC, cancel': rpcWay('CancelTask', '/', v1),
  'JSON-RPC, subscribe': rpcWay('SubscribeToTask', '/', v1),
  'JSON-RPC, go on': rpcWay('SendMessage', '/', v1, (taskId) => ({
    message: { messageId: 'm', taskId, role: 'ROLE_USER', parts: [{ text: 'x' }] },
  })),
  'JSON-RPC, list push configurations': rpcWay('ListTaskPushNotificationConfigs', '/', v1, (taskId) => ({ taskId })),
  'JSON-RPC, make a push configuration': rpcWay('CreateTaskPushNotificationConfig', '/', v1, (taskId) => ({
    taskId,
    ...push,
  })),
  '0.3, get': rpcWay('tasks/get', '/as/a2a-0.3'),
  '0.3, without a path': rpcWay('tasks/get'),
  '0.3, subscribe': rpcWay('tasks/resubscribe', '/as/a2a-0.3'),
  '0.3, push configuration': rpcWay('tasks/pushNotificationConfig/get', '/as/a2a-0.3'),
  '0.2, cancel': rpcWay('tasks/cancel', '/as/a2a-0.2'),
  '0.1, get': rpcWay('tasks/get', '/as/a2a-0.1'),
  '0.1, cancel': rpcWay('tasks/cancel', '/as/a2a-0.1'),
  '0.1, subscribe': rpcWay('tasks/resubscribe', '/as/a2a-0.1'),
  'AgentVault, get': rpcWay('tasks/get', '/as/agentvault-0.2'),
  'AgentVault, subscribe': rpcWay('tasks/sendSubscribe', '/as/agentvault-0.2'),
  'AgentVault, cancel': rpcWay('tasks/cancel', '/as/agentvault-0.2'),
  'PHP, get': rpcWay('tasks/get', '/as/a2a-php-0.3'),
  'HTTP+JSON, get': { method: 'GET', path: (id) => `/tasks/${id}`, headers: v1 },
  'HTTP+JSON, cancel': { path: (id) => `/tasks/${id}:cancel`, headers: v1 },
  'HTTP+JSON, subscribe': { method: 'GET', path: (id) => `/tasks/${id}:subscribe`, headers: v1 },
  'HTTP+JSON 0.3, get': { method: 'GET', path: (id) => `/v1/tasks/${id}` },
  'HTTP+JSON 0.3, cancel': { path: (id) => `/v1/tasks/${id}:cancel`, headers: json, body: () => '{}' },
  'Connect, get': {
    path: () => `${service}/GetTask`,
    headers: { ...json, 'connect-protocol-version': '1' },
    body: (id) => JSON.stringify({ id }),
  },
  'gRPC-Web, get': {
    path: () => `${service}/GetTask`,
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: (id) => framed(binary('GetTaskRequest', { id })),
  },
};

const unlike = /^(date|x-request-id|content-length|keep-alive|grpc-status-details-bin)$/;

/** An answer with the id that was asked for taken out. */
function withoutId({ status, headers, body }: HttpAnswer, id: string): object {
  const headerLines = Object.entries(headers)
    .filter(([name]) => !unlike.test(name))
    .map(([name, value]) => [name, String(value).replaceAll(id, 'ID')]);
  const text = body
    .toString('latin1')
    .replaceAll(id, 'ID')
    // Details of Connect errors are in base64 and contain the id, too.
    .replace(/"value":"[\w+/=-]+"/g, '"value":…');
  return { status, headerLines, text };
}

describe("another caller's task", () => {
  let theirs: string;
  const unknown = '01a00000-0000-7000-8000-000000000000';
  beforeAll(async () => {
    const alice = await clientOf('jsonrpc', 'key of alice');
    theirs = (await alice.send('ask')).task?.id ?? '';
    expect(theirs).not.toBe('');
  });

  it.each(Object.entries(ways))(
    "another caller's task is answered exactly like a task that does not exist: %s",
    async (_, way) => {
      const answerTo = async (id: string) => {
        const { method = 'POST', headers = {}, body } = way;
        const call = { method, path: way.path(id), headers: { ...headers, 'x-api-key': 'key of bob' } };
        return withoutId(await http.send(body ? { ...call, body: body(id) } : call), id);
      };
      expect(await answerTo(theirs)).toEqual(await answerTo(unknown));
    },
  );

  it.each(['GetTask', 'CancelTask', 'SubscribeToTask'])(
    "another caller's task is answered over gRPC exactly like a task that does not exist: %s",
    async (name) => {
      const answerTo = async (id: string) => {
        const { status, message } = await grpc.send(`${service}/${name}`, binary(`${name}Request`, { id }), {
          'x-api-key': 'key of bob',
        });
        return { status, message: message.replaceAll(id, 'ID') };
      };
      expect(await answerTo(theirs)).toEqual(await answerTo(unknown));
      expect((await answerTo(theirs)).status).toBe('NOT_FOUND');
    },
  );
});
