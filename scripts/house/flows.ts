import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { defaultConfig } from '../../src/config/index.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import { createLogger } from '../../src/gateway/process/logger.ts';

/** The calls that are weighed: a message that becomes a task, a stream of four events, a message for an AgentVault agent. */
export const flowNames = ['message', 'stream', 'agentvault'] as const;

export type FlowName = (typeof flowNames)[number];

/** An order for the peer: to call the gateway at `url` once. */
export interface Order {
  readonly flow: FlowName;
  readonly url: string;
}

/** Files, functions and calls of `src` in one warm call. */
export interface FlowCost {
  readonly files: number;
  /** Different functions. */
  readonly functions: number;
  /** Calls of these functions. */
  readonly calls: number;
}

const sources = new URL('../../src/', import.meta.url).href;

/** Calls before the first that counts: connections are open then, cards are read, and statements are prepared. */
const warmUps = 20;
/** Calls that are measured. What all of them run counts: in some a timer fires, or a packet comes in two. */
const measured = 15;

/** Counts what one call of each flow runs. */
export async function measureFlows(): Promise<ReadonlyMap<FlowName, FlowCost>> {
  return withPeer(async (measureFlow) => {
    const costs = new Map<FlowName, FlowCost>();
    for (const flow of flowNames) costs.set(flow, costOf(await measureFlow(flow)));
    return costs;
  });
}

/** The functions that one call of a flow runs: a line for each file and, below it, for each of its functions, with their calls. */
export async function listFlow(flow: FlowName): Promise<string[]> {
  const counts = await withPeer((measureFlow) => measureFlow(flow));
  const files = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return files.flatMap(([url, functions]) => {
    const source = readFileSync(new URL(url), 'utf8');
    const lineOf = (start: number): number => source.slice(0, start).split('\n').length;
    const lines = [...functions].map(([start, { name, calls }]) => line(calls, `  ${name || '=>'}:${lineOf(start)}`));
    return [line(callsOf(functions), `src/${url.slice(sources.length)}`), ...lines];
  });
}

const line = (calls: number, text: string): string => `${String(calls).padStart(6)}  ${text}`;

/**
 * Counts what calls of flows run in gateways of the default configuration, by V8's precise coverage. The gateways run in
 * this thread; the client, and the agent behind the gateway, run in another one, which is not counted.
 */
async function withPeer<T>(use: (measureFlow: (flow: FlowName) => Promise<CallCounts>) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-house-'));
  const peer = new Worker(new URL('./peer.ts', import.meta.url));
  try {
    const [agent] = (await once(peer, 'message')) as [string];
    return await use((flow) => {
      const upstream = flow === 'agentvault' ? { upstream: agent } : {};
      const config = defaultConfig({ port: 0, store: `sqlite:${join(folder, 'gateway.db')}`, ...upstream });
      return measure(flow, config, peer);
    });
  } finally {
    await peer.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(flow: FlowName, config: ReturnType<typeof defaultConfig>, peer: Worker): Promise<CallCounts> {
  const gateway = createGateway(config, {
    logger: createLogger({ ...config, log: { ...config.log, level: 'error' } }),
  });
  const { url } = await gateway.listen();
  const session = new Session();
  session.connect();
  const call = async (order: Order): Promise<void> => {
    peer.postMessage(order);
    const [answer] = (await once(peer, 'message')) as [string];
    if (answer !== 'done') throw new Error(`The call of the flow ${flow} failed: ${answer}`);
    // Whatever the gateway does after its answer belongs to the call.
    await wait(20);
  };
  try {
    for (let count = 0; count < warmUps; count += 1) await call({ flow, url });
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    let common: CallCounts | undefined;
    for (let count = 0; count < measured; count += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await call({ flow, url });
      const counts = countsOf((await session.post('Profiler.takePreciseCoverage')).result);
      common = common === undefined ? counts : least(common, counts);
    }
    return common ?? new Map();
  } finally {
    session.disconnect();
    await gateway.close({ drainMs: 0 });
  }
}

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

interface CalledFunction {
  readonly name: string;
  readonly calls: number;
}

/** The functions that were called: by the file, and by the place in the file where the function begins. */
type CallCounts = ReadonlyMap<string, ReadonlyMap<number, CalledFunction>>;

/** Counts are those since the coverage was taken before. */
function countsOf(scripts: readonly CoveredScript[]): CallCounts {
  const counts = new Map<string, Map<number, CalledFunction>>();
  for (const { url, functions } of scripts.filter(({ url }) => url.startsWith(sources))) {
    const file = counts.get(url) ?? new Map<number, CalledFunction>();
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      if (whole !== undefined && whole.count > 0) {
        file.set(whole.startOffset, { name: functionName, calls: whole.count });
      }
    }
    if (file.size > 0) counts.set(url, file);
  }
  return counts;
}

/** The functions that both counts have, each with the smaller number of calls. */
function least(one: CallCounts, other: CallCounts): CallCounts {
  const counts = new Map<string, Map<number, CalledFunction>>();
  for (const [url, functions] of one) {
    const file = new Map<number, CalledFunction>();
    for (const [start, { name, calls }] of functions) {
      const second = other.get(url)?.get(start);
      if (second !== undefined) file.set(start, { name, calls: Math.min(calls, second.calls) });
    }
    if (file.size > 0) counts.set(url, file);
  }
  return counts;
}

const callsOf = (functions: ReadonlyMap<number, CalledFunction>): number =>
  [...functions.values()].reduce((sum, { calls }) => sum + calls, 0);

function costOf(counts: CallCounts): FlowCost {
  const files = [...counts.values()];
  return {
    files: files.length,
    functions: files.reduce((sum, { size }) => sum + size, 0),
    calls: files.reduce((sum, functions) => sum + callsOf(functions), 0),
  };
}
