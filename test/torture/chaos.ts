import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../support/random.ts';
import { type Cluster, size } from './cluster.ts';
import { type Blow, type FaultName, faultNames, faults } from './faults.ts';

/** Troubles of the gateways: faults that strike now and then, and clocks that are wrong all the time. */
export type TroubleName = FaultName | 'clocks';

export const troubleNames: readonly TroubleName[] = [...faultNames, 'clocks'];

const [second, minute, day] = [1_000, 60_000, 86_400_000] as const;

/** Milliseconds by which a clock may be off: more than a day, and more than tasks are kept for, too. */
const offsets = [-90 * second, 20 * minute, 26 * 60 * minute, -26 * 60 * minute, 40 * day] as const;

/** A mixture of troubles: the same for the same seed. */
export function mixture(seed: number): TroubleName[] {
  const random = new Random(seed);
  const chosen = troubleNames.filter(() => random.chance(0.5));
  return chosen.length > 0 ? chosen : [random.pick(troubleNames)];
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly troubles: readonly TroubleName[];
}

/** Milliseconds by which each gateway's clock is off: the same for the same seed. */
export function clocks({ seed, troubles }: ScheduleOptions): number[] {
  const random = new Random(seed + 3);
  return Array.from({ length: size }, () => (troubles.includes('clocks') ? random.pick([0, ...offsets]) : 0));
}

/** Times of the faults, which the seed determines. */
export function schedule({ seed, seconds, troubles }: ScheduleOptions): Blow[] {
  const end = seconds * 1_000;
  return faultNames
    .filter((what) => troubles.includes(what))
    .flatMap((what, i) => {
      const random = new Random(seed + 100 * (i + 1));
      const { first, every, lasts } = faults[what];
      const blows: Blow[] = [];
      for (let at = Math.min(first[0], first[1] * end); at < end; at += random.between(...every)) {
        const [whom, ms] = [random.between(0, size - 1), random.between(...lasts)];
        blows.push({ at: Math.round(at), what, whom, ms, seed: random.between(0, 1_000_000) });
      }
      return blows;
    })
    .sort((one, other) => one.at - other.at);
}

/** Number of strikes by fault, except those that found no gateway to spare. */
export type Tally = Readonly<Partial<Record<FaultName, number>>>;

export interface HavocOptions extends ScheduleOptions {
  readonly print: (line: string) => void;
}

/** Lets it happen. Resolves when the time is over, all of it has happened, and every gateway runs again. */
export async function havoc(cluster: Cluster, { print, ...options }: HavocOptions): Promise<Tally> {
  const tally: Partial<Record<FaultName, number>> = {};
  const began = Date.now();
  const under = new Set<Promise<void>>();
  for (const blow of schedule(options)) {
    await delay(Math.max(0, blow.at - (Date.now() - began)));
    const happening = faults[blow.what]
      .strike(cluster, blow, (what) => {
        tally[blow.what] = (tally[blow.what] ?? 0) + 1;
        print(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`);
      })
      .finally(() => under.delete(happening));
    under.add(happening);
  }
  await delay(Math.max(0, options.seconds * 1_000 - (Date.now() - began)));
  await Promise.all(under);
  await Promise.all(cluster.gateways.map((gateway) => gateway.ready()));
  return tally;
}
