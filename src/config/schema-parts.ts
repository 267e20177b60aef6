import * as z from 'zod';
import { parseDuration } from '../core/model/scalars.ts';
import { longestTimer } from '../core/model/timing.ts';
import { isSettableHeader } from '../net/header-names.ts';
import { nearest } from './suggest.ts';

/** Parts of the schemas of a configuration. Each has a readable description of what it expects. */

/** The error for a value that is something else. */
export const anything = (expected: string): { error: string } => ({ error: `expected ${expected}` });

/** The message about a key that a section does not have. */
function unknownKey(key: string, known: readonly string[]): string {
  const like = nearest(key, known);
  return like === undefined ? `unknown key; expected one of ${known.join(', ')}` : `unknown key; did you mean ${like}?`;
}

/** A mapping of known keys. The message has one line for each key that is refused, in the order of the issue's `keys`. */
export function section<Shape extends z.ZodRawShape>(what: string, shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, known)).join('\n')
        : `expected ${what}: a mapping with ${known.join(', ')}`,
  });
}

/** One of these words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, anything(values.map((value) => `"${value}"`).join(' or ')));

/** A text that is not empty. */
export const text = (expected: string): z.ZodString => z.string(anything(expected)).min(1, anything(expected));

/** Converts a value by `read`; `undefined` refuses it. */
const readAs = <T, I, O>(schema: z.ZodType<T, I>, expected: string, read: (value: T) => O | undefined) =>
  schema.transform((value, cx): O => {
    const result = read(value);
    if (result !== undefined) return result;
    cx.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });

/** A text or number that `read` converts to a number; `undefined` refuses it. */
export const quantity = (expected: string, read: (value: string | number) => number | undefined) =>
  readAs(z.union([z.string(), z.number()], anything(expected)), expected, read);

/** A text that `read` converts; `undefined` refuses it. */
export const textAs = <T>(expected: string, read: (value: string) => T | undefined) =>
  readAs(text(expected), expected, read);

/** A duration in milliseconds for which `test` holds. */
export const duration = (expected: string, test: (ms: number) => boolean) =>
  quantity(expected, (value) => {
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    return ms !== undefined && test(ms) ? ms : undefined;
  });

/** A text for which `test` holds. */
export const textThat = (expected: string, test: (value: string) => boolean): z.ZodString =>
  text(expected).refine(test, anything(expected));

/** The number if it is above zero. */
export const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** A whole number; infinity for `unlimited`. */
export const count = quantity('a whole number above zero, or "unlimited"', (value) => {
  if (value === 'unlimited') return Number.POSITIVE_INFINITY;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? positive(number) : undefined;
});

/** Undefined for infinity. */
export const finite = (bound: number): number | undefined => (Number.isFinite(bound) ? bound : undefined);

/** The number if it is from 0 to 1. */
export const readFraction = (value: string | number = ''): number | undefined => {
  const number = String(value).trim() === '' ? Number.NaN : Number(value);
  return number >= 0 && number <= 1 ? number : undefined;
};

export const fraction = quantity('a number from 0 to 1', readFraction);

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

/** Milliseconds that something may take. */
export const timeout = duration(
  'a duration above zero and below 25 days, such as 300s, 10m or 500ms',
  (ms) => ms > 0 && ms <= longestTimer,
);

/** A switch. */
export const flag = z
  .union([z.boolean(), z.literal(['true', 'false'])], anything('true or false'))
  .transform((value) => value === true || value === 'true');

/**
 * One of several mappings, told apart by the key `tag`.
 *
 * @param what what it is, with its article
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
