import type { PostgresServer } from '../../support/postgres.ts';
import { ServerProcess } from '../server-process.ts';
import { begin, chunkTimes, follow } from './calls.ts';
import { cpuOfPostgres } from './machine.ts';

/** Cost of an event that this many other gateways follow: microseconds of CPU, without the CPU of idle gateways. */
export interface Followed {
  readonly followers: number;
  /** Of the gateway that writes it. */
  readonly writer: number;
  /** Of each gateway that follows, which tells it one subscriber. */
  readonly follower: number;
  readonly postgres: number;
}

/** Streams at once, events of each, and milliseconds between two of them: each is written alone, as a rule. */
const load = { streams: 4, chunks: 1_000, pause: 5 } as const;
/** Milliseconds that gateways are left alone, to see what they use in any case. */
const quiet = 5_000;

/** Measures with as many gateways as the largest number of followers needs, all of them there all the time. */
export async function measureFollowers(postgres: PostgresServer, counts: readonly number[]): Promise<Followed[]> {
  // Few connections each: the server has a hundred.
  const url = `${await postgres.database()}&max=4`;
  const servers: ServerProcess[] = [];
  try {
    for (let i = 0; i <= Math.max(...counts); i += 1) servers.push(await ServerProcess.start('replica', url));
    const [writer, ...others] = servers;
    if (!writer) throw new Error('no gateway');
    // The first one warms up.
    await measure(postgres, writer, others);
    const figures: Followed[] = [];
    for (const followers of counts) {
      const following = others.slice(0, followers);
      figures.push({ followers, ...(await measure(postgres, writer, following)) });
    }
    return figures;
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function measure(
  postgres: PostgresServer,
  writer: ServerProcess,
  following: readonly ServerProcess[],
): Promise<Omit<Followed, 'followers'>> {
  const used = async (): Promise<{ writer: number; following: number; postgres: number; at: number }> => {
    let all = 0;
    for (const server of following) all += (await server.usage()).cpu;
    const own = (await writer.usage()).cpu;
    return { writer: own, following: all, postgres: cpuOfPostgres(postgres) * 1_000, at: performance.now() };
  };
  const idle = await used();
  await new Promise((resolve) => setTimeout(resolve, quiet));
  const before = await used();
  const told: Promise<unknown>[] = [];
  const sockets = await Promise.all(
    Array.from({ length: load.streams }, async () => {
      const id = await begin(writer.http, `stream ${load.chunks} ${load.pause}`);
      // One client always listens at the gateway that runs the task, which shows when the task ends.
      return Promise.all(
        [writer, ...following].map(({ http }) => {
          const { hear, all } = chunkTimes(load.chunks);
          told.push(all);
          return follow(http, id, hear);
        }),
      );
    }),
  );
  await Promise.all(told);
  const after = await used();
  for (const socket of sockets.flat()) socket.destroy();
  const events = load.streams * load.chunks;
  const perEvent = (what: 'writer' | 'following' | 'postgres'): number => {
    const usual = (before[what] - idle[what]) / (before.at - idle.at);
    return (after[what] - before[what] - usual * (after.at - before.at)) / events;
  };
  return {
    writer: perEvent('writer'),
    follower: following.length > 0 ? perEvent('following') / following.length : 0,
    postgres: perEvent('postgres'),
  };
}
