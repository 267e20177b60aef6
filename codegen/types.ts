import { pathToFileURL } from 'node:url';
import type { JSONSchema } from 'json-schema-to-typescript';
import type { Bundle, BundleField } from './bundle.ts';
import { header } from './emit.ts';
import type { Model } from './model.ts';
import { toolCache } from './project-types/tool-cache.ts';
import { sectionOf } from './sections.ts';

/**
 * Name that is given to the compiler's root type, and the text that the compiler adds to every docstring. Both are
 * removed.
 */
const rootName = 'GeneratedRoot';
const referenceNote =
  /\n \*\n \* This interface was referenced by `GeneratedRoot`'s JSON-Schema\n \* via the `definition` "[^"]*"\./g;
const bareReferenceNote =
  /\/\*\*\n \* This interface was referenced by `GeneratedRoot`'s JSON-Schema\n \* via the `definition` "[^"]*"\.\n \*\/\n/g;

/**
 * Returns the source of the ProtoJSON types of a package: shapes and descriptions from the bundle, required members
 * from the proto.
 *
 * @param source inputs to name in the header
 */
export async function typesSource(model: Model, bundle: Bundle, source: string): Promise<string> {
  const byName = new Map(model.messages.map((message) => [message.name, message]));
  const definitions: Record<string, JSONSchema> = {
    Struct: { title: 'Struct', description: 'A JSON object (google.protobuf.Struct).', type: 'object' },
  };
  for (const entry of model.enums) {
    definitions[entry.name] = {
      title: entry.name,
      ...described(model, entry),
      type: 'string',
      enum: entry.values.map(({ name }) => name),
    };
  }
  for (const message of bundle.messages) {
    const fields = byName.get(message.name)?.fields ?? [];
    definitions[message.name] = {
      title: message.name,
      ...described(model, message),
      type: 'object',
      properties: Object.fromEntries(message.fields.map((field) => [memberKey(field.jsonName), property(field)])),
      required: fields.filter(({ required }) => required).map(({ jsonName }) => memberKey(jsonName)),
      additionalProperties: false,
    };
  }
  const body = await compileTypes(definitions);
  // A message of this name replaces Google's.
  const empty = byName.has('Empty')
    ? ''
    : '/** No content (google.protobuf.Empty). */\nexport type Empty = Record<string, never>;\n\n';
  const rows = model.messages.map(({ name, fullName }) => `  '${fullName}': ${name};\n`);
  const table = `/** The messages by full name. */\nexport interface MessageTypes {\n${rows.join('')}}`;
  return `${header(source)}\n${empty}${body}\n\n${table}\n`;
}

/** Returns a type's description in the proto or bundle, with the section of the specification about it. */
function described(model: Model, { name, description }: { name: string; description?: string }): JSONSchema {
  const texts = [description, sectionOf(model.package, name)].filter(Boolean);
  return texts.length > 0 ? { description: texts.join('\n\n') } : {};
}

/** A member that the compiler calls on its schemas, and the name that replaces it there. */
const called = 'hasOwnProperty';
const calledKey = `${rootName}Called`;

const memberKey = (name: string): string => (name === called ? calledKey : name);

const lineWidth = 120;

/** Loads the JSON Schema compiler. */
async function loadCompiler(): Promise<typeof import('json-schema-to-typescript')> {
  const tools = await toolCache('types');
  const module = await import(pathToFileURL(tools.resolve('json-schema-to-typescript')).href);
  return module.default ?? module;
}

/** Matches names that the compiler would rewrite, such as `V1alpha` and `task_id`. */
const rewritten = /^[^A-Z]|_[a-z]|[\d$][a-z]/;

/** Returns the source of the types of definitions, in their order, with their descriptions as comments. */
export async function compileTypes(definitions: Record<string, JSONSchema>): Promise<string> {
  const names = Object.keys(definitions);
  const placeholder = (at: number): string => `${rootName}${at}X`;
  const titled = Object.entries(definitions).map(([name, schema], at) =>
    rewritten.test(name) ? [placeholder(at), { ...schema, title: placeholder(at) }] : [name, schema],
  );
  const root: JSONSchema = {
    title: rootName,
    type: 'object',
    definitions: Object.fromEntries(titled),
    additionalProperties: false,
  };
  const { compile } = await loadCompiler();
  const text = await compile(root, rootName, {
    bannerComment: '',
    unreachableDefinitions: true,
    format: true,
    style: { singleQuote: true, printWidth: lineWidth },
  });
  const body = text
    .replace(referenceNote, '')
    .replace(bareReferenceNote, '')
    .replace(new RegExp(`export interface ${rootName} \\{\\}\\n`), '')
    .replace(new RegExp(`\\b${rootName}(\\d+)X\\b`, 'g'), (_, at: string) => names[Number(at)] ?? '')
    .replaceAll(calledKey, called)
    .replace(/^(\}|.*;)\n(?=\/\*\*)/gm, '$1\n\n')
    .replace(/^( *)\/\*\*\n *\* (.*)\n *\*\/$/gm, (comment, indent: string, line: string) =>
      indent.length + line.length <= lineWidth - '/**  */'.length ? `${indent}/** ${line} */` : comment,
    )
    .trim();
  if (body.includes(rootName))
    throw new Error('json-schema-to-typescript writes its notes in another way than expected');
  return body;
}

const isLong = (type: string): boolean => type.endsWith('64');

/** Notes about the format of a field that its type does not express. */
const notes: Readonly<Record<string, string>> = {
  bytes: 'Base64.',
  timestamp: 'RFC 3339.',
  duration: 'Seconds, such as `1.500s`.',
  fieldMask: 'Paths in camelCase, separated by commas.',
};

function property(field: BundleField): JSONSchema {
  const kind = field.valueKind ?? field.kind;
  let schema: JSONSchema;
  if (kind === 'value') schema = { tsType: 'unknown' };
  // By name and not by $ref: with a description beside a $ref, the compiler would write the type again.
  else if (kind === 'struct') schema = { tsType: 'Struct' };
  else if (kind === 'message' || kind === 'enum') schema = { tsType: field.type };
  else if (kind === 'empty') schema = { tsType: 'Empty' };
  else if (kind === 'list') schema = { tsType: 'unknown[]' };
  else if (field.type === 'bool') schema = { type: 'boolean' };
  else if (kind !== 'scalar' || field.type === 'string' || isLong(field.type)) schema = { type: 'string' };
  else if (/^(double|float)$/.test(field.type) && !field.finite)
    // In parentheses, since the type of a list is written with brackets after it.
    schema = { tsType: "(number | 'NaN' | 'Infinity' | '-Infinity')" };
  else schema = { type: 'number' };
  if (field.kind === 'map') schema = { type: 'object', additionalProperties: schema };
  if (field.repeated) schema = { type: 'array', items: schema };
  const note = kind === 'scalar' && isLong(field.type) ? 'A 64-bit integer in decimal digits.' : notes[kind];
  const deprecated = field.deprecated && '@deprecated';
  const description = [field.description, note, deprecated].filter(Boolean).join('\n');
  return description ? { ...schema, description } : schema;
}
