import type { Chart } from './charts.ts';
import { parseMetrics, type Samples } from './exposition.ts';
import { type Evaluator, evaluatorOf, metricsOf } from './queries.ts';

/** Seconds for which values are kept. */
export const keptSeconds = 3_600;

/** One line of a chart: a value for each time of the history. Null: unknown. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Values of all charts since the page was opened, an hour at most. */
export class History {
  readonly #charts: readonly ChartHistory[];
  readonly #interval: number;
  readonly #wanted: ReadonlySet<string>;
  #times: number[] = [];

  /** @param interval seconds between two readings; after a longer break lines are interrupted */
  constructor(charts: readonly Chart[], interval: number) {
    this.#charts = charts.map((chart) => new ChartHistory(chart));
    this.#interval = interval;
    this.#wanted = new Set(charts.flatMap(({ lines }) => lines.flatMap(({ query }) => metricsOf(query))));
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
      for (const chart of this.#charts) chart.interrupt();
    }
    this.#times.push(time);
    for (const chart of this.#charts) chart.add(samples, time);
    const old = this.#times.findIndex((one) => one >= time - keptSeconds);
    this.#times = this.#times.slice(old);
    for (const chart of this.#charts) chart.drop(old);
  }

  /** The lines of a chart, in the order in which they appeared. */
  lines(id: string): readonly Line[] {
    return this.#charts.find((one) => one.chart.id === id)?.lines ?? [];
  }
}

class ChartHistory {
  readonly chart: Chart;
  readonly #evaluators: readonly (readonly [label: string | undefined, Evaluator])[];
  readonly #lines = new Map<string, (number | null)[]>();
  #length = 0;

  constructor(chart: Chart) {
    this.chart = chart;
    this.#evaluators = chart.lines.map(({ label, query }) => [label, evaluatorOf(query)]);
  }

  get lines(): Line[] {
    return Array.from(this.#lines, ([label, values]) => ({ label, values }));
  }

  add(samples: Samples, time: number): void {
    this.#append(
      new Map(
        this.#evaluators.flatMap(([label, evaluator]) =>
          Array.from(evaluator.read(samples, time), ([key, value]) => [label ?? key, value] as const),
        ),
      ),
    );
  }

  interrupt(): void {
    for (const [, evaluator] of this.#evaluators) evaluator.restart();
    this.#append(new Map());
  }

  /** Drops the oldest values. Lines without any value are gone. */
  drop(count: number): void {
    if (count <= 0) return;
    this.#length -= count;
    for (const [label, values] of this.#lines) {
      values.splice(0, count);
      if (values.every((value) => value === null)) this.#lines.delete(label);
    }
  }

  #append(now: ReadonlyMap<string, number>): void {
    for (const [label, value] of now) {
      const values = this.#lines.get(label) ?? Array.from({ length: this.#length }, () => null);
      this.#lines.set(label, values);
      values.push(Number.isFinite(value) ? value : null);
    }
    this.#length += 1;
    for (const values of this.#lines.values()) if (values.length < this.#length) values.push(null);
  }
}
