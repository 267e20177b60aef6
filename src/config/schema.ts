import * as z from 'zod';
import { parseDuration, parseSize } from './scalars.ts';
import { expectedStore, isStore } from './store.ts';
import { nearest } from './suggest.ts';

/**
 * What a configuration file may hold, before defaults and before paths are resolved. Values that came from the
 * environment are text, so numbers and switches are read from text too.
 */

const anything = (expected: string): { error: string } => ({ error: `expected ${expected}` });

/** One of the keys of a section, or what is wrong with it. */
function judgeKey(key: string, known: readonly string[], future: readonly string[]): string {
  if (future.includes(key)) return 'not supported by this version';
  const like = nearest(key, [...known, ...future]);
  return like === undefined
    ? `unknown key; expected one of ${known.join(', ')}`
    : `unknown key; did you mean ${like}${future.includes(like) ? ' (not supported by this version)' : ''}?`;
}

/**
 * A mapping of known keys. `future` are keys that later versions know: they are refused in words of their own. The
 * message has one line for each key that is refused, in the order of the issue's `keys`.
 */
function section<Shape extends z.ZodRawShape>(
  what: string,
  shape: Shape,
  future: readonly string[] = [],
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => judgeKey(key, known, future)).join('\n')
        : `expected ${what}: a mapping with ${known.join(', ')}`,
  });
}

const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, anything(values.map((value) => `"${value}"`).join(' or ')));

const text = (expected: string) => z.string(anything(expected)).min(1, anything(expected));

/** A text or number that `read` turns into a number; `undefined` from it means that it could not. */
function quantity(expected: string, read: (value: string | number) => number | undefined) {
  return z.union([z.string(), z.number()], anything(expected)).transform((value, cx) => {
    const number = read(value);
    if (number !== undefined) return number;
    cx.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

const size = quantity('a size above zero, such as 10MiB, 512KiB or a number of bytes', (value) =>
  positive(parseSize(value)),
);

/** The longest delay that a timer of Node takes. */
const longestTimer = 2 ** 31 - 1;

const timeout = quantity('a duration above zero and below 25 days, such as 300s, 10m or 500ms', (value) => {
  const ms = typeof value === 'string' ? positive(parseDuration(value)) : undefined;
  return ms !== undefined && ms <= longestTimer ? ms : undefined;
});

const age = quantity('a duration such as 30d or 12h, or "forever"', (value) =>
  value === 'forever'
    ? Number.POSITIVE_INFINITY
    : typeof value === 'string'
      ? positive(parseDuration(value))
      : undefined,
);

const port = quantity('an integer from 0 to 65535', (value) => {
  const number = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 65_535 ? number : undefined;
});

const flag = z
  .union([z.boolean(), z.literal(['true', 'false'])], anything('true or false'))
  .transform((value) => value === true || value === 'true');

const publicUrl = z
  .string(anything('an http or https URL, such as https://agents.example.com'))
  .transform((value, cx) => {
    const url = URL.parse(value);
    const plain = url !== null && !url.search && !url.hash && !url.username && !url.password;
    if (plain && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '');
    cx.addIssue({
      code: 'custom',
      message: 'expected an http or https URL without user, query or fragment, such as https://agents.example.com',
    });
    return z.NEVER;
  });

const expectedOrigin = 'an origin (scheme, host and port only) such as https://console.example.com, or "*" for all';

const origin = text(expectedOrigin).refine(
  (value) => value === '*' || URL.parse(value)?.origin === value,
  anything(expectedOrigin),
);

const store = text(expectedStore).refine(isStore, anything(expectedStore));

/** Kinds of agents that later versions know. */
const futureKinds: readonly string[] = ['upstream', 'mcp'];

const kinds = {
  reference: section('a reference agent', { kind: z.literal('reference') }, ['knowledge']),
  module: section('a module agent', {
    kind: z.literal('module'),
    path: text('the path of a JavaScript or TypeScript module, such as ./my-agent.ts'),
  }),
};

const agent = z.discriminatedUnion('kind', [kinds.reference, kinds.module], {
  error: (issue) => {
    const known = Object.keys(kinds);
    const kind: unknown = (issue.input as { kind?: unknown } | null | undefined)?.kind;
    if (typeof kind !== 'string') return `expected an agent: a mapping with kind: ${known.join(' or ')}`;
    if (futureKinds.includes(kind)) return `kind: ${kind} is not supported by this version`;
    const like = nearest(kind, known);
    return `expected kind: ${known.join(' or ')}${like === undefined ? '' : `; did you mean ${like}?`}`;
  },
});

/** A configuration file. */
export const fileSchema = section(
  'a configuration',
  {
    listen: section('where to listen', {
      host: text('a host name or an address').optional(),
      port: port.optional(),
      publicUrl: publicUrl.optional(),
      cors: z.array(origin, anything('a list of origins')).optional(),
      tls: section('TLS', {
        cert: text('the path of a PEM file'),
        key: text('the path of a PEM file'),
        clientCa: text('the path of a PEM file').optional(),
      }).optional(),
    }).optional(),
    store: store.optional(),
    durability: oneOf('process', 'full').optional(),
    retention: section('retention', { tasks: age.optional() }).optional(),
    auth: section('who gets in', { anonymous: flag.optional() }, [
      'apiKeys',
      'jwt',
      'tokenEndpoint',
      'mtls',
    ]).optional(),
    limits: section('limits', { body: size.optional(), answer: timeout.optional() }, [
      'requestsPerMinute',
      'streams',
    ]).optional(),
    defaultAgent: text("an agent's name").optional(),
    agents: z.record(z.string(), agent, anything('agents by their names')).optional(),
  },
  ['outbound'],
);

/** A configuration file's content, its values read but nothing defaulted. */
export type ConfigFile = z.output<typeof fileSchema>;
