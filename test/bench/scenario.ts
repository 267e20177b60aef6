import type { Load } from './load/http.ts';
import type { Measured, Part, Ratio, Settings } from './part.ts';
import { rounded } from './part.ts';
import { measureInTurns } from './rounds.ts';
import { ServerProcess } from './server-process.ts';

/** Every server that takes part: how its process is started. */
const servers = {
  gateway: ['gateway'],
  'gateway, 1,000 chunks': ['gateway'],
  'gateway, 10,000 chunks': ['gateway'],
  mounted: ['gateway', 'mounted'],
  sdk: ['sdk'],
  'sdk, 0.3 compatible': ['sdk', 'compatible'],
  'bare-http': ['bare-http'],
  'bare-grpc-bytes': ['bare-grpc', 'bytes'],
  'bare-grpc-codec': ['bare-grpc', 'codec'],
} as const satisfies Readonly<Record<string, readonly [script: string, ...args: string[]]>>;

export type ServerName = keyof typeof servers;

/** Medians of one server. */
export interface Cost {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rps: number;
}

/** The same load on several servers. */
export interface Scenario {
  readonly name: string;
  readonly servers: readonly ServerName[];
  /** Prepares a server and returns what puts load on it for some milliseconds. */
  prepare(server: ServerProcess, name: ServerName): Promise<(duration: number) => Promise<Load>>;
  ratios(of: (server: ServerName) => Cost): Ratio[];
}

export const scenarioPart = (scenario: Scenario): Part => ({
  name: scenario.name,
  measure: (settings) => measure(scenario, settings),
});

async function measure(scenario: Scenario, settings: Settings): Promise<Measured> {
  const running: ServerProcess[] = [];
  try {
    const loads = new Map<ServerName, (duration: number) => Promise<{ cpu: number; rps: number }>>();
    for (const name of scenario.servers) {
      const [script, ...args] = servers[name];
      const server = await ServerProcess.start(script, ...args);
      running.push(server);
      const load = await scenario.prepare(server, name);
      loads.set(name, async (duration) => {
        const before = await server.usage();
        const { requests, elapsed } = await load(duration);
        const after = await server.usage();
        return { cpu: (after.cpu - before.cpu) / requests, rps: (requests / elapsed) * 1_000 };
      });
    }
    const medians = await measureInTurns(loads, settings, 'cpu');
    const of = (name: ServerName): Cost => medians(name) as unknown as Cost;
    const figures = scenario.servers.map((server) => {
      const { cpu, rps } = of(server);
      return { scenario: scenario.name, server, 'CPU µs': rounded(cpu), 'requests/s': Math.round(rps) };
    });
    return { figures, ratios: scenario.ratios(of) };
  } finally {
    for (const server of running) await server.stop();
  }
}
