import { bytes } from '../../ui/format.ts';

/** What the values of a chart are. */
export type Unit = 'perSecond' | 'seconds' | 'bytes' | 'count' | 'share';

/** A number with three digits that count. */
const digits = (value: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: Math.abs(value) >= 100 ? 4 : 3, useGrouping: false });

/** The largest scale that a value reaches, otherwise the smallest one. */
function scaled(value: number, scales: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = scales.find(([least]) => Math.abs(value) >= least) ?? (scales.at(-1) as [number, string]);
  return `${digits(value / size)} ${name}`;
}

const durations = [
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
  [0.001, 'ms'],
  [0.000_001, 'µs'],
] as const;

const formats: { readonly [U in Unit]: (value: number) => string } = {
  perSecond: (value) => `${digits(value)}/s`,
  seconds: (value) => scaled(value, durations),
  bytes,
  count: (value) => value.toLocaleString('en-US', { maximumFractionDigits: 1 }),
  share: (value) => `${digits(value * 100)} %`,
};

/** A value with its unit, such as `12.5 ms`. */
export function formatValue(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–';
  return value === 0 && unit === 'seconds' ? '0 s' : formats[unit](value);
}
