import * as z from 'zod';
import { formatDuration, formatSize, parseDuration, parseSize } from '../core/model/scalars.ts';
import { percentEncoding } from '../core/model/shown-url.ts';
import { longestTimer } from '../core/model/timing.ts';
import { isSettableHeader } from '../net/header-names.ts';
import { Secret } from '../net/secret.ts';
import { expectedKeyPlace, readKeyPlace, readUrlWithUser } from './addresses.ts';
import { schemaFacts } from './schema-facts.ts';
import { nearest } from './suggest.ts';
import type { TakenOut } from './taken-out.ts';

/**
 * Building blocks of the configuration's schemas. Each has a readable description of the expected value and converts in
 * both directions: from the file to the value that the program uses (`z.decode`), and back (`z.encode`).
 */

/** Returns the error for any value that is not as expected. */
export const anything = (expected: string): { error: string } => ({ error: `expected ${expected}` });

const takenOut = (key: string, former: TakenOut): string | undefined =>
  Object.hasOwn(former, key) ? former[key] : undefined;

/** Returns the message about an unknown key of a section. */
function unknownKey(key: string, known: readonly string[]): string {
  const like = nearest(key, known);
  return like === undefined ? `unknown key; expected one of ${known.join(', ')}` : `unknown key; did you mean ${like}?`;
}

/**
 * Creates the schema of a mapping with known keys. The message about unknown keys has one line for each, in the order
 * of the issue's `keys`.
 *
 * @param shapeOf creates the schemas of the keys when the first value is read, because most configurations use few
 *   sections
 * @param former messages about keys that earlier versions had
 */
export function section<Shape extends z.ZodRawShape>(
  what: string,
  shapeOf: () => Shape,
  former: TakenOut = {},
): z.ZodObject<Shape, z.core.$strict> {
  let shape: Shape | undefined;
  return new z.ZodObject({
    type: 'object',
    get shape() {
      shape ??= shapeOf();
      return shape;
    },
    catchall: nothing,
    error: (issue: z.core.$ZodRawIssue) => {
      const known = Object.keys(shape ?? shapeOf());
      return issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => takenOut(key, former) ?? unknownKey(key, known)).join('\n')
        : `expected ${what}: a mapping with ${known.join(', ')}`;
    },
  }) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

const nothing = z.never();

/** Creates the schema of a value that must be one of these words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, anything(values.map((value) => `"${value}"`).join(' or ')));

/** Creates the schema of a text that is not empty. */
export const text = (expected: string): z.ZodString => z.string(anything(expected)).min(1, anything(expected));

/**
 * Creates a codec between a value in a file and the value that the program uses.
 *
 * @param read converts a value from the file; undefined refuses it
 * @param write converts the value back
 * @param advice returns the end of the message about a refused value
 */
const codecOf = <I, T>(
  schema: z.ZodType<I, I>,
  value: z.ZodType<T, T>,
  expected: string,
  read: (value: I) => T | undefined,
  write: (value: T) => I,
  advice?: (value: I) => string,
) =>
  z.codec(schema, value, {
    decode(input, { issues }): T {
      const result = read(input);
      if (result !== undefined) return result;
      issues.push({ code: 'custom', message: `expected ${expected}${advice?.(input) ?? ''}`, input });
      return z.NEVER;
    },
    encode: write,
  });

const number = z.custom<number>((value) => typeof value === 'number').register(schemaFacts, { type: 'number' });

/**
 * Creates the schema of a text or number that `read` converts to a number, and `write` back. If `read` returns
 * undefined, the value is refused.
 */
const quantity = (
  expected: string,
  read: (value: string | number) => number | undefined,
  write: (value: number) => string | number,
) => codecOf(z.union([z.string(), z.number()], anything(expected)), number, expected, read, write);

/**
 * Creates the schema of a text that `read` converts, and `write` back. If `read` returns undefined, the text is
 * refused.
 */
export const textTo = <T>(
  expected: string,
  read: (value: string) => T | undefined,
  write: (value: T) => string,
  advice?: (value: string) => string,
) => codecOf(text(expected), z.custom<T>(), expected, read, write, advice);

/**
 * Creates the schema of a text that `read` converts to another text. If `read` returns undefined, the text is refused.
 */
export const textAs = (
  expected: string,
  read: (value: string) => string | undefined,
  write = (value: string): string => value,
) => codecOf(text(expected), z.string(), expected, read, write);

/** Creates the schema of a text for which `test` holds. */
export const textThat = (expected: string, test: (value: string) => boolean): z.ZodString =>
  text(expected).refine(test, anything(expected));

/** Returns the number if it is above zero. */
const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** Creates the schema of a number of bytes for which `test` holds. */
export const sizeThat = (expected: string, test: (bytes: number) => boolean) =>
  quantity(
    expected,
    (value) => {
      const bytes = parseSize(value);
      return bytes !== undefined && test(bytes) ? bytes : undefined;
    },
    formatSize,
  )
    .describe('A number of bytes, or a string such as `512KiB` or `10MiB`.')
    .register(schemaFacts, { input: 'Size', type: 'number | string', unit: 'bytes' });

/** A number of bytes above zero. */
export const size = sizeThat('a size above zero, such as 10MiB, 512KiB or a number of bytes', (bytes) => bytes > 0);

/** Creates the schema of a duration for which `test` holds, in milliseconds. */
export const duration = (expected: string, test: (ms: number) => boolean) =>
  quantity(
    expected,
    (value) => {
      const ms = typeof value === 'string' ? parseDuration(value) : undefined;
      return ms !== undefined && test(ms) ? ms : undefined;
    },
    formatDuration,
  )
    .describe('A string such as `500ms`, `30s`, `10m`, `12h` or `30d`.')
    .register(schemaFacts, { input: 'Duration', type: 'string', unit: 'milliseconds' });

/** A time limit, in milliseconds. */
export const timeout = duration(
  'a duration above zero and below 25 days, such as 300s, 10m or 500ms',
  (ms) => ms > 0 && ms <= longestTimer,
);

/** An age after which data is deleted, in milliseconds. Infinity for `forever`. */
export const age = quantity(
  'a duration such as 30d or 12h, or "forever"',
  (value) => (value === 'forever' ? Number.POSITIVE_INFINITY : positive(parseDuration(String(value)))),
  (ms) => (Number.isFinite(ms) ? formatDuration(ms) : 'forever'),
).register(schemaFacts, { type: 'Duration', unit: 'milliseconds' });

/** Reads a whole number that is at least `least`, also from a text. */
const readInteger = (value: string | number, least: number): number | undefined => {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= least ? number : undefined;
};

/** Creates the schema of a whole number above zero, or of a word that stands for `meaning`. */
const countOr = (word: string, meaning: number) =>
  quantity(
    `a whole number above zero, or "${word}"`,
    (value) => (value === word ? meaning : readInteger(value, 1)),
    (value) => (value === meaning ? word : value),
  );

/** A whole number above zero. Infinity for `unlimited`. */
export const count = countOr('unlimited', Number.POSITIVE_INFINITY)
  .describe('A whole number above zero.')
  .register(schemaFacts, { input: 'Count', type: "number | 'unlimited'" });

/** A number of processes. 0 for `auto`. */
export const processes = countOr('auto', 0).register(schemaFacts, { type: "number | 'auto'" });

/** A whole number, including 0. */
export const wholeNumber = quantity(
  'a whole number',
  (value) => readInteger(value, 0),
  (value) => value,
).register(schemaFacts, { type: 'number' });

/** An amount above zero, such as an amount of money. */
export const amount = quantity(
  'a number above zero',
  (value) => positive(String(value).trim() === '' ? undefined : Number(value)),
  (value) => value,
).register(schemaFacts, { type: 'number' });

export const port = quantity(
  'an integer from 0 to 65535',
  (value) => {
    const number = readInteger(value, 0);
    return number !== undefined && number <= 65_535 ? number : undefined;
  },
  (value) => value,
).register(schemaFacts, { type: 'number' });

/** Reads a number from 0 to 1. Undefined for anything else. */
export const readFraction = (value: string | number = ''): number | undefined => {
  const number = String(value).trim() === '' ? Number.NaN : Number(value);
  return number >= 0 && number <= 1 ? number : undefined;
};

export const fraction = quantity('a number from 0 to 1', readFraction, (value) => value).register(schemaFacts, {
  type: 'number',
});

/** Creates the schema of a secret value. Messages never contain it. */
export const secretOf = <I extends string | number | boolean>(schema: z.ZodType<I, I>) =>
  z
    .codec(schema, z.custom<Secret>().register(schemaFacts, { type: '{ reveal(): string }' }), {
      decode: (value) => new Secret(String(value)),
      encode: (value) => value.reveal() as I,
    })
    .register(schemaFacts, { secret: 'whole' });

/**
 * Creates the schema of a server's http or https URL, which may contain a user name, a password, and a key in its
 * query.
 */
export const serverUrl = (expected: string) =>
  textTo(
    expected,
    readUrlWithUser,
    ({ url }) => url,
    (value) => (value.includes('@') ? `; ${percentEncoding}` : ''),
  ).register(schemaFacts, { secret: 'query' });

/** The URL or the path of a set of public keys. */
export const keyPlace = textTo(expectedKeyPlace, readKeyPlace, (place) =>
  'file' in place ? place.file : place.url,
).register(schemaFacts, { secret: 'query' });

/** Creates the schema of a list of scopes, which contain only characters that OAuth allows. */
export const scopes = (expected: string) =>
  z.array(
    textThat(expected, (value) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)),
    anything(expected),
  );

const expectedHeader = 'the name of a header such as X-Api-Key, not one that HTTP or A2A reserves';

/** Creates the schema of the name of a header that can contain a credential, other than those in `except`. */
export const credentialHeader = (...except: readonly string[]): z.ZodString =>
  textThat(expectedHeader, (value) => isSettableHeader(value) && !except.includes(value.toLowerCase()));

/** A boolean. */
export const flag = z
  .codec(z.union([z.boolean(), z.literal(['true', 'false'])], anything('true or false')), z.boolean(), {
    decode: (value) => value === true || value === 'true',
    encode: (value) => value,
  })
  .register(schemaFacts, { type: 'boolean' });

/**
 * Creates the schema of one of several mappings, which are distinguished by the key `tag`.
 *
 * @param what name of such a mapping, with its article
 */
export function variants<
  const Tag extends string,
  const Options extends Readonly<Record<string, z.core.$ZodTypeDiscriminable>>,
>(tag: Tag, what: string, options: Options) {
  const known = Object.keys(options);
  const list = known.length < 3 ? known.join(' or ') : `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  return z.discriminatedUnion(tag, Object.values(options) as [Options[keyof Options]], {
    error: (issue) => {
      const tagged = (issue.input as Record<string, unknown> | null | undefined)?.[tag];
      if (typeof tagged !== 'string') return `expected ${what}: a mapping with ${tag}: ${list}`;
      const like = nearest(tagged, known);
      return `expected ${tag}: ${list}${like === undefined ? '' : `; did you mean ${like}?`}`;
    },
  });
}
