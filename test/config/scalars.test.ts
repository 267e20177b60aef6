import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../src/config/index.ts';

it.each([
  ['512B', 512],
  ['64KiB', 65_536],
  ['64kB', 64_000],
  ['10MiB', 10_485_760],
  ['1.5 MiB', 1_572_864],
  ['2GB', 2_000_000_000],
  ['1024', 1024],
  [4096, 4096],
  ['0', 0],
])('sizes reads %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

it.each(['', 'MiB', '10 mib', '-1', '1e3', '10MiBs', '1_000', 'toString', '99999999GiB', -1, 1.5, Number.NaN])(
  'sizes refuses %s',
  (text) => expect(parseSize(text)).toBeUndefined(),
);

it('sizes reads back what it writes', () => {
  fc.assert(fc.property(fc.nat({ max: 2 ** 50 }), (bytes) => parseSize(formatSize(bytes)) === bytes));
});

it.each([
  ['500ms', 500],
  ['300s', 300_000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['30d', 2_592_000_000],
  [' 5 s ', 5000],
])('durations reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

it.each(['', '300', 's', '5 min', '-5s', '1h30m', '1e3s', 'constructors'])('durations refuses %s', (text) =>
  expect(parseDuration(text)).toBeUndefined(),
);

it('durations reads back what it writes', () => {
  fc.assert(fc.property(fc.nat({ max: 2 ** 45 }), (ms) => parseDuration(formatDuration(ms)) === ms));
});

it('durations never throws, and answers with a whole number or nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const value of [parseDuration(text), parseSize(text)]) {
        if (value !== undefined) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
      }
    }),
  );
});
