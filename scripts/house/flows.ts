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
/** Calls that are measured. The least counts: in others a timer fired, or a packet came in two. */
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
    const costs: FlowCost[] = [];
    for (let count = 0; count < measured; count += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await call({ flow, url });
      costs.push(costOf((await session.post('Profiler.takePreciseCoverage')).result));
    }
    return costs.toSorted((a, b) => a.calls - b.calls)[0] as FlowCost;
  } finally {
    session.disconnect();
    await gateway.close({ drainMs: 0 });
  }
}

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** Counts are those since the coverage was taken before. */
function costOf(scripts: readonly CoveredScript[]): FlowCost {
  const counts = scripts
    .filter(({ url }) => url.startsWith(sources))
    .map(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0).filter((count) => count > 0))
    .filter((called) => called.length > 0);
  return {
    files: counts.length,
    functions: counts.flat().length,
    calls: counts.flat().reduce((sum, count) => sum + count, 0),
  };
}
