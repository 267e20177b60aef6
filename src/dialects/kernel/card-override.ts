import { type AgentCard, api } from '../../core/model/a2a.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { shapes as shapes01 } from '../../gen/a2a-0.1/shapes.ts';
import { shapes as shapes02 } from '../../gen/a2a-0.2/shapes.ts';
import { shapes as shapes03 } from '../../gen/a2a-0.3/shapes.ts';
import { shapes as vaultShapes } from '../../gen/agentvault-0.2/shapes.ts';
import type { Shape } from '../../gen/api.ts';
import { readShape } from '../../wire/read-shape.ts';
import { messageShape } from '../../wire/validate.ts';

/**
 * Members of a card that the configuration sets: objects are merged by member, any other value replaces the agent's,
 * and null removes it (RFC 7396). A security scheme is replaced as a whole, since it is of one kind.
 */
export interface CardOverride {
  /** Members of A2A 1.0, applied to the card after reading. */
  readonly members: JsonObject;
  /** Members of older cards, such as `url`, applied to the agent's document before reading. */
  readonly document: JsonObject;
}

/** A fault in an override. */
export interface OverrideFault {
  readonly path: readonly string[];
  readonly message: string;
  /** The allowed members, if there is one that is not allowed. */
  readonly known?: readonly string[];
}

/**
 * Reads the override of a configuration. Each member has the form of A2A 1.0, or that of an older version which has it.
 */
export function readOverride(given: JsonObject): {
  readonly override: CardOverride;
  readonly faults: readonly OverrideFault[];
} {
  const members: Record<string, unknown> = {};
  const document: Record<string, unknown> = {};
  const faults: OverrideFault[] = [];
  for (const [name, value] of Object.entries(given)) {
    const [ofV1, ...ofOlder] = [newest, ...older].map((one) => one.faults(name, value));
    const found = ofV1 ?? ofOlder.find((each) => each !== undefined);
    if (ofV1?.length === 0) members[name] = value;
    else if (ofOlder.some((each) => each?.length === 0)) document[name] = value;
    else faults.push(...(found ?? [unknown([name], allNames)]));
  }
  return { override: { members, document }, faults };
}

/** Returns the card with these members. */
export const withMembers = (card: AgentCard, members: JsonObject): AgentCard =>
  merged(card as unknown as JsonObject, members) as unknown as AgentCard;

/** Returns the agent's document with these members. */
export const withDocument = (document: unknown, members: JsonObject): JsonObject =>
  merged(isObject(document) ? document : {}, members);

/** Members whose own members are replaced as a whole. */
const maps: ReadonlySet<string> = new Set(['securitySchemes']);

function merged(to: JsonObject, patch: JsonObject, isMap = false): JsonObject {
  const result = new Map(Object.entries(to));
  for (const [name, value] of Object.entries(patch)) {
    const before = result.get(name);
    if (value === null) result.delete(name);
    else if (!isObject(value) || isMap) result.set(name, value);
    else result.set(name, merged(isObject(before) ? before : {}, value, maps.has(name)));
  }
  return Object.fromEntries(result);
}

/** Returns the paths of the members that an override sets or removes. */
export function overriddenPaths({ members, document }: CardOverride): string[] {
  const paths = (value: JsonObject, prefix: string): string[] =>
    Object.entries(value).flatMap(([name, member]) =>
      isObject(member) ? paths(member, `${prefix}${name}.`) : [`${prefix}${name}`],
    );
  return [...paths(members, ''), ...paths(document, '')];
}

/** Checks overrides against the shapes of one dialect. */
class OverrideChecker {
  readonly #find: (name: string) => Shape;
  readonly #card: Shape;

  constructor(find: (name: string) => Shape, card: string) {
    this.#find = find;
    this.#card = find(card);
  }

  get names(): readonly string[] {
    return Object.keys(this.#card.properties ?? {});
  }

  /** Returns the faults of a card's member; undefined if the dialect has no such member. */
  faults(name: string, value: unknown): OverrideFault[] | undefined {
    const { properties = {}, required = [] } = this.#card;
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return shape && this.#faultsOf(shape, value, [name], required.includes(name));
  }

  /** @param isRequired whether the member cannot be removed */
  #faultsOf(shape: Shape, value: unknown, path: readonly string[], isRequired: boolean): OverrideFault[] {
    if (shape.$ref !== undefined) return this.#faultsOf(this.#find(shape.$ref), value, path, isRequired);
    const choices = (shape.anyOf ?? []).filter((choice) => choice.type !== 'null');
    const [only] = choices;
    if (only && choices.length === 1) return this.#faultsOf(only, value, path, isRequired);
    if (value === null) return isRequired ? [{ path, message: 'is required: give a value instead of null' }] : [];
    const { properties, required = [], items } = shape;
    if (properties && isObject(value)) {
      return Object.entries(value).flatMap(([name, member]) => {
        const below = Object.hasOwn(properties, name) ? properties[name] : undefined;
        if (!below) return [unknown([...path, name], Object.keys(properties))];
        return this.#faultsOf(below, member, [...path, name], required.includes(name));
      });
    }
    if (shape.type === 'map' && items && isObject(value)) {
      const entries = Object.entries(value).filter(([, item]) => item !== null);
      return entries.flatMap(([name, item]) => this.#whole(items, item, [...path, name]));
    }
    return this.#whole(shape, value, path);
  }

  /** Returns the faults of a value that is used as a whole. */
  #whole(shape: Shape, value: unknown, path: readonly string[]): OverrideFault[] {
    const { issues } = readShape({ find: this.#find, guards: {} }, shape, value);
    const faults = issues.map((issue) => ({ path: [...path, ...issue.path.map(String)], message: issue.message }));
    return faults.length > 0 ? faults : this.#strangers(shape, value, path);
  }

  /** Returns members of a value that its shape does not know. */
  #strangers(shape: Shape, value: unknown, path: readonly string[]): OverrideFault[] {
    if (shape.$ref !== undefined) return this.#strangers(this.#find(shape.$ref), value, path);
    const { properties, items, anyOf } = shape;
    if (anyOf) {
      const fits = (choice: Shape): boolean =>
        readShape({ find: this.#find, guards: {} }, choice, value).issues.length === 0;
      const choice = anyOf.find(fits);
      return choice ? this.#strangers(choice, value, path) : [];
    }
    if (items && Array.isArray(value))
      return value.flatMap((item, at) => this.#strangers(items, item, [...path, String(at)]));
    if (items && isObject(value)) {
      return Object.entries(value).flatMap(([name, item]) => this.#strangers(items, item, [...path, name]));
    }
    if (!properties || !isObject(value)) return [];
    return Object.entries(value).flatMap(([name, member]) => {
      const below = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return below
        ? this.#strangers(below, member, [...path, name])
        : [unknown([...path, name], Object.keys(properties))];
    });
  }
}

const unknown = (path: readonly string[], known: readonly string[]): OverrideFault => ({
  path,
  message: 'is no member of a card',
  known,
});

const newest = new OverrideChecker((name) => messageShape(api.fields, name), `${api.package}.AgentCard`);

/** @param shapes shapes of a dialect */
function olderChecker(shapes: Readonly<Record<string, Shape>>): OverrideChecker {
  const { properties = {}, ...card } = shapes.AgentCard as Shape;
  const { protocolVersion, securitySchemes, ...rest } = properties;
  const own: Shape = {
    ...card,
    properties: {
      ...rest,
      // Any value is allowed: it shows the generation of the agent.
      ...(protocolVersion && { protocolVersion: { type: 'string' } }),
      ...(securitySchemes && { securitySchemes: { type: 'map', items: { $ref: 'SecurityScheme' } } }),
    },
  };
  return new OverrideChecker((name) => (name === 'AgentCard' ? own : (shapes[name] as Shape)), 'AgentCard');
}

/** Checkers of the older dialects, the newest first. */
const older: readonly OverrideChecker[] = [
  olderChecker(shapes03),
  olderChecker({ ...shapes03, ...shapes02 }),
  olderChecker(shapes01),
  olderChecker(vaultShapes),
];

const allNames: readonly string[] = [...new Set([newest, ...older].flatMap(({ names }) => names))];
