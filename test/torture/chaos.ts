import { setTimeout as delay } from 'node:timers/promises';
import type { Halt } from '../support/postgres.ts';
import type { Cluster } from './cluster.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { Random } from './random.ts';

/** Longer than a gateway that says nothing is taken for alive. */
const outlived = { least: 9_500, most: 13_000 } as const;

/** Milliseconds that a blow waits for a gateway that can be spared. */
const patience = 4_000;

/** Something that happens to the machine. */
export type Blow =
  | { readonly at: number; readonly what: 'kill' | 'stop' | 'pause'; readonly whom: number; readonly ms: number }
  | { readonly at: number; readonly what: 'database'; readonly how: Halt; readonly ms: number };

export interface ScheduleOptions {
  readonly seed: number;
  readonly seconds: number;
  /** More than the bare minimum: gateways are stopped gently too, the database ends in every way, and more than once. */
  readonly long: boolean;
}

/** What happens when (milliseconds from the beginning): the same for the same seed. */
export function schedule({ seed, seconds, long }: ScheduleOptions): Blow[] {
  const random = new Random(seed);
  const end = seconds * 1_000;
  const blows: Blow[] = [];
  const every = (least: number, most: number, first: number, blow: (at: number) => Blow): void => {
    for (let at = first; at < end; at += random.between(least, most)) blows.push(blow(Math.round(at)));
  };
  const whom = (): number => random.between(0, 2);
  every(2_500, 4_500, 1_500, (at) => {
    const what = long && random.chance(0.2) ? 'stop' : 'kill';
    return { at, what, whom: whom(), ms: random.between(200, 1_500) };
  });
  every(20_000, 40_000, long ? 8_000 : 1_000, (at) => {
    return { at, what: 'pause', whom: whom(), ms: random.between(outlived.least, outlived.most) };
  });
  every(25_000, 50_000, long ? 15_000 : end * 0.55, (at) => {
    const how = long ? random.pick<Halt>(['fast', 'immediate', 'kill']) : 'fast';
    return { at, what: 'database', how, ms: random.between(300, long ? 4_000 : 1_000) };
  });
  return blows.sort((one, other) => one.at - other.at);
}

/** How often what happened; what found nobody that could be spared is not counted. */
export type Tally = Record<Blow['what'], number>;

/** Lets it happen. Resolves when all of it has, and every gateway runs again. */
export async function havoc(cluster: Cluster, blows: readonly Blow[], print: (line: string) => void): Promise<Tally> {
  const tally: Tally = { kill: 0, stop: 0, pause: 0, database: 0 };
  const began = Date.now();
  const under = new Set<Promise<void>>();
  for (const blow of blows) {
    await delay(Math.max(0, blow.at - (Date.now() - began)));
    const happening = strike(cluster, blow, (line) => {
      tally[blow.what] += 1;
      print(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
    }).finally(() => under.delete(happening));
    under.add(happening);
  }
  await Promise.all(under);
  await Promise.all(cluster.gateways.map((gateway) => gateway.ready()));
  return tally;
}

async function strike(cluster: Cluster, blow: Blow, struck: (line: string) => void): Promise<void> {
  if (blow.what === 'database') {
    struck(`the database ends (${blow.how}) for ${blow.ms} ms`);
    await cluster.restartDatabase(blow.how, blow.ms);
    return;
  }
  const victim = await spared(cluster, blow.whom);
  if (!victim) return;
  const name = `gateway ${cluster.gateways.indexOf(victim)}`;
  if (blow.what === 'pause') {
    struck(`${name} is paused for ${blow.ms} ms`);
    victim.pause();
    await delay(blow.ms);
    victim.continue();
    return;
  }
  struck(blow.what === 'kill' ? `${name} is killed` : `${name} is told to stop`);
  await victim.end(blow.what === 'kill' ? 'SIGKILL' : 'SIGTERM');
  await delay(blow.ms);
  victim.start();
}

/** The first gateway from a number on that runs, as soon as another one runs besides; undefined when that takes long. */
async function spared({ gateways }: Cluster, from: number): Promise<GatewayProcess | undefined> {
  const order = [...gateways.slice(from), ...gateways.slice(0, from)];
  for (const until = Date.now() + patience; Date.now() < until; await delay(50)) {
    const up = order.filter((gateway) => gateway.up);
    if (up.length > 1) return up[0];
  }
  return undefined;
}
