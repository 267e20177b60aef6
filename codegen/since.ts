import { isDeepStrictEqual } from 'node:util';
import { isWider } from '../src/dialects/a2a-1.x/retyped.ts';
import type { Oneof } from '../src/gen/api.ts';
import type { HttpRule, Operation } from '../src/gen/operations.ts';
import { aligned } from './aligned.ts';
import type { Model, ModelEnum, ModelField, ModelMessage } from './model.ts';
import { versions } from './versions.ts';

/** Error: versions of A2A 1.x differ in a way that no program can serve side by side. */
export class VersionError extends Error {}

/**
 * Returns the canonical form: everything that any version of A2A 1.x has, marked with the version that introduced it
 * (`since`), the last version that has it (`until`), and its forms in versions that differ (`changed`). The program
 * derives each version from these marks, so no code is generated for them.
 *
 * Names are those of the oldest version that has an element, as in stores and in the program. Types are the widest
 * ones, and an element is required only if all versions require it.
 *
 * @param models all versions, newest first
 * @throws VersionError that names differences which cannot be served side by side
 */
export function markedModel(models: readonly [Model, ...Model[]]): Model {
  const problems: string[] = [];
  const marking = new Marking(aligned(models), problems);
  const model = marking.model();
  if (problems.length === 0) return model;
  const help = 'docs/reference/spec-updates.md says how they may differ';
  throw new VersionError(
    `The versions of A2A 1.x cannot be served side by side (${help}):\n  ${[...new Set(problems)].join('\n  ')}`,
  );
}

/** An element in each version, newest first; undefined in versions that lack it. */
type Found<T> = readonly (T | undefined)[];

interface Span {
  readonly since?: string;
  readonly until?: string;
}

class Marking {
  readonly #models: readonly [Model, ...Model[]];
  readonly #problems: string[];

  /** @param models aligned models */
  constructor(models: readonly [Model, ...Model[]], problems: string[]) {
    this.#models = models;
    this.#problems = problems;
  }

  model(): Model {
    const [newest] = this.#models;
    const services = new Set(this.#models.map(({ service }) => service));
    if (services.size > 1) this.#problems.push(`the service has several names: ${[...services].join(', ')}`);
    const byFullName = ({ fullName }: { readonly fullName: string }): string => fullName;
    return {
      ...newest,
      messages: this.#all(
        ({ messages }) => messages,
        byFullName,
        (found) => this.#message(found),
      ),
      enums: this.#all(
        ({ enums }) => enums,
        byFullName,
        (found) => this.#enum(found),
      ),
      operations: this.#all(
        ({ operations }) => operations,
        ({ name }) => name,
        (found) => this.#operation(found),
      ),
    };
  }

  /** Returns the elements of all versions, in the order of the newest. */
  #all<T extends object>(
    of: (model: Model) => readonly T[],
    nameOf: (one: T) => string,
    mark: (found: Found<T>) => T,
  ): (T & Span)[] {
    const lists = this.#models.map(of);
    return inOrder(lists.map((list) => list.map(nameOf))).map((name) => {
      const found = lists.map((list) => list.find((one) => nameOf(one) === name));
      return { ...mark(found), ...this.#span(name, found, this.#models) };
    });
  }

  /**
   * Returns the versions that have an element, among those that have its container.
   *
   * @param name name for the problem that these versions are not consecutive
   */
  #span(name: string, found: Found<unknown>, wholes: Found<unknown>): Span {
    const has = versions.map((_, at) => found[at] !== undefined);
    const whole = versions.map((_, at) => wholes[at] !== undefined);
    const first = has.indexOf(true);
    const last = has.lastIndexOf(true);
    const gap = has.findIndex((one, at) => !one && whole[at] === true && at > first && at < last);
    if (gap >= 0) {
      this.#problems.push(
        `${versions[last]?.name} and ${versions[first]?.name} have ${name}, which ${versions[gap]?.name} lacks`,
      );
    }
    const since = last < whole.lastIndexOf(true) ? versions[last]?.version : undefined;
    const until = first > whole.indexOf(true) ? versions[first]?.version : undefined;
    return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  }

  #message(found: Found<ModelMessage>): ModelMessage {
    const newest = firstOf(found);
    const type = newest.fullName;
    const fields = this.#fields(type, found);
    const names = inOrder(found.map((one) => one?.oneofs.map(({ name }) => name) ?? []));
    const oneofs = names.map((name) => this.#oneof(type, name, { found, fields }));
    return { ...newest, fields, oneofs };
  }

  /** Returns the fields of a message. Fields are identified by number. */
  #fields(type: string, found: Found<ModelMessage>): ModelField[] {
    const numbers = inOrder(found.map((one) => one?.fields.map(({ number }) => number) ?? []));
    const fields = numbers.map((number) => {
      const rows = found.map((one) => one?.fields.find((field) => field.number === number));
      const name = `${type}.${lastOf(rows).jsonName}`;
      const span = this.#span(name, rows, found);
      return { ...this.#field(name, rows, span), ...span };
    });
    const all = found.flatMap((one) => one?.fields ?? []);
    for (const [name, same] of Map.groupBy(all, ({ jsonName }) => jsonName)) {
      const taken = new Set(same.map(({ number }) => number));
      if (taken.size === 1) continue;
      this.#problems.push(
        `${type}.${name} has the numbers ${[...taken].join(' and ')}: protobuf messages would be misread`,
      );
    }
    return fields;
  }

  #field(name: string, rows: Found<ModelField>, span: Span): ModelField {
    const newest = firstOf(rows);
    const oldest = lastOf(rows);
    const known = rows.filter((row) => row !== undefined);
    const isSame = known.every((row) => isDeepStrictEqual(ownPart(row), ownPart(newest)));
    const isAlways =
      known.every(({ required }) => required === true) && span.since === undefined && span.until === undefined;
    if (isSame && (isAlways || newest.required !== true)) return newest;
    const other = known.find((row) => row.jsonName !== oldest.jsonName && !hasTypeOf(row, oldest));
    if (other) {
      const both = `${name} of ${typeName(oldest)} and ${other.jsonName} of ${typeName(other)}`;
      this.#problems.push(`${both} have the number ${oldest.number}: protobuf messages would be misread`);
    }
    // The overlay refers to fields by their former names.
    const followed = rows.map((row) => row && { ...row, ...(row.required && { defaulted: oldest.defaulted }) });
    const widest = known.reduceRight((wide, row) => (isWider(row, wide) ? row : wide), oldest);
    const { jsonName, protoName, number, added } = oldest;
    const isIn = known.every((row) => row.oneof !== undefined && row.oneof === oldest.oneof);
    const own: ModelField = {
      jsonName,
      protoName,
      number,
      ...typeOf(widest),
      ...(added && { added }),
      ...(known.some(({ presence }) => presence) && { presence: true as const }),
      ...(isAlways && { required: true as const, ...(oldest.defaulted && { defaulted: true as const }) }),
      ...(isIn && { oneof: oldest.oneof as string }),
      ...(newest.description !== undefined && { description: newest.description }),
      ...(newest.deprecated && { deprecated: newest.deprecated }),
    };
    return { ...own, ...changedIn(followed, own) };
  }

  /** @param fields fields of the canonical form */
  #oneof(
    type: string,
    name: string,
    { found, fields }: { readonly found: Found<ModelMessage>; readonly fields: readonly ModelField[] },
  ): Oneof {
    const rows = found.map((one) => one?.oneofs.find((oneof) => oneof.name === name));
    const span = this.#span(`${type}.${name}`, rows, found);
    const newest = firstOf(rows);
    const numbers = inOrder(
      found.map((one) => one?.fields.filter(({ oneof }) => oneof === name).map(({ number }) => number) ?? []),
    );
    const within = numbers.flatMap(
      (number) => fields.find((field) => field.number === number && field.oneof === name) ?? [],
    );
    const isRequired = rows.every((row, at) => found[at] === undefined || row?.required === true);
    const own: Oneof = {
      name,
      members: within.map(({ jsonName }) => jsonName),
      required: isRequired && within.length > 0,
    };
    const changed = rows.flatMap((row, at): [string, Oneof][] => {
      const { version = '' } = versions[at] ?? {};
      const members = within.flatMap(({ number }) => {
        const field = found[at]?.fields.find((one) => one.number === number && one.oneof === name);
        return field ? [field.jsonName] : [];
      });
      const asDerived = { ...own, members };
      return row === undefined || isDeepStrictEqual({ ...row }, asDerived) ? [] : [[version, row]];
    });
    const isSame = changed.length === 0 && isDeepStrictEqual({ ...newest }, own);
    return {
      ...(isSame ? newest : own),
      ...span,
      ...(changed.length > 0 && { changed: Object.fromEntries(changed) }),
    };
  }

  #enum(found: Found<ModelEnum>): ModelEnum {
    const newest = firstOf(found);
    const values = new Map<string, { readonly number: number; readonly names: (string | undefined)[] }>();
    // Starts with the oldest version, whose names are used.
    for (let at = found.length - 1; at >= 0; at--) {
      const known = found[at]?.values ?? [];
      const names = new Set(known.map(({ name }) => name));
      for (const { name, number } of known) {
        const free = [...values].find(
          ([former, one]) => one.number === number && one.names[at] === undefined && !names.has(former),
        );
        const same = values.get(name) ?? free?.[1] ?? { number, names: [] };
        if (same.number !== number) {
          this.#problems.push(
            `${newest.fullName}.${name} has the numbers ${same.number} and ${number}: protobuf messages would be misread`,
          );
        }
        same.names[at] = name;
        if (![...values.values()].includes(same)) values.set(name, same);
      }
    }
    const nameOf = (at: number, own: string): string =>
      [...values].find(([, { names }]) => names[at] === own)?.[0] ?? own;
    const sorted = inOrder(found.map((one, at) => one?.values.map(({ name }) => nameOf(at, name)) ?? []));
    return {
      ...newest,
      values: sorted.map((name) => {
        const { number = 0, names = [] } = values.get(name) ?? {};
        const rows = found.map((_, at) => names[at]);
        const changed = rows.flatMap((own, at): [string, string][] =>
          own === undefined || own === name ? [] : [[versions[at]?.version ?? '', own]],
        );
        return {
          name,
          number,
          ...this.#span(`${newest.fullName}.${name}`, rows, found),
          ...(changed.length > 0 && { changed: Object.fromEntries(changed) }),
        };
      }),
    };
  }

  #operation(found: Found<Operation>): Operation {
    const newest = firstOf(found);
    const oldest = lastOf(found);
    const own = ({ rpc: _rpc, grpcPath: _path, http: _http, ...rest }: Operation): object => rest;
    const other = found.find((row) => row !== undefined && !isDeepStrictEqual(own(row), own(newest)));
    if (other) {
      this.#problems.push(
        `${oldest.service}.${oldest.rpc} does not take and return the same in ${versions[found.indexOf(newest)]?.name} and ` +
          `${versions[found.indexOf(other)]?.name}: one of them must be a separate dialect`,
      );
    }
    const { rpc, grpcPath } = oldest;
    const changed = found.flatMap((row, at): [string, Pick<Operation, 'rpc' | 'grpcPath'>][] =>
      row === undefined || row.rpc === rpc
        ? []
        : [[versions[at]?.version ?? '', { rpc: row.rpc, grpcPath: row.grpcPath }]],
    );
    return {
      ...newest,
      rpc,
      grpcPath,
      http: this.#rules(found),
      ...(changed.length > 0 && { changed: Object.fromEntries(changed) }),
    };
  }

  /**
   * Returns the HTTP rules of all versions, in an order that is valid for each: the first rule is the primary binding.
   */
  #rules(found: Found<Operation>): HttpRule[] {
    const keyOf = ({ verb, path, body }: HttpRule): string => `${verb} ${path} ${body ?? ''}`;
    const lists = found.map((one) => one?.http.map(keyOf));
    const keys = inOrder(lists.map((list) => list ?? []));
    const isInOrder = lists.every(
      (list) =>
        !list ||
        isDeepStrictEqual(
          keys.filter((key) => list.includes(key)),
          list,
        ),
    );
    const rules = new Map(found.flatMap((one) => one?.http.map((rule) => [keyOf(rule), rule] as const) ?? []));
    if (isInOrder) {
      return keys.map((key) => {
        const rows = lists.map((list) => (list?.includes(key) ? key : undefined));
        return { ...(rules.get(key) as HttpRule), ...this.#span(key, rows, found) };
      });
    }
    // Versions with rules in another order have separate rows.
    return found.flatMap((one, at) => {
      const rows = found.map((_, other) => (other === at ? one : undefined));
      return one?.http.map((rule) => ({ ...rule, ...this.#span(keyOf(rule), rows, found) })) ?? [];
    });
  }
}

/**
 * Merges lists of keys: those of the first list in order, and each key of a later list after the key that it follows
 * there.
 */
function inOrder<K>(lists: readonly (readonly K[])[]): K[] {
  const keys: K[] = [];
  for (const list of lists) {
    let at = 0;
    for (const key of list) {
      const known = keys.indexOf(key);
      if (known >= 0) at = known + 1;
      else keys.splice(at++, 0, key);
    }
  }
  return keys;
}

const firstOf = <T>(found: Found<T>): T => found.find((one) => one !== undefined) as T;
const lastOf = <T>(found: Found<T>): T => found.findLast((one) => one !== undefined) as T;

const typeKeys = ['kind', 'type', 'valueKind', 'keyType', 'repeated', 'wrapped', 'finite'] as const;

type TypePart = Pick<ModelField, (typeof typeKeys)[number]>;

/** Returns the type of a field. */
const typeOf = (field: ModelField): TypePart =>
  Object.fromEntries(
    typeKeys.flatMap((key) => (field[key] === undefined ? [] : [[key, field[key]]])),
  ) as unknown as TypePart;

const hasTypeOf = (a: ModelField, b: ModelField): boolean => isDeepStrictEqual(typeOf(a), typeOf(b));

const typeName = ({ kind, type, repeated }: ModelField): string =>
  `type ${repeated ? 'repeated ' : kind === 'map' ? 'map of ' : ''}${type}`;

/** Returns the forms of a field in versions that differ from the canonical form. */
function changedIn(rows: Found<ModelField>, own: ModelField): Pick<ModelField, 'changed'> {
  const changed = rows.flatMap((row, at): [string, ModelField][] => {
    if (row === undefined || isDeepStrictEqual(ownPart(row), ownPart(own))) return [];
    return [[versions[at]?.version ?? '', ownPart(row) as ModelField]];
  });
  return changed.length === 0 ? {} : { changed: Object.fromEntries(changed) };
}

const remarks = new Set(['description', 'deprecated']);

/** Returns the properties of a field without its comments. */
function ownPart(row: ModelField): object {
  return Object.fromEntries(Object.entries(row).filter(([key, value]) => !remarks.has(key) && value !== undefined));
}
