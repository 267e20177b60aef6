/** The schemas and functions that validators share, each with what it needs of the others; a file has those that it uses. */
const helpers: readonly { readonly name: string; readonly needs?: readonly string[]; readonly text: string }[] = [
  {
    name: 'isObject',
    text: `const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);`,
  },
  {
    name: 'countOf',
    text: `const countOf = (value: object, names: readonly string[]): number =>
  names.filter((name) => (value as Readonly<Record<string, unknown>>)[name] !== undefined).length;`,
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
    name: 'hasNone',
    text: `/** Whether an object has none of some members. */
const hasNone =
  (names: readonly string[]) =>
  (value: object): boolean =>
    !names.some((name) => Object.hasOwn(value, name));`,
  },
  {
    name: 'struct',
    needs: ['isObject'],
    text: `/** A JSON object (google.protobuf.Struct). */
const struct: z.ZodType<t.Struct> = z.custom<t.Struct>(isObject, 'expected an object');`,
  },
  {
    name: 'base64',
    text: `/** Bytes in base64: the standard or the URL-safe alphabet, with or without padding. */
const base64: z.ZodType<string> = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'expected base64').refine(
  (value) => value.replace(/=+$/, '').length % 4 !== 1 && (!value.endsWith('=') || value.length % 4 === 0),
  'expected base64',
);`,
  },
  {
    name: 'timestamp',
    text: `/** A time (RFC 3339) with up to nine digits of a second, in any time zone, of the years 0001 to 9999. */
const timestamp: z.ZodType<string> = z.string().refine((value) => {
  const [, day] = /^(?!0000)\\d{4}-\\d\\d-(\\d\\d)T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$/.exec(value) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  // A day that does not exist, and the hour 24, are read as one of the next month, and of the next day.
  return new Date(\`\${value.slice(0, 19)}Z\`).getUTCDate() === Number(day);
}, 'expected a time such as 2026-01-31T12:00:00Z');`,
  },
  {
    name: 'duration',
    text: `/** Seconds with up to nine digits of a second. */
const duration: z.ZodType<string> = z.string().refine(
  (value) => /^-?\\d{1,12}(?:\\.\\d{1,9})?s$/.test(value) && Math.abs(Number.parseInt(value, 10)) <= 315_576_000_000,
  'expected seconds such as 1.5s',
);`,
  },
  {
    name: 'fieldMask',
    text: `/** Paths in camelCase, separated by commas. */
const fieldMask: z.ZodType<string> = z
  .string()
  .regex(/^(?:[a-z][a-zA-Z0-9]*(?:[.,][a-z][a-zA-Z0-9]*)*)?$/, 'expected paths in camelCase');`,
  },
  {
    name: 'int64',
    text: `/** A signed 64-bit integer in decimal digits. */
const int64: z.ZodType<string> = z.string().refine(
  (value) => /^(?:0|-?[1-9]\\d{0,18})$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value),
  'expected the digits of a 64-bit integer',
);`,
  },
  {
    name: 'uint64',
    text: `/** An unsigned 64-bit integer in decimal digits. */
const uint64: z.ZodType<string> = z.string().refine(
  (value) => /^(?:0|[1-9]\\d{0,19})$/.test(value) && BigInt.asUintN(64, BigInt(value)) === BigInt(value),
  'expected the digits of an unsigned 64-bit integer',
);`,
  },
  {
    name: 'special',
    text: `/** Numbers that JSON cannot write. */
const special = z.enum(['NaN', 'Infinity', '-Infinity']);`,
  },
  {
    name: 'double',
    needs: ['special'],
    text: `const double = z.union([z.number(), special]);`,
  },
  {
    name: 'float',
    needs: ['special'],
    text: `const float = z.union([z.number().min(-3.4028234663852886e38).max(3.4028234663852886e38), special]);`,
  },
  {
    name: 'int32Key',
    text: `/** A key of a map: the digits of a 32-bit integer. */
const int32Key = z.string().refine(
  (value) => /^(?:0|-?[1-9]\\d{0,9})$/.test(value) && (Number(value) | 0) === Number(value),
  'expected the digits of a 32-bit integer',
);`,
  },
  {
    name: 'uint32Key',
    text: `/** A key of a map: the digits of an unsigned 32-bit integer. */
const uint32Key = z.string().refine(
  (value) => /^(?:0|[1-9]\\d{0,9})$/.test(value) && Number(value) >>> 0 === Number(value),
  'expected the digits of an unsigned 32-bit integer',
);`,
  },
  { name: 'boolKey', text: `/** A key of a map: true or false. */\nconst boolKey = z.enum(['true', 'false']);` },
];

/** Source of the helpers that a text uses, each after those that it needs. */
export function helpersSource(text: string): string {
  const used = new Set<string>();
  const use = (name: string): void => {
    for (const other of helpers.find((one) => one.name === name)?.needs ?? []) use(other);
    used.add(name);
  };
  const code = text.replace(/'(?:\\.|[^'\\])*'|\bget \w+(?=\(\))/g, '');
  for (const { name } of helpers) if (new RegExp(`(?<![\\w.])${name}(?!\\w|:)`).test(code)) use(name);
  return helpers
    .filter(({ name }) => used.has(name))
    .map((one) => `${one.text}\n\n`)
    .join('');
}
