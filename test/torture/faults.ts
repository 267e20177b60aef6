import { setTimeout as delay } from 'node:timers/promises';
import type { Halt } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import type { Cluster } from './cluster.ts';
import type { DatabaseLink, Fate } from './database-link.ts';
import type { GatewayProcess } from './gateway-process.ts';

/** One fault, as the schedule has it. */
export interface Blow {
  /** Milliseconds from the beginning. */
  readonly at: number;
  readonly what: FaultName;
  /** Number of a gateway. */
  readonly whom: number;
  /** Its duration in milliseconds. */
  readonly ms: number;
  /** Chooses among the ways in which it can happen. */
  readonly seed: number;
}

/** Something that happens to the gateways, and to what they stand on. */
interface Fault {
  /** Milliseconds until the first one, but no more than this share of the run. */
  readonly first: readonly [ms: number, share: number];
  /** Milliseconds between two, at least and at most. */
  readonly every: readonly [number, number];
  /** Milliseconds that it lasts, at least and at most. */
  readonly lasts: readonly [number, number];
  /** @param struck called with what happens, when it does */
  strike(cluster: Cluster, blow: Blow, struck: (what: string) => void): Promise<void>;
}

/** Longer than a gateway that says nothing is taken for alive. */
const outlived = [9_500, 13_000] as const;

/** Milliseconds that a fault waits for a gateway that can be spared. */
const timeoutMs = 4_000;

const table = {
  kill: {
    first: [1_500, 0.5],
    every: [2_500, 4_500],
    lasts: [200, 1_500],
    strike: (cluster, blow, struck) => end(cluster, blow, 'SIGKILL', (name) => struck(`${name} is killed`)),
  },
  ambush: {
    first: [3_000, 0.3],
    every: [5_000, 9_000],
    lasts: [200, 1_500],
    // An event that the gateway has just sent may not be durable yet.
    async strike(cluster, { ms }, struck) {
      const victim = await cluster.nextEnd(timeoutMs);
      if (!victim?.up || !cluster.gateways.some((gateway) => gateway.up && gateway !== victim)) return;
      const ended = victim.end();
      struck(`${nameOf(cluster, victim)} is killed as it has told the end of a task`);
      await ended;
      await delay(ms);
      victim.start();
    },
  },
  stop: {
    first: [4_000, 0.5],
    every: [10_000, 18_000],
    lasts: [200, 1_500],
    strike: (cluster, blow, struck) => end(cluster, blow, 'SIGTERM', (name) => struck(`${name} is told to stop`)),
  },
  pause: {
    first: [8_000, 0.1],
    every: [20_000, 40_000],
    lasts: outlived,
    async strike(cluster, { whom, ms }, struck) {
      const victim = await spared(cluster, whom);
      if (!victim) return;
      struck(`${nameOf(cluster, victim)} is paused for ${ms} ms`);
      victim.pause();
      await delay(ms);
      victim.continue();
    },
  },
  cutoff: {
    first: [12_000, 0.2],
    every: [20_000, 40_000],
    lasts: outlived,
    async strike(cluster, { whom, ms }, struck) {
      const victim = await spared(cluster, whom);
      if (!victim) return;
      struck(`${nameOf(cluster, victim)} is cut off from the database for ${ms} ms`);
      victim.strike();
      await cluster.links[cluster.gateways.indexOf(victim)]?.hold(ms);
    },
  },
  database: {
    first: [15_000, 0.55],
    every: [25_000, 50_000],
    lasts: [300, 3_000],
    async strike(cluster, { ms, seed }, struck) {
      const how = new Random(seed).pick<Halt>(['fast', 'immediate', 'kill']);
      struck(`the database ends (${how}) for ${ms} ms`);
      await cluster.restartDatabase(how, ms);
    },
  },
  freeze: {
    first: [6_000, 0.15],
    every: [25_000, 40_000],
    lasts: [8_000, 10_000],
    async strike(cluster, { ms, seed }, struck) {
      const how = new Random(seed).pick(['processes', 'links'] as const);
      struck(`the database stands still (${how}) for ${ms} ms`);
      await cluster.freezeDatabase(how, ms);
    },
  },
  commits: {
    first: [2_000, 0.2],
    every: [5_000, 10_000],
    lasts: [1_500, 5_000],
    async strike({ links }, { whom, ms, seed }, struck) {
      const random = new Random(seed);
      const some = random.chance(0.4) ? links : links.slice(whom, whom + 1);
      const share = random.between(5, 40) / 100;
      struck(`${share * 100} % of the writes of ${some.length} gateways lose their answers for ${ms} ms`);
      await withLinks(some, ms, (link) => {
        link.fateOf = (statement) => (random.chance(share) ? lostFate(statement, random) : 'passed');
        return () => {
          link.fateOf = () => 'passed';
        };
      });
    },
  },
  slow: {
    first: [5_000, 0.3],
    every: [12_000, 20_000],
    lasts: [3_000, 8_000],
    async strike({ links }, { ms, seed }, struck) {
      const by = new Random(seed).between(10, 300);
      struck(`the way to the database takes ${by} ms for ${ms} ms`);
      await withLinks(links, ms, (link) => {
        link.slowness = by;
        return () => {
          link.slowness = 0;
        };
      });
    },
  },
  upstream: {
    first: [3_000, 0.25],
    every: [8_000, 15_000],
    lasts: [300, 3_000],
    async strike({ far }, { ms }, struck) {
      struck(`the upstream agent is away for ${ms} ms`);
      await far.down();
      await delay(ms);
      await far.up();
    },
  },
  answers: {
    first: [2_500, 0.2],
    every: [6_000, 12_000],
    lasts: [2_000, 6_000],
    async strike({ far }, { ms, seed }, struck) {
      const random = new Random(seed);
      const share = random.between(10, 50) / 100;
      struck(`${share * 100} % of the messages to the upstream agent lose their answers for ${ms} ms`);
      far.fateOf = () => (random.chance(share) ? random.pick(['cut after it', 'cut at its answer']) : 'answered');
      await delay(ms);
      far.fateOf = () => 'answered';
    },
  },
} as const satisfies Record<string, Fault>;

/** Faults that strike now and then. */
export type FaultName = keyof typeof table;

export const faults: Readonly<Record<FaultName, Fault>> = table;
export const faultNames = Object.keys(table) as FaultName[];

/** Chooses the fate of a write whose answer is to be lost. */
function lostFate(statement: string, random: Random): Fate {
  const fate = random.pick<Fate>(['reset', 'reset', 'swallowed', 'late', 'unsent']);
  // A gateway whose heartbeat hangs for ten seconds is dead to the others, as it should be.
  return fate === 'swallowed' && statement.includes('"gateway"') ? 'reset' : fate;
}

/** @param change returns what undoes it */
async function withLinks(links: readonly DatabaseLink[], ms: number, change: (link: DatabaseLink) => () => void) {
  const undo = links.map(change);
  await delay(ms);
  for (const one of undo) one();
}

async function end(
  cluster: Cluster,
  { whom, ms }: Blow,
  signal: 'SIGKILL' | 'SIGTERM',
  struck: (name: string) => void,
) {
  const victim = await spared(cluster, whom);
  if (!victim) return;
  struck(nameOf(cluster, victim));
  await victim.end(signal);
  await delay(ms);
  victim.start();
}

const nameOf = ({ gateways }: Cluster, gateway: GatewayProcess): string => `gateway ${gateways.indexOf(gateway)}`;

/** The first gateway from a number on that runs, as soon as another one runs besides; undefined when that takes long. */
async function spared({ gateways }: Cluster, from: number): Promise<GatewayProcess | undefined> {
  const order = [...gateways.slice(from), ...gateways.slice(0, from)];
  for (const until = Date.now() + timeoutMs; Date.now() < until; await delay(50)) {
    const up = order.filter((gateway) => gateway.up);
    if (up.length > 1) return up[0];
  }
  return undefined;
}
