import fc from 'fast-check';
import type { Api, Field, MessageTable } from '../../src/gen/api.ts';

/** Well-formed text of all planes, U+0000 included. */
export const anyText: fc.Arbitrary<string> = fc.string({ unit: 'binary', maxLength: 12 });

const key = anyText.filter((text) => text !== '__proto__');

/** Any JSON value that survives JSON.stringify as it is, without keys called `__proto__`. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
    anyText,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).value;

const anyObject = fc.dictionary(key, anyJson, { maxKeys: 3, noNullPrototype: true });

const timestamp = fc
  .integer({ min: Date.parse('0001-01-01T00:00:00.000Z'), max: Date.parse('9999-12-31T23:59:59.999Z') })
  .map((time) => new Date(time).toISOString());

/**
 * Canonical ProtoJSON of a message: what is required is there, of each oneof at most one, defaults are left out where
 * the field has no presence.
 */
export function canonicalJson(api: Api, typeName: string, depth = 4): fc.Arbitrary<Record<string, unknown>> {
  const table = api.fields.messages[typeName];
  if (!table) throw new Error(`no message ${typeName}`);
  return chosenFields(table).chain((fields) => {
    const entries = fields.map((field) => {
      const value = fieldValue(api, field, depth);
      const needed = field.required || field.oneof !== undefined;
      return [field.jsonName, needed ? value : fc.option(value, { nil: undefined, freq: 2 })] as const;
    });
    return fc.record(Object.fromEntries(entries)).map((record) => {
      const present = Object.entries(record).filter(([, value]) => value !== undefined);
      return Object.fromEntries(present) as Record<string, unknown>;
    });
  });
}

/** All fields but those of oneofs, and one or none of each of those. */
function chosenFields({ fields, oneofs }: MessageTable): fc.Arbitrary<readonly Field[]> {
  const free = fields.filter(({ oneof }) => oneof === undefined);
  const choices = oneofs.map(({ name, required }) => {
    const members = fields.filter(({ oneof }) => oneof === name);
    return fc.constantFrom<Field | undefined>(...members, ...(required ? [] : [undefined]));
  });
  return fc.tuple(...choices).map((chosen) => [...free, ...chosen.filter((field) => field !== undefined)]);
}

function fieldValue(api: Api, field: Field, depth: number): fc.Arbitrary<unknown> {
  const mayBeEmpty = field.presence === true || field.defaulted === true;
  const minLength = mayBeEmpty && !field.presence ? 0 : 1;
  if (field.repeated) return fc.array(itemValue(api, field, depth), { minLength, maxLength: 3 });
  if (field.kind === 'map') {
    return fc.dictionary(keyOf(field), itemValue(api, field, depth), {
      minKeys: minLength,
      maxKeys: 3,
      noNullPrototype: true,
    });
  }
  const value = itemValue(api, field, depth);
  return mayBeEmpty ? value : value.filter((item) => !isDefault(api, field, item));
}

function isDefault(api: Api, field: Field, value: unknown): boolean {
  if (field.kind === 'enum') return api.fields.enums[field.type]?.[value as string] === 0;
  return value === '' || value === 0 || value === false || (value === '0' && field.type.endsWith('64'));
}

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n));
const special = fc.constantFrom('NaN', 'Infinity', '-Infinity');

/** Scalars that differ only on the wire. */
const integers = {
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
};

const duration = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 315_575_999_999 }), fc.integer({ min: 1, max: 999 }), fc.nat(3))
  .map(([minus, seconds, part, groups]) => {
    const digits = groups === 0 ? '' : `.${String(part).padStart(groups * 3, '0')}`;
    return `${minus && (seconds > 0 || groups > 0) ? '-' : ''}${seconds}${digits}s`;
  });

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: anyText,
  bool: fc.boolean(),
  uint32: fc.nat({ max: 2 ** 32 - 1 }),
  fixed32: fc.nat({ max: 2 ** 32 - 1 }),
  int64: integers.int64,
  sint64: integers.int64,
  sfixed64: integers.int64,
  uint64: integers.uint64,
  fixed64: integers.uint64,
  double: number,
  float: fc.oneof(
    fc.integer({ min: -999_999, max: 999_999 }).map((n) => n / 100),
    special,
  ),
};

function keyOf({ keyType }: Field): fc.Arbitrary<string> {
  if (keyType === undefined) return key;
  if (keyType === 'bool') return fc.constantFrom('true', 'false');
  return (scalars[keyType] ?? fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })).map(String);
}

function itemValue(api: Api, { kind, valueKind, type }: Field, depth: number): fc.Arbitrary<unknown> {
  switch (valueKind ?? kind) {
    case 'message':
      return canonicalJson(api, type, depth - 1);
    case 'enum':
      return fc.constantFrom(...Object.keys(api.fields.enums[type] ?? {}));
    case 'bytes':
      return fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'timestamp':
      return timestamp;
    case 'struct':
      return anyObject;
    case 'value':
      return anyJson;
    case 'duration':
      return duration;
    case 'fieldMask':
      return fc
        .array(fc.constantFrom('id', 'status.state', 'contextId'), { maxLength: 3 })
        .map((paths) => paths.join(','));
    case 'empty':
      return fc.constant({});
    case 'list':
      return fc.array(anyJson, { maxLength: 3 });
    default:
      // The schema of the knowledge extension has finite numbers.
      if (type === 'double' && api.package === 'lf.a2a.v1') return fc.oneof(number, special);
      return scalars[type] ?? fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  }
}

const odd = fc.constantFrom<unknown>(
  null,
  undefined,
  '',
  'x',
  '====',
  '2024-02-30T00:00:00.000Z',
  'TASK_STATE_UNSPECIFIED',
  'ROLE_UNSPECIFIED',
  0,
  -1,
  0.5,
  2 ** 31,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  [],
  [null],
  [''],
  {},
  { a: null },
  { a: {} },
);

/** Replaces one value somewhere in the object, or adds one. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  if (Array.isArray(value)) {
    if (value.length === 0) return [replacement];
    return value.map((item, i) => (i === step % value.length ? mutate(item, rest, replacement) : item));
  }
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return replacement;
  return { ...value, [key]: mutate((value as Record<string, unknown>)[key], rest, replacement) };
}

/** The value with up to two others in place of what is somewhere in it. */
export const damaged = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.array(fc.nat(9), { maxLength: 5 }), odd), { maxLength: 2 })
    .map((damage) => damage.reduce((now, [at, what]) => mutate(now, at, what), value));
