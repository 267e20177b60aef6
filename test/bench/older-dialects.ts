import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { grpcFrame, loadGrpc } from './load/grpc.ts';
import { loadHttp, type Requests } from './load/http.ts';
import { ratio, type Wanted } from './part.ts';
import { connections, finishedTask, params03, params10, post, proto03, rpc, version10, words } from './requests.ts';
import type { Scenario } from './scenario.ts';
import type { ServerProcess } from './server-process.ts';

/** Each older dialect, held against the same work in A2A 1.0 on the same gateway, and against the SDK's own layer. */

const text = { said: `say ${words}`, worked: words, chunks: 'stream 100 0' } as const;

/** Requests, and what the first answer must contain. */
interface Exchange {
  readonly requests: Requests;
  readonly expect: string;
}

type Prepare = (server: ServerProcess) => Promise<Exchange> | Exchange;

/** Requests of which each names a task of its own, as clients do that choose the ids. */
function numbered(path: string, method: string, params: object): () => Buffer {
  let last = 1_000_000;
  const run = Date.now().toString(36);
  return () => {
    last += 1;
    return rpc(path, method, { id: `${run}-${last}`, ...params });
  };
}

const params01 = (said: string): object => ({
  sessionId: 'bench',
  message: { role: 'user', parts: [{ type: 'text', text: said }] },
});
const paramsVault = (said: string): object => ({
  message: { role: 'user', parts: [{ type: 'text', content: said }] },
});

const at = (dialect: string): string => `/as/${dialect}`;

/** The same work in A2A 1.0. */
const in10 = {
  message: () => ({ requests: rpc('/', 'SendMessage', params10(text.said), version10), expect: 'ROLE_AGENT' }),
  rest: () => ({ requests: post('/message:send', params10(text.said), version10), expect: 'ROLE_AGENT' }),
  task: () => ({
    requests: rpc('/', 'SendMessage', params10(text.worked), version10),
    expect: 'TASK_STATE_COMPLETED',
  }),
  begun: () => ({
    requests: rpc('/', 'SendMessage', params10(text.worked, { returnImmediately: true }), version10),
    expect: '"task"',
  }),
  get: async (server: ServerProcess) => ({
    requests: rpc('/', 'GetTask', { id: await finishedTask(server) }, version10),
    expect: 'TASK_STATE_COMPLETED',
  }),
  stream: () => ({
    requests: rpc('/', 'SendStreamingMessage', params10(text.chunks), version10),
    expect: 'chunk 100"',
  }),
} satisfies Record<string, Prepare>;

const get =
  (path: string, expect: string): Prepare =>
  async (server) => ({ requests: rpc(path, 'tasks/get', { id: await finishedTask(server) }), expect });

interface Row {
  readonly name: string;
  readonly older: Prepare;
  readonly same: Prepare;
  /** The official SDK's compatibility layer takes part; with a goal for its CPU over ours, where there is one. */
  readonly sdk?: Wanted | 'no goal';
}

const rows: readonly Row[] = [
  {
    name: '0.3 JSON-RPC message',
    older: () => ({ requests: rpc('/', 'message/send', params03(text.said)), expect: '"role":"agent"' }),
    same: in10.message,
    sdk: '≥ 2.3',
  },
  {
    name: '0.2 JSON-RPC message',
    older: () => ({ requests: rpc(at('a2a-0.2'), 'message/send', params03(text.said)), expect: '"role":"agent"' }),
    same: in10.message,
  },
  {
    name: 'PHP message',
    older: () => ({ requests: rpc(at('a2a-php-0.3'), 'message/send', params03(text.said)), expect: '"role":"agent"' }),
    same: in10.message,
  },
  {
    name: '0.3 HTTP+JSON message',
    older: () => ({ requests: post('/v1/message:send', proto03(text.said)), expect: 'ROLE_AGENT' }),
    same: in10.rest,
  },
  {
    name: '0.3 JSON-RPC whole task',
    older: () => ({ requests: rpc('/', 'message/send', params03(text.worked)), expect: '"state":"completed"' }),
    same: in10.task,
    sdk: 'no goal',
  },
  {
    name: '0.1 whole task',
    older: () => ({ requests: numbered('/', 'tasks/send', params01(text.worked)), expect: '"state":"completed"' }),
    same: in10.task,
  },
  {
    name: 'AgentVault send',
    older: () => ({ requests: rpc('/', 'tasks/send', paramsVault(text.worked)), expect: '"result":{"id":' }),
    same: in10.begun,
  },
  { name: '0.3 JSON-RPC get', older: get('/', '"state":"completed"'), same: in10.get },
  { name: '0.1 get', older: get(at('a2a-0.1'), '"state":"completed"'), same: in10.get },
  { name: 'AgentVault get', older: get(at('agentvault-0.2'), '"state":"COMPLETED"'), same: in10.get },
  {
    name: '0.3 JSON-RPC stream of 100 chunks',
    older: () => ({ requests: rpc('/', 'message/stream', params03(text.chunks)), expect: 'chunk 100"' }),
    same: in10.stream,
    sdk: 'no goal',
  },
  {
    name: '0.1 stream of 100 chunks',
    older: () => ({ requests: numbered('/', 'tasks/sendSubscribe', params01(text.chunks)), expect: 'chunk 100"' }),
    same: in10.stream,
  },
];

const overV1 = (name: string, of: Parameters<Scenario['ratios']>[0]) =>
  ratio(`${name}: CPU over the same in A2A 1.0`, of('gateway').cpu / of('gateway in 1.0').cpu, '≤ 1.3');

const overGrpc: Scenario = {
  name: '0.3 gRPC message',
  servers: ['gateway', 'gateway in 1.0'],
  ratios: (of) => [overV1('0.3 gRPC message', of)],
  prepare: async ({ grpc }, name) => {
    const [path, message, version] =
      name === 'gateway'
        ? ['/a2a.v1.A2AService/SendMessage', encode(v03, 'a2a.v1.SendMessageRequest', proto03(text.said)), '0.3']
        : ['/lf.a2a.v1.A2AService/SendMessage', encode(v1, 'lf.a2a.v1.SendMessageRequest', params10(text.said)), '1.0'];
    const frame = grpcFrame(message as Uint8Array);
    return (duration) => loadGrpc(grpc, path as string, frame, { connections, duration, version: version as string });
  },
};

/** One scenario for each older dialect and kind of work. */
export const olderDialects: readonly Scenario[] = [
  ...rows.map(
    ({ name, older, same, sdk }): Scenario => ({
      name,
      servers: ['gateway', 'gateway in 1.0', ...(sdk === undefined ? [] : (['sdk, 0.3 compatible'] as const))],
      ratios: (of) => {
        if (sdk === undefined) return [overV1(name, of)];
        const what = `${name}: CPU of the SDK's compatibility layer over ours`;
        const over = of('sdk, 0.3 compatible').cpu / of('gateway').cpu;
        return [ratio(what, over, sdk === 'no goal' ? undefined : sdk), overV1(name, of)];
      },
      prepare: async (server, which) => {
        const { requests, expect } = await (which === 'gateway in 1.0' ? same : older)(server);
        return (duration) => loadHttp(server.http, requests, { connections, duration, expect });
      },
    }),
  ),
  overGrpc,
];
