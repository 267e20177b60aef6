import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUrlGuard, UrlRefused } from '../../src/net/guard.ts';

/** Bytes of an IPv4 address in the ranges that the world does not route, written down a second time, by hand. */
const byte = fc.integer({ min: 0, max: 255 });
const within = (min: number, max: number) => fc.integer({ min, max });
const fixed = (...values: number[]) => values.map((value) => fc.constant(value));
const inner = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
  fc.tuple(...fixed(172), within(16, 31), byte, byte),
  fc.tuple(...fixed(192, 168), byte, byte),
  fc.tuple(...fixed(169, 254), byte, byte),
  fc.tuple(...fixed(100), within(64, 127), byte, byte),
  fc.tuple(...fixed(198), within(18, 19), byte, byte),
  fc.tuple(within(224, 255), byte, byte, byte),
) as fc.Arbitrary<[number, number, number, number]>;

/** One number in one of the bases that the URL standard reads, with zeros before it. */
const spellNumber = fc.constantFrom(
  (n: number) => String(n),
  (n: number) => `0x${n.toString(16)}`,
  (n: number) => `0X${n.toString(16).toUpperCase().padStart(10, '0')}`,
  (n: number) => `0${n.toString(8)}`,
  (n: number) => `0000${n.toString(8)}`,
);

/** The last of fewer than four parts fills what is left. */
const parts = ([a, b, c, d]: readonly number[], count: number): number[] => {
  const all = [a, b, c, d].map(Number);
  const tail = all.slice(count - 1).reduce((sum, value) => sum * 256 + value, 0);
  return [...all.slice(0, count - 1), tail];
};

const fullWidth = (text: string): string =>
  text.replace(/[0-9A-Za-z]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0));
const percent = (text: string): string =>
  text.replace(/[0-9A-Za-z.]/g, (char) => `%${(char.codePointAt(0) ?? 0).toString(16)}`);
const disguise = fc.constantFrom(
  (text: string) => text,
  fullWidth,
  percent,
  (text: string) => text.replaceAll('.', '。'),
  (text: string) => text.replaceAll('.', '%2E'),
  (text: string) => `${text}.`,
);

const hex = (a: number, b: number): string => (a * 256 + b).toString(16);
const groups = (bytes: readonly number[]): string =>
  Array.from({ length: bytes.length / 2 }, (_, at) => hex(bytes[at * 2] ?? 0, bytes[at * 2 + 1] ?? 0)).join(':');

const refused = (url: string): void => {
  expect(() => createUrlGuard().check(url), url).toThrow(UrlRefused);
};

test('no address of IPv4 that is not public passes in any spelling', () => {
  const spelled = fc
    .tuple(inner, within(1, 4), fc.array(spellNumber, { minLength: 4, maxLength: 4 }), disguise)
    .map(([bytes, count, spell, hide]) =>
      hide(
        parts(bytes, count)
          .map((part, at) => spell[at]?.(part))
          .join('.'),
      ),
    );
  fc.assert(
    fc.property(spelled, (host) => refused(`http://${host}/`)),
    { numRuns: 500 },
  );
});

test('the guard of addresses: nor in the clothes of IPv6', () => {
  const clothes = fc.constantFrom(
    (b: readonly number[]) => `::ffff:${b.join('.')}`,
    (b: readonly number[]) => `::FFFF:${groups(b).toUpperCase()}`,
    (b: readonly number[]) => `0:0:0:0:0:ffff:${groups(b)}`,
    (b: readonly number[]) => `::${b.join('.')}`,
    (b: readonly number[]) => `64:ff9b::${b.join('.')}`,
    (b: readonly number[]) => `64:ff9b::${groups(b)}`,
    (b: readonly number[]) => `64:ff9b:1::${groups(b)}`,
    (b: readonly number[]) => `2002:${groups(b)}::1`,
    (b: readonly number[]) => `::ffff:0:${groups(b)}`,
  );
  fc.assert(
    fc.property(inner, clothes, (bytes, wear) => refused(`http://[${wear(bytes)}]/`)),
    { numRuns: 300 },
  );
});

test('no address of IPv6 that is not public passes, abbreviated or not', () => {
  const first = fc.oneof(within(0x00, 0x1f), within(0x40, 0xff));
  const sixteen = fc.tuple(first, fc.array(fc.oneof(fc.constant(0), byte), { minLength: 15, maxLength: 15 }));
  const nat64 = (bytes: readonly number[]) => groups(bytes).startsWith('64:ff9b:0:0:0:0:');
  const mapped = (bytes: readonly number[]) => groups(bytes).startsWith('0:0:0:0:0:ffff:');
  fc.assert(
    fc.property(sixteen, fc.boolean(), ([a, rest], short) => {
      const bytes = [a, ...rest];
      fc.pre(!nat64(bytes) && !mapped(bytes));
      const full = groups(bytes);
      refused(`http://[${short ? full.replace(/(^|:)0(:0)+(:|$)/, '::') : full}]/`);
    }),
    { numRuns: 300 },
  );
});

test('every public address of IPv4 passes as it is usually written', () => {
  const special = (a: number, b: number, c: number, d: number): boolean =>
    [0, 10, 127].includes(a) ||
    a >= 224 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 168 && b === 63 && c === 129 && d === 16) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && ((b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99) || b === 168)) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113);
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      fc.pre(!special(a, b, c, d));
      const url = `http://${[a, b, c, d].join('.')}/`;
      expect(createUrlGuard().check(url).href).toBe(url);
    }),
    { numRuns: 500 },
  );
});

test('every public address of IPv6 passes as it is usually written', () => {
  const rest = fc.array(byte, { minLength: 14, maxLength: 14 });
  fc.assert(
    fc.property(within(0x20, 0x3f), byte, rest, (a, b, others) => {
      // 2001::/16 and 2002::/16 hold the special ones, beside 3fff::/20.
      fc.pre(!(a === 0x20 && (b === 1 || b === 2)) && !(a === 0x3f && b === 0xff));
      const { href } = new URL(`http://[${groups([a, b, ...others])}]/`);
      expect(createUrlGuard().check(href).href).toBe(href);
    }),
    { numRuns: 300 },
  );
});

test('whatever passes is what a socket is given', () => {
  const guard = createUrlGuard();
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (host) => {
      const url = `http://${host}/`;
      let checked: URL;
      try {
        checked = guard.check(url);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(UrlRefused);
        return;
      }
      expect(checked.href).toBe(guard.check(checked).href);
      expect(checked.hostname).toMatch(/^(\[[0-9a-f:]+\]|[\w.-]+)$/);
    }),
    { numRuns: 500 },
  );
});
