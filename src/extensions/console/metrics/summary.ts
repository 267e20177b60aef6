import { bytes, duration } from '../ui/format.ts';
import { type Chart, type Unit, unitOf } from './charts.ts';
import type { Line } from './lines.ts';

/** Returns the highest value of a line; null if none is known. */
export function highestOf({ values }: Pick<Line, 'values'>): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Largest number of lines that a chart draws, which is the number of their colors. */
const mostDrawn = 8;

/** Returns the lines to draw: those with the highest values, in the order of their labels. */
export function drawn(lines: readonly Line[]): readonly Line[] {
  const heightOf = (line: Line): number => highestOf(line) ?? -Infinity;
  const byHeight = lines.toSorted((a, b) => heightOf(b) - heightOf(a));
  return byHeight.slice(0, mostDrawn).toSorted((a, b) => a.label.localeCompare(b.label, 'en', { numeric: true }));
}

/** Describes the condition of a chart's alert. */
export function conditionOf({ alert, lines }: Pick<Chart, 'alert' | 'lines'>): string {
  if (!alert) return '';
  const { when, value, lasts, within, line } = alert;
  const condition = `${when === '>' ? 'above' : 'at'} ${formatValue(value, unitOf({ lines }))}`;
  return `${line ? `${line} ` : ''}${condition}${lasts ? ` for ${spanOf(lasts)}` : ''}${within ? ` within ${spanOf(within)}` : ''}`;
}

const spanOf = (span: string): string => span.replace('m', ' min').replace('h', ' h');

/** Formats a number with three significant digits. */
const digits = (value: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: Math.abs(value) >= 100 ? 4 : 3, useGrouping: false });

const formats: { readonly [U in Unit]: (value: number) => string } = {
  perSecond: (value) => `${digits(value)}/s`,
  seconds: (value) => duration(value * 1_000),
  bytes,
  count: (value) => value.toLocaleString('en-US', { maximumFractionDigits: 1 }),
  share: (value) => `${digits(value * 100)} %`,
};

/** Formats a value with its unit, such as `12.5 ms`. */
export function formatValue(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–';
  return value === 0 && unit === 'seconds' ? '0 s' : formats[unit](value);
}
