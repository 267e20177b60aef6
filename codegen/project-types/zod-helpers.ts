/** The schemas and functions that validators share, each with what it needs of the others; a file has those that it uses. */
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
    name: 'message',
    needs: ['isObject'],
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
  const read = (value: unknown, context: z.RefinementCtx): unknown => {
    if (!isObject(value)) return value;
    // Without a prototype, whose members would be found where fields of their names are absent.
    const members: Record<string, unknown> = Object.create(null);
    for (const [name, member] of Object.entries(value)) {
      const jsonName = Object.hasOwn(names, name) ? (names[name] ?? name) : name;
      if (jsonName !== name && Object.hasOwn(value, jsonName)) {
        context.addIssue({ code: 'custom', message: \`\${jsonName} is there twice, also as \${name}\` });
        return z.NEVER;
      }
      const isAbsent = member === null && Object.hasOwn(schema.shape, jsonName) && !nulls.includes(jsonName);
      if (!isAbsent) members[jsonName] = member;
    }
    return members;
  };
  return z.preprocess(read, schema) as z.ZodType<z.output<T>>;
}`,
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
    name: 'read',
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
    return z.NEVER;
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
    text: `/** A number that 32 bits can have. */
const float: z.ZodType<number | Special> = read((value) => {
  const number = finiteOf(value);
  return number !== undefined && Math.abs(number) <= 3.4028234663852886e38 ? number : specialOf(value);
}, 'expected a number of 32 bits');`,
  },
  ...(['int32', 'uint32', 'int64', 'uint64'] as const).map((type) => keyHelper(type)),
  {
    name: 'boolKey',
    text: `/** A key of a map: true or false. */\nconst boolKey = z.string().regex(/^(?:true|false)$/, 'expected true or false');`,
  },
];

/** Keys of maps are strings in JSON, in their one form. */
function keyHelper(type: 'int32' | 'uint32' | 'int64' | 'uint64'): { readonly name: string; readonly text: string } {
  const [cast, bits] = [type.startsWith('u') ? 'asUintN' : 'asIntN', type.slice(-2)];
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

/** Source of the helpers that a text uses, each after those that it needs. */
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
