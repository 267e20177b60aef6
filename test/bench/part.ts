/** The settings of a run's measurements. */
export interface Settings {
  /** Medians are taken over so many rounds. */
  readonly rounds: number;
  /** Milliseconds of one load. */
  readonly duration: number;
  /** Every part is measured so often, with servers that are started anew; results are medians. Default 1. */
  readonly runs?: number;
  /** The root of an earlier checkout, for parts that compare with it. */
  readonly before?: string;
}

/** Measurements of one server: CPU, requests, latencies, memory, by the name of the unit. */
export interface Figure {
  readonly scenario: string;
  readonly server: string;
  readonly [measure: string]: string | number;
}

/** A ratio that was measured (or a bound that is absolute), and what it is meant to be, where there is a goal. */
export interface Ratio {
  readonly what: string;
  readonly measured: number;
  readonly wanted?: Wanted;
  readonly met?: boolean;
  /** The lowest and the highest of several runs. */
  readonly spread?: string;
}

export type Wanted = `${'≥' | '≤' | '<'} ${number}`;

export interface Measured {
  readonly figures: readonly Figure[];
  readonly ratios: readonly Ratio[];
}

/** Something that `--only` can select. Each part starts its own servers and stops them. */
export interface Part {
  readonly name: string;
  measure(settings: Settings): Promise<Measured>;
}

/** Three digits that say something: more would be noise. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));

/** A ratio, held against its goal when there is one. */
export function ratio(what: string, value: number, wanted?: Wanted): Ratio {
  const measured = rounded(value);
  if (wanted === undefined) return { what, measured };
  const [sign = '', bound = ''] = wanted.split(' ');
  const limit = Number(bound);
  return { what, measured, wanted, met: sign === '≥' ? value >= limit : sign === '≤' ? value <= limit : value < limit };
}

/** CPU of the gateway over that of an earlier checkout which took turns with it. */
export const overEarlier = (name: string, now: number, before: number): Ratio =>
  ratio(`${name}: CPU over the earlier checkout`, now / before);

/** The value below which this share of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of the numbers: of an even number of them, the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [lower = Number.NaN, upper = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (lower + upper) / 2;
}

/** Measures a part as often as the settings say, one without goals once, and returns medians, with the spread of ratios. */
export async function measureRuns(part: Part, settings: Settings): Promise<Measured> {
  const runs: Measured[] = [];
  const hasGoal = (): boolean => runs.some(({ ratios }) => ratios.some(({ wanted }) => wanted !== undefined));
  do runs.push(await part.measure(settings));
  while (runs.length < (settings.runs ?? 1) && hasGoal());
  const [first] = runs;
  if (!first || runs.length === 1) return first ?? { figures: [], ratios: [] };
  const figures = first.figures.map((figure, i) => {
    const measures = Object.entries(figure).map(([key, value]) => [
      key,
      typeof value === 'number' ? median(runs.map((each) => Number(each.figures[i]?.[key]))) : value,
    ]);
    return Object.fromEntries(measures) as Figure;
  });
  const ratios = first.ratios.map(({ what, wanted }, i) => {
    const all = runs.map((each) => each.ratios[i]?.measured ?? Number.NaN);
    return { ...ratio(what, median(all), wanted), spread: `(${Math.min(...all)} to ${Math.max(...all)})` };
  });
  return { figures, ratios };
}
