import type { FieldViolation } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Unread } from '../../core/model/unread.ts';
import { isBase64 } from '../../gen/checks.ts';
import { canonicalBase64 } from '../../wire/values.ts';
import { contentId } from './metadata.ts';
import { Items, namesIn, otherFormAt, synonymOf } from './other-forms.ts';
import { spellingOf } from './record.ts';

/**
 * Repairs a document that a decoder refused: values that the decoder names are read another way, filled in, or left out
 * by name.
 */

/** Ids for answers that lack them. */
export interface KnownIds {
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
}

/** A container of a document and the key of one value in it. */
interface Place {
  readonly container: Record<PropertyKey, unknown> | unknown[];
  readonly key: string | number;
  readonly name: string;
}

/** Another reading of a value. With a reason, it is reported. */
interface Reading {
  readonly value: unknown;
  readonly reason?: string;
}

/** Marks an item of a list that is left out, until all violations of one round have been handled. */
const leftOut = Symbol('left out');

/** The member that holds the whole document. */
const root = 'root';

export class Repair {
  readonly #document: Record<string, unknown>;
  readonly #known: KnownIds;
  readonly #reasons = new Map<string, string>();
  /** Paths at which another reading was tried. */
  readonly #read = new Set<string>();
  /** Paths at which another form was tried. */
  readonly #reformed = new Set<string>();
  /** Paths at which a value for a missing one was tried. */
  readonly #filled = new Set<string>();
  /** Positions that the items of a list had in the answer. */
  readonly #positions = new WeakMap<unknown[], number[]>();
  /** Position of the last artifact whose own position could not be read. No agent counts this far. */
  #lastIndex = 999;
  /** Text of a task state that no dialect has. */
  unknownState: string | undefined;

  /** @param value is not changed */
  constructor(value: unknown, known: KnownIds) {
    this.#document = { [root]: structuredClone(value) };
    this.#known = known;
  }

  /** The repaired document. */
  get value(): unknown {
    return this.#document[root];
  }

  get unread(): Unread[] {
    return [...this.#reasons].map(([path, reason]) => ({ path, reason }));
  }

  /** Repairs the places that violations name. Returns whether the document has changed. */
  mend(violations: readonly FieldViolation[]): boolean {
    // All places are found before the first list changes.
    const found = violations.map(({ field, description }) => ({ places: this.#find(field), description }));
    const lists = new Set<unknown[]>();
    let changed = false;
    for (const { places, description } of found) {
      const list = places && this.#mendOne(places, description);
      if (list === undefined) continue;
      changed = true;
      if (Array.isArray(list)) lists.add(list);
    }
    for (const list of lists) this.#compact(list);
    return changed;
  }

  /** Returns the places on the way to a field, the outermost first. Undefined if the document has no such way. */
  #find(field: string): Place[] | undefined {
    const places: Place[] = [{ container: this.#document, key: root, name: '' }];
    for (const key of stepsOf(field)) {
      const { container, key: last, name } = places.at(-1) as Place;
      const value = (container as Record<PropertyKey, unknown>)[last];
      if (Array.isArray(value) && typeof key === 'number') {
        const position = this.#positions.get(value)?.[key] ?? key;
        places.push({ container: value, key, name: `${name}[${position}]` });
      } else if (isObject(value)) {
        places.push({ container: value as Place['container'], key, name: name === '' ? `${key}` : `${name}.${key}` });
      } else break;
    }
    return places.length > 1 ? places : undefined;
  }

  /** Repairs one place, or a place around it. Returns the container that has changed. */
  #mendOne(places: readonly Place[], description: string): Place['container'] | undefined {
    const place = places.at(-1) as Place;
    const value = valueAt(place);
    if (value === leftOut) return place.container;
    if (value === null) return this.#leaveOutNull(place);
    if (value === undefined || description === 'must not be empty') return this.#fillIn(places, description);
    const reading = isFirst(this.#read, place.name) ? this.#readAnew(place, value, description) : undefined;
    if (!reading) return this.#leaveOut(place, this.#reasons.get(place.name) ?? reasonFor(place, value, description));
    if (reading.reason !== undefined) this.#reasons.set(place.name, reading.reason);
    set(place, reading.value);
    return place.container;
  }

  #readAnew(place: Place, value: unknown, description: string): Reading | undefined {
    const known = isIdOfTask(place) ? this.#known[place.key] : undefined;
    if (known) return { value: known, reason: description };
    // A chunk that replaced the artifact would delete the earlier ones.
    if (place.key === 'append') return { value: true, reason: description };
    if (place.key === 'index') return { value: this.#unusedIndex(), reason: description };
    const choices = choicesIn(description);
    // The other members determine it as well.
    if (place.key === 'kind' || place.key === 'type') return sameName(value, choices);
    if (choices.length > 0) return this.#choose(`${place.key}`, value, choices);
    for (const [phrase, read] of readings) if (description.includes(phrase)) return read(value, place);
    if (!isObject(value) || place.name === '') return undefined;
    // Its members are those of another generation.
    const isPart = /^(?:text|file|data)/i.test(`${value.kind ?? value.type}`);
    const other = isPart && isFirst(this.#reformed, place.name) ? otherFormAt(place.name, value) : undefined;
    return other ?? this.#withoutKind(value, place);
  }

  /** Returns a position that no other artifact of the answer has. */
  #unusedIndex(): number {
    this.#lastIndex += 1;
    return this.#lastIndex;
  }

  /**
   * Chooses one of several names, by its spelling. An unknown state becomes the first of them, until the task has been
   * decoded.
   */
  #choose(key: string, value: unknown, choices: readonly string[]): Reading | undefined {
    const same = sameName(value, choices);
    if (same) return same;
    if (key === 'state') {
      const named = stateAmong(value, choices);
      if (named !== undefined) return { value: named, reason: `${quoted(value)} is read as a state` };
      this.unknownState = quoted(value);
      const first = choices.find((choice) => !/UNSPECIFIED$/.test(choice));
      return { value: first, reason: `unknown state ${quoted(value)}` };
    }
    const agent = key === 'role' ? choices.find((choice) => /agent|assistant/i.test(choice)) : undefined;
    return agent === undefined ? undefined : { value: agent, reason: `unknown role ${quoted(value)}` };
  }

  /** Returns an object without its `kind` or `type`, which its other members determine as well. */
  #withoutKind(value: Readonly<Record<string, unknown>>, { name }: Place): Reading | undefined {
    for (const key of ['kind', 'type']) {
      const kind = value[key];
      if (kind === undefined) continue;
      const { [key]: _, ...rest } = value;
      this.#reasons.set(`${name}.${key}`, `unknown ${key} ${quoted(kind)}`);
      return { value: rest };
    }
    return undefined;
  }

  /** Fills in a missing member, or leaves out the object that needs it. */
  #fillIn(places: readonly Place[], description: string): Place['container'] | undefined {
    const place = places.at(-1) as Place;
    const isFillable = isFirst(this.#filled, place.name) && !Array.isArray(place.container);
    const known = isFillable && isIdOfTask(place) ? this.#known[place.key] : undefined;
    const found = isFillable && known === undefined ? synonymOf(place.key, place.container as JsonObject) : undefined;
    if (found) {
      this.#reasons.set(place.name, found.reason);
      set(place, found.value);
      return place.container;
    }
    const filled = isFillable ? fillers[place.key]?.(place, this.#known) : undefined;
    if (filled !== undefined) {
      if (place.key === 'state' || place.key === 'status') this.unknownState = 'none';
      if (!silent.has(`${place.key}`) && !this.#reasons.has(place.name)) this.#reasons.set(place.name, 'is missing');
      set(place, filled);
      return place.container;
    }
    const around = places.at(-2) as Place;
    // The document itself cannot be left out.
    if (places.length < 3) return undefined;
    return this.#leaveOut(around, `${place.key}: ${this.#reasons.get(place.name) ?? description}`);
  }

  /** Removes a member that is null, since it is absent. */
  #leaveOutNull(place: Place): Place['container'] {
    if (Array.isArray(place.container)) return this.#leaveOut(place, 'is null');
    delete place.container[place.key];
    return place.container;
  }

  /** Leaves out a value for which no other form can be read either. */
  #leaveOut(place: Place, reason: string): Place['container'] {
    const { container, key, name } = place;
    if (this.#reform(place)) return container;
    this.#reasons.set(name, this.#reasonBelow(name) ?? reason);
    if (Array.isArray(container)) container[key as number] = leftOut;
    else delete container[key];
    return container;
  }

  /** Reads a value in another form. Returns whether it has one. */
  #reform(place: Place): boolean {
    const { name } = place;
    const hasUnknownKind = this.#reasons.has(`${name}.kind`) || this.#reasons.has(`${name}.type`);
    if (hasUnknownKind || !isFirst(this.#reformed, name)) return false;
    const other = otherFormAt(name, valueAt(place));
    if (!other) return false;
    this.#reasonBelow(name);
    this.#reasons.set(name, other.reason);
    set(place, other.value);
    return true;
  }

  /**
   * Returns the first reason below a place that is left out. The others are dropped, since nothing of the place is
   * left.
   */
  #reasonBelow(name: string): string | undefined {
    let first: string | undefined;
    for (const [path, reason] of this.#reasons) {
      if (!path.startsWith(`${name}.`) && !path.startsWith(`${name}[`)) continue;
      const member = path.slice(name.length).replace(/^\./, '');
      first ??= member === 'kind' || member === 'type' ? reason : `${member}: ${reason}`;
      this.#reasons.delete(path);
    }
    return first;
  }

  /** Removes the marked items of a list, and inserts the items of lists in their places. */
  #compact(list: unknown[]): void {
    const positions = this.#positions.get(list) ?? [...list.keys()];
    const remaining = list.flatMap((item, at) => {
      const items = item instanceof Items ? item.items : item === leftOut ? [] : [item];
      return items.map((each) => ({ each, position: positions[at] as number }));
    });
    this.#positions.set(
      list,
      remaining.map(({ position }) => position),
    );
    list.splice(0, list.length);
    for (const { each } of remaining) list.push(each);
  }
}

const isIdOfTask = (place: Place): place is Place & { readonly key: keyof KnownIds } =>
  place.key === 'taskId' || place.key === 'contextId';

function isFirst(tried: Set<string>, name: string): boolean {
  if (tried.has(name)) return false;
  tried.add(name);
  return true;
}

const valueAt = ({ container, key }: Place): unknown => {
  if (Array.isArray(container)) return container[key as number];
  return Object.hasOwn(container, key) ? container[key] : undefined;
};

function set({ container, key }: Place, value: unknown): void {
  (container as Record<PropertyKey, unknown>)[key] = value;
}

/** Returns the steps of a path such as `message.parts[0].text`. */
function stepsOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  );
}

/** Returns the names in a description such as `must be one of user, agent`. */
function choicesIn(description: string): string[] {
  const [, names] = /^must be one of (.*)$/.exec(description) ?? [];
  return names?.split(', ') ?? [];
}

/** Returns the name among several that a value spells in another way. */
function sameName(value: unknown, choices: readonly string[]): Reading | undefined {
  const spelling = spellingOf(value);
  const same = choices.find((choice) => spellingOf(choice) === spelling);
  return same === undefined ? undefined : { value: same };
}

/** Returns the name among several that is the only one in a text. */
function stateAmong(value: unknown, choices: readonly string[]): string | undefined {
  const [name, ...others] = namesIn(value);
  if (name === undefined || others.length > 0) return undefined;
  return choices.find((choice) => spellingOf(choice) === spellingOf(name));
}

/** Returns a value in a reason, as JSON, cut to 60 characters. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

const reasonFor = ({ key }: Place, value: unknown, description: string): string =>
  choicesIn(description).length > 0 ? `unknown ${key} ${quoted(value)}` : description;

/** Other readings of a value, by a phrase of the description that refuses it. */
const readings: readonly (readonly [string, (value: unknown, place: Place) => Reading | undefined])[] = [
  ['base64', readBase64],
  ['ISO 8601', readTime],
  ['RFC 3339', readTime],
  ['seconds since the epoch', readTime],
  ['must be a string', readText],
  ['must be an array', readList],
  ['must be an object', readObject],
  ['must be true or false', readBoolean],
  ['integer', readNumber],
  ['must be a number', readNumber],
];

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

function readList(value: unknown, { name }: Place): Reading | undefined {
  return otherFormAt(name, value) ?? (isEmpty(value) ? undefined : { value: [value], reason: 'is not a list' });
}

/** Reads base64 with line breaks, in a `data:` URL, or without padding. */
function readBase64(value: unknown): Reading | undefined {
  if (typeof value !== 'string') return undefined;
  const text = canonicalBase64(value.replace(/^data:[^,]*,/, '').replace(/\s+/g, ''));
  return text !== value && isBase64(text) ? { value: text } : undefined;
}

function readTime(value: unknown): Reading | undefined {
  const number = typeof value === 'number' ? value : Number.NaN;
  // Seconds since the epoch have ten digits until the year 2286, milliseconds thirteen.
  const time = typeof value === 'string' ? Date.parse(value) : number * (Math.abs(number) < 1e11 ? 1_000 : 1);
  if (!Number.isFinite(time) || Math.abs(time) > 8.64e15) return undefined;
  return { value: new Date(time).toISOString(), reason: `${quoted(value)} is not a time in ISO 8601` };
}

function readText(value: unknown, place: Place): Reading | undefined {
  if (place.key === 'timestamp' || place.key === 'updatedAt') return readTime(value);
  if (typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  return { value: `${value}`, reason: `${quoted(value)} is not a string` };
}

/** Reads the item of a list of one, or a value in place of the object in `data`. */
function readObject(value: unknown, { key, container }: Place): Reading | undefined {
  if (Array.isArray(value) && value.length === 1 && isObject(value[0]))
    return { value: value[0], reason: 'is a list with one object' };
  if (key !== 'data' || Array.isArray(container)) return undefined;
  const metadata = isObject(container.metadata) ? container.metadata : {};
  container.metadata = { ...metadata, data_part_compat: true };
  return { value: { value }, reason: 'is not an object' };
}

function readBoolean(value: unknown): Reading | undefined {
  const text = `${value}`.toLowerCase();
  if (text !== 'true' && text !== 'false' && text !== '1' && text !== '0') return undefined;
  return { value: text === 'true' || text === '1', reason: `${quoted(value)} is not true or false` };
}

function readNumber(value: unknown): Reading | undefined {
  if (typeof value !== 'string' || value.trim() === '' || !Number.isFinite(Number(value))) return undefined;
  return { value: Number(value), reason: `${quoted(value)} is not a number` };
}

/** A part without content, in every dialect. */
const emptyPart = { kind: 'text', type: 'text', text: '', content: '' };

/** Values for members that a dialect requires, by name. Undefined: the object is left out. */
const fillers: Readonly<Record<string, (place: Place, known: KnownIds) => unknown>> = Object.assign(
  Object.create(null),
  {
    id: ({ container }: Place, { taskId }: KnownIds) =>
      has(container, 'status') ? (taskId ?? contentId(container)) : undefined,
    taskId: (_: Place, { taskId }: KnownIds) => taskId,
    contextId: (_: Place, { contextId }: KnownIds) => contextId ?? '',
    messageId: ({ container }: Place) => contentId(container),
    artifactId: ({ container, name }: Place) => artifactIdOf(container as Record<string, unknown>, name),
    role: () => 'agent',
    status: ({ container, name }: Place) =>
      has(container, 'artifacts') || has(container, 'history') || isTask(container, name)
        ? { state: 'working' }
        : undefined,
    state: () => 'working',
    parts: () => [emptyPart],
    timestamp: () => new Date().toISOString(),
  },
);

/** Members whose absence need not be reported: ids of messages, and times. */
const silent: ReadonlySet<string> = new Set(['messageId', 'contextId', 'taskId', 'timestamp']);

/** Whether an answer names an object a task. */
const isTask = (container: Place['container'], name: string): boolean =>
  name === 'task.status' || (!Array.isArray(container) && container.kind === 'task');

const has = (container: Place['container'], key: string): boolean => Object.hasOwn(container, key);

/** Returns the artifact's name, or its position: an agent repeats both. */
function artifactIdOf({ name: given }: Readonly<Record<string, unknown>>, path: string): string {
  if (typeof given === 'string' && given !== '') return given;
  const [, index = '0'] = /\[(\d+)\]\.artifactId$/.exec(path) ?? [];
  return index === '0' ? 'artifact' : `artifact-${index}`;
}
