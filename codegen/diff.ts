import type { Model, ModelEnum, ModelField, ModelMessage } from './model.ts';
import type { Operation } from './templates/operations.ts';

/** One difference between two versions of a proto. */
export interface Change {
  readonly kind: 'message' | 'field' | 'enum' | 'enum value' | 'rpc';
  readonly change: 'added' | 'removed' | 'renamed' | 'retyped' | 'changed';
  /** Local name as it was, such as `Task.contextId`; as it is, for what was added. */
  readonly name: string;
  /** What it became, or how it differs. */
  readonly detail?: string;
  /** Local name of the message or enum that it belongs to, in the new version where there is one. */
  readonly owner?: string;
  /** The words by which source code would mention it. */
  readonly words: readonly string[];
}

/**
 * What changed from one version of a proto to the next. Fields and enum values are followed by number, messages and
 * rpcs by name, and those that are gone by their likeness to new ones.
 */
export function compareModels(before: Model, after: Model): Change[] {
  const messages = pair(before.messages, after.messages, likeMessages);
  return [
    ...changesOf('message', messages),
    ...messages.both.flatMap(([was, is]) => compareFields(was, is)),
    ...compareEnums(before.enums, after.enums),
    ...compareRpcs(before.operations, after.operations),
  ];
}

interface Pairs<T> {
  readonly both: readonly (readonly [was: T, is: T])[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** Pairs what has the same name, then what is alike among the rest. */
function pair<T extends { name: string }>(
  before: readonly T[],
  after: readonly T[],
  alike: (was: T, is: T) => boolean,
): Pairs<T> {
  const both: (readonly [T, T])[] = [];
  const added = after.filter((is) => !before.some(({ name }) => name === is.name));
  const removed: T[] = [];
  for (const was of before) {
    const same = after.find(({ name }) => name === was.name) ?? added.find((is) => alike(was, is));
    if (!same) {
      removed.push(was);
      continue;
    }
    both.push([was, same]);
    if (added.includes(same)) added.splice(added.indexOf(same), 1);
  }
  return { both, removed, added };
}

function changesOf(kind: Change['kind'], { both, removed, added }: Pairs<{ name: string }>): Change[] {
  return [
    ...added.map(({ name }) => ({ kind, change: 'added' as const, name, owner: name, words: [name] })),
    ...removed.map(({ name }) => ({ kind, change: 'removed' as const, name, owner: name, words: [name] })),
    ...both
      .filter(([was, is]) => was.name !== is.name)
      .map(([was, is]) => ({
        kind,
        change: 'renamed' as const,
        name: was.name,
        detail: is.name,
        owner: is.name,
        words: [was.name],
      })),
  ];
}

/** The same numbers with the same types, and at least one of them. */
function likeMessages(was: ModelMessage, is: ModelMessage): boolean {
  const shape = ({ fields }: ModelMessage): string =>
    fields
      .map((field) => `${field.number} ${fieldType(field)}`)
      .sort()
      .join();
  return was.fields.length > 0 && shape(was) === shape(is);
}

function compareFields(was: ModelMessage, is: ModelMessage): Change[] {
  const changes: Change[] = [];
  const note = (change: Change['change'], field: ModelField, detail?: string): void => {
    changes.push({
      kind: 'field',
      change,
      name: `${was.name}.${field.jsonName}`,
      ...(detail !== undefined && { detail }),
      owner: is.name,
      words: [field.jsonName],
    });
  };
  for (const field of is.fields) {
    if (!was.fields.some(({ number }) => number === field.number)) note('added', field, fieldType(field));
  }
  for (const field of was.fields) {
    const now = is.fields.find(({ number }) => number === field.number);
    if (!now) {
      note('removed', field);
      continue;
    }
    if (now.jsonName !== field.jsonName) note('renamed', field, now.jsonName);
    const [typeWas, typeIs] = [fieldType(field), fieldType(now)];
    if (typeWas !== typeIs) note('retyped', field, `${typeWas} to ${typeIs}`);
    for (const flag of ['required', 'presence'] as const) {
      if (field[flag] !== now[flag]) note('changed', field, `${now[flag] ? 'now' : 'no longer'} ${flagWord[flag]}`);
    }
    if (field.oneof !== now.oneof)
      note('changed', field, now.oneof ? `now in oneof ${now.oneof}` : 'no longer in a oneof');
  }
  return changes;
}

const flagWord = { required: 'required', presence: 'with presence' };

function fieldType(field: ModelField): string {
  const type = field.type.replace(/^.*\./, '');
  return field.kind === 'map' ? `map of ${type}` : field.repeated ? `repeated ${type}` : type;
}

function compareEnums(before: readonly ModelEnum[], after: readonly ModelEnum[]): Change[] {
  const enums = pair(before, after, () => false);
  const changes = changesOf('enum', enums);
  for (const [was, is] of enums.both) {
    const note = (change: Change['change'], name: string, detail?: string): void => {
      const rest = detail === undefined ? {} : { detail };
      changes.push({ kind: 'enum value', change, name: `${was.name}.${name}`, ...rest, owner: is.name, words: [name] });
    };
    for (const { name, number } of is.values) if (!was.values.some((v) => v.number === number)) note('added', name);
    for (const { name, number } of was.values) {
      const now = is.values.find((v) => v.number === number);
      if (!now) note('removed', name);
      else if (now.name !== name) note('renamed', name, now.name);
    }
  }
  return changes;
}

function compareRpcs(before: readonly Operation[], after: readonly Operation[]): Change[] {
  const signature = ({ request, response, streaming }: Operation): string =>
    `${request.replace(/^.*\./, '')} → ${streaming ? 'stream of ' : ''}${response.replace(/^.*\./, '')}`;
  const routes = ({ http }: Operation): string => http.map(({ verb, path }) => `${verb} ${path}`).join(', ') || 'none';
  const primary = ({ http: [first] }: Operation): string => (first ? `${first.verb} ${first.path}` : '');
  const alike = (was: Operation, is: Operation): boolean =>
    signature(was) === signature(is) || (primary(was) !== '' && primary(was) === primary(is));
  const rpcs = pair(before, after, alike);
  const changes = changesOf('rpc', rpcs);
  for (const [was, is] of rpcs.both) {
    const common = { kind: 'rpc' as const, name: was.name, owner: is.name, words: [was.name] };
    if (signature(was) !== signature(is)) {
      changes.push({ ...common, change: 'retyped', detail: `${signature(was)} to ${signature(is)}` });
    }
    if (routes(was) !== routes(is)) {
      changes.push({ ...common, change: 'changed', detail: `HTTP ${routes(was)} to ${routes(is)}` });
    }
  }
  return changes;
}

/** Names of the operations that a change reaches: their rpc, or a message or enum below request or response. */
export function touchedOperations(model: Model, changes: readonly Change[]): string[] {
  const owners = new Set(changes.map(({ owner }) => owner));
  const byName = new Map(model.messages.map((message) => [message.fullName, message]));
  const reaches = (fullName: string, seen: Set<string>): boolean => {
    if (seen.has(fullName)) return false;
    seen.add(fullName);
    if (owners.has(fullName.slice(model.package.length + 1).replaceAll('.', '_'))) return true;
    return byName.get(fullName)?.fields.some(({ type }) => reaches(type, seen)) ?? false;
  };
  return model.operations
    .filter(({ name, request, response }) => {
      const seen = new Set<string>();
      return owners.has(name) || reaches(request, seen) || reaches(response, seen);
    })
    .map(({ name }) => name);
}
