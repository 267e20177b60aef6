import type { Field, FieldTables } from '../../src/gen/api.ts';
import type { Definitions, Schema } from './arbitrary-schema.ts';

/** A shape of a request, with values that fit it and each of its members. */
export interface Sample {
  /** A value that fits: an object has what is required, and no more. */
  readonly good: unknown;
  readonly members: readonly Member[];
  /** Members of which at most one may be there. */
  readonly choices: readonly (readonly string[])[];
}

interface Member {
  readonly name: string;
  /** Another spelling of the name that is read too. */
  readonly alias?: string;
  readonly good: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Wrong values by what they are called in the golden files. Some of them are right for some members. */
const odd: readonly (readonly [label: string, value: unknown])[] = [
  ['null', null],
  ['number', 7],
  ['fraction', 0.5],
  ['negative', -1],
  ['large', 1e300],
  ['unsafe', 2 ** 60],
  ['true', true],
  ['empty', ''],
  ['text', 'x'],
  ['surrogate', '\ud800'],
  ['digits', '99999999999999999999'],
  ['nan', 'NaN'],
  ['equals', '===='],
  ['leap', '2023-02-29T00:00:00.000Z'],
  ['date', '2024-02-29'],
  ['duration', '1.5x'],
  ['list', []],
  ['nulls', [null]],
  ['numbers', [7]],
  ['texts', ['x']],
  ['objects', [{}]],
  ['object', {}],
  ['unknown', { unknown: 1 }],
  ['keyed', { x: null }],
];

/** Bad inputs of a shape, by what is wrong with them; grouped by the member that it is wrong with. */
export function badInputs({
  good,
  members,
  choices,
}: Sample): ReadonlyMap<string, readonly (readonly [string, unknown])[]> {
  const groups = new Map<string, readonly (readonly [string, unknown])[]>();
  if (typeof good !== 'object' || good === null) return groups.set('', odd);
  const base = good as Json;
  const { unknown: _, ...all } = Object.fromEntries(members.map((member) => [member.name, member.good]));
  const together = choices.map((names) => {
    const remaining = Object.fromEntries(Object.entries(base).filter(([name]) => !names.includes(name)));
    const chosen = Object.fromEntries(names.map((name) => [name, all[name]]));
    return [`all of ${names.join(' ')}`, { ...remaining, ...chosen }] as const;
  });
  const spoiled = Object.fromEntries(Object.keys(all).map((name) => [name, 7]));
  groups.set('', [...odd, ...together, ['everything', spoiled], ['besides', { ...base, unknown: 7 }]]);
  for (const { name, alias, good: value } of members) {
    const { [name]: _own, ...others } = base;
    const rivals = choices.find((names) => names.includes(name)) ?? [];
    const remaining = Object.fromEntries(Object.entries(others).filter(([other]) => !rivals.includes(other)));
    const cases: [string, unknown][] = [['absent', others]];
    for (const [label, bad] of [...odd, ...nested(value)]) cases.push([label, { ...remaining, [name]: bad }]);
    if (alias !== undefined) {
      cases.push(['alias', { ...remaining, [alias]: 7 }]);
      cases.push(['both', { ...remaining, [name]: value, [alias]: value }]);
    }
    groups.set(name, cases);
  }
  return groups;
}

/** The value of a member, wrong somewhere in it. */
function nested(good: unknown): [label: string, value: unknown][] {
  if (Array.isArray(good)) {
    const [item] = good as unknown[];
    return [
      ['second', [item, 7]],
      ['third', [item, item, null]],
      ['many', Array.from({ length: 25 }, () => 7)],
      ...nested(item).map(([label, value]): [string, unknown] => [`second ${label}`, [item, value]]),
    ];
  }
  if (typeof good !== 'object' || good === null) return [];
  return Object.entries(good).flatMap(([key, value]): [string, unknown][] => [
    [`${key} number`, { ...good, [key]: 7 }],
    [`${key} object`, { ...good, [key]: {} }],
    [`${key} text`, { ...good, [key]: 'x' }],
    ...(typeof value === 'object' && value !== null
      ? nested(value).map(([label, inner]): [string, unknown] => [`${key}.${label}`, { ...good, [key]: inner }])
      : []),
  ]);
}

/** The sample of a message of a proto. */
export function protoSample(tables: FieldTables, typeName: string): Sample {
  const { fields = [], oneofs = [] } = tables.messages[typeName] ?? {};
  return {
    good: goodMessage(tables, typeName),
    members: fields.map((field) => ({
      name: field.jsonName,
      ...(field.protoName !== field.jsonName && { alias: field.protoName }),
      good: goodField(tables, field),
    })),
    choices: oneofs.map(({ members }) => members),
  };
}

function goodMessage(tables: FieldTables, typeName: string): Json {
  const { fields = [], oneofs = [] } = tables.messages[typeName] ?? {};
  const chosen = oneofs.filter(({ required }) => required).map(({ members }) => members[0]);
  const needed = fields.filter(({ required, jsonName }) => required || chosen.includes(jsonName));
  return Object.fromEntries(needed.map((field) => [field.jsonName, goodField(tables, field)]));
}

function goodField(tables: FieldTables, { kind, valueKind, type, keyType, repeated }: Field): unknown {
  const value = goodValue(tables, valueKind ?? kind, type);
  if (repeated) return [value];
  if (kind !== 'map') return value;
  return { [keyType === undefined ? 'key' : keyType === 'bool' ? 'true' : '1']: value };
}

function goodValue(tables: FieldTables, kind: string, type: string): unknown {
  if (kind === 'message') return goodMessage(tables, type);
  if (kind === 'enum') return Object.keys(tables.enums[type] ?? {}).at(-1);
  const values: Json = {
    bytes: 'AAEC',
    timestamp: '2024-02-29T00:00:00.000Z',
    duration: '1s',
    fieldMask: 'id',
    struct: { any: 1 },
    empty: {},
    value: 1,
    list: [1],
    scalar: type === 'string' ? 'text' : type === 'bool' ? true : type.endsWith('64') ? '5' : 5,
  };
  return values[kind];
}

/** The samples of a definition: one for each of its alternatives. */
export function schemaSamples(definitions: Definitions, name: string): Sample[] {
  const schema = resolved(definitions, definitions[name] ?? {});
  return (schema.anyOf ?? [schema]).map((choice) => {
    const own = resolved(definitions, choice);
    return {
      good: goodOf(definitions, own),
      members: Object.entries(own.properties ?? {}).map(([member, property]) => ({
        name: member,
        good: goodOf(definitions, property),
      })),
      choices: [],
    };
  });
}

function resolved(definitions: Definitions, schema: Schema): Schema {
  return schema.$ref ? (definitions[schema.$ref.replace('#/definitions/', '')] ?? {}) : schema;
}

function goodOf(definitions: Definitions, schema: Schema): unknown {
  const { anyOf, enum: names = [], properties = {}, required = [], ...own } = resolved(definitions, schema);
  const [choice] = anyOf ?? [];
  if (choice) return goodOf(definitions, choice);
  if (own.const !== undefined) return own.const;
  if (names.length > 0) return names.at(-1);
  if (own.pattern !== undefined)
    return own.pattern.includes('://') ? 'https://a.example/' : own.pattern.slice(1, 5).replace('\\', '');
  const values: Json = {
    string: 'text',
    number: 5,
    integer: 5,
    boolean: true,
    array: own.type && [goodOf(definitions, own.items ?? {})],
    object: Object.fromEntries(required.map((key) => [key, goodOf(definitions, properties[key] ?? {})])),
  };
  return values[String(typeof own.type === 'object' ? own.type[0] : own.type)] ?? 1;
}
