/**
 * Measures what others cost between a caller and the same agent: a task that is finished at once, over JSON-RPC in A2A 1.0,
 * from 16 callers and from one. Each takes turns with the proxy on node:http, so that their ratio holds on a machine whose
 * speed drifts. Run by hand: it installs packages of Python, and uses the nginx on PATH. Linux only.
 *
 * Usage: npm run bench:peers -- [--only NAME]… [--rounds 3] [--duration 4000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadHttp } from '../load/http.ts';
import { percentile, rounded } from '../part.ts';
import { cpuOfProcess } from '../process-cpu.ts';
import { connections, params10, rpc, version10, words } from '../requests.ts';
import { measureInTurns, type Sample } from '../rounds.ts';
import { ServerProcess } from '../server-process.ts';
import { nodePeers, proxy } from './node.ts';
import type { Peer, Started } from './peer.ts';
import { pythonPeers } from './python.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    rounds: { type: 'string', default: '3' },
    duration: { type: 'string', default: '4000' },
  },
});
const settings = { rounds: Number(values.rounds), duration: Number(values.duration) };

function loadOf({ pid, port, path, headers }: Started): (duration: number) => Promise<Sample> {
  const request = rpc(path, 'SendMessage', params10(words), { ...version10, ...headers });
  const expect = 'TASK_STATE_COMPLETED';
  return async (duration) => {
    const alone = await loadHttp(port, request, { connections: 1, duration: duration / 4, expect });
    const before = cpuOfProcess(pid);
    const { requests, elapsed, latencies } = await loadHttp(port, request, { connections, duration, expect });
    return {
      cpu: ((cpuOfProcess(pid) - before) * 1_000) / requests,
      rps: (requests / elapsed) * 1_000,
      p50: percentile(alone.latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  };
}

async function measure(peer: Peer, agent: number): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
  const started: Started[] = [];
  try {
    const [own, beside] = [await peer.start({ agent, folder }), await proxy.start({ agent, folder })];
    started.push(own, beside);
    const of = await measureInTurns(
      new Map([
        ['own', loadOf(own)],
        ['beside', loadOf(beside)],
      ]),
      settings,
      'cpu',
    );
    const [is, floor] = [of('own'), of('beside')];
    const over = (key: string): number => rounded((is[key] ?? 0) / (floor[key] ?? 0));
    return {
      'CPU µs': rounded(is.cpu ?? 0),
      'CPU over proxy': over('cpu'),
      'requests/s': Math.round(is.rps ?? 0),
      'requests/s over proxy': over('rps'),
      'p50 ms, 1 caller': rounded(is.p50 ?? 0),
      [`p99 ms, ${connections} callers`]: rounded(is.p99 ?? 0),
    };
  } finally {
    for (const each of started) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const agent = await ServerProcess.start('bare-agent', '1.0');
const rows: Record<string, object> = {};
try {
  for (const peer of [...nodePeers, ...pythonPeers]) {
    if (!values.only.some((each) => peer.name.toLowerCase().includes(each.toLowerCase()))) continue;
    console.error(`${peer.name} …`);
    try {
      const row = await measure(peer, agent.http);
      rows[peer.name] = row;
      console.error(`  ${JSON.stringify(row)}`);
    } catch (error) {
      console.error(`  not measured: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
} finally {
  await agent.stop();
}
console.table(rows);
for (const { name, does } of [...nodePeers, ...pythonPeers]) if (rows[name]) console.log(`${name}: ${does}`);
