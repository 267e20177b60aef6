/** Sizes and durations as people write them in a configuration. */

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

/** The number that `text` stands for in the smallest unit, or undefined when it does not read as one. */
function parseQuantity(text: string, units: Units): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+)$/.exec(text.trim());
  const unit = match?.[2] === undefined || !Object.hasOwn(units, match[2]) ? undefined : units[match[2]];
  if (match === null || unit === undefined) return undefined;
  const value = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `value` in the largest of the units that it is a whole number of. */
function formatQuantity(value: number, units: Units): string {
  const [name, unit] = Object.entries(units).findLast(([, size]) => value % size === 0 && value >= size) ??
    Object.entries(units)[0] ?? ['', 1];
  return `${value / unit}${name}`;
}

/**
 * Bytes. Takes `512B`, `64KiB`, `10MiB`, `1GiB`, their decimal sisters `kB` (or `KB`), `MB` and `GB`, fractions such as
 * `1.5MiB`, and a bare number of bytes. Undefined when it is none of these or not below 2^53.
 */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  return /^\d+$/.test(value.trim()) ? parseSize(Number(value)) : parseQuantity(value, sizeUnits);
}

/** Bytes in the form that `parseSize` reads, such as `10MiB`. */
export const formatSize = (bytes: number): string =>
  formatQuantity(bytes, { B: sizeUnits.B, KiB: sizeUnits.KiB, MiB: sizeUnits.MiB, GiB: sizeUnits.GiB });

/**
 * Milliseconds. Takes `500ms`, `300s`, `10m`, `12h`, `30d` and fractions such as `1.5h`. A number without a unit is
 * refused (undefined), because nobody can tell whether it means seconds.
 */
export const parseDuration = (text: string): number | undefined => parseQuantity(text, durationUnits);

/** Milliseconds in the form that `parseDuration` reads, such as `5m`. */
export const formatDuration = (ms: number): string => formatQuantity(ms, durationUnits);
