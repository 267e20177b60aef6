import { isObject } from '../core/model/json.ts';
import type { Shape } from '../gen/api.ts';
import { formatPath } from './protojson.ts';
import { matches, type ShapeSource } from './read-shape.ts';

/** A piece of a document that was not read as written. */
export interface Unread {
  /** Path of the piece, such as `skills[0].tags`. */
  readonly path: string;
  /** The reason, and the replacement if there is one. */
  readonly reason: string;
}

/** A deviation found while reading a document. */
export interface Deviation {
  readonly steps: readonly PropertyKey[];
  readonly reason: string;
  /** Whether the piece is lost, without a replacement. */
  readonly lost: boolean;
}

/** An alternative reading of a value. If its value is undefined, the original counts as absent. */
export interface Reading {
  readonly value: unknown;
  readonly reason: string;
}

/**
 * Deviations from a document's shape that are accepted. Shapes are named by the last part of their name: `AgentSkill`.
 */
export interface Leniency {
  /** Member that a text in place of an object is read as, by shape: `organization` for `AgentProvider`. */
  readonly mainMembers: Readonly<Record<string, string>>;
  /** Shapes whose flags may be given as a list of flag names. */
  readonly flagged: ReadonlySet<string>;
  /** Shapes that are kept if a required member is missing; the member gets a neutral value. */
  readonly fillable: ReadonlySet<string>;
  /** Returns an alternative reading of a member before its shape is checked. Undefined: the value is used unchanged. */
  readonly reread?: (owner: string, member: string, value: unknown) => Reading | undefined;
  /** Returns the value for a missing required member. Undefined: an empty text, list or object is used. */
  readonly fill?: (owner: string, member: string, rest: Members, at: PropertyKey | undefined) => Reading | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a value as a shape, and omits the parts that do not fit: a member, an item of a list, or the object that
 * requires them. Unambiguous values are converted: a number in place of a text, a single value in place of a list of
 * one.
 *
 * @returns the value in its shape, undefined if none of it can be read; and each piece that was not read as written
 */
export function salvageShape(
  source: Pick<ShapeSource, 'find'>,
  shape: Shape,
  value: unknown,
  leniency: Leniency,
): { readonly value: unknown; readonly deviations: readonly Deviation[] } {
  const salvager = new ShapeSalvager(source, leniency);
  return { value: salvager.read(shape, value), deviations: salvager.deviations };
}

export const unreadOf = ({ steps, reason }: Deviation): Unread => ({ path: formatPath(steps), reason });

/** Maximum number of pieces that are reported; a document can have a million. */
const maxDeviations = 200;

class ShapeSalvager {
  readonly deviations: Deviation[] = [];
  readonly #source: Pick<ShapeSource, 'find'>;
  readonly #leniency: Leniency;
  readonly #path: PropertyKey[] = [];

  constructor(source: Pick<ShapeSource, 'find'>, leniency: Leniency) {
    this.#source = source;
    this.#leniency = leniency;
  }

  /** @param name name of the shape, if it has one */
  read(shape: Shape, value: unknown, name = ''): unknown {
    if (shape.$ref !== undefined) return this.read(this.#source.find(shape.$ref), value, shortName(shape.$ref));
    const names = shape.const === undefined ? shape.enum : [shape.const];
    if (names) return this.#readName(names, value);
    if (typeof shape.type === 'string') return this.#readOne(shape, shape.type, value, name);
    const choices = choicesOf(shape);
    const [only] = choices;
    if (only === undefined) return value;
    return choices.length > 1 ? this.#choose(choices, value) : this.read(only, value, name);
  }

  #readName(names: readonly string[], value: unknown): unknown {
    if (names.includes(value as string)) return value;
    const same = typeof value === 'string' && names.find((one) => spelling(one) === spelling(value));
    if (!same) return this.#lose(`is ${shown(value)}, which is not one of ${names.join(', ')}`);
    return this.#note(same, `is ${shown(value)}: read as ${same}`);
  }

  #readOne(shape: Shape, type: string, value: unknown, name: string): unknown {
    const kind = kindOf(shape, type);
    switch (kind) {
      case 'object':
        return this.#readObject(shape, value, name);
      case 'list':
        return this.#readList(shape, value);
      case 'map':
        return this.#readMap(shape, value);
      case 'boolean':
        return this.#readFlag(value);
      case 'text':
        return this.#readText(shape, value);
      default:
        return Number.isFinite(value) ? value : this.#lose(`is ${kindName(value)}, not a number`);
    }
  }

  #readText({ minLength = 0, pattern }: Shape, value: unknown): unknown {
    const text = this.#asText(value);
    if (text === undefined) return undefined;
    if (text.length < minLength) return this.#lose('is empty');
    if (pattern === undefined || matches(text, pattern)) return text;
    return this.#lose(`is ${shown(text)}, which does not match ${pattern}`);
  }

  #asText(value: unknown): string | undefined {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') {
      return this.#note(String(value), `is ${kindName(value)}: read as the text ${shown(String(value))}`);
    }
    const [only] = Array.isArray(value) ? value : [];
    if (typeof only === 'string' && (value as unknown[]).length === 1) {
      return this.#note(only, 'is a list: its only text is read');
    }
    return this.#lose(`is ${kindName(value)}, not a text`);
  }

  #readFlag(value: unknown): unknown {
    if (typeof value === 'boolean') return value;
    const flag = flags.get(typeof value === 'string' ? value.trim().toLowerCase() : value);
    if (flag === undefined) return this.#lose(`is ${kindName(value)}, not true or false`);
    return this.#note(flag, `is ${shown(value)}: read as ${flag}`);
  }

  #readObject(shape: Shape, value: unknown, name: string): unknown {
    const { properties } = shape;
    const object = this.#asObject(shape, value, name);
    if (object === undefined || !properties) return object;
    const known: Record<string, unknown> = {};
    for (const member in properties) {
      const read = this.#readMember(properties[member] as Shape, object, member, name);
      if (read !== undefined) known[member] = read;
    }
    if (!this.#fill(shape, known, name)) return undefined;
    return this.#hasOneOf(shape, known) ? known : undefined;
  }

  /** Returns the members of an object, or of the value in its place. */
  #asObject({ properties = {} }: Shape, value: unknown, name: string): Members | undefined {
    if (isObject(value)) return value;
    const main = this.#leniency.mainMembers[name];
    if (typeof value === 'string' && main !== undefined && value !== '') {
      return this.#note({ [main]: value }, `is a text: read as ${main}`);
    }
    const list = typeof value === 'string' ? [value] : value;
    if (!Array.isArray(list)) return this.#lose(`is ${kindName(value)}, not an object`);
    if (list.length === 0) return this.#note({}, 'is an empty list: read as an empty object');
    if (list.length === 1 && isObject(list[0])) return this.#note(list[0], 'is a list: its only item is read');
    if (!this.#leniency.flagged.has(name)) return this.#lose(`is ${kindName(value)}, not an object`);
    const texts = new Set(list.flatMap((item) => (typeof item === 'string' ? spelling(item) : [])));
    const named = Object.keys(properties).filter((member) => isFlag(properties[member]) && texts.has(spelling(member)));
    const what = named.length > 0 ? `${named.join(' and ')} of it can be read` : 'nothing of it can be read';
    return this.#note(Object.fromEntries(named.map((member) => [member, true])), `is ${kindName(value)}: ${what}`);
  }

  #readMember(shape: Shape, object: Members, member: string, owner: string): unknown {
    const given = Object.hasOwn(object, member) ? object[member] : undefined;
    const other = given === undefined ? undefined : this.#leniency.reread?.(owner, member, given);
    const value = other ? other.value : given;
    if (value === undefined || value === null) {
      const isAllowed = value === null && isNullable(shape);
      const reason = other?.reason ?? (value === null && !isAllowed ? 'is null' : undefined);
      if (reason !== undefined) this.#at(member, () => this.#lose(reason));
      return isAllowed ? null : undefined;
    }
    return this.#at(member, () => {
      if (other) this.#note(undefined, other.reason);
      return this.read(shape, value);
    });
  }

  /** Fills in missing required members. Returns whether the object can be kept. */
  #fill({ properties = {}, required = [] }: Shape, known: Record<string, unknown>, owner: string): boolean {
    const missing = required.filter((member) => known[member] === undefined || known[member] === null);
    const [first] = missing;
    if (first === undefined) return true;
    if (!this.#leniency.fillable.has(owner)) {
      this.#lose(`is left out: its ${first} is missing or cannot be read`);
      return false;
    }
    for (const member of missing) {
      const filled = this.#leniency.fill?.(owner, member, known, this.#path.at(-1));
      const reason = filled?.reason ?? 'is missing';
      if (!this.#isNamed(member)) this.#at(member, () => this.#note(undefined, reason));
      known[member] = filled ? filled.value : this.#neutral(properties[member] as Shape);
    }
    return true;
  }

  /** Returns a neutral value for a required member: the emptiest value of its shape. */
  #neutral(shape: Shape): unknown {
    const { $ref, type } = shape;
    if ($ref !== undefined) return this.#neutral(this.#source.find($ref));
    const kind = kindOf(shape, typeof type === 'string' ? type : '');
    if (kind === 'object' || kind === 'map') {
      const { properties = {}, required = [] } = shape;
      return Object.fromEntries(required.map((member) => [member, this.#neutral(properties[member] as Shape)]));
    }
    if (kind === 'list') return [];
    return kind === 'boolean' ? false : '';
  }

  /** If several members exclude each other, keeps the first. Returns whether the object can be kept. */
  #hasOneOf({ oneofs = [] }: Shape, known: Record<string, unknown>): boolean {
    for (const { members, required } of oneofs) {
      const [first, ...others] = members.filter((member) => known[member] !== undefined);
      for (const member of others) {
        delete known[member];
        this.#at(member, () => this.#lose(`is left out, because ${first} is present too`));
      }
      if (first !== undefined || !required) continue;
      this.#lose(`is left out: it has none of ${members.join(', ')}`);
      return false;
    }
    return true;
  }

  #readList({ items, minItems = 0 }: Shape, value: unknown): unknown {
    const list = Array.isArray(value) ? value : this.#asList(items, value);
    if (list === undefined || !items) return list;
    const known: unknown[] = [];
    for (const [at, item] of list.entries()) {
      const read = this.#at(at, () => (item === null ? this.#lose('is null') : this.read(items, item)));
      if (read !== undefined) known.push(read);
    }
    return known.length < minItems ? this.#note(known, 'is empty') : known;
  }

  /** Returns the items of a value: of a list itself, or of a value in place of a list, such as an object's values. */
  #asList(items: Shape | undefined, value: unknown): readonly unknown[] | undefined {
    if (!isObject(value)) {
      if (value === '') return this.#lose('is an empty text, not a list');
      return this.#note([value], `is ${kindName(value)}: read as a list of one`);
    }
    const entries = Object.entries(value);
    if (entries.length === 0) return this.#note([], 'is an empty object: read as an empty list');
    const item = items?.$ref === undefined ? items : this.#source.find(items.$ref);
    if (!item?.properties) {
      const values = entries.map(([, each]) => each);
      // Some languages serialize a list with gaps as an object.
      if (values.every((each) => typeof each === 'string'))
        return this.#note(values, 'is an object: its values are read as a list');
      return this.#lose('is an object, not a list');
    }
    const [key] = item.required ?? [];
    const isItem = Object.keys(item.properties).some((member) => Object.hasOwn(value, member));
    if (isItem || key === undefined || !entries.every(([, each]) => isObject(each))) {
      return this.#note([value], 'is an object: read as a list of one');
    }
    return this.#note(
      entries.map(([name, each]) => ({ [key]: name, ...(each as Members) })),
      `is an object: its values are read as a list, with their names as ${key}`,
    );
  }

  #readMap({ items = {} }: Shape, value: unknown): unknown {
    if (Array.isArray(value) && value.length === 0) return this.#note({}, 'is an empty list: read as an empty object');
    if (!isObject(value)) return this.#lose(`is ${kindName(value)}, not an object`);
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      const read = this.#at(key, () => (item === null ? this.#lose('is null') : this.read(items, item)));
      if (read !== undefined) entries.push([key, read]);
    }
    return Object.fromEntries(entries);
  }

  /**
   * Reads a value that has one of several shapes: the shape that it names, or else the one that keeps most of the
   * value.
   */
  #choose(choices: readonly Shape[], value: unknown): unknown {
    const before = this.deviations.length;
    let best: { readonly read: unknown; readonly deviations: Deviation[] } | undefined;
    for (const choice of choices) {
      const read = this.read(choice, value);
      const deviations = this.deviations.splice(before);
      const isBetter =
        !best || (read !== undefined && (best.read === undefined || deviations.length < best.deviations.length));
      if (isBetter) best = { read, deviations };
      if (read !== undefined && deviations.length === 0) break;
    }
    if (!best || best.read === undefined) return this.#lose(`is ${kindName(value)} of no known kind`);
    this.deviations.push(...best.deviations);
    return best.read;
  }

  #at<T>(step: PropertyKey, read: () => T): T {
    this.#path.push(step);
    const value = read();
    this.#path.pop();
    return value;
  }

  #isNamed(member: string): boolean {
    const depth = this.#path.length;
    return this.deviations.some(
      ({ steps }) =>
        steps.length === depth + 1 && steps[depth] === member && this.#path.every((step, at) => steps[at] === step),
    );
  }

  #note<T>(value: T, reason: string): T {
    this.#add(reason, false);
    return value;
  }

  #lose(reason: string): undefined {
    this.#add(reason, true);
    return undefined;
  }

  #add(reason: string, lost: boolean): void {
    if (this.deviations.length < maxDeviations) this.deviations.push({ steps: [...this.#path], reason, lost });
  }
}

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

type Kind = 'object' | 'map' | 'list' | 'boolean' | 'text' | 'number';

/** Returns the kind of JSON value for a type of JSON Schema or of a proto field. */
function kindOf({ properties }: Shape, type: string): Kind {
  if (properties || type === 'object' || type === 'struct' || type === 'empty') return 'object';
  if (type === 'map') return 'map';
  if (type === 'array' || type === 'list') return 'list';
  if (type === 'boolean' || type === 'bool') return 'boolean';
  return /^(?:number|integer|double|float|[su]?(?:int|fixed)\d+|sfixed\d+)$/.test(type) ? 'number' : 'text';
}

const knownChoices = new WeakMap<Shape, readonly Shape[]>();

/** Returns the choices of a shape other than null; empty if any value is allowed. */
function choicesOf(shape: Shape): readonly Shape[] {
  let choices = knownChoices.get(shape);
  if (!choices) {
    const { anyOf, type = [], ...rest } = shape;
    const all = anyOf ?? [type].flat().map((one): Shape => ({ ...rest, type: one }));
    choices = all.filter((choice) => choice.type !== 'null');
    knownChoices.set(shape, choices);
  }
  return choices;
}

const isNullable = ({ anyOf, type }: Shape): boolean =>
  Array.isArray(type) ? type.includes('null') : (anyOf?.some((choice) => choice.type === 'null') ?? false);

function isFlag(shape: Shape | undefined): boolean {
  const types = [shape?.type ?? []].flat();
  return types.includes('boolean') || types.includes('bool');
}

/** Normalizes a name by removing case and separators. */
const spelling = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const flags: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...(['true', 'yes', 'on', '1', 1] as const).map((word) => [word, true] as const),
  ...(['false', 'no', 'off', '0', '', 0] as const).map((word) => [word, false] as const),
]);

/** Names the kind of a value for messages. */
function kindName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? `${value}` : 'a number';
}

/** Returns a value as JSON, truncated to 60 characters. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
