import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { grpcFrame, loadGrpc } from './load/grpc.ts';
import { httpRequest, type Load, loadHttp } from './load/http.ts';
import type { ServerProcess } from './server-process.ts';

/** Connections, and calls under way at once. */
export const connections = 16;

/** Text that brings a request to about 430 bytes. */
const words = 'a message of an ordinary length '.repeat(8).trim();

const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };

const params = (text: string): object => ({
  message: { messageId: 'bench-message', role: 'ROLE_USER', parts: [{ text }] },
});

const rpc = (path: string, method: string, request: object): Buffer =>
  httpRequest('POST', path, headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: request }));

/** One thing that is measured, on every server that can do it. */
export interface Scenario {
  readonly name: string;
  /** Units of work in one request: chunks, for a stream. */
  readonly units: number;
  /** Servers by name, the gateway first. */
  readonly servers: readonly string[];
  readonly goals: readonly Goal[];
  /** Prepares a server and returns the load. */
  prepare(server: ServerProcess, name: string): Promise<(duration: number) => Promise<Load>>;
}

/** A ratio that the project wants to reach. */
export interface Goal {
  readonly against: string;
  /** `cpu`: their CPU per request over ours. `rps`: our requests per second over theirs. */
  readonly measure: 'cpu' | 'rps';
  readonly atLeast: number;
}

const jsonRpc = (text: string, method: string, expect: string): Scenario['prepare'] => {
  const request = rpc('/', method, params(text));
  return async ({ http }) =>
    (duration) =>
      loadHttp(http, request, { connections, duration, expect });
};

const stream = (chunks: number, goals: readonly Goal[]): Scenario => ({
  name: `stream of ${chunks} chunks`,
  units: chunks,
  servers: chunks > 100 ? ['gateway'] : ['gateway', 'sdk'],
  goals,
  prepare: jsonRpc(`stream ${chunks} 0`, 'SendStreamingMessage', `chunk ${chunks}"`),
});

/** Ids of a finished task, made on the server itself. */
async function finishedTask({ http }: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${http}/`, {
    method: 'POST',
    headers: { ...headers, Host: 'localhost' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: params(words) }),
    signal: AbortSignal.timeout(10_000),
  });
  const { result } = (await response.json()) as { result: { task: { id: string } } };
  return result.task.id;
}

const message = grpcFrame(encode(api, 'lf.a2a.v1.SendMessageRequest', params(`say ${words}`)));

export const scenarios: readonly Scenario[] = [
  {
    name: 'JSON-RPC Message',
    units: 1,
    servers: ['gateway', 'sdk', 'bare-http', 'mounted'],
    goals: [
      { against: 'sdk', measure: 'cpu', atLeast: 4 },
      { against: 'bare-http', measure: 'rps', atLeast: 0.4 },
    ],
    prepare: jsonRpc(`say ${words}`, 'SendMessage', 'ROLE_AGENT'),
  },
  {
    name: 'JSON-RPC Message, mounted in Express',
    units: 1,
    servers: ['mounted', 'sdk'],
    goals: [{ against: 'sdk', measure: 'cpu', atLeast: 1.7 }],
    prepare: jsonRpc(`say ${words}`, 'SendMessage', 'ROLE_AGENT'),
  },
  {
    name: 'JSON-RPC whole task',
    units: 1,
    servers: ['gateway', 'sdk'],
    goals: [{ against: 'sdk', measure: 'cpu', atLeast: 2.5 }],
    prepare: jsonRpc(words, 'SendMessage', 'TASK_STATE_COMPLETED'),
  },
  {
    name: 'JSON-RPC GetTask',
    units: 1,
    servers: ['gateway', 'sdk'],
    goals: [{ against: 'sdk', measure: 'cpu', atLeast: 3 }],
    async prepare(server) {
      const request = rpc('/', 'GetTask', { id: await finishedTask(server) });
      return (duration) => loadHttp(server.http, request, { connections, duration, expect: 'TASK_STATE_COMPLETED' });
    },
  },
  {
    name: 'GET task',
    units: 1,
    servers: ['gateway', 'sdk'],
    goals: [{ against: 'sdk', measure: 'cpu', atLeast: 3 }],
    async prepare(server) {
      const root = server.script === 'sdk' ? '/rest' : '';
      const request = httpRequest('GET', `${root}/tasks/${await finishedTask(server)}`, headers);
      return (duration) => loadHttp(server.http, request, { connections, duration, expect: 'TASK_STATE_COMPLETED' });
    },
  },
  {
    name: 'gRPC Message',
    units: 1,
    servers: ['gateway', 'sdk', 'bare-grpc-bytes', 'bare-grpc-codec'],
    goals: [
      { against: 'sdk', measure: 'cpu', atLeast: 1.3 },
      { against: 'bare-grpc-bytes', measure: 'rps', atLeast: 0.85 },
      { against: 'bare-grpc-codec', measure: 'rps', atLeast: 0.85 },
    ],
    prepare:
      async ({ grpc }) =>
      (duration) =>
        loadGrpc(grpc, '/lf.a2a.v1.A2AService/SendMessage', message, { connections, duration, version: '1.0' }),
  },
  stream(100, [{ against: 'sdk', measure: 'cpu', atLeast: 8 }]),
  stream(1_000, []),
  stream(10_000, []),
];
