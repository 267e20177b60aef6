import type { PostgresServer } from '../../support/postgres.ts';
import { ServerProcess } from '../server-process.ts';
import { begin, chunkTimes, follow } from './calls.ts';
import { cpuOfPostgres } from './machine.ts';

/** Milliseconds by which a gateway that does not work on a task sends an event later than the one that does. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly events: number;
}

const events = 500;

/** Follows tasks at the gateway that works on them and at another one, event by event. */
export async function measureLag(postgres: PostgresServer): Promise<Lag> {
  const url = await postgres.database();
  const servers = [await ServerProcess.start('replica', url), await ServerProcess.start('replica', url)] as const;
  const [worker, other] = servers;
  try {
    // Each knows of the other after its next heartbeat.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const id = await begin(worker.http, `stream ${events} 10`);
    const here = chunkTimes(events);
    const there = chunkTimes(events);
    const sockets = [await follow(worker.http, id, here.hear), await follow(other.http, id, there.hear)];
    const [at, later] = await Promise.all([here.all, there.all]);
    for (const socket of sockets) socket.destroy();
    // Chunks from before both streams were open came in the task itself, so they have no time.
    const lags = [...at].flatMap(([chunk, time]) => (later.has(chunk) ? [(later.get(chunk) ?? 0) - time] : []));
    const sorted = lags.slice(20).toSorted((a, b) => a - b);
    const share = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
    return { p50: share(0.5), p99: share(0.99), events: sorted.length };
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Cost of open subscriptions, each to a task of its own, for a gateway that does not work on these tasks. */
export interface Subscribed {
  readonly subscriptions: number;
  /** KiB of memory for each. */
  readonly kib: number;
  /** Milliseconds of CPU in a second in which nothing happens. */
  readonly idleGateway: number;
  readonly idlePostgres: number;
  /** Microseconds of CPU for an event that one subscription receives. */
  readonly perEvent: number;
}

const pause = 10_000;
const chunks = 2_000;

/** Opens more and more subscriptions and measures at each number. */
export async function measureSubscriptions(postgres: PostgresServer, counts: readonly number[]): Promise<Subscribed[]> {
  const url = await postgres.database();
  const worker = await ServerProcess.start('replica', url);
  const other = await ServerProcess.start('replica', url);
  const figures: Subscribed[] = [];
  const sockets: Awaited<ReturnType<typeof follow>>[] = [];
  try {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const empty = (await other.usage('memory')).rss;
    for (const count of counts) {
      for (let left = count - sockets.length; left > 0; left -= 100) {
        const ids = await Promise.all(Array.from({ length: Math.min(left, 100) }, () => begin(worker.http, 'wait')));
        sockets.push(...(await Promise.all(ids.map((id) => follow(other.http, id, () => undefined)))));
      }
      const { rss } = await other.usage('memory');
      const before = { gateway: (await other.usage()).cpu, postgres: cpuOfPostgres(postgres) };
      await new Promise((resolve) => setTimeout(resolve, pause));
      const idleGateway = ((await other.usage()).cpu - before.gateway) / pause;
      const idlePostgres = ((cpuOfPostgres(postgres) - before.postgres) / pause) * 1_000;
      figures.push({
        subscriptions: count,
        kib: (rss - empty) / count / 1_024,
        idleGateway,
        idlePostgres,
        perEvent: await costOfEvent(worker, other),
      });
    }
    return figures;
  } finally {
    for (const socket of sockets) socket.destroy();
    await worker.stop();
    await other.stop();
  }
}

async function costOfEvent(worker: ServerProcess, other: ServerProcess): Promise<number> {
  const id = await begin(worker.http, `stream ${chunks} 1`);
  const before = (await other.usage()).cpu;
  const told = chunkTimes(chunks);
  const socket = await follow(other.http, id, told.hear);
  await told.all;
  socket.destroy();
  return ((await other.usage()).cpu - before) / chunks;
}
