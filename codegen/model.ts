import {
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  ScalarType,
} from '@bufbuild/protobuf';
import type { Field, FieldTables, Oneof, ValueKind } from '../src/gen/api.ts';
import type { HttpRule, Operation } from '../src/gen/operations.ts';
import { compilePath } from '../src/wire/http-rule.ts';
import { type Comments, readComments } from './comments.ts';
import type { Image } from './image.ts';
import type { Overlay } from './overlay.ts';

/** A field, with information that only the generators need. */
export interface ModelField extends Field {
  readonly description?: string;
  readonly deprecated?: true;
}

/** A message of the package. `name` is its TypeScript name (`Task`, `BadRequest_FieldViolation`). */
export interface ModelMessage {
  readonly name: string;
  readonly fullName: string;
  readonly description?: string;
  readonly fields: readonly ModelField[];
  readonly oneofs: readonly Oneof[];
  readonly since?: string;
  readonly until?: string;
}

/** A value of an enum. */
export interface ModelValue {
  readonly name: string;
  readonly number: number;
  readonly since?: string;
  readonly until?: string;
  /** Names of the value in those versions of A2A 1.x that use another name. */
  readonly changed?: Readonly<Record<string, string>>;
}

export interface ModelEnum {
  readonly name: string;
  readonly fullName: string;
  readonly description?: string;
  readonly values: readonly ModelValue[];
  readonly since?: string;
  readonly until?: string;
}

/** A proto file in the vocabulary of the generators. */
export interface Model {
  readonly file: string;
  readonly package: string;
  /** Full name of the file's only service. */
  readonly service: string;
  readonly messages: readonly ModelMessage[];
  readonly enums: readonly ModelEnum[];
  readonly operations: readonly Operation[];
  /** Notes for people who adopt this proto: rpcs of unknown meaning, HTTP rules that cannot be served. */
  readonly notes: readonly Note[];
}

/** A note about an rpc that the generated code does not express. */
export interface Note {
  /** Full name of the rpc. */
  readonly at: string;
  readonly says: string;
}

const scalarNames = new Map<ScalarType, string>(
  Object.entries(ScalarType).flatMap(([name, value]) =>
    typeof value === 'number' ? [[value, name.toLowerCase()] as const] : [],
  ),
);

/** Well-known types with a special JSON form. */
export const wellKnown: Readonly<Record<string, ValueKind>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
  'google.protobuf.FieldMask': 'fieldMask',
  'google.protobuf.Empty': 'empty',
  'google.protobuf.Struct': 'struct',
  'google.protobuf.Value': 'value',
  'google.protobuf.ListValue': 'list',
};

/** Matches messages that wrap a scalar so that absent and default differ. Their JSON form is that of the scalar. */
const wrapped = /^google\.protobuf\.(Double|Float|U?Int64|U?Int32|Bool|String|Bytes)Value$/;

/**
 * Describes a proto file.
 *
 * @param file name of the file, such as `lf/a2a/v1/a2a.proto`
 * @param overlay corrections and additions to the proto
 * @throws Error for unsupported constructs
 */
export function describe(image: Image, file: string, overlay: Overlay): Model {
  const desc = fileOf(image, file);
  const [service, ...others] = desc.services;
  if (!service || others.length > 0) throw new Error(`${file}: expected exactly one service`);
  return describeTypes(image, desc, overlay, { messages: allMessages(desc), enums: allEnums(desc) });
}

/**
 * Describes a proto file, including the imported types that its messages use. The file may declare any number of
 * services. Messages of other packages are named by their full name.
 *
 * @throws Error for unsupported constructs
 */
export function describeWithImports(image: Image, file: string, overlay: Overlay): Model {
  const desc = fileOf(image, file);
  return describeTypes(image, desc, overlay, typesWithImports(desc), true);
}

/** A set of messages and enums. */
export interface Types {
  readonly messages: readonly DescMessage[];
  readonly enums: readonly DescEnum[];
}

/** Returns the messages and enums of a file, including the imported types that they and the rpcs use. */
export function typesWithImports(desc: DescFile): Types {
  const messages = new Set(allMessages(desc));
  const enums = new Set(allEnums(desc));
  const add = (type: DescMessage | DescEnum | undefined): void => {
    if (!type || type.typeName.startsWith('google.protobuf.')) return;
    if (type.kind === 'enum') enums.add(type);
    else messages.add(type);
  };
  for (const { methods } of desc.services) for (const { input, output } of methods) [input, output].forEach(add);
  for (const { fields } of messages) for (const field of fields) [field.message, field.enum].forEach(add);
  return { messages: [...messages], enums: [...enums] };
}

function fileOf({ registry }: Image, file: string): DescFile {
  const desc = registry.getFile(file);
  if (!desc) throw new Error(`no such proto file: ${file}`);
  return desc;
}

/** @param all whether the types may belong to other files and packages */
function describeTypes(image: Image, desc: DescFile, overlay: Overlay, types: Types, all = false): Model {
  const pkg = desc.proto.package;
  const files = new Set([desc, ...[...types.messages, ...types.enums].map(({ file }) => file)]);
  const texts = [...files].map(({ proto }) => readComments(proto));
  const comments: Comments = {
    of: (name) => texts.map((one) => one.of(name)).find(({ description }) => description !== undefined) ?? {},
  };
  const http = image.registry.getExtension('google.api.http');
  const behavior = image.registry.getExtension('google.api.field_behavior');
  const known = new Set([...types.messages, ...types.enums].map(({ typeName }) => typeName));
  const context: Context = { behavior, comments, overlay, pkg, ...(all && { known }) };
  const notes: Note[] = [];
  const note = (at: string, says: string): void => void notes.push({ at, says });
  return {
    file: desc.proto.name,
    package: pkg,
    service: desc.services[0]?.typeName ?? '',
    messages: types.messages.map((message) => describeMessage(message, context)),
    enums: types.enums.map((entry) => describeEnum(entry, comments, pkg)),
    operations: desc.services.flatMap((service) => describeService(service, http, overlay, note)),
    notes,
  };
}

/**
 * Describes all messages and enums of several proto files, without comments. Fields may refer to messages of any of
 * them.
 */
export function describeFiles(
  image: Image,
  files: readonly string[],
  overlay: Overlay,
): Pick<Model, 'package' | 'messages' | 'enums'> {
  const found = files.map((name) => {
    const file = image.registry.getFile(name);
    if (!file) throw new Error(`no such proto file: ${name}`);
    return file;
  });
  const messages = found.flatMap(allMessages);
  const enums = found.flatMap(allEnums);
  const known = new Set([...messages, ...enums].map(({ typeName }) => typeName));
  const comments: Comments = { of: () => ({}) };
  const describeOne = (desc: DescMessage): ModelMessage =>
    describeMessage(desc, { behavior: undefined, comments, overlay, pkg: desc.file.proto.package, known });
  return {
    package: [...new Set(found.map(({ proto }) => proto.package))].join('`, `'),
    messages: messages.map(describeOne),
    enums: enums.map((entry) => describeEnum(entry, comments, entry.file.proto.package)),
  };
}

/** Returns the tables of a model's messages and enums, in the program's form. */
export const tablesOf = ({ messages, enums }: Pick<Model, 'messages' | 'enums'>): { readonly fields: FieldTables } => ({
  fields: {
    messages: Object.fromEntries(messages.map((message) => [message.fullName, message])),
    enums: Object.fromEntries(
      enums.map(({ fullName, values }) => [
        fullName,
        Object.fromEntries(values.map(({ name, number }) => [name, number])),
      ]),
    ),
    ...valueMarks(enums),
  },
});

/** Returns the differences in enum values between the versions of A2A 1.x; empty if there are none. */
export function valueMarks(
  enums: readonly ModelEnum[],
): Pick<FieldTables, 'valuesSince' | 'valuesUntil' | 'valueNames'> {
  const marksOf = <T>(
    markOf: (value: ModelValue, of: ModelEnum) => T | undefined,
  ): Record<string, Record<string, T>> => {
    const all = enums.map((one) => {
      const marks = one.values.flatMap((value) => {
        const mark = markOf(value, one);
        return mark === undefined ? [] : [[value.name, mark] as const];
      });
      return [one.fullName, Object.fromEntries(marks)] as const;
    });
    return Object.fromEntries(all.filter(([, marks]) => Object.keys(marks).length > 0));
  };
  const marks = {
    valuesSince: marksOf(({ since }, of) => since ?? of.since),
    valuesUntil: marksOf(({ until }, of) => until ?? of.until),
    valueNames: marksOf(({ changed }) => changed),
  };
  return Object.fromEntries(Object.entries(marks).filter(([, table]) => Object.keys(table).length > 0));
}

/**
 * Returns the TypeScript name of a message or enum: nested names are joined by underscores, types of other packages
 * have their full name.
 */
export function localName(fullName: string, pkg: string): string {
  const name = pkg !== '' && fullName.startsWith(`${pkg}.`) ? fullName.slice(pkg.length + 1) : fullName;
  return name.replaceAll('.', '_');
}

function allMessages(desc: DescFile | DescMessage): DescMessage[] {
  const nested = 'messages' in desc ? desc.messages : desc.nestedMessages;
  return nested
    .filter((message) => message.proto.options?.mapEntry !== true)
    .flatMap((message) => [message, ...allMessages(message)]);
}

function allEnums(desc: DescFile): DescEnum[] {
  return [...desc.enums, ...allMessages(desc).flatMap((message) => message.nestedEnums)];
}

function describeEnum(desc: DescEnum, comments: Comments, pkg: string): ModelEnum {
  return {
    name: localName(desc.typeName, pkg),
    fullName: desc.typeName,
    ...comments.of(desc.typeName),
    values: desc.values.map(({ name, number }) => ({ name, number })),
  };
}

/** Information that the descriptors do not contain. */
interface Context {
  readonly behavior: DescExtension | undefined;
  readonly comments: Comments;
  readonly overlay: Overlay;
  /** Package relative to which types are named. */
  readonly pkg: string;
  /** Messages and enums of other packages that fields may refer to. */
  readonly known?: ReadonlySet<string>;
}

function describeMessage(desc: DescMessage, context: Context): ModelMessage {
  const { comments, overlay, pkg } = context;
  const required = new Set(overlay.requiredOneofs.map(({ oneof }) => oneof));
  return {
    name: localName(desc.typeName, pkg),
    fullName: desc.typeName,
    ...comments.of(desc.typeName),
    fields: desc.fields.map((field) => describeField(field, context)),
    oneofs: desc.oneofs.map((oneof) => ({
      name: oneof.name,
      members: oneof.fields.map(({ jsonName }) => jsonName),
      required: required.has(`${desc.typeName}.${oneof.name}`),
    })),
  };
}

function describeField(field: DescField, { behavior, comments, overlay, known }: Context): ModelField {
  const path = `${field.parent.typeName}.${field.jsonName}`;
  const required = behavior !== undefined && (getOption(field, behavior) as number[]).includes(2);
  const defaulted = overlay.mayBeEmpty.some(({ fields }) => fields.includes(path));
  const repeated = field.fieldKind === 'list';
  const explicit = field.fieldKind !== 'list' && field.fieldKind !== 'map' && field.presence === 1;
  return {
    jsonName: field.jsonName,
    protoName: field.name,
    number: field.number,
    ...describeType(field, path, known),
    ...(repeated && { repeated: true as const }),
    ...(explicit && { presence: true as const }),
    ...(required && { required: true as const }),
    ...(required && defaulted && { defaulted: true as const }),
    ...(overlay.added.some(({ fields }) => fields.includes(path)) && { added: true as const }),
    ...(field.oneof && { oneof: field.oneof.name }),
    ...(field.proto.options?.deprecated && { deprecated: true as const }),
    ...(wrapped.test(field.message?.typeName ?? '') && { wrapped: true as const }),
    ...comments.of(`${field.parent.typeName}.${field.name}`),
  };
}

function describeType(
  field: DescField,
  path: string,
  known?: ReadonlySet<string>,
): Pick<Field, 'kind' | 'type' | 'valueKind' | 'keyType'> {
  const kind =
    field.fieldKind === 'list' ? field.listKind : field.fieldKind === 'map' ? field.mapKind : field.fieldKind;
  const pkg = field.parent.file.proto.package;
  let value: { kind: ValueKind; type: string };
  if (kind === 'message') value = messageKind(field.message as DescMessage, pkg, path, known);
  else if (kind === 'enum') value = enumKind(field.enum as DescEnum, pkg, path, known);
  else {
    value = scalarKind(scalarNames.get(field.scalar as ScalarType) as string);
  }
  if (field.fieldKind !== 'map') return value;
  const key = scalarNames.get(field.mapKey) as string;
  return { kind: 'map', type: value.type, valueKind: value.kind, ...(key !== 'string' && { keyType: key }) };
}

const scalarKind = (type: string): { kind: ValueKind; type: string } => ({
  kind: type === 'bytes' ? 'bytes' : 'scalar',
  type,
});

function enumKind(
  desc: DescEnum,
  pkg: string,
  path: string,
  known?: ReadonlySet<string>,
): { kind: ValueKind; type: string } {
  if (desc.file.proto.package !== pkg && !known?.has(desc.typeName)) throw unknownType(path, desc.typeName);
  return { kind: 'enum', type: desc.typeName };
}

/** Returns the error for a type of another package, whose fields are in no table. */
const unknownType = (path: string, type: string): Error =>
  new Error(`${path}: the generators do not know ${type}; write a message of the field's own package in its place`);

function messageKind(
  message: DescMessage,
  pkg: string,
  path: string,
  known?: ReadonlySet<string>,
): { kind: ValueKind; type: string } {
  const type = message.typeName;
  const kind = wellKnown[type];
  if (kind) return { kind, type };
  // An object that contains `@type` and either the members of its message or a `value`.
  if (type === 'google.protobuf.Any' && known && !known.has(type))
    return { kind: 'struct', type: 'google.protobuf.Struct' };
  const [, scalar] = wrapped.exec(type) ?? [];
  if (scalar !== undefined) return scalarKind(scalar.toLowerCase());
  if (message.file.proto.package !== pkg && !known?.has(type)) throw unknownType(path, type);
  return { kind: 'message', type };
}

function describeService(
  service: DescService,
  http: DescExtension | undefined,
  overlay: Overlay,
  note: (at: string, says: string) => void,
): Operation[] {
  const taken = new Map<string, string>();
  return service.methods.map((method) => {
    const rpc = `${service.typeName}.${method.name}`;
    const meaning = overlay.meanings.find(({ rpcs }) => rpcs.includes(rpc));
    if (overlay.meanings.some(({ rpcs }) => rpcs[0]?.startsWith(`${service.typeName}.`)) && !meaning) {
      note(rpc, 'is taken to change something, since codegen/overlay.ts has no row for it in `meanings`: add one');
    }
    const { methodKind: kind } = method;
    const clientStreaming = kind === 'client_streaming' || kind === 'bidi_streaming';
    if (clientStreaming)
      note(rpc, 'takes a stream of messages: routed to its handler over gRPC and Connect, UNIMPLEMENTED elsewhere');
    return {
      name: method.name,
      service: service.typeName,
      rpc: method.name,
      grpcPath: `/${service.typeName}/${method.name}`,
      request: method.input.typeName,
      response: method.output.typeName,
      streaming: kind === 'server_streaming' || kind === 'bidi_streaming',
      ...(clientStreaming && { clientStreaming: true as const }),
      ...(meaning?.reads && { reads: true as const }),
      ...(meaning?.createsTask && { createsTask: true as const }),
      ...(meaning?.longLived && { longLived: true as const }),
      http: httpRules(method, http, overlay).filter((rule) => {
        const place = `${rule.verb} ${rule.path}`;
        const problem = problemOf(rule, method) ?? (taken.has(place) ? `${taken.get(place)} has the same` : undefined);
        if (problem) note(rpc, `the rule ${place} is left out: ${problem}`);
        else taken.set(place, method.name);
        return problem === undefined;
      }),
    };
  });
}

const verbs: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns why a rule cannot be served; undefined if it can. */
function problemOf({ verb, path }: HttpRule, method: DescMethod): string | undefined {
  if (!verbs.includes(verb)) return `the HTTP verb ${verb} is not known`;
  try {
    const unknown = compilePath({ verb, path }).fields.find(
      (field) => field !== 'tenant' && !hasField(method.input, field),
    );
    return unknown === undefined ? undefined : `${method.input.name} has no field ${unknown}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether a message has a field with a path, such as `message.task_id`. */
function hasField(message: DescMessage, path: string): boolean {
  const [first, ...rest] = path.split('.');
  const field = message.fields.find(({ name }) => name === first);
  if (!field || rest.length === 0) return field !== undefined;
  return field.fieldKind === 'message' && hasField(field.message, rest.join('.'));
}

/** The parts of google.api.HttpRule that are used here, in the form of protobuf-es. */
interface RawRule {
  readonly pattern: { case?: string; value?: unknown };
  readonly body: string;
  readonly additionalBindings: readonly RawRule[];
}

function httpRules(method: DescMethod, http: DescExtension | undefined, overlay: Overlay): HttpRule[] {
  const rpc = `${method.parent.typeName}.${method.name}`;
  const raw = http ? (getOption(method, http) as unknown as RawRule) : undefined;
  const rules = raw?.pattern.case === undefined ? [] : [raw, ...raw.additionalBindings];
  const own = rules.map(({ pattern, body }): HttpRule => {
    const custom = pattern.value as { kind: string; path: string };
    const isCustom = pattern.case === 'custom';
    const path = isCustom ? custom.path : String(pattern.value);
    const fixed = overlay.paths.find((row) => row.rpc === rpc && row.from === path);
    const verb = (isCustom ? custom.kind : (pattern.case as string)).toUpperCase() as HttpRule['verb'];
    return { verb, path: fixed?.to ?? path, ...(body !== '' && { body }) };
  });
  const extra = overlay.extraRules.filter((row) => row.rpc === rpc).flatMap((row) => row.rules);
  const isNew = (rule: HttpRule): boolean => !own.some(({ verb, path }) => verb === rule.verb && path === rule.path);
  return [...own, ...extra.filter(isNew)];
}

/**
 * Returns the names in overlay rows that the model does not contain, which means that the rows are stale. A row applies
 * only to files of the package that it names.
 */
export function staleRows(model: Model, overlay: Overlay): string[] {
  const rpcs = model.operations.map(({ service, rpc }) => `${service}.${rpc}`);
  const oneofs = model.messages.flatMap((m) => m.oneofs.map(({ name }) => `${m.fullName}.${name}`));
  const required = model.messages.flatMap((m) =>
    m.fields.filter((field) => field.required).map(({ jsonName }) => `${m.fullName}.${jsonName}`),
  );
  const fields = model.messages.flatMap((m) => m.fields.map(({ jsonName }) => `${m.fullName}.${jsonName}`));
  const missing = (names: readonly string[], known: readonly string[]): string[] =>
    names.filter((name) => name.startsWith(`${model.package}.`) && !known.includes(name));
  return [
    ...missing(
      [
        ...[...overlay.extraRules, ...overlay.paths].map(({ rpc }) => rpc),
        ...overlay.meanings.flatMap((row) => row.rpcs),
      ],
      rpcs,
    ),
    ...missing(
      overlay.requiredOneofs.map(({ oneof }) => oneof),
      oneofs,
    ),
    ...missing(
      overlay.mayBeEmpty.flatMap((row) => row.fields),
      required,
    ),
    ...missing(
      overlay.added.flatMap((row) => row.fields),
      fields,
    ),
  ];
}
