/** Schemas and functions that validators share, with their dependencies. A file contains only those that it uses. */
const helpers: readonly { readonly name: string; readonly needs?: readonly string[]; readonly text: string }[] = [
  {
    name: 'isObject',
    text: `const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);`,
  },
  {
    name: 'countOf',
    text: `const countOf = (value: object, names: readonly string[]): number =>
  Object.entries(value).filter(([name, member]) => names.includes(name) && member !== undefined).length;`,
  },
  {
    name: 'hasOne',
    needs: ['countOf'],
    text: `/** Whether an object has exactly one of some members. */
const hasOne =
  (names: readonly string[]) =>
  (value: object): boolean =>
    countOf(value, names) === 1;`,
  },
  {
    name: 'hasAtMostOne',
    needs: ['countOf'],
    text: `/** Whether an object has one of some members, or none. */
const hasAtMostOne =
  (names: readonly string[]) =>
  (value: object): boolean =>
    countOf(value, names) <= 1;`,
  },
  {
    name: 'refused',
    text: `/** The value of what is refused. Older versions of zod leave another one, such as z.NEVER, in members that are absent. */
const refused = undefined as never;`,
  },
  {
    name: 'passOn',
    text: `const tooMany = 'more than 100 issues; the others are not listed';

/** Of the validation that runs: messages around the current one, and whether its issues are too many. */
const state = { depth: 0, isFull: false };

/**
 * Adds the issues of a value inside another one, 100 at most: lists of any length are refused in little time and memory.
 *
 * @param path where the value is in the other one
 * @returns whether more may follow
 */
function passOn(context: z.RefinementCtx, error: z.ZodError, ...path: PropertyKey[]): boolean {
  for (const issue of error.issues) {
    const isLast = issue.message === tooMany;
    const isFull = context.issues.length >= 100 && !isLast;
    context.addIssue(isFull ? tooMany : { ...issue, path: [...path, ...issue.path] });
    if (isFull || isLast) {
      state.isFull = true;
      return false;
    }
  }
  return true;
}`,
  },
  {
    name: 'membersOf',
    needs: ['isObject', 'refused', 'passOn'],
    text: `/**
 * The validated members of an object. A member named __proto__ is kept
 * like other unknown ones: zod would leave it out, or take it for the prototype in older versions.
 */
function membersOf<T extends z.ZodObject>(schema: T, value: unknown, context: z.RefinementCtx): z.output<T> {
  if (state.depth === 100) {
    context.addIssue('nested too deeply: more than 100 messages inside each other');
    return refused;
  }
  const own = isObject(value) ? Object.getOwnPropertyDescriptor(value, '__proto__') : undefined;
  let members = value;
  if (own !== undefined) {
    const others: Record<string, unknown> = Object.assign(Object.create(null), value);
    delete others['__proto__'];
    members = others;
  }
  state.depth++;
  try {
    const { success, data, error } = schema.safeParse(members);
    if (!success) {
      passOn(context, error);
      return refused;
    }
    return own === undefined ? data : Object.defineProperty(data, '__proto__', own);
  } finally {
    state.depth--;
  }
}`,
  },
  {
    name: 'message',
    needs: ['isObject', 'passOn', 'membersOf'],
    text: `/**
 * A message in any form of ProtoJSON, read into one: names of the proto become those of JSON, members that are null are
 * left out.
 *
 * @param names names of JSON by those of the proto
 * @param nulls members for which null is a value
 */
function message<T extends z.ZodObject>(
  schema: T,
  names: Readonly<Record<string, string>> = {},
  nulls: readonly string[] = [],
): z.ZodType<z.output<T>> {
  return z.unknown().transform((value, context): z.output<T> => {
    if (state.depth === 0) state.isFull = false;
    if (state.isFull) {
      context.addIssue(tooMany);
      return refused;
    }
    if (!isObject(value)) return membersOf(schema, value, context);
    // Without a prototype, whose members would be found where fields of their names are absent.
    const members: Record<string, unknown> = Object.create(null);
    for (const [name, member] of Object.entries(value)) {
      const jsonName = Object.hasOwn(names, name) ? (names[name] ?? name) : name;
      if (jsonName !== name && Object.hasOwn(value, jsonName)) {
        context.addIssue(\`\${jsonName} is there twice, also as \${name}\`);
        return refused;
      }
      const isAbsent = member === null && Object.hasOwn(schema.shape, jsonName) && !nulls.includes(jsonName);
      if (!isAbsent) members[jsonName] = member;
    }
    return membersOf(schema, members, context);
  });
}`,
  },
  {
    name: 'object',
    needs: ['membersOf'],
    text: `/** An object with some members that are known. */
const object = <T extends z.ZodObject>(schema: T): z.ZodType<z.output<T>> =>
  z.unknown().transform((value, context) => membersOf(schema, value, context));`,
  },
  {
    name: 'list',
    needs: ['passOn'],
    text: `/** A list. Validation ends where its issues are too many. */
const list = <T>(item: z.ZodType<T>, least = 0): z.ZodType<T[]> =>
  z
    .array(z.unknown())
    .min(least)
    .transform((values, context): T[] => {
      const items: T[] = [];
      for (const [at, value] of values.entries()) {
        const { success, data, error } = item.safeParse(value);
        if (success) items.push(data);
        else if (!passOn(context, error, at)) break;
      }
      return items;
    });`,
  },
  {
    name: 'map',
    needs: ['isObject', 'passOn'],
    text: `/** A map. Every key is one of its own, also __proto__, which zod leaves out of records. */
const map = <T>(key: z.ZodType<string>, item: z.ZodType<T>): z.ZodType<Record<string, T>> =>
  z.custom<object>(isObject, 'expected an object').transform((value, context): Record<string, T> => {
    const entries: [string, T][] = [];
    for (const [name, member] of Object.entries(value)) {
      const isKey = key.safeParse(name);
      const { success, data, error } = item.safeParse(member);
      if (isKey.success && success) entries.push([name, data]);
      const problem = isKey.error ?? error;
      if (problem !== undefined && !passOn(context, problem, name)) break;
    }
    return Object.fromEntries(entries);
  });`,
  },
  {
    name: 'enumOf',
    text: `/** An enum by its values. A number becomes the first name that has it. */
function enumOf<T extends string>(values: Readonly<Record<T, number>>): z.ZodType<T> {
  const names = Object.keys(values) as T[];
  const nameOf = (value: unknown): unknown => {
    const number = names.includes(value as T) ? values[value as T] : value;
    return names.find((name) => values[name] === number) ?? value;
  };
  return z.preprocess(nameOf, z.enum(names)) as unknown as z.ZodType<T>;
}`,
  },
  {
    name: 'struct',
    needs: ['isObject'],
    text: `/** A JSON object (google.protobuf.Struct). */
const struct: z.ZodType<t.Struct> = z.custom<t.Struct>(isObject, 'expected an object');`,
  },
  {
    name: 'anyObject',
    needs: ['isObject'],
    text: `/** A JSON object. */
const anyObject: z.ZodType<Record<string, unknown>> = z.custom<Record<string, unknown>>(isObject, 'expected an object');`,
  },
  {
    name: 'time',
    text: `/** A time in ISO 8601, such as 2026-01-31T12:00:00Z. */
const time: z.ZodType<string> = z.string().refine((value) => {
  const form = /^((?!0000)\\d{4}-\\d\\d-(\\d\\d)T\\d\\d:\\d\\d)(:\\d\\d)?(?:[.,]\\d+)?(?:Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?$/;
  const [, minute = '', day, second = ':00'] = form.exec(value) ?? [];
  // A day that does not exist is read as one of the next month.
  return new Date(\`\${minute}\${second}Z\`).getUTCDate() === Number(day);
}, 'expected a time such as 2026-01-31T12:00:00Z');`,
  },
  {
    name: 'read',
    needs: ['refused'],
    text: `/**
 * Reads all forms of a value into one.
 *
 * @param form undefined for what is no such value
 */
const read = <T>(form: (value: unknown) => T | undefined, expected: string): z.ZodType<T> =>
  z.unknown().transform((value, context): T => {
    const result = form(value);
    if (result !== undefined) return result;
    context.addIssue({ code: 'custom', message: expected });
    return refused;
  });`,
  },
  {
    name: 'base64',
    needs: ['read'],
    text: `const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes in base64: in the standard or the URL-safe alphabet, with or without padding. Read into the standard one. */
const base64: z.ZodType<string> = read((value) => {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return undefined;
  const digits = value.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '');
  const rest = digits.length % 4;
  if (rest === 1 || (value.endsWith('=') && value.length % 4 !== 0)) return undefined;
  if (rest === 0) return digits;
  // Bits of the last digit that belong to no byte.
  const last = alphabet.indexOf(digits.slice(-1)) & (rest === 2 ? 0b110000 : 0b111100);
  return \`\${digits.slice(0, -1)}\${alphabet.charAt(last)}\${'='.repeat(4 - rest)}\`;
}, 'expected base64');`,
  },
  {
    name: 'fractionOf',
    text: `/** Digits of a second in groups of three. */
const fractionOf = (digits: string): string =>
  digits === '' ? '' : \`.\${digits.padEnd(Math.ceil(digits.length / 3) * 3, '0')}\`;`,
  },
  {
    name: 'timestamp',
    needs: ['read', 'fractionOf'],
    text: `/** A time (RFC 3339) of the years 0001 to 9999, in any time zone, with up to nine digits of a second. Read into UTC. */
const timestamp: z.ZodType<string> = read((value) => {
  const form = /^(\\d{4}-\\d\\d-(\\d\\d)T\\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d{1,9}))?(Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$/;
  const [, local = '', day, digits = '', zone = ''] = form.exec(typeof value === 'string' ? value : '') ?? [];
  const time = Date.parse(local + zone);
  if (!(time >= Date.parse('0001-01-01T00:00:00Z') && time <= Date.parse('9999-12-31T23:59:59Z'))) return undefined;
  // A day that does not exist, and the hour 24, are read as one of the next month, and of the next day.
  if (new Date(\`\${local}Z\`).getUTCDate() !== Number(day)) return undefined;
  return \`\${new Date(time).toISOString().slice(0, 19)}\${fractionOf(digits)}Z\`;
}, 'expected a time such as 2026-01-31T12:00:00Z');`,
  },
  {
    name: 'duration',
    needs: ['read', 'fractionOf'],
    text: `/** Seconds with up to nine digits of a second. */
const duration: z.ZodType<string> = read((value) => {
  const form = /^(-?)(\\d{1,12})(?:\\.(\\d{1,9}))?s$/;
  const [, sign = '', seconds, digits = ''] = form.exec(typeof value === 'string' ? value : '') ?? [];
  if (seconds === undefined || Number(seconds) > 315_576_000_000) return undefined;
  const isZero = /^0*$/.test(seconds + digits);
  return \`\${isZero ? '' : sign}\${Number(seconds)}\${fractionOf(digits)}s\`;
}, 'expected seconds such as 1.5s');`,
  },
  {
    name: 'fieldMask',
    text: `/** Paths in camelCase, separated by commas. */
const fieldMask: z.ZodType<string> = z
  .string()
  .regex(/^(?:[a-z][a-zA-Z0-9]*(?:[.,][a-z][a-zA-Z0-9]*)*)?$/, 'expected paths in camelCase');`,
  },
  {
    name: 'integer',
    needs: ['read'],
    text: `/** An integer as a number or a string, such as 100, "100" and 1e2. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || value.length > 400) return undefined;
  const form = /^(-?)(0|[1-9]\\d*)(?:\\.(\\d+))?(?:[eE]([+-]?\\d{1,3}))?$/;
  const [, sign = '', whole, fraction = '', exponent = '0'] = form.exec(value) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  const zeros = Number(exponent) - fraction.length;
  if (zeros >= 0) return BigInt(\`\${sign}\${digits}\${'0'.repeat(zeros)}\`);
  return /^0*$/.test(digits.slice(zeros)) ? BigInt(\`\${sign}\${digits.slice(0, zeros) || '0'}\`) : undefined;
}

/** Integers of some bits, read into one form. */
const integer = <T>(isOne: (value: bigint) => boolean, as: (value: bigint) => T, expected: string): z.ZodType<T> =>
  read((value) => {
    const found = integerOf(value);
    return found !== undefined && isOne(found) ? as(found) : undefined;
  }, expected);`,
  },
  {
    name: 'int32',
    needs: ['integer'],
    text: `const int32: z.ZodType<number> = integer(
  (value) => BigInt.asIntN(32, value) === value,
  Number,
  'expected a 32-bit integer',
);`,
  },
  {
    name: 'uint32',
    needs: ['integer'],
    text: `const uint32: z.ZodType<number> = integer(
  (value) => BigInt.asUintN(32, value) === value,
  Number,
  'expected an unsigned 32-bit integer',
);`,
  },
  {
    name: 'int64',
    needs: ['integer'],
    text: `/** Read into decimal digits. */
const int64: z.ZodType<string> = integer(
  (value) => BigInt.asIntN(64, value) === value,
  String,
  'expected a 64-bit integer',
);`,
  },
  {
    name: 'uint64',
    needs: ['integer'],
    text: `/** Read into decimal digits. */
const uint64: z.ZodType<string> = integer(
  (value) => BigInt.asUintN(64, value) === value,
  String,
  'expected an unsigned 64-bit integer',
);`,
  },
  {
    name: 'finiteOf',
    text: `/** A finite number, or a string that has one. */
function finiteOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$/.test(value);
  const number = isText ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}`,
  },
  {
    name: 'finite',
    needs: ['read', 'finiteOf'],
    text: `const finite: z.ZodType<number> = read(finiteOf, 'expected a number');`,
  },
  {
    name: 'specialOf',
    text: `/** Numbers that JSON cannot write. */
type Special = 'NaN' | 'Infinity' | '-Infinity';

const specialOf = (value: unknown): Special | undefined =>
  (['NaN', 'Infinity', '-Infinity'] as const).find((name) => name === value);`,
  },
  {
    name: 'double',
    needs: ['read', 'finiteOf', 'specialOf'],
    text: `const double: z.ZodType<number | Special> = read((value) => specialOf(value) ?? finiteOf(value), 'expected a number');`,
  },
  {
    name: 'float',
    needs: ['read', 'finiteOf', 'specialOf'],
    text: `/** A number of 32 bits. One that is slightly too large, for want of digits, becomes the largest one. */
const float: z.ZodType<number | Special> = read((value) => {
  const number = finiteOf(value);
  if (number === undefined) return specialOf(value);
  if (!Number.isFinite(Math.fround(number))) return undefined;
  const largest = 3.4028234663852886e38;
  return Math.max(-largest, Math.min(largest, number));
}, 'expected a number of 32 bits');`,
  },
  ...(['int32', 'uint32', 'int64', 'uint64'] as const).map((type) => keyHelper(type)),
  {
    name: 'boolKey',
    text: `/** A key of a map: true or false. */\nconst boolKey = z.string().regex(/^(?:true|false)$/, 'expected true or false');`,
  },
];

/** Returns the helper for map keys of an integer type, which are strings in JSON, in their canonical form. */
function keyHelper(type: 'int32' | 'uint32' | 'int64' | 'uint64'): { readonly name: string; readonly text: string } {
  const cast = type.startsWith('u') ? 'asUintN' : 'asIntN';
  const bits = type.slice(-2);
  return {
    name: `${type}Key`,
    text: `/** A key of a map: the digits of an integer. */
const ${type}Key = z
  .string()
  .refine(
    (value) => /^(?:0|-?[1-9]\\d{0,19})$/.test(value) && BigInt.${cast}(${bits}, BigInt(value)) === BigInt(value),
    'expected the digits of an integer',
  );`,
  };
}

/** Returns the source of the helpers that a text uses, each after its dependencies. */
export function helpersSource(text: string): string {
  const used = new Set<string>();
  const use = (name: string): void => {
    for (const other of helpers.find((one) => one.name === name)?.needs ?? []) use(other);
    used.add(name);
  };
  const code = text.replace(/\/\*\*.*?\*\/|'(?:\\.|[^'\\])*'|\bget \w+(?=\(\))/g, '');
  for (const { name } of helpers) if (new RegExp(`(?<![\\w.])${name}(?!\\w|:)`).test(code)) use(name);
  return helpers
    .filter(({ name }) => used.has(name))
    .map((one) => `${one.text}\n\n`)
    .join('');
}
