import { type Alert, type Chart, isMet } from './charts.ts';
import type { Line } from './history.ts';

/** What a table says about a line. */
export interface LineSummary {
  readonly label: string;
  readonly latest: number | null;
  readonly lowest: number | null;
  readonly average: number | null;
  readonly highest: number | null;
}

export function summaryOf({ label, values }: Line): LineSummary {
  let [sum, count, lowest, highest] = [0, 0, Infinity, -Infinity];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count += 1;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  const latest = values.at(-1) ?? null;
  if (count === 0) return { label, latest, lowest: null, average: null, highest: null };
  return { label, latest, lowest, average: sum / count, highest };
}

/** Most lines that a chart draws; a table has all of them. */
export const mostDrawn = 8;

/** The lines to draw: those with the highest values, in the order of their labels. */
export function drawn(lines: readonly Line[]): readonly Line[] {
  const highest = new Map(lines.map((line) => [line, summaryOf(line).highest ?? -Infinity]));
  const byHeight = lines.toSorted((a, b) => (highest.get(b) as number) - (highest.get(a) as number));
  return byHeight.slice(0, mostDrawn).toSorted((a, b) => a.label.localeCompare(b.label, 'en', { numeric: true }));
}

/** The alerts of a chart whose conditions the latest values meet. How long they have to last is not considered. */
export function metAlerts({ alerts = [] }: Chart, lines: readonly Line[]): readonly Alert[] {
  return alerts.filter((alert) => lines.some(({ label, values }) => isMet(alert, label, values.at(-1))));
}

/** What an alert is about, in words. */
export function conditionOf({ when, value, lasts, line }: Alert, format: (value: number) => string): string {
  const subject = line === undefined ? '' : `${line} `;
  const condition = when === '>' ? `above ${format(value)}` : `at ${format(value)}`;
  return `${subject}${condition}${lasts === undefined ? '' : ` for ${lasts.replace('m', ' min')}`}`;
}
