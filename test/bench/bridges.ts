import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { grpcFrame, loadGrpc } from './load/grpc.ts';
import { type Load, loadHttp } from './load/http.ts';
import {
  type Measured,
  overEarlier,
  type Part,
  percentile,
  type Ratio,
  ratio,
  rounded,
  type Settings,
} from './part.ts';
import { connections, params03, params10, proto03, rpc, version10, words } from './requests.ts';
import { measureInTurns, type Sample } from './rounds.ts';
import { ServerProcess } from './server-process.ts';

/**
 * Cost of the gateway between a caller and an agent: the latency that it adds, and answers per second, compared with a
 * plain reverse proxy before the same agent.
 */

type Drive = (
  server: ServerProcess,
  under: { readonly connections: number; readonly duration: number },
) => Promise<Load>;

const json =
  (request: Buffer, expect: string): Drive =>
  ({ http }, under) =>
    loadHttp(http, request, { ...under, expect });
const call10 = json(rpc('/', 'SendMessage', params10(words), version10), 'TASK_STATE_COMPLETED');
const call03 = json(rpc('/', 'message/send', params03(words)), '"state":"completed"');

const grpc =
  (path: string, frame: Buffer, version: string): Drive =>
  (server, under) =>
    loadGrpc(server.grpc, path, frame, { ...under, version });
const grpc10 = grpc(
  '/lf.a2a.v1.A2AService/SendMessage',
  grpcFrame(encode(v1, 'lf.a2a.v1.SendMessageRequest', params10(words))),
  '1.0',
);
const grpc03 = grpc(
  '/a2a.v1.A2AService/SendMessage',
  grpcFrame(encode(v03, 'a2a.v1.SendMessageRequest', proto03(words))),
  '0.3',
);

type Way = 'the agent itself' | 'proxy' | 'gateway' | 'gateway before';

interface Bridge {
  readonly name: string;
  readonly agent: readonly [script: string, ...args: string[]];
  /** Calls the agent by itself, or by way of the proxy. */
  readonly direct: Drive;
  /** Calls the gateway. */
  readonly bridged: Drive;
  /** Settings of the agent in the gateway. */
  readonly settings: Readonly<Record<string, string>>;
  /** A plain proxy that can stand before the agent: a server in `servers/`. */
  readonly proxy?: 'proxy' | 'proxy-http2';
  ratios(of: (way: Way) => Sample): Ratio[];
}

const over = (of: (way: Way) => Sample, key: string, way: Way): number =>
  (of('gateway')[key] ?? 0) / (of(way)[key] ?? 0);

const againstProxy =
  (name: string): Bridge['ratios'] =>
  (of) => {
    const added = (way: Way): number =>
      (of(way)['p50 ms, 1 caller'] ?? 0) - (of('the agent itself')['p50 ms, 1 caller'] ?? 0);
    return [
      ratio(`${name}: requests/s over a node:http proxy`, over(of, 'requests/s', 'proxy'), '≥ 0.8'),
      ratio(`${name}: p50 added for one caller, over what the proxy adds`, added('gateway') / added('proxy'), '≤ 1.4'),
      ratio(
        `${name}: p99 at ${connections} callers, over the proxy`,
        over(of, `p99 ms, ${connections} callers`, 'proxy'),
        '≤ 1.5',
      ),
    ];
  };

const bridges: readonly Bridge[] = [
  {
    name: 'bridge 1.0 → 1.0, JSON-RPC',
    agent: ['bare-agent', '1.0'],
    direct: call10,
    bridged: call10,
    settings: { dialect: 'a2a-1.0', transport: 'jsonrpc' },
    proxy: 'proxy',
    ratios: againstProxy('bridge 1.0 → 1.0, JSON-RPC'),
  },
  {
    name: 'bridge 1.0 → 0.3, JSON-RPC',
    agent: ['bare-agent', '0.3'],
    direct: call03,
    bridged: call10,
    settings: { dialect: 'a2a-0.3', transport: 'jsonrpc' },
    proxy: 'proxy',
    ratios: againstProxy('bridge 1.0 → 0.3, JSON-RPC'),
  },
  {
    name: 'translator that keeps nothing, 1.0 → 0.3, JSON-RPC',
    agent: ['bare-agent', '0.3'],
    direct: call03,
    bridged: call10,
    settings: { dialect: 'a2a-0.3', transport: 'jsonrpc', keep: 'none' },
    proxy: 'proxy',
    ratios: (of) => [
      ratio(
        'translator that keeps nothing: requests/s over a node:http proxy',
        over(of, 'requests/s', 'proxy'),
        '≥ 0.8',
      ),
    ],
  },
  {
    name: 'bridge 1.0 → 1.0, gRPC',
    agent: ['bare-grpc', 'task'],
    direct: grpc10,
    bridged: grpc10,
    settings: { dialect: 'a2a-1.0', transport: 'grpc' },
    proxy: 'proxy-http2',
    ratios: (of) => [
      ratio('bridge 1.0 → 1.0, gRPC: requests/s over a node:http2 proxy', over(of, 'requests/s', 'proxy'), '≥ 0.6'),
    ],
  },
  {
    name: 'bridge 1.0 → 0.3, gRPC',
    agent: ['gateway'],
    direct: grpc03,
    bridged: grpc10,
    settings: { dialect: 'a2a-0.3', transport: 'grpc' },
    ratios: (of) => [
      ratio('bridge 1.0 → 0.3, gRPC: requests/s over direct', over(of, 'requests/s', 'the agent itself')),
    ],
  },
];

/** One part for each bridge. */
export const bridgeParts: readonly Part[] = bridges.map((bridge) => ({
  name: bridge.name,
  measure: (settings) => measure(bridge, settings),
}));

async function measure(bridge: Bridge, settings: Settings): Promise<Measured> {
  const running: ServerProcess[] = [];
  const startIn = async (tree: string | undefined, script: string, ...args: string[]): Promise<ServerProcess> => {
    const server = await ServerProcess.startWith(tree === undefined ? {} : { tree }, script, ...args);
    running.push(server);
    return server;
  };
  const start = (script: string, ...args: string[]): Promise<ServerProcess> => startIn(undefined, script, ...args);
  try {
    const agent = await start(...bridge.agent);
    const ofGateway = ['bridge', `http://localhost:${agent.http}`, JSON.stringify(bridge.settings)] as const;
    // The two gateways are the first and the last, so that reversed rounds put each in the place of the other.
    const ways = new Map<Way, [ServerProcess, Drive]>([['gateway', [await start(...ofGateway), bridge.bridged]]]);
    ways.set('the agent itself', [agent, bridge.direct]);
    if (bridge.proxy !== undefined) {
      const behind = bridge.proxy === 'proxy' ? agent.http : agent.grpc;
      ways.set('proxy', [await start(bridge.proxy, String(behind)), bridge.direct]);
    }
    const { before } = settings;
    if (before !== undefined) ways.set('gateway before', [await startIn(before, ...ofGateway), bridge.bridged]);
    const loads = new Map([...ways].map(([way, [server, drive]]) => [way, (ms: number) => load(server, drive, ms)]));
    const of = await measureInTurns(loads, settings, 'requests/s');
    const figures = [...ways.keys()].map((way) => {
      const measures = Object.entries(of(way)).map(([key, value]) => [key, rounded(value)]);
      return { scenario: bridge.name, server: way, ...Object.fromEntries(measures) };
    });
    const ratios = bridge.ratios(of);
    if (before === undefined) return { figures, ratios };
    const cpu = (way: Way): number => of(way)['CPU µs'] ?? Number.NaN;
    return { figures, ratios: [...ratios, overEarlier(bridge.name, cpu('gateway'), cpu('gateway before'))] };
  } finally {
    for (const server of running.reverse()) await server.stop();
  }
}

async function load(server: ServerProcess, drive: Drive, duration: number): Promise<Sample> {
  const alone = await drive(server, { connections: 1, duration: duration / 2 });
  const before = await server.usage();
  const many = await drive(server, { connections, duration });
  const after = await server.usage();
  return {
    'CPU µs': (after.cpu - before.cpu) / many.requests,
    'requests/s': (many.requests / many.elapsed) * 1_000,
    'p50 ms, 1 caller': percentile(alone.latencies, 0.5),
    'p99 ms, 1 caller': percentile(alone.latencies, 0.99),
    [`p50 ms, ${connections} callers`]: percentile(many.latencies, 0.5),
    [`p99 ms, ${connections} callers`]: percentile(many.latencies, 0.99),
  };
}
