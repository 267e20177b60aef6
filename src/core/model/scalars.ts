/** Sizes and durations as they are written in a configuration and on the command line. */

/** Bytes in each unit of size; the smallest first. */
const sizeUnits = {
  B: 1,
  kB: 1000,
  KB: 1000,
  KiB: 1024,
  MB: 1000 ** 2,
  MiB: 1024 ** 2,
  GB: 1000 ** 3,
  GiB: 1024 ** 3,
} as const;

/** Milliseconds in each unit of time; the smallest first. */
const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Units = Readonly<Record<string, number>>;

/** The number in the smallest unit; undefined when the text is not a number with a unit. */
function parseQuantity(text: string, units: Units): number | undefined {
  const [, number, name = ''] = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+)$/.exec(text.trim()) ?? [];
  if (!Object.hasOwn(units, name)) return undefined;
  const value = Math.round(Number(number) * (units[name] as number));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The value as a whole number of the largest possible unit. */
function formatQuantity(value: number, units: Units): string {
  const [name, unit] = Object.entries(units).findLast(([, size]) => value % size === 0 && value >= size) ??
    Object.entries(units)[0] ?? ['', 1];
  return `${value / unit}${name}`;
}

/**
 * Parses a size to bytes. Accepts `512B`, `64KiB`, `10MiB`, `1GiB`, the decimal units `kB` (or `KB`), `MB` and `GB`,
 * fractions such as `1.5MiB`, and a number of bytes without a unit, below 2^53. Undefined for anything else.
 */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  return /^\d+$/.test(value.trim()) ? parseSize(Number(value)) : parseQuantity(value, sizeUnits);
}

/** Formats bytes in the form that `parseSize` reads, such as `10MiB`. */
export const formatSize = (bytes: number): string =>
  formatQuantity(bytes, { B: sizeUnits.B, KiB: sizeUnits.KiB, MiB: sizeUnits.MiB, GiB: sizeUnits.GiB });

/**
 * Parses a duration to milliseconds. Accepts `500ms`, `300s`, `10m`, `12h`, `30d` and fractions such as `1.5h`.
 * Undefined for anything else, also for a number without a unit, which might be meant as seconds.
 */
export const parseDuration = (text: string): number | undefined => parseQuantity(text, durationUnits);

/** Formats milliseconds in the form that `parseDuration` reads, such as `5m`. */
export const formatDuration = (ms: number): string => formatQuantity(ms, durationUnits);
