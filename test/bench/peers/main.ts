/**
 * Measures what others cost between a caller and the same agents, in A2A 1.0 over JSON-RPC. All peers run at once, and each round
 * puts every load on each of them by turns, so that a machine whose speed drifts does so for all. Run by hand: it installs
 * packages of Python, and uses nginx and agentgateway where they are on PATH. Linux only.
 *
 * Usage: npm run bench:peers -- [--only NAME]… [--rounds 4] [--warm-up 2] [--duration 1200] [--results FILE]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile, rounded } from '../part.ts';
import { ServerProcess } from '../server-process.ts';
import { type AgentKind, type LoadKind, loads, type Round } from './loads.ts';
import { nodePeers, proxy } from './node.ts';
import type { Peer, Started } from './peer.ts';
import { proxies } from './proxies.ts';
import { pythonPeers } from './python.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    rounds: { type: 'string', default: '4' },
    'warm-up': { type: 'string', default: '2' },
    duration: { type: 'string', default: '1200' },
    results: { type: 'string' },
  },
});
const duration = Number(values.duration);

/** A peer that runs: one process before each agent. */
interface Competitor {
  readonly peer: Peer;
  readonly before: Map<AgentKind, Started>;
  /** MiB of the process before each agent: after its start, after the warm-up, and at the end. */
  readonly resident: Record<string, number>;
  readonly rounds: Map<LoadKind, Round[]>;
}

const total = (rounds: readonly Round[], key: 'calls' | 'cpu' | 'elapsed'): number =>
  rounds.reduce((sum, round) => sum + round[key], 0);

const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
const agents = new Map<AgentKind, ServerProcess>([
  ['plain', await ServerProcess.start('bare-agent', '1.0')],
  ['streaming', await ServerProcess.start('streaming-agent')],
]);
const competitors: Competitor[] = [];
try {
  for (const peer of [...proxies, ...nodePeers, ...pythonPeers]) {
    if (!values.only.some((each) => peer.name.toLowerCase().includes(each.toLowerCase()))) continue;
    console.error(`starting ${peer.name} …`);
    const one: Competitor = { peer, before: new Map(), resident: {}, rounds: new Map() };
    competitors.push(one);
    await orLeaveOut(one, () => start(one));
  }
  noteMemory('start');
  for (let round = 0; round < Number(values['warm-up']); round += 1) await measureRound(round);
  noteMemory('warm');
  for (const { rounds } of competitors) rounds.clear();
  for (let round = 0; round < Number(values.rounds); round += 1) await measureRound(round);
  noteMemory('end');
} finally {
  for (const { before } of competitors) for (const started of before.values()) await started.stop();
  for (const agent of agents.values()) await agent.stop();
  rmSync(folder, { recursive: true, force: true });
}
print();

async function start({ peer, before }: Competitor): Promise<void> {
  for (const [kind, agent] of agents) {
    if (kind === 'streaming' && peer.streams === false) continue;
    before.set(kind, await peer.start({ agent: agent.http, folder: mkdtempSync(join(folder, 'peer-')) }));
  }
}

/** Carries on without a competitor that cannot be started, or fails under load. */
async function orLeaveOut(one: Competitor, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    console.error(`  ${one.peer.name} is left out: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
    competitors.splice(competitors.indexOf(one), 1);
    for (const started of one.before.values()) await started.stop();
  }
}

/** Puts every load on every competitor once, in the order of the round. */
async function measureRound(round: number): Promise<void> {
  console.error(`round ${round + 1} …`);
  for (const load of loads) {
    for (const one of round % 2 === 0 ? [...competitors] : competitors.toReversed()) {
      const started = one.before.get(load.agent);
      if (started) await orLeaveOut(one, () => measureOne(one, load, started));
    }
  }
}

async function measureOne({ rounds }: Competitor, load: LoadKind, started: Started): Promise<void> {
  rounds.set(load, [...(rounds.get(load) ?? []), await load.run(started, duration)]);
}

function noteMemory(when: string): void {
  for (const { before, resident } of competitors) {
    for (const [kind, { pid }] of before) resident[`${kind}, ${when}`] = Math.round(residentOf(pid));
  }
}

/** MiB that a process and its children have in memory. */
function residentOf(pid: number): number {
  const [, own = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) => {
    const list = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return list === '' ? [] : list.split(' ');
  });
  return Number(own) / 1_024 + children.reduce((sum, child) => sum + residentOf(Number(child)), 0);
}

/** One row: sums and percentiles over all rounds, since some have few calls; the spread is that of the rounds. */
function rowOf(rounds: readonly Round[], baseline: number): Record<string, number | string> {
  const cpu = total(rounds, 'cpu') / total(rounds, 'calls');
  const each = rounds.map((round) => rounded((round.cpu / round.calls) * 1_000));
  const latencies = rounds.flatMap((round) => round.latencies);
  const firsts = rounds.flatMap((round) => round.firsts);
  return {
    'CPU µs a call': rounded(cpu * 1_000),
    'of rounds': `${Math.min(...each)}–${Math.max(...each)}`,
    'over the proxy': rounded(cpu / baseline),
    'calls/s': Math.round((total(rounds, 'calls') / total(rounds, 'elapsed')) * 1_000),
    'p50 ms': rounded(percentile(latencies, 0.5)),
    'p99 ms': rounded(percentile(latencies, 0.99)),
    ...(firsts.length > 0 && {
      'first event p50 ms': rounded(percentile(firsts, 0.5)),
      'first event p99 ms': rounded(percentile(firsts, 0.99)),
    }),
  };
}

function print(): void {
  const results: Record<string, Record<string, object>> = {};
  for (const load of loads) {
    const of = (one: Competitor): readonly Round[] => one.rounds.get(load) ?? [];
    const floor = competitors.find(({ peer }) => peer === proxy);
    const baseline = floor ? total(of(floor), 'cpu') / total(of(floor), 'calls') : Number.NaN;
    const measured = competitors.filter((one) => of(one).length > 0);
    const rows = Object.fromEntries(measured.map((one) => [one.peer.name, rowOf(of(one), baseline)]));
    console.log(load.name);
    console.table(rows);
    results[load.name] = rows;
  }
  const memory = Object.fromEntries(competitors.map(({ peer, resident }) => [peer.name, resident]));
  console.log('resident MiB');
  console.table(memory);
  for (const { peer } of competitors) console.log(`${peer.name}: ${peer.does}`);
  if (values.results) writeFileSync(values.results, JSON.stringify({ ...results, memory }, undefined, 2));
}
