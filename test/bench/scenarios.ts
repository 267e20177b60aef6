import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { grpcFrame, loadGrpc } from './load/grpc.ts';
import { httpRequest, loadHttp } from './load/http.ts';
import { ratio } from './part.ts';
import { connections, finishedTask, params03, params10, rpc, version10, words } from './requests.ts';
import type { Scenario } from './scenario.ts';

const jsonRpc = (text: string, expect: string): Scenario['prepare'] => {
  const request = rpc('/', 'SendMessage', params10(text), version10);
  return async ({ http }) =>
    (duration) =>
      loadHttp(http, request, { connections, duration, expect });
};

const message = grpcFrame(encode(api, 'lf.a2a.v1.SendMessageRequest', params10(`say ${words}`)));

/** GET of a finished task: bare Node is given the bytes that the gateway answers with. */
function getTask(): Scenario['prepare'] {
  let answer = '';
  return async (server, name) => {
    let path = '/';
    if (name === 'bare-http') {
      const put = { method: 'PUT', body: answer, signal: AbortSignal.timeout(10_000) };
      await (await fetch(`http://127.0.0.1:${server.http}/`, put)).arrayBuffer();
    } else {
      path = `${name === 'sdk' ? '/rest' : ''}/tasks/${await finishedTask(server)}`;
      const headers = { ...version10, Host: 'localhost' };
      const response = await fetch(`http://127.0.0.1:${server.http}${path}`, { headers });
      if (name === 'gateway') answer = await response.text();
      else await response.arrayBuffer();
    }
    const request = httpRequest('GET', path, version10);
    return (duration) => loadHttp(server.http, request, { connections, duration, expect: 'TASK_STATE_COMPLETED' });
  };
}

const chunksOf: Readonly<Record<string, number>> = { 'gateway, 1,000 chunks': 1_000, 'gateway, 10,000 chunks': 10_000 };

/** The gateway against the official SDK's server and bare Node, on the reference agent. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'JSON-RPC message',
    servers: ['gateway', 'sdk', 'bare-http', 'mounted'],
    prepare: jsonRpc(`say ${words}`, 'ROLE_AGENT'),
    ratios: (of) => [
      ratio('JSON-RPC message: CPU over bare node:http', of('gateway').cpu / of('bare-http').cpu, '≤ 1.5'),
      ratio('JSON-RPC message: CPU of the SDK over ours', of('sdk').cpu / of('gateway').cpu, '≥ 3.5'),
      ratio('JSON-RPC message, mounted in Express: CPU of the SDK over ours', of('sdk').cpu / of('mounted').cpu),
    ],
  },
  {
    name: '0.3 JSON-RPC message',
    servers: ['gateway', 'sdk, 0.3 compatible'],
    prepare: async ({ http }) => {
      const request = rpc('/', 'message/send', params03(`say ${words}`));
      return (duration) => loadHttp(http, request, { connections, duration, expect: '"role":"agent"' });
    },
    ratios: (of) => [
      ratio(
        "0.3 JSON-RPC message: CPU of the SDK's compatibility layer over ours",
        of('sdk, 0.3 compatible').cpu / of('gateway').cpu,
        '≥ 2.3',
      ),
    ],
  },
  {
    name: 'GET task, HTTP+JSON',
    servers: ['gateway', 'sdk', 'bare-http'],
    prepare: getTask(),
    ratios: (of) => [
      ratio('GET task, HTTP+JSON: CPU over bare node:http', of('gateway').cpu / of('bare-http').cpu, '≤ 2'),
      ratio('GET task, HTTP+JSON: CPU of the SDK over ours', of('sdk').cpu / of('gateway').cpu, '≥ 3'),
    ],
  },
  {
    name: 'GetTask, JSON-RPC',
    servers: ['gateway', 'sdk'],
    async prepare(server) {
      const request = rpc('/', 'GetTask', { id: await finishedTask(server) }, version10);
      return (duration) => loadHttp(server.http, request, { connections, duration, expect: 'TASK_STATE_COMPLETED' });
    },
    ratios: (of) => [ratio('GetTask, JSON-RPC: CPU of the SDK over ours', of('sdk').cpu / of('gateway').cpu)],
  },
  {
    name: 'gRPC message',
    servers: ['gateway', 'sdk', 'bare-grpc-codec', 'bare-grpc-bytes'],
    prepare:
      async ({ grpc }) =>
      (duration) =>
        loadGrpc(grpc, '/lf.a2a.v1.A2AService/SendMessage', message, { connections, duration, version: '1.0' }),
    ratios: (of) => [
      ratio('gRPC message: CPU over grpc-js with the same codec', of('gateway').cpu / of('bare-grpc-codec').cpu, '≤ 1'),
      ratio('gRPC message: CPU of the SDK over ours', of('sdk').cpu / of('gateway').cpu),
    ],
  },
  {
    name: 'whole task, durable, JSON-RPC',
    servers: ['gateway', 'sdk'],
    prepare: jsonRpc(words, 'TASK_STATE_COMPLETED'),
    ratios: (of) => [
      ratio('whole task, durable: CPU of the SDK (in memory) over ours', of('sdk').cpu / of('gateway').cpu, '≥ 3.5'),
    ],
  },
  {
    name: 'stream of 100 chunks',
    servers: ['gateway', 'sdk', 'gateway, 1,000 chunks', 'gateway, 10,000 chunks'],
    async prepare({ http }, name) {
      const chunks = chunksOf[name] ?? 100;
      const request = rpc('/', 'SendStreamingMessage', params10(`stream ${chunks} 0`), version10);
      return (duration) => loadHttp(http, request, { connections, duration, expect: `chunk ${chunks}"` });
    },
    ratios: (of) => [
      ratio('stream of 100: CPU of the SDK over ours', of('sdk').cpu / of('gateway').cpu, '≥ 25'),
      ...Object.entries(chunksOf).map(([name, chunks]) =>
        ratio(
          `stream of ${chunks}: CPU per chunk over that of 100`,
          of(name as 'gateway').cpu / chunks / (of('gateway').cpu / 100),
          '≤ 1.3',
        ),
      ),
    ],
  },
];
