import type { Api, Field, FieldTables } from '../../gen/api.ts';
import { defaultOf } from '../../wire/values.ts';
import { type Change, type Fill, type Rewrite, rewrites } from '../kernel/rewrite.ts';
import { conversions, requiredValues } from './conversions.ts';
import { type Conversion, conversionOf } from './retyped.ts';

/** Fields of one type of the canonical form that a version of A2A 1.x lacks, or has in another form. */
export interface Drop {
  /** Whether stored JSON may contain such fields. */
  readonly isStored: boolean;
  /** Schema paths of all fields that may be lost. */
  readonly paths: readonly string[];
  /** Names of fields that have another name in the version, by path. */
  readonly names: Readonly<Record<string, string>>;
  /** Converts a value to the version's form; the same object if nothing differs. */
  readonly from: Rewrite['of'];
}

/** Converts a value in a version's form to the canonical one; the same object if nothing differs. */
export type Lift = <T>(value: T) => T;

/** The tables of a version that conversions need. */
type Tables = Pick<Api, 'fields'>;

/**
 * Finds the fields that a version lacks or has in another form, by type. Undefined for a type without any.
 *
 * @param own the version
 * @param version value of `A2A-Version`
 */
export function dropsOf(canonical: Tables, own: Tables, version = ''): (typeName: string) => Drop | undefined {
  const forms = new Forms(canonical.fields, own.fields, version);
  const nameOf = (field: Field, type: string): string => forms.ownField(type, field)?.jsonName ?? field.jsonName;
  const rewriteOf = rewrites(
    canonical.fields,
    (field, type) => forms.toVersion(field, type),
    nameOf,
    (field, type) => forms.fillOf(field, type),
  );
  return (typeName) => {
    const rewrite = rewriteOf(typeName);
    if (!rewrite) return undefined;
    const { fields, of } = rewrite;
    const renamed = fields.filter(({ field, of: type }) => nameOf(field, type) !== field.jsonName);
    return {
      isStored: renamed.length > 0 || fields.some(({ field }) => !field.added),
      paths: fields.filter(({ field, of: type }) => forms.mayLose(field, type)).map(({ path }) => path),
      names: Object.fromEntries(renamed.map(({ field, of: type, path }) => [path, nameOf(field, type)])),
      from: of,
    };
  };
}

/** Finds the conversions from a version to the canonical form, by type. Undefined for a type that does not differ. */
export function liftsOf(canonical: Tables, own: Tables, version = ''): (typeName: string) => Lift | undefined {
  const forms = new Forms(canonical.fields, own.fields, version);
  const nameOf = (field: Field, type: string): string => forms.canonicalField(type, field)?.jsonName ?? field.jsonName;
  const rewriteOf = rewrites(own.fields, (field, type) => forms.fromVersion(field, type), nameOf);
  return (typeName) => rewriteOf(typeName)?.of;
}

/** The fields of a version paired with those of the canonical form. Paired fields have equal numbers. */
class Forms {
  readonly #canonical: FieldTables;
  readonly #own: FieldTables;
  readonly #version: string;

  constructor(canonical: FieldTables, own: FieldTables, version: string) {
    this.#canonical = canonical;
    this.#own = own;
    this.#version = version;
  }

  ownField(type: string, { number }: Field): Field | undefined {
    return this.#own.messages[type]?.fields.find((field) => field.number === number);
  }

  canonicalField(type: string, { number }: Field): Field | undefined {
    return this.#canonical.messages[type]?.fields.find((field) => field.number === number);
  }

  /** Returns the change of a field's values on their way to the version. */
  toVersion(field: Field, type: string): Change | undefined {
    const own = this.ownField(type, field);
    if (!own) return (_value, losses, path) => void losses?.add(path);
    const convert = this.#conversionTo(field, own, type);
    const rivals = this.#newRivals(field, own, type);
    if (rivals.length === 0) return convert;
    return (value, losses, path, holder) => {
      if (rivals.some((name) => holder[name] !== undefined)) return void losses?.add(path);
      return convert ? convert(value, losses, path, holder) : value;
    };
  }

  /** Returns the default for a field that the version requires, and that a caller of another version has not sent. */
  fillOf(field: Field, type: string): Fill | undefined {
    const own = this.ownField(type, field);
    if (!own?.required || field.required) return undefined;
    return requiredValues[`${this.#version} ${type}.${field.jsonName}`] ?? defaultFor(own, this.#own);
  }

  /** Returns the change of a field's values on their way back. */
  fromVersion(own: Field, type: string): Change | undefined {
    const field = this.canonicalField(type, own);
    if (!field) return undefined;
    if (hasSameType(field, own)) return kindOf(own) === 'enum' ? this.#enumFrom(own.type) : undefined;
    const byHand = this.#byHand(field, type)?.fromVersion;
    return changeOf(byHand ?? conversionOf(own, field, this.#canonical) ?? lost);
  }

  /** Whether a part of a field can be lost on the way to the version. */
  mayLose(field: Field, type: string): boolean {
    const own = this.ownField(type, field);
    if (!own || this.#newRivals(field, own, type).length > 0) return true;
    if (hasSameType(field, own)) return kindOf(field) === 'enum' && this.#namesTo(field.type)?.isNarrower === true;
    return true;
  }

  #conversionTo(field: Field, own: Field, type: string): Change | undefined {
    if (!hasSameType(field, own)) {
      return changeOf(this.#byHand(field, type)?.toVersion ?? conversionOf(field, own, this.#own) ?? lost);
    }
    // A value stored before another version changed the type may have the former one.
    const former = Object.values(field.changed ?? {}).find((row) => !hasSameType(row, field));
    const healed = former && conversionOf(former, field, this.#canonical);
    if (healed) return changeOf(healed);
    return kindOf(field) === 'enum' ? this.#enumTo(field, own) : undefined;
  }

  #byHand(field: Field, type: string) {
    return conversions[`${this.#version} ${type}.${field.jsonName}`];
  }

  /** Returns members of the version's oneof that come first, if the canonical form has the field outside the oneof. */
  #newRivals(field: Field, own: Field, type: string): string[] {
    if (own.oneof === undefined || own.oneof === field.oneof) return [];
    const members = this.#own.messages[type]?.fields.filter(({ oneof }) => oneof === own.oneof) ?? [];
    const before = members.slice(
      0,
      members.findIndex(({ number }) => number === own.number),
    );
    return before.flatMap((member) => this.canonicalField(type, member)?.jsonName ?? []);
  }

  /** Returns the version's names of an enum's values, if some differ: another name has an equal number. */
  #namesTo(
    type: string,
  ): { readonly names: ReadonlyMap<string, string | undefined>; readonly isNarrower: boolean } | undefined {
    const all = this.#canonical.enums[type] ?? {};
    const own = this.#own.enums[type] ?? {};
    const byNumber = new Map(Object.entries(own).map(([name, number]) => [number, name]));
    const names = new Map(
      Object.entries(all).flatMap(([name, number]): [string, string | undefined][] =>
        Object.hasOwn(own, name) ? [] : [[name, byNumber.get(number)]],
      ),
    );
    return names.size === 0 ? undefined : { names, isNarrower: [...names.values()].includes(undefined) };
  }

  #enumTo(field: Field, own: Field): Change | undefined {
    const found = this.#namesTo(field.type);
    if (!found) return undefined;
    const { names } = found;
    const zero = Object.entries(this.#own.enums[own.type] ?? {}).find(([, number]) => number === 0)?.[0];
    const replaced = own.required && !own.repeated && own.kind !== 'map' ? zero : undefined;
    return changeOf((value, lose) => {
      if (typeof value !== 'string' || !names.has(value)) return value;
      const name = names.get(value);
      if (name === undefined) lose();
      return name ?? replaced;
    }, field);
  }

  #enumFrom(type: string): Change | undefined {
    const all = this.#canonical.enums[type] ?? {};
    const own = this.#own.enums[type] ?? {};
    const byNumber = new Map(Object.entries(all).map(([name, number]) => [number, name]));
    const names = new Map(
      Object.entries(own).flatMap(([name, number]) =>
        Object.hasOwn(all, name) ? [] : [[name, byNumber.get(number)] as const],
      ),
    );
    if (names.size === 0) return undefined;
    return changeOf((value) => (typeof value === 'string' ? (names.get(value) ?? value) : value), {
      repeated: true,
      kind: 'map',
    });
  }
}

/** Returns a function that makes a field's default, if the proto has one for its type: a message has none. */
export function defaultFor(field: Field, { enums }: FieldTables): Fill | undefined {
  const { kind, repeated, type } = field;
  const hasNone = kind === 'message' || kind === 'timestamp' || kind === 'duration' || kind === 'value';
  if (hasNone && !repeated) return undefined;
  if (kind === 'struct' || kind === 'empty') return repeated ? () => [] : () => ({});
  if (kind === 'list') return () => [];
  if (kind === 'fieldMask') return repeated ? () => [] : () => '';
  const zero = Object.entries(enums[type] ?? {}).find(([, number]) => number === 0)?.[0];
  return () => defaultOf(field, { byNumber: new Map(), zero });
}

const kindOf = ({ kind, valueKind }: Field): string => valueKind ?? kind;

/** Whether two rows have equal values in ProtoJSON. */
const hasSameType = (a: Field, b: Field): boolean =>
  a.kind === b.kind &&
  a.type === b.type &&
  a.valueKind === b.valueKind &&
  a.keyType === b.keyType &&
  (a.repeated ?? false) === (b.repeated ?? false);

const lost: Conversion = (_value, lose) => void lose();

/** Returns a conversion as a change of a field; of each item of a list or a map, if `each` is one. */
function changeOf(convert: Conversion, each: Partial<Pick<Field, 'repeated' | 'kind'>> = {}): Change {
  return (value, losses, path) => {
    const lose = (): void => void losses?.add(path);
    if (each.repeated && Array.isArray(value))
      return unlessChanged(
        value,
        value.map((item) => convert(item, lose)),
      );
    if (each.kind === 'map' && typeof value === 'object' && value !== null) return convertedMap(value, convert, lose);
    return convert(value, lose);
  };
}

/** Returns the original list if nothing in it changed. */
function unlessChanged(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, at) => item === before[at]) ? before : after.filter((item) => item !== undefined);
}

function convertedMap(map: object, convert: Conversion, lose: () => void): object {
  const before = Object.entries(map);
  const after = before.map(([key, item]): [string, unknown] => [key, convert(item, lose)]);
  if (after.every(([, item], at) => item === before[at]?.[1])) return map;
  return Object.fromEntries(after.filter(([, item]) => item !== undefined));
}
