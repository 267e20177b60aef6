import * as z from 'zod';
import { parseDuration } from './scalars.ts';
import { nearest } from './suggest.ts';

/** What the schemas of a configuration are made of. Each says what it expects in words for people. */

/** What is said when something else stands there. */
export const anything = (expected: string): { error: string } => ({ error: `expected ${expected}` });

/** One of the keys of a section, or what is wrong with it. */
function judgeKey(key: string, known: readonly string[]): string {
  const like = nearest(key, known);
  return like === undefined ? `unknown key; expected one of ${known.join(', ')}` : `unknown key; did you mean ${like}?`;
}

/** A mapping of known keys. The message has one line for each key that is refused, in the order of the issue's `keys`. */
export function section<Shape extends z.ZodRawShape>(what: string, shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => judgeKey(key, known)).join('\n')
        : `expected ${what}: a mapping with ${known.join(', ')}`,
  });
}

/** One of these words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, anything(values.map((value) => `"${value}"`).join(' or ')));

/** A text that is not empty. */
export const text = (expected: string): z.ZodString => z.string(anything(expected)).min(1, anything(expected));

/** A text or number that `read` turns into a number; `undefined` from it means that it could not. */
export function quantity(expected: string, read: (value: string | number) => number | undefined) {
  return z.union([z.string(), z.number()], anything(expected)).transform((value, cx) => {
    const number = read(value);
    if (number !== undefined) return number;
    cx.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

/** A text that `read` turns into something else; `undefined` from it means that it could not. */
export function textAs<T>(expected: string, read: (value: string) => T | undefined) {
  return text(expected).transform((value, cx) => {
    const made = read(value);
    if (made !== undefined) return made;
    cx.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

/** The number if it is above zero. */
export const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** The longest delay that a timer of Node takes. */
const longestTimer = 2 ** 31 - 1;

/** How long something may take: milliseconds. */
export const timeout = quantity('a duration above zero and below 25 days, such as 300s, 10m or 500ms', (value) => {
  const ms = typeof value === 'string' ? positive(parseDuration(value)) : undefined;
  return ms !== undefined && ms <= longestTimer ? ms : undefined;
});

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
      const said = (issue.input as Record<string, unknown> | null | undefined)?.[tag];
      if (typeof said !== 'string') return `expected ${what}: a mapping with ${tag}: ${list}`;
      const like = nearest(said, known);
      return `expected ${tag}: ${list}${like === undefined ? '' : `; did you mean ${like}?`}`;
    },
  });
}
