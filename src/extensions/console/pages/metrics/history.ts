/** One line of Prometheus' text format. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by the full name of their lines, such as `a2a_gateway_request_duration_seconds_bucket`. */
type Samples = ReadonlyMap<string, readonly Sample[]>;

const label = /[ \t,]*([a-zA-Z_]\w*)="((?:[^"\\\n]|\\.)*)"/gy;
/** A name, labels and a value. A time may follow. */
const line = /^([a-zA-Z_:][\w:]*)(?:\{((?:[ \t,]*[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*")*)[ \t,]*\})?[ \t]+(\S+)/gm;

/**
 * Reads Prometheus' text format, version 0.0.4. Lines of other names than the wanted ones are left out, and so are lines that
 * cannot be read.
 */
export function parseMetrics(exposed: string, wanted: ReadonlySet<string>): Samples {
  const samples = new Map<string, Sample[]>();
  for (const [, name = '', labels = '', word = ''] of exposed.matchAll(line)) {
    const value = Number(word.replace('Inf', 'Infinity'));
    if (!wanted.has(name) || Number.isNaN(value)) continue;
    const pairs = Array.from(labels.matchAll(label), ([, key = '', of = '']) => [key, unescaped(of)]);
    const sample = { labels: Object.fromEntries(pairs), value };
    const list = samples.get(name);
    if (list) list.push(sample);
    else samples.set(name, [sample]);
  }
  return samples;
}

const unescaped = (written: string): string =>
  written.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));

/** Seconds for which values are kept. */
export const keptSeconds = 3_600;

/** What values are. */
export type Unit = 'perSecond' | 'seconds' | 'bytes' | 'count' | 'share';

/** How the figures of a line become its value. */
export interface Show {
  /** What the values are, where the chart does not say it. */
  readonly unit: Unit;
  /** Seconds over which counters are compared. 0: figures are shown as they are. */
  readonly window: number;
  /** The label that tells the parts of a line apart, such as the bounds of a histogram. */
  readonly parts?: string;
  /** The values of this label that count. */
  readonly pick?: RegExp;
  /** The value of a line from its parts, or from how much they grew; undefined where it has none. */
  readonly value: (parts: ReadonlyMap<string, number>, seconds: number) => number | undefined;
}

/** One line of a chart, or one for each value of the label `by`: which figures it shows, and how. */
export interface Series {
  /** Absent: the value of the label `by`. */
  readonly label?: string;
  /** Full name of the figures. */
  readonly metric: string;
  /** Values of labels that figures must have. */
  readonly where?: Readonly<Record<string, string>>;
  readonly by?: string;
  readonly show: Show;
}

/** Most lines of one series: more are summed as `others`. */
const mostLines = 40;
export const others = 'others';

/** One line of a chart: a value for each time of the history. Null: unknown. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface Shown {
  readonly id: string;
  readonly lines: readonly Series[];
}

/** Values of all charts since the page was opened, an hour at most. */
export class History {
  readonly #charts: ReadonlyMap<string, ChartHistory>;
  readonly #interval: number;
  readonly #wanted: ReadonlySet<string>;
  #times: number[] = [];

  /** @param interval seconds between two readings; after a longer break lines are interrupted */
  constructor(charts: readonly Shown[], interval: number) {
    this.#charts = new Map(charts.map(({ id, lines }) => [id, new ChartHistory(lines)]));
    this.#interval = interval;
    this.#wanted = new Set(charts.flatMap(({ lines }) => lines.map(({ metric }) => metric)));
  }

  /** Seconds, ascending. */
  get times(): readonly number[] {
    return this.#times;
  }

  /**
   * Adds a reading.
   *
   * @param text in Prometheus' format
   * @param time in seconds
   */
  add(text: string, time: number): void {
    const samples = parseMetrics(text, this.#wanted);
    const last = this.#times.at(-1);
    if (last !== undefined && time - last > 3 * this.#interval) {
      this.#times.push((last + time) / 2);
      for (const chart of this.#charts.values()) chart.interrupt();
    }
    this.#times.push(time);
    const old = this.#times.findIndex((one) => one >= time - keptSeconds);
    this.#times = this.#times.slice(old);
    for (const chart of this.#charts.values()) chart.add(samples, time, old);
  }

  /** The lines of a chart, in the order in which they appeared. */
  lines(id: string): readonly Line[] {
    return this.#charts.get(id)?.lines ?? [];
  }
}

class ChartHistory {
  readonly #series: readonly { readonly series: Series; readonly counters: Counters }[];
  readonly #lines = new Map<string, (number | null)[]>();
  #length = 0;

  constructor(lines: readonly Series[]) {
    this.#series = lines.map((series) => ({ series, counters: new Counters(series.show.window) }));
  }

  get lines(): Line[] {
    return Array.from(this.#lines, ([label, values]) => ({ label, values }));
  }

  /** @param dropped so many of the oldest values are dropped. Lines without any value are gone */
  add(samples: Samples, time: number, dropped: number): void {
    for (const { series, counters } of this.#series) {
      const { label, show } = series;
      const { seconds, parts } = counters.read(partsOf(series, samples.get(series.metric) ?? []), time);
      // Counters say something from the second reading on.
      if (show.window > 0 && seconds === 0) continue;
      for (const [line, its] of parts) this.#set(label ?? line, show.value(its, seconds));
    }
    this.#end();
    if (dropped <= 0) return;
    this.#length -= dropped;
    for (const [label, values] of this.#lines) {
      values.splice(0, dropped);
      if (values.every((value) => value === null)) this.#lines.delete(label);
    }
  }

  interrupt(): void {
    for (const { counters } of this.#series) counters.restart();
    this.#end();
  }

  #set(label: string, value: number | undefined): void {
    if (value === undefined) return;
    const values = this.#lines.get(label) ?? Array.from({ length: this.#length }, () => null);
    this.#lines.set(label, values);
    values.push(Number.isFinite(value) ? value : null);
  }

  #end(): void {
    this.#length += 1;
    for (const values of this.#lines.values()) if (values.length < this.#length) values.push(null);
  }
}

/** Figures by line and part. */
type Parts = Map<string, Map<string, number>>;

/** The sums of the figures that a series is about. */
function partsOf({ where = {}, by, show }: Series, samples: readonly Sample[]): Parts {
  const wanted = Object.entries(where);
  const lines: Parts = new Map();
  for (const { labels, value } of samples) {
    if (!wanted.every(([name, one]) => labels[name] === one)) continue;
    const own = by === undefined ? '' : (labels[by] ?? '');
    const line = lines.has(own) || lines.size < mostLines ? own : others;
    const part = show.parts === undefined ? '' : (labels[show.parts] ?? '');
    const parts = lines.get(line) ?? new Map<string, number>();
    lines.set(line, parts.set(part, (parts.get(part) ?? 0) + value));
  }
  return lines;
}

/** Counters over a window of readings. A counter that falls began anew, since the gateway was restarted. */
class Counters {
  readonly #window: number;
  /** Totals without restarts, the oldest reading first. */
  readonly #readings: { readonly time: number; readonly totals: Parts }[] = [];
  #last: Parts = new Map();

  /** @param window in seconds; 0 for figures that are no counters */
  constructor(window: number) {
    this.#window = window;
  }

  /** How much each counter grew in the window, and the seconds between its first reading and this one. */
  read(now: Parts, time: number): { readonly seconds: number; readonly parts: Parts } {
    if (this.#window === 0) return { seconds: 0, parts: now };
    const before = this.#readings.at(-1);
    const totals = mapped(now, (value, line, part) => {
      if (!before) return 0;
      const last = this.#last.get(line)?.get(part) ?? 0;
      return (before.totals.get(line)?.get(part) ?? 0) + (value >= last ? value - last : value);
    });
    this.#last = now;
    this.#readings.push({ time, totals });
    while ((this.#readings[0]?.time ?? time) < time - this.#window) this.#readings.shift();
    const first = this.#readings[0];
    return {
      seconds: time - (first?.time ?? time),
      parts: mapped(totals, (total, line, part) => total - (first?.totals.get(line)?.get(part) ?? 0)),
    };
  }

  restart(): void {
    this.#readings.length = 0;
    this.#last = new Map();
  }
}

const mapped = (lines: Parts, map: (value: number, line: string, part: string) => number): Parts =>
  new Map(
    Array.from(lines, ([line, parts]) => [
      line,
      new Map(Array.from(parts, ([part, value]) => [part, map(value, line, part)])),
    ]),
  );
