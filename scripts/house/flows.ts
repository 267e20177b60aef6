import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { defaultConfig } from '../../src/config/index.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import { createLogger } from '../../src/gateway/process/logger.ts';
import type { FlowName, Order } from './peer.ts';

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

/**
 * Counts what one call of each flow runs in a gateway of the default configuration, by V8's precise coverage. The gateway
 * runs in this thread; the client, and the agent behind the gateway, run in another one, which is not counted.
 */
export async function measureFlows(): Promise<Record<FlowName, FlowCost>> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-house-'));
  const peer = new Worker(new URL('./peer.ts', import.meta.url));
  try {
    const [agent] = (await once(peer, 'message')) as [string];
    const own = { port: 0, store: `sqlite:${join(folder, 'gateway.db')}` };
    return {
      message: await measure('message', defaultConfig(own), peer),
      stream: await measure('stream', defaultConfig(own), peer),
      agentvault: await measure('agentvault', defaultConfig({ ...own, upstream: agent }), peer),
    };
  } finally {
    await peer.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(flow: FlowName, config: ReturnType<typeof defaultConfig>, peer: Worker): Promise<FlowCost> {
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
    return costOf(common ?? new Map());
  } finally {
    session.disconnect();
    await gateway.close({ drainMs: 0 });
  }
}

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Calls of each function that was called: by the file, and by the place in the file where the function begins. */
type CallCounts = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Counts are those since the coverage was taken before. */
function countsOf(scripts: readonly CoveredScript[]): CallCounts {
  const counts = new Map<string, Map<number, number>>();
  for (const { url, functions } of scripts.filter(({ url }) => url.startsWith(sources))) {
    const file = counts.get(url) ?? new Map<number, number>();
    for (const { ranges } of functions) {
      const [whole] = ranges;
      if (whole !== undefined && whole.count > 0) file.set(whole.startOffset, whole.count);
    }
    if (file.size > 0) counts.set(url, file);
  }
  return counts;
}

/** For each function that both counts have, the smaller number of calls. */
function least(one: CallCounts, other: CallCounts): CallCounts {
  const counts = new Map<string, Map<number, number>>();
  for (const [url, functions] of one) {
    const file = new Map<number, number>();
    for (const [start, count] of functions) {
      const second = other.get(url)?.get(start);
      if (second !== undefined) file.set(start, Math.min(count, second));
    }
    if (file.size > 0) counts.set(url, file);
  }
  return counts;
}

function costOf(counts: CallCounts): FlowCost {
  const functions = [...counts.values()].flatMap((file) => [...file.values()]);
  return {
    files: counts.size,
    functions: functions.length,
    calls: functions.reduce((sum, count) => sum + count, 0),
  };
}
