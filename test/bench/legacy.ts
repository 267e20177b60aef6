import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { grpcFrame, loadGrpc } from './load/grpc.ts';
import { httpRequest, loadHttp, type Requests } from './load/http.ts';
import { connections, type Goal, type Scenario } from './scenarios.ts';
import type { ServerProcess } from './server-process.ts';

/** Every older face, held against the same work in A2A 1.0 on the same gateway, and against the official SDK's own. */

const words = 'a message of an ordinary length '.repeat(8).trim();

const text = { said: `say ${words}`, worked: words, chunks: 'stream 100 0' } as const;

/** What a request leads to. */
interface Asked {
  readonly requests: Requests;
  readonly expect: string;
}

type Ask = (server: ServerProcess) => Promise<Asked> | Asked;

const post = (path: string, body: object, headers: Record<string, string> = {}): Buffer =>
  httpRequest('POST', path, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body));

const rpc = (path: string, method: string, params: object, headers?: Record<string, string>): Buffer =>
  post(path, { jsonrpc: '2.0', id: 1, method, params }, headers);

/** Requests of which each names a task of its own, as clients do who choose the ids. */
function numbered(path: string, method: string, params: object): () => Buffer {
  let last = 1_000_000;
  const run = Date.now().toString(36);
  return () => {
    last += 1;
    return rpc(path, method, { id: `${run}-${last}`, ...params });
  };
}

/** The first answer's JSON to a request in A2A 1.0: what has to be there before others ask for it. */
async function finishedTask({ http }: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${http}/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Host: 'localhost' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: in10(text.worked) }),
    signal: AbortSignal.timeout(10_000),
  });
  const { result } = (await response.json()) as { result: { task: { id: string } } };
  return result.task.id;
}

const in10 = (said: string, configuration?: object): object => ({
  message: { messageId: 'bench-message', role: 'ROLE_USER', parts: [{ text: said }] },
  ...(configuration && { configuration }),
});
const in03 = (said: string): object => ({
  message: { kind: 'message', messageId: 'bench-message', role: 'user', parts: [{ kind: 'text', text: said }] },
});
const inProto03 = (said: string): object => ({
  message: { messageId: 'bench-message', role: 'ROLE_USER', content: [{ text: said }] },
});
const in01 = (said: string): object => ({
  sessionId: 'bench',
  message: { role: 'user', parts: [{ type: 'text', text: said }] },
});
const inVault = (said: string): object => ({ message: { role: 'user', parts: [{ type: 'text', content: said }] } });

const version10 = { 'A2A-Version': '1.0' };
const at = (dialect: string): string => `/as/${dialect}`;

/** The same work in A2A 1.0. */
const v1Asks = {
  message: () => ({ requests: rpc('/', 'SendMessage', in10(text.said), version10), expect: 'ROLE_AGENT' }),
  rest: () => ({
    requests: httpRequest(
      'POST',
      '/message:send',
      { 'Content-Type': 'application/json', ...version10 },
      JSON.stringify(in10(text.said)),
    ),
    expect: 'ROLE_AGENT',
  }),
  task: () => ({ requests: rpc('/', 'SendMessage', in10(text.worked), version10), expect: 'TASK_STATE_COMPLETED' }),
  begun: () => ({
    requests: rpc('/', 'SendMessage', in10(text.worked, { returnImmediately: true }), version10),
    expect: '"task"',
  }),
  get: async (server: ServerProcess) => ({
    requests: rpc('/', 'GetTask', { id: await finishedTask(server) }, version10),
    expect: 'TASK_STATE_COMPLETED',
  }),
  stream: () => ({
    requests: rpc('/', 'SendStreamingMessage', in10(text.chunks), version10),
    expect: 'chunk 100"',
  }),
} satisfies Record<string, Ask>;

const get =
  (path: string, expect: string): Ask =>
  async (server) => ({ requests: rpc(path, 'tasks/get', { id: await finishedTask(server) }), expect });

interface Row {
  readonly name: string;
  readonly old: Ask;
  readonly v1: Ask;
  /** Wanted: so many times the requests per second of the official SDK's compatibility layer. */
  readonly sdk?: number;
}

const rows: readonly Row[] = [
  {
    name: '0.3 JSON-RPC Message',
    old: () => ({ requests: rpc('/', 'message/send', in03(text.said)), expect: '"role":"agent"' }),
    v1: v1Asks.message,
    sdk: 3,
  },
  {
    name: '0.2 JSON-RPC Message',
    old: () => ({ requests: rpc(at('a2a-0.2'), 'message/send', in03(text.said)), expect: '"role":"agent"' }),
    v1: v1Asks.message,
  },
  {
    name: 'PHP Message',
    old: () => ({ requests: rpc(at('a2a-php-0.3'), 'message/send', in03(text.said)), expect: '"role":"agent"' }),
    v1: v1Asks.message,
  },
  {
    name: '0.3 HTTP+JSON Message',
    old: () => ({ requests: post('/v1/message:send', inProto03(text.said)), expect: 'ROLE_AGENT' }),
    v1: v1Asks.rest,
  },
  {
    name: '0.3 JSON-RPC whole task',
    old: () => ({ requests: rpc('/', 'message/send', in03(text.worked)), expect: '"state":"completed"' }),
    v1: v1Asks.task,
    sdk: 1,
  },
  {
    name: '0.1 whole task',
    old: () => ({ requests: numbered('/', 'tasks/send', in01(text.worked)), expect: '"state":"completed"' }),
    v1: v1Asks.task,
  },
  {
    name: 'AgentVault send',
    old: () => ({ requests: rpc('/', 'tasks/send', inVault(text.worked)), expect: '"result":{"id":' }),
    v1: v1Asks.begun,
  },
  { name: '0.3 JSON-RPC get', old: get('/', '"state":"completed"'), v1: v1Asks.get },
  { name: '0.1 get', old: get(at('a2a-0.1'), '"state":"completed"'), v1: v1Asks.get },
  { name: 'AgentVault get', old: get(at('agentvault-0.2'), '"state":"COMPLETED"'), v1: v1Asks.get },
  {
    name: '0.3 JSON-RPC stream of 100 chunks',
    old: () => ({ requests: rpc('/', 'message/stream', in03(text.chunks)), expect: 'chunk 100"' }),
    v1: v1Asks.stream,
    sdk: 3,
  },
  {
    name: '0.1 stream of 100 chunks',
    old: () => ({ requests: numbered('/', 'tasks/sendSubscribe', in01(text.chunks)), expect: 'chunk 100"' }),
    v1: v1Asks.stream,
  },
];

const asCheapAsV1: Goal = { against: 'gateway in 1.0', measure: 'cpu', atLeast: 1 / 1.3 };

const overGrpc: Scenario = {
  name: '0.3 gRPC Message',
  units: 1,
  servers: ['gateway', 'gateway in 1.0'],
  goals: [asCheapAsV1],
  prepare: async ({ grpc }, name) => {
    const [path, message, version] =
      name === 'gateway'
        ? ['/a2a.v1.A2AService/SendMessage', encode(v03, 'a2a.v1.SendMessageRequest', inProto03(text.said)), '0.3']
        : ['/lf.a2a.v1.A2AService/SendMessage', encode(v1, 'lf.a2a.v1.SendMessageRequest', in10(text.said)), '1.0'];
    const frame = grpcFrame(message as Uint8Array);
    return (duration) => loadGrpc(grpc, path as string, frame, { connections, duration, version: version as string });
  },
};

/** One scenario for each older face and kind of work. */
export const legacyScenarios: readonly Scenario[] = [
  ...rows.map(
    ({ name, old, v1: same, sdk }): Scenario => ({
      name,
      units: 1,
      servers: ['gateway', 'gateway in 1.0', ...(sdk === undefined ? [] : ['sdk, 0.3 compatible'])],
      goals: [
        asCheapAsV1,
        ...(sdk === undefined ? [] : [{ against: 'sdk, 0.3 compatible', measure: 'rps', atLeast: sdk } as const]),
      ],
      prepare: async (server, which) => {
        const { requests, expect } = await (which === 'gateway in 1.0' ? same : old)(server);
        return (duration) => loadHttp(server.http, requests, { connections, duration, expect });
      },
    }),
  ),
  overGrpc,
];
