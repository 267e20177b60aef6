import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { grpcFrame, loadGrpc } from './load/grpc.ts';
import { httpRequest, type Load, loadHttp } from './load/http.ts';
import { connections } from './scenarios.ts';
import { ServerProcess } from './server-process.ts';

/**
 * What the gateway costs between a caller and an agent: how much later an answer comes than from the agent itself, and how
 * many answers a second, against a plain reverse proxy before the same agent.
 */

const words = 'a message of an ordinary length '.repeat(8).trim();

const in10 = { message: { messageId: 'bench-message', role: 'ROLE_USER', parts: [{ text: words }] } };
const in03 = {
  message: { kind: 'message', messageId: 'bench-message', role: 'user', parts: [{ kind: 'text', text: words }] },
};
const inProto03 = { message: { messageId: 'bench-message', role: 'ROLE_USER', content: [{ text: words }] } };

type Drive = (
  server: ServerProcess,
  under: { readonly connections: number; readonly duration: number },
) => Promise<Load>;

const rpc =
  (method: string, params: object, expect: string, headers: Record<string, string> = {}): Drive =>
  ({ http }, under) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const request = httpRequest('POST', '/', { 'Content-Type': 'application/json', ...headers }, body);
    return loadHttp(http, request, { ...under, expect });
  };
const call10 = rpc('SendMessage', in10, 'TASK_STATE_COMPLETED', { 'A2A-Version': '1.0' });
const call03 = rpc('message/send', in03, '"state":"completed"');

const grpc =
  (path: string, frame: Buffer, version: string): Drive =>
  (server, under) =>
    loadGrpc(server.grpc, path, frame, { ...under, version });
const grpc10 = grpc(
  '/lf.a2a.v1.A2AService/SendMessage',
  grpcFrame(encode(v1, 'lf.a2a.v1.SendMessageRequest', in10)),
  '1.0',
);
const grpc03 = grpc(
  '/a2a.v1.A2AService/SendMessage',
  grpcFrame(encode(v03, 'a2a.v1.SendMessageRequest', inProto03)),
  '0.3',
);

interface Bridged {
  readonly name: string;
  readonly agent: readonly [script: string, ...args: string[]];
  /** The agent called by itself, or by way of the proxy. */
  readonly direct: Drive;
  /** The gateway called. */
  readonly bridged: Drive;
  /** What the gateway is told of the agent. */
  readonly told: readonly [dialect: string, transport: string];
  /** Whether a proxy of HTTP/1.1 can stand before it. */
  readonly proxied: boolean;
}

const bridges: readonly Bridged[] = [
  {
    name: 'bridge 1.0 → 1.0, JSON-RPC',
    agent: ['bare-agent', '1.0'],
    direct: call10,
    bridged: call10,
    told: ['a2a-1.0', 'jsonrpc'],
    proxied: true,
  },
  {
    name: 'bridge 1.0 → 0.3, JSON-RPC',
    agent: ['bare-agent', '0.3'],
    direct: call03,
    bridged: call10,
    told: ['a2a-0.3', 'jsonrpc'],
    proxied: true,
  },
  {
    name: 'bridge 1.0 → 1.0, gRPC',
    agent: ['gateway'],
    direct: grpc10,
    bridged: grpc10,
    told: ['a2a-1.0', 'grpc'],
    proxied: false,
  },
  {
    name: 'bridge 1.0 → 0.3, gRPC',
    agent: ['gateway'],
    direct: grpc03,
    bridged: grpc10,
    told: ['a2a-0.3', 'grpc'],
    proxied: false,
  },
];

/** What can be measured. */
export const bridgeNames: readonly string[] = bridges.map(({ name }) => name);

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** One way to the agent, measured. Latencies are of one caller alone, in milliseconds. */
export interface BridgeFigure {
  readonly scenario: string;
  readonly server: string;
  readonly p50: number;
  readonly p99: number;
  readonly rps: number;
}

/**
 * Measures one bridge.
 *
 * @param wanted its name
 * @param rounds medians are taken over so many
 * @param duration of one load, in milliseconds
 */
export function measureBridge(wanted: string, rounds: number, duration: number): Promise<BridgeFigure[]> {
  const bridge = bridges.find(({ name }) => name === wanted);
  if (!bridge) throw new Error(`no such bridge: ${wanted}`);
  return measure(bridge, rounds, duration);
}

async function measure(bridge: Bridged, rounds: number, duration: number): Promise<BridgeFigure[]> {
  const running: ServerProcess[] = [];
  const start = async (script: string, ...args: string[]): Promise<ServerProcess> => {
    const server = await ServerProcess.start(script, ...args);
    running.push(server);
    return server;
  };
  try {
    const agent = await start(...bridge.agent);
    const gateway = await start('bridge', `http://localhost:${agent.http}`, ...bridge.told);
    const ways: [string, ServerProcess, Drive][] = [['the agent itself', agent, bridge.direct]];
    if (bridge.proxied) ways.push(['proxy', await start('proxy', String(agent.http)), bridge.direct]);
    ways.push(['gateway', gateway, bridge.bridged]);
    const samples = new Map(ways.map(([name]) => [name, { p50: [], p99: [], rps: [] } as Record<string, number[]>]));
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, server, drive] of ways) {
        const alone = await drive(server, { connections: 1, duration: duration / 2 });
        const many = await drive(server, { connections, duration });
        if (round < 0) continue; // warm up
        const sorted = alone.latencies.toSorted((a, b) => a - b);
        samples.get(name)?.p50?.push(percentile(sorted, 0.5));
        samples.get(name)?.p99?.push(percentile(sorted, 0.99));
        samples.get(name)?.rps?.push((many.requests / many.elapsed) * 1_000);
      }
    }
    return ways.map(([server]) => {
      const median = (key: string): number =>
        percentile(
          (samples.get(server)?.[key] ?? []).toSorted((a, b) => a - b),
          0.5,
        );
      return { scenario: bridge.name, server, p50: median('p50'), p99: median('p99'), rps: median('rps') };
    });
  } finally {
    for (const server of running.reverse()) await server.stop();
  }
}
