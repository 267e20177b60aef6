import { setTimeout as delay } from 'node:timers/promises';
import { natsServer, startNats } from '../../support/nats.ts';
import { type PostgresServer, query } from '../../support/postgres.ts';
import { ServerProcess } from '../server-process.ts';
import type { FleetSeen, FleetWritten, Moment } from '../servers/fleet.ts';
import { cpuOfPostgres } from './machine.ts';

/** Cost of many replicas on one database, and the delay until one replica sees another's event. */
export interface FleetFigures {
  readonly notifications: 'PostgreSQL' | 'NATS';
  readonly replicas: number;
  readonly events: number;
  /** Events that their follower did not get. */
  readonly missing: number;
  /** Milliseconds from an event's acknowledgement at one replica until its follower at another has it. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly connections: number;
  /** PostgreSQL's CPU: milliseconds a second without and with events, and microseconds for each event. */
  readonly idle: number;
  readonly busy: number;
  readonly perEvent: number;
}

export interface FleetLoad {
  /** Events a second, of all replicas together. */
  readonly rate: number;
  /** Milliseconds that each of both is measured: without events, and with them. */
  readonly duration: number;
}

/** Processes that the replicas share. */
const processes = 4;
/** Milliseconds until all replicas follow, and for the last events, at the most; until a fleet that has just started is measured. */
const [timeoutMs, grace, settle] = [60_000, 30_000, 4_000];

/** Measures the fleets with notifications by PostgreSQL, and by NATS if a NATS server is available. */
export async function measureFleets(
  postgres: PostgresServer,
  counts: readonly number[],
  load: FleetLoad,
): Promise<FleetFigures[]> {
  const figures: FleetFigures[] = [];
  for (const replicas of counts) figures.push(await measureFleet(postgres, 'PostgreSQL', replicas, load));
  if (natsServer === undefined) {
    console.error('without NATS: there is no nats-server, neither as NATS_SERVER nor in PATH');
    return figures;
  }
  const nats = await startNats();
  try {
    for (const replicas of counts) figures.push(await measureFleet(postgres, 'NATS', replicas, load, nats.url));
  } finally {
    await nats.kill();
  }
  return figures;
}

async function measureFleet(
  postgres: PostgresServer,
  notifications: FleetFigures['notifications'],
  replicas: number,
  { rate, duration }: FleetLoad,
  servers = '',
): Promise<FleetFigures> {
  // A replica needs at least two connections: one writes, and one reads.
  const url = `${await postgres.migrated()}?max=2`;
  const started: ServerProcess[] = [];
  try {
    const step = Math.min(processes, replicas);
    for (let first = 0; first < step; first += 1)
      started.push(await ServerProcess.start('fleet', url, servers, String(replicas), String(first), String(step)));
    await Promise.all(started.map((one) => one.ask('listen', 'listening')));
    await untilFollowed(url, replicas);
    // PostgreSQL plans a connection's first statements one by one.
    await Promise.all(started.map((one) => one.ask('write 200 4000', 'written')));
    await delay(settle);
    const [idle] = await cpuDuring(postgres, () => delay(duration));
    const write = `write ${(replicas * 1_000) / rate} ${duration}`;
    const [busy, answers] = await cpuDuring(postgres, () =>
      Promise.all(started.map((one) => one.ask<FleetWritten>(write, 'written'))),
    );
    const written = answers.flatMap((answer) => answer.written);
    const seen = async () => {
      const all = await Promise.all(started.map((one) => one.ask<FleetSeen>('seen', 'seen')));
      return latencies(
        written,
        all.flatMap((answer) => answer.seen),
      );
    };
    let found = await seen();
    for (const end = performance.now() + grace; found.missing > 0 && performance.now() < end; found = await seen())
      await delay(500);
    return {
      notifications,
      replicas,
      ...found,
      connections: await connectionsOf(url),
      idle,
      busy,
      perEvent: ((busy - idle) * duration) / written.length,
    };
  } finally {
    await Promise.all(started.map((one) => one.stop()));
  }
}

/** Milliseconds of PostgreSQL's CPU a second while something is done. */
async function cpuDuring<T>(postgres: PostgresServer, work: () => Promise<T>): Promise<[number, T]> {
  const [before, began] = [cpuOfPostgres(postgres), performance.now()];
  const result = await work();
  return [((cpuOfPostgres(postgres) - before) * 1_000) / (performance.now() - began), result];
}

function latencies(written: readonly Moment[], seen: readonly Moment[]) {
  const arrivals = new Map(seen.map(([task, seq, at]) => [`${task} ${seq}`, at]));
  const found = written.flatMap(([task, seq, at]) => {
    const arrived = arrivals.get(`${task} ${seq}`);
    return arrived === undefined ? [] : [arrived - at];
  });
  const sorted = found.toSorted((a, b) => a - b);
  const share = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  const missing = written.length - found.length;
  return { events: written.length, missing, p50: share(0.5), p95: share(0.95), p99: share(0.99) };
}

/** Each replica follows one task. */
async function untilFollowed(url: string, replicas: number): Promise<void> {
  for (const end = performance.now() + timeoutMs; ; await delay(100)) {
    const [row] = await query(url, 'select count(*)::int as count from follower');
    if (row?.count === replicas) return;
    if (performance.now() > end) throw new Error(`${row?.count} of ${replicas} replicas follow a task`);
  }
}

/** Of the replicas, without the one that asks. */
async function connectionsOf(url: string): Promise<number> {
  const clients = "datname = current_database() and backend_type = 'client backend'";
  const text = `select count(*)::int - 1 as count from pg_stat_activity where ${clients}`;
  return Number((await query(url, text))[0]?.count);
}
