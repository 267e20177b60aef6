import { median, type Settings } from './part.ts';

/** Measurements of one load, by the name of the measure. */
export type Sample = Readonly<Record<string, number>>;

/** A warm-up has ended when two rounds in succession differ by no more than this share, */
const agreement = 0.03;
/** but not before so many rounds, */
const atLeast = 3;
/** and in any case after so many, or when it has taken as long as this many rounds should: some loads outlast their round. */
const atMost = { rounds: 10, durations: 12 } as const;

type Loads<Name extends string> = ReadonlyMap<Name, (duration: number) => Promise<Sample>>;

/** Measures each competitor once. The order is reversed each time, so that no competitor keeps a better place. */
type Round<Name extends string> = () => Promise<ReadonlyMap<Name, Sample>>;

/**
 * Puts load on each competitor in turns, so that a machine that becomes faster or slower does so for all of them. They are warmed up in
 * turns too, until two rounds of each agree: one that rests while others are warmed up would begin its first round cold. Each is
 * measured as often before as after each other one. Returns medians.
 *
 * @param loads what puts load on each competitor for some milliseconds
 * @param settings an odd number of rounds is increased by one
 * @param settled the measure whose rounds have to agree
 */
export async function measureInTurns<Name extends string>(
  loads: Loads<Name>,
  { rounds, duration }: Pick<Settings, 'rounds' | 'duration'>,
  settled: string,
): Promise<(name: Name) => Sample> {
  const round = alternating(loads, duration);
  await warmUp(round, duration * loads.size, settled);
  const measured: ReadonlyMap<Name, Sample>[] = [];
  while (measured.length < rounds) measured.push(await round(), await round());
  return (name) => {
    const own = measured.map((samples) => samples.get(name)).filter((sample) => sample !== undefined);
    if (!own[0]) throw new Error(`not measured: ${name}`);
    return Object.fromEntries(Object.keys(own[0]).map((key) => [key, median(own.map((each) => each[key] ?? 0))]));
  };
}

function alternating<Name extends string>(loads: Loads<Name>, duration: number): Round<Name> {
  let order = [...loads];
  return async () => {
    const samples = new Map<Name, Sample>();
    for (const [name, load] of order) samples.set(name, await load(duration));
    order = order.toReversed();
    return samples;
  };
}

/** @param usual milliseconds that one round should take */
async function warmUp(round: Round<string>, usual: number, key: string): Promise<void> {
  const end = performance.now() + usual * atMost.durations;
  const settled = new Set<string>();
  let last: ReadonlyMap<string, Sample> = new Map();
  for (let count = 1; count <= atMost.rounds && (count <= atLeast || performance.now() < end); count += 1) {
    const samples = await round();
    for (const [name, sample] of samples) {
      const [now = Number.NaN, before = Number.NaN] = [sample[key], last.get(name)?.[key]];
      if (count >= atLeast && Math.abs(now - before) <= agreement * before) settled.add(name);
    }
    if (settled.size === samples.size) return;
    last = samples;
  }
}
