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
 * Parts of the schemas of a configuration. Each has a readable description of what it expects, and converts both ways: from
 * the file to the value that the program uses (`z.decode`), and back (`z.encode`).
 */

/** The error for a value that is something else. */
export const anything = (expected: string): { error: string } => ({ error: `expected ${expected}` });

const takenOut = (key: string, former: TakenOut): string | undefined =>
  Object.hasOwn(former, key) ? former[key] : undefined;

/** The message about a key that a section does not have. */
function unknownKey(key: string, known: readonly string[]): string {
  const like = nearest(key, known);
  return like === undefined ? `unknown key; expected one of ${known.join(', ')}` : `unknown key; did you mean ${like}?`;
}

/**
 * A mapping of known keys. The message has one line for each key that is refused, in the order of the issue's `keys`.
 *
 * @param shapeOf creates the schemas of the keys, when the first value is read: most sections are in few configurations
 * @param former the messages about keys that former versions had
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

/** One of these words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, anything(values.map((value) => `"${value}"`).join(' or ')));

/** A text that is not empty. */
export const text = (expected: string): z.ZodString => z.string(anything(expected)).min(1, anything(expected));

/**
 * A codec: text of a file, and the value that the program uses.
 *
 * @param read undefined refuses the value
 * @param write the way back
 * @param advice the end of the message about a value that is refused
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

/** A text or number that `read` converts to a number, and `write` back; `undefined` refuses it. */
const quantity = (
  expected: string,
  read: (value: string | number) => number | undefined,
  write: (value: number) => string | number,
) => codecOf(z.union([z.string(), z.number()], anything(expected)), number, expected, read, write);

/** A text that `read` converts, and `write` back; `undefined` refuses it. */
export const textTo = <T>(
  expected: string,
  read: (value: string) => T | undefined,
  write: (value: T) => string,
  advice?: (value: string) => string,
) => codecOf(text(expected), z.custom<T>(), expected, read, write, advice);

/** A text that `read` brings into another form; `undefined` refuses it. */
export const textAs = (
  expected: string,
  read: (value: string) => string | undefined,
  write = (value: string): string => value,
) => codecOf(text(expected), z.string(), expected, read, write);

/** A text for which `test` holds. */
export const textThat = (expected: string, test: (value: string) => boolean): z.ZodString =>
  text(expected).refine(test, anything(expected));

/** The number if it is above zero. */
const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** Bytes for which `test` holds. */
export const sizeThat = (expected: string, test: (bytes: number) => boolean) =>
  quantity(
    expected,
    (value) => {
      const bytes = parseSize(value);
      return bytes !== undefined && test(bytes) ? bytes : undefined;
    },
    formatSize,
  )
    .describe('Bytes, or a text such as `512KiB` or `10MiB`.')
    .register(schemaFacts, { input: 'Size', type: 'number | string', unit: 'bytes' });

/** Bytes. */
export const size = sizeThat('a size above zero, such as 10MiB, 512KiB or a number of bytes', (bytes) => bytes > 0);

/** A duration in milliseconds for which `test` holds. */
export const duration = (expected: string, test: (ms: number) => boolean) =>
  quantity(
    expected,
    (value) => {
      const ms = typeof value === 'string' ? parseDuration(value) : undefined;
      return ms !== undefined && test(ms) ? ms : undefined;
    },
    formatDuration,
  )
    .describe('A text such as `500ms`, `30s`, `10m`, `12h` or `30d`.')
    .register(schemaFacts, { input: 'Duration', type: 'string', unit: 'milliseconds' });

/** Milliseconds that something may take. */
export const timeout = duration(
  'a duration above zero and below 25 days, such as 300s, 10m or 500ms',
  (ms) => ms > 0 && ms <= longestTimer,
);

/** Milliseconds after which something is deleted; infinity for `forever`. */
export const age = quantity(
  'a duration such as 30d or 12h, or "forever"',
  (value) => (value === 'forever' ? Number.POSITIVE_INFINITY : positive(parseDuration(String(value)))),
  (ms) => (Number.isFinite(ms) ? formatDuration(ms) : 'forever'),
).register(schemaFacts, { type: 'Duration', unit: 'milliseconds' });

/** A whole number that is at least `least`, also as text. */
const readInteger = (value: string | number, least: number): number | undefined => {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= least ? number : undefined;
};

/** A whole number; `meaning` for the word. */
const countOr = (word: string, meaning: number) =>
  quantity(
    `a whole number above zero, or "${word}"`,
    (value) => (value === word ? meaning : readInteger(value, 1)),
    (value) => (value === meaning ? word : value),
  );

/** A whole number; infinity for `unlimited`. */
export const count = countOr('unlimited', Number.POSITIVE_INFINITY)
  .describe('A whole number above zero.')
  .register(schemaFacts, { input: 'Count', type: "number | 'unlimited'" });

/** A number of processes; 0 for `auto`. */
export const processes = countOr('auto', 0).register(schemaFacts, { type: "number | 'auto'" });

/** A whole number, 0 included. */
export const wholeNumber = quantity(
  'a whole number',
  (value) => readInteger(value, 0),
  (value) => value,
).register(schemaFacts, { type: 'number' });

/** An amount of money, or of something else. */
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

/** The number if it is from 0 to 1. */
export const readFraction = (value: string | number = ''): number | undefined => {
  const number = String(value).trim() === '' ? Number.NaN : Number(value);
  return number >= 0 && number <= 1 ? number : undefined;
};

export const fraction = quantity('a number from 0 to 1', readFraction, (value) => value).register(schemaFacts, {
  type: 'number',
});

/** A value that is kept as a secret. Messages never contain it. */
export const secretOf = <I extends string | number | boolean>(schema: z.ZodType<I, I>) =>
  z
    .codec(schema, z.custom<Secret>().register(schemaFacts, { type: '{ reveal(): string }' }), {
      decode: (value) => new Secret(String(value)),
      encode: (value) => value.reveal() as I,
    })
    .register(schemaFacts, { secret: 'whole' });

/** The http or https URL of a server. It may hold a name and a password, and a key in its query. */
export const serverUrl = (expected: string) =>
  textTo(
    expected,
    readUrlWithUser,
    ({ url }) => url,
    (value) => (value.includes('@') ? `; ${percentEncoding}` : ''),
  ).register(schemaFacts, { secret: 'query' });

/** The URL or the file of a set of public keys. */
export const keyPlace = textTo(expectedKeyPlace, readKeyPlace, (place) =>
  'file' in place ? place.file : place.url,
).register(schemaFacts, { secret: 'query' });

/** Scopes, without the characters that OAuth forbids in them. */
export const scopes = (expected: string) =>
  z.array(
    textThat(expected, (value) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)),
    anything(expected),
  );

const expectedHeader = 'the name of a header such as X-Api-Key, not one that HTTP or A2A needs for itself';

/** A header that can hold a credential, none of `except`. */
export const credentialHeader = (...except: readonly string[]): z.ZodString =>
  textThat(expectedHeader, (value) => isSettableHeader(value) && !except.includes(value.toLowerCase()));

/** A switch. */
export const flag = z
  .codec(z.union([z.boolean(), z.literal(['true', 'false'])], anything('true or false')), z.boolean(), {
    decode: (value) => value === true || value === 'true',
    encode: (value) => value,
  })
  .register(schemaFacts, { type: 'boolean' });

/**
 * One of several mappings, distinguished by the key `tag`.
 *
 * @param what the name of such a mapping, with its article
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
