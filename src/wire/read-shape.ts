import type { Guard, Oneof, Shape } from '../gen/api.ts';
import * as is from '../gen/checks.ts';

/** One violation of a shape. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Result of reading a value as a shape. */
export interface Reading {
  /** The value without members that the shape does not define. */
  readonly known: unknown;
  /** Violations of the shape, at most `maxIssues`. */
  readonly issues: readonly Issue[];
}

/** Maximum number of issues that are reported; a body can have millions. */
export const maxIssues = 20;

/** Definitions of the shapes that `$ref` refers to. */
export interface ShapeSource {
  readonly find: (name: string) => Shape;
  /** Guards by shape name. If a guard accepts a value, `known` is the unchanged value. */
  readonly guards: Readonly<Record<string, Guard>>;
}

/**
 * Reads a value as a shape and reports its issues. Requests are first checked by generated guards, and read this way
 * only if a guard refuses them.
 */
export function readShape(source: ShapeSource, shape: Shape, value: unknown): Reading {
  const reader = new ShapeReader(source);
  return { known: reader.read(shape, value), issues: reader.faults };
}

/**
 * An issue. `of` distinguishes a value whose `type` differs from its shape, one with another `name` (such as `kind`),
 * and one with the shape's type but wrong `content`.
 */
interface Fault extends Issue {
  readonly of: 'type' | 'name' | 'content';
}

class ShapeReader {
  faults: Fault[] = [];
  readonly #source: ShapeSource;
  readonly #path: PropertyKey[] = [];

  constructor(source: ShapeSource) {
    this.#source = source;
  }

  read(shape: Shape, value: unknown): unknown {
    if (shape.$ref !== undefined) {
      if (this.#source.guards[shape.$ref]?.(value)) return value;
      return this.read(this.#source.find(shape.$ref), value);
    }
    const names = shape.const === undefined ? shape.enum : [shape.const];
    if (value === undefined) return this.#fault('is required', names ? 'name' : 'type');
    if (names) {
      return names.includes(value as string) ? value : this.#fault(`must be one of ${names.join(', ')}`, 'name');
    }
    if (typeof shape.type === 'string') return this.#readOne(shape, shape.type, value);
    const { nullable, choices } = choicesOf(shape);
    const [only] = choices;
    if (only === undefined || (nullable && value === null)) return value;
    return choices.length > 1 ? this.#choose(choices, value) : this.read(only, value);
  }

  /** Reads a value whose shape has a single type. */
  #readOne(shape: Shape, type: string, value: unknown): unknown {
    const [isOf, what] = types[type] as Type;
    if (!isOf(value)) return this.#fault(`must be ${what}`, 'type');
    if (typeof value === 'string') this.#readText(shape, value);
    if (shape.properties) return this.#readMembers(shape.properties, shape, value as Members);
    if (type === 'map') this.#readEntries(shape, value as Members);
    return Array.isArray(value) ? this.#readItems(shape, value) : value;
  }

  #readText({ minLength = 0, pattern }: Shape, text: string): void {
    if (text.length < minLength) this.#fault('must not be empty', 'content');
    if (pattern !== undefined && !matches(text, pattern)) this.#fault(`must match ${pattern}`, 'content');
  }

  #readMembers(
    properties: Readonly<Record<string, Shape>>,
    { required = [], oneofs = [] }: Shape,
    value: Members,
  ): Members {
    const known: Record<string, unknown> = {};
    for (const name in properties) {
      const member = value[name];
      if (member === undefined && !required.includes(name)) continue;
      known[name] = this.#readAt(name, properties[name] as Shape, member);
    }
    for (const oneof of oneofs) this.#count(oneof, value);
    return known;
  }

  #count({ members, required }: Oneof, value: Members): void {
    const count = members.filter((member) => value[member] !== undefined).length;
    if (count === 1 || (count === 0 && !required)) return;
    this.#fault(`must have ${count === 0 ? 'one of' : 'only one of'} ${members.join(', ')}`, 'content');
  }

  #readEntries({ items = {}, keyType }: Shape, value: Members): void {
    const keys = keyType === undefined ? undefined : keyTypes[keyType];
    for (const [key, item] of Object.entries(value)) {
      if (this.faults.length >= maxIssues) return;
      if (keys && !keys[0](key)) this.#fault(`must have ${keys[1]} as its key`, 'content', key);
      this.#readAt(key, items, item);
    }
  }

  #readItems({ items, minItems = 0 }: Shape, list: readonly unknown[]): unknown {
    if (list.length < minItems) this.#fault('must not be empty', 'content');
    if (!items) return list;
    const known: unknown[] = [];
    for (let at = 0; at < list.length && this.faults.length < maxIssues; at++) {
      known.push(this.#readAt(at, items, list[at]));
    }
    return known;
  }

  /**
   * Reads a value that may have one of several shapes, as the first that fits. If its type and its name, or everything
   * except the content of a text, determine the intended shape, the issues are those of that shape.
   */
  #choose(choices: readonly Shape[], value: unknown): unknown {
    const outer = this.faults;
    const tries: Fault[][] = [];
    for (const choice of choices) {
      this.faults = [];
      const known = this.read(choice, value);
      const { faults } = this;
      this.faults = outer;
      if (faults.length === 0) return known;
      tries.push(faults);
    }
    const depth = this.#path.length;
    const isOfAnother = ({ of, path }: Fault): boolean =>
      path.length === depth ? of !== 'content' : of === 'name' && path.length === depth + 1;
    const meant =
      onlyOne(tries, (faults) => faults.every(({ of }) => of === 'content')) ??
      onlyOne(tries, (faults) => !faults.some(isOfAnother));
    if (!meant) return this.#fault(`must be ${choices.map(phraseOf).join(' or ')}`, 'type');
    outer.push(...meant);
    return undefined;
  }

  #readAt(step: PropertyKey, shape: Shape, value: unknown): unknown {
    this.#path.push(step);
    const known = this.read(shape, value);
    this.#path.pop();
    return known;
  }

  #fault(message: string, of: Fault['of'], ...below: PropertyKey[]): undefined {
    if (this.faults.length < maxIssues) this.faults.push({ path: [...this.#path, ...below], message, of });
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Returns the item that satisfies a test, if there is exactly one. */
function onlyOne<T>(items: readonly T[], test: (item: T) => boolean): T | undefined {
  const found = items.filter(test);
  return found.length === 1 ? found[0] : undefined;
}

interface Choices {
  readonly nullable: boolean;
  /** Shapes other than null; empty if any value is allowed. */
  readonly choices: readonly Shape[];
}

const cache = new WeakMap<Shape, Choices>();

/** Returns the choices of a shape with `anyOf`, several types or none. */
function choicesOf(shape: Shape): Choices {
  let found = cache.get(shape);
  if (!found) {
    const { anyOf, type = [] } = shape;
    const all = anyOf ?? [type].flat().map((one): Shape => ({ ...shape, type: one }));
    const choices = all.filter((choice) => choice.type !== 'null');
    found = { nullable: choices.length < all.length, choices };
    cache.set(shape, found);
  }
  return found;
}

/** Describes the expected value, as one of several choices. */
const phraseOf = ({ $ref, type }: Shape): string => $ref ?? types[type as string]?.[1] ?? '';

type Type = readonly [isOf: (value: unknown) => boolean, what: string];

const exact = 'and beyond 2^53 a string of its digits';
const int32: Type = [is.isInt32, 'a 32-bit integer'];
const uint32: Type = [is.isUint32, 'an unsigned 32-bit integer'];
const int64: Type = [is.isInt64, `a signed 64-bit integer, ${exact}`];
const uint64: Type = [is.isUint64, `an unsigned 64-bit integer, ${exact}`];
const boolean: Type = [is.isBoolean, 'true or false'];
const object: Type = [is.isObject, 'an object'];
const array: Type = [Array.isArray, 'an array'];

/** The types of JSON Schema, and the field types of protos. */
const types: Readonly<Record<string, Type>> = {
  string: [is.isString, 'a string'],
  boolean,
  number: [is.isNumber, 'a number'],
  integer: int32,
  array,
  object,
  bool: boolean,
  int32,
  sint32: int32,
  sfixed32: int32,
  uint32,
  fixed32: uint32,
  int64,
  sint64: int64,
  sfixed64: int64,
  uint64,
  fixed64: uint64,
  double: [is.isDouble, 'a number, NaN, Infinity or -Infinity'],
  float: [is.isFloat, 'a 32-bit number, NaN, Infinity or -Infinity'],
  bytes: [is.isBase64, 'base64'],
  timestamp: [is.isTimestamp, 'an RFC 3339 timestamp'],
  duration: [is.isDuration, 'a duration in seconds, such as 1.5s'],
  fieldMask: [is.isFieldMask, 'paths in camelCase, separated by commas'],
  empty: object,
  struct: object,
  map: object,
  list: array,
};

const int32Key: Type = [is.isInt32Key, 'a number of type int32'];
const uint32Key: Type = [is.isUint32Key, 'a number of type uint32'];
const int64Key: Type = [is.isInt64, 'a number of type int64'];
const uint64Key: Type = [is.isUint64, 'a number of type uint64'];

/** Types of map keys, which are strings in JSON. */
const keyTypes: Readonly<Record<string, Type>> = {
  bool: [is.isBoolKey, 'true or false'],
  int32: int32Key,
  sint32: int32Key,
  sfixed32: int32Key,
  uint32: uint32Key,
  fixed32: uint32Key,
  int64: int64Key,
  sint64: int64Key,
  sfixed64: int64Key,
  uint64: uint64Key,
  fixed64: uint64Key,
};

/** Whether a text matches the `pattern` of a shape. */
export const matches = (text: string, pattern: string): boolean => new RegExp(pattern, 'u').test(text);
