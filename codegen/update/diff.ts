import {
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type JsonObject,
  type Message,
  type Registry,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import {
  EnumOptionsSchema,
  EnumValueOptionsSchema,
  FieldOptionsSchema,
  MessageOptionsSchema,
  MethodOptionsSchema,
  OneofOptionsSchema,
  ServiceOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { localName, type Types } from '../model.ts';
import { type HttpRoute, httpRoutes } from './http-routes.ts';

export type ChangeKind =
  | 'package'
  | 'service'
  | 'rpc'
  | 'http rule'
  | 'message'
  | 'field'
  | 'oneof'
  | 'enum'
  | 'enum value';

/** A difference between two versions of a proto. */
export interface Change {
  readonly kind: ChangeKind;
  readonly change: 'added' | 'removed' | 'renamed' | 'retyped' | 'renumbered' | 'changed';
  /** Former local name, such as `Task.contextId`; for an added element, its new name. */
  readonly name: string;
  /** New value, or a description of the difference. */
  readonly detail?: string;
  /**
   * Effect of a breaking change. `names` occur in stored tasks, in the JSON of clients and agents, and in code;
   * `numbers` occur in every protobuf message.
   */
  readonly breaks?: 'names' | 'numbers';
  /** Name of the message, enum or rpc that contains the element, in the new version if it exists there. */
  readonly owner: string;
  /** Name by which source code mentions the element: its former name or, for an added element, its new name. */
  readonly word: string;
}

/** Describes a change in one line. */
export const changeLine = ({ change, kind, name, detail }: Change): string =>
  `${change} ${kind} ${name}${detail ? `: ${detail}` : ''}`;

/** A proto file with a registry that includes its options. */
export interface ProtoFile {
  readonly file: DescFile;
  readonly registry: Registry;
  /** Messages and enums to compare, including imported ones. Absent: those of the file. */
  readonly types?: Types;
}

/**
 * Returns the changes between two versions of a proto, without comments. Fields and enum values are matched by name and
 * number. A field or value that is gone counts as renamed if a new one has its number and type; a message, enum or rpc,
 * if a new one has most of its members or the same types.
 */
export function compareProtos(before: ProtoFile, after: ProtoFile): Change[] {
  return new Comparison(before, after).changes();
}

/** Returns the messages of a file. Nested messages follow the message that contains them. */
export function messagesOf(file: DescFile): DescMessage[] {
  const below = (message: DescMessage): DescMessage[] =>
    message.proto.options?.mapEntry ? [] : [message, ...message.nestedMessages.flatMap(below)];
  return file.messages.flatMap(below);
}

/** Returns all enums of a file, including nested ones. */
export function enumsOf(file: DescFile): DescEnum[] {
  return [...file.enums, ...messagesOf(file).flatMap(({ nestedEnums }) => nestedEnums)];
}

/** Returns all rpcs of a file. */
export function methodsOf(file: DescFile): DescMethod[] {
  return file.services.flatMap(({ methods }) => methods);
}

/**
 * Returns the name of a type in generated code: without the package, with nested names joined by underscores.
 *
 * @param pkg package of the generated code, in which types of other packages have their full name; absent: the type's
 * own
 */
export function localNameOf({ typeName, file }: DescMessage | DescEnum, pkg?: string): string {
  const own = file.proto.package;
  return localName(typeName, pkg === undefined || own === 'google.protobuf' ? own : pkg);
}

/** Returns the messages of a proto to compare, with their names. */
export const namedMessages = ({ file, types }: Pick<ProtoFile, 'file' | 'types'>): Named<DescMessage>[] =>
  (types?.messages ?? messagesOf(file)).map((type) => ({ name: localNameOf(type, file.proto.package), type }));

/** Returns the enums of a proto to compare, with their names. */
export const namedEnums = ({ file, types }: Pick<ProtoFile, 'file' | 'types'>): Named<DescEnum>[] =>
  (types?.enums ?? enumsOf(file)).map((type) => ({ name: localNameOf(type, file.proto.package), type }));

/** A message or an enum with its name in generated code. */
export interface Named<T> {
  readonly name: string;
  readonly type: T;
}

/** The type of a field in words: `repeated Part`, `map of string to Value`, `int64`. */
/** @param pkg as in `localNameOf` */
export function typeOf(field: DescField, rename = (name: string): string => name, pkg?: string): string {
  const type = field.message
    ? rename(localNameOf(field.message, pkg))
    : field.enum
      ? rename(localNameOf(field.enum, pkg))
      : (ScalarType[field.scalar as ScalarType] ?? 'unknown').toLowerCase();
  if (field.fieldKind === 'map') return `map of ${ScalarType[field.mapKey].toLowerCase()} to ${type}`;
  return field.fieldKind === 'list' ? `repeated ${type}` : type;
}

interface Pairs<T> {
  readonly both: readonly (readonly [was: T, is: T])[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/**
 * Pairs elements with the same name, then each removed element with the most similar new element, if any is similar.
 */
function pair<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (one: T) => string,
  similarity: (was: T, is: T) => number,
): Pairs<T> {
  const names = new Set(before.map(nameOf));
  const added = new Set(after.filter((is) => !names.has(nameOf(is))));
  const both: [T, T][] = [];
  const removed: T[] = [];
  for (const was of before) {
    const same = after.find((is) => nameOf(is) === nameOf(was));
    if (same) {
      both.push([was, same]);
      continue;
    }
    const ranked = [...added].map((is) => [similarity(was, is), is] as const).filter(([rank]) => rank > 0);
    const [best] = ranked.sort(([a], [b]) => b - a);
    if (best) {
      both.push([was, best[1]]);
      added.delete(best[1]);
    } else removed.push(was);
  }
  return { both, removed, added: [...added] };
}

/** Returns the number of common members; 0 unless they are more than half of each list. */
function shared(was: readonly string[], is: readonly string[]): number {
  const common = was.filter((member) => is.includes(member)).length;
  return common * 2 > Math.max(was.length, is.length) ? common : 0;
}

const guessed = 'a guess: the members are the same';

class Comparison {
  readonly #before: ProtoFile;
  readonly #after: ProtoFile;
  readonly #changes: Change[] = [];
  /** New names of renamed messages and enums, by former name. */
  readonly #renamed = new Map<string, string>();

  constructor(before: ProtoFile, after: ProtoFile) {
    this.#before = before;
    this.#after = after;
  }

  changes(): Change[] {
    const was = this.#before.file;
    const is = this.#after.file;
    const fields = ({ fields }: DescMessage): string[] =>
      fields.map((field) => `${field.jsonName} ${field.number} ${typeOf(field, () => '')}`);
    const nameOf = ({ name }: { readonly name: string }): string => name;
    const messages = pair(namedMessages(this.#before), namedMessages(this.#after), nameOf, (a, b) =>
      shared(fields(a.type), fields(b.type)),
    );
    const values = ({ values }: DescEnum): string[] => values.map(({ name, number }) => `${name} ${number}`);
    const enums = pair(namedEnums(this.#before), namedEnums(this.#after), nameOf, (a, b) =>
      shared(values(a.type), values(b.type)),
    );
    this.#comparePackages(was.proto.package, is.proto.package);
    this.#compareNames('message', messages, nameOf);
    this.#compareNames('enum', enums, nameOf);
    for (const [a, b] of messages.both) this.#compareMessage(a.type, b.type);
    for (const [a, b] of enums.both) this.#compareEnum(a.type, b.type);
    this.#compareServices();
    return this.#changes;
  }

  #note(
    kind: ChangeKind,
    change: Change['change'],
    name: string,
    rest: Omit<Change, 'kind' | 'change' | 'name'>,
  ): void {
    this.#changes.push({ kind, change, name, ...rest });
  }

  /** Compares packages. Another package changes the path of every rpc and the full name of every message. */
  #comparePackages(was: string, is: string): void {
    if (was === is) return;
    const to = is === '' ? 'no package' : is;
    const rest = { detail: `${to}; every rpc path has it`, breaks: 'names' as const, owner: is, word: was };
    this.#note('package', 'renamed', was === '' ? 'without a name' : was, rest);
  }

  #nameBefore(type: DescMessage | DescEnum): string {
    return localNameOf(type, this.#before.file.proto.package);
  }

  #nameAfter(type: DescMessage | DescEnum): string {
    return localNameOf(type, this.#after.file.proto.package);
  }

  /** Returns the former type of a field, using the new names of renamed types. */
  #typeBefore(field: DescField): string {
    return typeOf(field, (name) => this.#renamed.get(name) ?? name, this.#before.file.proto.package);
  }

  #typeAfter(field: DescField): string {
    return typeOf(field, undefined, this.#after.file.proto.package);
  }

  #compareNames<T>(kind: ChangeKind, { both, removed, added }: Pairs<T>, nameOf: (one: T) => string): void {
    for (const one of added) this.#note(kind, 'added', nameOf(one), { owner: nameOf(one), word: nameOf(one) });
    for (const one of removed) {
      this.#note(kind, 'removed', nameOf(one), { breaks: 'names', owner: nameOf(one), word: nameOf(one) });
    }
    for (const [was, is] of both) {
      const from = nameOf(was);
      const to = nameOf(is);
      if (from === to) continue;
      this.#renamed.set(from, to);
      this.#note(kind, 'renamed', from, { detail: `${to} (${guessed})`, breaks: 'names', owner: to, word: from });
    }
  }

  #compareMessage(was: DescMessage, is: DescMessage): void {
    const owner = this.#nameAfter(is);
    const at = (name: string): string => `${this.#nameBefore(was)}.${name}`;
    const byName = (field: DescField): string => field.jsonName;
    const { both, removed, added } = pair(was.fields, is.fields, byName, (a, b) => {
      if (a.name === b.name) return 2;
      return a.number === b.number && this.#typeBefore(a) === this.#typeAfter(b) ? 1 : 0;
    });
    for (const field of added) {
      const former = removed.find(({ number }) => number === field.number);
      const type = `${field.proto.proto3Optional ? 'optional ' : ''}${this.#typeAfter(field)}`;
      const what = [type, ...behaviorOf(field, this.#after.registry)].join(', ');
      this.#note('field', 'added', `${owner}.${field.jsonName}`, {
        detail: former ? `${what}, with the number of ${former.jsonName}` : what,
        ...(former && { breaks: 'numbers' }),
        owner,
        word: field.jsonName,
      });
    }
    for (const { jsonName } of removed) {
      this.#note('field', 'removed', at(jsonName), { breaks: 'names', owner, word: jsonName });
    }
    for (const [a, b] of both) this.#compareField(at(a.jsonName), owner, a, b);
    this.#compareOneofs(was, is);
    this.#compareOptions(
      'message',
      at('').slice(0, -1),
      owner,
      MessageOptionsSchema,
      was.proto.options,
      is.proto.options,
    );
  }

  #compareField(name: string, owner: string, was: DescField, is: DescField): void {
    const common = { owner, word: was.jsonName };
    if (was.jsonName !== is.jsonName) {
      const why = was.name === is.name ? 'by json_name' : 'a guess: number and type are the same';
      const detail = `${is.jsonName} (${why})`;
      this.#note('field', 'renamed', name, { detail, breaks: 'names', ...common });
    } else if (was.name !== is.name) {
      this.#note('field', 'changed', name, { detail: `proto name ${was.name} to ${is.name}`, ...common });
    }
    if (was.number !== is.number) {
      const detail = `${was.number} to ${is.number}`;
      this.#note('field', 'renumbered', name, { detail, breaks: 'numbers', ...common });
    }
    const from = this.#typeBefore(was);
    const to = this.#typeAfter(is);
    if (from !== to) {
      const before = typeOf(was, undefined, this.#before.file.proto.package);
      this.#note('field', 'retyped', name, { detail: `${before} to ${to}`, breaks: 'names', ...common });
    }
    const hasPresence = ({ proto }: DescField): boolean => proto.proto3Optional;
    if (hasPresence(was) !== hasPresence(is)) {
      this.#note('field', 'changed', name, { detail: `${hasPresence(is) ? 'now' : 'no longer'} optional`, ...common });
    }
    if (was.oneof?.name !== is.oneof?.name) {
      const detail = is.oneof ? `now in oneof ${is.oneof.name}` : `no longer in oneof ${was.oneof?.name}`;
      this.#note('field', 'changed', name, { detail, ...common });
    }
    this.#compareOptions('field', name, owner, FieldOptionsSchema, was.proto.options, is.proto.options);
  }

  #compareOneofs(was: DescMessage, is: DescMessage): void {
    const members = ({ fields }: DescOneof): string[] => fields.map(({ number }) => String(number));
    const nameOf = ({ name }: DescOneof): string => name;
    const oneofs = pair(was.oneofs, is.oneofs, nameOf, (a, b) => shared(members(a), members(b)));
    const owner = this.#nameAfter(is);
    const describe = ({ fields }: DescOneof): string => fields.map(({ jsonName }) => jsonName).join(', ');
    for (const one of oneofs.added) {
      this.#note('oneof', 'added', `${owner}.${one.name}`, { detail: describe(one), owner, word: one.name });
    }
    for (const one of oneofs.removed) {
      this.#note('oneof', 'removed', `${owner}.${one.name}`, { detail: describe(one), owner, word: one.name });
    }
    for (const [a, b] of oneofs.both) {
      const name = `${owner}.${a.name}`;
      if (a.name !== b.name) this.#note('oneof', 'renamed', name, { detail: b.name, owner, word: a.name });
      const grown = b.fields.filter(({ number }) => !a.fields.some((field) => field.number === number));
      if (grown.length > 0) {
        const detail = `takes ${grown.map(({ jsonName }) => jsonName).join(', ')} besides ${describe(a)}`;
        this.#note('oneof', 'changed', name, { detail, owner, word: a.name });
      }
      this.#compareOptions('oneof', name, owner, OneofOptionsSchema, a.proto.options, b.proto.options);
    }
  }

  #compareEnum(was: DescEnum, is: DescEnum): void {
    const owner = this.#nameAfter(is);
    const at = (name: string): string => `${this.#nameBefore(was)}.${name}`;
    const nameOf = ({ name }: { name: string }): string => name;
    const values = pair(was.values, is.values, nameOf, (a, b) => (a.number === b.number ? 1 : 0));
    for (const { name, number } of values.added) {
      this.#note('enum value', 'added', at(name), { detail: String(number), owner, word: name });
    }
    for (const { name } of values.removed) {
      this.#note('enum value', 'removed', at(name), { breaks: 'names', owner, word: name });
    }
    for (const [a, b] of values.both) {
      const common = { owner, word: a.name };
      if (a.name !== b.name) {
        const detail = `${b.name} (a guess: the number is the same)`;
        this.#note('enum value', 'renamed', at(a.name), { detail, breaks: 'names', ...common });
      }
      if (a.number !== b.number) {
        const detail = `${a.number} to ${b.number}`;
        this.#note('enum value', 'renumbered', at(a.name), { detail, breaks: 'numbers', ...common });
      }
      this.#compareOptions('enum value', at(a.name), owner, EnumValueOptionsSchema, a.proto.options, b.proto.options);
    }
    this.#compareOptions('enum', this.#nameBefore(was), owner, EnumOptionsSchema, was.proto.options, is.proto.options);
  }

  #compareServices(): void {
    const was = this.#before.file;
    const is = this.#after.file;
    const methods = ({ methods }: { methods: readonly DescMethod[] }): string[] => methods.map(({ name }) => name);
    const services = pair(
      was.services,
      is.services,
      ({ name }) => name,
      (a, b) => shared(methods(a), methods(b)),
    );
    this.#compareNames('service', services, ({ name }) => name);
    for (const [a, b] of services.both) {
      this.#compareOptions('service', a.name, b.name, ServiceOptionsSchema, a.proto.options, b.proto.options);
    }
    const rpcs = this.#pairRpcs(methodsOf(was), methodsOf(is));
    for (const rpc of rpcs.added) {
      const routes = httpRoutes(rpc, this.#after.registry).map(String).join(', ');
      const detail = [this.#signature(rpc), routes].filter(Boolean).join('; ');
      this.#note('rpc', 'added', rpc.name, { detail, owner: rpc.name, word: rpc.name });
    }
    for (const { name } of rpcs.removed) {
      this.#note('rpc', 'removed', name, { breaks: 'names', owner: name, word: name });
    }
    for (const [a, b] of rpcs.both) this.#compareRpc(a, b);
  }

  /** Pairs rpcs of the same service, then rpcs with the same name, then similar ones. */
  #pairRpcs(was: readonly DescMethod[], is: readonly DescMethod[]): Pairs<DescMethod> {
    const keyOf = ({ parent, name }: DescMethod): string => `${this.#renamed.get(parent.name) ?? parent.name}/${name}`;
    const same = pair(was, is, keyOf, () => 0);
    const moved = pair(
      same.removed,
      same.added,
      ({ name }) => name,
      (a, b) => this.#similarRpc(a, b),
    );
    return { both: [...same.both, ...moved.both], removed: moved.removed, added: moved.added };
  }

  #compareRpc(was: DescMethod, is: DescMethod): void {
    const common = { owner: is.name, word: was.name };
    if (was.name !== is.name) {
      const detail = `${is.name} (a guess: types or paths are the same)`;
      this.#note('rpc', 'renamed', was.name, { detail, breaks: 'names', ...common });
    }
    const service = this.#renamed.get(was.parent.name) ?? was.parent.name;
    if (service !== is.parent.name) {
      const detail = `path /${was.parent.typeName}/${was.name} to /${is.parent.typeName}/${is.name}`;
      this.#note('rpc', 'changed', was.name, { detail, breaks: 'names', ...common });
    }
    const from = this.#signature(was, true);
    const to = this.#signature(is);
    if (from !== to) {
      const detail = `${this.#signature(was)} to ${to}`;
      this.#note('rpc', 'retyped', was.name, { detail, breaks: 'names', ...common });
    }
    const gone = without(httpRoutes(was, this.#before.registry), httpRoutes(is, this.#after.registry));
    const come = without(httpRoutes(is, this.#after.registry), httpRoutes(was, this.#before.registry));
    for (const route of gone) {
      const successor = come.find(({ path }) => path === route.path);
      if (successor) come.splice(come.indexOf(successor), 1);
      this.#note('http rule', successor ? 'changed' : 'removed', was.name, {
        detail: successor ? `${route} to ${successor}` : String(route),
        ...common,
      });
    }
    for (const route of come) this.#note('http rule', 'added', is.name, { detail: String(route), ...common });
    this.#compareOptions('rpc', was.name, is.name, MethodOptionsSchema, was.proto.options, is.proto.options);
  }

  #similarRpc(was: DescMethod, is: DescMethod): number {
    const [a] = httpRoutes(was, this.#before.registry);
    const [b] = httpRoutes(is, this.#after.registry);
    return (a && String(a) === String(b) ? 2 : 0) + (this.#signature(was, true) === this.#signature(is) ? 1 : 0);
  }

  #signature({ methodKind, input, output }: DescMethod, renamed = false): string {
    const nameOf = (message: DescMessage): string => {
      const isBefore = this.#before.registry.getMessage(message.typeName) === message;
      const name = isBefore ? this.#nameBefore(message) : this.#nameAfter(message);
      return renamed ? (this.#renamed.get(name) ?? name) : name;
    };
    const from = methodKind === 'client_streaming' || methodKind === 'bidi_streaming' ? 'stream of ' : '';
    const to = methodKind === 'server_streaming' || methodKind === 'bidi_streaming' ? 'stream of ' : '';
    return `${from}${nameOf(input)} → ${to}${nameOf(output)}`;
  }

  #compareOptions(
    kind: ChangeKind,
    name: string,
    owner: string,
    schema: DescMessage,
    was: Message | undefined,
    is: Message | undefined,
  ): void {
    const from = optionsOf(schema, was, this.#before.registry);
    const to = optionsOf(schema, is, this.#after.registry);
    const word = name.replace(/^.*\./, '');
    for (const option of new Set([...Object.keys(from), ...Object.keys(to)])) {
      // HTTP routes are compared one by one.
      if (option === '[google.api.http]') continue;
      const [a, b] = [from[option], to[option]].map((value) => (value === undefined ? '' : JSON.stringify(value)));
      if (a === b) continue;
      const label = option.replace(/^\[google\.api\.(.*)\]$/, '$1');
      const detail = a === '' ? `${label} is ${b}` : b === '' ? `${label} is no longer ${a}` : `${label} ${a} to ${b}`;
      this.#note(kind, 'changed', name, { detail: detail.replaceAll('"', ''), owner, word });
    }
  }
}

/** Returns the options of a declaration; extensions are named by their full name in brackets. */
function optionsOf(schema: DescMessage, options: Message | undefined, registry: Registry): JsonObject {
  return options === undefined ? {} : (toJson(schema, options, { registry }) as JsonObject);
}

/** Returns the values of `google.api.field_behavior` of a field, such as `REQUIRED`. */
export function behaviorOf({ proto: { options } }: DescField, registry: Registry): string[] {
  const behavior = optionsOf(FieldOptionsSchema, options, registry)['[google.api.field_behavior]'];
  return Array.isArray(behavior) ? behavior.map(String) : [];
}

function without(routes: readonly HttpRoute[], others: readonly HttpRoute[]): HttpRoute[] {
  return routes.filter((route) => !others.some((other) => String(other) === String(route)));
}
