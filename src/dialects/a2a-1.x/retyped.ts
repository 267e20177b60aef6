import type { Field, FieldTables, ValueKind } from '../../gen/api.ts';
import * as is from '../../gen/checks.ts';
import { canonicalValue } from '../../wire/values.ts';

/**
 * Converts a field's value to the form of another version of A2A 1.x; undefined if that has no place for it. Values
 * that have the other form already stay unchanged.
 *
 * @param lose called if a part of the value is lost
 */
export type Conversion = (value: unknown, lose: () => void) => unknown;

/** A field's type. */
type Typed = Pick<Field, 'kind' | 'type' | 'valueKind' | 'keyType' | 'repeated' | 'wrapped' | 'finite'>;

/** Returns the conversion between two types of a field; undefined if no rule covers it. */
export function conversionOf(from: Typed, to: Typed, tables: Pick<FieldTables, 'enums'>): Conversion | undefined {
  if ((from.kind === 'map') !== (to.kind === 'map')) return undefined;
  const one = singleConversion(from, to, tables);
  if (!one) return undefined;
  if (from.kind === 'map') return (from.keyType ?? 'string') === (to.keyType ?? 'string') ? ofMap(one) : undefined;
  if (to.repeated) return (value, lose) => ofItems(one, Array.isArray(value) ? value : [value], lose);
  if (!from.repeated) return one;
  return (value, lose) => {
    if (!Array.isArray(value)) return one(value, lose);
    if (value.length > 1) lose();
    return value.length === 0 ? undefined : one(value[0], lose);
  };
}

/** Whether one type holds every value of another, and more. */
export function isWider(type: Typed, than: Typed): boolean {
  if (isSameSingle(type, than)) return type.repeated === true && !than.repeated && than.kind !== 'map';
  if (type.kind === 'map' || than.kind === 'map' || (than.repeated && !type.repeated)) return false;
  return widerThan[nameOf(than)]?.includes(nameOf(type)) === true;
}

/** Whether two types are the same, apart from lists. */
const isSameSingle = (a: Typed, b: Typed): boolean =>
  a.kind === b.kind && a.type === b.type && a.valueKind === b.valueKind;

const kindOf = ({ kind, valueKind }: Typed): ValueKind => valueKind ?? (kind as ValueKind);

/** A scalar's type, or a kind. */
const nameOf = (one: Typed): string => (kindOf(one) === 'scalar' ? signless(one.type) : kindOf(one));

/** Drops the encoding of an integer in protobuf, which makes no difference in JSON. */
const signless = (type: string): string => type.replace(/^s(?:int|fixed)/, 'int').replace(/^fixed/, 'uint');

const widerThan: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'double', 'string'],
  uint32: ['uint64', 'int64', 'double', 'string'],
  int64: ['string'],
  uint64: ['string'],
  float: ['double', 'string'],
  double: ['string', 'value'],
  bool: ['value'],
  string: ['value'],
  struct: ['value'],
  list: ['value'],
  enum: ['string'],
  timestamp: ['string'],
  duration: ['string'],
  fieldMask: ['string'],
};

const numbers: Readonly<Record<string, (value: unknown) => boolean>> = {
  int32: is.isInt32,
  uint32: is.isUint32,
  int64: is.isInt64,
  uint64: is.isUint64,
  double: is.isDouble,
  float: is.isFloat,
};

/** Kinds whose JSON is a text of a certain form. */
const texts: Readonly<Record<string, (value: unknown) => boolean>> = {
  timestamp: is.isTimestamp,
  duration: is.isDuration,
  fieldMask: is.isFieldMask,
};

function singleConversion(from: Typed, to: Typed, { enums }: Pick<FieldTables, 'enums'>): Conversion | undefined {
  if (kindOf(from) === kindOf(to) && from.type === to.type) return (value) => value;
  const before = nameOf(from);
  const after = nameOf(to);
  const isNumber = numbers[after];
  if (isNumber && (before in numbers || before === 'string')) {
    return fitting((value) => toNumber(to.type, value), isNumber);
  }
  if (after === 'string' && (before in numbers || before in texts || before === 'enum')) return String;
  if (before === 'string' && texts[after]) {
    return fitting((value) => canonicalValue(to.kind as ValueKind, to.type, value, undefined), texts[after]);
  }
  if (before === 'string' && after === 'enum') {
    const names = new Set(Object.keys(enums[to.type] ?? {}));
    return fitting(
      (value) => value,
      (value) => names.has(value as string),
    );
  }
  if (after === 'value' && widerThan[before]?.includes('value')) return (value) => value;
  const fits = before === 'value' ? openValues[after] : undefined;
  return fits && fitting((value) => value, fits);
}

const openValues: Readonly<Record<string, (value: unknown) => boolean>> = {
  double: is.isDouble,
  bool: is.isBoolean,
  string: is.isString,
  struct: is.isObject,
  list: is.isArray,
};

/**
 * Converts to a number in canonical ProtoJSON; digits that a double cannot hold are neither a number of 32 bits nor a
 * double.
 */
function toNumber(type: string, value: unknown): unknown {
  const canonical = canonicalValue('scalar', type, value, undefined);
  const isExact =
    typeof canonical !== 'number' ||
    typeof value !== 'string' ||
    !/^-?\d{16,}$/.test(value) ||
    String(canonical) === value;
  return isExact ? canonical : undefined;
}

const fitting =
  (convert: (value: unknown) => unknown, fits: (value: unknown) => boolean): Conversion =>
  (value, lose) => {
    const after = convert(value);
    if (after !== undefined && fits(after)) return after;
    lose();
    return undefined;
  };

function ofItems(one: Conversion, list: readonly unknown[], lose: () => void): unknown[] {
  return list.map((item) => one(item, lose)).filter((item) => item !== undefined);
}

const ofMap =
  (one: Conversion): Conversion =>
  (value, lose) => {
    if (!is.isObject(value)) return value;
    const entries = Object.entries(value as object).map(([key, item]) => [key, one(item, lose)] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  };
