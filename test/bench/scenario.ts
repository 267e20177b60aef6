import type { Load } from './load/http.ts';
import { type Measured, overEarlier, type Part, type Ratio, rounded, type Settings } from './part.ts';
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

/** The gateway of an earlier checkout. */
const earlier = 'gateway before';

/** Medians of one server. */
export interface Cost {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rps: number;
}

/** One load that is run on several servers. */
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
  const loads = new Map<ServerName | typeof earlier, (duration: number) => Promise<{ cpu: number; rps: number }>>();
  const add = async (label: ServerName | typeof earlier, name: ServerName, tree?: string): Promise<void> => {
    const [script, ...args] = servers[name];
    const server = await ServerProcess.startWith(tree === undefined ? {} : { tree }, script, ...args);
    running.push(server);
    const load = await scenario.prepare(server, name);
    loads.set(label, async (duration) => {
      const before = await server.usage();
      const { requests, elapsed } = await load(duration);
      const after = await server.usage();
      return { cpu: (after.cpu - before.cpu) / requests, rps: (requests / elapsed) * 1_000 };
    });
  };
  try {
    for (const name of scenario.servers) await add(name, name);
    if (settings.before !== undefined) await add(earlier, 'gateway', settings.before);
    const medians = await measureInTurns(loads, settings, 'cpu');
    const of = (name: ServerName | typeof earlier): Cost => medians(name) as unknown as Cost;
    const figures = [...loads.keys()].map((server) => {
      const { cpu, rps } = of(server);
      return { scenario: scenario.name, server, 'CPU µs': rounded(cpu), 'requests/s': Math.round(rps) };
    });
    const ratios = scenario.ratios(of);
    if (settings.before === undefined) return { figures, ratios };
    return { figures, ratios: [...ratios, overEarlier(scenario.name, of('gateway').cpu, of(earlier).cpu)] };
  } finally {
    for (const server of running) await server.stop();
  }
}
