/**
 * Measures the gateway against the official SDK's server and bare Node, in one run on one machine: interleaved rounds,
 * medians, ratios. Writes test/bench/results/latest.json after each part. Progress is told on stderr; ratios are printed as
 * measured, nothing is asserted. A part that fails is named at the end, and the exit code is 1.
 *
 * Takes about a quarter of an hour. `--only` measures the parts whose names contain NAME.
 *
 * Usage: npm run bench -- [--rounds 5] [--duration 1500] [--only NAME] [--statements 10000,100000] [--stores sqlite,postgres]
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bridgeNames, measureBridge } from './bridges.ts';
import { measureIdle, measureStart } from './extras.ts';
import { measureKnowledge } from './knowledge.ts';
import { legacyScenarios } from './legacy.ts';
import { Report } from './report.ts';
import { type Goal, type Scenario, scenarios } from './scenarios.ts';
import { ServerProcess } from './server-process.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    duration: { type: 'string', default: '1500' },
    only: { type: 'string', default: '' },
    // A graph of 1,000,000 takes minutes to be made.
    statements: { type: 'string', default: '10000,100000' },
    // Where graphs lie: sqlite, postgres or both.
    stores: { type: 'string', default: 'sqlite,postgres' },
  },
});
const rounds = Number(values.rounds);
const duration = Number(values.duration);

/** Every server that takes part: how its process is started. */
const servers: Readonly<Record<string, readonly [script: string, ...args: string[]]>> = {
  gateway: ['gateway'],
  // The same gateway, called in A2A 1.0, to hold other generations against.
  'gateway in 1.0': ['gateway'],
  mounted: ['gateway', 'mounted'],
  sdk: ['sdk'],
  'sdk, 0.3 compatible': ['sdk', 'compatible'],
  'bare-http': ['bare-http'],
  'bare-grpc-bytes': ['bare-grpc', 'bytes'],
  'bare-grpc-codec': ['bare-grpc', 'codec'],
};

interface Sample {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rps: number;
}

const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

async function measure(scenario: Scenario): Promise<Map<string, Sample>> {
  const running = new Map<string, ServerProcess>();
  try {
    const loads = new Map<string, (duration: number) => ReturnType<Awaited<ReturnType<Scenario['prepare']>>>>();
    for (const name of scenario.servers) {
      const start = servers[name];
      if (!start) throw new Error(`no such server: ${name}`);
      const server = await ServerProcess.start(...start);
      running.set(name, server);
      const load = await scenario.prepare(server, name);
      loads.set(name, load);
      await load(Math.min(duration, 800)); // warm up
    }
    const samples = new Map<string, Sample[]>(scenario.servers.map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, server] of running) {
        const before = await server.usage();
        const load = await loads.get(name)?.(duration);
        const after = await server.usage();
        if (!load) throw new Error(name);
        const cpu = (after.cpu - before.cpu) / load.requests;
        samples.get(name)?.push({ cpu, rps: (load.requests / load.elapsed) * 1_000 });
      }
    }
    const medianOf = (name: string, key: keyof Sample): number => median((samples.get(name) ?? []).map((s) => s[key]));
    return new Map(scenario.servers.map((name) => [name, { cpu: medianOf(name, 'cpu'), rps: medianOf(name, 'rps') }]));
  } finally {
    for (const server of running.values()) await server.stop();
  }
}

const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

function ratioOf(goal: Goal, ours: Sample, medians: ReadonlyMap<string, Sample>): number {
  const theirs = medians.get(goal.against);
  if (!theirs) return Number.NaN;
  return goal.measure === 'cpu' ? theirs.cpu / ours.cpu : ours.rps / theirs.rps;
}

const report = new Report(
  fileURLToPath(new URL('./results/latest.json', import.meta.url)),
  { at: new Date().toISOString(), node: process.version, rounds, duration },
  (line) => console.error(line),
);
const { figures, goals } = report;
const perChunk = new Map<number, number>();

async function measureScenario(scenario: Scenario): Promise<void> {
  const medians = await measure(scenario);
  for (const [server, { cpu, rps }] of medians) {
    figures.push({ scenario: scenario.name, server, 'CPU µs': round(cpu), 'requests/s': Math.round(rps) });
  }
  const ours = medians.get(scenario.servers[0] ?? '');
  if (!ours) return;
  if (scenario.units > 1) perChunk.set(scenario.units, ours.cpu / scenario.units);
  for (const goal of scenario.goals) {
    const measured = ratioOf(goal, ours, medians);
    const what = `${scenario.name}: ${goal.measure === 'cpu' ? 'CPU' : 'requests/s'} against ${goal.against}`;
    goals.push({
      what,
      measured: round(measured, 2),
      wanted: `≥ ${round(goal.atLeast, 2)}`,
      met: measured >= goal.atLeast,
    });
  }
}

for (const scenario of [...scenarios, ...legacyScenarios].filter(({ name }) => name.includes(values.only))) {
  await report.part(scenario.name, () => measureScenario(scenario));
}

const base = perChunk.get(100);
if (base !== undefined) {
  await report.part('cost per chunk', async () => {
    for (const [chunks, cost] of perChunk) {
      if (chunks === 100) continue;
      const measured = cost / base;
      const what = `cost per chunk, ${chunks} chunks over 100`;
      goals.push({ what, measured: round(measured, 2), wanted: '≤ 1.3', met: measured <= 1.3 });
    }
  });
}

for (const name of bridgeNames.filter((each) => each.includes(values.only))) {
  await report.part(name, async () => {
    const bridged = await measureBridge(name, rounds, duration);
    for (const { scenario, server, p50, p99, rps } of bridged) {
      const times = { 'p50 ms': round(p50, 2), 'p99 ms': round(p99, 2) };
      figures.push({ scenario, server, 'requests/s': Math.round(rps), ...times });
      const proxy = bridged.find((other) => other.scenario === scenario && other.server === 'proxy');
      if (server !== 'gateway' || !proxy) continue;
      const measured = rps / proxy.rps;
      const what = `${scenario}: requests/s against a proxy`;
      goals.push({ what, measured: round(measured, 2), wanted: '≥ 0.5', met: measured >= 0.5 });
    }
  });
}

if ('idle subscription'.includes(values.only)) {
  await report.part('idle subscription', async () => {
    const idle = await measureIdle();
    for (const { what, server, kib } of idle) figures.push({ scenario: what, server, KiB: round(kib) });
    const measured = round(idle.find(({ server }) => server === 'gateway')?.kib ?? Number.NaN);
    goals.push({ what: 'idle subscription, KiB', measured, wanted: '≤ 30', met: measured <= 30 });
  });
}
if ('first answer'.includes(values.only)) {
  await report.part('first answer', async () => {
    const measured = Math.round(median(await measureStart(rounds)));
    goals.push({ what: 'first answer after process start, ms', measured, wanted: '≤ 400', met: measured <= 400 });
  });
}

async function measureKnowledgeIn(store: string): Promise<void> {
  const sizes = values.statements.split(',').map(Number);
  const [small, large] = [Math.min(...sizes), Math.max(...sizes)];
  const measured = new Map<number, Awaited<ReturnType<typeof measureKnowledge>>>();
  for (const size of sizes) {
    const costs = await measureKnowledge(size, store);
    measured.set(size, costs);
    const server = `${store}, ${size} statements`;
    for (const [what, cost] of Object.entries(costs)) {
      figures.push({ scenario: `knowledge: ${what}`, server, 'CPU µs': round(cost) });
    }
  }
  // What is asked for is the same: what it costs must not grow with the graph.
  for (const [what, cost] of Object.entries(measured.get(small) ?? {})) {
    const growth = (measured.get(large)?.[what] ?? Number.NaN) / cost;
    if (small === large) break;
    goals.push({
      what: `knowledge in ${store}: ${what}, ${large} statements over ${small}`,
      measured: round(growth, 2),
      wanted: '≤ 2',
      met: growth <= 2,
    });
  }
}

if ('knowledge'.includes(values.only)) {
  for (const store of values.stores.split(',')) {
    await report.part(`knowledge in ${store}`, () => measureKnowledgeIn(store));
  }
}

console.table(figures);
console.table(goals);
for (const { part, error } of report.failed) console.error(`${part} failed: ${error}`);
if (report.failed.length > 0) process.exitCode = 1;
