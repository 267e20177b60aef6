import { median, type Settings } from './part.ts';

/** Measurements of one load, by the name of the measure. */
export type Sample = Readonly<Record<string, number>>;

/** A warm-up has ended when two rounds in succession differ by no more than this share, */
const agreement = 0.03;
/** but not before so many rounds, */
const atLeast = 3;
/** and in any case after so many, or when it has taken as long as this many rounds should: some loads outlast their round. */
const atMost = { rounds: 10, durations: 12 } as const;

/**
 * Puts load on each competitor in turns, so that a machine that becomes faster or slower does so for all of them, and
 * returns medians. Before that, each is warmed up until two rounds agree.
 *
 * @param loads what puts load on each competitor for some milliseconds
 * @param settled the measure whose rounds have to agree
 */
export async function measureInTurns<Name extends string>(
  loads: ReadonlyMap<Name, (duration: number) => Promise<Sample>>,
  { rounds, duration }: Pick<Settings, 'rounds' | 'duration'>,
  settled: string,
): Promise<(name: Name) => Sample> {
  for (const load of loads.values()) await warmUp(load, duration, settled);
  const samples = new Map<Name, Sample[]>();
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...loads] : [...loads].reverse();
    for (const [name, load] of order) samples.set(name, [...(samples.get(name) ?? []), await load(duration)]);
  }
  return (name) => {
    const own = samples.get(name);
    if (!own?.[0]) throw new Error(`not measured: ${name}`);
    return Object.fromEntries(Object.keys(own[0]).map((key) => [key, median(own.map((each) => each[key] ?? 0))]));
  };
}

async function warmUp(load: (duration: number) => Promise<Sample>, duration: number, key: string): Promise<void> {
  let last = Number.NaN;
  const end = performance.now() + duration * atMost.durations;
  for (let round = 1; round <= atMost.rounds && (round <= atLeast || performance.now() < end); round += 1) {
    const value = (await load(duration))[key] ?? Number.NaN;
    if (round >= atLeast && Math.abs(value - last) <= agreement * last) return;
    last = value;
  }
}
