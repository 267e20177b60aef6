import type { JSONSchema } from 'json-schema-to-typescript';
import { SchemaError } from './bundle.ts';
import { header, literal, propertyKey, quote } from './emit.ts';
import { schemaGuards } from './schema-guards.ts';
import { compileTypes } from './types.ts';

/**
 * Types and validators of the shapes that no proto describes: those of the dialects before A2A 1.0. The input is a JSON
 * Schema whose `definitions` are referred to by `#/definitions/NAME`, in the parts of the language that such schemas use.
 */

/** A JSON Schema document in `codegen/schemas` and the folder that its code goes to. */
export interface SchemaTarget {
  readonly dir: string;
  readonly schema: string;
  /** Whether guards are generated besides, for shapes that are read on the hot path. */
  readonly guarded?: true;
}

/** The parts of JSON Schema that the schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly description?: string;
}

/** The `definitions` of a document, by name. */
export type Definitions = Readonly<Record<string, Schema>>;

/**
 * The generated files of one document, by name.
 *
 * @param json the parsed document
 * @param source what the headers name as the input
 * @param guarded whether guards are among them
 * @throws SchemaError naming a definition that uses what the generators do not know
 */
export async function schemaFiles(json: unknown, source: string, guarded = false): Promise<Record<string, string>> {
  const definitions = (json as { definitions?: Definitions } | null)?.definitions;
  if (typeof definitions !== 'object' || definitions === null) throw new SchemaError(`${source}: no definitions`);
  return {
    'types.ts': `${header(source)}\n${await typesBody(definitions)}\n`,
    'validators.ts': validators(definitions, source),
    ...(guarded && { 'guards.ts': schemaGuards(definitions, source) }),
  };
}

async function typesBody(definitions: Definitions): Promise<string> {
  const entries = Object.entries(definitions).map(([name, schema]): [string, JSONSchema] => {
    const head = { title: name, ...(schema.description && { description: schema.description }) };
    if (!schema.properties) return [name, { ...head, tsType: typeText(schema, name) }];
    const properties = Object.entries(schema.properties).map(([key, property]) => [
      key,
      {
        tsType: typeText(property, `${name}.${key}`),
        ...(property.description && { description: property.description }),
      },
    ]);
    return [
      name,
      {
        ...head,
        type: 'object',
        properties: Object.fromEntries(properties),
        required: [...(schema.required ?? [])],
        additionalProperties: false,
      },
    ];
  });
  return compileTypes(Object.fromEntries(entries));
}

/** A schema as the text of a TypeScript type. */
function typeText(schema: Schema, at: string): string {
  if (schema.$ref) return referred(schema.$ref, at);
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum) return schema.enum.map(quote).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((choice) => typeText(choice, at)).join(' | ');
  if (schema.type === undefined) return 'unknown';
  if (typeof schema.type !== 'string') {
    return schema.type.map((type) => typeText({ ...schema, type }, at)).join(' | ');
  }
  if (schema.type === 'array') {
    const item = typeText(schema.items ?? {}, at);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  const known: Readonly<Record<string, string>> = {
    string: 'string',
    number: 'number',
    integer: 'number',
    boolean: 'boolean',
    null: 'null',
    object: 'Record<string, unknown>',
  };
  return known[schema.type] ?? unknown(schema, at);
}

function validators(definitions: Definitions, source: string): string {
  const entries = Object.entries(definitions);
  const consts = entries.map(([name, schema]) => {
    const check = checkText(schema, name);
    return `const ${name} = c.once(() =>${check.startsWith('\n') ? '' : ' '}${check});\n`;
  });
  const rows = entries.map(([name]) => `  get ${propertyKey(name)}() {\n    return ${name}();\n  },\n`);
  return `${header(source)}
import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

${consts.join('\n')}
/** Validators by definition; each is built when it is first used. */
export const validators = {
${rows.join('')}} satisfies Readonly<Record<string, Validator>>;
`;
}

/** A schema in the vocabulary of the checks template. */
function checkText(schema: Schema, at: string): string {
  if (schema.$ref) return `c.lazy(${referred(schema.$ref, at)})`;
  if (schema.const !== undefined) return `c.names(${literal([schema.const])})`;
  if (schema.enum) return `c.names(${literal(schema.enum)})`;
  const choices =
    schema.anyOf ?? (typeof schema.type === 'object' ? schema.type.map((type) => ({ ...schema, type })) : []);
  if (choices.length > 0) return choiceText(choices, at);
  if (schema.type === undefined) return 'c.value';
  if (schema.type === 'string') {
    if (schema.pattern !== undefined) return `c.pattern(${quote(schema.pattern)})`;
    return schema.minLength ? 'c.someText' : 'c.text';
  }
  if (schema.type === 'array') return `c.${schema.minItems ? 'someOf' : 'list'}(${checkText(schema.items ?? {}, at)})`;
  if (schema.type === 'object') return schema.properties ? messageText(schema, at) : 'c.struct';
  if (schema.type === 'number') return 'c.number';
  if (schema.type === 'integer') return 'c.int32';
  return schema.type === 'boolean' ? 'c.bool' : unknown(schema, at);
}

function choiceText(choices: readonly Schema[], at: string): string {
  const others = choices.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (!only) return unknown({ anyOf: choices }, at);
  const what = others.map((choice) => phrase(choice, at)).join(' or ');
  const checks = others.map((choice) => checkText(choice, at));
  const check = others.length === 1 ? checkText(only, at) : `c.anyOf(${quote(what)}, ${checks.join(', ')})`;
  return others.length < choices.length ? `c.nullable(${check})` : check;
}

/** What a value is to be, in the words of those who sent another. */
function phrase(schema: Schema, at: string): string {
  const phrases: Readonly<Record<string, string>> = {
    string: 'a string',
    number: 'a number',
    integer: 'an integer',
    boolean: 'true or false',
    object: 'an object',
    array: 'an array',
  };
  return (typeof schema.type === 'string' && phrases[schema.type]) || typeText(schema, at);
}

function messageText({ properties = {}, required = [] }: Schema, at: string): string {
  const rows = Object.entries(properties).map(([key, property]) => {
    const check = checkText(property, `${at}.${key}`);
    return `    ${propertyKey(key)}: ${required.includes(key) ? check : `c.optional(${check})`},\n`;
  });
  return `\n  c.message({\n${rows.join('')}  }),\n`;
}

/**
 * The definition that a `$ref` names.
 *
 * @throws SchemaError where it names none
 */
export function referred(ref: string, at: string): string {
  const name = /^#\/definitions\/(\w+)$/.exec(ref)?.[1];
  if (name === undefined) throw new SchemaError(`${at}: reference to ${ref}`);
  return name;
}

function unknown(schema: Schema, at: string): never {
  throw new SchemaError(`${at}: a shape that the generators do not know: ${JSON.stringify(schema)}`);
}
