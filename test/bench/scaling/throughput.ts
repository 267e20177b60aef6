import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../../support/postgres.ts';
import { type Load, loadHttp } from '../load/http.ts';
import { median, percentile } from '../part.ts';
import { params10, rpc, version10 } from '../requests.ts';
import { ServerProcess } from '../server-process.ts';
import { cpuOfPostgres } from './machine.ts';

/** The number of gateways, and their store. */
export interface Setup {
  readonly name: string;
  readonly gateways: number;
  /** Callers of each gateway, each on a connection of its own. */
  readonly callers: number;
  readonly store: 'sqlite' | 'postgres';
}

/**
 * Eighteen callers in all; one gateway with as many as each of three has, to tell what the others cost it; and one and two
 * with more callers than one process needs to be busy, to tell what a second process on the same machine brings.
 */
export const setups: readonly Setup[] = [
  { name: '1 gateway, SQLite', gateways: 1, callers: 18, store: 'sqlite' },
  { name: '1 gateway, PostgreSQL', gateways: 1, callers: 18, store: 'postgres' },
  { name: '2 gateways, PostgreSQL', gateways: 2, callers: 9, store: 'postgres' },
  { name: '3 gateways, PostgreSQL', gateways: 3, callers: 6, store: 'postgres' },
  { name: '1 gateway, PostgreSQL, 6 callers', gateways: 1, callers: 6, store: 'postgres' },
  { name: '1 gateway, PostgreSQL, 36 callers', gateways: 1, callers: 36, store: 'postgres' },
  { name: '2 gateways, PostgreSQL, 36 callers', gateways: 2, callers: 18, store: 'postgres' },
];

export interface Throughput {
  readonly setup: string;
  readonly what: string;
  /** Tasks, or events, a second. */
  readonly perSecond: number;
  /** Microseconds of CPU per task or event: of all gateways, and of PostgreSQL. */
  readonly gatewayCpu: number;
  readonly postgresCpu: number;
  /** CPU of this process, which runs the callers. */
  readonly callersCpu: number;
  /** Transactions of the gateways that write events, per task or event; and tasks whose events one of them writes. */
  readonly transactions: number;
  readonly group: number;
  /** The number of cores that all of them kept busy. */
  readonly cores: number;
  /** Milliseconds, of a caller that is alone. */
  readonly p50: number;
  readonly p99: number;
}

const call = (method: string, text: string): Buffer => rpc('/', method, params10(text), version10);

const chunks = 100;

/** Requests of each load, and the number of units that one answer counts for. */
const works = [
  { what: 'task', request: call('SendMessage', 'hello'), units: 1, expect: 'TASK_STATE_COMPLETED' },
  {
    what: 'event',
    request: call('SendStreamingMessage', `stream ${chunks} 0`),
    units: chunks + 2,
    expect: `chunk ${chunks}"`,
  },
] as const;

/**
 * Starts every setup at once, with a database of its own, and measures them in turns.
 *
 * @param only setups whose names contain this text
 * @param rounds medians are taken over so many
 * @param duration of one load, in milliseconds
 */
export async function measureThroughput(
  postgres: PostgresServer,
  only: string,
  rounds: number,
  duration: number,
): Promise<Throughput[]> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
  const running: ServerProcess[] = [];
  try {
    const started: { setup: Setup; servers: ServerProcess[] }[] = [];
    for (const setup of setups.filter(({ name }) => name.includes(only))) {
      const url = setup.store === 'sqlite' ? `sqlite:${join(folder, 'bench.db')}` : await postgres.database();
      const servers: ServerProcess[] = [];
      for (let i = 0; i < setup.gateways; i += 1) servers.push(await ServerProcess.start('replica', url));
      running.push(...servers);
      started.push({ setup, servers });
    }
    const samples = new Map<string, Omit<Throughput, 'setup' | 'what'>[]>();
    for (let round = -1; round < rounds; round += 1) {
      for (const { setup, servers } of started) {
        for (const work of works) {
          const sample = await measure(servers, postgres, work, { callers: setup.callers, duration });
          // The first round warms up.
          if (round < 0) continue;
          const name = JSON.stringify([setup.name, work.what]);
          samples.set(name, [...(samples.get(name) ?? []), sample]);
        }
      }
    }
    return [...samples].map(([name, all]) => {
      const [setup, what] = JSON.parse(name) as [string, string];
      const of = (key: keyof (typeof all)[number]): number => median(all.map((sample) => sample[key]));
      const cpu = { gatewayCpu: of('gatewayCpu'), postgresCpu: of('postgresCpu'), callersCpu: of('callersCpu') };
      const groups = { transactions: of('transactions'), group: of('group') };
      const times = { cores: of('cores'), p50: of('p50'), p99: of('p99') };
      return { setup, what, perSecond: of('perSecond'), ...cpu, ...groups, ...times };
    });
  } finally {
    for (const server of running) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  servers: readonly ServerProcess[],
  postgres: PostgresServer,
  { request, units, expect }: (typeof works)[number],
  { callers, duration }: { callers: number; duration: number },
): Promise<Omit<Throughput, 'setup' | 'what'>> {
  const [first] = servers;
  if (!first) throw new Error('no gateway');
  const alone = await loadHttp(first.http, request, { connections: 1, duration: duration / 2, expect });
  const cpu = async (): Promise<number> => {
    let total = 0;
    for (const server of servers) total += (await server.usage()).cpu;
    return total;
  };
  const used = async () => {
    const { user, system } = process.cpuUsage();
    const batches = await Promise.all(servers.map(({ http }) => batchesOf(http)));
    const transactions = batches.reduce((sum, { count }) => sum + count, 0);
    const written = batches.reduce((sum, batch) => sum + batch.sum, 0);
    const cpus = { gateways: await cpu(), postgres: cpuOfPostgres(postgres) * 1_000, callers: user + system };
    return { ...cpus, transactions, written };
  };
  const before = await used();
  const under = { connections: callers, duration, expect };
  const loads: Load[] = await Promise.all(servers.map(({ http }) => loadHttp(http, request, under)));
  const after = await used();
  const done = loads.reduce((sum, load) => sum + load.requests, 0) * units;
  const perSecond = (done / Math.max(...loads.map(({ elapsed }) => elapsed))) * 1_000;
  const per = (what: keyof typeof before): number => (after[what] - before[what]) / done;
  const [gatewayCpu, postgresCpu, callersCpu] = [per('gateways'), per('postgres'), per('callers')];
  return {
    perSecond,
    gatewayCpu,
    postgresCpu,
    callersCpu,
    transactions: per('transactions'),
    group: per('written') / per('transactions'),
    cores: ((gatewayCpu + postgresCpu + callersCpu) * perSecond) / 1e6,
    p50: percentile(alone.latencies, 0.5),
    p99: percentile(alone.latencies, 0.99),
  };
}

/** The metrics of a gateway about transactions that write events: their number, and the sum of their tasks. */
async function batchesOf(port: number): Promise<{ readonly count: number; readonly sum: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(10_000) })).text();
  const figure = (name: string): number => {
    const line = text.split('\n').find((one) => one.startsWith(`a2a_gateway_store_batch_tasks_${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  };
  return { count: figure('count'), sum: figure('sum') };
}
